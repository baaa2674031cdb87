//! `1024k`, an integer of bits per second.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::{integer, word};
use crate::schema::scalar::{MAX_SAFE, Scalar, canonical_integer};

/// `1024k`, an integer of bits per second.
pub static BITRATE: WordKind = WordKind {
    name: "integer",
    unit: "bit/s",
    usage: "a number, or thousands such as 1024k",
    json_form: "a number",
    expected: EXPECTED,
    examples: &["1024k"],
    is_telling: true,
    read: |word| bits(&word?.value()).map(Scalar::Number),
    parse: |text| bits(text).map(Value::from),
    accept,
    // In thousands where it divides.
    write: |value, _| match value.as_i64() {
        Some(bits) if bits > 0 && bits % 1000 == 0 => Some(format!("{}k", bits / 1000)),
        _ => Some(word(value)),
    },
    ..WordKind::WORD
};

const EXPECTED: &str = "a number of bits per second, or a text such as \"1024k\"";

fn bits(text: &str) -> Option<i64> {
    let (digits, factor) = text.strip_suffix('k').map_or((text, 1), |digits| (digits, 1000));
    let number = canonical_integer(digits).filter(|&number| number >= 0)?;
    number.checked_mul(factor).filter(|&bits| bits <= MAX_SAFE)
}

fn accept(value: Value) -> Result<Value, WrongValue> {
    let number = integer(&value).filter(|bits| *bits >= 0).or_else(|| bits(value.as_str()?));
    number.map(Value::from).ok_or_else(|| WrongValue::expected(EXPECTED, &value))
}

#[test]
fn thousands_have_a_k() {
    use serde_json::json;
    super::kind::check(
        &BITRATE,
        &[("1024k", json!(1_024_000)), ("64500", json!(64_500)), ("0", json!(0)), ("1m", json!(null))],
    );
    assert_eq!((BITRATE.write)(&json!(64_000), None).as_deref(), Some("64k"));
    assert_eq!(accept(json!("64k")), Ok(json!(64_000)));
}
