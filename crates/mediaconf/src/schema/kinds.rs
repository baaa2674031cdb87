//! The word rule: one word of text, one JSON scalar, and back; and the kinds of values that are one word of the text, each
//! with its functions and its texts.
//!
//! An unquoted integer without leading zero or plus and |n| < 2^53 is a number, unquoted `true`
//! and `false` are booleans, anything else is a string; a word with a quote in it is a string.

use serde_json::{Map, Value};

use crate::syntax::{Word, ends_word};

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
    let is_written_so = text == "0" || text.trim_start_matches('-').starts_with(|c| matches!(c, '1'..='9'));
    let number: Option<i64> = is_written_so.then(|| text.parse().ok())?;
    number.filter(|number| number.unsigned_abs() <= MAX_SAFE as u64)
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
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}

/// A scalar as the word that reads back as it.
pub fn word(value: &Value) -> String {
    match value {
        Value::String(text) if !of_bare(text).is_string() => Word::in_quotes(text),
        value => plain_word(value),
    }
}

/// The text of a scalar as a word.
pub fn scalar_text(value: &Value) -> Option<String> {
    is_scalar(value).then(|| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// The word of a known string field, which needs no quotes to be read as a string.
pub fn plain_word(value: &Value) -> String {
    Word::write(&scalar_text(value).unwrap_or_default()).into_owned()
}

/// A kind of value that is one word of the text: how it is read, taken from JSON and from a command line, and
/// written, and what is said of it.
#[derive(Debug)]
pub struct WordKind {
    /// The unit of a number.
    pub unit: &'static str,
    /// The word behind the keyword, for messages and the manual.
    pub usage: &'static str,
    /// The form in JSON, for messages; the manual shows also what stands behind a `;`.
    pub json_form: &'static str,
    /// Values that completion proposes. Of a text these are all that servers know: another one is a slip.
    pub values: &'static [&'static str],
    /// The sign in front of a value that names a block, and the keyword of those blocks.
    pub names_of: Option<(&'static str, &'static str)>,
    /// True if any one word is such a value: nothing has to be read to know.
    pub takes_any: bool,
    /// True if an assignment takes any text as it is, `null` and `false` included. It may be a secret.
    pub is_text: bool,
    /// True if it is a port to listen on.
    pub is_port: bool,
    /// Reads the only word of a directive, or a directive without words; `None` if it is no such value.
    pub read: fn(Option<Word<'_>>) -> Option<Value>,
    /// Reads the text of an assignment; `None` if it is no such value.
    pub parse: fn(&str) -> Option<Value>,
    /// Returns the value that a patch gives, in the form in which it is shown; `None` if it is no such value.
    pub accept: fn(&Value) -> Option<Value>,
    /// Writes the word of a value; `None` if the bare keyword has that value.
    pub write: fn(&Value) -> Option<String>,
}

/// `root wwwroot;`: any word, shown as a string.
pub static TEXT: WordKind = WordKind {
    unit: "",
    usage: "one word",
    json_form: "a string",
    values: &[],
    names_of: None,
    takes_any: true,
    is_text: true,
    is_port: false,
    read: |word| word.map(|word| word.value().into()),
    parse: |text| Some(text.into()),
    accept: |value| value.is_string().then(|| value.clone()),
    write: |value| Some(plain_word(value)),
};

const LOG_LEVELS: &[&str] =
    &["debug", "info", "notice", "warning", "warn", "error", "critical", "alert", "emergency", "none"];

/// `loglevel debug;`, a string that is one of few.
pub static LOG_LEVEL: WordKind = WordKind { values: LOG_LEVELS, ..TEXT };

/// The beginning of an address that names a backend, and the keyword of those.
pub const BACKEND_NAMES: (&str, &str) = ("auth://", "auth_backend");

/// The address of a backend, or the word `false`, which opens access; `"false"` is an address.
pub static BACKEND_URL: WordKind = WordKind {
    usage: "a URL, or `false`",
    json_form: "a string; false opens access",
    values: &["false"],
    names_of: Some(BACKEND_NAMES),
    read: |word| word.map(|word| if word.raw == "false" { false.into() } else { word.value().into() }),
    parse: |text| Some(if text == "false" { false.into() } else { text.into() }),
    accept: |value| (value.is_string() || *value == false).then(|| value.clone()),
    write: |value| Some(if value == "false" { Word::in_quotes("false") } else { plain_word(value) }),
    ..TEXT
};

/// A word of a certain form, which shows that a directive begins in front of it.
static FORM: WordKind = WordKind { takes_any: false, is_text: false, ..TEXT };

/// `log_requests true;`, a boolean; the bare directive is true.
pub static SWITCH: WordKind = WordKind {
    usage: "`true` or `false`",
    json_form: "true or false; the bare keyword is true",
    values: &["true", "false"],
    read: |word| word.map_or(Some(true), |word| switch_meaning(&word.value())).map(Value::Bool),
    parse: |text| switch_meaning(text).map(Value::Bool),
    accept: |value| value.as_bool().map(Value::Bool),
    ..FORM
};

/// `rtmp 1935;`, an integer 0..65535 or a `host:port` string.
pub static PORT: WordKind = WordKind {
    usage: "a port from 0 to 65535, or HOST:PORT",
    json_form: "a port (0 to 65535) or a string `host:port`",
    is_port: true,
    read: |word| port(&word?.value()),
    parse: port,
    accept: |value| port(&number_text(value)?),
    ..FORM
};

/// `title "Camera 1";`, a string, number or boolean under the word rule.
pub static SCALAR: WordKind = WordKind {
    json_form: "a string, a number or a boolean",
    is_text: false,
    read: |word| word.map(of_word),
    parse: |text| Some(serde_json::from_str(text).unwrap_or_else(|_| text.into())),
    accept: |value| is_scalar(value).then(|| canonical_scalar(value.clone())),
    write: |value| Some(word(value)),
    ..TEXT
};

/// `disabled;`, a boolean like [`SWITCH`]; a new true is written bare.
pub static FLAG: WordKind = WordKind {
    usage: "nothing, `true` or `false`",
    write: |value| (*value != Value::Bool(true)).then(|| plain_word(value)),
    ..SWITCH
};

/// `true`, `false`, and the spellings that other tools write.
fn switch_meaning(word: &str) -> Option<bool> {
    match word {
        "true" | "True" | "on" => Some(true),
        "false" | "False" | "off" => Some(false),
        _ => None,
    }
}

/// `prepush 5;` or `prepush off;`, an integer or false.
pub static SECONDS: WordKind = WordKind {
    unit: "s",
    usage: "a number of seconds, or `off`",
    json_form: "a number of seconds, or false; `off` is false",
    values: &["off"],
    read: |word| seconds(&word?.value()),
    parse: seconds,
    accept: |value| match *value == false {
        true => Some(value.clone()),
        false => seconds(&number_text(value)?).filter(Value::is_number),
    },
    write: |value| Some(if *value == false { "off".to_owned() } else { plain_word(value) }),
    ..FORM
};

fn seconds(word: &str) -> Option<Value> {
    if matches!(word, "off" | "false") { Some(Value::Bool(false)) } else { natural(word).map(Value::from) }
}

/// An integer that is not negative.
fn natural(text: &str) -> Option<i64> {
    canonical_integer(text).filter(|number| *number >= 0)
}

fn port(text: &str) -> Option<Value> {
    let number = |text: &str| canonical_integer(text).filter(|port| u16::try_from(*port).is_ok());
    let address = || text.rsplit_once(':').filter(|(host, port)| !host.is_empty() && number(port).is_some());
    number(text).map(Value::from).or_else(|| address().map(|_| text.into()))
}

/// `90%`, an integer 0..100.
pub static PERCENT: WordKind = WordKind {
    unit: "%",
    usage: "a percentage, such as 90%",
    json_form: "a percentage from 0 to 100",
    values: &["90%"],
    read: |word| word?.raw.strip_suffix('%').and_then(percent),
    parse: |text| percent(text.strip_suffix('%').unwrap_or(text)),
    accept: |value| (PERCENT.parse)(&number_text(value)?),
    write: |value| Some(format!("{}%", scalar_text(value).unwrap_or_default())),
    ..FORM
};

fn percent(digits: &str) -> Option<Value> {
    canonical_integer(digits).filter(|number| (0..=100).contains(number)).map(Value::from)
}

/// `1024k`, an integer of bits per second.
pub static BITRATE: WordKind = WordKind {
    unit: "bit/s",
    usage: "a number, or thousands such as 1024k",
    json_form: "a number of bits per second, or a string such as `1024k`",
    values: &["1024k"],
    read: |word| bits(&word?.value()),
    parse: bits,
    accept: |value| bits(&number_text(value)?),
    // In thousands where it divides.
    write: |value| match value.as_i64() {
        Some(bits) if bits > 0 && bits % 1000 == 0 => Some(format!("{}k", bits / 1000)),
        _ => Some(word(value)),
    },
    ..FORM
};

fn bits(text: &str) -> Option<Value> {
    let (digits, factor) = text.strip_suffix('k').map_or((text, 1), |digits| (digits, 1000));
    natural(digits)?.checked_mul(factor).filter(|&bits| bits <= MAX_SAFE).map(Value::from)
}

/// `5d`, how long an archive is kept: an integer of seconds.
pub static DURATION: WordKind = WordKind {
    unit: "s",
    usage: "a number with `d`, `h`, `m` or `s` behind it",
    json_form: "a number of seconds, or a string such as `5d`",
    values: &["5d", "12h"],
    read: |word| duration(word?.raw).map(Value::from),
    parse: |text| duration(text).or_else(|| natural(text)).map(Value::from),
    accept: |value| (DURATION.parse)(&number_text(value)?),
    write: |value| Some(written_duration(value.as_i64().unwrap_or_default())),
    ..FORM
};

/// The units of a duration, with their seconds; the longest first.
const UNITS: [(u8, i64); 4] = [(b'd', 86_400), (b'h', 3_600), (b'm', 60), (b's', 1)];

fn duration(raw: &str) -> Option<i64> {
    let (_, seconds) = UNITS.into_iter().find(|(unit, _)| raw.as_bytes().last() == Some(unit))?;
    natural(&raw[..raw.len() - 1])?.checked_mul(seconds).filter(|seconds| *seconds <= MAX_SAFE)
}

/// A duration in the longest unit that divides it.
fn written_duration(seconds: i64) -> String {
    let (unit, length) = UNITS.into_iter().find(|(_, length)| seconds % length == 0).expect("1 divides all");
    format!("{}{}", seconds / length, char::from(unit))
}

/// `@NAME`, which refers to a block `dvr` of the top level; the string `NAME`.
pub static DVR_REFERENCE: WordKind = WordKind {
    usage: "@NAME",
    json_form: "a name without its `@`",
    names_of: Some(("", "dvr")),
    read: |word| reference(word?.raw).map(Value::from),
    accept: |value| {
        let name = format!("@{}", value.as_str()?);
        (reference(&name).is_some() && !name.bytes().any(ends_word)).then(|| value.clone())
    },
    write: |value| Some(format!("@{}", scalar_text(value).unwrap_or_default())),
    ..FORM
};

/// The `NAME` in `@NAME`. A quoted word is no reference.
fn reference(raw: &str) -> Option<&str> {
    raw.strip_prefix('@').filter(|name| !name.is_empty() && !name.starts_with('@') && !name.contains('"'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Checks that these words are read as these values (null: not at all), and that each value is accepted, and
    /// written as a word that is read as the value.
    fn check(kind: &WordKind, words: &[(&str, Value)]) {
        for (raw, expected) in words {
            let read = |raw: &str| {
                let word = (!raw.is_empty()).then(|| Word::new(raw, 0));
                (kind.read)(word).unwrap_or_default()
            };
            assert_eq!(read(raw), *expected, "{raw}");
            if !expected.is_null() {
                assert_eq!((kind.accept)(expected).as_ref(), Some(expected), "{raw}");
                let written = (kind.write)(expected).unwrap_or_default();
                assert_eq!(read(&written), *expected, "{raw}: {written}");
            }
        }
    }

    #[test]
    fn a_word_is_a_string() {
        check(&TEXT, &[("", json!(null)), ("a", json!("a")), ("5", json!("5")), ("\"a b\"", json!("a b"))]);
        assert!((TEXT.accept)(&json!(5)).is_none());
    }

    #[test]
    fn the_word_rule_holds() {
        check(
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

    #[test]
    fn a_bare_keyword_is_true() {
        for kind in [&SWITCH, &FLAG] {
            check(
                kind,
                &[("", json!(true)), ("on", json!(true)), ("False", json!(false)), ("yes", json!(null))],
            );
        }
        assert_eq!((FLAG.write)(&json!(true)), None);
        assert!((SWITCH.accept)(&json!("true")).is_none());
    }

    #[test]
    fn off_is_false() {
        check(
            &SECONDS,
            &[
                ("", json!(null)),
                ("5", json!(5)),
                ("off", json!(false)),
                ("-1", json!(null)),
                ("x", json!(null)),
            ],
        );
        assert_eq!((SECONDS.accept)(&json!("5")), Some(json!(5)));
        assert!((SECONDS.accept)(&json!("off")).is_none());
    }

    #[test]
    fn a_port_is_a_number_or_an_address() {
        check(
            &PORT,
            &[
                ("80", json!(80)),
                ("65536", json!(null)),
                ("080", json!(null)),
                ("[::]:80", json!("[::]:80")),
                (":80", json!(null)),
                ("a:b", json!(null)),
            ],
        );
        assert_eq!((PORT.accept)(&json!("80")), Some(json!(80)));
        assert!((PORT.accept)(&json!(70_000)).is_none());
    }

    #[test]
    fn a_percentage_has_its_sign() {
        check(
            &PERCENT,
            &[("90%", json!(90)), ("101%", json!(null)), ("90", json!(null)), ("\"90%\"", json!(null))],
        );
        assert_eq!((PERCENT.accept)(&json!("90%")), Some(json!(90)));
        assert!((PERCENT.accept)(&json!(101)).is_none());
    }

    #[test]
    fn thousands_have_a_k() {
        check(
            &BITRATE,
            &[("1024k", json!(1_024_000)), ("64500", json!(64_500)), ("0", json!(0)), ("1m", json!(null))],
        );
        assert_eq!((BITRATE.write)(&json!(64_000)).as_deref(), Some("64k"));
        assert_eq!((BITRATE.accept)(&json!("64k")), Some(json!(64_000)));
    }

    #[test]
    fn a_duration_is_seconds_and_keeps_its_unit() {
        check(
            &DURATION,
            &[
                ("5d", json!(432_000)),
                ("90m", json!(5_400)),
                ("0s", json!(0)),
                ("5", json!(null)),
                ("d", json!(null)),
            ],
        );
        assert_eq!(written_duration(7_200), "2h");
        assert_eq!(written_duration(61), "61s");
    }

    #[test]
    fn a_reference_is_the_name_behind_the_sign() {
        check(
            &DVR_REFERENCE,
            &[("@a", json!("a")), ("@", json!(null)), ("@@a", json!(null)), ("\"@a\"", json!(null))],
        );
        assert!((DVR_REFERENCE.accept)(&json!("a b")).is_none());
    }

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
