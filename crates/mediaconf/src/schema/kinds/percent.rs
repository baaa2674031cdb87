//! `90%`, an integer 0..100.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::{integer, scalar_text};
use crate::schema::scalar::{Scalar, canonical_integer};
use crate::text::Word;

/// `90%`, an integer 0..100.
pub static PERCENT: WordKind = WordKind {
    name: "integer from 0 to 100",
    unit: "%",
    usage: "a percentage, such as 90%",
    json_form: "a number from 0 to 100",
    expected: EXPECTED,
    examples: &["90%"],
    is_telling: true,
    read: |word| percent(word?).map(Scalar::Number),
    parse: |text| percent(Word::new(text, 0)).or_else(|| in_range(canonical_integer(text))).map(Value::from),
    accept,
    write: |value, _| Some(format!("{}%", scalar_text(value).unwrap_or_default())),
    ..WordKind::WORD
};

const EXPECTED: &str = "a percentage from 0 to 100";

fn percent(word: Word<'_>) -> Option<i64> {
    in_range(canonical_integer(word.raw.strip_suffix('%')?))
}

fn in_range(number: Option<i64>) -> Option<i64> {
    number.filter(|number| (0..=100).contains(number))
}

fn accept(value: Value) -> Result<Value, WrongValue> {
    let text = Word::new(value.as_str().unwrap_or_default(), 0);
    let number = percent(text).or_else(|| in_range(integer(&value)));
    number.map(Value::from).ok_or_else(|| WrongValue::expected(EXPECTED, &value))
}

#[test]
fn a_percentage_has_its_sign() {
    use serde_json::json;
    super::kind::check(
        &PERCENT,
        &[("90%", json!(90)), ("101%", json!(null)), ("90", json!(null)), ("\"90%\"", json!(null))],
    );
    assert_eq!(accept(json!("90%")), Ok(json!(90)));
    assert!(accept(json!(101)).is_err());
}
