//! One instance of tiny_http, from its start to its end.

use std::io;
use std::os::unix::net::UnixStream;
use std::panic::catch_unwind;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::fault::BackendFault;
use super::folder::Folder;
use super::link::LinkExchanges;
use super::worker_pool::WorkerPool;

/// One instance of tiny_http, with the folder of its socket. The server is dropped before the folder:
/// it connects to its own socket to wake its accept thread.
pub struct TinyServer {
    pub server: tiny_http::Server,
    /// The time at which idle workers leave; unset while the instance is in use.
    pub last_call: OnceLock<Instant>,
    /// The exchanges of bodies beside it.
    pub exchanges: Arc<LinkExchanges>,
    pub pool: WorkerPool,
    pub folder: Folder,
}

impl TinyServer {
    /// Starts tiny_http on a new socket.
    pub fn start(pool: WorkerPool, fault: Option<&BackendFault>) -> io::Result<Self> {
        let (folder, listener) = Folder::bind()?;
        if let Some(fault) = fault {
            fault.hold(&listener)?;
        }
        // tiny_http panics if it cannot spawn a thread.
        let server = catch_unwind(|| tiny_http::Server::from_listener(listener, None))
            .map_err(|_| io::Error::other("tiny_http got no thread"))?
            .map_err(io::Error::other)?;
        let (last_call, exchanges) = (OnceLock::new(), Arc::default());
        Ok(Self { server, last_call, exchanges, pool, folder })
    }

    pub fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(self.folder.socket())
    }

    /// Makes the workers leave when they are idle after `last_call`. Each of them wakes the next one up.
    pub fn leave(&self, last_call: Instant) {
        self.last_call.get_or_init(|| last_call);
        self.server.unblock();
    }
}
