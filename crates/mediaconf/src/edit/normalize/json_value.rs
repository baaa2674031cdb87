//! What a JSON value is, and what it is called in messages.

use serde_json::{Number, Value};

use crate::model::scalar::{canonical_integer, integer_of_number};

/// Whether a value is a single word of the text.
pub(super) fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

/// The integer a JSON value stands for; canonical decimal strings are taken too.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => integer_of_number(number.as_str()),
        Value::String(text) => canonical_integer(text),
        _ => None,
    }
}

pub(super) fn canonical_number(number: &Number) -> Value {
    match integer_of_number(number.as_str()) {
        Some(integer) => Value::Number(integer.into()),
        None => Value::String(number.as_str().to_owned()),
    }
}

/// The kind of a value, for messages: never the value itself, which may be a secret.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value that is no secret, for messages.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) if text.chars().count() <= 40 => format!("`{text}`"),
        other => kind_of(other).to_owned(),
    }
}

/// Whether a value is a list or an object without members.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
