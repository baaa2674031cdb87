//! The state of a server, which readers take as it is and writers exchange whole; the places where threads wait for it;
//! and the counts of the server since its start.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::{ArcMutexGuard, Condvar, Mutex, RawMutex, RwLock};

use super::{ChangeReport, Operation, PendingChange, Snapshot};
use crate::error::{Error, Exit};
use crate::store::HistoryEntry;

/// The running configuration of a server, and its knowledge of the file.
#[derive(Debug, Clone)]
pub struct ServerState {
    pub running: Arc<Snapshot>,
    /// The text of the file when it was last loaded or saved.
    pub saved: Arc<Snapshot>,
    /// The last change; none since the start.
    pub last_change: Option<HistoryEntry>,
    /// The last failure that came after the response.
    pub last_error: Option<Error>,
    /// The last change, while it has to be confirmed.
    pub pending: Option<PendingChange>,
}

impl ServerState {
    /// True if the running configuration is the one in the file, as far as the server knows.
    pub fn is_saved(&self) -> bool {
        // Usually both are the same snapshot, which is seen without comparing the texts.
        self.running.is_same_text(&self.saved)
    }
}

/// The state, for one writer at a time and any number of readers, which never wait for the writer.
#[derive(Debug)]
pub struct Running {
    pub state: RwLock<ServerState>,
    turn: Arc<Mutex<()>>,
    /// Counts what there is to tell of: each exchange of the state, and each reload.
    told: Mutex<u64>,
    has_told: Condvar,
    pub activity: Activity,
}

impl Running {
    /// The state of a server that has just loaded its configuration.
    pub fn new(loaded: Arc<Snapshot>) -> Self {
        let (last_change, last_error, pending) = Default::default();
        let running = loaded.clone();
        let state = ServerState { running, saved: loaded, last_change, last_error, pending };
        let (turn, told, has_told, activity) = Default::default();
        Self { state: RwLock::new(state), turn, told, has_told, activity }
    }

    /// The state as it is now.
    pub fn state(&self) -> ServerState {
        self.state.read().clone()
    }

    /// Changes the state; only the holder of the turn calls this.
    pub(super) fn exchange(&self, change: impl FnOnce(&mut ServerState)) {
        change(&mut self.state.write());
        self.tell();
    }

    /// Wakes who waits for a change.
    pub(super) fn tell(&self) {
        *self.told.lock() += 1;
        self.has_told.notify_all();
    }

    /// The number of changes that there were to tell of.
    pub(super) fn times_told(&self) -> u64 {
        *self.told.lock()
    }

    /// Waits until there were more than so many, at most for this time.
    pub(super) fn wait_for_more(&self, known: u64, most: Duration) {
        // Whoever waits looks again in any case.
        self.has_told.wait_while_for(&mut self.told.lock(), |told| *told == known, most);
    }

    /// Waits to be the only writer; `None` if that takes longer than `wait`.
    pub(super) fn take_turn(&self, wait: Duration) -> Option<Turn> {
        self.turn.try_lock_arc_for(wait)
    }
}

/// The right to change the state, until it is dropped.
pub(super) type Turn = ArcMutexGuard<RawMutex, ()>;

/// The last time that a configuration was put into effect: it was loaded, and the reload command, if
/// there is one, ran.
#[derive(Debug, Clone)]
pub struct LastReload {
    pub at: SystemTime,
    /// True for the configuration that the server started with.
    pub is_first: bool,
    pub succeeded: bool,
    pub run: ReloadRun,
}

/// One run of the reload command.
#[derive(Debug, Clone, Default)]
pub struct ReloadRun {
    /// Who made the change.
    pub by: String,
    /// `None` without a command, or if it did not come to its end.
    pub exit_code: Option<i32>,
    /// `None` without a command.
    pub took: Option<Duration>,
    /// What it wrote to standard error, with secrets masked.
    pub output: String,
}

/// What a server did since its start.
#[derive(Debug)]
pub struct Activity {
    /// The number of changes by their operation, and one of [`Activity::RESULTS`].
    changes: Mutex<HashMap<(Operation, &'static str), u64>>,
    last_reload: Mutex<LastReload>,
}

impl Default for Activity {
    /// The server has just loaded its configuration.
    fn default() -> Self {
        let (at, run) = (SystemTime::now(), ReloadRun::default());
        let last = LastReload { at, is_first: true, succeeded: true, run };
        Self { changes: Mutex::default(), last_reload: Mutex::new(last) }
    }
}

impl Activity {
    /// The results of a change. It is `unchanged` if the configuration was like that already.
    pub const RESULTS: [&str; 7] =
        ["changed", "unchanged", "rehearsed", "invalid", "conflict", "guarded", "failed"];

    /// The number of changes with this result.
    pub fn changes(&self, operation: Operation, result: &'static str) -> u64 {
        self.changes.lock().get(&(operation, result)).copied().unwrap_or_default()
    }

    pub fn last_reload(&self) -> LastReload {
        self.last_reload.lock().clone()
    }

    pub(super) fn count_change(
        &self,
        operation: Operation,
        dry_run: bool,
        made: &Result<ChangeReport, Error>,
    ) {
        let result = match made {
            Ok(_) if dry_run => "rehearsed",
            Ok(report) if report.changed => "changed",
            Ok(_) => "unchanged",
            Err(error) => match error.exit() {
                Exit::Invalid | Exit::Usage => "invalid",
                Exit::Conflict => "conflict",
                Exit::Guarded => "guarded",
                _ => "failed",
            },
        };
        *self.changes.lock().entry((operation, result)).or_default() += 1;
    }

    pub(super) fn note_reload(&self, succeeded: bool, run: ReloadRun) {
        let last = LastReload { at: SystemTime::now(), is_first: false, succeeded, run };
        *self.last_reload.lock() = last;
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_waits_is_woken_by_the_change_and_needs_no_other_look() {
        let running = Arc::new(Running::new(Arc::new(Snapshot::from_bytes("http 80;\n"))));
        let known = running.times_told();
        let waiting = running.clone();
        let waiter = thread::spawn(move || {
            waiting.wait_for_more(known, Duration::from_secs(24 * 60 * 60));
            waiting.times_told()
        });
        running.exchange(|state| state.last_error = None);
        assert_eq!(waiter.join().ok(), Some(known + 1));
    }
}
