//! Turns the assignments of the command line into one merge patch: `--set`, `--set-string`, `--unset`, `--replace`.
//!
//! Each assignment goes through the same steps: its path is expanded, and the value is typed by the schema. Edits that
//! overlap are refused. The others are added to the patch one by one, in which an edited list is the whole new list. Then
//! edits in blocks that do not exist are refused.
//!
//! *Invariants.* A value may be a secret: no message holds one. The patch is [normalized](Schema::normalize).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::slips::drops;
use super::substitution::Substitution;
use crate::query::{Condition, Config, Expansion, NULL, Path, Segment, find_by, keys, out_of_range};
use crate::schema::{Fault, FaultKind, Faults, Place, Schema, json, no_string, occurrences, scalar_text};
use crate::syntax::Document;

/// One `--set`, `--set-string`, `--unset` or `--replace`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// One place, or with a pattern several.
    pub path: Path,
    /// The value, or its removal.
    pub value: AssignedValue,
}

/// The value that an assignment sets. It may be a secret, so nothing shows it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AssignedValue {
    /// `--set PATH=VALUE`: the text, typed by the schema; `null` removes.
    Typed(String),
    /// `--set-string PATH=VALUE`: always a string.
    Text(String),
    /// `--unset PATH`: no value.
    Remove,
    /// `--replace PATH s/OLD/NEW/`: the present strings, with a part replaced.
    Replace(Substitution),
}

impl Assignment {
    /// The path, in which the keyword of the text stands for the key where it sets the only source.
    fn path(&self) -> Cow<'_, Path> {
        let sets = !self.value.removes() && !matches!(self.value, AssignedValue::Replace(_));
        if sets { Cow::Owned(self.path.with_key_of_sources()) } else { Cow::Borrowed(&self.path) }
    }

    /// True if its edits depend on what is there.
    pub(crate) fn looks_up(&self) -> bool {
        let segments = &self.path().segments;
        matches!(self.value, AssignedValue::Replace(_))
            || keys(segments).is_none()
            || Place::resolve(segments).is_ok_and(|place| self.value.is_whole_in_words(place))
    }
}

impl AssignedValue {
    /// True if it is `--unset PATH` or `--set PATH=null`.
    pub fn removes(&self) -> bool {
        matches!(self, Self::Remove) || matches!(self, Self::Typed(text) if text == NULL)
    }

    /// True if the value is the whole list or the whole backend, and not given as JSON.
    fn is_whole_in_words(&self, place: Place) -> bool {
        let (Self::Typed(text) | Self::Text(text)) = self else { return false };
        match place.facts().address {
            Some(_) => !text.trim_start().starts_with('{'),
            None => place.takes_elements() && !matches!(json(text), Ok(Some(Value::Array(_)))),
        }
    }
}

/// The permissions of assignments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssignOptions {
    /// `--create`: set values in streams, lives and plugins that do not exist yet, which makes them.
    pub create: bool,
    /// `--ignore-missing`: remove values that are not set, which changes nothing.
    pub ignore_missing: bool,
    /// `--accept near-miss`: remove a value whose name looks misspelt.
    pub near_misses: bool,
}

/// One new value for one place.
pub(super) struct PathEdit {
    /// The place, without `*`.
    pub path: Path,
    /// The new value; null removes the value.
    pub value: Value,
    /// True if it is a fault if there is no value: for `--unset`, not for `--set PATH=null`.
    pub is_unset: bool,
}

/// The edits of one assignment.
pub(super) type MadeEdits = Result<Vec<PathEdit>, Fault>;

/// Makes the edits of one call.
pub(super) struct Assigner<'c> {
    pub expansion: Expansion<'c>,
    pub options: AssignOptions,
}

impl Config<'_> {
    /// Returns the patch that applies `assignments` to those entries that meet all `conditions`, in their order.
    ///
    /// # Errors
    /// All faults, not only the first.
    pub fn to_patch(
        &self,
        assignments: &[Assignment],
        conditions: &[Condition],
        options: AssignOptions,
    ) -> Result<Value, Faults> {
        let expansion = Expansion { current: self, real: self, conditions, own_only: true };
        let assigner = Assigner { expansion, options };
        let (mut edits, mut faults) = (Vec::new(), Vec::new());
        for assignment in assignments {
            let made = assigner.edits(&assignment.path(), &assignment.value);
            made.map_or_else(|fault| faults.push(fault), |made| edits.extend(made));
        }
        // The places of one are all different.
        faults.extend((assignments.len() > 1).then(|| assigner.overlaps(&edits)).into_iter().flatten());
        let mut patch = json!({});
        let added: Vec<Option<Fault>> = edits.iter().map(|edit| add(&mut patch, self, edit).err()).collect();
        // Of a block that is not there, what is missing in it says nothing.
        for (edit, fault) in edits.iter().zip(added) {
            let missing = assigner.missing_block(edit, &patch).filter(|_| !options.create);
            faults.extend(missing.or(fault).map(|fault| fault.at(&edit.path)));
        }
        if options.ignore_missing {
            faults.retain(|fault| !fault.is_absent());
        }
        Faults(faults).into_result(())?;
        // These are faults that only the whole patch shows, such as a source without an address.
        let of_path = |fault: Fault| fault.clone().at(&fault.pointer.unwrap_or_default().to_path());
        Schema::normalize(patch).map_err(|faults| Faults(faults.0.into_iter().map(of_path).collect()))
    }
}

