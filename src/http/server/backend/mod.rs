//! tiny_http behind the listener: on a private socket, with up to one worker for each connection slot. An
//! instance that ends is replaced by a new one; until then it answers on the links that it has.
//!
//! The accept thread of tiny_http ends at the first error, or panics when it gets no thread or no open
//! file; its socket is closed then, and the next connection is refused. That is how the end is
//! noticed. For the same reason nothing here keeps a second handle of the listening socket.

mod fault;
mod folder;
mod link;
mod tiny_server;
mod worker;
mod worker_pool;

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub use fault::BackendFault;
use folder::remove_dead;
pub use link::{BackendLink, LinkedRequest};
use tiny_server::TinyServer;
pub use worker_pool::WorkerPool;

use crate::engine::Loops;
use crate::http::server::message::Service;

/// The longest time that the end waits for workers.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// The pause between two checks whether they ended.
const POLL: Duration = Duration::from_millis(5);

/// The time for which workers of a replaced instance look for requests that it accepted before.
const LAST_CALL: Duration = Duration::from_secs(1);

/// A service behind tiny_http.
pub struct Backend {
    service: Arc<dyn Service>,
    loops: Loops,
    current: Mutex<Arc<TinyServer>>,
    first_requests: Mutex<()>,
    fault: Option<Arc<BackendFault>>,
}

impl Backend {
    /// Starts tiny_http with its workers. `fault` lets a test end tiny_http.
    pub fn start(
        service: Arc<dyn Service>,
        pool: WorkerPool,
        loops: Loops,
        fault: Option<Arc<BackendFault>>,
    ) -> io::Result<Self> {
        remove_dead();
        let server = start(&service, pool, &loops, fault.as_deref())?;
        Ok(Self { service, loops, current: Mutex::new(server), first_requests: Mutex::new(()), fault })
    }

    /// Connects to tiny_http; starts a new instance if the current one has ended.
    pub fn connect(&self) -> io::Result<(UnixStream, BackendLink)> {
        let mut server = Arc::clone(&self.current());
        let stream = match server.connect() {
            Err(error) if is_gone(&error) => {
                server = self.replace(&server)?;
                server.connect()
            }
            done => done,
        };
        Ok((stream?, BackendLink::new(&server.exchanges)))
    }

    /// The turn to connect, held until a worker has the first request of the link. Of two connections that
    /// come at once, tiny_http may give the second one to the thread that serves the first one, and so
    /// not before the first one ends.
    pub fn turn_to_connect(&self) -> MutexGuard<'_, ()> {
        self.first_requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a link leads to the current instance. Another one answers for a short time only.
    pub fn is_current(&self, link: &BackendLink) -> bool {
        link.leads_to(&self.current().exchanges)
    }

    /// Ends tiny_http. Workers that still answer a request are not waited for any longer.
    pub fn stop(&self) {
        let server = Arc::clone(&self.current());
        server.leave(Instant::now());
        let until = Instant::now() + CLOSING_TIME;
        // This function and `current` hold two handles; the workers hold the others.
        while Arc::strong_count(&server) > 2 && Instant::now() < until {
            thread::sleep(POLL);
        }
        if Arc::strong_count(&server) > 2 {
            server.folder.remove();
        }
    }

    fn replace(&self, ended: &Arc<TinyServer>) -> io::Result<Arc<TinyServer>> {
        let mut current = self.current();
        if Arc::ptr_eq(&current, ended) {
            let new =
                start(&self.service, ended.pool.for_next_instance(), &self.loops, self.fault.as_deref())?;
            std::mem::replace(&mut *current, new).leave(Instant::now() + LAST_CALL);
        }
        Ok(Arc::clone(&current))
    }

    fn current(&self) -> MutexGuard<'_, Arc<TinyServer>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound)
}

/// Starts an instance with its first worker.
fn start(
    service: &Arc<dyn Service>,
    pool: WorkerPool,
    loops: &Loops,
    fault: Option<&BackendFault>,
) -> io::Result<Arc<TinyServer>> {
    let server = Arc::new(TinyServer::start(pool, fault)?);
    worker::spawn(service, &server, loops).map(|()| server)
}
