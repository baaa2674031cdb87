//! Normalizes a patch: drops output-only members, brings every value to the form in which the view
//! shows it, and refuses values that can't be written as text, with all faults at once.

use serde_json::{Map, Value};

use crate::schema::codec::each_normalized;
use crate::schema::fault::{Fault, FaultKind, Faults};
use crate::schema::json_pointer::Pointer;
use crate::schema::normalize::Normalizer;
use crate::schema::{Object, Schema};
use crate::secret::Masker;

/// Returns the patch in its normal form.
pub fn normalize(patch: Value) -> Result<Object, Faults> {
    let root = Pointer::root();
    let members = match patch {
        Value::Object(members) => members,
        Value::Array(elements) if elements.is_empty() => Map::new(),
        _ => {
            let fault = Fault::at_pointer(FaultKind::NotJson, root, "a patch must be an object");
            return Err(fault.hint("to remove one thing, set it to null, such as {\"auth\": null}").into());
        }
    };
    let mut normalizer =
        Normalizer { at: Pointer::root(), faults: Faults::default(), holds_mask: Masker::holds_mask };
    let normalized = each_normalized(Schema::media().top(), members, &mut normalizer);
    let Value::Object(normalized) = normalized else { return Ok(Map::new()) };
    normalizer.faults.into_result(normalized)
}
