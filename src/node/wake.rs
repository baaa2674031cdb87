//! Waking a thread up, and waiting until it has looked.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Asks one thread to look, any number of times: it looks once for all that asked before it began.
#[derive(Debug, Default)]
pub struct Wake {
    turns: Mutex<Looks>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Looks {
    asked: u64,
    done: u64,
    has_ended: bool,
}

/// A look that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Look(u64);

impl Wake {
    /// Asks for a look that begins from now on.
    pub fn ask(&self) -> Look {
        let mut turns = self.lock();
        turns.asked += 1;
        self.changed.notify_all();
        Look(turns.asked)
    }

    /// Waits until a look is asked for, at most for a time; `None` when all is over.
    pub fn next(&self, most: Duration) -> Option<Look> {
        let is_idle = |turns: &mut Looks| turns.asked == turns.done && !turns.has_ended;
        let waited = self.changed.wait_timeout_while(self.lock(), most, is_idle);
        let turns = waited.unwrap_or_else(PoisonError::into_inner).0;
        (!turns.has_ended).then_some(Look(turns.asked))
    }

    /// Wakes all that asked up to this turn: the look is over.
    pub fn finish(&self, turn: Look) {
        self.lock().done = turn.0;
        self.changed.notify_all();
    }

    /// Waits until a look is over; false if that takes too long.
    pub fn wait_for(&self, turn: Look, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        let is_open = |turns: &mut Looks| turns.done < turn.0 && !turns.has_ended;
        let waited = self.changed.wait_timeout_while(self.lock(), left, is_open);
        waited.unwrap_or_else(PoisonError::into_inner).0.done >= turn.0
    }

    /// Waits for a time; false if all is over.
    pub fn sleep(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), time, |turns| !turns.has_ended);
        !waited.unwrap_or_else(PoisonError::into_inner).0.has_ended
    }

    pub fn end(&self) {
        self.lock().has_ended = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Looks> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_burst_is_one_look_and_later_ones_are_another() {
        let wake = Wake::default();
        (0..100).for_each(|_| {
            wake.ask();
        });
        let turn = wake.next(LONG).expect("it goes on");
        let late = wake.ask();
        wake.finish(turn);
        assert!(!wake.wait_for(late, Instant::now()), "that look had begun before");
        let turn = wake.next(LONG).expect("it goes on");
        wake.finish(turn);
        assert!(wake.wait_for(late, Instant::now()));
        wake.end();
        assert!(wake.next(LONG).is_none());
    }
}
