//! Merging a patch into the configuration.

use std::mem;
use std::sync::Arc;

use serde_json::Value;

use super::change::ChangeOptions;
use super::conflict::{conflicts, hand_edited, hand_edited_and_updated, hand_edited_badly};
use super::guard::{self, Guard};
use super::include_change::IncludeChange;
use super::judgement::may_include;
use super::local::Engine;
use super::operation::Operation;
use super::outcome::{After, Outcome, OutcomeNote};
use super::retry::unless_overtaken;
use super::running::ServerState;
use super::snapshot::Snapshot;
use super::transaction::{Change, Transaction};
use crate::error::{Error, ErrorKind};
use mediaconf::{Document, Edit, Masker, Request};

/// The text that a patch is merged into.
struct Basis {
    text: Arc<Snapshot>,
    /// True if it is a file with a hand edit that the server has not loaded.
    is_hand_edit: bool,
    note: Option<OutcomeNote>,
}

impl Engine {
    /// Evaluates `request` to a patch, merges that into the running configuration, and saves the result.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn modify(&self, request: &Request, options: &ChangeOptions) -> Result<Outcome, Error> {
        self.counted(Operation::Modify, options, || unless_overtaken(|| self.merge(request, options)))
    }

    fn merge(&self, request: &Request, options: &ChangeOptions) -> Result<Outcome, Error> {
        let mut transaction = match Transaction::begin(self, Operation::Modify, options) {
            Ok(transaction) => transaction,
            Err(not) => return not.into_outcome(),
        };
        let basis = transaction.basis()?;
        let change = transaction.evaluate(request, basis)?;
        transaction.finish(change)
    }
}

