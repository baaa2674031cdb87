//! Builds one merge patch from edits.

use crate::schema::{Object, Schema};
use serde_json::{Map, Value};

use super::assignment::PathEdit;
use crate::edit::config_lookup::{ConfigLookup, ValueKind};
use crate::edit::fault::{Fault, FaultKind};
use crate::edit::path::Segment;
use crate::edit::schema_path::Place;
use crate::edit::value_at::{find_by, out_of_range};
use crate::schema::codec::occurrences;

/// Returns the patch of `edits`, which are made one after the other.
pub fn patch(current: &dyn ConfigLookup, edits: &[PathEdit], faults: &mut Vec<Fault>) -> Object {
    let mut builder = Builder { current, patch: Value::Object(Map::new()) };
    for edit in edits {
        match builder.add(edit) {
            Ok(()) => {}
            Err(fault) if edit.removes() && fault.is_absent() && !edit.is_unset => {}
            Err(fault) => {
                let is_absent = edit.removes() && fault.is_absent();
                faults.push(absent_if(is_absent, fault).at(&edit.path));
            }
        }
    }
    match builder.patch {
        Value::Object(patch) => patch,
        _ => Map::new(),
    }
}

struct Builder<'c> {
    current: &'c dyn ConfigLookup,
    patch: Value,
}

impl Builder<'_> {
    fn add(&mut self, edit: &PathEdit) -> Result<(), Fault> {
        let (above, in_list) = edit.path.split_names();
        self.refuse_below_words(&above)?;
        match in_list.is_empty() {
            true => self.put(&above, edit.value.clone()),
            false => self.edit_list(&above, in_list, &edit.value),
        }
    }

    /// Refuses a member of a word or of a list: it would replace the whole word or list.
    fn refuse_below_words(&self, keys: &[&str]) -> Result<(), Fault> {
        let mut place = Place::Root;
        for (index, key) in keys.iter().enumerate() {
            let Ok(below) = place.member(key) else { return Ok(()) };
            if below.is_foreign() && index + 1 < keys.len() {
                match self.current.kind(&keys[..=index]) {
                    None => return Ok(()),
                    // Its lines have names, and a patch gives them so.
                    Some(ValueKind::List) if Schema::media().has_names(key) => return Ok(()),
                    Some(ValueKind::Object) => {}
                    Some(ValueKind::List) => {
                        return Err(no_object(key, "a list").hint("name an element, such as `[0]`"));
                    }
                    Some(ValueKind::Word) => {
                        return Err(no_object(key, "a word").hint("to replace it, set it to a JSON object"));
                    }
                }
            }
            place = below;
        }
        Ok(())
    }

    fn put(&mut self, keys: &[&str], value: Value) -> Result<(), Fault> {
        let mut node = &mut self.patch;
        for key in keys {
            node = object(node, key)?.entry(*key).or_insert(Value::Null);
        }
        *node = value;
        Ok(())
    }

    /// Edits an entry of a list. A merge patch has no entries of lists, so it gets the whole new list.
    fn edit_list(&mut self, keys: &[&str], in_list: &[Segment], value: &Value) -> Result<(), Fault> {
        let schema = Schema::media();
        let before = self.patch.value(keys).or_else(|| self.current.value(keys)).unwrap_or(Value::Null);
        let is_foreign = ends_foreign(keys);
        let repeated = keys.last().filter(|key| is_foreign && schema.repeats(key) && !before.is_object());
        let lines = |value: Value| match repeated {
            Some(keyword) => Value::Array(occurrences(keyword, &value)),
            None => value,
        };
        let before = lines(before);
        let mut after = before.clone();
        edit_within(&mut after, in_list, value)?;
        if after == before {
            return Ok(());
        }
        let after = lines(after);
        let is_gone = is_foreign && after.as_array().is_some_and(Vec::is_empty);
        self.put(keys, if is_gone { Value::Null } else { after })
    }
}

