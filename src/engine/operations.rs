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
use super::outcome::{After, Outcome, OutcomeNote};
use super::pending::PendingChange;
use super::running::{Running, State};
use super::snapshot::Snapshot;
use super::transaction::{Found, Operation, Ready, UNSAVED};
use crate::edit;
use crate::edit::config_lookup::LocalView;
use crate::edit::request::Request;
use crate::model::secret::holds_mask;
use crate::model::{Lens, has_lost_line_ends, top_members};
use crate::store::{ConfFile, Loaded, LockHolder, LockedFile, StoreError};
use crate::syntax::Document;

/// How long a writer waits for the one before it.
pub const DEFAULT_LOCK_WAIT: Duration = Duration::from_secs(10);

/// One configuration file, what goes with its changes, and what a server runs.
#[derive(Clone)]
pub struct Engine {
    pub(super) name: String,
    pub(super) conf: ConfFile,
    pub(super) hooks: Hooks,
    pub(super) lock_wait: Duration,
    pub(super) on_wait: fn(&Path, &LockHolder),
    pub(super) on_trouble: Arc<dyn Fn(&str) + Send + Sync>,
    pub(super) running: Option<Arc<Running>>,
    pub(super) keep: Option<usize>,
    has_guards: bool,
}

/// The text that a patch is merged into.
struct Basis {
    text: Arc<Snapshot>,
    /// Whether it is the file with a hand edit that the server has not loaded.
    is_hand_edit: bool,
    notes: Vec<OutcomeNote>,
}

impl Engine {
    /// An engine over the file that `path` leads to; the file may be missing.
    pub fn open(path: &Path, hooks: Hooks, on_wait: fn(&Path, &LockHolder)) -> Result<Self, EngineError> {
        Ok(Self {
            name: path.display().to_string(),
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

    /// Merges the patch that `request` comes to into the running configuration, and saves the result.
    ///
    /// # Errors
    /// All of [`EngineError`]; the configuration is as it was then.
    pub fn modify(&self, request: &Request, options: &ChangeOptions) -> Result<Outcome, EngineError> {
        self.change(Operation::Modify, options, &mut |found| {
            let basis = self.basis(found, options)?;
            basis.text.look_for_errors_aside();
            let edited = self.edited(found, &basis, request, options);
            let Basis { text: before, notes: mut remarks, .. } = basis;
            match edited {
                Ok(Some((after, notes))) => {
                    remarks.extend(notes.into_iter().map(OutcomeNote::Edit));
                    Ok(Ready { before: Some(before), after, on_valid: true, notes: remarks })
                }
                // A running configuration that is not in the file is saved all the same.
                Ok(None) => {
                    let is_saved =
                        found.file.as_ref().is_some_and(|file| file.snapshot.is_same_text(&before));
                    let runs = |state: &State| state.running.is_same_text(&before);
                    let is_running = found.state.as_ref().is_none_or(runs);
                    let after = match is_saved && is_running {
                        true => After::Unchanged,
                        false => After::edited(Vec::new()),
                    };
                    Ok(Ready { before: Some(before), after, on_valid: true, notes: remarks })
                }
                // That the text has errors matters more than what they make of the edit.
                Err(_) if !before.is_valid() => Err(EngineError::BadConfig(before)),
                Err(error) => Err(error),
            }
        })
    }

    fn edited(
        &self,
        found: &Found,
        basis: &Basis,
        request: &Request,
        options: &ChangeOptions,
    ) -> Result<Option<(After, Vec<edit::Note>)>, EngineError> {
        let document = basis.text.document();
        if document.diagnostics().errors() > 0 {
            return Err(EngineError::BadConfig(basis.text.clone()));
        }
        let members = top_members(document);
        let evaluated = request.evaluate(&LocalView::new(&members, &Lens::default()))?;
        if let (true, Some(state)) = (basis.is_hand_edit, &found.state) {
            self.refuse_conflicts(state, document, &evaluated.patch, options)?;
        }
        let Some(edit) = edit::modify_members(document, &members, evaluated.normalized()?)? else {
            return Ok(None);
        };
        if self.has_guards {
            options.refused(edit.guarded).into_result(())?;
        }
        let named = request.named_deletions();
        let unnamed = edit.deleted_streams.iter().filter(|name| !named.contains(name.as_str()));
        self.refuse_guarded(
            [
                edit.removes_credentials.then_some(Guard::WouldRemoveCredentials),
                guard::before_deletion(unnamed.count(), edit.streams_before, options.max_delete),
            ],
            options,
        )?;
        Ok(Some((After::edited(edit.splices), edit.notes)))
    }

    /// Refuses a patch that does not fit beside the hand edit of the file.
    fn refuse_conflicts(
        &self,
        state: &State,
        file: &Document,
        patch: &Value,
        options: &ChangeOptions,
    ) -> Result<(), EngineError> {
        let conflicts = conflicts(state.saved.document(), file, patch);
        if !conflicts.is_empty() {
            return Err(EngineError::HandEdited { conflicts });
        }
        // A hand edit may take the account away. For users of the API this change would do it.
        let guard = guard::before_replacement(Some(state.running.document()), file);
        self.refuse_guarded([guard, None], options)
    }

    /// The text that a patch is merged into, by the running configuration, the file and its hand edit.
    fn basis(&self, found: &Found, options: &ChangeOptions) -> Result<Basis, EngineError> {
        let file = found.file.as_ref().map(|file| &file.snapshot);
        let Some(state) = &found.state else {
            let file = file.expect("a file that can be modified is there").clone();
            return Ok(Basis { text: file, is_hand_edit: false, notes: Vec::new() });
        };
        let is_edited = file.is_none_or(|file| !file.is_same_text(&state.saved));
        if let Some(file) = file.filter(|_| is_edited && !options.force) {
            refuse_broken(file, options)?;
        }
        refuse_stale(state, options, is_edited)?;
        let running = |notes| Basis { text: state.running.clone(), is_hand_edit: false, notes };
        match (is_edited, state.is_saved(), file) {
            (false, true, _) => Ok(running(Vec::new())),
            (false, false, _) => Ok(running(vec![OutcomeNote::SavedEarlierUpdate])),
            (true, _, _) if options.force => Ok(running(vec![OutcomeNote::OverwroteHandEdit])),
            (true, true, Some(file)) => {
                let notes = vec![OutcomeNote::PickedUpHandEdit];
                Ok(Basis { text: file.clone(), is_hand_edit: true, notes })
            }
            (true, _, _) => Err(EngineError::HandEdited { conflicts: Vec::new() }),
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
            remarks.extend(deleted.filter(|_| found.state.is_some()));
            let same = |old: &Arc<Snapshot>| old.is_same_text(&after);
            let changes_nothing = before.is_some_and(same) && file.is_some_and(same);
            let after = if changes_nothing { After::Unchanged } else { After::replaced(after) };
            Ok(Ready { before: before.cloned(), after, on_valid: false, notes: remarks })
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
            let after = if changes { After::replaced(after) } else { After::Unchanged };
            let notes = deleted.into_iter().collect();
            Ok(Ready { before, after, on_valid: false, notes })
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
            let after = if changes { After::replaced(after) } else { After::Unchanged };
            let before = Some(state.running.clone());
            Ok(Ready { before, after, on_valid: false, notes: Vec::new() })
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
