//! The kinds of values that are one word of the text: each with its functions and its texts.

use serde_json::Value;

use super::scalar::{
    MAX_SAFE, Scalar, canonical_integer, canonical_scalar, integer, is_scalar, kind_of, plain_word,
    scalar_text, shown, word,
};
use super::suggest::{is_only_near, nearest};
use crate::text::{Diagnostic, Fix, Word, ends_word};

/// A kind of value that is one word of the text: how it is read, taken from JSON and from a command line, and
/// written, and what is said of it.
#[derive(Debug)]
pub struct WordKind {
    /// The type in JSON, in short.
    pub name: &'static str,
    /// The unit of a number.
    pub unit: &'static str,
    /// The word behind the keyword, for messages and the manual.
    pub usage: &'static str,
    /// The form in JSON, for the manual.
    pub json_form: &'static str,
    /// The noun of the value in messages, behind "expected".
    pub expected: &'static str,
    /// Values that completion proposes.
    pub values: &'static [&'static str],
    /// Examples that completion proposes where the row has none.
    pub examples: &'static [&'static str],
    /// The keyword of the named blocks whose names are values of this kind.
    pub names_of: Option<&'static str>,
    /// True if any one word is such a value: nothing has to be read to know.
    pub takes_any: bool,
    /// True if an assignment takes any text as it is, `null` and `false` included.
    pub is_text: bool,
    /// True if such a word behind a keyword shows that a directive begins there.
    pub is_telling: bool,
    /// The transport of the port, if the value is a port to listen on.
    pub transport: Option<Transport>,
    /// Reads the only word of a directive, or a directive without words; `None` if it is no such value.
    pub read: for<'t> fn(Option<Word<'t>>) -> Option<Scalar<'t>>,
    /// Reads the text of an assignment; `None` if it is no such value.
    pub parse: fn(&str) -> Option<Value>,
    /// Returns the value that a patch gives, in the form in which it is shown.
    pub accept: fn(Value) -> Result<Value, WrongValue>,
    /// Writes the word of a value, in the place of another one; `None` if the bare keyword has that value.
    pub write: fn(&Value, Option<Word<'_>>) -> Option<String>,
    /// Returns a warning about a word that has the form, but is seldom meant.
    pub warning: Option<fn(Word<'_>) -> Option<Diagnostic>>,
}

/// The transport of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

/// The reason why a JSON value is not of a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct WrongValue {
    /// Lower case, no full stop.
    pub message: String,
    /// Advice, where there is any.
    pub hint: Option<&'static str>,
}

impl WrongValue {
    /// Makes a reason without a hint.
    pub fn new(message: String) -> Self {
        Self { message, hint: None }
    }

    /// Says what is expected, and what is there instead.
    fn expected(what: &str, found: &Value) -> Self {
        Self::new(format!("expected {what}, found {}", shown(found)))
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }
}

