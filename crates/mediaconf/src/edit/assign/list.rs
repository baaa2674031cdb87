//! Adds one edit to a merge patch. A merge patch has no entries of lists, so an edited list is in it as a whole.

use serde_json::{Map, Value};

use super::assignment::PathEdit;
use crate::edit::config_lookup::{ConfigLookup, ValueKind};
use crate::edit::here::{find_by, out_of_range};
use crate::edit::path::Segment;
use crate::edit::schema_path::Place;
use crate::schema::Schema;
use crate::schema::codec::occurrences;
use crate::schema::fault::{Fault, FaultKind};

/// Adds an edit to the patch of the edits before it. The fault of a removal is an absence where nothing is there to be
/// removed.
pub fn add(patch: &mut Value, current: &dyn ConfigLookup, edit: &PathEdit) -> Result<(), Fault> {
    let PathEdit { path, value, .. } = edit;
    let (above, in_list) = path.split_names();
    refuse_below_words(current, &above)?;
    if in_list.is_empty() {
        return put(patch, &above, value.clone());
    }
    let place = above.iter().try_fold(Place::Root, |place, key| place.member(key));
    let is_foreign = place.is_ok_and(Place::is_foreign);
    let before = patch.value(&above).or_else(|| current.value(&above)).unwrap_or(Value::Null);
    let repeats = |key: &&&str| is_foreign && Schema::media().repeats(key) && !before.is_object();
    let repeated = above.last().filter(repeats);
    let lines = |value: Value| match repeated {
        Some(keyword) => Value::Array(occurrences(keyword, &value)),
        None => value,
    };
    let before = lines(before);
    let mut after = before.clone();
    edit_within(&mut after, in_list, value).map_err(|fault| match value.is_null() {
        true => fault,
        false => Fault { kind: FaultKind::Path, ..fault },
    })?;
    if after == before {
        return Ok(());
    }
    let after = lines(after);
    let is_gone = is_foreign && after.as_array().is_some_and(Vec::is_empty);
    put(patch, &above, if is_gone { Value::Null } else { after })
}

/// Refuses a member of a word or of a list: it would replace the whole word or list.
fn refuse_below_words(current: &dyn ConfigLookup, keys: &[&str]) -> Result<(), Fault> {
    let mut place = Place::Root;
    for (index, key) in keys.iter().enumerate() {
        let Ok(below) = place.member(key) else { return Ok(()) };
        if below.is_foreign() && index + 1 < keys.len() {
            let (found, hint) = match current.kind(&keys[..=index]) {
                None => return Ok(()),
                // Its lines have names, and a patch gives them so.
                Some(ValueKind::List) if Schema::media().has_names(key) => return Ok(()),
                Some(ValueKind::Object) => continue,
                Some(ValueKind::List) => ("a list", "name an element, such as `[0]`"),
                Some(ValueKind::Word) => ("a word", "to replace it, set it to a JSON object"),
            };
            return Err(Fault::of_path(format!("`{key}` is {found}, and has no members")).hint(hint));
        }
        place = below;
    }
    Ok(())
}

fn put(patch: &mut Value, keys: &[&str], value: Value) -> Result<(), Fault> {
    let mut node = patch;
    for key in keys {
        node = object(node).ok_or_else(|| no_object(key))?.entry(*key).or_insert(Value::Null);
    }
    *node = value;
    Ok(())
}

/// The members of an object, where null stands for one that does not exist yet.
fn object(node: &mut Value) -> Option<&mut Map<String, Value>> {
    if node.is_null() {
        *node = Value::Object(Map::new());
    }
    node.as_object_mut()
}

fn no_object(key: &str) -> Fault {
    Fault::of_path(format!("`{key}` can't be set: its parent is not an object"))
}

/// Sets or removes the value at `segments` of `node`, where null stands for a value that does not
/// exist yet.
fn edit_within(node: &mut Value, segments: &[Segment], value: &Value) -> Result<(), Fault> {
    let Some((segment, rest)) = segments.split_first() else {
        *node = value.clone();
        return Ok(());
    };
    let removes = value.is_null();
    let absent_if_removed = |fault| if removes { Fault { kind: FaultKind::Absent, ..fault } } else { fault };
    if let Segment::Key(key) = segment {
        let members = object(node).ok_or_else(|| absent_if_removed(no_object(key)))?;
        return match members.contains_key(key) {
            false if removes => Err(Fault::absent(format!("the entry has no `{key}`"))),
            true if removes && rest.is_empty() => {
                members.shift_remove(key);
                Ok(())
            }
            _ => edit_within(members.entry(key).or_insert(Value::Null), rest, value),
        };
    }
    if node.is_null() {
        *node = Value::Array(Vec::new());
    }
    let no_list = || Fault::of_path("this is not a list").hint("set the whole to a JSON array");
    let entries = node.as_array_mut().ok_or_else(|| absent_if_removed(no_list()))?;
    let index = index(entries, segment, removes)?;
    match entries.get_mut(index) {
        None if removes => Err(out_of_range(entries.len())),
        None => {
            let mut entry = Value::Null;
            edit_within(&mut entry, rest, value)?;
            entries.push(entry);
            Ok(())
        }
        Some(_) if removes && rest.is_empty() => {
            entries.remove(index);
            Ok(())
        }
        Some(entry) => edit_within(entry, rest, value),
    }
}

/// The place of the entry that a segment names, which may be a new one behind the last.
fn index(entries: &[Value], segment: &Segment, removes: bool) -> Result<usize, Fault> {
    let len = entries.len();
    let found = match segment {
        Segment::Index(index) => Some(*index).filter(|index| *index <= len),
        Segment::FromEnd(back) => len.checked_sub(*back),
        Segment::Find { key, value } => match find_by(entries, key, value)? {
            None if removes => return Err(Fault::absent("no element of the list matches")),
            None => {
                return Err(Fault::of_path("no element of the list matches").hint("`[+]` appends a new one"));
            }
            found => found,
        },
        _ => Some(len),
    };
    found.ok_or_else(|| out_of_range(len))
}
