//! The state of a server, which readers take as it is and writers exchange whole; the places where threads wait for it;
//! and the counts of the server since its start.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use super::change::{ChangeReport, Operation, OutcomeNote};
use super::confirm::PendingChange;
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind, Exit};
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

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them, each at the place of its number.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The value of the label.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// The result of a change.
    ChangeResult {
        Changed "changed",
        /// The configuration was like that already.
        Unchanged "unchanged",
        /// It was a dry run.
        Rehearsed "rehearsed",
        Invalid "invalid",
        Conflict "conflict",
        /// A guard refused it.
        Guarded "guarded",
        Failed "failed",
    }
}

words! {
    /// The fate of a hand edit of the file.
    HandEdit {
        PickedUp "picked-up",
        Overwritten "overwritten",
        /// A change was refused because of it.
        Conflict "conflict",
    }
}

words! {
    /// The end of a change that had to be confirmed.
    PendingEnd {
        Confirmed "confirmed",
        Cancelled "cancelled",
        /// It was not confirmed in time.
        Expired "expired",
    }
}

/// The last time that a configuration was put into effect: it was loaded, and the reload command, if
/// there is one, ran.
#[derive(Debug, Clone)]
pub struct LastReload {
    pub at: SystemTime,
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

/// The counts of a server since its start.
#[derive(Debug)]
pub struct Activity {
    changes: [[AtomicU64; ChangeResult::ALL.len()]; Operation::ALL.len()],
    hand_edits: [AtomicU64; HandEdit::ALL.len()],
    pending_ends: [AtomicU64; PendingEnd::ALL.len()],
    /// Failed ones, and those that succeeded.
    reloads: [AtomicU64; 2],
    last_reload: Mutex<LastReload>,
}

impl Default for Activity {
    /// The server has just loaded its configuration.
    fn default() -> Self {
        Self {
            changes: Default::default(),
            hand_edits: Default::default(),
            pending_ends: Default::default(),
            reloads: Default::default(),
            last_reload: Mutex::new(LastReload {
                at: SystemTime::now(),
                succeeded: true,
                run: ReloadRun::default(),
            }),
        }
    }
}

impl Activity {
    /// The number of changes of an operation that ended so.
    pub fn changes(&self, operation: Operation, result: ChangeResult) -> u64 {
        read(&self.changes[operation as usize][result as usize])
    }

    /// The number of hand edits that changes found.
    pub fn hand_edits(&self, fate: HandEdit) -> u64 {
        read(&self.hand_edits[fate as usize])
    }

    /// The number of changes that had to be confirmed and ended so.
    pub fn pending_ends(&self, end: PendingEnd) -> u64 {
        read(&self.pending_ends[end as usize])
    }

    /// The number of reloads since the start that succeeded, or that failed.
    pub fn reloads(&self, succeeded: bool) -> u64 {
        read(&self.reloads[usize::from(succeeded)])
    }

    /// True if a configuration was put into effect since the one that the server started with.
    pub fn has_reloaded(&self) -> bool {
        self.reloads(true) + self.reloads(false) > 0
    }

    pub fn last_reload(&self) -> LastReload {
        self.last_reload.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn count_change(
        &self,
        operation: Operation,
        dry_run: bool,
        made: &Result<ChangeReport, Error>,
    ) {
        let result = match made {
            Ok(_) if dry_run => ChangeResult::Rehearsed,
            Ok(report) if report.changed => ChangeResult::Changed,
            Ok(_) => ChangeResult::Unchanged,
            Err(error) => failure(error),
        };
        add(&self.changes[operation as usize][result as usize]);
        if let Some(fate) = hand_edit(made).filter(|_| !dry_run) {
            add(&self.hand_edits[fate as usize]);
        }
    }

    pub(super) fn count_pending_end(&self, end: PendingEnd) {
        add(&self.pending_ends[end as usize]);
    }

    pub(super) fn note_reload(&self, succeeded: bool, run: ReloadRun) {
        add(&self.reloads[usize::from(succeeded)]);
        let last = LastReload { at: SystemTime::now(), succeeded, run };
        *self.last_reload.lock().unwrap_or_else(PoisonError::into_inner) = last;
    }
}

fn failure(error: &Error) -> ChangeResult {
    match error.exit() {
        Exit::Invalid | Exit::Usage => ChangeResult::Invalid,
        Exit::Conflict => ChangeResult::Conflict,
        Exit::Guarded => ChangeResult::Guarded,
        _ => ChangeResult::Failed,
    }
}

fn hand_edit(made: &Result<ChangeReport, Error>) -> Option<HandEdit> {
    match made {
        Ok(report) => report.notes.iter().find_map(|note| match note {
            OutcomeNote::PickedUpHandEdit(_) => Some(HandEdit::PickedUp),
            OutcomeNote::OverwroteHandEdit => Some(HandEdit::Overwritten),
            _ => None,
        }),
        Err(refusal) => match refusal.kind {
            ErrorKind::HandEdited | ErrorKind::HandEditedSince => Some(HandEdit::Conflict),
            _ => None,
        },
    }
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

#[cfg(test)]
mod running_tests {
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

#[cfg(test)]
mod gate_tests {
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
