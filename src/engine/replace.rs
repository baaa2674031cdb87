//! Replacing the whole configuration: `save`, `update`, and loading the file again.

use std::sync::Arc;

use bytes::Bytes;

use super::activity::ReloadRun;
use super::change::ChangeOptions;
use super::guard::{self, Guard};
use super::include_change::IncludeChange;
use super::local::Engine;
use super::new_text::NewText;
use super::operation::Operation;
use super::outcome::{After, Outcome, OutcomeNote};
use super::retry::unless_overtaken;
use super::snapshot::Snapshot;
use super::transaction::{Change, Transaction};
use crate::error::{Error, ErrorKind};
use mediaconf::has_lost_line_ends;

impl Engine {
    /// Replaces the file, and the running configuration, by a new text; makes the file if it is missing.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn save(&self, new: &NewText, options: &ChangeOptions) -> Result<Outcome, Error> {
        let save = || self.replace_both(Operation::Save, new, options);
        self.counted(Operation::Save, options, || match options.base {
            Some(_) => unless_overtaken(save),
            None => save(),
        })
    }

    /// Replaces both by exactly these bytes, as another operation: what was accepted before is taken as it is.
    ///
    /// # Errors
    /// As [`Engine::save`].
    pub fn replace_as(
        &self,
        operation: Operation,
        text: Bytes,
        options: &ChangeOptions,
    ) -> Result<Outcome, Error> {
        let text = NewText::Whole(text);
        self.counted(operation, options, || self.replace_both(operation, &text, options))
    }

    fn replace_both(
        &self,
        operation: Operation,
        new: &NewText,
        options: &ChangeOptions,
    ) -> Result<Outcome, Error> {
        let transaction = match Transaction::begin(self, operation, options) {
            Ok(transaction) => transaction,
            Err(not) => return not.into_outcome(),
        };
        let is_of_base = options.base.is_some();
        let (state, file) = (transaction.state.as_ref(), transaction.file());
        let mut notes = Vec::new();
        match state {
            Some(state) => transaction.refuse_stale(state, transaction.is_hand_edited(state))?,
            None => transaction.refuse_other_file()?,
        }
        let text = transaction.worked_out(new, &mut notes)?;
        if transaction.hand_edit().is_some_and(|[_, file]| !file.is_same_text(&text)) {
            let is_kept = is_of_base
                || !new.is_whole()
                || (operation == Operation::Save && transaction.is_for_hand_edit());
            let picked_up = transaction.picked_up().filter(|_| is_kept);
            notes.push(picked_up.unwrap_or(OutcomeNote::OverwroteHandEdit));
        }
        let is_unsaved = state.is_some_and(|state| !state.is_saved());
        notes.extend((is_of_base && is_unsaved).then_some(OutcomeNote::SavedEarlierUpdate));
        let before = state.map(|state| &state.running).or(file);
        // A rollback skips this guard: its text was accepted before.
        if operation == Operation::Save {
            self.refuse_one_line([before, file], text.bytes(), options)?;
        }
        let (after, deleted) = self.checked(before, text, options)?;
        notes.extend(deleted);
        let is_same = |old: &Arc<Snapshot>| old.is_same_text(&after);
        let changes = !(before.is_some_and(is_same) && file.is_some_and(is_same));
        let change = replacement(before.cloned(), after, changes, notes);
        transaction.finish(change)
    }

    /// Replaces the running configuration of a server, and leaves the file alone.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn update(&self, text: &Bytes, options: &ChangeOptions) -> Result<Outcome, Error> {
        if self.running.is_none() {
            return Err(self.no_server());
        }
        if options.id.is_some() {
            let message = "an update is in no history, so it has no id";
            return Err(Error::new(ErrorKind::Usage, message));
        }
        self.counted(Operation::Update, options, || self.replace_running(text, options))
    }

    fn replace_running(&self, text: &Bytes, options: &ChangeOptions) -> Result<Outcome, Error> {
        let transaction = match Transaction::begin(self, Operation::Update, options) {
            Ok(transaction) => transaction,
            Err(not) => return not.into_outcome(),
        };
        let Some(state) = &transaction.state else { return Err(Error::no_server()) };
        transaction.refuse_stale(state, false)?;
        let text = transaction.whole_text(text, || Ok(&state.running))?;
        self.refuse_one_line([Some(&state.running), transaction.file()], &text, options)?;
        let (after, deleted) =
            self.checked(Some(&state.running), Snapshot::from_bytes(text).into(), options)?;
        // An update to the text of the file counts as loading the file, so the result is saved.
        let is_same = |other: &Arc<Snapshot>| other.is_same_text(&after);
        let is_new_in_file = transaction.file().is_some_and(is_same) && !is_same(&state.saved);
        let changes = is_new_in_file || !is_same(&state.running);
        let change = replacement(Some(state.running.clone()), after, changes, deleted);
        transaction.finish(change)
    }

    /// Runs the text of the file, which may have been edited by hand.
    ///
    /// # Errors
    /// As [`Engine::update`]; if the file is missing or has errors, the running configuration stays.
    pub fn load_again(&self, by: &str) -> Result<Outcome, Error> {
        self.reconcile_alone();
        let options =
            ChangeOptions { max_delete: Some(usize::MAX), by: by.to_owned(), ..ChangeOptions::default() };
        let loaded = self.counted(Operation::Load, &options, || self.load_file(&options));
        if loaded.is_err() {
            self.note_reload(false, ReloadRun { by: by.to_owned(), ..ReloadRun::default() });
        }
        loaded
    }

    fn load_file(&self, options: &ChangeOptions) -> Result<Outcome, Error> {
        let transaction = match Transaction::begin(self, Operation::Load, options) {
            Ok(transaction) => transaction,
            Err(not) => return not.into_outcome(),
        };
        let Some(state) = &transaction.state else { return Err(Error::no_server()) };
        let Some(file) = transaction.file() else {
            return Err(Error::no_file(self.store.path()));
        };
        let changes = !file.is_same_text(&state.running)
            || !file.is_same_text(&state.saved)
            || self.has_changed_includes();
        let (after, _) = self.checked(Some(&state.running), file.clone(), options)?;
        let change = replacement(Some(state.running.clone()), after, changes, Vec::new());
        transaction.finish(change)
    }

    /// Refuses a text that has lost its line ends, unless it is one of the present texts.
    fn refuse_one_line(
        &self,
        present: [Option<&Arc<Snapshot>>; 2],
        text: &[u8],
        options: &ChangeOptions,
    ) -> Result<(), Error> {
        let is_present = || present.into_iter().flatten().any(|present| present.bytes() == text);
        let is_lost = has_lost_line_ends(text) && !is_present();
        self.refuse_guarded([is_lost.then_some(Guard::OneLine), None], options)
    }

    /// Validates and guards a whole new text; the notes count what it lacks.
    fn checked(
        &self,
        before: Option<&Arc<Snapshot>>,
        after: Arc<Snapshot>,
        options: &ChangeOptions,
    ) -> Result<(Arc<Snapshot>, Vec<OutcomeNote>), Error> {
        if !after.is_valid() {
            return Err(Error::bad_new_text(after));
        }
        if let Some(refusal) = Error::masked_text(after.document().text()) {
            return Err(refusal);
        }
        let included = before.and_then(|before| self.include_change(before, &after));
        let (gone, included_of) = IncludeChange::deleted_streams(included.as_ref());
        let before = before.map(|before| before.document());
        let (deleted, of) = before.map_or((0, 0), |before| guard::deleted_streams(before, after.document()));
        let replacement = guard::before_replacement(before, after.document());
        let deletion = guard::before_deletion(deleted + gone, of + included_of, options.max_delete);
        self.refuse_guarded([replacement, deletion], options)?;
        let deleted = Some(OutcomeNote::DeletedStreams(deleted)).filter(|_| deleted > 0);
        Ok((after, deleted.into_iter().chain(included.map(OutcomeNote::IncludeChange)).collect()))
    }
}

fn replacement(
    before: Option<Arc<Snapshot>>,
    after: Arc<Snapshot>,
    changes: bool,
    notes: Vec<OutcomeNote>,
) -> Change {
    let after = if changes { After::Replaced(after) } else { After::Unchanged };
    Change { before, after, needs_valid: false, notes }
}
