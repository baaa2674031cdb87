//! The values after a normalized patch: a merge patch (RFC 7396) with the rules that the codecs of `auth`, of lists and of
//! unknown directives add.
//!
//! This is the value side of an edit. The text side works towards these values, and the new text
//! is read again and compared with them before it is written.

use serde_json::Value;

use super::fault::Faults;
use super::json_pointer::Pointer;
use crate::model::Lens;
use crate::schema::codec::{General, merge_block, merge_member};
use crate::schema::members::Members;
use crate::schema::{Codec, Kind, Object, Old, Parameter, Scope};
use crate::syntax::Entry;

pub use crate::schema::codec::{block_value as contents_value, occurrences, split_occurrence};

/// Own values alone.
pub fn own_lens() -> Lens {
    Lens { own_only: true, ..Lens::default() }
}

/// The own members of one named block in the text.
pub fn named_value(kind: Kind, entry: Entry<'_>) -> Object {
    kind.read(entry)
}

/// Merges into a stream, live or plugin: the own members of its block afterwards.
pub fn merge_named(
    kind: Kind,
    current: Option<(&Object, &Members<'_>)>,
    patch: &Object,
    pointer: &Pointer,
) -> Result<Object, Faults> {
    kind.merge(current, patch, pointer)
}

/// Merges into a known setting; `None` if it is not set afterwards.
pub fn merge_setting(
    parameter: &'static Parameter,
    current: Option<&Value>,
    patch: &Value,
    pointer: &Pointer,
) -> Result<Option<Value>, Faults> {
    let mut faults = Faults::default();
    let merged = parameter.merge(current, patch, pointer, &mut faults);
    faults.into_result(merged)
}

/// The value of all occurrences of a foreign keyword.
pub fn general_value(entries: &[Entry<'_>]) -> Option<Value> {
    General { keyword: &entries.first()?.keyword() }.read(entries, None)
}

/// Merges patches into foreign members, and collects their faults.
pub struct GeneralMerge<'f> {
    /// The faults that were found so far.
    pub faults: &'f mut Faults,
}

impl GeneralMerge<'_> {
    /// Merges into the member `key` of a block of `scope`, which has these entries; `None` if nothing of
    /// it remains.
    pub fn member(
        &mut self,
        place: (Scope, &str),
        entries: &[Entry<'_>],
        patch: &Value,
        pointer: &Pointer,
    ) -> Option<Value> {
        merge_member(place, entries, patch, pointer, self.faults)
    }

    /// Merges into all occurrences of one keyword.
    pub fn keyword(
        &mut self,
        keyword: &str,
        entries: &[Entry<'_>],
        patch: &Value,
        pointer: &Pointer,
    ) -> Option<Value> {
        General { keyword }.merge(Old { entries, value: None }, patch, pointer, self.faults)
    }

    /// The members of a foreign block afterwards.
    pub fn contents(&mut self, block: Entry<'_>, patch: &Object, pointer: &Pointer) -> Object {
        merge_block(block, patch, pointer, self.faults)
    }
}
