//! A change that has to be confirmed: its clock, and the state before it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::snapshot::Snapshot;
use crate::store::PendingInfo;

/// A change that has to be confirmed, in the process that made it: with its clock.
pub struct PendingChange {
    /// Its deadline is that of the clock.
    pub(super) info: PendingInfo,
    pub(super) before: RollbackPoint,
    /// The text that it wrote into the file; `None` if it left the file alone.
    pub(super) written: Option<Arc<Snapshot>>,
    /// The time that it waits to be confirmed, once it is made.
    pub(super) time: Duration,
    clock: Mutex<Clock>,
    /// Notified of a decision, and of a clock that was set anew.
    changed: Condvar,
    /// True if it is being rolled back; then it can no longer be confirmed.
    is_rolling_back: AtomicBool,
}

/// The state before a change, which a rollback restores.
#[derive(Clone)]
pub(super) struct RollbackPoint {
    /// The text of the file; `None` if there was no file.
    pub file: Option<Arc<Snapshot>>,
    /// The running and the saved configuration of a server; none without one.
    pub server: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
}

impl RollbackPoint {
    /// The configuration that ran; without a server that of the file.
    pub fn ran(&self) -> Option<&Arc<Snapshot>> {
        self.server.as_ref().map(|(running, _)| running).or(self.file.as_ref())
    }
}

struct Clock {
    until: Instant,
    is_decided: bool,
}

/// Holds whole configurations, with their secrets.
impl fmt::Debug for PendingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingChange").field("id", &self.info.id).finish_non_exhaustive()
    }
}

impl PendingChange {
    /// A change that is being made, for at most `longest`; then it waits for `time`.
    pub(super) fn new(
        (id, operation, by): (&str, &str, &str),
        before: RollbackPoint,
        written: Option<Arc<Snapshot>>,
        [time, longest]: [Duration; 2],
    ) -> Self {
        Self {
            info: PendingInfo::new(id.to_owned(), operation.to_owned(), by.to_owned(), SystemTime::now()),
            before,
            written,
            time,
            clock: Mutex::new(Clock { until: Instant::now() + longest + time, is_decided: false }),
            changed: Condvar::new(),
            is_rolling_back: AtomicBool::new(false),
        }
    }

    /// The time that is left to confirm it.
    pub fn left(&self) -> Duration {
        self.clock().until.saturating_duration_since(Instant::now())
    }

    /// The description for users. While the change is still being made, it tells of no more time than there is then.
    pub fn info(&self) -> PendingInfo {
        self.info.clone().until(SystemTime::now() + self.left().min(self.time))
    }

    /// Starts the time, once the change is made and loaded.
    pub(super) fn start_clock(&self) {
        self.clock().until = Instant::now() + self.time;
        self.changed.notify_all();
    }

    /// Ends the waiting: the change is confirmed or rolled back.
    pub(super) fn decide(&self) {
        self.clock().is_decided = true;
        self.changed.notify_all();
    }

    /// Starts the rollback, after which the change can't be confirmed.
    pub(super) fn start_rollback(&self) {
        self.is_rolling_back.store(true, Ordering::SeqCst);
    }

    pub(super) fn can_be_confirmed(&self) -> bool {
        !self.left().is_zero() && !self.is_rolling_back.load(Ordering::SeqCst)
    }

    /// Waits for a decision; false on timeout.
    pub(super) fn is_decided_in_time(&self) -> bool {
        let mut clock = self.clock();
        loop {
            let left = clock.until.saturating_duration_since(Instant::now());
            if clock.is_decided || left.is_zero() {
                return clock.is_decided;
            }
            clock = self.changed.wait_timeout(clock, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for a decision for `time`, whatever the clock says.
    pub(super) fn is_decided_within(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.clock(), time, |clock| !clock.is_decided);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_decided
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_it_is_made_it_tells_of_no_more_time_than_there_is_then() {
        let before = RollbackPoint { file: None, server: None };
        let times = [30, 3600].map(Duration::from_secs);
        let pending = PendingChange::new(("7f3a", "modify", "admin"), before, None, times);
        assert!(pending.left() > Duration::from_secs(60), "it is not rolled back while it is made");
        assert!(pending.info().seconds_left <= 30);
    }
}
