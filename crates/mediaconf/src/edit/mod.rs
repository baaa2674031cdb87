//! Turns a patch into changes of lines and words, splices and a new text, which is verified before it is handed out.
//!
//! ```text
//! JSON → patch → normalize → sync (read, merge, write, compare) → layout → splices → new document → verify
//! ```
//!
//! No text is printed from a tree: an edit is a list of splices over the old text, and every byte
//! outside of them is the old one.
//!
//! *Invariants.* No I/O and no clock. A document with errors is never edited. An edit that can't
//! be proved is never returned.

pub(crate) mod align;
mod assign;
mod comments;
mod completion;
mod condition;
mod config_lookup;
mod expect;
mod explain;
mod found_value;
#[cfg(test)]
mod growth;
pub mod guarded;
mod here;
mod layout;
mod normalize;
mod notes;
mod option_keys;
mod order;
mod path;
mod ports;
mod protocol_switch;
pub(crate) mod schema_path;
mod select;
mod shell_word;
mod side_effects;
mod sources;
mod substitution;
mod suggestion;
pub(crate) mod surroundings;
mod sync;
pub(crate) mod typed;
mod verify;
mod words;

pub use crate::schema::fault::{Fault, FaultKind, Faults, joined};
pub use crate::schema::patch;
pub(crate) use assign::Computed;
pub use assign::{AssignOptions, AssignedValue, Assignment, to_patch};
pub use completion::{Completion, PathUse, Proposal};
pub use condition::{Condition, keys_that_all_lack};
pub use config_lookup::{ConfigLookup, LocalView};
pub use expect::{Expectation, unmet};
pub use explain::{Explanation, explain};
pub use found_value::{FoundValue, ValueSource, inherited_value, inherited_values};
pub use here::FoundAt;
pub use normalize::normalize;
pub use path::{EVERY, Path, Segment, glob_matches, split_assignment};
pub(crate) use protocol_switch::resolved;
pub use schema_path::{Place, own_value};
pub use select::{Expansion, Selection, entries_at, no_entry, select, select_each, select_where};
pub use shell_word::quoted;
pub use substitution::Substitution;
pub use suggestion::UnknownKey;
pub(crate) use suggestion::missing;

use serde_json::Value;
use thiserror::Error;

pub use crate::schema::json_pointer::Pointer;
pub use notes::Note;
pub use verify::Unproved;

use crate::model::{top_members, usable_account};
use crate::schema::members::Members;
use crate::schema::{DirectiveRole, Kind, Object};
use crate::syntax::{Document, Splice};
use sync::Sync;

/// A change of a text, proved to do what the patch says.
#[derive(Debug)]
pub struct Edit {
    /// The changes of the old text.
    pub splices: Vec<Splice>,
    /// The new text.
    pub document: Document,
    /// The notes for users about the edit.
    pub notes: Vec<Note>,
    /// True if the old text has a usable account for the API, and the new text has none.
    pub removes_credentials: bool,
    /// The names of the deleted streams.
    pub deleted_streams: Vec<String>,
    /// Form changes and near misses, which are refused unless they are accepted.
    pub guarded: Faults,
    /// The number of streams in the old text.
    pub streams_before: usize,
}

/// Why a request can't be carried out.
#[derive(Debug, Error)]
pub enum EditError {
    /// The request has faults.
    #[error(transparent)]
    Faults(Faults),
    /// The new text does not match the patch: a bug of this program. Nothing is changed.
    #[error(transparent)]
    Unproved(Unproved),
}

impl<F: Into<Faults>> From<F> for EditError {
    fn from(faults: F) -> Self {
        Self::Faults(faults.into())
    }
}

/// Returns the edit that merges a patch into a document without errors; `None` if it changes nothing.
///
/// # Errors
/// The patch has faults, or is one of the [doubts](FaultKind::DOUBTS) that are not accepted.
pub fn modify(document: &Document, patch: Value, accepted: &[FaultKind]) -> Result<Option<Edit>, EditError> {
    let edit = modify_members(document, &top_members(document), normalize::normalize(patch)?)?;
    let doubts = edit.iter().flat_map(|edit| &edit.guarded.0);
    let refused = doubts.filter(|doubt| !accepted.contains(&doubt.kind)).cloned().collect();
    Ok(Faults(refused).into_result(edit)?)
}

/// The same for a normalized patch, and a document whose top-level members are known. The doubts are left to the caller.
pub fn modify_members(
    document: &Document,
    members: &Members<'_>,
    patch: Object,
) -> Result<Option<Edit>, EditError> {
    let patch = resolved(members, patch)?;
    synced(document, members, |sync| sync.top_level(&patch))
}

/// Makes the changes of a text that a function finds, and proves them.
pub(crate) fn synced<'d>(
    document: &'d Document,
    members: &Members<'d>,
    change: impl FnOnce(&mut Sync<'_, 'd>),
) -> Result<Option<Edit>, EditError> {
    let mut sync = Sync::new(document, members);
    change(&mut sync);
    let Sync { around, operations, promises, notes, deleted_streams, guarded, faults, .. } = sync;
    faults.into_result(())?;
    let layout::LaidOut { splices, mut gone } = layout::edits(&around, &operations);
    // Operations can be several times as large as their text.
    drop(operations);
    if splices.is_empty() && promises.is_empty() {
        return Ok(None);
    }
    let edited = document.edited(&splices);
    let after = top_members(&edited);
    promises.verify(members, &after, &edited).map_err(EditError::Unproved)?;
    gone.extend(promises.gone);
    verify::verify_comments(document, &edited, &splices, &gone).map_err(EditError::Unproved)?;
    if splices.is_empty() {
        return Ok(None);
    }
    let removes_credentials = has_credentials(members) && !has_credentials(&after);
    Ok(Some(Edit {
        splices,
        document: edited,
        notes,
        removes_credentials,
        deleted_streams,
        guarded: guarded.in_document(members),
        streams_before: members.own_by_key(Kind::Streams.key()).len(),
    }))
}

fn has_credentials(members: &Members<'_>) -> bool {
    usable_account(members.own_by_key(DirectiveRole::Editor.key(members.scope()))).is_some()
}
