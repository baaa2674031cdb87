//! What a path that finds nothing probably means.

use std::collections::BTreeSet;

use super::config_lookup::ConfigLookup;
use super::path::{Path, Segment, glob_matches, keys};
use super::schema_path::Place;
use crate::model::near_miss;
use crate::schema::fault::Fault;
use crate::schema::suggest::{is_one_slip, nearest, similar_names};
use crate::schema::{Schema, Scope};

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

/// The fault of a path that begins with the names `keys`, for the first of them that is missing.
pub fn missing(current: &dyn ConfigLookup, path: &Path, keys: &[&str]) -> Fault {
    let index = (0..keys.len()).find(|&index| !current.contains(&keys[..=index])).unwrap_or(keys.len() - 1);
    let (above, key) = (&keys[..index], keys[index]);
    if let Some(quoted) = with_quoted_name(current, path, index) {
        return not_there(above, key).hint(format!("a name with a dot is quoted: `{}`", quoted.shown()));
    }
    if let Some(whole) = Some(path).filter(|_| index == 0).and_then(|path| in_a_group(current, path)) {
        return not_there(above, key).hint(format!("did you mean `{}`?", whole.shown()));
    }
    match Place::resolve(&path.segments[..=index]) {
        Err(fault) => fault,
        Ok(Place::Own(_)) => Fault::absent(format!("`{key}` is not set")),
        Ok(place) => {
            let fault = match place {
                Place::Block(kind) => Fault::absent(format!("there is no {} `{key}`", kind.noun())),
                _ => not_there(above, key),
            };
            Fault { hint: did_you_mean(key, &current.names(above)), ..fault }
        }
    }
}

fn not_there(above: &[&str], key: &str) -> Fault {
    Fault::absent(match above.last() {
        Some(above) => format!("there is no `{key}` in `{above}`"),
        None => format!("there is no `{key}`"),
    })
}

/// The length of words that are too short to be near misses in a text.
const SHORT: usize = 3;

/// The first key of a path that the schema does not have. It may be an unknown directive, or a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownKey<'p> {
    /// The key as it was written.
    pub key: &'p str,
    /// Its place in the path.
    pub at: usize,
    /// The scope in which it stands.
    pub scope: Scope,
}

impl<'p> UnknownKey<'p> {
    /// The one of a path that begins at `from`, and goes through lists without brackets.
    pub fn find(from: Place, path: &'p [Segment]) -> Option<Self> {
        let mut above = from;
        for (index, segment) in path.iter().enumerate() {
            let scope = above.list_entry().unwrap_or(above).scope();
            let below = above.through_lists(&path[index..=index]);
            let is_known = below.as_ref().is_ok_and(|place| !place.is_foreign());
            if let (Some(key), Some(scope)) = (segment.name(), scope)
                && scope.by_key(key).is_none()
                && !is_known
            {
                return Some(Self { key, at: index, scope });
            }
            above = below.ok()?;
        }
        None
    }

    /// The known key that it probably misspells.
    pub fn near_miss(self) -> Option<&'static str> {
        let near = near_miss(self.scope, self.key).map(|near| near.key);
        // In a text, a word of three letters may be any other word; a path asks for a known one.
        let keys = || self.scope.rows().map(|row| row.key);
        near.or_else(|| keys().find(|key| key.len() == SHORT && is_one_slip(self.key, key)))
    }

    /// The name among these that it probably misspells. A name that differs in a number at its end is
    /// another name.
    pub fn near_one_of(self, names: &BTreeSet<String>) -> Option<String> {
        let word = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let others = || names.iter().map(String::as_str).filter(|name| word(name) != word(self.key));
        let near = nearest(self.key, others());
        near.or_else(|| others().find(|name| name.len() == SHORT && is_one_slip(self.key, name)))
            .map(str::to_owned)
    }

    /// The known keys that are similar.
    pub fn suggestion(self) -> Option<String> {
        let known: Vec<String> = self.scope.rows().map(|row| row.key.to_owned()).collect();
        did_you_mean(self.key, &known)
    }
}
