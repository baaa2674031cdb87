//! A whole new text: given, or worked out of the one that is there.

use std::mem;
use std::sync::Arc;

use bytes::Bytes;

use super::change::EntryEdits;
use super::conflict::hand_edited_and_updated;
use super::entry_text::with_entry;
use super::outcome::OutcomeNote;
use super::snapshot::Snapshot;
use super::transaction::{Transaction, hand_edited_since};
use crate::error::Error;
use mediaconf::Request;

/// A whole new text.
#[derive(Clone)]
pub enum NewText {
    /// Exactly these bytes.
    Whole(Bytes),
    /// The text that is there, formatted.
    Formatted,
    /// The text that is there, with other texts of entries.
    Entries(EntryEdits),
}

impl NewText {
    /// True if it is given as a whole.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Self::Whole(_))
    }
}

impl Transaction<'_> {
    /// The text that is meant.
    pub(super) fn worked_out(
        &self,
        new: &NewText,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<Arc<Snapshot>, Error> {
        let bytes = match new {
            NewText::Whole(text) => self.whole_text(text, || self.formattable())?,
            NewText::Formatted => {
                let present = self.formattable()?;
                if !present.is_valid() {
                    return Err(Error::bad_config(present.clone()));
                }
                let new = present.document().formatted()?;
                return Ok(new.map_or_else(|| present.clone(), |new| Snapshot::from_document(new).into()));
            }
            NewText::Entries(entries) => {
                let (base, present) = (self.base()?, self.formattable()?);
                if let (Some(then), true) = (&entries.then, base.is_some() && present.is_valid()) {
                    then.refuse_unmet(&present.config())?;
                }
                let whole = self.with_entries(base.as_ref().unwrap_or(present), entries, notes)?;
                self.on_present(whole.shared_bytes(), base.as_ref(), present)?
            }
        };
        Ok(Snapshot::from_bytes(bytes).into())
    }

    /// A text with the texts of entries, and then with the change of values.
    fn with_entries(
        &self,
        text: &Arc<Snapshot>,
        EntryEdits { texts, then }: &EntryEdits,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<Arc<Snapshot>, Error> {
        let mut whole = text.clone();
        for edit in texts {
            self.options.refuse_late()?;
            self.refuse_included_entry(&whole, &edit.path)?;
            whole = Arc::new(Snapshot::from_bytes(with_entry(&whole, edit)?));
        }
        let edited =
            then.as_ref().map(|request| self.with_values(&whole, request, notes)).transpose()?.flatten();
        Ok(edited.unwrap_or(whole))
    }

    /// A text with a change of values; `None` if it changes nothing.
    fn with_values(
        &self,
        text: &Arc<Snapshot>,
        request: &Request,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        if !text.is_valid() {
            return Err(Error::bad_new_text(text.clone()));
        }
        let (config, document) = (text.config(), text.document());
        let evaluated = request.evaluate(&config);
        let patch = evaluated.as_ref().ok().map(|done| &done.patch);
        notes.extend(self.refuse_included(request, text, patch)?);
        let mut evaluated = evaluated?;
        let of_request = mem::take(&mut evaluated.notes);
        let Some(edit) = request.edit(evaluated, document, &config)? else { return Ok(None) };
        notes.extend(of_request.into_iter().chain(edit.notes).map(OutcomeNote::Edit));
        self.engine.refuse_faults(edit.guarded, self.options)?;
        Ok(Some(Arc::new(Snapshot::proved(edit.document))))
    }

    /// The text that is worked on: the running one, or the file where that was edited by hand.
    fn formattable(&self) -> Result<&Arc<Snapshot>, Error> {
        match (&self.state, self.hand_edit()) {
            (Some(state), Some([_, file])) if state.is_saved() => Ok(file),
            (Some(_), Some(_)) if self.options.base.is_some() => Err(hand_edited_and_updated()),
            (Some(_), Some(_)) => Err(hand_edited_since()),
            (Some(state), None) => Ok(&state.running),
            (None, _) => self.file().ok_or_else(|| self.no_file()),
        }
    }

    fn no_file(&self) -> Error {
        Error::no_file(self.engine.store.path())
    }
}
