//! `root wwwroot;`, a string.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::kind_of;
use crate::schema::scalar::Scalar;
use crate::text::Word;

/// `root wwwroot;`, a string.
pub static TEXT: WordKind = WordKind {
    name: "string",
    json_form: "a string",
    takes_any: true,
    is_text: true,
    read,
    accept,
    ..WordKind::WORD
};

pub(super) fn read(word: Option<Word<'_>>) -> Option<Scalar<'_>> {
    word.map(|word| Scalar::Text(word.value()))
}

pub(super) fn accept(value: Value) -> Result<Value, WrongValue> {
    match value {
        Value::String(_) => Ok(value),
        other => Err(WrongValue::new(format!("expected a string, found {}", kind_of(&other)))
            .hint("write the value in double quotes")),
    }
}

#[test]
fn a_word_is_a_string() {
    use serde_json::json;
    super::kind::check(
        &TEXT,
        &[("", json!(null)), ("a", json!("a")), ("5", json!("5")), ("\"a b\"", json!("a b"))],
    );
    assert!(accept(json!(5)).is_err());
}
