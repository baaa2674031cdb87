//! `log_requests true;` and `disabled;`, booleans.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::{kind_of, plain_word};
use crate::schema::scalar::Scalar;

/// `log_requests true;`, a boolean; the bare directive is true.
pub static SWITCH: WordKind = WordKind {
    name: "boolean",
    usage: "`true` or `false`",
    json_form: "true or false; the bare keyword is true",
    expected: "true or false",
    values: &["true", "false"],
    read: |word| word.map_or(Some(true), |word| meaning(&word.value())).map(Scalar::Bool),
    parse: |text| meaning(text).map(Value::Bool),
    accept,
    ..WordKind::WORD
};

/// `disabled;`, a boolean like [`SWITCH`]; a new true is written bare.
pub static FLAG: WordKind = WordKind {
    usage: "nothing, `true` or `false`",
    write: |value, _| (*value != Value::Bool(true)).then(|| plain_word(value)),
    ..SWITCH
};

/// `true`, `false`, and the spellings that other tools write.
fn meaning(word: &str) -> Option<bool> {
    match word {
        "true" | "True" | "on" => Some(true),
        "false" | "False" | "off" => Some(false),
        _ => None,
    }
}

fn accept(value: Value) -> Result<Value, WrongValue> {
    match value {
        Value::Bool(_) => Ok(value),
        other => Err(WrongValue::new(format!("expected true or false, found {}", kind_of(&other)))),
    }
}

#[test]
fn a_bare_keyword_is_true() {
    use serde_json::json;
    for kind in [&SWITCH, &FLAG] {
        super::kind::check(
            kind,
            &[("", json!(true)), ("on", json!(true)), ("False", json!(false)), ("yes", json!(null))],
        );
    }
    assert_eq!((FLAG.write)(&json!(true), None), None);
    assert!(accept(json!("true")).is_err());
}
