//! The engine over a store, and the helpers that all of its operations share.

use std::sync::Arc;
use std::time::Duration;

use super::activity::{Activity, ReloadRun};
use super::change::ChangeOptions;
use super::gate::Pass;
use super::guard::Guard;
use super::hook::Hooks;
use super::log_line::{LogLevel, LogLine};
use super::operation::Operation;
use super::outcome::Outcome;
use super::pending::PendingChange;
use super::running::{Running, ServerState, Turn};
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::store::{Candidate, Loaded, LockHolder, RunBy, Store, Writer};
use mediaconf::Faults;

/// The longest time that a dry run waits for the check commands of others.
const REHEARSAL_WAIT: Duration = Duration::from_secs(120);

/// The longest time that a writer waits for another writer to finish.
pub const DEFAULT_LOCK_WAIT: Duration = Duration::from_secs(10);

/// A configuration in a store, the hooks around its changes, and the state of the server that runs it.
///
/// Clones share the store and the state.
#[derive(Clone)]
pub struct Engine {
    pub(super) name: String,
    pub(super) store: Arc<dyn Store>,
    pub(super) hooks: Hooks,
    pub(super) on_wait: fn(&str, &LockHolder),
    pub(super) log: Arc<dyn Fn(&LogLine<'_>) + Send + Sync>,
    pub(super) running: Option<Arc<Running>>,
    pub(super) keep: Option<usize>,
    pub(super) has_guards: bool,
}

impl Engine {
    /// An engine over a store, which may hold nothing yet. Calls `on_wait` when a writer has to wait for
    /// another process, and no server runs.
    pub fn new(store: Arc<dyn Store>, hooks: Hooks, on_wait: fn(&str, &LockHolder)) -> Self {
        Self {
            name: store.name(),
            store,
            hooks,
            on_wait,
            log: Arc::new(|_| {}),
            running: None,
            keep: None,
            has_guards: true,
        }
    }

    /// The same engine without guards.
    pub fn without_guards(self) -> Self {
        Self { has_guards: false, ..self }
    }

    /// The same engine, keeping `keep` texts in the history from now on; `None` keeps as many as before.
    pub fn keeping(self, keep: Option<usize>) -> Self {
        Self { keep, ..self }
    }

    /// Reads the stored text. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// `Store`.
    pub fn read(&self) -> Result<Arc<Snapshot>, Error> {
        Ok(Arc::new(Snapshot::from_bytes(self.store.load()?.bytes)))
    }

    /// True if the nodes of a cluster run the configuration, and no server does.
    pub(super) fn is_run_by_nodes(&self) -> bool {
        self.store.run_by() == RunBy::Nodes
    }

    /// The error if there is no running configuration.
    pub(super) fn no_server(&self) -> Error {
        if self.is_run_by_nodes() {
            Error::new(
                ErrorKind::NodesRunIt,
                "a cluster has no running configuration of its own: its nodes run what is in it",
            )
            .hint("`mediactl save FILE` replaces what is in it; `mediactl update FILE` on a node is for that node alone")
        } else {
            // Who can't look there does not know whether a server runs.
            self.store.pending().map_or_else(Error::from, |_| Error::no_server())
        }
    }

    /// The commands around its changes.
    pub fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// Writes a line to the log of the server.
    pub fn tell(&self, level: LogLevel, words: &str) {
        (self.log)(&LogLine { level, words });
    }

    /// Says that a writer waits for another process; a server does in its log.
    pub(super) fn tell_of_wait(&self, holder: &LockHolder) {
        match self.running {
            Some(_) => self.tell(LogLevel::Note, &holder.waited_for(&self.name)),
            None => (self.on_wait)(&self.name, holder),
        }
    }

    /// The state of the server; `None` without one.
    pub fn state(&self) -> Option<ServerState> {
        self.running.as_ref().map(|running| running.state())
    }

    /// The running configuration; `None` without a server.
    pub fn running(&self) -> Option<Arc<Snapshot>> {
        self.running.as_ref().map(|running| running.snapshot())
    }

    /// The change of the server that has to be confirmed.
    pub fn pending(&self) -> Option<Arc<PendingChange>> {
        self.running.as_ref()?.pending()
    }

    /// The counts of the server since its start; `None` without a server.
    pub fn activity(&self) -> Option<&Activity> {
        self.running.as_ref().map(|running| &running.activity)
    }

