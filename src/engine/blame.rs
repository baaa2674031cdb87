//! Which changes made a value what it is.

use std::sync::Arc;

use serde_json::Value;

use super::snapshot::Snapshot;
use crate::edit::current::LocalView;
use crate::edit::path::Path;
use crate::edit::select::{Selection, select};
use crate::model::{Lens, top_members};
use crate::store::Entry;

/// A change of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Blamed {
    /// The change.
    pub entry: Entry,
    /// The value before; none if there was none.
    pub from: Option<Value>,
    /// The value afterwards; none if there is none.
    pub to: Option<Value>,
}

/// The changes of the value at `path`, the last one first, as `lens` shows it. `kept` gives the text
/// before a change, `now` is the text after the last one.
///
/// A text that is not kept, or has errors, is passed over: what happened then is told of the change
/// before it.
///
/// # Errors
/// Those of `kept`.
pub fn blame<E>(
    entries: &[Entry],
    now: &Snapshot,
    kept: &mut dyn FnMut(usize) -> Result<Option<Arc<Snapshot>>, E>,
    path: &Path,
    lens: &Lens,
) -> Result<Vec<Blamed>, E> {
    let mut found = Vec::new();
    let mut to = value(now, path, lens);
    for entry in entries.iter().filter(|entry| !entry.is_aside) {
        let from = match (entry.before, kept(entry.number)?) {
            (Some(_), Some(text)) if text.is_valid() => value(&text, path, lens),
            (Some(_), _) => continue,
            (None, _) => None,
        };
        if from != to {
            found.push(Blamed { entry: entry.clone(), from: from.clone(), to });
        }
        to = from;
    }
    Ok(found)
}

/// What is at the path; nothing where the path leads nowhere.
fn value(snapshot: &Snapshot, path: &Path, lens: &Lens) -> Option<Value> {
    let members = top_members(snapshot.document());
    match select(&LocalView::new(&members, lens), path).ok()? {
        Selection::Many(found) if found.is_empty() => None,
        selection => Some(selection.into_value()),
    }
}
