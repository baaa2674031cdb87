//! Merging a patch into the configuration.

use std::sync::Arc;

use serde_json::Value;

use super::{
    ChangeReport, OutcomeNote, ServerState, Snapshot, Transaction, conflicts, guard, hand_edited,
    hand_edited_and_updated, hand_edited_badly, removed_since,
};
use crate::error::{Error, ErrorKind};
use mediaconf::{Edit, Masker, Request};

impl Transaction<'_> {
    /// Evaluates the request to a patch, and merges that into the running configuration, or into the file.
    pub(super) fn modify(&mut self, request: &Request) -> Result<ChangeReport, Error> {
        let (text, edited_since) = self.basis()?;
        let base = self.base()?;
        text.refuse_errors()?;
        let made_again = match base.filter(|base| !base.is_same_text(&text)) {
            Some(base) => Some(self.request_on_present(request, &base, &text)?),
            None => None,
        };
        let request = made_again.as_ref().unwrap_or(request);
        let Some(edit) = self.edit_of(request, &text, edited_since.as_ref())? else {
            // The patch changes nothing, but an unsaved running configuration is saved all the same.
            let runs = |state: &ServerState| state.running.is_same_text(&text);
            let is_saved = self.file().is_some_and(|file| file.is_same_text(&text))
                && self.state.as_ref().is_none_or(runs);
            return Ok(ChangeReport::between(Some(text.clone()), text, !is_saved));
        };
        self.options.refused(edit.guarded).into_result(())?;
        self.notes.extend((edit.inner_streams > 0).then_some(OutcomeNote::InnerStreams(edit.inner_streams)));
        self.notes.extend((edit.renamed_uses > 0).then_some(OutcomeNote::RenamedUses(edit.renamed_uses)));
        let may_delete = edit.deleted_streams > 0 || !text.includes().is_empty();
        let after = Arc::new(Snapshot::proved(edit.document));
        let deleted =
            if may_delete { guard::deleted_streams(text.document(), after.document()) } else { (0, 0) };
        let credentials = guard::before_lost_account(&text, &after);
        let emptied = if request.prunes() { self.emptied(&text, &after) } else { None };
        let masked = Error::masked_text(after.document().text());
        if let Some(refusal) = masked.filter(|_| !Masker::holds_mask(text.document().text())) {
            return Err(refusal);
        }
        self.refuse_loss([&text, &after], self.open(credentials).or(emptied), deleted)?;
        Ok(ChangeReport::of_change(Some(text), after))
    }

    /// Chooses the text that a patch is merged into, by the running configuration, the file and its hand edit; and the
    /// state of the server, if that has not loaded the text because it was edited by hand.
    fn basis(&mut self) -> Result<(Arc<Snapshot>, Option<ServerState>), Error> {
        // With a base, `force` overrides only values that both changed, and leaves all others.
        let is_merged = self.options.base.is_some();
        let force = self.options.force && !is_merged;
        let Some(state) = self.state.clone() else {
            self.refuse_stale()?;
            self.notes.extend(self.found_hand_edit());
            return Ok((self.file().expect("a local modify has loaded a file").clone(), None));
        };
        let is_hand_edit = self.is_hand_edited();
        let edited = self.file().filter(|_| is_hand_edit && !force).cloned();
        if let Some(file) = edited.as_ref().filter(|file| !file.is_valid()) {
            let kind = if self.options.expected.is_some() { ErrorKind::Stale } else { ErrorKind::Conflict };
            return Err(hand_edited_badly(kind, file, self.engine.has_history()));
        }
        self.refuse_stale()?;
        match (is_hand_edit, state.is_saved(), edited) {
            (false, true, _) => {}
            (false, false, _) => self.notes.push(OutcomeNote::SavedEarlierUpdate),
            (true, _, _) if force => self.notes.push(OutcomeNote::OverwroteHandEdit),
            (true, true, Some(file)) => {
                self.notes.extend(self.found_hand_edit());
                return Ok((file, Some(state)));
            }
            (true, _, None) => return Err(removed_since()),
            (true, _, _) if is_merged => return Err(hand_edited_and_updated()),
            (true, _, _) => return Err(hand_edited(&[])),
        }
        Ok((state.running, None))
    }

    /// The edit that a request makes of `text`, evaluated to one patch; `None` if it changes nothing. The
    /// doubts are left to the caller. `edited_since` is the state of a server whose file has the text by a hand edit.
    pub(super) fn edit_of(
        &mut self,
        request: &Request,
        text: &Arc<Snapshot>,
        edited_since: Option<&ServerState>,
    ) -> Result<Option<Edit>, Error> {
        let config = text.config();
        let patch = request.evaluate(&config);
        if let Some(composed) = self.engine.composed(text) {
            composed.refuse_change(request, patch.as_ref().ok(), self.options)?;
        }
        let patch = patch?;
        if let Some(state) = edited_since {
            self.refuse_conflicts(state, text, &patch)?;
        }
        Ok(request.edit(patch, text.document(), &config)?)
    }

    /// Refuses a patch that changes the same values as the hand edit of the file.
    fn refuse_conflicts(&self, state: &ServerState, file: &Snapshot, patch: &Value) -> Result<(), Error> {
        let conflicts = conflicts(state.saved.document(), file.document(), patch);
        if self.options.base.is_none() && !conflicts.is_empty() {
            return Err(hand_edited(&conflicts));
        }
        // The hand edit may have removed the account. API users would lose access only now, with this
        // change.
        let guard = guard::before_replacement(Some(&state.running), file);
        self.options.refuse([guard])
    }
}