    /// Makes a change, and counts it.
    pub(super) fn counted(
        &self,
        operation: Operation,
        options: &ChangeOptions,
        make: impl FnOnce() -> Result<Outcome, Error>,
    ) -> Result<Outcome, Error> {
        let made = make();
        if let Some(activity) = self.activity() {
            activity.count_change(operation, options.dry_run, &made);
        }
        made
    }

    /// Notes whether a configuration was put into effect.
    pub(super) fn note_reload(&self, succeeded: bool, run: ReloadRun) {
        let Some(running) = &self.running else { return };
        running.activity.note_reload(succeeded, run);
        running.tell();
    }

    /// Waits until no change is under way; false if that takes longer than `wait`.
    pub fn settle(&self, wait: Duration) -> bool {
        self.running.as_ref().is_none_or(|running| running.take_turn(wait).is_some())
    }

    /// Waits to be the only writer of this process.
    pub(super) fn take_turn(&self) -> Result<Option<Turn>, Error> {
        let Some(running) = &self.running else { return Ok(None) };
        running.take_turn(DEFAULT_LOCK_WAIT).map(Some).ok_or_else(|| {
            Error::new(ErrorKind::TurnTaken, "another change is under way").hint("try again when it is done")
        })
    }

    /// Waits to be the only dry run of this process whose check command runs.
    pub(super) fn rehearse(&self, options: &ChangeOptions) -> Result<Option<Pass>, Error> {
        let Some(running) = &self.running else { return Ok(None) };
        let pass = running.rehearse(options.at_most(REHEARSAL_WAIT));
        options.refuse_late()?;
        pass.map(Some).ok_or_else(|| {
            Error::new(ErrorKind::TurnTaken, "other dry runs wait for the check command")
                .hint("try again when they are done")
        })
    }

    /// Waits to be the only writer of all processes, without telling the user.
    pub(super) fn writer(&self) -> Result<Box<dyn Writer + '_>, Error> {
        self.store.writer(DEFAULT_LOCK_WAIT, &mut |_| {})
    }

    /// Refuses to work if the name of the store now leads elsewhere: another server may run there.
    pub(super) fn refuse_moved(&self) -> Result<(), Error> {
        match self.running.is_some() && self.store.leads_elsewhere() {
            true => Err(Error::new(
                ErrorKind::Conflict,
                "the link to the configuration was changed since the server started",
            )
            .hint("start the server again")),
            false => Ok(()),
        }
    }

    /// Refuses the first guard that is not accepted.
    pub(super) fn refuse_guarded(
        &self,
        guards: [Option<Guard>; 2],
        options: &ChangeOptions,
    ) -> Result<(), Error> {
        let mut refused = guards.into_iter().flatten().filter(|guard| !options.accepts(guard));
        match refused.next().filter(|_| self.has_guards) {
            Some(guard) => Err(Error::from(guard)),
            None => Ok(()),
        }
    }

    /// Refuses the faults that guards find in an edit, and that are not accepted.
    pub(super) fn refuse_faults(&self, guarded: Faults, options: &ChangeOptions) -> Result<(), Error> {
        match self.has_guards {
            true => Ok(options.refused(guarded).into_result(())?),
            false => Ok(()),
        }
    }

    /// Writes a text where the hooks can read it.
    pub(super) fn candidate(
        &self,
        writer: Option<&dyn Writer>,
        pieces: &[&[u8]],
    ) -> Result<Candidate, Error> {
        writer.map_or_else(|| self.store.candidate(pieces), |writer| writer.candidate(pieces))
    }

    /// Reconciles the history with the stored text, and returns that; `None` if there is none.
    pub(super) fn reconcile(&self, writer: &dyn Writer) -> Result<Option<Loaded>, Error> {
        let stored = match self.store.load() {
            Ok(stored) => Some(stored),
            Err(error) if error.kind == ErrorKind::NoConfiguration => None,
            Err(error) => return Err(error),
        };
        writer.reconcile(stored.as_ref().map(Loaded::as_base))?;
        Ok(stored)
    }

    /// Records hand edits in the history. A failure does not matter to readers.
    pub(super) fn reconcile_alone(&self) {
        let (Ok(writer), Ok(stored)) = (self.writer(), self.store.load()) else { return };
        let warnings = writer.reconcile(Some(stored.as_base())).unwrap_or_default().warnings;
        warnings.iter().for_each(|warning| self.tell(LogLevel::Warning, &warning.to_string()));
    }
}
