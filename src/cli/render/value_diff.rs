//! The difference between two configurations at one place.

use std::collections::HashSet;
use std::io::{self, Write};

use serde_json::Value;

use crate::cli::render::diff;
use crate::cli::ui::Ui;
use crate::engine::{Snapshot, compared, diff_lines, value_diff_lines};
use mediaconf::{ChangedValue, Kind, Masker, Path, Segment};

/// The number of paths that are named.
const NAMED: usize = 2;

/// The value at a path; `None` if there is none, or the configuration has errors.
fn value(text: &Snapshot, path: &Path, masker: Option<&Masker>) -> Option<Value> {
    if !text.is_valid() {
        return None;
    }
    let masked = masker.map(|masker| text.masked(masker));
    masked.as_ref().unwrap_or(text).config().select(path).ok()?.into_present()
}

/// The names of the streams that a path is about; `None` if it is about something else, or about all.
fn streams(text: &Snapshot, path: &Path) -> Option<HashSet<String>> {
    let [Segment::Key(group), name, ..] = &path.segments[..] else { return None };
    let matches = |known: &String| name.matches(known);
    let names = || text.config().names(&[Kind::Streams.key()]).into_iter().filter(matches).collect();
    (group == Kind::Streams.key() && text.is_valid()).then(names)
}

/// True if two configurations differ, at `path` if there is one.
pub fn differ(old: &Snapshot, new: &Snapshot, path: Option<&Path>) -> bool {
    match path {
        Some(path) => value(old, path, None) != value(new, path, None),
        None => !old.is_same_text(new),
    }
}

/// Prints the difference of two configurations, at `path` if there is one: of streams as text.
pub fn print(
    [old, new]: [&Snapshot; 2],
    path: Option<&Path>,
    names: [&str; 2],
    masker: Option<Masker>,
    ui: Ui,
    out: &mut dyn Write,
) -> io::Result<()> {
    let streams = |path| Some((streams(old, path)?, streams(new, path)?));
    let masker = masker.as_ref();
    let differing = match path {
        None => diff_lines([old, new], None, masker),
        Some(path) => match streams(path) {
            Some((before, after)) => {
                let streams = before.union(&after).cloned().collect();
                diff_lines([old, new], Some(&streams), masker)
            }
            None => {
                let [before, after] = [old, new].map(|side| value(side, path, masker).unwrap_or_default());
                value_diff_lines(&before, &after)
            }
        },
    };
    diff::print(&differing, names, ui, out)
}

/// The values in which two configurations differ; `None` if one of them has errors.
pub fn changed(old: &Snapshot, new: &Snapshot) -> Option<Vec<ChangedValue>> {
    let both = old.is_valid() && new.is_valid();
    both.then(|| compared([Some(old), Some(new)], ChangedValue::between))
}

/// The paths of the first values that differ, and how many more there are; empty if a configuration has errors.
pub fn first_paths([old, new]: [&Snapshot; 2], masker: &Masker) -> String {
    let changed = changed(old, new).unwrap_or_default();
    paths_and_more(changed.iter().map(|value| value.masked_path(masker)), changed.len())
}

/// The first of some paths, and how many more there are.
pub fn paths_and_more(paths: impl Iterator<Item = String>, count: usize) -> String {
    let more = (count > NAMED).then(|| format!("{} more", count - NAMED));
    paths.take(NAMED).chain(more).collect::<Vec<_>>().join(", ")
}
