//! Finds the changes that set a value.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::snapshot::Snapshot;
use crate::edit::config_lookup::{LocalView, MaskedLookup};
use crate::edit::path::Path;
use crate::edit::select::select;
use crate::model::{Lens, Masker, top_members};
use crate::store::HistoryEntry;

/// A change that set a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blamed {
    #[serde(flatten)]
    pub entry: HistoryEntry,
    /// The value before; null where there was no value.
    pub from: Option<Value>,
    /// The value afterwards; null where there is no value.
    pub to: Option<Value>,
}

/// Returns the last changes of the value at `path`, the last one first, at most `most`, secrets masked by `masker`. `kept`
/// returns the text before the change with a serial number; `now` is the text in the file.
///
/// A text that is not kept or has errors hides the changes on both sides of it. A hand edit since the
/// last change hides that.
///
/// # Errors
/// Those of `kept`.
pub fn blame<E>(
    entries: &[HistoryEntry],
    now: &Snapshot,
    kept: &mut dyn FnMut(u64) -> Result<Option<Arc<Snapshot>>, E>,
    path: &Path,
    masker: Option<&Masker>,
    most: usize,
) -> Result<Vec<Blamed>, E> {
    let mut found = Vec::new();
    let mut to = (!is_edited_since(entries, now)).then(|| value(now, path, masker));
    for entry in entries.iter().filter(|entry| !entry.is_aside) {
        if found.len() == most {
            break;
        }
        let from = match entry.before {
            Some(_) => {
                kept(entry.serial)?.filter(|text| text.is_valid()).map(|text| value(&text, path, masker))
            }
            // There was no file before.
            None => Some(None),
        };
        if let (Some(from), Some(to)) = (&from, to)
            && *from != to
        {
            found.push(Blamed { entry: entry.clone(), from: from.clone(), to });
        }
        to = from;
    }
    Ok(found)
}

/// Whether the file was edited by hand since the last change.
pub fn is_edited_since(entries: &[HistoryEntry], now: &Snapshot) -> bool {
    let last = entries.iter().find(|entry| !entry.is_aside);
    last.is_some_and(|last| last.after != Some(now.revision()))
}

/// The value at the path; `None` where the path leads to no value.
fn value(snapshot: &Snapshot, path: &Path, masker: Option<&Masker>) -> Option<Value> {
    let members = top_members(snapshot.document());
    let lens = Lens::default();
    let view = LocalView::new(&members, &lens);
    select(&MaskedLookup { current: &view, masker }, path).ok()?.into_present()
}
