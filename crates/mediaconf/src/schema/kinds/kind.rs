//! The definition of a kind of value.

use serde_json::Value;

use crate::schema::json_value::{plain_word, shown};
use crate::schema::scalar::Scalar;
use crate::text::{Diagnostic, Word};

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
    pub(super) fn expected(what: &str, found: &Value) -> Self {
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
    pub(super) const WORD: Self = Self {
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

/// Checks that these words are read as these values (null: not at all), and that each value is accepted, and
/// written as a word that is read as the value.
#[cfg(test)]
pub(super) fn check(kind: &WordKind, words: &[(&str, Value)]) {
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
