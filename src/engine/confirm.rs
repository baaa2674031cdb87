//! Commit-confirm: a change that is rolled back unless it is confirmed in time, and the nodes of a cluster that take it
//! first.
//!
//! The record that a rollback needs is durable before the change is made. Then a thread waits. On
//! timeout, running configuration and file are rolled back; where the file was edited meanwhile, the edit
//! stays. A server that was killed meanwhile rolls back when it starts again,
//! before it answers anything.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{fmt, thread};

use super::local::{Engine, LogLevel};
use super::roll_back::{Aftermath, NO_USER, NOT_CONFIRMED, RolledBack, SERVER_ENDED, UnconfirmedChange};
use super::running::{LastChange, PendingEnd};
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeRecord, NodeRecord, NodeState, PendingInfo, PendingRecord, REVERT, RunBy, Writer};

/// The pause between two attempts to roll back.
const RETRY: Duration = Duration::from_secs(5);

impl Engine {
    /// Arms the automatic rollback of a change that is about to be made.
    pub(super) fn arm_rollback(
        &self,
        pending: &Arc<PendingChange>,
        writer: &dyn Writer,
    ) -> Result<(), Error> {
        let text = |snapshot: &Arc<Snapshot>| snapshot.shared_bytes().clone();
        writer.set_pending(&PendingRecord {
            info: pending.info.clone().until(SystemTime::now() + pending.time),
            running: pending.before.ran().map(text).unwrap_or_default(),
            file: pending.before.file.as_ref().map(text),
            written: pending.written.as_ref().map(text),
        })?;
        if self.running.is_none() {
            return Ok(());
        }
        let (engine, watched) = (self.clone(), pending.clone());
        let thread = thread::Builder::new().name("confirm".to_owned());
        if let Err(source) = thread.spawn(move || engine.watch(&watched)) {
            writer.clear_pending()?;
            return Err(Error::io("spawn a thread for", self.store.path())(source));
        }
        Ok(())
    }

    /// Rolls a change back when its time is over.
    fn watch(&self, pending: &PendingChange) {
        if pending.is_decided_in_time() {
            return;
        }
        loop {
            match self.roll_back_pending(&pending.info.id, NO_USER, NOT_CONFIRMED) {
                Ok(_) => return self.count_pending_end(PendingEnd::Expired),
                Err(refusal)
                    if matches!(refusal.kind, ErrorKind::NothingPending | ErrorKind::OtherPending) =>
                {
                    return;
                }
                Err(error) => {
                    self.tell(LogLevel::Error, &format!("a change could not be rolled back: {error}"))
                }
            }
            if pending.is_decided_within(RETRY) {
                return;
            }
        }
    }

    /// Confirms the pending change.
    ///
    /// # Errors
    /// `NothingPending`, `OtherPending`, `Busy`; `Store`, after which the change is still pending.
    pub fn confirm(&self, id: &str) -> Result<(), Error> {
        let _turn = self.take_turn()?;
        if self.running.is_none() {
            let writer = self.writer()?;
            self.refuse_other(self.store.open_change()?.as_ref(), id)?;
            return writer.clear_pending();
        }
        let pending = self.pending_with(id)?;
        if !pending.can_be_confirmed() {
            return Err(Error::nothing_pending());
        }
        self.writer()?.clear_pending()?;
        self.release_pending(&pending);
        self.count_pending_end(PendingEnd::Confirmed);
        Ok(())
    }

