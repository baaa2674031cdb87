//! From what serializes to a value in memory.

use serde::Serialize;
use serde_json::Value;

/// Something of this layer, such as a view or a part of one, as a JSON value.
pub fn to_json(shown: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(shown)
        .expect("the model shows only strings, safe numbers, booleans, arrays and objects")
}
