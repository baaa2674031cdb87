//! Turns a patch into operations, splices and a new text, which is verified before it is handed out.
//!
//! ```text
//! JSON → patch → normalize → plan (merge, align) → layout → splices → new document → verify
//! ```
//!
//! No text is printed from a tree: an edit is a list of splices over the old text, and every byte
//! outside of them is the old one.
//!
//! *Invariants.* No I/O and no clock. A document with errors is never edited. An edit that can't
//! be proved is never returned.

mod align;
pub mod assign;
pub mod block_request;
pub mod completion;
pub mod condition;
pub mod config_lookup;
pub mod desired_state;
pub mod draft;
pub mod effects;
mod emit;
pub mod expansion;
pub mod expect;
pub mod explain;
pub mod fault;
pub mod format;
#[cfg(test)]
mod growth;
pub mod guarded;
pub mod json_diff;
pub mod json_merge;
mod json_pointer;
mod layout;
mod lis;
pub mod merge;
mod neighbours;
pub mod normalize;
mod own_comments;
mod owned;
pub mod patch;
pub mod path;
pub mod place_in_text;
mod plan;
mod protocol_switch;
mod put_back;
mod regular_expression;
mod removal;
pub mod renaming;
pub mod request;
pub mod schema_path;
pub mod select;
pub mod set_lines;
pub mod shell_word;
mod shown_path;
pub mod stream_diff;
pub mod substitution;
mod suggestion;
mod surroundings;
pub mod take_back;
pub mod text_diff;
mod three_way;
mod through_lists;
pub mod unknown_key;
mod value_at;
mod verify;

use std::mem;

use serde_json::{Map, Value};
use thiserror::Error;

pub use fault::{Fault, FaultKind, Faults};
pub use json_pointer::Pointer;
pub use plan::{NamedEntry, Note};
pub use verify::Unproved;

use crate::model::member::Members;
use crate::model::shape::usable_account;
use crate::model::top_members;
use crate::schema::DirectiveRole;
use crate::schema::media::STREAMS;
use crate::syntax::{Document, Entry, Splice};

/// A change of a text, proved to do what the patch says.
#[derive(Debug)]
pub struct Edit {
    /// The changes of the old text.
    pub splices: Vec<Splice>,
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
pub fn modify(document: &Document, patch: Value) -> Result<Option<Edit>, EditError> {
    modify_members(document, &top_members(document), normalize::normalize(document.schema(), patch)?)
}

/// The same for a normalized patch, and a document whose top-level members are known.
pub fn modify_members(
    document: &Document,
    members: &Members<'_>,
    patch: Map<String, Value>,
) -> Result<Option<Edit>, EditError> {
    let patch = protocol_switch::resolved(members, patch)?;
    let plan = plan::plan(document, members, &patch)?;
    // The patch and the plan's operations are dropped at once: each can be several times as large as
    // its text.
    drop(patch);
    carry_out(document, members, plan)
}

/// Returns the edit that gives streams, lives or plugins of one kind other names, all at once.
pub fn under_new_names<'d>(
    document: &'d Document,
    members: &Members<'d>,
    blocks: &[(NamedEntry<'d>, &str)],
) -> Result<Option<Edit>, EditError> {
    carry_out(document, members, plan::plan_new_names(document, members, blocks))
}

/// Returns the edit that copies a stream, live or plugin; `name` is that of the copy, how many blocks of its
/// kind stand in front of it, and the one that stands directly behind it, if that was named.
pub fn copied<'d>(
    document: &'d Document,
    members: &Members<'d>,
    block: NamedEntry<'d>,
    name: (&str, usize, Option<Entry<'d>>),
) -> Result<Option<Edit>, EditError> {
    carry_out(document, members, plan::plan_copy(document, members, block, name))
}

/// Returns the edit that merges a normalized patch, with the block that it creates directly in front of
/// `before`.
pub fn created_before<'d>(
    document: &'d Document,
    members: &Members<'d>,
    patch: &Map<String, Value>,
    before: Entry<'d>,
) -> Result<Option<Edit>, EditError> {
    carry_out(document, members, plan::plan_new(document, members, patch, before)?)
}

/// Turns a plan into splices, and proves them.
fn carry_out(
    document: &Document,
    members: &Members<'_>,
    mut plan: plan::Plan,
) -> Result<Option<Edit>, EditError> {
    let splices = layout::splices(document, &mem::take(&mut plan.operations));
    if splices.is_empty() && plan.members.is_empty() && plan.named.is_empty() {
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
        streams_before: members.own_by_key(STREAMS.key()).len(),
    }))
}

fn has_credentials(members: &Members<'_>) -> bool {
    usable_account(members.own_by_key(DirectiveRole::Editor.key(members.scope()))).is_some()
}
