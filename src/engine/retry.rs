//! A patch, or a text with a `base`, is a difference, so it is evaluated again on the text of a writer that was faster.

use std::time::Instant;

use super::local::DEFAULT_LOCK_WAIT;
use crate::error::{Error, ErrorKind};

/// Makes a change again as long as another writer was faster, for the time that a writer waits for a lock.
pub fn unless_overtaken<T>(mut make: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let deadline = Instant::now() + DEFAULT_LOCK_WAIT;
    loop {
        match make() {
            Err(refusal) if refusal.kind == ErrorKind::Overtaken && Instant::now() < deadline => {}
            made => return made,
        }
    }
}
