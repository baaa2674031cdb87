//! A value that is given as words is the whole directive; one that would drop elements of a list is
//! refused.

use serde_json::{Map, Value};

use super::assignment::{AssignedValue, Assignment};
use super::hint::{may_show, set, set_below};
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::fault::Fault;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::suggestion::keys;
use crate::edit::typed::{is_list, typed};
use crate::schema::SOURCE;
use crate::schema::json_value::scalar_text;

/// True if the patch for the assignment depends on what is there.
pub fn depends_on_read(assignment: &Assignment) -> bool {
    let place = Place::resolve(&assignment.path.segments);
    place.is_ok_and(|place| is_whole_in_words(place, &assignment.value))
}

/// True if the value is the whole list or the whole backend, and not given as JSON.
fn is_whole_in_words(place: Place, value: &AssignedValue) -> bool {
    let (AssignedValue::Typed(text) | AssignedValue::Text(text) | AssignedValue::File(text)) = value else {
        return false;
    };
    match place.address().is_some() {
        true => !text.trim_start().starts_with('{'),
        false => place.takes_elements() && !is_list(text),
    }
}

/// The value with what makes it the whole: null for each other extra of a backend.
///
/// # Errors
/// Several elements are there, of which this value would leave one.
pub fn whole(
    current: &dyn ConfigLookup,
    place: Place,
    path: &Path,
    given: &AssignedValue,
    value: Value,
) -> Result<Value, Fault> {
    let Some(keys) = keys(&path.segments).filter(|_| !value.is_null() && is_whole_in_words(place, given))
    else {
        return Ok(value);
    };
    if let Some(options) = place.address().and_then(|shape| shape.options) {
        return Ok(without_other_options(current.names(&[&keys[..], &[options]].concat()), options, value));
    }
    let present = current.value(&keys).as_ref().and_then(Value::as_array).map_or(0, Vec::len);
    match present {
        0 | 1 => Ok(value),
        _ => Err(drops(place, path, present, &value)),
    }
}

fn without_other_options(present: Vec<String>, options: &str, mut address: Value) -> Value {
    let Some(members) = address.as_object_mut().filter(|_| !present.is_empty()) else { return address };
    let extras = members.entry(options).or_insert_with(|| Value::Object(Map::new()));
    if let Some(extras) = extras.as_object_mut() {
        for name in present {
            extras.entry(name).or_insert(Value::Null);
        }
    }
    address
}

fn drops(place: Place, path: &Path, present: usize, value: &Value) -> Fault {
    // What is neither a port nor an address may be a secret that was typed at the wrong place.
    let list = if let Place::Own(row) = place { row.codec.facts().list } else { None };
    let (noun, placeholder, is_shown) = match place {
        _ if let Some(list) = list => (list.noun, "", true),
        Place::Own(_) => ("source", "URL", is_address(&value[0]) && may_show(path, value)),
        _ => ("option", "OPTION", false),
    };
    let (element, list) = match is_shown {
        true => (element(place, &value[0]), value.to_string()),
        false => (placeholder.to_owned(), format!("[\"{placeholder}\"]")),
    };
    Fault::of_path(format!("there are {present} {noun}s, and this would replace them all")).hint(format!(
        "{} replaces the first, {} appends, {} sets the whole list",
        set_below(path, Segment::Index(0), &element),
        set_below(path, Segment::Append, &element),
        set(path, &list),
    ))
}

fn is_address(source: &Value) -> bool {
    source.get(SOURCE.address).and_then(Value::as_str).is_some_and(|url| url.contains("://"))
}

/// The text of an element: as it is if it is read so, else as JSON.
fn element(place: Place, value: &Value) -> String {
    let plain = value.get(SOURCE.address).unwrap_or(value);
    let is_read =
        |text: &String| place.list_entry().and_then(|entry| typed(entry, text).ok()).as_ref() == Some(value);
    scalar_text(plain).filter(is_read).unwrap_or_else(|| value.to_string())
}
