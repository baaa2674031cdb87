//! A whole new text: given, or worked out of the one that is there.

use std::sync::Arc;

use bytes::Bytes;

use super::conflict::hand_edited;
use super::entry_text::with_entry;
use super::refusal::Refusal;
use super::snapshot::Snapshot;
use super::transaction::{Transaction, hand_edited_since};
use crate::store::StoreError;
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
}

impl NewText {
    /// True if it is given as a whole.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Self::Whole(_))
    }
}

impl Transaction<'_> {
    /// The bytes that are meant.
    pub(super) fn worked_out(&self, new: &NewText) -> Result<Bytes, Refusal> {
        match new {
            NewText::Whole(text) if self.is_made_of_text() => {
                self.on_present(text, self.base()?.as_ref(), self.formattable()?)
            }
            NewText::Whole(text) => Ok(self.meant(text, self.options.expected.as_ref())),
            NewText::Formatted => {
                let present = self.formattable()?;
                if !present.is_valid() {
                    return Err(Refusal::bad_config(present.clone()));
                }
                let new = formatted(present.document()).map_err(EditError::Unproved)?;
                Ok(new.map_or_else(|| present.shared_bytes().clone(), Bytes::from))
            }
            NewText::Entry { path, text } => {
                let (base, present) = (self.base()?, self.formattable()?);
                let whole = with_entry(base.as_ref().unwrap_or(present), path, text)?;
                self.on_present(&whole.into(), base.as_ref(), present)
            }
        }
    }

    /// The text that is worked on: the running one, or the file where that was edited by hand.
    fn formattable(&self) -> Result<&Arc<Snapshot>, Refusal> {
        match (&self.state, self.hand_edit()) {
            (Some(state), Some([_, file])) if state.is_saved() => Ok(file),
            (Some(_), Some(_)) if self.options.base.is_some() => Err(hand_edited(&[])),
            (Some(_), Some(_)) => Err(hand_edited_since()),
            (Some(state), None) => Ok(&state.running),
            (None, _) => self.file().ok_or_else(|| self.no_file()),
        }
    }

    fn no_file(&self) -> Refusal {
        StoreError::NotFound { path: self.engine.store.path().to_owned() }.into()
    }
}
