//! The value at one path, and the fault if there is none.

use serde_json::Value;

use super::config_lookup::ConfigLookup;
use super::fault::{Fault, FaultKind};
use super::path::{Path, Segment};
use super::schema_path::Place;
use super::suggestion::{did_you_mean, in_a_group, with_quoted_name};
use crate::schema::json_value::scalar_text;

/// Returns the value at a path that stands for one place.
///
/// # Errors
/// An absence if no value is there; another fault if the path does not name one place: `[+]`, or an
/// entry that is in the list twice.
pub fn value_at(current: &dyn ConfigLookup, path: &Path) -> Result<Value, Fault> {
    let (above, in_list) = path.split_names();
    // A path that the schema does not have is an absence, too: a glob passes over it.
    let absent = || Fault { kind: FaultKind::Absent, ..missing(current, path, &above) };
    let value = current.value(&above).ok_or_else(absent)?;
    in_list.iter().try_fold(value, entry)
}

fn entry(value: Value, segment: &Segment) -> Result<Value, Fault> {
    match (segment, value) {
        (Segment::Key(key), Value::Object(mut members)) => {
            members.swap_remove(key).ok_or_else(|| Fault::absent(format!("the entry has no `{key}`")))
        }
        (Segment::Append, _) => {
            Err(Fault::of_path("`[+]` is a new element, and can't be read").hint("`[0]` is the first"))
        }
        (Segment::Index(index), Value::Array(mut entries)) => match *index < entries.len() {
            true => Ok(entries.swap_remove(*index)),
            false => Err(out_of_range(entries.len())),
        },
        (Segment::FromEnd(back), Value::Array(mut entries)) => match entries.len().checked_sub(*back) {
            Some(index) => Ok(entries.swap_remove(index)),
            None => Err(out_of_range(entries.len())),
        },
        (Segment::Find { key, value }, Value::Array(mut entries)) => match find_by(&entries, key, value)? {
            Some(index) => Ok(entries.swap_remove(index)),
            None => Err(Fault::absent("no element of the list matches")),
        },
        (Segment::Key(key), _) => Err(Fault::absent(format!("there is no object with a `{key}`"))),
        (segment, _) => Err(Fault::absent(format!("there is no list for `{segment}`"))),
    }
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

/// Returns the place of the only entry with this member; several such entries are ambiguous.
pub fn find_by(entries: &[Value], key: &str, value: &str) -> Result<Option<usize>, Fault> {
    let is_meant = |entry: &Value| entry.get(key).and_then(scalar_text).is_some_and(|text| text == value);
    let mut found = entries.iter().enumerate().filter(|(_, entry)| is_meant(entry)).map(|(at, _)| at);
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
