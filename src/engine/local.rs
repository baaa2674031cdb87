//! The engine over a store: what all of its operations share, the engine as a service, and the start and the end of a
//! server over it.

use std::sync::Arc;
use std::time::Duration;

use super::{
    Activity, ChangeOptions, ChangeReport, ConfigService, ConfigSource, Decided, Decision, Hooks,
    OutcomeNote, PendingChange, ReloadRun, RequestedChange, Running, ServerState, Snapshot, Status,
    StatusPart, TAKEN_BACK, Turn, differing, is_edited_since, last_change, not_kept, paths_of_texts,
};
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeRef, HistoryEntry, PendingInfo, RunBy, Store, Writer};

/// The longest time that a writer waits for another writer to finish.
pub const DEFAULT_LOCK_WAIT: Duration = Duration::from_secs(10);

/// A configuration in a store, the hooks around its changes, and the state of the server that runs it.
///
/// Clones share the store and the state.
#[derive(Clone)]
pub struct Engine {
    pub(super) name: String,
    pub(super) store: Arc<dyn Store>,
    /// The commands around its changes.
    pub hooks: Hooks,
    pub(super) on_wait: fn(&str),
    pub(super) log: Arc<WriteLog>,
    pub(super) running: Option<Arc<Running>>,
    pub(super) keep: Option<usize>,
}

impl Engine {
    /// An engine over a store, which may hold nothing yet. Calls `on_wait` when a writer has to wait for
    /// another process, and no server runs.
    pub fn new(store: Arc<dyn Store>, hooks: Hooks, on_wait: fn(&str)) -> Self {
        Self {
            name: store.name(),
            store,
            hooks,
            on_wait,
            log: Arc::new(|_, _| {}),
            running: None,
            keep: None,
        }
    }

    /// The same engine, keeping `keep` texts in the history from now on; `None` keeps as many as before.
    pub fn keeping(self, keep: Option<usize>) -> Self {
        Self { keep, ..self }
    }

