//! The bridge between the listener and the handler, which is tiny_http: it accepts a link for each connection, finds a
//! worker for each request, and writes the head of the response. Requests and bodies are handed over beside it.
//!
//! ```text
//! thread of a connection → hand-over, link → tiny_http → worker → handler → hand-over, link → the same thread
//! ```
//!
//! The accept thread of tiny_http ends at the first error, or panics when it gets no thread or no open file. So a worker
//! that hears of an error panics, and `serve` ends when one of its threads does.

mod hand_over;
mod link;
mod private_socket;
mod worker_pool;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use hand_over::{HandOver, HandOvers};
pub use link::{BridgeLink, BridgeResponse};
use private_socket::PrivateSocket;
use worker_pool::WorkerPool;

use crate::error::ErrorKind;
use crate::http::protocol::headers::on_every_response;
use crate::http::protocol::problem::Problem;
use crate::http::server::message::{HttpRequest, Response, Service};

/// The value of the header `Server`.
const NAME: &str = "mediactl";

/// After this time without a request, a worker leaves if another one waits.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// The time that the first request of a link may keep others from connecting.
const FIRST_TIME: Duration = Duration::from_secs(1);

/// A service behind tiny_http. The server is dropped before its socket.
pub struct Bridge {
    server: tiny_http::Server,
    socket: PrivateSocket,
    service: Arc<dyn Service>,
    hand_overs: Arc<HandOvers>,
    pool: WorkerPool,
    has_stopped: AtomicBool,
    first_requests: Mutex<()>,
}

impl Bridge {
    /// Starts tiny_http with its first worker, of at most `workers`.
    pub fn start(service: Arc<dyn Service>, workers: usize) -> io::Result<Arc<Self>> {
        let (socket, listener) = PrivateSocket::bind()?;
        let bridge = Arc::new(Self {
            server: tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?,
            socket,
            service,
            hand_overs: Arc::default(),
            pool: WorkerPool::new(workers),
            has_stopped: AtomicBool::new(false),
            first_requests: Mutex::new(()),
        });
        spawn_worker(&bridge).map(|()| bridge)
    }

    /// Asks for the response to a request, for at most `most`. `link` is that of the connection, once it has one.
    pub fn ask(
        &self,
        link: &mut Option<BridgeLink>,
        request: HttpRequest,
        most: Duration,
    ) -> io::Result<BridgeResponse> {
        let is_head = request.head.method == "HEAD";
        if let Some(kept) = link {
            kept.send(request)?;
            return kept.receive(is_head);
        }
        // Of two connections that come at once, tiny_http may give the second one to the thread that serves the first
        // one, and so not before the first one ends.
        let turn = self.first_requests.lock().unwrap_or_else(PoisonError::into_inner);
        let new = link.insert(BridgeLink::new(self.socket.connect()?, &self.hand_overs, most)?);
        new.send(request)?;
        new.wait_until_taken(FIRST_TIME);
        drop(turn);
        new.receive(is_head)
    }

    /// True if no worker has been free for this time.
    pub fn is_busy_for(&self, time: Duration) -> bool {
        self.pool.is_busy_for(time)
    }

    /// Ends the workers once they have answered, and then tiny_http. Each of them wakes the next one up.
    pub fn stop(&self) {
        self.has_stopped.store(true, Ordering::Release);
        self.server.unblock();
    }
}

/// Starts a worker.
fn spawn_worker(bridge: &Arc<Bridge>) -> io::Result<()> {
    let own = Arc::clone(bridge);
    thread::Builder::new().name("worker".to_owned()).spawn(move || work(&own)).map(drop)
}

/// Answers requests until the bridge stops, or until there are enough workers.
fn work(bridge: &Arc<Bridge>) {
    while !bridge.has_stopped.load(Ordering::Acquire) {
        match bridge.server.recv_timeout(IDLE_TIME).expect("tiny_http accepts connections") {
            Some(request) => {
                // Without another thread, the next request waits until this one is answered.
                bridge.pool.take_request(|| spawn_worker(bridge).is_ok());
                handle(bridge, request);
                bridge.pool.wait();
            }
            None if bridge.pool.may_leave() => break,
            // The time is over, or it is a wake-up call.
            None => {}
        }
    }
    // This worker may have taken the wake-up call of another one.
    bridge.server.unblock();
}

/// Answers one request; tiny_http drops the response if the listener has given up waiting.
fn handle(bridge: &Bridge, from: tiny_http::Request) {
    let Some((hand_over, request)) = taken(bridge, &from) else { return };
    let peer = request.head.peer;
    let response = bridge.service.answer(request);
    let (plain, Response { status, body, .. }) = match headers(&response) {
        Some(plain) => (plain, response),
        None => {
            bridge.service.refused(Some(peer), 500, FAILED);
            let response = failed();
            (headers(&response).expect("these are plain words"), response)
        }
    };
    hand_over.put_body(status, body);
    let status = tiny_http::StatusCode(status);
    // It fails if the link has ended.
    let _ = from.respond(tiny_http::Response::new(status, plain, io::empty(), Some(0), None));
}

/// Takes the request that was handed over; `None` if the listener has given it up.
fn taken(bridge: &Bridge, from: &tiny_http::Request) -> Option<(Arc<HandOver>, HttpRequest)> {
    let hand_over = bridge.hand_overs.get(from.url().strip_prefix('/')?.parse().ok()?)?;
    let request = hand_over.take_request()?;
    Some((hand_over, request))
}

/// The headers of a response; `None` if a value could end its header and begin another.
fn headers(response: &Response) -> Option<Vec<tiny_http::Header>> {
    let own = response.headers.iter().map(|(name, value)| (*name, value.as_str()));
    own.chain([("Server", NAME)]).map(|(name, value)| header(name, value)).collect()
}

fn header(name: &str, value: &str) -> Option<tiny_http::Header> {
    let plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    plain.then(|| tiny_http::Header::from_bytes(name, value).ok()).flatten()
}

/// What is said where the headers of a response are not plain.
const FAILED: &str = "the handler failed";

fn failed() -> Response {
    let mut response = Response::error(&Problem::new(ErrorKind::EngineFailed, FAILED).with_status(500));
    response.headers.extend(on_every_response());
    response
}
