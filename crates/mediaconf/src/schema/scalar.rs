//! The word rule: one word of text, one JSON scalar, and back; and the kinds of JSON values, with their names in messages.
//!
//! An unquoted integer without leading zero or plus and |n| < 2^53 is a number, unquoted `true`
//! and `false` are booleans, anything else is a string; a word with a quote in it is a string.

use serde_json::{Map, Value};

use crate::syntax::{Word, quoted_if_needed, quoted_word};

/// The largest integer that JavaScript holds exactly; larger ones are kept as strings.
pub const MAX_SAFE: i64 = (1 << 53) - 1;

/// The value of a word under the word rule.
pub fn of_word(word: Word<'_>) -> Value {
    if word.quoted { word.value().into() } else { of_bare(word.raw) }
}

fn of_bare(raw: &str) -> Value {
    match raw {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => canonical_integer(raw).map_or_else(|| raw.into(), Value::from),
    }
}

/// An integer as JSON writes it: no plus, no leading zero, |n| < 2^53.
pub fn canonical_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let has_leading_zero = digits.starts_with('0') && text.len() > 1;
    if has_leading_zero || digits.len() > 16 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|number: &i64| number.abs() <= MAX_SAFE)
}

/// The integer that a JSON number stands for, also when it is written `1.0` or `1e3`.
///
/// `None` for fractions and for |n| ≥ 2^53.
pub fn integer_of_number(source: &str) -> Option<i64> {
    let by_value = || {
        let number: f64 = source.parse().ok()?;
        (number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64).then_some(number as i64)
    };
    canonical_integer(source).or_else(by_value)
}

/// The members of a JSON object.
pub type Object = Map<String, Value>;

/// True if a value is a single word of the text.
pub fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

/// The text of an integer or of a string, which a patch gives where words of the text are numbers.
pub fn number_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(integer_of_number(number.as_str())?.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The integer a JSON value stands for; canonical decimal strings are taken too.
pub fn integer(value: &Value) -> Option<i64> {
    canonical_integer(&number_text(value)?)
}

/// A scalar of the word rule: a number that is no safe integer becomes a string.
pub fn canonical_scalar(value: Value) -> Value {
    let Value::Number(number) = value else { return value };
    integer_of_number(number.as_str()).map_or_else(|| number.as_str().into(), Value::from)
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

/// A value that is no secret, for messages: numbers and short strings as they are.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) if text.chars().count() <= 40 => format!("the string `{text}`"),
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

/// A scalar as the word that reads back as it.
pub fn word(value: &Value) -> String {
    match value {
        Value::String(text) if !of_bare(text).is_string() => quoted_word(text),
        value => plain_word(value),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_integers_are_numbers() {
        for (text, number) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("9007199254740991", Some(MAX_SAFE)),
            ("9007199254740992", None),
            ("-0", None),
            ("007", None),
            ("+1", None),
            ("1.0", None),
            ("", None),
            ("-", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(canonical_integer(text), number, "{text}");
        }
    }

    #[test]
    fn json_numbers_are_integers_by_value() {
        for (source, number) in [
            ("1.0", Some(1)),
            ("1e3", Some(1000)),
            ("-12.50E1", Some(-125)),
            ("1.5", None),
            ("1e-1", None),
            ("10e-1", Some(1)),
            ("0e999999999", Some(0)),
            ("1e999999999", None),
            ("9007199254740992", None),
            ("9007199254740991.0", Some(MAX_SAFE)),
            ("-0", Some(0)),
            ("1e99999999999", None),
        ] {
            assert_eq!(integer_of_number(source), number, "{source}");
        }
    }

    #[test]
    fn a_string_that_would_read_as_something_else_is_quoted() {
        for (text, word) in
            [("5", "\"5\""), ("true", "\"true\""), ("5.0", "5.0"), ("", "\"\""), ("a b", "\"a b\"")]
        {
            assert_eq!(super::word(&text.into()), word);
        }
    }
}