    /// Reads the stored text. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read(&self) -> Result<Arc<Snapshot>, Error> {
        Ok(Arc::new(Snapshot::from_bytes(self.store.load()?.bytes)))
    }

    /// True if the nodes of a cluster run the configuration, and no server does.
    pub(super) fn is_run_by_nodes(&self) -> bool {
        self.running.is_none() && self.store.run_by() == RunBy::Nodes
    }

    /// The error if there is no running configuration.
    pub(super) fn no_server(&self) -> Error {
        if self.is_run_by_nodes() {
            Error::new(
                ErrorKind::NodesRunIt,
                "a cluster has no running configuration of its own: its nodes run what is in it",
            )
            .hint(
                "`mediactl save FILE` replaces what is in it; `update FILE` on a node is for that node alone",
            )
        } else {
            // Who can't look there does not know whether a server runs.
            self.store.pending().map_or_else(Error::from, |_| Error::no_server())
        }
    }

    /// Writes a line to the log of the server.
    pub fn tell(&self, level: LogLevel, words: &str) {
        (self.log)(level, words);
    }

    /// Says that a writer waits for another process; a server does in its log.
    pub(super) fn tell_of_wait(&self, words: &str) {
        match self.running {
            Some(_) => self.tell(LogLevel::Note, words),
            None => (self.on_wait)(words),
        }
    }

    /// The state of the server; `None` without one.
    pub fn state(&self) -> Option<ServerState> {
        self.running.as_ref().map(|running| running.state())
    }

    /// The running configuration; `None` without a server.
    pub fn running(&self) -> Option<Arc<Snapshot>> {
        self.running.as_ref().map(|running| running.state.read().running.clone())
    }

    /// The change of the server that has to be confirmed.
    pub fn pending(&self) -> Option<PendingChange> {
        self.running.as_ref()?.state.read().pending.clone()
    }

    /// The counts of the server since its start; `None` without a server.
    pub fn activity(&self) -> Option<&Activity> {
        self.running.as_ref().map(|running| &running.activity)
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

    /// Reconciles the history with the stored text.
    pub(super) fn reconcile(&self, writer: &dyn Writer) -> Result<(), Error> {
        writer.reconcile(self.stored()?.as_ref(), &paths_of_texts).map(drop)
    }

    /// Records hand edits in the history. A failure does not matter to readers.
    pub(super) fn reconcile_alone(&self) {
        let (Ok(writer), Ok(stored)) = (self.writer(), self.store.load()) else { return };
        let warnings = writer.reconcile(Some(&stored), &paths_of_texts).unwrap_or_default().warnings;
        warnings.iter().for_each(|warning| self.tell(LogLevel::Warning, &warning.to_string()));
    }

    /// Returns what a server runs, or the stored text where none runs.
    pub(super) fn present(&self) -> Result<Arc<Snapshot>, Error> {
        self.running().map_or_else(|| Engine::read(self), Ok)
    }

    /// The same engine, running the text of the file. Calls `log` with each line for its log: what
    /// no response can report any more.
    ///
    /// # Errors
    /// `BadConfig`; those of the store.
    pub fn start(self, log: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Result<Self, Error> {
        let engine = Self { log: Arc::new(log), ..self };
        let trouble = engine.roll_back_at_start()?;
        engine.reconcile_alone();
        let loaded = engine.read()?;
        loaded.refuse_errors()?;
        let running = Arc::new(Running::new(loaded));
        running.exchange(|state| state.last_error = trouble);
        Ok(Self { running: Some(running), ..engine })
    }

    /// The stamp as it is now; reads nothing.
    pub fn status_stamp(&self) -> StatusStamp {
        StatusStamp { told: self.times_told(), stored: self.store.stamp() }
    }

    /// True if a change is under way that has told of nothing yet: its text may be in the file before it is in the state.
    pub fn is_changing(&self, known: &StatusStamp) -> bool {
        self.times_told() == known.told && !self.settle(Duration::ZERO)
    }

    fn times_told(&self) -> u64 {
        self.running.as_ref().map_or(0, |running| running.times_told())
    }

    /// Waits until this server makes a change, at most for this time.
    pub fn wait_for_change(&self, known: &StatusStamp, most: Duration) {
        if let Some(running) = &self.running {
            running.wait_for_more(known.told, most);
        }
    }

    /// The paths of the values that the pending change of this server changed; empty if none is pending.
    pub fn pending_paths(&self) -> Vec<String> {
        let (Some(pending), Some(running)) = (self.pending(), self.running()) else { return Vec::new() };
        let Some(before) = pending.back.ran().cloned() else { return Vec::new() };
        differing(&before, &running)
    }
}

impl ConfigService for Engine {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, source: Option<ConfigSource>) -> Result<Arc<Snapshot>, Error> {
        match (source, self.running()) {
            (Some(ConfigSource::Running), None) => Err(self.no_server()),
            (None | Some(ConfigSource::Running), Some(running)) => Ok(running),
            (None | Some(ConfigSource::Saved), _) => {
                self.refuse_moved()?;
                Engine::read(self)
            }
        }
    }

    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        Ok(self.make(&requested, options)?.with_parts(options.told))
    }

    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        self.store.history(wanted)
    }

    fn text_before(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error> {
        match self.state() {
            _ if change != ChangeRef::NOT_RECORDED => Ok(self.number_and_text(change)?.1),
            Some(state) => Ok(state.saved),
            None => {
                let text = self.store.edited_from(Engine::read(self)?.revision());
                text.map(|text| Arc::new(Snapshot::from_bytes(text)))
                    .ok_or_else(|| not_kept("the last change"))
            }
        }
    }

    fn pending(&self) -> Result<Option<PendingInfo>, Error> {
        self.pending_info()
    }

    fn decide(&self, decision: Decision<'_>, id: Option<&str>, by: &str) -> Result<Decided, Error> {
        if let (Decision::KeepOnceRun { waves, late }, Some(id)) = (decision, id) {
            return Ok(Decided { waits_for: self.store.canaries(id, waves, late)?, ..Decided::default() });
        }
        let is_run_by_nodes = self.is_run_by_nodes();
        let pending = self.pending_info()?.filter(|pending| !(is_run_by_nodes && pending.is_over));
        let Some(pending) = pending else {
            if is_run_by_nodes {
                // A change whose time is over is rolled back by the first who writes.
                drop(self.writer()?);
            }
            return Err(Error::nothing_pending());
        };
        let id = id.unwrap_or(&pending.id);
        let is_kept = match decision {
            Decision::Keep => self.refuse_failed_nodes().and_then(|()| self.confirm(id)).map(|()| false)?,
            Decision::KeepThoughFailed | Decision::KeepOnceRun { .. } => self.confirm(id).map(|()| false)?,
            Decision::RollBack => self.roll_back_pending(id, by, TAKEN_BACK)?.is_hand_edit(),
        };
        let notes = is_kept.then_some(OutcomeNote::KeptHandEdit).into_iter().collect();
        Ok(Decided { notes, ..Decided::default() })
    }

    fn status(&self, part: StatusPart) -> Result<Status, Error> {
        Ok(match part {
            StatusPart::Level => Status::default(),
            StatusPart::Server => Status {
                running: self.present()?.known_revision(),
                last_error: self.failed_nodes()?,
                ..Status::default()
            },
            StatusPart::Nodes => Status { nodes: self.store.nodes()?, ..Status::default() },
            StatusPart::Alarms => Status { alarms: self.store.alarms(), ..Status::default() },
            StatusPart::All => {
                let file = Engine::read(self)?;
                let entries = self.store.history(1)?;
                let state = self.state();
                let running = state.as_ref().map_or(&file, |state| &state.running);
                Status {
                    saved: Some(running.is_same_text(&file)),
                    differing: differing(running, &file),
                    edited_by_hand: is_edited_since(&entries, &file),
                    errors: Some(file.diagnostics().errors()),
                    pending: self.pending_info()?,
                    last_change: last_change(
                        entries.into_iter().next(),
                        state.as_ref().and_then(|state| state.last_change.clone()),
                    ),
                    file: Some(file),
                    last_error: state.and_then(|state| state.last_error).map(|error| error.message),
                    nodes: self.store.nodes()?,
                    ..Status::default()
                }
            }
        })
    }
}

/// What the status of a server depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusStamp {
    told: u64,
    /// Stands for the stored text.
    stored: u64,
}

/// Writes a line to the log of a server.
type WriteLog = dyn Fn(LogLevel, &str) + Send + Sync;

/// How much a line of the log asks of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// All is well: something was done, or is as it should be again.
    Note,
    /// The server goes on, and somebody should know of it.
    Warning,
    /// Something failed, or waits for somebody.
    Error,
}

impl LogLevel {
    /// The word before the line, and the key of it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
