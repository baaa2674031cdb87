//! Holding signals back while a change and its hooks are under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The signals that came while a change held them back; [`Interrupt::default`] never has one.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    /// True if a signal ends the process at once.
    ends_process: Arc<AtomicBool>,
    /// The signal that came last; 0 for none.
    received: Arc<AtomicUsize>,
}

/// Lets signals end the process again when it is dropped.
#[derive(Debug)]
pub struct Hold<'i>(&'i Interrupt);

impl Interrupt {
    /// Connects to signal handlers, which end the process while `ends_process` is set, and else store
    /// the number of the signal in `received`.
    pub fn new(ends_process: Arc<AtomicBool>, received: Arc<AtomicUsize>) -> Self {
        Self { ends_process, received }
    }

    /// Keeps signals from ending the process.
    pub(super) fn hold(&self) -> Hold<'_> {
        self.ends_process.store(false, Ordering::SeqCst);
        Hold(self)
    }

    /// Takes the signal that came since the last call.
    pub(super) fn take(&self) -> Option<i32> {
        i32::try_from(self.received.swap(0, Ordering::SeqCst)).ok().filter(|&signal| signal != 0)
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.ends_process.store(true, Ordering::SeqCst);
    }
}
