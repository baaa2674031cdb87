//! The outcome of a change, made or rehearsed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::include_change::IncludeChange;
use super::new_warnings::NewWarning;
use super::snapshot::{Snapshot, compared};
use crate::store::{ChangeId, PendingInfo};
use mediaconf::{Effects, Splice};

/// The outcome of a change, made or rehearsed.
#[derive(Debug)]
pub struct Outcome {
    /// The configuration before; `None` if there was no file.
    pub before: Option<Arc<Snapshot>>,
    /// The text that the file had, where that is another one than `before`.
    pub file: Option<Arc<Snapshot>>,
    /// The configuration afterwards.
    pub after: After,
    /// The id of the change, if it is in the history.
    pub id: Option<ChangeId>,
    /// Side effects that the user should know.
    pub notes: Vec<OutcomeNote>,
    /// The failures that did not stop the change.
    pub warnings: Vec<String>,
    /// The warnings of `check` that the change brings.
    pub new_warnings: Vec<NewWarning>,
    /// The change, if it still has to be confirmed.
    pub pending: Option<PendingInfo>,
}

/// The configuration after a change.
#[derive(Debug)]
pub enum After {
    Unchanged,
    /// The configuration before with these edits.
    Edited {
        /// The edits, in the order of the text.
        splices: Vec<Splice>,
        /// The whole text.
        after: Arc<Snapshot>,
    },
    /// Another configuration.
    Replaced(Arc<Snapshot>),
}

/// A side effect of a change that the user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeNote {
    /// A note of the edit itself.
    Edit(mediaconf::Note),
    /// An earlier update that was not saved went into the file, too.
    SavedEarlierUpdate,
    /// A hand edit of the file became part of the new configuration: the paths of what it changed, in words; empty
    /// where no value of the file did.
    PickedUpHandEdit(String),
    /// A hand edit of the file was overwritten; its text is kept in the history.
    OverwroteHandEdit,
    /// A hand edit of the file was kept, while a change that was not confirmed was rolled back.
    KeptHandEdit,
    /// Entries of included files match, too, and stay as they are: the first of them, with its place.
    AlsoIncluded(String),
    /// Entries of included files go or come with an `include`.
    IncludeChange(IncludeChange),
    /// The replacement text lacks this many streams.
    DeletedStreams(usize),
    /// The history has the change with this id already, so it was not made again.
    HasChange,
    /// Of a rehearsal: another change has to be confirmed before this one can be made.
    OtherPending,
}

impl Outcome {
    /// An outcome without notes.
    pub fn new(before: Option<Arc<Snapshot>>, after: After) -> Self {
        Self {
            before,
            file: None,
            after,
            id: None,
            notes: Vec::new(),
            warnings: Vec::new(),
            new_warnings: Vec::new(),
            pending: None,
        }
    }

    /// The texts before and afterwards.
    pub fn texts(&self) -> impl Iterator<Item = &Arc<Snapshot>> {
        [self.before.as_ref(), self.after()].into_iter().flatten()
    }

    /// The configuration afterwards; `None` if nothing changed and there was no file.
    pub fn after(&self) -> Option<&Arc<Snapshot>> {
        match &self.after {
            After::Unchanged => self.before.as_ref(),
            After::Replaced(after) | After::Edited { after, .. } => Some(after),
        }
    }

    /// True if anything changed.
    pub fn is_change(&self) -> bool {
        !matches!(self.after, After::Unchanged)
    }

    /// Returns the effects of the change on streams; empty if a text has errors.
    pub fn effects(&self) -> Effects {
        let sides = [self.before.as_ref(), self.after()];
        let is_shown = sides.iter().flatten().all(|side| side.is_valid());
        let mut effects = match self.is_change() && is_shown {
            true => compared(sides.map(|side| side.map(|text| &**text)), Effects::between),
            false => Effects::default(),
        };
        for note in &self.notes {
            if let OutcomeNote::IncludeChange(IncludeChange { gone, come, streams_before, .. }) = note {
                effects.include(*gone, *come, *streams_before);
            }
        }
        effects
    }
}

impl After {
    /// The configuration before with these proved edits.
    pub fn edited(splices: Vec<Splice>, after: Arc<Snapshot>) -> Self {
        Self::Edited { splices, after }
    }
}
