//! The engine over one configuration file, and its four operations.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::conflict::conflicts;
use super::error::EngineError;
use super::guard::{self, Guard};
use super::hook::Hooks;
use super::options::ChangeOptions;
use super::outcome::After;
use super::pending::PendingChange;
use super::running::{Running, State};
use super::snapshot::Snapshot;
use super::transaction::{Found, Operation, Ready, UNSAVED};
use super::{Outcome, OutcomeNote};
use crate::edit;
use crate::model::member::Members;
use crate::model::secret::holds_mask;
use crate::model::{has_lost_line_ends, top_members};
use crate::store::{ConfFile, Loaded, LockHolder, LockedFile, StoreError};

/// How long a writer waits for the one before it.
pub const DEFAULT_LOCK_WAIT: Duration = Duration::from_secs(10);

/// One configuration file, what goes with its changes, and what a server runs.
#[derive(Clone)]
pub struct Engine {
    pub(super) conf: ConfFile,
    pub(super) hooks: Hooks,
    pub(super) lock_wait: Duration,
    pub(super) on_wait: fn(&Path, &LockHolder),
    pub(super) on_trouble: Arc<dyn Fn(&str) + Send + Sync>,
    pub(super) running: Option<Arc<Running>>,
    pub(super) keep: Option<usize>,
    has_guards: bool,
}