fn ends_foreign(keys: &[&str]) -> bool {
    let place = keys.iter().try_fold(Place::Root, |place, key| place.member(key));
    place.is_ok_and(Place::is_foreign)
}

fn no_object(key: &str, found: &str) -> Fault {
    Fault::of_path(format!("`{key}` is {found}, and has no members"))
}

/// Sets or removes the value at `segments` of `node`, where null stands for a value that does not
/// exist yet.
fn edit_within(node: &mut Value, segments: &[Segment], value: &Value) -> Result<(), Fault> {
    match segments {
        [] => {
            *node = value.clone();
            Ok(())
        }
        [Segment::Key(key), rest @ ..] => {
            edit_member(object(node, key).map_err(absent_if_removed(value))?, key, rest, value)
        }
        [segment, rest @ ..] => {
            edit_entry(list(node).map_err(absent_if_removed(value))?, segment, rest, value)
        }
    }
}

/// Returns the fault of a removal from a value that is no object and no list: none of its values is there
/// to be removed.
fn absent_if_removed(value: &Value) -> impl Fn(Fault) -> Fault {
    let is_absent = value.is_null();
    move |fault| absent_if(is_absent || fault.is_absent(), fault)
}

fn absent_if(is_absent: bool, fault: Fault) -> Fault {
    Fault { kind: if is_absent { FaultKind::Absent } else { FaultKind::Path }, ..fault }
}

fn edit_member(members: &mut Object, key: &str, rest: &[Segment], value: &Value) -> Result<(), Fault> {
    if value.is_null() && !members.contains_key(key) {
        return Err(Fault::absent(format!("the entry has no `{key}`")));
    }
    if value.is_null() && rest.is_empty() {
        members.shift_remove(key);
        return Ok(());
    }
    edit_within(members.entry(key).or_insert(Value::Null), rest, value)
}

fn edit_entry(
    entries: &mut Vec<Value>,
    segment: &Segment,
    rest: &[Segment],
    value: &Value,
) -> Result<(), Fault> {
    let Some(index) = find(entries, segment)? else {
        let none = "no element of the list matches";
        return Err(match value.is_null() {
            true => Fault::absent(none),
            false => Fault::of_path(none).hint("`[+]` appends a new one"),
        });
    };
    match entries.get_mut(index) {
        None if value.is_null() => return Err(out_of_range(entries.len())),
        None => {
            let mut entry = Value::Null;
            edit_within(&mut entry, rest, value)?;
            entries.push(entry);
        }
        Some(_) if rest.is_empty() && value.is_null() => drop(entries.remove(index)),
        Some(entry) => edit_within(entry, rest, value)?,
    }
    Ok(())
}

fn object<'v>(node: &'v mut Value, key: &str) -> Result<&'v mut Object, Fault> {
    if node.is_null() {
        *node = Value::Object(Map::new());
    }
    node.as_object_mut()
        .ok_or_else(|| Fault::of_path(format!("`{key}` can't be set: its parent is not an object")))
}

fn list(node: &mut Value) -> Result<&mut Vec<Value>, Fault> {
    if node.is_null() {
        *node = Value::Array(Vec::new());
    }
    node.as_array_mut()
        .ok_or_else(|| Fault::of_path("this is not a list").hint("set the whole to a JSON array"))
}

/// The place of the entry that a segment names, which may be a new one behind the last.
fn find(entries: &[Value], segment: &Segment) -> Result<Option<usize>, Fault> {
    match segment {
        Segment::Index(index) if *index > entries.len() => Err(out_of_range(entries.len())),
        Segment::Index(index) => Ok(Some(*index)),
        Segment::FromEnd(back) => match entries.len().checked_sub(*back) {
            None => Err(out_of_range(entries.len())),
            index => Ok(index),
        },
        Segment::Find { key, value } => find_by(entries, key, value),
        _ => Ok(Some(entries.len())),
    }
}
