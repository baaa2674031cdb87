//! The memory for all request bodies. A body is charged for the bytes it holds, not for the length it
//! announces: announcing costs a client nothing. Viewers together hold at most a half of it, so that no
//! viewer keeps an editor from sending a change.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::http::server::message::Rank;

/// A limit on the bytes that are held at a time.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    held: AtomicUsize,
    /// The part of `held` that viewers hold.
    viewed: AtomicUsize,
}

impl Budget {
    /// A budget of `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { most, held: AtomicUsize::new(0), viewed: AtomicUsize::new(0) }
    }

    fn take(&self, bytes: usize, rank: Rank) -> bool {
        let is_viewer = rank == Rank::Viewer;
        if is_viewer && !take(&self.viewed, bytes, self.most / 2) {
            return false;
        }
        let granted = take(&self.held, bytes, self.most);
        if is_viewer && !granted {
            self.viewed.fetch_sub(bytes, Ordering::AcqRel);
        }
        granted
    }

    fn give_back(&self, bytes: usize, rank: Rank) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
        if rank == Rank::Viewer {
            self.viewed.fetch_sub(bytes, Ordering::AcqRel);
        }
    }
}

fn take(from: &AtomicUsize, bytes: usize, most: usize) -> bool {
    let more = |held: usize| held.checked_add(bytes).filter(|sum| *sum <= most);
    from.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
}

/// The share of one body; given back when dropped.
#[derive(Debug)]
pub struct Charge<'b> {
    budget: &'b Budget,
    bytes: usize,
    /// The rank of who sent the body.
    rank: Rank,
}

impl<'b> Charge<'b> {
    /// An empty share.
    pub fn new(budget: &'b Budget, rank: Rank) -> Self {
        Self { budget, bytes: 0, rank }
    }

    /// Grows the share to `bytes`; `false` and no change if the budget is exhausted.
    pub fn grow_to(&mut self, bytes: usize) -> bool {
        let granted = self.budget.take(bytes.saturating_sub(self.bytes), self.rank);
        if granted {
            self.bytes = self.bytes.max(bytes);
        }
        granted
    }
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes, self.rank);
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Charge};
    use crate::http::server::message::Rank::{Editor, Viewer};

    #[test]
    fn what_is_not_to_be_had_changes_nothing_and_all_is_given_back() {
        let budget = Budget::new(10);
        let mut one = Charge::new(&budget, Editor);
        let mut other = Charge::new(&budget, Editor);
        assert!(one.grow_to(6));
        assert!(!other.grow_to(5));
        assert!(other.grow_to(4));
        assert!(!one.grow_to(7));
        drop(other);
        assert!(one.grow_to(10));
        drop(one);
        assert!(Charge::new(&budget, Editor).grow_to(10));
        assert!(!Charge::new(&budget, Editor).grow_to(usize::MAX));
    }

    #[test]
    fn viewers_together_hold_a_half() {
        let budget = Budget::new(10);
        let [mut one, mut other] = [(); 2].map(|()| Charge::new(&budget, Viewer));
        assert!(one.grow_to(3) && !other.grow_to(3) && other.grow_to(2) && !one.grow_to(4));
        let mut editor = Charge::new(&budget, Editor);
        assert!(editor.grow_to(5) && !editor.grow_to(6));
        drop(one);
        assert!(editor.grow_to(8) && !other.grow_to(3), "an editor may hold all that is left");
        drop(editor);
        assert!(other.grow_to(5) && !other.grow_to(6));
    }
}
