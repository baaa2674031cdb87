//! What may have been meant by a path that finds nothing.

use super::config_lookup::Current;
use super::path::{Path, Segment};
use crate::model::suggest::similar_names;

/// How many names are proposed.
const MOST: usize = 3;

/// "did you mean `a`, `b` or `c`?", if any of `names` is like `name`.
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

/// The path with a dotted name quoted, where that finds something: `streams.cam.1` was meant as
/// `streams."cam.1"`. The name begins at segment `at`, before which there are only names.
pub fn with_quoted_name(current: &dyn Current, path: &Path, at: usize) -> Option<Path> {
    let above = keys(&path.segments[..at])?;
    let most = path.segments[at..].iter().take_while(|segment| matches!(segment, Segment::Key(_))).count();
    (at + 2..=at + most).rev().find_map(|end| {
        let name = keys(&path.segments[at..end])?.join(".");
        let found = current.contains(&[&above[..], &[&name]].concat());
        found.then(|| with_name(path, at..end, name))
    })
}

fn with_name(path: &Path, parts: std::ops::Range<usize>, name: String) -> Path {
    let mut segments = path.segments.clone();
    segments.splice(parts, [Segment::Key(name)]);
    Path { segments }
}

/// The names in `segments`; `None` if there is something else.
pub fn keys(segments: &[Segment]) -> Option<Vec<&str>> {
    segments.iter().map(Segment::name).collect()
}
