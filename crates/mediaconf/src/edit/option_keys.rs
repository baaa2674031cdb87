//! Refuses options that can't be written, because of their keys.

use std::collections::HashMap;

use serde_json::Value;

use crate::schema::fault::{Fault, Faults};
use crate::schema::json_pointer::Pointer;
use crate::schema::members::keyword_of;
use crate::schema::{AddressShape, Facts, Parameter};
use crate::secret::Masker;
use crate::syntax::needs_quotes;

/// Returns the faults of new options whose key could not be separated from their value.
pub(super) fn unwritable(
    row: &Parameter,
    current: Option<&Value>,
    target: Option<&Value>,
    pointer: &Pointer,
) -> Faults {
    let Some(target) = target else { return Faults::default() };
    let each = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let mut faults = Vec::new();
    match row.codec.facts() {
        Facts { address: Some(shape), .. } => {
            faults.extend(unwritable_options(shape, current, target, pointer));
        }
        Facts { sources: Some(shape), .. } => {
            let known = each(current);
            for (index, element) in each(Some(target)).iter().enumerate() {
                let known = known.iter().find(|known| *known == element).or(known.get(index));
                faults.extend(unwritable_options(shape, known, element, &pointer.child(index)));
            }
        }
        Facts { options: Some(_), .. } => {
            let known = each(current);
            for (index, pair) in
                each(Some(target)).iter().enumerate().filter(|(_, pair)| !known.contains(pair))
            {
                let pointer = pointer.child(index).child(0);
                faults.extend(writable_key(pair[0].as_str().unwrap_or_default(), &pointer).err());
            }
        }
        _ => {}
    }
    Faults(faults)
}

fn unwritable_options(
    shape: &AddressShape,
    current: Option<&Value>,
    target: &Value,
    pointer: &Pointer,
) -> Vec<Fault> {
    let known: HashMap<&String, &Value> =
        current.into_iter().flat_map(|current| shape.options_of(current)).collect();
    let pointer = shape.options.map_or_else(|| pointer.clone(), |key| pointer.child(key));
    // Without a value the word of an empty key would be empty.
    let is_new = |(key, value): &(&String, &Value)| {
        known.get(key).is_none_or(|known| key.is_empty() && known != value && **value == true)
    };
    let new = shape.options_of(target).filter(is_new).map(|(key, _)| key);
    new.filter_map(|key| writable_key(keyword_of(shape.option_scope(), key), &pointer.child(key)).err())
        .collect()
}

fn writable_key(key: &str, pointer: &Pointer) -> Result<(), Fault> {
    if !key.is_empty() && !key.contains(['=', '\0']) && !needs_quotes(key) && !Masker::holds_mask(key) {
        return Ok(());
    }
    let fault = Fault::wrong_type(pointer, "an option can't have this key");
    Err(fault.hint("a key is not empty and holds no `=`, quotes, white space or NUL"))
}
