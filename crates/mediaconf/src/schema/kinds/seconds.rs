//! `prepush 5;` or `prepush off;`, an integer or false.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::{integer, plain_word};
use crate::schema::scalar::{Scalar, canonical_integer};

/// `prepush 5;` or `prepush off;`, an integer or false.
pub static SECONDS: WordKind = WordKind {
    name: "integer, or false",
    unit: "s",
    usage: USAGE,
    json_form: "a number; `off` is false",
    expected: USAGE,
    values: &["off"],
    is_telling: true,
    read: |word| meaning(&word?.value()),
    parse: |text| meaning(text).map(Value::from),
    accept,
    write: |value, _| Some(if *value == false { "off".to_owned() } else { plain_word(value) }),
    ..WordKind::WORD
};

const USAGE: &str = "a number of seconds, or `off`";

fn meaning(word: &str) -> Option<Scalar<'static>> {
    match word {
        "off" | "false" => Some(Scalar::Bool(false)),
        _ => canonical_integer(word).filter(|&seconds| seconds >= 0).map(Scalar::Number),
    }
}

fn accept(value: Value) -> Result<Value, WrongValue> {
    match integer(&value).filter(|&seconds| seconds >= 0) {
        Some(seconds) => Ok(seconds.into()),
        None if value == false => Ok(value),
        None => {
            Err(WrongValue::expected("a number of seconds or false", &value).hint("false is written `off`"))
        }
    }
}

#[test]
fn off_is_false() {
    use serde_json::json;
    super::kind::check(
        &SECONDS,
        &[("", json!(null)), ("5", json!(5)), ("off", json!(false)), ("-1", json!(null)), ("x", json!(null))],
    );
    assert_eq!(accept(json!("5")), Ok(json!(5)));
    assert!(accept(json!("off")).is_err());
}