    /// Rolls the pending change back; returns the state of the file.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel(&self, id: &str, by: &str) -> Result<Aftermath, Error> {
        let aftermath = self.roll_back_pending(id, by, "rolled back before it was confirmed")?;
        self.count_pending_end(PendingEnd::Cancelled);
        Ok(aftermath)
    }

    /// Rolls the pending change back when the server ends; `None` if nothing is pending.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel_any(&self) -> Result<Option<Aftermath>, Error> {
        self.pending()
            .map(|pending| self.roll_back_pending(&pending.info.id, NO_USER, SERVER_ENDED))
            .transpose()
    }

    fn count_pending_end(&self, end: PendingEnd) {
        self.activity().into_iter().for_each(|activity| activity.count_pending_end(end));
    }

    fn pending_with(&self, id: &str) -> Result<Arc<PendingChange>, Error> {
        let pending = self.pending().ok_or_else(Error::nothing_pending)?;
        if pending.info.id == id { Ok(pending) } else { Err(Error::other_pending()) }
    }

    /// Refuses a decision on another change than the one that the store keeps by itself.
    fn refuse_other(&self, open: Option<&PendingInfo>, id: &str) -> Result<(), Error> {
        match open.filter(|open| self.is_run_by_nodes() && !open.is_over) {
            None => Err(Error::nothing_pending()),
            Some(open) if open.id == id => Ok(()),
            Some(_) => Err(Error::other_pending()),
        }
    }

    fn roll_back_pending(&self, id: &str, by: &str, why: &str) -> Result<Aftermath, Error> {
        let _turn = self.take_turn()?;
        if self.running.is_none() {
            return self.roll_back_stored(id, (by, why));
        }
        let pending = self.pending_with(id)?;
        pending.start_rollback();
        let writer = self.writer()?;
        let RollbackPoint { file, .. } = &pending.before;
        let (id, written) = (pending.info.id.clone(), pending.written.clone());
        let change = UnconfirmedChange { id, old: file.clone(), written };
        let rolled_back = self.roll_back_file(Some(&*writer), &change, (by, why));
        // The running configuration is restored, even if the file could not be.
        let last_change =
            LastChange { at: SystemTime::now(), by: by.to_owned(), operation: REVERT.to_owned() };
        self.restore_running(&pending.before, rolled_back.is_ok(), Some(last_change));
        let RolledBack { aftermath, words, .. } = rolled_back?;
        if aftermath.is_hand_edit() {
            self.remember_trouble(Error::new(ErrorKind::EngineFailed, &words));
            self.tell(LogLevel::Warning, &words);
        }
        self.reload_after_rollback(&*writer, by);
        writer.clear_pending()?;
        self.release_pending(&pending);
        Ok(aftermath)
    }

    /// Rolls back the pending change that the store keeps, or that a killed server left.
    fn roll_back_stored(&self, id: &str, because: (&str, &str)) -> Result<Aftermath, Error> {
        let writer = self.writer()?;
        if self.is_run_by_nodes() {
            self.refuse_other(self.store.open_change()?.as_ref(), id)?;
            let (by, message) = (because.0, Some(because.1));
            let record = ChangeRecord { message, keep: self.keep, ..ChangeRecord::new(REVERT, by) };
            return match writer.revert(&record)? {
                true => Ok(Aftermath::Restored),
                false => Err(Error::nothing_pending()),
            };
        }
        let rolled_back = match self.store.run_by() {
            RunBy::Nobody => self.roll_back_left_over(Some(&*writer), because)?,
            RunBy::Server | RunBy::Nodes => None,
        };
        rolled_back.map(|rolled_back| rolled_back.aftermath).ok_or_else(Error::nothing_pending)
    }

    /// Reloads the running configuration, or without a server the one in the file.
    pub(super) fn reload_after_rollback(&self, writer: &dyn Writer, by: &str) {
        if let Err(error) = self.reload_present(writer, REVERT, by) {
            self.tell(LogLevel::Error, &format!("{REVERT}: {}", error.brief()));
            self.remember_trouble(error.clone());
        }
    }

    /// Rolls back the change of a server that was killed before the change was confirmed; returns what there is to
    /// say of a hand edit.
    ///
    /// # Errors
    /// `Store`: the server must not answer anything then.
    pub(super) fn roll_back_at_start(&self) -> Result<Option<Error>, Error> {
        if !self.store.has_pending() {
            return Ok(None);
        }
        let writer = self.writer()?;
        let Some(rolled_back) = self.roll_back_left_over(Some(&*writer), (NO_USER, SERVER_ENDED))? else {
            return Ok(None);
        };
        self.tell(LogLevel::Warning, &rolled_back.words);
        Ok(rolled_back
            .aftermath
            .is_hand_edit()
            .then(|| Error::new(ErrorKind::EngineFailed, &rolled_back.words)))
    }
}

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

