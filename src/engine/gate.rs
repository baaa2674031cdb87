//! A place for one thread at a time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A place for one thread at a time, where the others wait.
#[derive(Debug, Default)]
pub struct Gate {
    crowd: Mutex<Crowd>,
    next: Condvar,
}

#[derive(Debug, Default)]
struct Crowd {
    is_taken: bool,
    waiting: usize,
}

/// The right to be there, until it is dropped.
#[derive(Debug)]
pub struct Pass(Arc<Gate>);

impl Gate {
    /// Waits for the place; `None` if that takes longer than `wait`, or if `most` others wait already.
    pub fn enter(self: &Arc<Self>, wait: Duration, most: usize) -> Option<Pass> {
        let deadline = Instant::now() + wait;
        let mut crowd = self.crowd();
        if crowd.is_taken && crowd.waiting >= most {
            return None;
        }
        crowd.waiting += 1;
        while crowd.is_taken {
            let Some(rest) = deadline.checked_duration_since(Instant::now()) else { break };
            crowd = self.next.wait_timeout(crowd, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        crowd.waiting -= 1;
        let is_free = !std::mem::replace(&mut crowd.is_taken, true);
        is_free.then(|| Pass(self.clone()))
    }

    fn crowd(&self) -> MutexGuard<'_, Crowd> {
        self.crowd.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.0.crowd().is_taken = false;
        self.0.next.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_there_and_so_many_wait() {
        let (gate, long) = (Arc::new(Gate::default()), Duration::from_secs(60));
        let first = gate.enter(Duration::ZERO, 0).expect("nobody is there");
        assert!(gate.enter(long, 0).is_none(), "nobody may wait");
        assert!(gate.enter(Duration::ZERO, 1).is_none(), "the time is over");
        std::thread::scope(|scope| {
            let second = scope.spawn(|| gate.enter(long, 1).is_some());
            while gate.crowd().waiting == 0 {
                std::thread::yield_now();
            }
            assert!(gate.enter(long, 1).is_none(), "one waits already");
            drop(first);
            assert!(second.join().expect("it does not panic"));
        });
        assert!(gate.enter(Duration::ZERO, 0).is_some());
    }
}
