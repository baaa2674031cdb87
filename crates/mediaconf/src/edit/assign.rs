//! Turns the assignments of the command line into one merge patch: `--set`, `--set-string`,
//! `--set-file`, `--unset`, `--replace`.
//!
//! Each assignment goes through the same steps: its path is expanded, and the value is typed by the schema;
//! edits that overlap and edits in blocks that do not exist are refused; the others become a patch,
//! in which an edited list is the whole new list. All faults are reported, not only the first.
//!
//! *Invariants.* A value may be a secret: no message holds one. The patch passes
//! [`super::normalize::normalize`].

mod assignment;
mod list;
mod refusal;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde_json::{Map, Value};

pub use assignment::{AssignOptions, AssignedValue, Assignment};
pub(super) use refusal::misspelling;

use super::condition::Condition;
use super::config_lookup::{ConfigLookup, ValueKind};
use super::normalize;
use super::path::{Path, Segment, keys};
use super::schema_path::{Place, with_key_of_sources};
use super::select::{Expansion, found};
use super::substitution::{Substitution, SubstitutionRun};
use crate::schema::Object;
use crate::schema::fault::{Fault, Faults};
use crate::schema::json_pointer::Pointer;
use crate::schema::scalar::scalar_text;
use crate::syntax::Document;
use assignment::{Assigner, PathEdit};

/// The patch that assignments evaluate to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Computed {
    /// The merge patch (RFC 7396).
    pub patch: Object,
    /// The same patch, normalized.
    pub normalized: Object,
    /// True if lists, globs or conditions were looked up: then the patch is right only for the
    /// configuration that was read.
    pub depends_on_read: bool,
}

/// Returns the patch that applies `assignments` to those entries of `current` that meet all `conditions`,
/// in their order.
pub fn to_patch(
    current: &dyn ConfigLookup,
    assignments: &[Assignment],
    conditions: &[Condition],
    options: AssignOptions,
) -> Result<Computed, Faults> {
    let expansion = Expansion { own_only: true, ..Expansion::new(current, conditions) };
    let mut edits = Assigner { current, expansion, options, faults: Vec::new() };
    let mut depends_on_read = !conditions.is_empty();
    let mut made = Vec::new();
    for assignment in assignments {
        let assignment = with_known_key(assignment);
        depends_on_read |= looks_up(&assignment);
        made.extend(edits.of_assignment(&assignment));
    }
    edits.refuse_overlaps(&mut made);
    if !options.create {
        edits.refuse_missing_blocks(&mut made);
    }
    // A merge would make the object that an absent value is in.
    let is_change =
        |edit: &PathEdit| !edit.value.is_null() || edit.is_unset || is_in_object(current, &edit.path);
    depends_on_read |= !made.iter().all(is_change);
    made.retain(is_change);
    let mut patch = Value::Object(Map::new());
    for edit in &made {
        match list::add(&mut patch, current, edit) {
            Err(fault) if edit.value.is_null() && fault.is_absent() && !edit.is_unset => {}
            result => edits.faults.extend(result.err().map(|fault| fault.at(&edit.path))),
        }
    }
    if options.ignore_missing {
        edits.faults.retain(|fault| !fault.is_absent());
    }
    Faults(edits.faults).into_result(())?;
    // These are faults that only the whole patch shows, such as a source without an address.
    let of_path = |fault: Fault| match fault.pointer.as_ref().map(Pointer::to_path) {
        Some(path) => fault.at(&path),
        None => fault,
    };
    let normalized = normalize(patch.clone());
    let normalized = normalized.map_err(|Faults(found)| Faults(found.into_iter().map(of_path).collect()))?;
    let Value::Object(patch) = patch else { return Ok(Computed::default()) };
    Ok(Computed { patch, normalized, depends_on_read })
}

/// The same, where it sets the only source by the keyword of the text, with the key of the sources.
fn with_known_key(assignment: &Assignment) -> Assignment {
    let Assignment { path, value } = assignment;
    let sets = value.text().is_some() && !value.removes();
    let path = if sets { with_key_of_sources(path).into_owned() } else { path.clone() };
    Assignment { path, value: value.clone() }
}

