//! A patch, or a text with a `base`, is a difference, so it is evaluated again on the text of a writer that was faster.

use std::time::Instant;

use super::local::DEFAULT_LOCK_WAIT;
use super::refusal::Refusal;
use super::refusal_kind::RefusalKind;

/// Makes a change again as long as another writer was faster, for the time that a writer waits for a lock.
pub fn unless_overtaken<T>(mut make: impl FnMut() -> Result<T, Refusal>) -> Result<T, Refusal> {
    let deadline = Instant::now() + DEFAULT_LOCK_WAIT;
    loop {
        match make() {
            Err(refusal) if refusal.kind == RefusalKind::Overtaken && Instant::now() < deadline => {}
            made => return made,
        }
    }
}
