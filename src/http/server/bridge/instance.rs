//! One instance of tiny_http, from its start to its end.

use std::io;
use std::panic::catch_unwind;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::fault::BridgeFault;
use super::hand_over::HandOvers;
use super::private_socket::PrivateSocket;
use super::worker_pool::WorkerPool;

/// One instance of tiny_http. The server is dropped before its socket.
pub struct Instance {
    pub server: tiny_http::Server,
    pub socket: PrivateSocket,
    /// The time at which idle workers leave; unset while the instance is in use.
    pub last_call: OnceLock<Instant>,
    pub hand_overs: Arc<HandOvers>,
    pub pool: WorkerPool,
}

impl Instance {
    /// Starts tiny_http on a new socket.
    pub fn start(pool: WorkerPool, fault: Option<&BridgeFault>) -> io::Result<Self> {
        let (socket, listener) = PrivateSocket::bind()?;
        if let Some(fault) = fault {
            fault.hold(&listener)?;
        }
        // tiny_http panics if it cannot spawn a thread.
        let server = catch_unwind(|| tiny_http::Server::from_listener(listener, None))
            .map_err(|_| io::Error::other("tiny_http got no thread"))?
            .map_err(io::Error::other)?;
        let (last_call, hand_overs) = (OnceLock::new(), Arc::default());
        Ok(Self { server, socket, last_call, hand_overs, pool })
    }

    /// Makes the workers leave when they are idle after `last_call`. Each of them wakes the next one up.
    pub fn leave(&self, last_call: Instant) {
        self.last_call.get_or_init(|| last_call);
        self.server.unblock();
    }
}
