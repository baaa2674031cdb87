//! Doing two things at once: both mostly wait for the disk, or one is a computation.

use std::thread;

/// Does `aside` in a thread and `here` in this one. Where no thread can be made, `aside` comes afterwards.
pub(super) fn at_once<A: Send, B>(aside: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &aside);
        let here = here();
        (thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(&aside), here)
    })
}
