//! Merging into known settings.

use serde_json::{Map, Value};

use crate::edit::fault::{Fault, Faults};
use crate::edit::json_pointer::Pointer;
use crate::schema::{AddressShape, Merge, Object, ObjectShape, Parameter, Part, PartPlace};

/// Merges into a known setting; `None` if it is not set afterwards.
pub fn merge_setting(
    parameter: &'static Parameter,
    current: Option<&Value>,
    patch: &Value,
    pointer: &Pointer,
) -> Result<Option<Value>, Faults> {
    match (parameter.shape.merge(), patch) {
        (_, Value::Null) => Ok(None),
        (Merge::Members(object), Value::Object(patch)) => parts(object, current, patch, pointer),
        (Merge::AddressAndOptions(shape), Value::Object(patch)) => address(shape, current, patch, pointer),
        (Merge::ReplaceList, Value::Array(list)) if list.is_empty() && !parameter.always_shown => Ok(None),
        _ => Ok(Some(patch.clone())),
    }
}

/// Merges the members of an object whose words a directive holds. Of two parts in the same place, the one
/// of the patch replaces the other.
fn parts(
    object: &'static ObjectShape,
    current: Option<&Value>,
    patch: &Object,
    pointer: &Pointer,
) -> Result<Option<Value>, Faults> {
    if current.is_none() && patch.values().all(Value::is_null) {
        return Ok(None);
    }
    let mut merged = current.and_then(Value::as_object).cloned().unwrap_or_default();
    merged.extend(patch.iter().map(|(key, value)| (key.clone(), value.clone())));
    let mut faults = Faults::default();
    for part in object.parts.iter().filter(|part| part.place == PartPlace::Required) {
        let is_given = |part: &Part| patch.get(part.key).is_some_and(|value| !value.is_null());
        if let Some(other) = object.alternative(part) {
            match (is_given(part), is_given(other)) {
                (true, true) => {
                    let message = format!("`{}` and `{}` exclude each other", part.key, other.key);
                    faults.push(Fault::wrong_type(&pointer.child(other.key), message));
                }
                (true, false) => drop(merged.shift_remove(other.key)),
                (false, true) => drop(merged.shift_remove(part.key)),
                (false, false) => {}
            }
        }
        let is_there = |part: &Part| merged.get(part.key).is_some_and(|value| !value.is_null());
        if !is_there(part) && !object.alternative(part).is_some_and(is_there) {
            faults.push(Fault::wrong_type(&pointer.child(part.key), format!("the {} is missing", part.key)));
        }
    }
    merged.retain(|_, value| !value.is_null());
    faults.into_result(Some(Value::Object(merged)))
}

/// Merges an address and its options.
fn address(
    shape: &AddressShape,
    current: Option<&Value>,
    patch: &Object,
    pointer: &Pointer,
) -> Result<Option<Value>, Faults> {
    let empty = Map::new();
    let current = current.and_then(Value::as_object).unwrap_or(&empty);
    let old = current.get(shape.address);
    let url = patch.get(shape.address).or(old).filter(|url| !url.is_null()).cloned();
    let opens = url == Some(Value::Bool(false)) && old != url.as_ref();
    let options = shape.options.expect("the options of a single address are an object");
    let given = patch.get(options).and_then(Value::as_object);
    let mut existing = current.get(options).and_then(Value::as_object).cloned().unwrap_or_default();
    if opens {
        // Keys that the patch sets again keep their place.
        existing.retain(|key, _| given.is_some_and(|given| given.contains_key(key)));
    }
    let extra = match patch.get(options) {
        Some(Value::Null) => Map::new(),
        _ => extras(&existing, given.unwrap_or(&empty)),
    };
    match (url, extra.is_empty()) {
        (None, true) => Ok(None),
        (None, false) => {
            let fault = Fault::wrong_type(
                &pointer.child(shape.address),
                "extra parameters without a url can't be written",
            );
            Err(fault.hint("set the url too, or remove the whole with null").into())
        }
        (Some(url), _) => {
            let mut merged = Map::from_iter([(shape.address.to_owned(), url)]);
            if !extra.is_empty() {
                merged.insert(options.to_owned(), Value::Object(extra));
            }
            Ok(Some(Value::Object(merged)))
        }
    }
}

/// New keys first, in the order given, then the existing ones in theirs.
fn extras(existing: &Object, patch: &Object) -> Object {
    let is_set = |value: &Value| !value.is_null();
    let new = patch.iter().filter(|(key, value)| !existing.contains_key(*key) && is_set(value));
    let kept = existing.iter().map(|(key, value)| (key, patch.get(key).unwrap_or(value)));
    new.chain(kept.filter(|(_, value)| is_set(value)))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}
