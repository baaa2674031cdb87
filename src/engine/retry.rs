//! A patch is a difference, so it is evaluated again on the text of a writer that was faster.

use std::time::Instant;

use super::error::EngineError;
use super::local::DEFAULT_LOCK_WAIT;
use crate::store::StoreError;

/// Makes a change again as long as another writer was faster, for the time that a writer waits for a lock.
pub fn unless_overtaken<T>(mut make: impl FnMut() -> Result<T, EngineError>) -> Result<T, EngineError> {
    let deadline = Instant::now() + DEFAULT_LOCK_WAIT;
    loop {
        match make() {
            Err(EngineError::Store(StoreError::Overtaken { .. })) if Instant::now() < deadline => {}
            made => return made,
        }
    }
}
