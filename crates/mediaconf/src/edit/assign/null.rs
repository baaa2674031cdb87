//! `--set PATH=null`: removes the value, and is no change where there is none.

use super::assignment::{Assignment, PathEdit};
use crate::edit::config_lookup::{ConfigLookup, ValueKind};
use crate::edit::fault::Fault;
use crate::edit::guarded::misspelt;
use crate::edit::json_pointer::Pointer;
use crate::edit::path::{EVERY, Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::select::Expansion;
use crate::edit::select::keys;
use crate::model::member::keyword_of;

/// True if a `*` or `[*]` that finds nothing is no slip: everything above it is known, and a block that
/// the path leads into is there.
pub fn may_be_absent(expansion: &Expansion<'_>, assignment: &Assignment) -> bool {
    let segments = &assignment.path.segments;
    let Some(at) = assignment.path.first_pattern() else { return false };
    let takes_all = match &segments[at] {
        Segment::Matching(glob) => glob == EVERY,
        segment => *segment == Segment::EveryEntry,
    };
    let is_known = Place::resolve(&segments[..at]).is_ok_and(|place| !place.is_foreign());
    let block = Place::resolve(&segments[..at.min(2)]);
    let is_block_there = !matches!(block, Ok(Place::Block(_)))
        || keys(&segments[..2]).is_some_and(|keys| expansion.current.contains(&keys));
    assignment.value.removes() && expansion.conditions.is_empty() && takes_all && is_known && is_block_there
}

/// Drops the removals below an absent value: a merge would make the object that they are in.
pub fn without_absent(current: &dyn ConfigLookup, mut edits: Vec<PathEdit>) -> Vec<PathEdit> {
    edits.retain(|edit| !edit.removes() || edit.is_unset || is_in_object(current, &edit.path));
    edits
}

fn is_in_object(current: &dyn ConfigLookup, path: &Path) -> bool {
    match keys(&path.segments).as_deref() {
        Some([above @ .., _]) if !above.is_empty() => current.kind(above) == Some(ValueKind::Object),
        _ => true,
    }
}

/// Drops the removals of one assignment if the name of the value is nearly a known one and no block of
/// the kind has such a value; that is a fault.
pub fn without_misspelt(
    current: &dyn ConfigLookup,
    path: &Path,
    removals: Vec<PathEdit>,
    faults: &mut Vec<Fault>,
) -> Vec<PathEdit> {
    match removals.first().and_then(|removal| misspelling(current, &removal.path)) {
        Some(fault) => {
            faults.push(fault.at(path));
            Vec::new()
        }
        None => removals,
    }
}

/// The fault of a path without a value whose last name is nearly a known one, and that no block of the kind has.
pub fn misspelling(current: &dyn ConfigLookup, path: &Path) -> Option<Fault> {
    let keys = keys(&path.segments)?;
    let (key, above) = keys.split_last()?;
    let place = Place::resolve(&path.segments[..above.len()]).ok()?;
    let scope = place.scope()?;
    let fault = misspelt(scope, keyword_of(scope, key), &Pointer::root())?;
    let is_used = match place {
        Place::Block(kind) => {
            let names = current.names(&[kind.key()]);
            names.iter().any(|name| current.contains(&[kind.key(), name, key]))
        }
        _ => current.contains(&keys),
    };
    (!is_used).then_some(fault)
}