/// True if the edits of an assignment depend on what is there.
fn looks_up(Assignment { path, value }: &Assignment) -> bool {
    matches!(value, AssignedValue::Replace(_))
        || keys(&path.segments).is_none()
        || Place::resolve(&path.segments).is_ok_and(|place| is_whole_in_words(place, value))
}

/// True if the value is the whole list or the whole backend, and not given as JSON.
fn is_whole_in_words(place: Place, value: &AssignedValue) -> bool {
    value.text().is_some_and(|text| match place.address().is_some() {
        true => !text.trim_start().starts_with('{'),
        false => place.takes_elements() && !super::typed::is_list(text),
    })
}

fn is_in_object(current: &dyn ConfigLookup, path: &Path) -> bool {
    match keys(&path.segments).as_deref() {
        Some([above @ .., _]) if !above.is_empty() => current.kind(above) == Some(ValueKind::Object),
        _ => true,
    }
}

impl Assigner<'_> {
    /// The edits of one assignment; none where it has a fault.
    fn of_assignment(&mut self, assignment: &Assignment) -> Vec<PathEdit> {
        let Assignment { path, value } = assignment;
        let known = self.faults.len();
        let places = match value {
            AssignedValue::Replace(substitution) => self.replaced(path, substitution),
            _ => self
                .places(assignment)
                .map(|paths| paths.into_iter().map(|path| (path, value.clone())).collect()),
        };
        let places = places.unwrap_or_else(|fault| {
            self.faults.push(fault.at(path));
            Vec::new()
        });
        let edits = places.into_iter().filter_map(|(place, value)| match self.value(&place, path, &value) {
            Ok(json) => {
                Some(PathEdit { path: place, value: json, is_unset: matches!(value, AssignedValue::Remove) })
            }
            Err(fault) => {
                // The fault may be the same for each place that the path stands for.
                let fault = fault.at(path);
                if self.faults.last() != Some(&fault) {
                    self.faults.push(fault);
                }
                None
            }
        });
        let edits: Vec<PathEdit> = edits.collect();
        match value.removes() && self.faults.len() == known {
            true => self.without_slips(assignment, edits),
            false => edits,
        }
    }

    /// The places that a path stands for. The last entries of a list come first: when one is removed, those
    /// before it stay where they are.
    fn places(&self, assignment: &Assignment) -> Result<Vec<Path>, Fault> {
        let mut expanded = self.expansion.expand_path(&assignment.path)?;
        if assignment.path.segments.contains(&Segment::EveryEntry) {
            expanded.paths.reverse();
        }
        match expanded.absence {
            Some(absence) if expanded.paths.is_empty() && !self.may_be_absent(assignment) => Err(absence),
            _ => Ok(expanded.paths),
        }
    }

    /// The value that is set at a place, for which `path` stands.
    fn value(&self, place: &Path, path: &Path, given: &AssignedValue) -> Result<Value, Fault> {
        let at = Place::to_set(&place.segments)?;
        if given.removes() && path.segments.last() == Some(&Segment::Append) {
            return Err(Fault::of_path("there is nothing at `[+]` to remove"));
        }
        let with_example =
            |fault: Fault| Fault { hint: fault.hint.or_else(|| refusal::example(at, path)), ..fault };
        let value = given.at(at).map_err(with_example)?;
        if path.segments.len() + depth(&value) > Document::MAX_DEPTH {
            return Err(Fault::of_path(format!("this nests deeper than {}", Document::MAX_DEPTH)));
        }
        if !self.options.one_word {
            self.refuse_one_for_several(at, place, given)?;
        }
        match !value.is_null() && is_whole_in_words(at, given) {
            true => self.whole(at, place, given, value),
            false => Ok(value),
        }
    }

    /// A value that is given as words is the whole directive: null for each other extra of a backend; one that would drop
    /// elements of a list is refused.
    fn whole(
        &self,
        place: Place,
        path: &Path,
        given: &AssignedValue,
        mut value: Value,
    ) -> Result<Value, Fault> {
        let Some(keys) = keys(&path.segments) else { return Ok(value) };
        if let Some(options) = place.address().and_then(|shape| shape.options) {
            let present = self.current.names(&[&keys[..], &[options]].concat());
            if let Some(members) = value.as_object_mut().filter(|_| !present.is_empty()) {
                let extras = members.entry(options).or_insert_with(|| Value::Object(Map::new()));
                if let Some(extras) = extras.as_object_mut() {
                    for name in present {
                        extras.entry(name).or_insert(Value::Null);
                    }
                }
            }
            return Ok(value);
        }
        let present = self.current.value(&keys).as_ref().and_then(Value::as_array).map_or(0, Vec::len);
        match present {
            0 | 1 => Ok(value),
            _ => Err(refusal::drops(place, path, present, given.text().unwrap_or_default(), &value)),
        }
    }

    /// The places of the values that a substitution changes, each with its new value. The path goes through lists
    /// without brackets; of a list of words each word changes, of another list or an object each string.
    fn replaced(&self, path: &Path, by: &Substitution) -> Result<Vec<(Path, AssignedValue)>, Fault> {
        let expanded = self.expansion.expand_path(path)?;
        let mut replacement = Replacement { run: by.begin(), changes: Vec::new() };
        let (mut is_any_there, mut absence) = (false, expanded.absence);
        for path in expanded.paths {
            match found(self.current, &path) {
                Ok(found) => {
                    is_any_there = true;
                    let mut places = found.into_places(&path).into_iter();
                    places.try_for_each(|(path, value)| replacement.value(path, &value))?;
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

    /// Drops the edits that lie in, around or at the place of an earlier one: it would be unclear which of them counts.
    ///
    /// Each `[+]` is a new element, so two of them do not overlap. `[0]` and `[url="…"]` are looked up one
    /// after the other and may find the same entry.
    fn refuse_overlaps(&mut self, edits: &mut Vec<PathEdit>) {
        let mut root = PathTree::default();
        let earlier = edits.iter().enumerate().map(|(at, edit)| root.add(&edit.path.segments, at));
        let earlier: Vec<Option<Path>> = earlier.map(|at| Some(edits[at?].path.clone())).collect();
        let mut earlier = earlier.into_iter();
        self.refuse(edits, |PathEdit { path, .. }| {
            let earlier = earlier.next()??;
            Some(match (*path == earlier, path.segments.last()) {
                (true, Some(Segment::Index(_))) => Fault::of_path("it is given twice")
                    .hint("each edit counts the elements anew; to remove several, begin with the last"),
                (true, _) => Fault::of_path("it is given twice").hint("give it once"),
                (false, _) => {
                    Fault::of_path(format!("it overlaps `{}`, which is given too", earlier.shown()))
                        .hint("set either the whole or its parts")
                }
            })
        });
    }
}

/// Returns the depth of a value; the depth of the JSON that it was read from was limited.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
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
                places.try_for_each(|(at, entry)| self.value(path.child(Segment::Index(at)), entry))
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
        let place = Place::resolve(&path.segments);
        match value {
            Value::String(_) => self.value(path, value),
            Value::Array(entries) => {
                // The first part of an option of the transcoder is its name.
                let names = usize::from(matches!(place, Ok(Place::Pair(_))));
                let mut entries = entries.iter().enumerate().skip(names);
                entries.try_for_each(|(at, entry)| self.strings(path.child(Segment::Index(at)), entry))
            }
            Value::Object(members) => {
                let is_own = |key: &str| !place.as_ref().is_ok_and(|place| place.lacks_own(key));
                let mut own = members.iter().filter(|(key, _)| is_own(key));
                own.try_for_each(|(key, value)| self.strings(path.child(Segment::Key(key.clone())), value))
            }
            _ => Ok(()),
        }
    }
}

/// The places of the edits as a tree: each node knows the first edit that leads to it or through it.
#[derive(Default)]
struct PathTree<'e> {
    first: Option<usize>,
    is_end: bool,
    below: HashMap<&'e Segment, PathTree<'e>>,
}

impl<'e> PathTree<'e> {
    /// Adds an edit, or returns the earlier edit that it overlaps.
    fn add(&mut self, segments: &'e [Segment], edit: usize) -> Option<usize> {
        let first = *self.first.get_or_insert(edit);
        match segments {
            _ if self.is_end => Some(first),
            [] if first != edit => Some(first),
            [] => {
                self.is_end = true;
                None
            }
            [Segment::Append, ..] => None,
            [segment, rest @ ..] => self.below.entry(segment).or_default().add(rest, edit),
        }
    }
}
