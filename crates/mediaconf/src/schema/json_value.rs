//! The kinds of JSON values: their names in messages, and their form as words.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::scalar::{Scalar, canonical_integer, integer_of_number};
use crate::text::quoted_if_needed;

/// The members of a JSON object.
pub type Object = Map<String, Value>;

/// True if a value is a single word of the text.
pub fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

/// The integer a JSON value stands for; canonical decimal strings are taken too.
pub fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => integer_of_number(number.as_str()),
        Value::String(text) => canonical_integer(text),
        _ => None,
    }
}

/// A scalar of the word rule: a number that is no safe integer becomes a string.
pub fn canonical_scalar(value: Value) -> Value {
    match value {
        Value::Number(number) => canonical_number(&number),
        other => other,
    }
}

fn canonical_number(number: &Number) -> Value {
    match integer_of_number(number.as_str()) {
        Some(integer) => Value::Number(integer.into()),
        None => Value::String(number.as_str().to_owned()),
    }
}

/// The kind of a value, for messages: never the value itself, which may be a secret.
pub fn kind_of(value: &Value) -> &'static str {
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
pub fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) if text.chars().count() <= 40 => format!("`{text}`"),
        other => kind_of(other).to_owned(),
    }
}

/// True if a value is a list or an object without members.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A scalar as a word under the word rule.
pub fn word(value: &Value) -> String {
    let scalar = match value {
        Value::Bool(value) => Scalar::Bool(*value),
        Value::Number(number) => {
            number.as_i64().map_or(Scalar::Text(number.to_string().into()), Scalar::Number)
        }
        Value::String(text) => Scalar::Text(Cow::Borrowed(text)),
        _ => Scalar::Text(Cow::Borrowed("")),
    };
    scalar.to_word().into_owned()
}

/// The text of a scalar as a word.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The word of a known string field, which needs no quotes to be read as a string.
pub fn plain_word(value: &Value) -> String {
    quoted_if_needed(&scalar_text(value).unwrap_or_default()).into_owned()
}
