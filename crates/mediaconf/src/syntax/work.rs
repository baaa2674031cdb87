//! Counts the words and the entries that are read: a measure of work that does not depend on the
//! machine. Tests alone count.

use std::cell::Cell;

thread_local! {
    static READ: Cell<usize> = const { Cell::new(0) };
}

/// Counts one word or entry.
pub(super) fn count() {
    READ.set(READ.get() + 1);
}

/// Returns how many words and entries this thread reads while it runs `work`.
pub fn measure<T>(work: impl FnOnce() -> T) -> usize {
    let before = READ.get();
    drop(work());
    READ.get() - before
}
