//! Masks the secrets in JSON that has no text, such as a patch or a value in a message. They are recognised as in a text:
//! keys and elements are the words of directives.

use serde_json::{Map, Value};

use super::forms::word_parts;
use super::mask::Masker;
use super::names::{Secrecy, WordReader, is_account};
use crate::schema::{ESCAPE, Facts, ObjectShape, Schema};

/// The members of an address.
const URL: &str = "url";
const EXTRA: &str = "extra";

/// Returns a configuration, or a patch, with its secrets masked.
pub fn masked_json(value: &Value, masker: &Masker) -> Value {
    masked_below(&[], value, masker)
}

/// Returns the value below these keys of a configuration, with its secrets masked.
pub fn masked_below(keys: &[&str], value: &Value, masker: &Masker) -> Value {
    let place = keys.iter().fold(JsonPlace::Root, |place, key| place.member(key));
    masked(place, value, masker)
}

/// Returns the keys of a path with the secrets in them masked, for messages.
pub fn masked_keys(keys: &[&str], masker: &Masker) -> Vec<String> {
    let mut place = JsonPlace::Root;
    let shown = |key: &&str| {
        // A short number is the index of an element.
        let is_index = key.len() < 5 && key.bytes().all(|byte| byte.is_ascii_digit());
        let secrecy = if is_index { Secrecy::Parts } else { place.key_secrecy() };
        place = place.member(key);
        masker.word(key, secrecy).into_owned()
    };
    keys.iter().map(shown).collect()
}

/// The place of a value, as far as its secrecy depends on it.
#[derive(Clone, Copy)]
enum JsonPlace {
    /// The whole configuration.
    Root,
    /// `streams` and the like: the keys are names that people gave.
    Group,
    /// A directive whose words are the members of an object.
    Object(&'static ObjectShape),
    /// Behind the words of a directive.
    Words(WordReader),
}

const PARTS: JsonPlace = JsonPlace::Words(WordReader::INSIDE);

impl JsonPlace {
    fn member(self, key: &str) -> Self {
        let mut reader = match self {
            Self::Root => match Schema::media().top().by_key(key).map(|row| row.codec.facts()) {
                Some(facts) if facts.group.is_some() || facts.entries_of.is_some() => return Self::Group,
                Some(Facts { object: Some(object), .. }) => return Self::Object(object),
                _ => WordReader::new(Secrecy::Parts),
            },
            Self::Group => return PARTS,
            Self::Object(object) if object.part(key).is_some_and(|part| !part.secret) => return PARTS,
            Self::Object(_) => WordReader::new(Secrecy::Whole),
            Self::Words(reader) => reader,
        };
        reader.next(key.trim_start_matches(ESCAPE));
        Self::Words(reader)
    }

    /// Returns the secrecy of a plain value here.
    fn secrecy(self) -> Secrecy {
        match self {
            Self::Root | Self::Group => Secrecy::Parts,
            Self::Object(_) => Secrecy::Whole,
            Self::Words(reader) => reader.secrecy,
        }
    }

