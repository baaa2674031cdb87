//! Suggestions for a path that finds nothing.

use super::config_lookup::ConfigLookup;
use super::path::{Path, Segment, glob_matches};
use crate::schema::Schema;
use crate::schema::suggest::similar_names;

/// The number of names that are suggested.
const MOST: usize = 3;

/// Returns "did you mean `a`, `b` or `c`?" with the names that are similar to `name`, if there are any.
pub fn did_you_mean(name: &str, names: &[String]) -> Option<String> {
    let others = names.iter().map(String::as_str).filter(|other| *other != name);
    let similar: Vec<String> =
        similar_names(name, others, MOST).into_iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = similar.split_last()?;
    Some(match others {
        [] => format!("did you mean {last}?"),
        _ => format!("did you mean {} or {last}?", others.join(", ")),
    })
}

/// Returns the path with a dotted name quoted, if that finds something: `streams."cam.1"` for
/// `streams.cam.1`. The name begins at segment `at`, and all segments before it are names.
pub fn with_quoted_name(current: &dyn ConfigLookup, path: &Path, at: usize) -> Option<Path> {
    let above = keys(&path.segments[..at])?;
    let most = path.segments[at..].iter().take_while(|segment| matches!(segment, Segment::Key(_))).count();
    (at + 2..=at + most).rev().find_map(|end| {
        let name = keys(&path.segments[at..end])?.join(".");
        let found = current.contains(&[&above[..], &[&name]].concat());
        found.then(|| path.with_name(at..end, name))
    })
}

/// Returns the path below the group that has what it begins with, if one has: `streams.cam9` for `cam9`.
pub fn in_a_group(current: &dyn ConfigLookup, path: &Path) -> Option<Path> {
    Schema::media().kinds.iter().find_map(|kind| {
        let group = Segment::Key(kind.key().to_owned());
        let whole = Path { segments: std::iter::once(group).chain(path.segments.iter().cloned()).collect() };
        let is_there = match path.segments.first()? {
            Segment::Key(name) => current.contains(&[kind.key(), name]),
            Segment::Matching(glob) => {
                current.names(&[kind.key()]).iter().any(|name| glob_matches(glob, name))
            }
            _ => false,
        };
        if is_there { Some(whole) } else { with_quoted_name(current, &whole, 1) }
    })
}

/// Returns the names in `segments`; `None` if one of them is not a name.
pub fn keys(segments: &[Segment]) -> Option<Vec<&str>> {
    segments.iter().map(Segment::name).collect()
}
