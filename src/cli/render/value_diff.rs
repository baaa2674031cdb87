//! The difference between two configurations at one place.

use mediaconf::schema::Schema;
use mediaconf::schema::media::STREAMS;
use std::collections::HashSet;
use std::io::{self, Write};

use serde_json::Value;

use crate::cli::render::diff;
use crate::cli::ui::Ui;
use crate::engine::{Content, ContentDiff};
use mediaconf::edit::json_diff::{ChangedValue, changed_values};
use mediaconf::edit::{MaskedLookup, Path, Segment, glob_matches, select};
use mediaconf::model::{Masker, masked_keys};

/// The number of paths that are named.
const NAMED: usize = 2;

/// A configuration with its JSON, which is needed for each comparison; `None` if it has errors.
pub struct Compared {
    pub content: Content,
    json: Option<Value>,
}

impl Compared {
    pub fn new(content: Content) -> Self {
        let json = content.is_valid().then(|| content.to_json());
        Self { content, json }
    }

    /// The value at a path; `None` if there is none.
    fn value(&self, path: &Path, masker: Option<&Masker>) -> Option<Value> {
        let lookup = MaskedLookup { current: self.json.as_ref()?, masker };
        select(&lookup, path).ok()?.into_present()
    }

    /// The names of the streams that a path is about; `None` if it is about something else, or about all.
    fn streams(&self, path: &Path) -> Option<HashSet<String>> {
        let [Segment::Key(group), name, ..] = &path.segments[..] else { return None };
        let matches = |known: &&String| match name {
            Segment::Key(name) => *known == name,
            Segment::Matching(glob) => glob_matches(glob, known),
            _ => false,
        };
        let streams = self.json.as_ref()?.get(STREAMS.key())?.as_object()?;
        (group == STREAMS.key()).then(|| streams.keys().filter(matches).cloned().collect())
    }
}

/// True if two configurations differ, at `path` if there is one.
pub fn differ(old: &Compared, new: &Compared, path: Option<&Path>) -> bool {
    match (path, &old.content, &new.content) {
        (Some(path), ..) => old.value(path, None) != new.value(path, None),
        (None, Content::Text(old), Content::Text(new)) => !old.is_same_text(new),
        (None, ..) => old.json != new.json,
    }
}

/// Prints the difference of two configurations, at `path` if there is one: of streams as text.
pub fn print(
    [old, new]: [&Compared; 2],
    path: Option<&Path>,
    names: [&str; 2],
    masker: Option<Masker>,
    ui: Ui,
    out: &mut dyn Write,
) -> io::Result<()> {
    let streams = |path| Some((old.streams(path)?, new.streams(path)?));
    let differing = match path {
        None => ContentDiff::between(&old.content, &new.content, masker),
        Some(path) => match streams(path) {
            Some((before, after)) => {
                let streams = before.union(&after).cloned().collect();
                ContentDiff::of_streams(&old.content, &new.content, &streams, masker)
            }
            None => {
                let [before, after] =
                    [old, new].map(|side| side.value(path, masker.as_ref()).unwrap_or_default());
                ContentDiff::between_values(&before, &after)
            }
        },
    };
    diff::print(&differing.printed(), names, ui, out)
}

/// The values in which two configurations differ; `None` if one of them has errors.
pub fn changed(old: &Compared, new: &Compared) -> Option<Vec<ChangedValue>> {
    Some(changed_values(Schema::media(), old.json.as_ref()?, new.json.as_ref()?))
}

/// The paths of the first values, and how many more there are.
pub fn first_paths(changed: &[ChangedValue], masker: &Masker) -> String {
    let mut words: Vec<String> = changed.iter().take(NAMED).map(|value| path(value, masker)).collect();
    if changed.len() > NAMED {
        words.push(format!("{} more", changed.len() - NAMED));
    }
    words.join(", ")
}

fn path(value: &ChangedValue, masker: &Masker) -> String {
    let keys: Vec<&str> = value.keys.iter().map(String::as_str).collect();
    let segment = |key: String| key.parse().map_or(Segment::Key(key), Segment::Index);
    Path { segments: masked_keys(&keys, masker).into_iter().map(segment).collect() }.to_string()
}
