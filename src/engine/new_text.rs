//! A whole new text: given, or worked out of the one that is there.

use std::sync::Arc;

use bytes::Bytes;

use super::entry_text::with_entry;
use super::options::Expected;
use super::refusal::Refusal;
use super::snapshot::Snapshot;
use super::transaction::{Transaction, hand_edited_since, stale};
use crate::store::{Revision, StoreError, WHOLE_HISTORY};
use mediaconf::plumbing::edit::draft::{Merged, merge};
use mediaconf::plumbing::edit::{EditError, Path, formatted};

/// A whole new text.
#[derive(Clone)]
pub enum NewText {
    /// Exactly these bytes.
    Whole(Bytes),
    /// The text that is there, formatted.
    Formatted,
    /// The text that is there, with another text of one entry.
    Entry { path: Path, text: Bytes },
    /// The text of the file with an edit.
    Edited {
        /// The revision of the text that was edited.
        base: Revision,
        /// The edited text.
        text: Bytes,
        /// True if it is merged with the changes of others meanwhile; otherwise it is refused then.
        merges: bool,
    },
}

impl NewText {
    /// True if a hand edit of the file is in it, because it is made of the file.
    pub(super) fn is_of_file(&self) -> bool {
        !matches!(self, Self::Whole(_))
    }
}

impl Transaction<'_> {
    /// The bytes that are meant.
    pub(super) fn worked_out(&self, new: &NewText) -> Result<Bytes, Refusal> {
        match new {
            NewText::Whole(text) => Ok(self.meant(text, self.options.expected.as_ref())),
            NewText::Formatted => {
                let present = self.formattable()?;
                if !present.is_valid() {
                    return Err(Refusal::bad_config(present.clone()));
                }
                let new = formatted(present.document()).map_err(EditError::Unproved)?;
                Ok(new.map_or_else(|| present.shared_bytes().clone(), Bytes::from))
            }
            NewText::Entry { path, text } => with_entry(self.formattable()?, path, text).map(Bytes::from),
            NewText::Edited { base, text, merges } => self.edited(*base, text, *merges),
        }
    }

    /// The text that is worked on: the running one, or the file where that was edited by hand.
    fn formattable(&self) -> Result<&Arc<Snapshot>, Refusal> {
        match (&self.state, self.hand_edit()) {
            (Some(state), Some([_, file])) if state.is_saved() => Ok(file),
            (Some(_), Some(_)) => Err(hand_edited_since()),
            (Some(state), None) => Ok(&state.running),
            (None, _) => self.file().ok_or_else(|| self.no_file()),
        }
    }

    fn no_file(&self) -> Refusal {
        StoreError::NotFound { path: self.engine.store.path().to_owned() }.into()
    }

    fn edited(&self, base: Revision, text: &Bytes, merges: bool) -> Result<Bytes, Refusal> {
        let running = || self.state.as_ref().map(|state| &state.running);
        let present = self.file().or_else(running).ok_or_else(|| self.no_file())?;
        if present.revision() == base {
            return Ok(text.clone());
        }
        let made_for = Expected::OneOf(vec![base]);
        if self.is_taken_out_of(Some(&made_for)) {
            return Ok(self.meant(text, Some(&made_for)));
        }
        let base = if merges { self.text_with(base)? } else { None };
        match base.map(|base| merge(&base, text, present.bytes())) {
            // Whoever made the edit has to see a merged text with errors.
            Some(Merged::Clean(merged)) if Snapshot::from_bytes(merged.clone()).is_valid() => {
                Ok(merged.into())
            }
            Some(Merged::Clean(_) | Merged::Clash(_)) | None => Err(stale()),
        }
    }

    /// The text with a revision, which ran or is in the history; `None` where it is known no more.
    fn text_with(&self, revision: Revision) -> Result<Option<Vec<u8>>, Refusal> {
        let known = self.state.iter().flat_map(|state| [&state.running, &state.saved]);
        if let Some(text) = known.into_iter().find(|text| text.revision() == revision) {
            return Ok(Some(text.bytes().to_vec()));
        }
        let store = &self.engine.store;
        let kept = store.history(WHOLE_HISTORY)?.into_iter().find(|entry| entry.before == Some(revision));
        Ok(kept.map(|entry| store.kept(entry.serial)).transpose()?.flatten())
    }
}
