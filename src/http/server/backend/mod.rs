//! tiny_http, behind the gate: on a socket of its own in a folder that nobody else may enter, with
//! as many workers as the gate has slots. Should it end, it is built anew.
//!
//! Its accept thread ends at the first error, or panics when it gets no thread or no open file; its
//! listener is closed then, and the next connection is refused. That is how it is noticed. For the
//! same reason nothing here keeps a second handle of the listener.

mod folder;
mod worker;

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::Shutdown;

use crate::http::server::message::Service;
use folder::{Folder, remove_dead};

/// How long workers are waited for at the end.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// Between two looks at them.
const LOOK: Duration = Duration::from_millis(5);

/// tiny_http, the one of now.
pub struct Backend {
    service: Arc<dyn Service>,
    workers: usize,
    current: Mutex<Arc<TinyServer>>,
    lever: Option<Arc<BackendFault>>,
}

/// One tiny_http, from its start to its end. It is dropped before its folder: it connects to its
/// own socket to wake its accept thread.
struct TinyServer {
    server: tiny_http::Server,
    /// From when on its workers go as soon as they find nothing to do; none while it is in use.
    last_call: OnceLock<Instant>,
    folder: Folder,
}

/// How long the workers still look for requests after another tiny_http has taken over: what was
/// accepted before is still answered.
const LAST_CALL: Duration = Duration::from_secs(1);

/// Ends the accept thread of tiny_http as an error of the system would, for tests.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct BackendFault(Mutex<Option<UnixListener>>);

impl BackendFault {
    /// Ends it.
    pub fn pull(&self) -> io::Result<()> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        held.map_or(Ok(()), |listener| Ok(rustix::net::shutdown(listener, Shutdown::Both)?))
    }

    fn hold(&self, listener: &UnixListener) -> io::Result<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener.try_clone()?);
        Ok(())
    }
}

impl Backend {
    /// Starts tiny_http and its workers.
    pub fn start(
        service: Arc<dyn Service>,
        workers: usize,
        lever: Option<Arc<BackendFault>>,
    ) -> io::Result<Self> {
        remove_dead();
        let inside = build(&service, workers, lever.as_deref())?;
        Ok(Self { service, workers, current: Mutex::new(inside), lever })
    }

    /// A connection to tiny_http, to the one of now or to a new one.
    pub fn connect(&self) -> io::Result<UnixStream> {
        let inside = Arc::clone(&self.current());
        match UnixStream::connect(inside.socket()) {
            Err(error) if is_gone(&error) => UnixStream::connect(self.renew(&inside)?.socket()),
            done => done,
        }
    }

    /// Ends it. Workers that are still in the handler are left to themselves.
    pub fn stop(&self) {
        let inside = Arc::clone(&self.current());
        inside.leave(Instant::now(), self.workers);
        let until = Instant::now() + CLOSING_TIME;
        // Here, and in `current`.
        while Arc::strong_count(&inside) > 2 && Instant::now() < until {
            thread::sleep(LOOK);
        }
        if Arc::strong_count(&inside) > 2 {
            // A worker keeps it from being dropped.
            inside.folder.remove();
        }
    }

    fn renew(&self, ended: &Arc<TinyServer>) -> io::Result<Arc<TinyServer>> {
        let mut current = self.current();
        if Arc::ptr_eq(&current, ended) {
            let new = build(&self.service, self.workers, self.lever.as_deref())?;
            std::mem::replace(&mut *current, new).leave(Instant::now() + LAST_CALL, self.workers);
        }
        Ok(Arc::clone(&current))
    }

    fn current(&self) -> MutexGuard<'_, Arc<TinyServer>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TinyServer {
    fn socket(&self) -> PathBuf {
        self.folder.socket()
    }

    fn leave(&self, last_call: Instant, workers: usize) {
        self.last_call.get_or_init(|| last_call);
        (0..workers).for_each(|_| self.server.unblock());
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound)
}

fn build(
    service: &Arc<dyn Service>,
    workers: usize,
    lever: Option<&BackendFault>,
) -> io::Result<Arc<TinyServer>> {
    let (folder, listener) = Folder::bind()?;
    if let Some(lever) = lever {
        lever.hold(&listener)?;
    }
    // It panics if it gets no thread.
    let server = catch_unwind(|| tiny_http::Server::from_listener(listener, None))
        .map_err(|_| io::Error::other("tiny_http got no thread"))?
        .map_err(io::Error::other)?;
    let inside = Arc::new(TinyServer { server, last_call: OnceLock::new(), folder });
    spawn_workers(service, workers, &inside)?;
    Ok(inside)
}

/// One worker is enough to go on with; none is an error.
fn spawn_workers(service: &Arc<dyn Service>, workers: usize, inside: &Arc<TinyServer>) -> io::Result<()> {
    for number in 0..workers {
        let (service, own) = (Arc::clone(service), Arc::clone(inside));
        let run = move || worker::work(&*service, &own);
        match thread::Builder::new().name("worker".to_owned()).spawn(run) {
            Err(error) if number == 0 => return Err(error),
            Err(_) => return Ok(()),
            Ok(_) => {}
        }
    }
    Ok(())
}
