//! The state of a server: readers take it as it is, writers exchange it whole.

use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use super::activity::Activity;
use super::gate::{Gate, Pass};
use super::pending::PendingChange;
use super::snapshot::Snapshot;
use crate::error::Error;
use crate::store::Revision;

/// The running configuration of a server, and its knowledge of the file.
#[derive(Debug, Clone)]
pub struct ServerState {
    pub running: Arc<Snapshot>,
    /// The text of the file when it was last loaded or saved.
    pub saved: Arc<Snapshot>,
    /// The revision of the running configuration with what it includes, when it was loaded or changed
    /// last; `None` if it includes nothing.
    pub composed: Option<Revision>,
    /// Counts the changes.
    pub generation: u64,
    /// The last change; none since the start.
    pub last_change: Option<LastChange>,
    /// The last failure that came after the response.
    pub last_error: Option<Error>,
    /// The last change, while it has to be confirmed.
    pub pending: Option<Arc<PendingChange>>,
}

/// The last change of a running configuration.
#[derive(Debug, Clone)]
pub struct LastChange {
    pub at: SystemTime,
    pub by: String,
    /// `modify`, `save`, `update`, `rollback`, `revert`, or what else the history calls it, such as `edit`.
    pub operation: String,
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
    state: RwLock<ServerState>,
    turn: Arc<Gate>,
    rehearsal: Arc<Gate>,
    /// Counts what there is to tell of: each exchange of the state, and each reload.
    told: Mutex<u64>,
    has_told: Condvar,
    pub activity: Activity,
}

impl Running {
    /// The state of a server that has just loaded its configuration.
    pub fn new(loaded: Arc<Snapshot>, composed: Option<Revision>) -> Self {
        let state = ServerState {
            running: loaded.clone(),
            saved: loaded,
            composed,
            generation: 0,
            last_change: None,
            last_error: None,
            pending: None,
        };
        let (turn, rehearsal, told, has_told, activity) = Default::default();
        Self { state: RwLock::new(state), turn, rehearsal, told, has_told, activity }
    }

    /// The state as it is now.
    pub fn state(&self) -> ServerState {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The running configuration as it is now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).running.clone()
    }

    /// The change that has to be confirmed.
    pub fn pending(&self) -> Option<Arc<PendingChange>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).pending.clone()
    }

    /// Changes the state; only the holder of the turn calls this.
    pub(super) fn exchange(&self, change: impl FnOnce(&mut ServerState)) {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner));
        self.tell();
    }

    /// Wakes who waits for a change.
    pub(super) fn tell(&self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.has_told.notify_all();
    }

    /// The number of changes that there were to tell of.
    pub(super) fn times_told(&self) -> u64 {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there were more than so many, at most for this time.
    pub(super) fn wait_for_more(&self, known: u64, most: Duration) {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever waits looks again in any case.
        drop(self.has_told.wait_timeout_while(told, most, |told| *told == known));
    }

    /// Waits to be the only writer; `None` if that takes longer than `wait`.
    pub(super) fn take_turn(&self, wait: Duration) -> Option<Turn> {
        self.turn.enter(wait, usize::MAX)
    }

    /// Waits to be the only dry run whose check command runs; `None` if that takes longer than `wait`, or if
    /// [`MAX_REHEARSALS`] wait already.
    pub(super) fn rehearse(&self, wait: Duration) -> Option<Pass> {
        self.rehearsal.enter(wait, MAX_REHEARSALS)
    }
}

/// The right to change the state, until it is dropped.
pub(super) type Turn = Pass;

/// The number of dry runs that wait for the check command of another one. Each takes a connection.
pub const MAX_REHEARSALS: usize = 8;

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_waits_is_woken_by_the_change_and_needs_no_other_look() {
        let running = Arc::new(Running::new(Arc::new(Snapshot::from_bytes("http 80;\n")), None));
        let known = running.times_told();
        let waiting = running.clone();
        let waiter = thread::spawn(move || {
            waiting.wait_for_more(known, Duration::from_secs(24 * 60 * 60));
            waiting.times_told()
        });
        running.exchange(|state| state.generation += 1);
        assert_eq!(waiter.join().ok(), Some(known + 1));
    }
}
