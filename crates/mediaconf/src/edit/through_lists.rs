//! Paths through lists: a name behind a list means that member of each of its entries.
//!
//! Values are read so wherever they are read: `urls.url` is the URL of every source. Whoever sets a value
//! names its entry.

use serde_json::Value;

use super::config_lookup::{ConfigLookup, ValueKind};
use super::fault::Fault;
use super::path::{Path, Segment, glob_matches};
use super::schema_path::Place;
use super::suggestion::keys;
use super::unknown_key::UnknownKey;
use super::value_at::value_at;
use crate::schema::json_value::scalar_text;

/// The values at a path that stands for one place, or for that place in each element of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundAt {
    /// The value at one place.
    One(Value),
    /// The path goes through a list.
    Each {
        /// The places without patterns, each with its value; at least one.
        values: Vec<(Path, Value)>,
        /// True if an entry has no such value.
        is_partial: bool,
    },
}

impl FoundAt {
    /// The value, or the list of the values.
    pub fn into_value(self) -> Value {
        match self {
            Self::One(value) => value,
            Self::Each { values, .. } => values.into_iter().map(|(_, value)| value).collect(),
        }
    }

    /// The values with their places; `path` is that of a single one.
    pub fn into_places(self, path: &Path) -> Vec<(Path, Value)> {
        match self {
            Self::One(value) => vec![(path.clone(), value)],
            Self::Each { values, .. } => values,
        }
    }
}

/// Returns the value at a path without patterns.
///
/// # Errors
/// Those of `value_at`; an absence, too, if no element of the list has such a value.
pub fn found(current: &dyn ConfigLookup, path: &Path) -> Result<FoundAt, Fault> {
    let Some(position) = list_before_name(current, path) else {
        return value_at(current, path).map(FoundAt::One);
    };
    let (above, below) = path.segments.split_at(position);
    let list = value_at(current, &Path { segments: above.to_vec() })?;
    let (mut values, mut is_partial) = (Vec::new(), false);
    any(Some(&list), below, &mut Vec::new(), &mut |steps, value| {
        is_partial |= value.is_none();
        let segments =
            || above.iter().cloned().chain(steps.iter().copied().map(PathStep::to_segment)).collect();
        values.extend(value.map(|value| (Path { segments: segments() }, value.clone())));
        false
    });
    match values.is_empty() {
        true => Err(no_entry_has(path)),
        false => Ok(FoundAt::Each { values, is_partial }),
    }
}

/// Returns the names of the object at a path, or of the objects in a list, each once; `None` if no object
/// is.
///
/// # Errors
/// Those of [`found`].
pub fn names(current: &dyn ConfigLookup, path: &Path) -> Result<Option<Vec<String>>, Fault> {
    found(current, path).map(|found| names_in(found.into_value()))
}

fn names_in(value: Value) -> Option<Vec<String>> {
    match value {
        Value::Object(members) => Some(members.into_iter().map(|(name, _)| name).collect()),
        Value::Array(entries) => entries.into_iter().filter_map(names_in).reduce(|mut names, more| {
            let new: Vec<String> = more.into_iter().filter(|name| !names.contains(name)).collect();
            names.extend(new);
            names
        }),
        _ => None,
    }
}

/// The path with `entry` where it goes through a list that the schema knows; `None` if it goes through
/// none.
pub fn with_entries(path: &Path, entry: &Segment) -> Option<Path> {
    let mut above = Place::Root;
    let mut segments = Vec::new();
    for (index, segment) in path.segments.iter().enumerate() {
        let is_name = matches!(segment, Segment::Key(_) | Segment::Matching(_));
        if is_name && !above.is_foreign() && above.list_entry().is_some() {
            segments.push(entry.clone());
        }
        above = above.through_lists(&path.segments[index..=index]).ok()?;
        segments.push(segment.clone());
    }
    (segments.len() > path.segments.len()).then_some(Path { segments })
}

/// One step from a value to a value in it.
#[derive(Debug, Clone, Copy)]
pub enum PathStep<'v> {
    /// The name of a member of an object.
    Name(&'v str),
    /// The place in a list, from 0.
    Index(usize),
}