/// Computes a patch from the top-level members of what it is merged into.
pub type Patch<'a> = &'a mut dyn FnMut(&Members<'_>) -> Result<Value, EngineError>;

impl Engine {
    /// An engine over the file that `path` leads to; the file may be missing.
    pub fn open(path: &Path, hooks: Hooks, on_wait: fn(&Path, &LockHolder)) -> Result<Self, EngineError> {
        Ok(Self {
            conf: ConfFile::resolve(path)?,
            hooks,
            lock_wait: DEFAULT_LOCK_WAIT,
            on_wait,
            on_trouble: Arc::new(|_| {}),
            running: None,
            keep: None,
            has_guards: true,
        })
    }

    /// The same, running what is in the file; `on_trouble` hears what goes wrong when nobody waits
    /// for an answer any more.
    ///
    /// # Errors
    /// `BadConfig`, and those of reading.
    pub fn start(self, on_trouble: impl Fn(&str) + Send + Sync + 'static) -> Result<Self, EngineError> {
        let engine = Self { on_trouble: Arc::new(on_trouble), ..self };
        engine.take_back_left_over()?;
        engine.look();
        let loaded = engine.read()?;
        if !loaded.is_valid() {
            return Err(EngineError::BadConfig(loaded));
        }
        let running = Some(Arc::new(Running::new(loaded)));
        Ok(Self { running, ..engine })
    }

    /// Notes in the history what was done by hand. That it can't be noted now keeps nobody from reading.
    fn look(&self) {
        let Ok(locked) = self.conf.lock(self.lock_wait, &mut |_| {}) else { return };
        let warnings = self.read().and_then(|file| Ok(locked.look(Some(file.as_now()))?));
        let warnings = warnings.into_iter().flatten();
        warnings.for_each(|warning| (self.on_trouble)(&warning.to_string()));
    }

    /// The same without guards: the letter of what is asked for.
    pub fn without_guards(self) -> Self {
        Self { has_guards: false, ..self }
    }

    /// The same with so many texts in the history from now on; `None` for as many as before.
    pub fn keeping(self, keep: Option<usize>) -> Self {
        Self { keep, ..self }
    }

    /// The file.
    pub fn conf(&self) -> &ConfFile {
        &self.conf
    }

    /// The file as it is. Takes no lock and writes nothing.
    pub fn read(&self) -> Result<Arc<Snapshot>, EngineError> {
        Ok(Arc::new(Snapshot::of(self.conf.load()?.bytes)))
    }

    /// The file, for who asks a server for it.
    ///
    /// # Errors
    /// Those of reading; `Moved`.
    pub fn saved(&self) -> Result<Arc<Snapshot>, EngineError> {
        self.refuse_moved()?;
        self.read()
    }

    /// What a server runs; `None` without one.
    pub fn state(&self) -> Option<State> {
        self.running.as_ref().map(|running| running.state())
    }

    /// The configuration that a server runs; `None` without one.
    pub fn running(&self) -> Option<Arc<Snapshot>> {
        self.running.as_ref().map(|running| running.snapshot())
    }

    /// The change of a server that waits to be confirmed.
    pub fn pending(&self) -> Option<Arc<PendingChange>> {
        self.running.as_ref()?.pending()
    }

    /// Merges the patch that `patch` computes into the running configuration, and saves.
    pub fn modify(&self, request: &ChangeOptions, patch: Patch<'_>) -> Result<Outcome, EngineError> {
        self.change(Operation::Modify, request, &mut |found| {
            let (before, remarks) = self.basis(found, request, patch)?;
            before.look_for_errors_aside();
            let is_saved = found.file.as_ref().is_some_and(|file| file.snapshot.is_same_text(&before));
            match self.edited(&before, request, patch) {
                Ok(Some((next, notes))) => {
                    Ok(Ready { before: Some(before), next: Some(next), on_valid: true, notes, remarks })
                }
                // What runs and is not in the file is saved all the same.
                Ok(None) => {
                    let runs = |state: &State| state.running.is_same_text(&before);
                    let is_running = found.state.as_ref().is_none_or(runs);
                    let next = (!(is_saved && is_running)).then(|| After::edited(Vec::new()));
                    Ok(Ready { before: Some(before), next, on_valid: true, notes: Vec::new(), remarks })
                }
                // Of a text with errors, that it has errors is what counts.
                Err(_) if !before.is_valid() => Err(EngineError::BadConfig(before)),
                Err(error) => Err(error),
            }
        })
    }

    fn edited(
        &self,
        before: &Arc<Snapshot>,
        request: &ChangeOptions,
        patch: Patch<'_>,
    ) -> Result<Option<(After, Vec<edit::Note>)>, EngineError> {
        let document = before.document();
        if document.diagnostics().errors() > 0 {
            return Err(EngineError::BadConfig(before.clone()));
        }
        let members = top_members(document);
        let patch = patch(&members)?;
        let Some(edit) = edit::modify_members(document, &members, patch)? else { return Ok(None) };
        if self.has_guards {
            request.refused(edit.guarded).into_result(())?;
        }
        let unnamed = edit.deleted_streams.iter().filter(|name| !request.named_deletions.contains(*name));
        self.refuse_guarded(
            [
                edit.removes_credentials.then_some(Guard::WouldRemoveCredentials),
                guard::before_deletion(unnamed.count(), edit.streams_before, request.max_delete),
            ],
            request,
        )?;
        Ok(Some((After::edited(edit.splices), edit.notes)))
    }

    /// What a patch is merged into, and what is to be told of it: the table of running
    /// configuration, file, and hand edit.
    fn basis(
        &self,
        found: &Found,
        request: &ChangeOptions,
        patch: Patch<'_>,
    ) -> Result<(Arc<Snapshot>, Vec<OutcomeNote>), EngineError> {
        let file = found.file.as_ref().map(|file| &file.snapshot);
        let Some(state) = &found.state else {
            return Ok((file.expect("a file that can be modified is there").clone(), Vec::new()));
        };
        let is_edited = file.is_none_or(|file| !file.is_same_text(&state.saved));
        if let Some(file) = file.filter(|_| is_edited && !request.force) {
            refuse_broken(file, request)?;
        }
        refuse_stale(state, request, is_edited)?;
        match (is_edited, state.is_saved()) {
            (false, true) => Ok((state.running.clone(), Vec::new())),
            (false, false) => Ok((state.running.clone(), vec![OutcomeNote::SavedEarlierUpdate])),
            (true, _) if request.force => Ok((state.running.clone(), vec![OutcomeNote::OverwroteHandEdit])),
            (true, false) => Err(EngineError::HandEdited { conflicts: Vec::new() }),
            (true, true) => {
                let file = file.ok_or(EngineError::HandEdited { conflicts: Vec::new() })?;
                let patch = patch(&top_members(file.document()))?;
                let conflicts = conflicts(state.saved.document(), file.document(), &patch);
                if !conflicts.is_empty() {
                    return Err(EngineError::HandEdited { conflicts });
                }
                // By hand an account may be taken away; for whom uses the API, it is this change that does.
                let guard = guard::before_replacement(Some(state.running.document()), file.document());
                self.refuse_guarded([guard, None], request)?;
                Ok((file.clone(), vec![OutcomeNote::PickedUpHandEdit]))
            }
        }
    }

    /// Replaces the file, and what a server runs, with exactly these bytes; makes the file if it is
    /// missing.
    pub fn save(&self, request: &ChangeOptions, text: &[u8]) -> Result<Outcome, EngineError> {
        self.replace(Operation::Save, request, text)
    }

    pub(super) fn replace(
        &self,
        operation: Operation,
        request: &ChangeOptions,
        text: &[u8],
    ) -> Result<Outcome, EngineError> {
        self.change(operation, request, &mut |found| {
            let file = found.file.as_ref().map(|file| &file.snapshot);
            let mut remarks = Vec::new();
            if let Some(state) = &found.state {
                let is_edited = file.is_none_or(|file| !file.is_same_text(&state.saved));
                refuse_stale(state, request, is_edited)?;
                let is_lost = is_edited && file.is_some_and(|file| file.bytes() != text);
                remarks.extend(is_lost.then_some(OutcomeNote::OverwroteHandEdit));
            }
            let before = found.state.as_ref().map(|state| &state.running).or(file);
            if operation == Operation::Save {
                self.refuse_one_line([before, file], request, text)?;
            }
            let (after, deleted) = self.replacement(before, request, text)?;
            remarks.extend(deleted);
            let same = |old: &Arc<Snapshot>| old.is_same_text(&after);
            let changes_nothing = before.is_some_and(same) && file.is_some_and(same);
            let next = (!changes_nothing).then_some(After::Replacement(after));
            Ok(Ready { before: before.cloned(), next, on_valid: false, notes: Vec::new(), remarks })
        })
    }

    /// Replaces what a server runs, and leaves the file alone.
    pub fn update(&self, request: &ChangeOptions, text: &[u8]) -> Result<Outcome, EngineError> {
        if self.running.is_none() {
            return Err(EngineError::NoServer);
        }
        self.change(Operation::Update, request, &mut |found| {
            let Some(state) = &found.state else { return Err(EngineError::NoServer) };
            refuse_stale(state, request, false)?;
            let file = found.file.as_ref().map(|file| &file.snapshot);
            self.refuse_one_line([Some(&state.running), file], request, text)?;
            let (after, deleted) = self.replacement(Some(&state.running), request, text)?;
            // The file itself, loaded again, is saved from then on.
            let is_file = |file: &Arc<Snapshot>| file.is_same_text(&after);
            let is_new_in_file =
                found.file.as_ref().is_some_and(|file| is_file(&file.snapshot)) && !is_file(&state.saved);
            let changes = is_new_in_file || !is_file(&state.running);
            let before = Some(state.running.clone());
            let next = changes.then_some(After::Replacement(after));
            let remarks = deleted.into_iter().collect();
            Ok(Ready { before, next, on_valid: false, notes: Vec::new(), remarks })
        })
    }

    /// Runs what is in the file by now.
    ///
    /// # Errors
    /// As `update`; if the file is gone or has errors, what ran goes on.
    pub fn load_again(&self, by: &str) -> Result<Outcome, EngineError> {
        self.look();
        let request =
            ChangeOptions { max_delete: Some(usize::MAX), by: by.to_owned(), ..ChangeOptions::default() };
        self.change(Operation::Load, &request, &mut |found| {
            let Some(state) = &found.state else { return Err(EngineError::NoServer) };
            let Some(file) = &found.file else {
                return Err(StoreError::NotFound { path: self.conf.target().to_owned() }.into());
            };
            let text = file.snapshot.bytes();
            let changes = text != state.running.bytes() || text != state.saved.bytes();
            let (after, _) = self.replacement(Some(&state.running), &request, text)?;
            let next = changes.then_some(After::Replacement(after));
            let before = Some(state.running.clone());
            Ok(Ready { before, next, on_valid: false, notes: Vec::new(), remarks: Vec::new() })
        })
    }

    /// Waits until no change is under way; false if that takes longer.
    pub fn settle(&self, wait: Duration) -> bool {
        self.running.as_ref().is_none_or(|running| running.take_turn(wait).is_some())
    }

    /// Keeps what runs and is in no file, when the server ends; whether there was something to keep.
    ///
    /// # Errors
    /// `Store`.
    pub fn keep_unsaved(&self) -> Result<bool, EngineError> {
        let is_in_file = |running: &Snapshot| self.read().is_ok_and(|file| file.is_same_text(running));
        let Some(state) = self.state().filter(|state| !is_in_file(&state.running)) else { return Ok(false) };
        let last = state.last_change.as_ref();
        let by = last.map_or("", |change| &change.by);
        let request = ChangeOptions { by: by.to_owned(), ..ChangeOptions::default() };
        let locked = self.conf.lock(self.lock_wait, &mut |_| {})?;
        look(&locked)?;
        locked.keep_aside(state.running.bytes(), &request.record(UNSAVED, self.keep))?;
        Ok(true)
    }

    /// The guard for a text that has lost its line ends; none for a text equal to the present one.
    fn refuse_one_line(
        &self,
        present: [Option<&Arc<Snapshot>>; 2],
        request: &ChangeOptions,
        text: &[u8],
    ) -> Result<(), EngineError> {
        let is_present = || present.into_iter().flatten().any(|present| present.bytes() == text);
        let is_lost = has_lost_line_ends(text) && !is_present();
        self.refuse_guarded([is_lost.then_some(Guard::OneLine), None], request)
    }

    /// A whole new text, looked at from all sides, and the streams that are not in it.
    fn replacement(
        &self,
        before: Option<&Arc<Snapshot>>,
        request: &ChangeOptions,
        text: &[u8],
    ) -> Result<(Arc<Snapshot>, Option<OutcomeNote>), EngineError> {
        let after = Snapshot::of(text.to_vec());
        if !after.is_valid() {
            return Err(EngineError::BadText(Arc::new(after)));
        }
        if holds_mask(after.document().text()) {
            return Err(EngineError::MaskedText);
        }
        let before = before.map(|before| before.document());
        let (deleted, of) = before.map_or((0, 0), |before| guard::deleted_streams(before, after.document()));
        self.refuse_guarded(
            [
                guard::before_replacement(before, after.document()),
                guard::before_deletion(deleted, of, request.max_delete),
            ],
            request,
        )?;
        Ok((Arc::new(after), (deleted > 0).then_some(OutcomeNote::DeletedStreams(deleted))))
    }

    fn refuse_guarded(&self, guards: [Option<Guard>; 2], request: &ChangeOptions) -> Result<(), EngineError> {
        let mut open = guards.into_iter().flatten().filter(|guard| !request.accepts(guard));
        open.next().filter(|_| self.has_guards).map_or(Ok(()), |guard| Err(EngineError::Guarded(guard)))
    }
}

/// Brings the history up to date before something else is noted.
pub(super) fn look(locked: &LockedFile<'_>) -> Result<Option<Loaded>, EngineError> {
    let now = locked.load()?;
    locked.look(now.as_ref().map(Loaded::as_now))?;
    Ok(now)
}

/// A hand edit with errors can neither be loaded nor be merged with a change.
fn refuse_broken(file: &Arc<Snapshot>, request: &ChangeOptions) -> Result<(), EngineError> {
    if file.is_valid() {
        return Ok(());
    }
    Err(EngineError::HandEditedBadly { file: file.clone(), is_conditional: request.expected.is_some() })
}

/// `If-Match` is stronger than everything else: with it, nothing is rebased.
fn refuse_stale(state: &State, request: &ChangeOptions, is_edited: bool) -> Result<(), EngineError> {
    match &request.expected {
        Some(_) if is_edited => Err(EngineError::HandEditedSince),
        Some(expected) if !expected.allows(state.running.revision()) => Err(EngineError::Stale),
        _ => Ok(()),
    }
}
