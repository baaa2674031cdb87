//! A worker: answers requests of tiny_http, and survives panics of tiny_http and of the service.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::hand_over::{HandOver, HandOvers};
use super::instance::Instance;
use crate::engine::{Loops, RefusalKind};
use crate::http::protocol::headers::on_every_response;
use crate::http::protocol::problem::Problem;
use crate::http::server::message::{Request, Response, Service};

/// The value of the header `Server`.
const NAME: &str = "mediactl";

/// After this time without a request, a worker leaves if another one waits.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// Starts a worker.
pub fn spawn(service: &Arc<dyn Service>, instance: &Arc<Instance>, loops: &Loops) -> io::Result<()> {
    let (service, own, others) = (Arc::clone(service), Arc::clone(instance), loops.clone());
    loops.spawn("worker", move || work(&service, &own, &others)).map(drop)
}

/// Answers requests until the last call of the instance is over, or until there are enough workers.
fn work(service: &Arc<dyn Service>, instance: &Arc<Instance>, loops: &Loops) {
    loop {
        let last_call = instance.last_call.get();
        let left = last_call.map_or(IDLE_TIME, |until| until.saturating_duration_since(Instant::now()));
        if left == Duration::ZERO {
            break;
        }
        match instance.server.recv_timeout(left) {
            Ok(Some(request)) => {
                // Without another thread, the next request waits until this one is answered.
                instance.pool.take_request(|| spawn(service, instance, loops).is_ok());
                // tiny_http may panic; its client then gets an error.
                let _ = catch_unwind(AssertUnwindSafe(|| handle(&**service, &instance.hand_overs, request)));
                instance.pool.wait();
            }
            Ok(None) if instance.pool.may_leave() => break,
            // The time is over; or it is a wake-up call, or an error of the accept thread, which the
            // listener will notice.
            Ok(None) | Err(_) => {}
        }
    }
    // This worker may have taken the wake-up call of another one.
    instance.server.unblock();
}

/// Answers one request; tiny_http drops the response if the listener has given up waiting.
fn handle(service: &dyn Service, all: &HandOvers, from: tiny_http::Request) {
    let Some((hand_over, request)) = taken(&from, all) else { return };
    let peer = request.head.peer;
    let response = catch_unwind(AssertUnwindSafe(|| service.answer(request)))
        .ok()
        .and_then(|response| Some((headers(&response)?, response)))
        .unwrap_or_else(|| {
            service.refused(Some(peer), 500, "the handler failed");
            let response = failed();
            (headers(&response).expect("these are plain words"), response)
        });
    let (headers, Response { status, body, .. }) = response;
    hand_over.put_body(status, body);
    let status = tiny_http::StatusCode(status);
    // It fails if the link has ended.
    let _ = from.respond(tiny_http::Response::new(status, headers, io::empty(), Some(0), None));
}

/// Takes the request that was handed over; `None` if the listener has given it up.
fn taken(from: &tiny_http::Request, all: &HandOvers) -> Option<(Arc<HandOver>, Request)> {
    let hand_over = all.get(from.url().strip_prefix('/')?.parse().ok()?)?;
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

fn failed() -> Response {
    let problem = Problem::new(RefusalKind::EngineFailed, "the handler failed").with_status(500);
    let mut response = Response::error(&problem);
    response.headers.extend(on_every_response());
    response
}
