//! What an operation did, or would do.

use std::sync::{Arc, OnceLock};

use super::pending::PendingChange;
use super::snapshot::Snapshot;
use crate::edit::Note;
use crate::edit::text_diff::NewText;
use crate::store::Warning;
use crate::syntax::Splice;

/// What an operation did, or would do.
#[derive(Debug)]
pub struct Outcome {
    /// The configuration before; none if there was no file.
    pub before: Option<Arc<Snapshot>>,
    /// What it becomes; none if nothing changes.
    pub next: Option<After>,
    /// What a user should be told of the edit.
    pub notes: Vec<Note>,
    /// What it had to do with the file beside what was asked for.
    pub remarks: Vec<OutcomeNote>,
    /// What did not go as it should and did not stop the work.
    pub warnings: Vec<Warning>,
    /// That it waits to be confirmed.
    pub pending: Option<Arc<PendingChange>>,
}

/// A configuration that takes the place of another.
#[derive(Debug)]
pub enum After {
    /// The one before, with these edits made; put together as a whole only where somebody asks.
    Edited {
        /// The edits, in order of place.
        splices: Vec<Splice>,
        /// The whole.
        whole: OnceLock<Arc<Snapshot>>,
    },
    /// Another text.
    Replacement(Arc<Snapshot>),
}

/// What a change of a running configuration had to do with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeNote {
    /// An update that was not saved went into the file, too.
    SavedEarlierUpdate,
    /// A hand edit of the file was there first, and is part of the new configuration.
    PickedUpHandEdit,
    /// A hand edit of the file was overwritten; its text is kept in the history.
    OverwroteHandEdit,
    /// So many streams are not in the text that replaces another.
    DeletedStreams(usize),
}

impl Outcome {
    /// The configuration afterwards; none if nothing changes.
    pub fn after(&self) -> Option<Arc<Snapshot>> {
        match self.next.as_ref()? {
            After::Replacement(after) => Some(after.clone()),
            After::Edited { splices, whole } => {
                let before = self.before.as_ref()?;
                let after = || Arc::new(Snapshot::edited(before.document().with(splices), before));
                Some(whole.get_or_init(after).clone())
            }
        }
    }

    /// The new text in pieces; what an edit keeps is taken straight from the text before.
    pub(super) fn pieces(&self) -> Vec<&[u8]> {
        match (&self.next, &self.before) {
            (Some(After::Replacement(after)), _) => vec![after.bytes()],
            (Some(After::Edited { splices, .. }), Some(before)) => {
                NewText::new(before.document().text(), splices).pieces().map(str::as_bytes).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl After {
    /// An edit that was proved.
    pub fn edited(splices: Vec<Splice>) -> Self {
        Self::Edited { splices, whole: OnceLock::new() }
    }
}
