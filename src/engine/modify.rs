//! Merging a patch into the configuration.

use std::mem;
use std::sync::Arc;

use serde_json::Value;

use super::change::{ChangeOptions, ChangeReport, Operation, OutcomeNote};
use super::guard::{self, Guard};
use super::include::IncludeChange;
use super::local::Engine;
use super::rebase::{conflicts, hand_edited, hand_edited_and_updated, hand_edited_badly};
use super::running::ServerState;
use super::snapshot::Snapshot;
use super::transaction::Transaction;
use crate::error::{Error, ErrorKind};
use mediaconf::{Document, Edit, Masker, Request};

/// The text that a patch is merged into.
struct Basis {
    text: Arc<Snapshot>,
    /// True if it is a file with a hand edit that the server has not loaded.
    is_hand_edit: bool,
}

impl Engine {
    /// Evaluates `request` to a patch, merges that into the running configuration, and saves the result.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn modify(&self, request: &Request, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        self.make_change(Operation::Modify, options, |transaction| {
            let mut notes = Vec::new();
            let basis = transaction.basis(&mut notes)?;
            let edited = transaction.edit(request, &basis, &mut notes)?;
            let before = basis.text;
            let report = match edited {
                Some(after) => ChangeReport::of_change(Some(before), after),
                // The patch changes nothing, but an unsaved running configuration is saved all the same.
                None => {
                    let is_stored = transaction.file().is_some_and(|file| file.is_same_text(&before));
                    let runs = |state: &ServerState| state.running.is_same_text(&before);
                    let is_saved = is_stored && transaction.state.as_ref().is_none_or(runs);
                    ChangeReport::between(Some(before.clone()), before, !is_saved)
                }
            };
            Ok(ChangeReport { notes, ..report })
        })
    }
}

impl Transaction<'_> {
    /// Chooses the text that a patch is merged into, by the running configuration, the file and its
    /// hand edit.
    fn basis(&self, notes: &mut Vec<OutcomeNote>) -> Result<Basis, Error> {
        // With a base, `force` overrides only values that both changed, and leaves all others.
        let is_merged = self.options.base.is_some();
        let force = self.options.force && !is_merged;
        let Some(state) = &self.state else {
            self.refuse_stale(false)?;
            notes.extend(self.picked_up());
            let file = self.file().expect("a local modify has loaded a file");
            return Ok(Basis { text: file.clone(), is_hand_edit: false });
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
        self.refuse_stale(is_hand_edit)?;
        match (is_hand_edit, state.is_saved(), edited) {
            (false, true, _) => {
                if self.engine.has_changed_includes() {
                    let included = self.engine.included_in_words(&state.running);
                    notes.push(OutcomeNote::PickedUpHandEdit(included));
                }
            }
            (false, false, _) => notes.push(OutcomeNote::SavedEarlierUpdate),
            (true, _, _) if force => notes.push(OutcomeNote::OverwroteHandEdit),
            (true, true, Some(file)) => {
                notes.extend(self.picked_up());
                return Ok(Basis { text: file.clone(), is_hand_edit: true });
            }
            (true, _, _) if is_merged => return Err(hand_edited_and_updated()),
            (true, _, _) => return Err(hand_edited(&[])),
        }
        Ok(Basis { text: state.running.clone(), is_hand_edit: false })
    }

    /// Evaluates the request, once, on the text that it is merged into; `None` if it changes nothing.
    fn edit(
        &self,
        request: &Request,
        basis: &Basis,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        let (engine, options, text) = (self.engine, self.options, &basis.text);
        let base = self.base()?;
        if !text.is_valid() {
            return Err(Error::bad_config(text.clone()));
        }
        let named = request.named_deletions();
        let made_again = match base.filter(|base| !base.is_same_text(text)) {
            Some(base) => Some(self.request_on_present(request, &base, text)?),
            None => None,
        };
        let request = made_again.as_ref().unwrap_or(request);
        let state = self.state.as_ref().filter(|_| basis.is_hand_edit);
        let refuse = |patch: &Value| state.map_or(Ok(()), |state| self.refuse_conflicts(state, text, patch));
        let Some(edit) = self.evaluated(request, text, notes, refuse)? else { return Ok(None) };
        engine.refuse_faults(edit.guarded, options)?;
        let unnamed = edit.deleted_streams.iter().filter(|name| !named.contains(name.as_str())).count();
        let credentials = edit.removes_credentials.then_some(Guard::WouldRemoveCredentials);
        let after = Arc::new(Snapshot::proved(edit.document));
        let masked = Error::masked_text(after.document().text());
        if let Some(refusal) = masked.filter(|_| !Masker::holds_mask(text.document().text())) {
            return Err(refusal);
        }
        let included = engine.include_change(text, &after);
        let (gone, of) = IncludeChange::deleted_streams(included.as_ref());
        let deletion = guard::before_deletion(unnamed + gone, edit.streams_before + of, options.max_delete);
        engine.refuse_guarded([credentials, deletion], options)?;
        notes.extend(included.map(OutcomeNote::IncludeChange));
        notes.extend(edit.notes.into_iter().map(OutcomeNote::Edit));
        Ok(Some(after))
    }

    /// Evaluates the request to one patch, and merges that, unless it is refused; `None` if it changes nothing. The
    /// doubts are left to the caller.
    pub(super) fn evaluated(
        &self,
        request: &Request,
        text: &Arc<Snapshot>,
        notes: &mut Vec<OutcomeNote>,
        refuse: impl FnOnce(&Value) -> Result<(), Error>,
    ) -> Result<Option<Edit>, Error> {
        let config = text.config();
        let evaluated = request.evaluate(&config);
        let patch = evaluated.as_ref().ok().map(|done| &done.patch);
        if let Some(composed) = self.engine.composed(text, self.engine.followed()) {
            notes.extend(composed.refuse_change(request, patch, self.options)?);
        }
        let mut evaluated = evaluated?;
        notes.extend(mem::take(&mut evaluated.notes).into_iter().map(OutcomeNote::Edit));
        refuse(&evaluated.patch)?;
        Ok(request.edit(evaluated, text.document(), &config)?)
    }

    /// Refuses a patch that changes the same values as the hand edit of the file.
    fn refuse_conflicts(&self, state: &ServerState, file: &Snapshot, patch: &Value) -> Result<(), Error> {
        let file: &Document = file.document();
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
