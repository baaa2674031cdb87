//! Finds the changes that set a value.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::entry_text::not_there;
use super::service::{ConfigService, ConfigSource};
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeRef, HistoryEntry, WHOLE_HISTORY};
use mediaconf::{Config, Masker, Path, Segment};

/// A change that set a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blamed {
    #[serde(flatten)]
    pub entry: HistoryEntry,
    /// The value before; null if there was none.
    pub from: Option<Value>,
    /// The value afterwards; null if there is none.
    pub to: Option<Value>,
}

/// The history of a value, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueHistory {
    /// The changes of the value, the last one first.
    pub changes: Vec<Blamed>,
    /// True if the file was edited by hand since the last change.
    pub is_edited: bool,
    /// True if there may be more, because a text of the history is not kept or has errors.
    pub is_cut: bool,
}

/// The number of entries that are read at first for each change that is searched for, and the factor by
/// which it grows each time.
const FIRST_ENTRIES: usize = 20;
const MORE_ENTRIES: usize = 8;

/// The HTTP status of a server whose history keeps no texts.
const NOT_FOUND: u16 = 404;

/// Searches the history of a service for the last changes of the value at a path, at most `most`, with secrets masked by
/// `masker`. Reads as few entries as that takes.
///
/// # Errors
/// `BadConfig`; `NotFound` and others for a path that leads nowhere now and in the history; those of the service.
pub fn value_history(
    service: &(impl ConfigService + ?Sized),
    path: &Path,
    most: Option<usize>,
    masker: Option<&Masker>,
) -> Result<ValueHistory, Error> {
    service.demand("a history")?;
    let now = service.read(Some(ConfigSource::Saved))?;
    if !now.is_valid() {
        return Err(Error::bad_config(now));
    }
    let most = most.unwrap_or(WHOLE_HISTORY);
    let mut wanted = most.saturating_mul(FIRST_ENTRIES);
    let found = loop {
        let entries = service.history(wanted)?;
        let mut kept = |serial| match service.kept(ChangeRef::Serial(serial)) {
            Err(error) if error.is_not_kept() => Ok(None),
            found => found.map(Some),
        };
        let (changes, is_cut) = blame(&entries, &now, &mut kept, path, masker, most)?;
        if changes.len() == most || entries.len() < wanted {
            break ValueHistory { changes, is_edited: is_edited_since(&entries, &now), is_cut };
        }
        wanted = wanted.saturating_mul(MORE_ENTRIES);
    };
    if found.changes.is_empty() {
        if let Ok(Some(composed)) = service.composed(&now, Some(ConfigSource::Saved)) {
            composed.refuse_entry(path).map_err(not_there)?;
        }
        // A path without a value now and in the history is misspelt.
        let masked = masker.map(|masker| now.masked(masker));
        masked.as_ref().unwrap_or(&now).config().select(path).map_err(not_there)?;
    }
    Ok(found)
}

/// The entry of a change, of which one value is told, and not what else it changed: not every history knows that.
fn without_paths(entry: &HistoryEntry) -> HistoryEntry {
    HistoryEntry { paths: None, ..entry.clone() }
}

impl Error {
    /// True if the history just has no text for a change.
    pub fn is_not_kept(&self) -> bool {
        self.kind == ErrorKind::NotKept || self.status == Some(NOT_FOUND)
    }
}

