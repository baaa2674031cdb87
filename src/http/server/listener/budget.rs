//! The memory for all request bodies. A body is charged for the bytes it holds, not for the length it
//! announces: announcing costs a client nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A limit on the bytes that are held at a time.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    held: AtomicUsize,
}

impl Budget {
    /// A budget of `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { most, held: AtomicUsize::new(0) }
    }

    fn take(&self, bytes: usize) -> bool {
        let more = |held: usize| held.checked_add(bytes).filter(|sum| *sum <= self.most);
        self.held.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }
}

/// The share of one body; given back when dropped.
#[derive(Debug)]
pub struct Charge<'b> {
    budget: &'b Budget,
    bytes: usize,
}

impl<'b> Charge<'b> {
    /// An empty share.
    pub fn new(budget: &'b Budget) -> Self {
        Self { budget, bytes: 0 }
    }

    /// Grows the share to `bytes`; `false` and no change if the budget is exhausted.
    pub fn grow_to(&mut self, bytes: usize) -> bool {
        let granted = self.budget.take(bytes.saturating_sub(self.bytes));
        if granted {
            self.bytes = self.bytes.max(bytes);
        }
        granted
    }
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        self.budget.held.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Charge};

    #[test]
    fn what_is_not_to_be_had_changes_nothing_and_all_is_given_back() {
        let budget = Budget::new(10);
        let mut one = Charge::new(&budget);
        let mut other = Charge::new(&budget);
        assert!(one.grow_to(6));
        assert!(!other.grow_to(5));
        assert!(other.grow_to(4));
        assert!(!one.grow_to(7));
        drop(other);
        assert!(one.grow_to(10));
        drop(one);
        assert!(Charge::new(&budget).grow_to(10));
        assert!(!Charge::new(&budget).grow_to(usize::MAX));
    }
}
