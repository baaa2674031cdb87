//! The requests that wait for a change: a limited number, so that the slots are there for others.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The places of requests that wait.
#[derive(Debug)]
pub struct WaitingRoom {
    most: usize,
    taken: AtomicUsize,
    closed: AtomicBool,
}

/// The place of one request, until it is dropped.
#[derive(Debug)]
pub struct WaitingPlace<'r>(&'r WaitingRoom);

impl WaitingRoom {
    /// Of this many connections, a quarter may wait.
    pub fn for_connections(connections: usize) -> Self {
        Self { most: (connections / 4).max(1), taken: AtomicUsize::new(0), closed: AtomicBool::new(false) }
    }

    /// Takes a place; `None` if there is none.
    pub fn enter(&self) -> Option<WaitingPlace<'_>> {
        let next = |taken: usize| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).ok().map(|_| WaitingPlace(self))
    }

    /// Sends everybody away: the server stops.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }
}

impl Drop for WaitingPlace<'_> {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn a_quarter_may_wait() {
    let room = WaitingRoom::for_connections(8);
    let first = room.enter();
    let second = room.enter();
    assert!(first.is_some() && second.is_some() && room.enter().is_none());
    drop(first);
    assert!(room.enter().is_some());
}