    /// Returns the secrecy of the keys of an object here.
    fn key_secrecy(self) -> Secrecy {
        if let Self::Object(_) = self { Secrecy::Parts } else { self.secrecy() }
    }
}

fn masked(place: JsonPlace, value: &Value, masker: &Masker) -> Value {
    let secrecy = place.secrecy();
    match (value, place) {
        (Value::String(text), JsonPlace::Words(mut reader)) => {
            Value::String(masker.word(text, reader.next(text)).into_owned())
        }
        (Value::String(text), _) => Value::String(masker.word(text, secrecy).into_owned()),
        (Value::Number(number), _) if secrecy == Secrecy::Whole => {
            Value::String(masker.mask(&number.to_string()))
        }
        (Value::Array(elements), _) => Value::Array(words(place, elements, masker)),
        (Value::Object(members), _) => Value::Object(object(place, members, masker)),
        (Value::Null | Value::Bool(_) | Value::Number(_), _) => value.clone(),
    }
}

fn object(place: JsonPlace, members: &Map<String, Value>, masker: &Masker) -> Map<String, Value> {
    let member = |(key, value): (&String, &Value)| {
        let name = masker.word(key, place.key_secrecy()).into_owned();
        (name, masked(place.member(key), value, masker))
    };
    match place {
        JsonPlace::Words(reader) => options(reader, members, masker),
        _ => members.iter().map(member).collect(),
    }
}

/// Masks members that may be the words of a directive: an address and options. Behind an option that is the name of a
/// secret and has no value stand the words of a directive in front of which the `;` is lost.
fn options(mut reader: WordReader, members: &Map<String, Value>, masker: &Masker) -> Map<String, Value> {
    let are_options = !members.values().any(|value| value.is_object() || value.is_array());
    let member = |(key, value): (&String, &Value)| {
        let before = reader;
        match value {
            Value::String(address) if key == URL => {
                let address = masker.word(address, reader.next(address)).into_owned();
                return (key.clone(), Value::String(address));
            }
            Value::Bool(true) if are_options => {
                return (masker.word(key, reader.next(key)).into_owned(), Value::Bool(true));
            }
            _ if are_options && is_account(key) => reader.secrecy = Secrecy::Whole,
            _ => {}
        }
        let name = masker.word(key, before.secrecy).into_owned();
        let place =
            if key == EXTRA { JsonPlace::Words(before) } else { JsonPlace::Words(before).member(key) };
        let inner = masked(place, value, masker);
        let of_address = if inner == *value { of_address(key, value, masker) } else { None };
        (name, of_address.unwrap_or(inner))
    };
    members.iter().map(member).collect()
}

/// Masks the value of an option that is an address with a query, split at its first `=`.
fn of_address(key: &str, value: &Value, masker: &Masker) -> Option<Value> {
    let value = value.as_str().filter(|_| key.contains(['?', '&']))?;
    let start = key.len() + 1;
    let parts = word_parts(&format!("{key}={value}"), Secrecy::Parts).into_iter();
    let inside = parts.filter(|part| part.start >= start).map(|part| part.start - start..part.end - start);
    Some(Value::String(masker.masked(value, inside.collect()).into_owned()))
}

/// Masks the words of a directive, or its occurrences: the word behind `token` is a secret.
fn words(place: JsonPlace, elements: &[Value], masker: &Masker) -> Vec<Value> {
    let mut place = match place {
        JsonPlace::Words(_) => place,
        _ => JsonPlace::Words(WordReader::new(place.secrecy())),
    };
    let word = |element: &Value| {
        let shown = masked(place, element, masker);
        // Of a list of options, each is a list; one without a value may be the name of a secret.
        let text = element.as_array().and_then(|words| words.first().filter(|_| words.len() == 1));
        if let Some(text) = text.unwrap_or(element).as_str() {
            place = place.member(text);
        }
        shown
    };
    elements.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_behind_a_lost_semicolon_is_masked_among_options() {
        let options = json!({ "url": "udp://239.0.0.1:12", "a": 1, "password": true, "hunter2": true });
        let shown = json!({ "url": "udp://239.0.0.1:12", "a": 1, "password": true, "<secret:000000>": true });
        let whole = |options| json!({ "streams": { "a": { "urls": [options] } } });
        assert_eq!(masked_json(&whole(options), &Masker::opaque()), whole(shown));
        let options = json!({ "url": "http://x", "extra": { "a": "1", "password": true, "hunter2": true } });
        let shown =
            json!({ "url": "http://x", "extra": { "a": "1", "password": true, "<secret:000000>": true } });
        let whole = |options| json!({ "streams": { "a": { "auth": options } } });
        assert_eq!(masked_json(&whole(options), &Masker::opaque()), whole(shown));
        let options = json!([["vb", 1], ["password"], ["hunter2"], ["hunter3", 5]]);
        let shown =
            json!([["vb", 1], ["password"], ["<secret:000000>"], ["<secret:000000>", "<secret:000000>"]]);
        let whole = |options| json!({ "streams": { "a": { "transcoder": options } } });
        assert_eq!(masked_json(&whole(options), &Masker::opaque()), whole(shown));
    }
}
