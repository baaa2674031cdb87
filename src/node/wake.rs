//! Waking a thread up, and waiting until it has looked.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

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
    /// The last look that was asked for without any delay.
    urgent: u64,
    has_ended: bool,
}

/// A look that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    turn: u64,
    /// True if it takes at once what it would take later.
    pub is_urgent: bool,
}

impl Wake {
    /// Asks for a look that begins from now on.
    pub fn ask(&self) -> Look {
        let mut turns = self.lock();
        turns.asked += 1;
        self.changed.notify_all();
        Look { turn: turns.asked, is_urgent: false }
    }

    /// The same for a look that takes at once what a look would take later.
    pub fn ask_urgently(&self) -> Look {
        let mut turns = self.lock();
        turns.asked += 1;
        turns.urgent = turns.asked;
        self.changed.notify_all();
        Look { turn: turns.asked, is_urgent: true }
    }

    /// Waits until a look is asked for, at most for a time; `None` when all is over.
    pub fn next(&self, most: Duration) -> Option<Look> {
        let is_idle = |turns: &Looks| turns.asked == turns.done && !turns.has_ended;
        let turns = self.wait_while(most, is_idle);
        (!turns.has_ended).then_some(Look { turn: turns.asked, is_urgent: turns.urgent > turns.done })
    }

    /// Wakes all that asked up to this turn: the look is over.
    pub fn finish(&self, turn: Look) {
        self.lock().done = turn.turn;
        self.changed.notify_all();
    }

    /// Waits until a look is over; false if that takes too long.
    pub fn wait_for(&self, turn: Look, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        self.wait_while(left, |turns| turns.done < turn.turn && !turns.has_ended).done >= turn.turn
    }

    /// Waits for a time; false if all is over.
    pub fn sleep(&self, time: Duration) -> bool {
        !self.wait_while(time, |turns| !turns.has_ended).has_ended
    }

    pub fn end(&self) {
        self.lock().has_ended = true;
        self.changed.notify_all();
    }

    /// Waits while this holds, at most for a time. Each wait is relative: one until a time of the monotonic clock would
    /// last minutes where a library shifts the clocks of the process.
    fn wait_while(&self, most: Duration, holds: impl Fn(&Looks) -> bool) -> MutexGuard<'_, Looks> {
        let begin = Instant::now();
        let mut turns = self.lock();
        loop {
            let left = most.saturating_sub(begin.elapsed());
            if left.is_zero() || !holds(&turns) {
                return turns;
            }
            self.changed.wait_for(&mut turns, left);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Looks> {
        self.turns.lock()
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
        assert!(!turn.is_urgent);
        let late = wake.ask_urgently();
        wake.finish(turn);
        assert!(!wake.wait_for(late, Instant::now()), "that look had begun before");
        wake.ask();
        let turn = wake.next(LONG).expect("it goes on");
        assert!(turn.is_urgent);
        wake.finish(turn);
        assert!(wake.wait_for(late, Instant::now()));
        assert!(!wake.next(Duration::ZERO).expect("it goes on").is_urgent);
        wake.end();
        assert!(wake.next(LONG).is_none());
    }
}
