//! A patch becomes operations, splices and a new text, which is verified before anybody sees it.
//!
//! ```text
//! JSON → patch → reduce → plan (merge, align) → layout → splices → new document → verify
//! ```
//!
//! Nothing is printed back from a tree: an edit is a list of splices over the old text, and all
//! bytes outside of them are the old ones.
//!
//! *Invariants.* No I/O and no clock. A document with errors is never edited. An edit that can't
//! be proved is not handed out.

pub mod align;
pub mod assign;
pub mod config_lookup;
pub mod emit;
pub mod expect;
pub mod fault;
pub mod guarded;
pub mod json_diff;
pub mod json_merge;
pub mod json_pointer;
pub mod layout;
mod lis;
pub mod merge;
pub mod misfit;
mod neighbours;
pub mod normalize;
pub mod patch;
pub mod path;
pub mod plan;
mod quoting;
mod removal;
pub mod request;
pub mod schema_path;
pub mod select;
pub mod set_lines;
pub mod shown_path;
mod suggestion;
mod surroundings;
pub mod text_diff;
mod verify;

use std::mem;

use serde_json::{Map, Value};

pub use fault::{Fault, FaultKind, Faults};
pub use json_pointer::Pointer;
pub use plan::Note;
pub use verify::Unproved;

use crate::model::member::Members;
use crate::model::shape::usable_account;
use crate::model::top_members;
use crate::syntax::{Document, Splice};

/// A change of a text, proved to say what was asked for.
#[derive(Debug)]
pub struct Edit {
    /// What changes in the old text; empty if nothing does.
    pub splices: Vec<Splice>,
    /// What a user should be told.
    pub notes: Vec<Note>,
    /// Whether there was a usable account for the API, and will be none.
    pub removes_credentials: bool,
    /// The streams that are deleted.
    pub deleted_streams: Vec<String>,
    /// What is refused unless it is accepted: form changes and near misses.
    pub guarded: Faults,
    /// How many streams there were before.
    pub streams_before: usize,
}

/// Why there is no edit.
#[derive(Debug)]
pub enum EditError {
    /// The patch asks for something that can't be.
    Faults(Faults),
    /// The new text does not say what was asked for: a defect of ours, and nothing is changed.
    Unproved(Unproved),
}

impl From<Faults> for EditError {
    fn from(faults: Faults) -> Self {
        Self::Faults(faults)
    }
}

/// Merges a patch into a document without errors; `None` if that changes nothing.
pub fn modify(document: &Document, patch: Value) -> Result<Option<Edit>, EditError> {
    modify_members(document, &top_members(document), normalize::normalize(patch)?)
}

/// The same for a normalized patch, and a document whose top-level members are known.
pub fn modify_members(
    document: &Document,
    members: &Members<'_>,
    patch: Map<String, Value>,
) -> Result<Option<Edit>, EditError> {
    let mut plan = plan::plan(document, members, &patch)?;
    // What is done with goes at once: each of them can be several times as large as its text.
    drop(patch);
    let splices = layout::splices(document, &mem::take(&mut plan.operations));
    if splices.is_empty() && plan.targets.is_empty() {
        return Ok(None);
    }
    let edited = document.changed_runs(&splices);
    let after = members.after(&edited);
    verify::verify(members, &after, &edited, &plan).map_err(EditError::Unproved)?;
    if splices.is_empty() {
        return Ok(None);
    }
    Ok(Some(Edit {
        removes_credentials: has_credentials(members) && !has_credentials(&after),
        splices,
        guarded: plan.guarded.in_document(members),
        notes: plan.notes,
        deleted_streams: plan.deleted_streams,
        streams_before: members.own_by_key("streams").len(),
    }))
}

fn has_credentials(members: &Members<'_>) -> bool {
    usable_account(members.own_by_key("edit_auth")).is_some()
}