impl PathStep<'_> {
    fn to_segment(self) -> Segment {
        match self {
            Self::Name(name) => Segment::Key(name.to_owned()),
            Self::Index(position) => Segment::Index(position),
        }
    }
}

/// True if `test` holds for any value below `path`; it is asked about `None` wherever the path leads to
/// nothing. `steps` lead to the value.
pub fn any<'v>(
    value: Option<&'v Value>,
    path: &'v [Segment],
    steps: &mut Vec<PathStep<'v>>,
    test: &mut dyn FnMut(&[PathStep<'v>], Option<&'v Value>) -> bool,
) -> bool {
    let Some((segment, rest)) = path.split_first() else { return test(steps, value) };
    match (value, segment) {
        (Some(Value::Object(members)), Segment::Key(key)) => {
            let below = members.get(key).map(|value| (PathStep::Name(key), value));
            any_of(below, rest, steps, test)
        }
        (Some(Value::Object(members)), Segment::Matching(glob)) => {
            let matching = members.iter().filter(|(name, _)| glob_matches(glob, name));
            any_of(matching.map(|(name, value)| (PathStep::Name(name), value)), rest, steps, test)
        }
        (Some(Value::Array(entries)), segment) => {
            let numbered = entries.iter().enumerate();
            let mut entries =
                numbered.filter(|(position, entry)| is_meant(segment, entries.len(), *position, entry));
            // A name is looked for in each entry.
            let is_name = matches!(segment, Segment::Key(_) | Segment::Matching(_));
            let rest = if is_name { path } else { rest };
            any_of(
                entries.by_ref().map(|(position, entry)| (PathStep::Index(position), entry)),
                rest,
                steps,
                test,
            )
        }
        _ => test(steps, None),
    }
}

fn any_of<'v>(
    values: impl IntoIterator<Item = (PathStep<'v>, &'v Value)>,
    path: &'v [Segment],
    steps: &mut Vec<PathStep<'v>>,
    test: &mut dyn FnMut(&[PathStep<'v>], Option<&'v Value>) -> bool,
) -> bool {
    let mut is_empty = true;
    for (step, value) in values {
        is_empty = false;
        steps.push(step);
        let holds = any(Some(value), path, steps, test);
        steps.pop();
        if holds {
            return true;
        }
    }
    is_empty && test(steps, None)
}

/// True if a segment means the entry of a list of `len` at `position`.
fn is_meant(segment: &Segment, len: usize, position: usize, entry: &Value) -> bool {
    match segment {
        Segment::Index(index) => position == *index,
        Segment::FromEnd(back) => len.checked_sub(*back) == Some(position),
        Segment::Find { key, value } => {
            entry.get(key).and_then(scalar_text).is_some_and(|text| text == *value)
        }
        Segment::Key(_) | Segment::Matching(_) | Segment::EveryEntry | Segment::Append => true,
    }
}

/// Returns the index of the first name of the path behind a list: as the schema has it, else as it is
/// there.
fn list_before_name(current: &dyn ConfigLookup, path: &Path) -> Option<usize> {
    let mut place = Ok(Place::Root);
    for (index, segment) in path.segments.iter().enumerate() {
        if let Segment::Key(name) = segment {
            let is_list = match &place {
                Ok(place) if !place.is_foreign() => {
                    place.list_entry().is_some() && place.member(name).is_err()
                }
                _ => index > 0 && is_list(current, &path.segments[..index]),
            };
            if is_list {
                return Some(index);
            }
        }
        place = place.and_then(|place| place.step(segment));
    }
    None
}

fn is_list(current: &dyn ConfigLookup, path: &[Segment]) -> bool {
    match keys(path) {
        Some(keys) => current.kind(&keys) == Some(ValueKind::List),
        None => matches!(value_at(current, &Path { segments: path.to_vec() }), Ok(Value::Array(_))),
    }
}

/// The absence of a member in all elements of a list.
fn no_entry_has(path: &Path) -> Fault {
    let name = path.segments.iter().rev().find_map(Segment::name).unwrap_or_default();
    let hint = UnknownKey::find(Place::Root, &path.segments).and_then(|unknown| unknown.suggestion());
    Fault { hint, ..Fault::absent(format!("no element of the list has `{name}`")) }
}
