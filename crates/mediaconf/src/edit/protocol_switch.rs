//! `X_off` of a protocol X: true and false write and remove the directive `X off;`.
//!
//! Panels send such members for each stream. No server reads a directive `X_off`.

use serde_json::{Map, Value};

use super::config_lookup::{ConfigLookup, LocalView};
use crate::model::Lens;
use crate::schema::fault::{Fault, Faults};
use crate::schema::json_pointer::Pointer;
use crate::schema::members::Members;
use crate::schema::{Object, protocol_of_switch};

const OFF: &str = "off";

/// A normalized patch in which each such member of a named block is the directive that it means.
///
/// # Errors
/// A member is no boolean, or the patch says something else of the protocol, too.
pub fn resolved(members: &Members<'_>, mut patch: Object) -> Result<Object, Faults> {
    let mut faults = Faults::default();
    for (group, blocks) in &mut patch {
        for (name, block) in blocks.as_object_mut().into_iter().flatten() {
            let Value::Object(block) = block else { continue };
            if block.keys().any(|key| protocol_of_switch(key).is_some()) {
                let at = Pointer::root().child(group).child(name);
                *block = in_block(members, (group, name), std::mem::take(block), &at, &mut faults);
            }
        }
    }
    faults.into_result(patch)
}

fn in_block(
    members: &Members<'_>,
    (group, name): (&str, &str),
    block: Object,
    at: &Pointer,
    faults: &mut Faults,
) -> Object {
    let lens = Lens::default();
    let current = LocalView::new(members, &lens);
    let mut resolved = Map::new();
    for (key, value) in &block {
        let Some(protocol) = protocol_of_switch(key).filter(|_| !value.is_null()) else {
            resolved.insert(key.clone(), value.clone());
            continue;
        };
        // A directive with this name stands there, which earlier versions wrote: the member is that.
        if current.contains(&[group, name, key]) {
            resolved.insert(key.clone(), if *value == false { Value::Null } else { value.clone() });
            continue;
        }
        let is_off = current.value(&[group, name, protocol]).is_some_and(|value| value == OFF);
        let wanted = match value {
            Value::Bool(true) => Some(Value::from(OFF)),
            Value::Bool(false) => is_off.then_some(Value::Null),
            _ => {
                let message = format!("`{key}` is true or false");
                faults.push(Fault::wrong_type(&at.child(key), message));
                continue;
            }
        };
        match block.get(protocol) {
            Some(other) if *value == true && *other != OFF => {
                let message = format!("`{key}` and `{protocol}` say different things");
                faults.push(Fault::wrong_type(&at.child(key), message).hint("give one of them"));
            }
            Some(_) => {}
            None => resolved.extend(wanted.map(|value| (protocol.to_owned(), value))),
        }
    }
    resolved
}
