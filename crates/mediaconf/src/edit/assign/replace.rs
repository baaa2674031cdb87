//! Replaces a part of the strings at a path: `--replace`.

use serde_json::Value;

use super::assignment::AssignedValue;
use crate::edit::fault::Fault;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::select::Expansion;
use crate::edit::select::found;
use crate::edit::substitution::{Substitution, SubstitutionRun};
use crate::schema::json_value::scalar_text;

/// Returns the places of the values that change, each with its new value. The path goes through lists
/// without brackets; of a list of words each word changes, of another list or an object each string.
///
/// # Errors
/// An absence if no value at the path has the text to replace.
pub fn assignments(
    expansion: &Expansion<'_>,
    path: &Path,
    substitution: &Substitution,
) -> Result<Vec<(Path, AssignedValue)>, Fault> {
    let expanded = expansion.expand_path(path)?;
    let mut replacement = Replacement { run: substitution.begin(), changes: Vec::new() };
    let (mut is_any_there, mut absence) = (false, expanded.absence);
    for path in expanded.paths {
        match found(expansion.current, &path) {
            Ok(found) => {
                is_any_there = true;
                let places = found.into_places(&path);
                for (path, value) in places {
                    replacement.value(path, &value)?;
                }
            }
            Err(fault) if fault.is_absent() => absence = absence.or(Some(fault)),
            Err(fault) => return Err(fault),
        }
    }
    match replacement.changes {
        changes if !changes.is_empty() => Ok(changes),
        _ => Err(absence
            .filter(|_| !is_any_there)
            .unwrap_or_else(|| Fault::absent("the text to replace is in no value here"))),
    }
}

struct Replacement<'s> {
    run: SubstitutionRun<'s>,
    changes: Vec<(Path, AssignedValue)>,
}

impl Replacement<'_> {
    /// Replaces in one value: a string stays a string, another word gets the type of its place anew.
    fn value(&mut self, path: Path, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Array(entries) if entries.iter().all(|entry| scalar_text(entry).is_some()) => {
                let mut places = entries.iter().enumerate();
                places.try_for_each(|(at, entry)| self.value(below(&path, Segment::Index(at)), entry))
            }
            Value::Array(_) | Value::Object(_) => self.strings(path, value),
            value => {
                let text = scalar_text(value).unwrap_or_default();
                let Some(text) = self.run.apply(&text)?.filter(|new| *new != text) else { return Ok(()) };
                let is_string = value.is_string();
                let value = if is_string { AssignedValue::Text(text) } else { AssignedValue::Typed(text) };
                self.changes.push((path, value));
                Ok(())
            }
        }
    }

    /// Replaces in the strings inside a list or an object, but not in derived members.
    fn strings(&mut self, path: Path, value: &Value) -> Result<(), Fault> {
        match value {
            Value::String(_) => self.value(path, value),
            Value::Array(entries) => {
                // The first part of an option of the transcoder is its name.
                let names = usize::from(matches!(Place::resolve(&path.segments), Ok(Place::Pair(_))));
                let mut entries = entries.iter().enumerate().skip(names);
                entries.try_for_each(|(at, entry)| self.strings(below(&path, Segment::Index(at)), entry))
            }
            Value::Object(members) => {
                let place = Place::resolve(&path.segments);
                let is_own = |key: &str| !place.as_ref().is_ok_and(|place| place.lacks_own(key));
                let mut own = members.iter().filter(|(key, _)| is_own(key));
                own.try_for_each(|(key, value)| self.strings(below(&path, Segment::Key(key.clone())), value))
            }
            _ => Ok(()),
        }
    }
}

fn below(path: &Path, segment: Segment) -> Path {
    let mut path = path.clone();
    path.segments.push(segment);
    path
}
