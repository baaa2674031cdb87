//! A fault of tiny_http, for tests.

use std::io;
use std::os::unix::net::UnixListener;
use std::sync::{Mutex, PoisonError};

use rustix::net::Shutdown;

/// Ends the accept thread of tiny_http as an error of the system would. For tests.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct BridgeFault(Mutex<Option<UnixListener>>);

impl BridgeFault {
    /// Ends the accept thread.
    pub fn cause(&self) -> io::Result<()> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        held.map_or(Ok(()), |listener| Ok(rustix::net::shutdown(listener, Shutdown::Both)?))
    }

    /// Holds the listener of the instance that is in use.
    pub(super) fn hold(&self, listener: &UnixListener) -> io::Result<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener.try_clone()?);
        Ok(())
    }
}
