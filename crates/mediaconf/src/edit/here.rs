//! The values that a path leads to, segment by segment, inside of one member of a configuration.

use serde_json::Value;

use super::config_lookup::ConfigLookup;
use super::path::{Path, Segment, glob_matches};
use super::schema_path::Place;
use super::suggestion::{UnknownKey, missing};
use crate::schema::fault::{Fault, FaultKind};
use crate::schema::scalar::scalar_text;

/// The values at a path that stands for one place, or for that place in each element of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAt {
    /// The places without patterns, each with its value; at least one.
    pub values: Vec<(Path, Value)>,
    /// True if the path goes through a list, so that there may be several values.
    pub goes_through_list: bool,
    /// True if an entry of the list has no such value.
    pub is_partial: bool,
}

impl FoundAt {
    /// The value, or the list of the values.
    pub fn into_value(self) -> Value {
        let mut values = self.values.into_iter().map(|(_, value)| value);
        if self.goes_through_list { values.collect() } else { values.next().unwrap_or_default() }
    }

    /// The values with their places; `path` is that of a single one.
    pub fn into_places(self, path: &Path) -> Vec<(Path, Value)> {
        match self.goes_through_list {
            true => self.values,
            false => vec![(path.clone(), self.into_value())],
        }
    }
}

/// The values inside of one member of a configuration that the first `depth` segments of a path lead to.
#[derive(Clone)]
pub struct Here<'v> {
    depth: usize,
    /// The values, each with its place.
    pub values: Vec<(Path, &'v Value)>,
    goes_through_list: bool,
    /// True if the path leads to nothing somewhere.
    pub is_partial: bool,
}

impl<'v> Here<'v> {
    /// The value at a path.
    pub fn new(path: Path, value: &'v Value) -> Self {
        let depth = path.segments.len();
        Self { depth, values: vec![(path, value)], goes_through_list: false, is_partial: false }
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &'v Value> {
        self.values.iter().map(|(_, value)| *value)
    }

    /// The values one segment further, in which a pattern stands for all that it matches.
    pub fn step(&self, segment: &Segment) -> Self {
        let mut next = Self { depth: self.depth + 1, values: Vec::new(), ..*self };
        self.values.iter().for_each(|(path, value)| next.add(path, value, segment));
        next
    }

    fn add(&mut self, path: &Path, value: &'v Value, segment: &Segment) {
        let known = self.values.len();
        match (value, segment) {
            (Value::Object(members), Segment::Key(key)) => {
                self.values.extend(members.get(key).map(|value| (path.child(segment.clone()), value)));
            }
            (Value::Object(members), Segment::Matching(glob)) => {
                let matching = members.iter().filter(|(name, _)| glob_matches(glob, name));
                self.values
                    .extend(matching.map(|(name, value)| (path.child(Segment::Key(name.clone())), value)));
            }
            (Value::Array(entries), Segment::Key(_) | Segment::Matching(_)) => {
                self.goes_through_list = true;
                let numbered = entries.iter().enumerate();
                numbered.for_each(|(at, entry)| self.add(&path.child(Segment::Index(at)), entry, segment));
            }
            (Value::Array(entries), segment) => {
                let numbered = entries.iter().enumerate();
                let meant = numbered.filter(|(at, entry)| is_meant(segment, entries.len(), *at, entry));
                self.values.extend(meant.map(|(at, entry)| (path.child(Segment::Index(at)), entry)));
            }
            _ => {}
        }
        self.is_partial |= self.values.len() == known;
    }

    /// Follows the rest of a path without patterns.
    pub fn follow(&self, current: &dyn ConfigLookup, path: &Path) -> Result<Self, Fault> {
        let (names, _) = path.split_names();
        let mut here = self.clone();
        for (at, segment) in path.segments.iter().enumerate().skip(self.depth) {
            let next = here.step(segment);
            if let ([(_, value)], false) = (&here.values[..], next.goes_through_list)
                && let Err(fault) = is_one(&next, value, segment)
            {
                // What the schema knows of a name says more.
                return Err(if at < names.len() { absent(current, path, &names) } else { fault });
            }
            if next.values.is_empty() {
                return Err(no_entry_has(path));
            }
            here = next;
        }
        Ok(here)
    }