/// Two kinds are equal if they are the same static.
impl PartialEq for WordKind {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for WordKind {}

impl WordKind {
    /// The kind of any one word, shown and taken as a scalar.
    const WORD: Self = Self {
        name: "",
        unit: "",
        usage: "one word",
        json_form: "",
        expected: "one word",
        values: &[],
        examples: &[],
        names_of: None,
        takes_any: false,
        is_text: false,
        is_telling: false,
        transport: None,
        read: |word| word.map(Scalar::from_word),
        parse: |text| Some(text.into()),
        accept: Ok,
        write: |value, _| Some(plain_word(value)),
        warning: None,
    };
}

/// `root wwwroot;`, a string.
pub static TEXT: WordKind = WordKind {
    name: "string",
    json_form: "a string",
    takes_any: true,
    is_text: true,
    read: read_text,
    accept: accept_text,
    ..WordKind::WORD
};

fn read_text(word: Option<Word<'_>>) -> Option<Scalar<'_>> {
    word.map(|word| Scalar::Text(word.value()))
}

fn accept_text(value: Value) -> Result<Value, WrongValue> {
    match value {
        Value::String(_) => Ok(value),
        other => Err(WrongValue::new(format!("expected a string, found {}", kind_of(&other)))
            .hint("write the value in double quotes")),
    }
}

/// `title "Camera 1";`, a string, number or boolean under the word rule.
pub static SCALAR: WordKind = WordKind {
    name: "string, number or boolean",
    json_form: "a string, a number or a boolean",
    takes_any: true,
    parse: |text| Some(serde_json::from_str(text).unwrap_or_else(|_| text.into())),
    accept: accept_scalar,
    write: |value, _| Some(word(value)),
    ..WordKind::WORD
};

fn accept_scalar(value: Value) -> Result<Value, WrongValue> {
    match is_scalar(&value) {
        true => Ok(canonical_scalar(value)),
        false => Err(WrongValue::new(format!(
            "a value is a string, a number or a boolean, not {}",
            kind_of(&value)
        ))),
    }
}

/// `log_requests true;`, a boolean; the bare directive is true.
pub static SWITCH: WordKind = WordKind {
    name: "boolean",
    usage: "`true` or `false`",
    json_form: "true or false; the bare keyword is true",
    expected: "true or false",
    values: &["true", "false"],
    read: |word| word.map_or(Some(true), |word| switch_meaning(&word.value())).map(Scalar::Bool),
    parse: |text| switch_meaning(text).map(Value::Bool),
    accept: accept_switch,
    ..WordKind::WORD
};

/// `disabled;`, a boolean like [`SWITCH`]; a new true is written bare.
pub static FLAG: WordKind = WordKind {
    usage: "nothing, `true` or `false`",
    write: |value, _| (*value != Value::Bool(true)).then(|| plain_word(value)),
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

fn accept_switch(value: Value) -> Result<Value, WrongValue> {
    match value {
        Value::Bool(_) => Ok(value),
        other => Err(WrongValue::new(format!("expected true or false, found {}", kind_of(&other)))),
    }
}

/// `prepush 5;` or `prepush off;`, an integer or false.
pub static SECONDS: WordKind = WordKind {
    name: "integer, or false",
    unit: "s",
    usage: USAGE_SECONDS,
    json_form: "a number; `off` is false",
    expected: USAGE_SECONDS,
    values: &["off"],
    is_telling: true,
    read: |word| seconds_meaning(&word?.value()),
    parse: |text| seconds_meaning(text).map(Value::from),
    accept: accept_seconds,
    write: |value, _| Some(if *value == false { "off".to_owned() } else { plain_word(value) }),
    ..WordKind::WORD
};

const USAGE_SECONDS: &str = "a number of seconds, or `off`";

fn seconds_meaning(word: &str) -> Option<Scalar<'static>> {
    match word {
        "off" | "false" => Some(Scalar::Bool(false)),
        _ => canonical_integer(word).filter(|&seconds| seconds >= 0).map(Scalar::Number),
    }
}

fn accept_seconds(value: Value) -> Result<Value, WrongValue> {
    match integer(&value).filter(|&seconds| seconds >= 0) {
        Some(seconds) => Ok(seconds.into()),
        None if value == false => Ok(value),
        None => {
            Err(WrongValue::expected("a number of seconds or false", &value).hint("false is written `off`"))
        }
    }
}

/// `rtmp 1935;`, an integer 0..65535 or a `host:port` string.
pub static PORT: WordKind = WordKind {
    name: "port or \"host:port\"",
    usage: "a port from 0 to 65535, or HOST:PORT",
    json_form: "a number or a \"host:port\" string",
    expected: "a port (0 to 65535) or host:port",
    is_telling: true,
    transport: Some(Transport::Tcp),
    read: |word| {
        let value = word?.value();
        port_number(&value).map(Scalar::Number).or_else(|| is_address(&value).then_some(Scalar::Text(value)))
    },
    parse: |text| port_number(text).map(Value::from).or_else(|| is_address(text).then(|| text.into())),
    accept: accept_port,
    ..WordKind::WORD
};

/// A port of UDP, which no other listener takes.
pub static UDP_PORT: WordKind = WordKind { transport: Some(Transport::Udp), ..PORT };

fn port_number(text: &str) -> Option<i64> {
    canonical_integer(text).filter(|&port| u16::try_from(port).is_ok())
}

fn is_address(value: &str) -> bool {
    value.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port_number(port).is_some())
}

fn accept_port(value: Value) -> Result<Value, WrongValue> {
    match integer(&value).filter(|&port| u16::try_from(port).is_ok()) {
        Some(port) => Ok(port.into()),
        None if value.as_str().is_some_and(is_address) => Ok(value),
        None => {
            let hint = "a port is an integer from 0 to 65535, or a string \"host:port\"";
            Err(WrongValue::expected("a port", &value).hint(hint))
        }
    }
}

/// `90%`, an integer 0..100.
pub static PERCENT: WordKind = WordKind {
    name: "integer from 0 to 100",
    unit: "%",
    usage: "a percentage, such as 90%",
    json_form: "a number from 0 to 100",
    expected: EXPECTED_PERCENT,
    examples: &["90%"],
    is_telling: true,
    read: |word| percent(word?).map(Scalar::Number),
    parse: |text| percent(Word::new(text, 0)).or_else(|| in_range(canonical_integer(text))).map(Value::from),
    accept: accept_percent,
    write: |value, _| Some(format!("{}%", scalar_text(value).unwrap_or_default())),
    ..WordKind::WORD
};

const EXPECTED_PERCENT: &str = "a percentage from 0 to 100";

fn percent(word: Word<'_>) -> Option<i64> {
    in_range(canonical_integer(word.raw.strip_suffix('%')?))
}

fn in_range(number: Option<i64>) -> Option<i64> {
    number.filter(|number| (0..=100).contains(number))
}

fn accept_percent(value: Value) -> Result<Value, WrongValue> {
    let text = Word::new(value.as_str().unwrap_or_default(), 0);
    let number = percent(text).or_else(|| in_range(integer(&value)));
    number.map(Value::from).ok_or_else(|| WrongValue::expected(EXPECTED_PERCENT, &value))
}

/// `1024k`, an integer of bits per second.
pub static BITRATE: WordKind = WordKind {
    name: "integer",
    unit: "bit/s",
    usage: "a number, or thousands such as 1024k",
    json_form: "a number",
    expected: EXPECTED_BITRATE,
    examples: &["1024k"],
    is_telling: true,
    read: |word| bits(&word?.value()).map(Scalar::Number),
    parse: |text| bits(text).map(Value::from),
    accept: accept_bitrate,
    // In thousands where it divides.
    write: |value, _| match value.as_i64() {
        Some(bits) if bits > 0 && bits % 1000 == 0 => Some(format!("{}k", bits / 1000)),
        _ => Some(word(value)),
    },
    ..WordKind::WORD
};

const EXPECTED_BITRATE: &str = "a number of bits per second, or a text such as \"1024k\"";

fn bits(text: &str) -> Option<i64> {
    let (digits, factor) = text.strip_suffix('k').map_or((text, 1), |digits| (digits, 1000));
    let number = canonical_integer(digits).filter(|&number| number >= 0)?;
    number.checked_mul(factor).filter(|&bits| bits <= MAX_SAFE)
}

fn accept_bitrate(value: Value) -> Result<Value, WrongValue> {
    let number = integer(&value).filter(|bits| *bits >= 0).or_else(|| bits(value.as_str()?));
    number.map(Value::from).ok_or_else(|| WrongValue::expected(EXPECTED_BITRATE, &value))
}

/// `5d`, how long an archive is kept: an integer of seconds.
pub static DURATION: WordKind = WordKind {
    name: "integer",
    unit: "s",
    usage: "a number with `d`, `h`, `m` or `s` behind it",
    json_form: "a number",
    expected: EXPECTED_DURATION,
    examples: &["5d", "12h"],
    is_telling: true,
    read: |word| duration(word?).map(Scalar::Number),
    parse: |text| duration(Word::new(text, 0)).or_else(|| canonical_integer(text)).map(Value::from),
    accept: accept_duration,
    write: |value, replaced| Some(written_duration(value.as_i64().unwrap_or_default(), replaced)),
    warning: Some(short_archive),
    ..WordKind::WORD
};

const EXPECTED_DURATION: &str = "a number of seconds, or a text such as \"5d\"";

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

fn accept_duration(value: Value) -> Result<Value, WrongValue> {
    let text = Word::new(value.as_str().unwrap_or_default(), 0);
    let number = duration(text).or_else(|| integer(&value)).filter(|number| *number >= 0);
    number.map(Value::from).ok_or_else(|| WrongValue::expected(EXPECTED_DURATION, &value))
}

/// A duration keeps its unit where that divides it; else, and in the place of seconds, it gets the longest
/// unit that does.
fn written_duration(seconds: i64, replaced: Option<Word<'_>>) -> String {
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

/// `@NAME`, which refers to a block `dvr` of the top level; the string `NAME`.
pub static DVR_REFERENCE: WordKind = WordKind {
    name: "string",
    usage: "@NAME",
    json_form: "a string",
    expected: EXPECTED_REFERENCE,
    names_of: Some("dvr"),
    is_text: true,
    read: |word| reference(word?.raw).map(|name| Scalar::Text(name.into())),
    accept: accept_reference,
    write: |value, _| Some(format!("@{}", scalar_text(value).unwrap_or_default())),
    ..WordKind::WORD
};

const EXPECTED_REFERENCE: &str = "a name without its `@`";

/// The `NAME` in `@NAME`. A quoted word is no reference.
fn reference(raw: &str) -> Option<&str> {
    raw.strip_prefix('@').filter(|name| !name.is_empty() && !name.starts_with('@') && !name.contains('"'))
}

fn accept_reference(value: Value) -> Result<Value, WrongValue> {
    let is_name = |name: &str| reference(&format!("@{name}")).is_some() && !name.bytes().any(ends_word);
    match value.as_str().is_some_and(is_name) {
        true => Ok(value),
        false => Err(WrongValue::new(format!("expected {EXPECTED_REFERENCE}"))),
    }
}

/// `loglevel debug;`, a string; one that is nearly a known level gets a warning.
pub static LOG_LEVEL: WordKind = WordKind { warning: Some(nearly_known), ..TEXT };

/// The levels of the log of media servers.
const LEVELS: [&str; 12] = [
    "debug",
    "info",
    "notice",
    "warning",
    "warn",
    "error",
    "critical",
    "alert",
    "emergency",
    "none",
    "trace",
    "verbose",
];

fn nearly_known(word: Word<'_>) -> Option<Diagnostic> {
    let value = word.value();
    let known = nearest(&value, LEVELS).filter(|_| !LEVELS.contains(&&*value))?;
    let message = format!("`{value}` is no known level");
    let fix = is_only_near(&value, LEVELS).then(|| Fix { span: word.span(), text: known.to_owned() });
    Some(Diagnostic::warning(word.span(), message).hint(format!("did you mean `{known}`?")).fixed_by(fix))
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
                (kind.read)(word).map(Value::from).unwrap_or_default()
            };
            assert_eq!(read(raw), *expected, "{raw}");
            if !expected.is_null() {
                assert_eq!((kind.accept)(expected.clone()), Ok(expected.clone()), "{raw}");
                let written = (kind.write)(expected, None).unwrap_or_default();
                assert_eq!(read(&written), *expected, "{raw}: {written}");
            }
        }
    }

    #[test]
    fn a_word_is_a_string() {
        check(&TEXT, &[("", json!(null)), ("a", json!("a")), ("5", json!("5")), ("\"a b\"", json!("a b"))]);
        assert!(accept_text(json!(5)).is_err());
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
        assert_eq!((FLAG.write)(&json!(true), None), None);
        assert!(accept_switch(json!("true")).is_err());
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
        assert_eq!(accept_seconds(json!("5")), Ok(json!(5)));
        assert!(accept_seconds(json!("off")).is_err());
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
        assert_eq!(accept_port(json!("80")), Ok(json!(80)));
        assert!(accept_port(json!(70_000)).is_err());
    }

    #[test]
    fn a_percentage_has_its_sign() {
        check(
            &PERCENT,
            &[("90%", json!(90)), ("101%", json!(null)), ("90", json!(null)), ("\"90%\"", json!(null))],
        );
        assert_eq!(accept_percent(json!("90%")), Ok(json!(90)));
        assert!(accept_percent(json!(101)).is_err());
    }

    #[test]
    fn thousands_have_a_k() {
        check(
            &BITRATE,
            &[("1024k", json!(1_024_000)), ("64500", json!(64_500)), ("0", json!(0)), ("1m", json!(null))],
        );
        assert_eq!((BITRATE.write)(&json!(64_000), None).as_deref(), Some("64k"));
        assert_eq!(accept_bitrate(json!("64k")), Ok(json!(64_000)));
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
        assert_eq!(written_duration(7_200, Some(Word::new("60m", 0))), "120m");
        assert_eq!(written_duration(7_200, Some(Word::new("1d", 0))), "2h");
        assert_eq!(written_duration(86_400, Some(Word::new("61s", 0))), "1d");
        assert_eq!(written_duration(61, Some(Word::new("86400s", 0))), "61s");
    }

    #[test]
    fn a_reference_is_the_name_behind_the_sign() {
        check(
            &DVR_REFERENCE,
            &[("@a", json!("a")), ("@", json!(null)), ("@@a", json!(null)), ("\"@a\"", json!(null))],
        );
        assert!(accept_reference(json!("a b")).is_err());
    }

    #[test]
    fn levels_that_are_known_or_unlike_get_no_warning() {
        let warns = |level| nearly_known(Word::new(level, 0)).is_some();
        assert!(warns("debgu") && !warns("debug") && !warns("loud"));
    }
}
