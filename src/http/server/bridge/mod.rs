//! The bridge between the listener and the handler, which is tiny_http: it accepts a link for each connection, finds a
//! worker for each request, and writes the head of the response. Requests and bodies are handed over beside it.
//!
//! ```text
//! thread of a connection → hand-over, link → tiny_http → worker → handler → hand-over, link → the same thread
//! ```
//!
//! The accept thread of tiny_http ends at the first error, or panics when it gets no thread or no open file; its
//! socket is closed then, and the next connection is refused. That is how the end is noticed, and a new instance takes
//! its place; the old one answers on the links that it has. For the same reason nothing here keeps a second handle of
//! the listening socket.

mod fault;
mod hand_over;
mod instance;
mod link;
mod private_socket;
mod worker;
mod worker_pool;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use fault::BridgeFault;
use instance::Instance;
pub use link::{BridgeLink, BridgeResponse};
pub use worker_pool::WorkerPool;

use crate::engine::Loops;
use crate::http::server::message::{Request, Service};

/// The time for which workers of a replaced instance look for requests that it accepted before.
const LAST_CALL: Duration = Duration::from_secs(1);

/// The time that the first request of a link may keep others from connecting: tiny_http may have ended.
const FIRST_TIME: Duration = Duration::from_secs(1);

/// A service behind tiny_http.
pub struct Bridge {
    service: Arc<dyn Service>,
    loops: Loops,
    current: Mutex<Arc<Instance>>,
    first_requests: Mutex<()>,
    fault: Option<Arc<BridgeFault>>,
}

impl Bridge {
    /// Starts tiny_http with its workers. `fault` lets a test end tiny_http.
    pub fn start(
        service: Arc<dyn Service>,
        pool: WorkerPool,
        loops: Loops,
        fault: Option<Arc<BridgeFault>>,
    ) -> io::Result<Self> {
        let instance = start(&service, pool, &loops, fault.as_deref())?;
        Ok(Self { service, loops, current: Mutex::new(instance), first_requests: Mutex::new(()), fault })
    }

    /// Asks for the response to a request, for at most `most`. `link` is that of the connection, once it has one. A
    /// request that no worker took is handed over a second time, because the instance may have ended at that moment.
    pub fn ask(
        &self,
        link: &mut Option<BridgeLink>,
        request: Request,
        most: Duration,
    ) -> io::Result<BridgeResponse> {
        let done = self.exchange(link, request, most);
        let Err(error) = &done else { return done };
        let untaken = link.take().and_then(BridgeLink::take_back);
        match untaken.filter(|_| error.kind() != io::ErrorKind::TimedOut) {
            Some(request) => self.exchange(link, request, most),
            None => done,
        }
    }

    fn exchange(
        &self,
        link: &mut Option<BridgeLink>,
        request: Request,
        most: Duration,
    ) -> io::Result<BridgeResponse> {
        let is_head = request.head.method == "HEAD";
        if let Some(kept) = link.as_mut().filter(|kept| kept.leads_to(&self.current().hand_overs)) {
            kept.send(request)?;
            return kept.receive(is_head);
        }
        // Of two connections that come at once, tiny_http may give the second one to the thread that serves the first
        // one, and so not before the first one ends.
        let turn = self.first_requests.lock().unwrap_or_else(PoisonError::into_inner);
        let new = link.insert(self.connect(most)?);
        new.send(request)?;
        new.wait_until_taken(FIRST_TIME);
        drop(turn);
        new.receive(is_head)
    }

    /// Connects to tiny_http; starts a new instance if the current one has ended.
    fn connect(&self, most: Duration) -> io::Result<BridgeLink> {
        let mut instance = Arc::clone(&self.current());
        let stream = match instance.socket.connect() {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                instance = self.replace(&instance)?;
                instance.socket.connect()
            }
            done => done,
        };
        BridgeLink::new(stream?, &instance.hand_overs, most)
    }

    /// Ends tiny_http, and its workers once they have answered.
    pub fn stop(&self) {
        self.current().leave(Instant::now());
    }

    fn replace(&self, ended: &Arc<Instance>) -> io::Result<Arc<Instance>> {
        let mut current = self.current();
        if Arc::ptr_eq(&current, ended) {
            let new =
                start(&self.service, ended.pool.for_next_instance(), &self.loops, self.fault.as_deref())?;
            std::mem::replace(&mut *current, new).leave(Instant::now() + LAST_CALL);
        }
        Ok(Arc::clone(&current))
    }

    fn current(&self) -> MutexGuard<'_, Arc<Instance>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts an instance with its first worker.
fn start(
    service: &Arc<dyn Service>,
    pool: WorkerPool,
    loops: &Loops,
    fault: Option<&BridgeFault>,
) -> io::Result<Arc<Instance>> {
    let instance = Arc::new(Instance::start(pool, fault)?);
    worker::spawn(service, &instance, loops).map(|()| instance)
}

#[cfg(test)]
mod tests;
