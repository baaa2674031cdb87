//! The state of a server: readers take it as it is, writers exchange it whole.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use super::activity::Activity;
use super::pending::PendingChange;
use super::snapshot::Snapshot;
use super::trouble::Trouble;
use crate::store::Revision;

/// The running configuration of a server, and its knowledge of the file.
#[derive(Debug, Clone)]
pub struct ServerState {
    pub running: Arc<Snapshot>,
    /// The text of the file when it was last loaded or saved.
    pub saved: Arc<Snapshot>,
    /// The revision of the running configuration with what it includes, when it was loaded or changed last;
    /// none where it includes nothing.
    pub composed: Option<Revision>,
    /// Counts the changes.
    pub generation: u64,
    /// The last change; none since the start.
    pub last_change: Option<LastChange>,
    /// The last failure that came after the response.
    pub last_error: Option<Trouble>,
    /// The last change, while it has to be confirmed.
    pub pending: Option<Arc<PendingChange>>,
}

/// The last change of a running configuration.
#[derive(Debug, Clone)]
pub struct LastChange {
    pub at: SystemTime,
    pub by: String,
    /// `modify`, `save`, `update`, `rollback`, `revert`.
    pub operation: &'static str,
}

impl ServerState {
    /// Whether the running configuration is the one in the file, as far as the server knows.
    pub fn is_saved(&self) -> bool {
        // Usually both are the same snapshot, which is seen without comparing the texts.
        self.running.is_same_text(&self.saved)
    }
}

/// The state, for one writer at a time and any number of readers, which never wait for the writer.
#[derive(Debug)]
pub struct Running {
    state: RwLock<ServerState>,
    turn: Mutex<bool>,
    next: Condvar,
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
        let activity = Activity::default();
        Self { state: RwLock::new(state), turn: Mutex::new(false), next: Condvar::new(), activity }
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
    }

    /// Waits to be the only writer; `None` if that takes longer than `wait`.
    pub(super) fn take_turn(self: &Arc<Self>, wait: Duration) -> Option<Turn> {
        let deadline = Instant::now() + wait;
        let mut taken = self.lock_turn();
        while *taken {
            let rest = deadline.checked_duration_since(Instant::now())?;
            taken = self.next.wait_timeout(taken, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken = true;
        drop(taken);
        Some(Turn(self.clone()))
    }

    fn lock_turn(&self) -> MutexGuard<'_, bool> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to change the state, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn(Arc<Running>);

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.lock_turn() = false;
        self.0.next.notify_one();
    }
}
