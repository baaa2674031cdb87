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
mod explain;
#[cfg(test)]
mod growth_tests;
mod guarded;
mod layout;
mod order;
mod ports;
mod slips;
mod substitution;
pub(crate) mod surroundings;
mod sync;
mod verify;
mod words;

pub use crate::schema::fault::{Fault, FaultKind, Faults, joined};
pub use assign::{AssignOptions, AssignedValue, Assignment};
pub use completion::{Completion, PathUse, Proposal};
pub use explain::{Explanation, explain};
pub use slips::quoted;
pub use substitution::Substitution;
pub use sync::Note;

use serde_json::Value;
use thiserror::Error;

pub use crate::schema::json_pointer::Pointer;
pub use verify::Unproved;

use crate::model::{top_members, usable_account};
use crate::schema::codec::normalized;
use crate::schema::members::Members;
use crate::schema::patch::Normalizer;
use crate::schema::{DirectiveRole, Kind, Object, Schema};
use crate::secret::Masker;
use crate::syntax::{Document, Splice};
use sync::Sync;
use verify::verify_comments;

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

impl Edit {
    /// The edit that changes nothing.
    pub(crate) fn unchanged(document: &Document) -> Self {
        Self {
            splices: Vec::new(),
            document: document.clone(),
            notes: Vec::new(),
            removes_credentials: false,
            deleted_streams: Vec::new(),
            guarded: Faults::default(),
            streams_before: top_members(document).own_by_key(Kind::Streams.key()).len(),
        }
    }

    /// The same, if all its doubts are accepted.
    pub(crate) fn refused_unless(self, accepted: &[FaultKind]) -> Result<Self, Faults> {
        let refused = self.guarded.0.iter().filter(|doubt| !accepted.contains(&doubt.kind));
        Faults(refused.cloned().collect()).into_result(self)
    }
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

/// Returns the patch in its normal form: without output-only members, every value in the form in which the view
/// shows it.
///
/// # Errors
/// All values that can't be written as text.
pub fn normalize(patch: Value) -> Result<Object, Faults> {
    if !patch.is_object() && patch.as_array().is_none_or(|elements| !elements.is_empty()) {
        let fault = Fault::at_pointer(FaultKind::NotJson, Pointer::root(), "a patch must be an object");
        return Err(fault.hint("to remove one thing, set it to null, such as {\"auth\": null}").into());
    }
    let mut normalizer =
        Normalizer { at: Pointer::root(), faults: Faults::default(), holds_mask: Masker::holds_mask };
    let Some(Value::Object(members)) = normalized(Schema::media().top(), patch, &mut normalizer) else {
        return Ok(Object::new());
    };
    normalizer.faults.into_result(members)
}

/// Returns the edit that merges a patch into a document without errors; `None` if it changes nothing.
///
/// # Errors
/// The patch has faults, or is one of the [doubts](FaultKind::DOUBTS) that are not accepted.
pub fn modify(document: &Document, patch: Value, accepted: &[FaultKind]) -> Result<Option<Edit>, EditError> {
    let edit = modify_members(document, &top_members(document), normalize(patch)?)?;
    Ok(edit.map(|edit| edit.refused_unless(accepted)).transpose()?)
}

/// The same for a normalized patch, and a document whose top-level members are known. The doubts are left to the caller.
pub fn modify_members(
    document: &Document,
    members: &Members<'_>,
    patch: Object,
) -> Result<Option<Edit>, EditError> {
    let spread = order::spread(document, members, &patch);
    if spread.is_empty() {
        return synced(document, members, |sync| sync.top_level(&patch));
    }
    let opened = document.edited(&spread);
    verify_comments(document, &opened, &spread, &mut []).map_err(EditError::Unproved)?;
    let edit = synced(&opened, &top_members(&opened), |sync| sync.top_level(&patch))?;
    Ok(edit.map(|edit| Edit { splices: splice_between(document.text(), edit.document.text()), ..edit }))
}

/// Makes the changes of a text that a function finds, and proves them.
pub(crate) fn synced<'d>(
    document: &'d Document,
    members: &Members<'d>,
    change: impl FnOnce(&mut Sync<'_, 'd>),
) -> Result<Option<Edit>, EditError> {
    let mut sync = Sync::new(document, members);
    change(&mut sync);
    let Sync { around, changes, promises, notes, deleted_streams, doubts, faults, .. } = sync;
    faults.into_result(())?;
    let (splices, mut gone) = layout::edits(&around, &changes);
    // Changes can be several times as large as their text.
    drop(changes);
    if splices.is_empty() && promises.is_empty() {
        return Ok(None);
    }
    let edited = document.edited(&splices);
    let after = top_members(&edited);
    promises.verify(members, &after, &edited).map_err(EditError::Unproved)?;
    gone.extend(promises.gone);
    verify_comments(document, &edited, &splices, &mut gone).map_err(EditError::Unproved)?;
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
        guarded: doubts.into_faults(members),
        streams_before: members.own_by_key(Kind::Streams.key()).len(),
    }))
}

fn has_credentials(members: &Members<'_>) -> bool {
    usable_account(members.own_by_key(DirectiveRole::Editor.key(members.scope()))).is_some()
}

/// The splice that leads from a text to another one, for two edits that are one for their reader.
pub(crate) fn splice_between(old: &str, new: &str) -> Vec<Splice> {
    let same = |(one, other): &(char, char)| one == other;
    let length = |same: (char, char)| same.0.len_utf8();
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(length).sum();
    let [old_rest, new_rest] = [old, new].map(|text| &text[start..]);
    let ends = old_rest.chars().rev().zip(new_rest.chars().rev());
    let end: usize = ends.take_while(same).map(length).sum();
    let text = new_rest[..new_rest.len() - end].to_owned();
    vec![Splice { range: start..old.len() - end, text }]
}

/// The doubts of a normalized patch of a configuration that is known only as JSON: those of the text that says it.
pub fn doubts_in_json(current: &Value, patch: &Object) -> Faults {
    let empty = Document::parse("");
    let written = modify(&empty, current.clone(), FaultKind::DOUBTS).ok().flatten();
    let document = written.map_or(empty, |edit| edit.document);
    let edit = modify_members(&document, &top_members(&document), patch.clone()).ok().flatten();
    edit.map(|edit| edit.guarded).unwrap_or_default()
}
