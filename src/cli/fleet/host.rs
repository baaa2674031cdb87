//! The program as the client of one server among several: it asks nothing, and keeps warnings for later.

use std::any::Any;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::http::client::{Credentials, Host, TlsFault};
use crate::http::protocol::fingerprint::Fingerprint;

/// The warnings about one server.
#[derive(Debug, Clone, Default)]
pub struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// Takes the warnings that came since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A host without a terminal.
pub struct SilentHost(pub Warnings);

impl Host for SilentHost {
    fn credentials(&self, _: &str, _: Option<&str>, _: bool) -> io::Result<Option<Credentials>> {
        Ok(None)
    }

    fn trusts(&self, _: &str, _: &TlsFault, _: Fingerprint) -> io::Result<bool> {
        Ok(false)
    }

    fn warning(&self, text: &str) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
    }

    fn sending_change(&self, _: &str) -> Box<dyn Any> {
        Box::new(())
    }
}
