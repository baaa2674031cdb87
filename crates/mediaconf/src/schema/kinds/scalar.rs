//! `title "Camera 1";`, a string, number or boolean under the word rule.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::{canonical_scalar, is_scalar, kind_of, word};
use crate::schema::quoting;

/// `title "Camera 1";`, a string, number or boolean under the word rule.
pub static SCALAR: WordKind = WordKind {
    name: "string, number or boolean",
    json_form: "a string, a number or a boolean",
    takes_any: true,
    parse: |text| Some(serde_json::from_str(text).unwrap_or_else(|_| text.into())),
    accept,
    write: |value, replaced| {
        let written = word(value);
        Some(replaced.map_or_else(|| written.clone(), |old| quoting::word(old, value, written.clone())))
    },
    ..WordKind::WORD
};

fn accept(value: Value) -> Result<Value, WrongValue> {
    match is_scalar(&value) {
        true => Ok(canonical_scalar(value)),
        false => Err(WrongValue::new(format!(
            "a value is a string, a number or a boolean, not {}",
            kind_of(&value)
        ))),
    }
}

#[test]
fn the_word_rule_holds() {
    use serde_json::json;
    super::kind::check(
        &SCALAR,
        &[
            ("", json!(null)),
            ("5", json!(5)),
            ("\"5\"", json!("5")),
            ("true", json!(true)),
            ("a", json!("a")),
        ],
    );
}
