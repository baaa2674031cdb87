//! What an operation did, or would do.

use std::sync::OnceLock;

use super::snapshot::Snapshot;
use crate::edit::Note;
use crate::edit::text_diff::NewText;
use crate::store::Warning;
use crate::syntax::Splice;

/// What an operation did, or would do.
#[derive(Debug)]
pub struct Change {
    /// The configuration before; none if there was no file.
    pub before: Option<Snapshot>,
    /// What it becomes; none if nothing changes.
    pub next: Option<Next>,
    /// What a user should be told of the edit.
    pub notes: Vec<Note>,
    /// What did not go as it should and did not stop the work.
    pub warnings: Vec<Warning>,
}

/// A configuration that takes the place of another.
#[derive(Debug)]
pub enum Next {
    /// The one before, with these edits made; put together as a whole only where somebody asks.
    Edited {
        /// The edits, in order of place.
        splices: Vec<Splice>,
        /// The whole.
        whole: OnceLock<Snapshot>,
    },
    /// Another text.
    Replacement(Snapshot),
}

impl Change {
    /// The configuration afterwards; none if nothing changes.
    pub fn after(&self) -> Option<&Snapshot> {
        match self.next.as_ref()? {
            Next::Replacement(after) => Some(after),
            Next::Edited { splices, whole } => {
                let before = self.before.as_ref()?;
                Some(whole.get_or_init(|| Snapshot::edited(before.document().with(splices))))
            }
        }
    }
}

impl Next {
    /// An edit that was proved.
    pub fn edited(splices: Vec<Splice>) -> Self {
        Self::Edited { splices, whole: OnceLock::new() }
    }

    /// The text in pieces; what an edit keeps is taken straight from the text before.
    pub(super) fn pieces<'a>(&'a self, before: Option<&'a Snapshot>) -> Vec<&'a [u8]> {
        match (self, before) {
            (Self::Replacement(after), _) => vec![after.bytes()],
            (Self::Edited { splices, .. }, Some(before)) => {
                NewText::new(before.document().text(), splices).pieces().map(str::as_bytes).collect()
            }
            (Self::Edited { .. }, None) => Vec::new(),
        }
    }
}
