//! The difference between two configurations at one place.

use std::collections::HashSet;
use std::io::{self, Write};

use serde_json::Value;

use crate::cli::render::diff;
use crate::cli::ui::Ui;
use crate::engine::{Content, ContentDiff, compared};
use mediaconf::{ChangedValue, Config, Kind, Masker, Path, Segment};

/// The number of paths that are named.
const NAMED: usize = 2;

/// The value at a path; `None` if there is none, or the configuration has errors.
fn value(content: &Content, path: &Path, masker: Option<&Masker>) -> Option<Value> {
    let found = |current: &Config<'_>| current.select(path).ok()?.into_present();
    let shown = || {
        masker.map_or_else(|| content.with_values(found), |masker| content.masked(masker).with_values(found))
    };
    content.is_valid().then(shown).flatten()
}

/// The names of the streams that a path is about; `None` if it is about something else, or about all.
fn streams(content: &Content, path: &Path) -> Option<HashSet<String>> {
    let [Segment::Key(group), name, ..] = &path.segments[..] else { return None };
    let matches = |known: &String| name.matches(known);
    let names =
        || content.with_values(|values| values.names(&[Kind::Streams.key()])).into_iter().filter(matches);
    (group == Kind::Streams.key() && content.is_valid()).then(|| names().collect())
}

/// True if two configurations differ, at `path` if there is one.
pub fn differ(old: &Content, new: &Content, path: Option<&Path>) -> bool {
    match (path, old, new) {
        (Some(path), ..) => value(old, path, None) != value(new, path, None),
        (None, Content::Text(old), Content::Text(new)) => !old.is_same_text(new),
        (None, ..) => old.to_json() != new.to_json(),
    }
}

/// Prints the difference of two configurations, at `path` if there is one: of streams as text.
pub fn print(
    [old, new]: [&Content; 2],
    path: Option<&Path>,
    names: [&str; 2],
    masker: Option<Masker>,
    ui: Ui,
    out: &mut dyn Write,
) -> io::Result<()> {
    let streams = |path| Some((streams(old, path)?, streams(new, path)?));
    let differing = match path {
        None => ContentDiff::between(old, new, masker),
        Some(path) => match streams(path) {
            Some((before, after)) => {
                let streams = before.union(&after).cloned().collect();
                ContentDiff::of_streams(old, new, &streams, masker)
            }
            None => {
                let [before, after] =
                    [old, new].map(|side| value(side, path, masker.as_ref()).unwrap_or_default());
                ContentDiff::between_values(&before, &after)
            }
        },
    };
    diff::print(&differing.lines, names, ui, out)
}

/// The values in which two configurations differ; `None` if one of them has errors.
pub fn changed(old: &Content, new: &Content) -> Option<Vec<ChangedValue>> {
    let both = old.is_valid() && new.is_valid();
    both.then(|| compared([Some(old), Some(new)], ChangedValue::between))
}

/// The paths of the first values that differ, and how many more there are; empty if a configuration has errors.
pub fn first_paths([old, new]: [&Content; 2], masker: &Masker) -> String {
    let changed = changed(old, new).unwrap_or_default();
    paths_and_more(changed.iter().map(|value| value.masked_path(masker)), changed.len())
}

/// The first of some paths, and how many more there are.
pub fn paths_and_more(paths: impl Iterator<Item = String>, count: usize) -> String {
    let more = (count > NAMED).then(|| format!("{} more", count - NAMED));
    paths.take(NAMED).chain(more).collect::<Vec<_>>().join(", ")
}
