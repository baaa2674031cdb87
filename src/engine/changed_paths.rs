//! The paths that the changes of a history changed, for a store that does not keep them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::error::Error;
use mediaconf::{ChangedValue, Config};

use super::snapshot::{Snapshot, compared};
use crate::store::{ChangedPaths, HistoryEntry, Revision};

/// The most bytes of texts that are read for one history.
const TEXTS: usize = 32 * 1024 * 1024;

/// The paths that are known, by the serial number of the change and the revision after it.
pub type KnownPaths = HashMap<(u64, Option<Revision>), ChangedPaths>;

/// The first paths that differ between two configurations, and how many there are.
pub fn first_paths_between(before: &Config<'_>, after: &Config<'_>) -> ChangedPaths {
    let changed = ChangedValue::between(before, after);
    let first = changed.iter().take(ChangedPaths::MOST).map(ChangedValue::short_path).collect();
    ChangedPaths { first, count: changed.len() }
}

/// Adds to each entry the paths that it changed, as far as the texts are kept and not too many have to be read.
/// `kept` returns the text before the change with a serial number; `now` is the text in the file, if that is the one
/// after the last change.
pub fn add_paths(
    entries: &mut [HistoryEntry],
    now: Option<Arc<Snapshot>>,
    kept: &dyn Fn(u64) -> Result<Arc<Snapshot>, Error>,
    known: &mut KnownPaths,
) {
    let (mut after, mut newer, mut left) = (now, None, TEXTS);
    for entry in entries.iter_mut().filter(|entry| !entry.is_aside) {
        let key = (entry.serial, entry.after);
        entry.paths = entry.paths.take().or_else(|| known.get(&key).cloned());
        if entry.paths.is_some() || entry.before.is_none() || left == 0 {
            (after, newer) = (None, Some(entry.serial));
            continue;
        }
        let text = |serial: Option<u64>| serial.and_then(|serial| kept(serial).ok());
        let before = text(Some(entry.serial));
        let afterwards = after.take().or_else(|| text(newer));
        left = left.saturating_sub(before.as_ref().map_or(0, |before| before.bytes().len()));
        if let (Some(before), Some(afterwards)) = (&before, afterwards)
            && before.is_valid()
            && afterwards.is_valid()
            && Some(afterwards.revision()) == entry.after
        {
            let paths = compared([Some(before), Some(&afterwards)], first_paths_between);
            entry.paths = Some(paths.clone());
            known.insert(key, paths);
        }
        (after, newer) = (before, Some(entry.serial));
    }
    let present: HashSet<_> = entries.iter().map(|entry| (entry.serial, entry.after)).collect();
    known.retain(|key, _| present.contains(key));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_the_history_is_forgotten() {
        let mut known = KnownPaths::from([((7, None), ChangedPaths::default())]);
        add_paths(&mut [], None, &|_| panic!("no text is needed"), &mut known);
        assert!(known.is_empty());
    }
}
