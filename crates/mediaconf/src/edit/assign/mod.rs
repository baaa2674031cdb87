//! Turns the assignments of the command line into one merge patch: `--set`, `--set-string`,
//! `--set-file`, `--unset`, `--replace`.
//!
//! Each assignment goes through the same steps: its path is expanded, and the value is typed by the schema;
//! edits that overlap and edits in blocks that do not exist are refused; the others become a patch,
//! in which an edited list is the whole new list. All faults are reported, not only the first.
//!
//! *Invariants.* A value may be a secret: no message holds one. The patch passes
//! [`super::normalize::normalize`].

mod assignment;
mod expand;
mod hint;
mod missing_block;
mod null;
mod overlap;
mod patch_builder;
mod replace;
mod several_words;
#[cfg(test)]
mod tests;
mod unset;
mod whole;

use crate::schema::Object;
use serde_json::Value;

pub use assignment::{AssignOptions, AssignedValue, Assignment};
pub(super) use null::misspelling;

use super::condition::Condition;
use super::config_lookup::ConfigLookup;
use super::fault::{Fault, Faults};
use super::json_pointer::Pointer;
use super::normalize::normalize;
use super::path::{Path, Segment};

/// The patch that assignments evaluate to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Computed {
    /// The merge patch (RFC 7396).
    pub patch: Object,
    /// The same patch, normalized.
    pub normalized: Object,
    /// True if lists, globs or conditions were looked up: then the patch is right only for the
    /// configuration that was read.
    pub depends_on_read: bool,
}

/// Returns the patch that applies `assignments` to those entries of `current` that meet all `conditions`,
/// in their order.
pub fn to_patch(
    current: &dyn ConfigLookup,
    assignments: &[Assignment],
    conditions: &[Condition],
    options: AssignOptions,
) -> Result<Computed, Faults> {
    let mut faults = Vec::new();
    let assignments: Vec<Assignment> = assignments.iter().map(|one| one.with_key_of_sources()).collect();
    let edits = expand::expand(current, &assignments, conditions, options, &mut faults);
    let edits = overlap::without_overlaps(edits, &mut faults);
    let edits = if options.create {
        edits
    } else {
        missing_block::without_missing_blocks(current, edits, &mut faults)
    };
    let removals_and_others = edits.len();
    let edits = null::without_absent(current, edits);
    let has_absent = edits.len() < removals_and_others;
    let patch = patch_builder::patch(current, &edits, &mut faults);
    if options.ignore_missing {
        faults.retain(|fault| !fault.is_absent());
    }
    Faults(faults).into_result(())?;
    let normalized = normalized(&patch)?;
    let depends_on_read = has_absent || !conditions.is_empty() || assignments.iter().any(depends_on_read);
    Ok(Computed { patch, normalized, depends_on_read })
}

fn depends_on_read(assignment: &Assignment) -> bool {
    let is_looked_up = |segment: &Segment| !matches!(segment, Segment::Key(_));
    matches!(assignment.value, AssignedValue::Replace(_))
        || assignment.path.segments.iter().any(is_looked_up)
        || whole::depends_on_read(assignment)
}

/// The normalized patch. Its faults are those that only the whole patch shows: a source without an
/// address, two blocks in one position.
fn normalized(patch: &Object) -> Result<Object, Faults> {
    let whole = Value::Object(patch.clone());
    normalize(whole.clone())
        .map_err(|found| Faults(found.0.into_iter().map(|fault| of_pointer(&whole, fault)).collect()))
}

fn of_pointer(patch: &Value, fault: Fault) -> Fault {
    let mut node = Some(patch);
    let mut segments = Vec::new();
    for key in fault.pointer.iter().flat_map(Pointer::keys) {
        let index: Option<usize> = node.filter(|node| node.is_array()).and_then(|_| key.parse().ok());
        node = node.and_then(|node| index.map_or_else(|| node.get(&key), |index| node.get(index)));
        segments.push(index.map_or(Segment::Key(key), Segment::Index));
    }
    fault.at(&Path { segments })
}
