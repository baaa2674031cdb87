//! `@NAME`, which refers to a block `dvr` of the top level.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::scalar_text;
use crate::schema::scalar::Scalar;
use crate::text::ends_word;

/// `@NAME`, which refers to a block `dvr` of the top level; the string `NAME`.
pub static DVR_REFERENCE: WordKind = WordKind {
    name: "string",
    usage: "@NAME",
    json_form: "a string",
    expected: EXPECTED,
    names_of: Some("dvr"),
    is_text: true,
    read: |word| reference(word?.raw).map(|name| Scalar::Text(name.into())),
    accept,
    write: |value, _| Some(format!("@{}", scalar_text(value).unwrap_or_default())),
    ..WordKind::WORD
};

const EXPECTED: &str = "a name without its `@`";

/// The `NAME` in `@NAME`. A quoted word is no reference.
fn reference(raw: &str) -> Option<&str> {
    raw.strip_prefix('@').filter(|name| !name.is_empty() && !name.starts_with('@') && !name.contains('"'))
}

fn accept(value: Value) -> Result<Value, WrongValue> {
    let is_name = |name: &str| reference(&format!("@{name}")).is_some() && !name.bytes().any(ends_word);
    match value.as_str().is_some_and(is_name) {
        true => Ok(value),
        false => Err(WrongValue::new(format!("expected {EXPECTED}"))),
    }
}

#[test]
fn a_reference_is_the_name_behind_the_sign() {
    use serde_json::json;
    super::kind::check(
        &DVR_REFERENCE,
        &[("@a", json!("a")), ("@", json!(null)), ("@@a", json!(null)), ("\"@a\"", json!(null))],
    );
    assert!(accept(json!("a b")).is_err());
}