impl Assigner<'_> {
    /// The edits of one assignment.
    fn edits(&self, path: &Path, value: &AssignedValue) -> MadeEdits {
        let places = match value {
            AssignedValue::Replace(by) => self.replaced(path, by)?,
            _ => self.places(path, value)?.into_iter().map(|place| (place, value.clone())).collect(),
        };
        let is_unset = matches!(value, AssignedValue::Remove);
        let edit = |(place, value): (Path, AssignedValue)| {
            let value = self.value(&place, path, &value).map_err(|fault| fault.at(path))?;
            Ok(PathEdit { path: place, value, is_unset })
        };
        let edits = places.into_iter().map(edit).collect::<Result<_, Fault>>()?;
        if value.removes() { self.without_slips(path, is_unset, edits) } else { Ok(edits) }
    }

    /// The places that a path stands for. The last entries of a list come first: when one is removed, those
    /// before it stay where they are.
    fn places(&self, path: &Path, value: &AssignedValue) -> Result<Vec<Path>, Fault> {
        let (mut places, absence) = self.expansion.places(path)?;
        if path.segments.contains(&Segment::EveryEntry) {
            places.reverse();
        }
        let above = path.first(path.first_pattern().unwrap_or(path.segments.len()));
        let is_every = path.segments.get(above.segments.len()).is_some_and(Segment::takes_all);
        // What is removed may be absent; its block must be there.
        let may_be_empty = || {
            let is_block_there = || self.expansion.current.found(&above.first(2)).is_ok();
            is_every
                && value.removes()
                && self.expansion.conditions.is_empty()
                && Place::resolve(&above.segments).is_ok_and(|place| !place.is_foreign())
                && (above.kind().is_none() || above.segments.len() < 2 || is_block_there())
        };
        let absence = absence.filter(|_| places.is_empty() && !may_be_empty());
        absence.map_or(Ok(places), Err)
    }

    /// The value that is set at a place, for which `path` stands.
    fn value(&self, place: &Path, path: &Path, given: &AssignedValue) -> Result<Value, Fault> {
        let at = Place::to_set(&place.segments)?;
        if given.removes() && path.segments.last() == Some(&Segment::Append) {
            return Err(Fault::of_path("there is nothing at `[+]` to remove"));
        }
        let value = match given {
            AssignedValue::Remove => at.removal()?,
            AssignedValue::Replace(_) => return Err(no_string()),
            AssignedValue::Text(text) => at.string(text)?,
            AssignedValue::Typed(text) if text.is_empty() => return Err(self.empty(at, path)),
            AssignedValue::Typed(text) => {
                self.whole_for_first(at, path, text).map_or(Ok(()), Err)?;
                self.words(at, place, text)?.map_or_else(|| at.typed(text), Ok)?
            }
        };
        if path.segments.len() + depth(&value) > Document::MAX_DEPTH {
            return Err(Fault::of_path(format!("this nests deeper than {}", Document::MAX_DEPTH)));
        }
        let is_whole = !value.is_null() && given.is_whole_in_words(at);
        if is_whole { self.whole(at, place, value) } else { Ok(value) }
    }

    /// A value that is given as words is the whole directive: null for each other extra of a backend; one that would drop
    /// elements of a list is refused.
    fn whole(&self, place: Place, path: &Path, mut value: Value) -> Result<Value, Fault> {
        let Some(keys) = keys(&path.segments) else { return Ok(value) };
        let address = place.facts().address.filter(|_| value.is_object());
        if let Some(options) = address.and_then(|shape| shape.options) {
            for name in self.expansion.current.names(&[&keys[..], &[options]].concat()) {
                // An index makes a member that is not there: null.
                let _ = &mut value[options][name];
            }
            return Ok(value);
        }
        let present = self.expansion.current.value(&keys);
        let elements = present.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
        if elements > 1 { Err(drops(path, elements)) } else { Ok(value) }
    }

    /// The places of the values that a substitution changes, each with its new one. The path goes through lists
    /// without brackets; of a list or an object each string and number changes.
    fn replaced(&self, path: &Path, by: &Substitution) -> Result<Vec<(Path, AssignedValue)>, Fault> {
        let found = self.expansion.select(path)?.into_places();
        let (mut words, mut left, mut changes) = (Vec::new(), Substitution::MORE, Vec::new());
        found.iter().for_each(|(place, value)| own_words(place, value, &mut words));
        for (place, value) in words {
            let text = scalar_text(value).unwrap_or_default();
            let new = by.apply(&text, &mut left).map_err(|fault| fault.at(path))?;
            let typed = if value.is_string() { AssignedValue::Text } else { AssignedValue::Typed };
            changes.extend(new.filter(|new| *new != text).map(|new| (place, typed(new))));
        }
        let absent = || Fault::absent("the text to replace is in no value here").at(path);
        if changes.is_empty() { Err(absent()) } else { Ok(changes) }
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

/// Finds each string and number of a value that is not derived, with its place.
fn own_words<'v>(path: &Path, value: &'v Value, found: &mut Vec<(Path, &'v Value)>) {
    let place = Place::resolve(&path.segments);
    match value {
        Value::Array(entries) => {
            // The first part of an option of the transcoder is its name.
            let names = usize::from(matches!(place, Ok(Place::Pair(_))));
            let entries = entries.iter().enumerate().skip(names);
            entries.for_each(|(at, entry)| own_words(&path.child(Segment::Index(at)), entry, found));
        }
        Value::Object(members) => {
            let is_own = |key: &str| !place.as_ref().is_ok_and(|place| place.lacks_own(key));
            let own = members.iter().filter(|(key, _)| is_own(key));
            own.for_each(|(key, value)| own_words(&path.child(Segment::Key(key.clone())), value, found));
        }
        Value::Bool(_) | Value::Null => {}
        Value::Number(_) | Value::String(_) => found.push((path.clone(), value)),
    }
}

/// Adds an edit to the patch of the edits before it. A merge patch has no entries of lists, so an edited list is in it as a
/// whole. The fault of a removal is an absence where nothing is there to be removed.
fn add(patch: &mut Value, current: &Config<'_>, edit: &PathEdit) -> Result<(), Fault> {
    let PathEdit { path, value, is_unset } = edit;
    let names = path.names();
    let (above, in_list) = path.segments.split_at(names.len());
    let may_be_absent = value.is_null() && !is_unset;
    if in_list.is_empty() {
        // A merge would make the object that an absent value is in.
        let is_in_none = |(_, around): (_, &[&str])| !around.is_empty() && !current.is_object(around);
        let is_absent = may_be_absent && names.split_last().is_some_and(is_in_none);
        return if is_absent { Ok(()) } else { set(patch, above, value, false) };
    }
    let in_patch = names.iter().try_fold(&*patch, |value, name| value.get(*name)).cloned();
    let before = in_patch.or_else(|| current.value(&names)).unwrap_or(Value::Null);
    let is_foreign = Place::resolve(above).is_ok_and(Place::is_foreign);
    let repeats = |key: &&&str| is_foreign && Schema::repeats(key) && !before.is_object();
    let repeated = names.last().filter(repeats).copied();
    let lines = |value: Value| match repeated {
        Some(keyword) => Value::Array(occurrences(keyword, &value)),
        None => value,
    };
    let before = lines(before);
    let mut after = before.clone();
    match set(&mut after, in_list, value, value.is_null()) {
        Err(fault) if !may_be_absent || !fault.is_absent() => return Err(fault),
        Ok(()) if after != before => {}
        _ => return Ok(()),
    }
    let after = lines(after);
    let is_gone = is_foreign && after.as_array().is_some_and(Vec::is_empty);
    set(patch, above, if is_gone { &Value::Null } else { &after }, false)
}

/// Sets or removes the value at `segments` of `node`, where null stands for a value that does not
/// exist yet.
fn set(node: &mut Value, segments: &[Segment], value: &Value, removes: bool) -> Result<(), Fault> {
    let Some((segment, rest)) = segments.split_first() else {
        *node = value.clone();
        return Ok(());
    };
    let kind = if removes { FaultKind::Absent } else { FaultKind::Path };
    if node.is_null() {
        *node = if segment.name().is_some() { json!({}) } else { json!([]) };
    }
    if let Segment::Key(key) = segment {
        let no_object = || Fault::new(kind, format!("`{key}` can't be set: its parent is not an object"));
        let members = node.as_object_mut().ok_or_else(no_object)?;
        if removes && (rest.is_empty() || !members.contains_key(key)) {
            let absent = || Fault::absent(format!("the entry has no `{key}`"));
            return members.shift_remove(key).map(drop).ok_or_else(absent);
        }
        // A name is made only where it is new.
        return match members.get_mut(key) {
            Some(member) => set(member, rest, value, removes),
            None => set(members.entry(key).or_insert(Value::Null), rest, value, removes),
        };
    }
    let no_list = || Fault::new(kind, "this is not a list").hint("set the whole to a JSON array");
    let entries = node.as_array_mut().ok_or_else(no_list)?;
    let len = entries.len();
    let index = match segment {
        Segment::Index(index) => Some(*index),
        Segment::FromEnd(back) => len.checked_sub(*back),
        Segment::Find { key, value } => match find_by(entries, key, value) {
            Err(fault) if fault.is_absent() && !removes => {
                return Err(Fault { kind, ..fault.hint("`[+]` appends a new one") });
            }
            found => Some(found?),
        },
        _ => Some(len),
    };
    let is_there = |index: &usize| *index < len || *index == len && !removes;
    let index = index.filter(is_there).ok_or_else(|| Fault { kind, ..out_of_range(len) })?;
    if removes && rest.is_empty() {
        entries.remove(index);
        return Ok(());
    }
    if index == len {
        entries.push(Value::Null);
    }
    set(&mut entries[index], rest, value, removes)
}