/// The reason why a change can't begin on some nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryFault {
    /// Fewer nodes than wanted run what they should.
    TooFew { wanted: usize, found: usize },
    /// It would begin on no node.
    None,
    /// There is no node of this name.
    Unknown(String),
    /// Nobody is to confirm the change, so no node has to wait.
    Unconfirmed,
    /// The server follows no cluster.
    NoCluster,
    /// The change concerns this node alone.
    OneNode,
}

/// The names of the nodes that a change begins on: `given` are names, or one number of nodes, which are
/// chosen among those that run what they should.
///
/// # Errors
/// `None`, `TooFew`, `Unknown`.
pub fn canary_nodes(given: &[String], nodes: &[NodeRecord]) -> Result<Vec<String>, CanaryFault> {
    if let [only] = given
        && let Ok(wanted) = only.parse::<usize>()
    {
        if wanted == 0 {
            return Err(CanaryFault::None);
        }
        let healthy = nodes.iter().filter(|node| node.state == NodeState::Running);
        let first: Vec<String> = healthy.map(|node| node.node.clone()).take(wanted).collect();
        let found = first.len();
        return if found < wanted { Err(CanaryFault::TooFew { wanted, found }) } else { Ok(first) };
    }
    let unknown = given.iter().find(|name| !nodes.iter().any(|node| node.node == **name));
    unknown.map_or_else(|| Ok(given.to_vec()), |name| Err(CanaryFault::Unknown(name.clone())))
}

impl CanaryFault {
    /// The fault in words, where the nodes are given as `canary`.
    pub fn message(&self, canary: &str) -> String {
        match self {
            Self::TooFew { wanted, found } => {
                let nodes =
                    if *found == 1 { "node runs what it should" } else { "nodes run what they should" };
                format!("`{canary} {wanted}`: only {found} {nodes}")
            }
            Self::None => format!("`{canary} 0`: a change begins on one node at least"),
            Self::Unknown(name) => format!("`{canary} {name}`: there is no node of this name"),
            Self::Unconfirmed => format!("`{canary}`: the other nodes wait until the change is confirmed"),
            Self::NoCluster => format!("`{canary}`: this server is no node of a cluster"),
            Self::OneNode => format!("`{canary}`: an update changes this node alone"),
        }
    }

    /// Returns the advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TooFew { .. } | Self::Unknown(_) => "`mediactl --cluster URL status` shows the nodes",
            Self::Unconfirmed => "add `confirm=SECONDS`, the time for that",
            Self::None | Self::OneNode => "leave it out",
            Self::NoCluster => "send the change to a node, or leave it out",
        }
    }
}

/// As a request over HTTP names the parameters.
impl From<CanaryFault> for Error {
    fn from(fault: CanaryFault) -> Self {
        Self::new(ErrorKind::Usage, fault.message("canary")).hint(fault.hint())
    }
}

#[cfg(test)]
mod pending_tests {
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

#[cfg(test)]
mod canary_tests {
    use super::*;

    #[test]
    fn a_change_begins_on_one_node_at_least() {
        let node =
            |name: &str| NodeRecord { node: name.to_owned(), ..NodeRecord::absent(NodeState::Running) };
        let found = |given: &str| canary_nodes(&[given.to_owned()], &[node("a"), node("b")]);
        assert_eq!(found("1"), Ok(vec!["a".to_owned()]));
        assert_eq!(found("b"), Ok(vec!["b".to_owned()]));
        assert_eq!(found("0"), Err(CanaryFault::None));
        assert_eq!(found("3"), Err(CanaryFault::TooFew { wanted: 3, found: 2 }));
        assert_eq!(found("c"), Err(CanaryFault::Unknown("c".to_owned())));
    }
}