    /// The same as values that stay.
    pub fn to_found(&self) -> FoundAt {
        let values = self.values.iter().map(|(path, value)| (path.clone(), (*value).clone())).collect();
        FoundAt { values, goes_through_list: self.goes_through_list, is_partial: self.is_partial }
    }

    /// The names of the members, each once; `None` if there is no object.
    pub fn names(&self) -> Option<Vec<String>> {
        self.values().filter_map(names_in).reduce(joined)
    }
}

/// True if a segment means the entry of a list of `len` at `position`.
fn is_meant(segment: &Segment, len: usize, position: usize, entry: &Value) -> bool {
    match segment {
        Segment::Index(index) => position == *index,
        Segment::FromEnd(back) => len.checked_sub(*back) == Some(position),
        Segment::Find { key, value } => has_member(entry, key, value),
        Segment::EveryEntry => true,
        Segment::Key(_) | Segment::Matching(_) | Segment::Append => false,
    }
}

fn has_member(entry: &Value, key: &str, value: &str) -> bool {
    entry.get(key).and_then(scalar_text).is_some_and(|text| text == value)
}

/// Refuses a segment that leads from a value to nothing, or to several entries of which only one can be meant.
fn is_one(next: &Here<'_>, value: &Value, segment: &Segment) -> Result<(), Fault> {
    match (segment, value) {
        (Segment::Append, _) => {
            Err(Fault::of_path("`[+]` is a new element, and can't be read").hint("`[0]` is the first"))
        }
        (Segment::Find { key, value }, Value::Array(entries)) => match find_by(entries, key, value)? {
            Some(_) => Ok(()),
            None => Err(Fault::absent("no element of the list matches")),
        },
        _ if !next.values.is_empty() => Ok(()),
        (Segment::Key(key), Value::Object(_)) => Err(Fault::absent(format!("the entry has no `{key}`"))),
        (Segment::Key(key), _) => Err(Fault::absent(format!("there is no object with a `{key}`"))),
        (_, Value::Array(entries)) => Err(out_of_range(entries.len())),
        (segment, _) => Err(Fault::absent(format!("there is no list for `{segment}`"))),
    }
}

/// Returns the place of the only entry with this member; several such entries are ambiguous.
pub fn find_by(entries: &[Value], key: &str, value: &str) -> Result<Option<usize>, Fault> {
    let mut found =
        entries.iter().enumerate().filter(|(_, entry)| has_member(entry, key, value)).map(|(at, _)| at);
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(Fault::of_path(format!("the elements [{first}] and [{second}] both match"))
                .hint("name one by its index"))
        }
        (only, _) => Ok(only),
    }
}

/// The fault of an index behind the end of a list.
pub fn out_of_range(len: usize) -> Fault {
    let elements = match len {
        0 => "no elements".to_owned(),
        1 => "one element".to_owned(),
        _ => format!("{len} elements"),
    };
    Fault::absent(format!("the list has {elements}, counted from 0"))
}

/// The absence of a member in all elements of a list.
fn no_entry_has(path: &Path) -> Fault {
    let name = path.segments.iter().rev().find_map(Segment::name).unwrap_or_default();
    let hint = UnknownKey::find(Place::Root, &path.segments).and_then(|unknown| unknown.suggestion());
    Fault { hint, ..Fault::absent(format!("no element of the list has `{name}`")) }
}

/// The absence of one of the names that a path begins with. A path that the schema does not have is one, too: a glob
/// passes over it.
pub fn absent(current: &dyn ConfigLookup, path: &Path, names: &[&str]) -> Fault {
    Fault { kind: FaultKind::Absent, ..missing(current, path, names) }
}

fn names_in(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Object(members) => Some(members.keys().cloned().collect()),
        Value::Array(entries) => entries.iter().filter_map(names_in).reduce(joined),
        _ => None,
    }
}

fn joined(mut names: Vec<String>, more: Vec<String>) -> Vec<String> {
    let new: Vec<String> = more.into_iter().filter(|name| !names.contains(name)).collect();
    names.extend(new);
    names
}