impl Transaction<'_> {
    /// Chooses the text that a patch is merged into, by the running configuration, the file and its
    /// hand edit.
    fn basis(&self) -> Result<Basis, Error> {
        // With a base, `force` overrides only values that both changed, and leaves all others.
        let is_merged = self.options.base.is_some();
        let force = self.options.force && !is_merged;
        let Some(state) = &self.state else {
            self.refuse_other_file()?;
            let file = self.file().expect("a local modify has loaded a file");
            return Ok(Basis { text: file.clone(), is_hand_edit: false, note: self.picked_up() });
        };
        let is_hand_edit = self.is_hand_edited(state);
        let edited = self.file().filter(|_| is_hand_edit && !force);
        if let Some(file) = edited.filter(|file| !file.is_valid()) {
            let kind = match self.options.expected {
                Some(_) => ErrorKind::HandEditedSince,
                None => ErrorKind::HandEdited,
            };
            return Err(hand_edited_badly(kind, file, is_merged));
        }
        self.refuse_stale(state, is_hand_edit)?;
        let running = |note| Basis { text: state.running.clone(), is_hand_edit: false, note };
        match (is_hand_edit, state.is_saved(), edited) {
            (false, true, _) => {
                let is_edited = self.engine.has_changed_includes();
                let note = is_edited
                    .then(|| OutcomeNote::PickedUpHandEdit(self.engine.included_in_words(&state.running)));
                Ok(running(note))
            }
            (false, false, _) => Ok(running(Some(OutcomeNote::SavedEarlierUpdate))),
            (true, _, _) if force => Ok(running(Some(OutcomeNote::OverwroteHandEdit))),
            (true, true, Some(file)) => {
                Ok(Basis { text: file.clone(), is_hand_edit: true, note: self.picked_up() })
            }
            (true, _, _) if is_merged => Err(hand_edited_and_updated()),
            (true, _, _) => Err(hand_edited(&[])),
        }
    }

    /// Evaluates the request, once, on the text that it is merged into.
    fn evaluate(&mut self, request: &Request, basis: Basis) -> Result<Change, Error> {
        let mut notes: Vec<_> = basis.note.clone().into_iter().collect();
        let base = self.base()?;
        let edited = self.edit(request, &basis, base.as_ref(), &mut notes);
        let before = basis.text;
        let after = match edited {
            Ok(Some(after)) => after,
            // The patch changes nothing, but an unsaved running configuration is saved all the same.
            Ok(None) => {
                let is_stored = self.file().is_some_and(|file| file.is_same_text(&before));
                let runs = |state: &ServerState| state.running.is_same_text(&before);
                match is_stored && self.state.as_ref().is_none_or(runs) {
                    true => After::Unchanged,
                    false => After::edited(Vec::new(), before.clone()),
                }
            }
            Err(error) => return Err(error),
        };
        Ok(Change { before: Some(before), after, needs_valid: true, notes })
    }

    fn edit(
        &mut self,
        request: &Request,
        basis: &Basis,
        base: Option<&Arc<Snapshot>>,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<Option<After>, Error> {
        let (engine, options) = (self.engine, self.options);
        if !basis.text.is_valid() {
            return Err(Error::bad_config(basis.text.clone()));
        }
        let named = request.named_deletions();
        let made_again = match base.filter(|base| !base.is_same_text(&basis.text)) {
            Some(base) => Some(self.request_on_present(request, base, &basis.text)?),
            None => None,
        };
        let request = made_again.as_ref().unwrap_or(request);
        let Some(edit) = self.evaluated(request, basis, notes)? else { return Ok(None) };
        engine.refuse_faults(edit.guarded, options)?;
        let unnamed = edit.deleted_streams.iter().filter(|name| !named.contains(name.as_str())).count();
        let credentials = edit.removes_credentials.then_some(Guard::WouldRemoveCredentials);
        let is_judged = may_include(&basis.text, &edit.splices);
        let after = Arc::new(Snapshot::proved(edit.document));
        let masked = Error::masked_text(after.document().text());
        if let Some(refusal) = masked.filter(|_| !Masker::holds_mask(basis.text.document().text())) {
            return Err(refusal);
        }
        let included = is_judged.then(|| engine.include_change(&basis.text, &after)).flatten();
        let (gone, of) = IncludeChange::deleted_streams(included.as_ref());
        let deletion = guard::before_deletion(unnamed + gone, edit.streams_before + of, options.max_delete);
        engine.refuse_guarded([credentials, deletion], options)?;
        notes.extend(included.map(OutcomeNote::IncludeChange));
        notes.extend(edit.notes.into_iter().map(OutcomeNote::Edit));
        Ok(Some(After::edited(edit.splices, after)))
    }

    /// Evaluates the request to one patch, and merges that.
    fn evaluated(
        &mut self,
        request: &Request,
        basis: &Basis,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<Option<Edit>, Error> {
        let (document, config) = (basis.text.document(), basis.text.config());
        let evaluated = request.evaluate(&config);
        let patch = evaluated.as_ref().ok().map(|done| &done.patch);
        notes.extend(self.refuse_included(request, &basis.text, patch)?);
        let mut evaluated = evaluated?;
        notes.extend(mem::take(&mut evaluated.notes).into_iter().map(OutcomeNote::Edit));
        if let (true, Some(state)) = (basis.is_hand_edit, &self.state) {
            self.refuse_conflicts(state, document, &evaluated.patch)?;
        }
        Ok(request.edit(evaluated, document, &config)?)
    }

    /// Refuses a patch that changes the same values as the hand edit of the file.
    fn refuse_conflicts(&self, state: &ServerState, file: &Document, patch: &Value) -> Result<(), Error> {
        let conflicts = conflicts(state.saved.document(), file, patch);
        if self.options.base.is_none() && !conflicts.is_empty() {
            return Err(hand_edited(&conflicts));
        }
        // The hand edit may have removed the account. API users would lose access only now, with this
        // change.
        let guard = guard::before_replacement(Some(state.running.document()), file);
        self.engine.refuse_guarded([guard, None], self.options)
    }
}