/// Returns the last changes of the value at `path`, the last one first, at most `most`, secrets masked by `masker`; and
/// whether a text hides some. `kept` returns the text before the change with a serial number; `now` is the text in the
/// file.
///
/// A text that is not kept or has errors hides the changes on both sides of it. A hand edit since the
/// last change hides that. Of a stream, live or plugin that had another name, the changes under that are
/// among them. Of an object, only the members that changed are shown.
///
/// # Errors
/// Those of `kept`.
fn blame<E>(
    entries: &[HistoryEntry],
    now: &Arc<Snapshot>,
    kept: &mut dyn FnMut(u64) -> Result<Option<Arc<Snapshot>>, E>,
    path: &Path,
    masker: Option<&Masker>,
    most: usize,
) -> Result<(Vec<Blamed>, bool), E> {
    let (mut found, mut is_cut) = (Vec::new(), false);
    let mut path = path.clone();
    let compared_by = masker.filter(|masker| may_guess(&path, masker));
    let value_in = |text: &Option<Arc<Snapshot>>, path: &Path, masker: Option<&Masker>| {
        let text = text.as_ref()?;
        masker.map_or_else(|| value(text, path), |masker| value(&text.masked(masker), path))
    };
    let mut after = (!is_edited_since(entries, now)).then(|| Some(now.clone()));
    let mut to = after.as_ref().map(|text| value_in(text, &path, compared_by));
    for entry in entries.iter().filter(|entry| !entry.is_aside) {
        if found.len() == most {
            break;
        }
        let before = match entry.before {
            Some(_) => kept(entry.serial)?.filter(|text| text.is_valid()).map(Some),
            // There was no file before.
            None => Some(None),
        };
        is_cut |= before.is_none();
        if let (Some(Some(before)), Some(Some(after))) = (&before, &after)
            && let Some(former) = former_name(before, after, &path)
        {
            if let ([group, name], [_, former]) = (&path.segments[..], &former.segments[..]) {
                let named = |name: &Segment| {
                    let keys = [group.name()?, name.name()?];
                    let masked = masker.and_then(|masker| masker.keys(&keys).pop());
                    Some(json!({ "name": masked.as_deref().unwrap_or(keys[1]) }))
                };
                found.push(Blamed { entry: without_paths(entry), from: named(former), to: named(name) });
            }
            path = former;
        }
        let from = before.as_ref().map(|text| value_in(text, &path, compared_by));
        if let (Some(old), Some(new), Some(from), Some(to)) = (&before, &after, &from, &to)
            && from != to
            && found.len() < most
        {
            let (from, to) = changed_members(value_in(old, &path, masker), value_in(new, &path, masker));
            // Nothing is told of a path that holds a secret.
            let is_shown = from.is_some() || to.is_some();
            found.extend(is_shown.then(|| Blamed { entry: without_paths(entry), from, to }));
        }
        (after, to) = (before, from);
    }
    Ok((found, is_cut))
}

/// The path before a change that gave the stream, live or plugin at or above it another name: the one of the
/// entries that went which has the same values, and is in the same place if several have.
fn former_name(before: &Snapshot, after: &Snapshot, path: &Path) -> Option<Path> {
    let [group, name, ..] = &path.segments[..] else { return None };
    path.kind()?;
    let (group, name) = (group.name()?, name.name()?);
    let [before, after] = [before, after].map(|text| Config::own(text.document()));
    if before.contains(&[group, name]) || !after.contains(&[group, name]) {
        return None;
    }
    let made = after.value(&[group, name]);
    let old = before.names(&[group]).into_iter().enumerate();
    let gone = old.filter(|(_, former)| !after.contains(&[group, former]));
    let same: Vec<_> = gone.filter(|(_, former)| before.value(&[group, former]) == made).collect();
    let position = after.names(&[group]).iter().position(|other| other == name);
    let in_place = same.iter().find(|(place, _)| Some(*place) == position);
    let (_, former) = in_place.or(same.first())?;
    let mut path = path.clone();
    path.segments[1] = Segment::Key(former.clone());
    Some(path)
}

/// Of two objects the members that differ; other values as they are.
fn changed_members(from: Option<Value>, to: Option<Value>) -> (Option<Value>, Option<Value>) {
    let (Some(Value::Object(mut from)), Some(Value::Object(mut to))) = (from.clone(), to.clone()) else {
        return (from, to);
    };
    from.retain(|key, value| {
        let other = to.get(key);
        let is_kept = other != Some(value);
        if !is_kept {
            to.shift_remove(key);
        }
        is_kept
    });
    for (key, value) in &mut from {
        if let Some(other) = to.get_mut(key) {
            let (Some(old), Some(new)) = changed_members(Some(value.take()), Some(other.take())) else {
                continue;
            };
            (*value, *other) = (old, new);
        }
    }
    (Some(Value::Object(from)), Some(Value::Object(to)))
}

/// True if the file was edited by hand since the last change.
pub fn is_edited_since(entries: &[HistoryEntry], now: &Snapshot) -> bool {
    let last = entries.iter().find(|entry| !entry.is_aside);
    last.is_some_and(|last| last.after != Some(now.revision()))
}

/// True if a path searches for a value or holds a secret: with such a path one could find out what a secret is. Then two
/// secrets with the same mask count as equal, and as different otherwise.
fn may_guess(path: &Path, masker: &Masker) -> bool {
    let keys: Option<Vec<&str>> = path.segments.iter().map(Segment::name).collect();
    keys.is_none_or(|keys| masker.keys(&keys) != keys)
}

/// The value at the path; `None` if the path leads to no value.
fn value(snapshot: &Snapshot, path: &Path) -> Option<Value> {
    // What is derived, such as a position, changes with other entries.
    Config::own(snapshot.document()).select(path).ok()?.into_present()
}
