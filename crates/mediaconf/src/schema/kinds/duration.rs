//! `5d`, how long an archive is kept: an integer of seconds.

use serde_json::Value;

use super::kind::{WordKind, WrongValue};
use crate::schema::json_value::integer;
use crate::schema::scalar::{MAX_SAFE, Scalar, canonical_integer};
use crate::text::{Diagnostic, Word};

/// `5d`, how long an archive is kept: an integer of seconds.
pub static DURATION: WordKind = WordKind {
    name: "integer",
    unit: "s",
    usage: "a number with `d`, `h`, `m` or `s` behind it",
    json_form: "a number",
    expected: EXPECTED,
    examples: &["5d", "12h"],
    is_telling: true,
    read: |word| duration(word?).map(Scalar::Number),
    parse: |text| duration(Word::new(text, 0)).or_else(|| canonical_integer(text)).map(Value::from),
    accept,
    write: |value, replaced| Some(written(value.as_i64().unwrap_or_default(), replaced)),
    warning: Some(short_archive),
    ..WordKind::WORD
};

const EXPECTED: &str = "a number of seconds, or a text such as \"5d\"";

/// The units of a duration, with their seconds; the longest first.
const UNITS: [(u8, i64); 4] = [(b'd', 86_400), (b'h', 3_600), (b'm', 60), (b's', 1)];

/// Archives are seldom kept for less, in seconds: a number without a unit is meant then.
const MINUTE: i64 = 60;

fn duration(word: Word<'_>) -> Option<i64> {
    let (last, _) = word.raw.as_bytes().split_last()?;
    let (_, seconds) = UNITS.into_iter().find(|(unit, _)| unit == last)?;
    let number = canonical_integer(&word.raw[..word.raw.len() - 1])?;
    number.checked_mul(seconds).filter(|seconds| (0..=MAX_SAFE).contains(seconds))
}

fn accept(value: Value) -> Result<Value, WrongValue> {
    let text = Word::new(value.as_str().unwrap_or_default(), 0);
    let number = duration(text).or_else(|| integer(&value)).filter(|number| *number >= 0);
    number.map(Value::from).ok_or_else(|| WrongValue::expected(EXPECTED, &value))
}

/// A duration keeps its unit where that divides it; else, and in the place of seconds, it gets the longest
/// unit that does.
fn written(seconds: i64, replaced: Option<Word<'_>>) -> String {
    let divides = |unit: &(u8, i64)| seconds % unit.1 == 0;
    let is_long = |unit: &(u8, i64)| unit.1 > 1 && divides(unit);
    let old_unit = replaced.and_then(|old| old.raw.bytes().last());
    let kept = UNITS.into_iter().find(|(unit, _)| Some(*unit) == old_unit);
    let (unit, length) = kept
        .filter(is_long)
        .or_else(|| UNITS.into_iter().find(divides))
        .expect("one second divides every duration");
    format!("{}{}", seconds / length, char::from(unit))
}

fn short_archive(word: Word<'_>) -> Option<Diagnostic> {
    duration(word).filter(|seconds| *seconds < MINUTE)?;
    let message = format!("an archive of `{}` is less than a minute", word.raw);
    Some(Diagnostic::warning(word.span(), message).hint("`7d` is 7 days, `12h` 12 hours"))
}

#[test]
fn a_duration_is_seconds_and_keeps_its_unit() {
    use serde_json::json;
    super::kind::check(
        &DURATION,
        &[
            ("5d", json!(432_000)),
            ("90m", json!(5_400)),
            ("0s", json!(0)),
            ("5", json!(null)),
            ("d", json!(null)),
        ],
    );
    assert_eq!(written(7_200, Some(Word::new("60m", 0))), "120m");
    assert_eq!(written(7_200, Some(Word::new("1d", 0))), "2h");
    assert_eq!(written(86_400, Some(Word::new("61s", 0))), "1d");
    assert_eq!(written(61, Some(Word::new("86400s", 0))), "61s");
}
