//! Masks the secrets in JSON that has no text, such as a patch or a value in a message. They are recognised as in a text:
//! keys and elements are the words of directives.

use serde_json::Value;

use super::forms::word_parts;
use super::mask::Masker;
use super::names::{Secrecy, WordReader, is_account};
use crate::schema::{ESCAPE, Facts, ObjectShape, Schema};

impl Masker {
    /// A configuration, or a patch, with its secrets masked.
    pub fn json(&self, value: &Value) -> Value {
        self.json_below(&[], value)
    }

    /// The value below these keys of a configuration, with its secrets masked.
    pub fn json_below(&self, keys: &[&str], value: &Value) -> Value {
        let place = keys.iter().fold(JsonPlace::ROOT, |place, key| place.member(key));
        self.json_at(place, value)
    }

    /// The keys of a path with the secrets in them masked, for messages.
    pub fn keys(&self, keys: &[&str]) -> Vec<String> {
        let mut place = JsonPlace::ROOT;
        let shown = |key: &&str| {
            // A short number is the index of an element.
            let is_index = key.len() < 5 && key.bytes().all(|byte| byte.is_ascii_digit());
            let secrecy = if is_index { Secrecy::Parts } else { place.key_secrecy(key) };
            place = place.member(key);
            self.word(key, secrecy).into_owned()
        };
        keys.iter().map(shown).collect()
    }

    fn json_at(&self, mut place: JsonPlace, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.word(text, place.reader.next(text)).into_owned()),
            Value::Number(number) if place.reader.secrecy == Secrecy::Whole => {
                Value::String(self.mask(&number.to_string()))
            }
            // The words of a directive, or its occurrences: the word behind `token` is a secret.
            Value::Array(elements) => {
                place.level = Level::Words;
                let shown = elements.iter().map(|element| {
                    let shown = self.json_at(place, element);
                    // Of a list of options, each is a list; one without a value may be the name of a secret.
                    let word = element
                        .as_array()
                        .filter(|words| words.len() == 1)
                        .map_or(element, |words| &words[0]);
                    place.reader = word.as_str().map_or(place.reader, |text| place.reader.behind(text));
                    shown
                });
                shown.collect()
            }
            Value::Object(members) => {
                let are_words = matches!(place.level, Level::Words);
                let are_options =
                    are_words && !members.values().any(|inner| inner.is_object() || inner.is_array());
                let shown = members.iter().map(|(key, value)| {
                    let name = self.word(key, place.key_secrecy(key)).into_owned();
                    let mut shown = self.json_at(place.member(key), value);
                    match value {
                        Value::String(address) if are_words && key == "url" => {
                            place.reader = place.reader.behind(address)
                        }
                        // Behind an option that is the name of a secret and has no value stand the words of a directive
                        // in front of which the `;` is lost.
                        Value::Bool(true) if are_options => place.reader = place.reader.behind(key),
                        _ if are_options && is_account(key) => place.reader.secrecy = Secrecy::Whole,
                        Value::String(text) if key.contains(['?', '&']) && shown == *value => {
                            shown = self.value_of_address(key, text).into();
                        }
                        _ => {}
                    }
                    (name, shown)
                });
                shown.collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// The value of an option that may be the rest of an address with a query, split at its first `=`.
    fn value_of_address(&self, key: &str, value: &str) -> String {
        let parts = word_parts(&format!("{key}={value}"), Secrecy::Parts).into_iter();
        let inside =
            parts.filter_map(|part| Some(part.start.checked_sub(key.len() + 1)?..part.end - key.len() - 1));
        self.masked(value, inside.collect()).into_owned()
    }
}

/// The place of a value, as far as its secrecy depends on it.
#[derive(Clone, Copy)]
struct JsonPlace {
    level: Level,
    reader: WordReader,
}

#[derive(Clone, Copy)]
enum Level {
    /// The whole configuration.
    Root,
    /// `streams` and the like: the keys are names that people gave.
    Group,
    /// A directive whose words are the members of an object.
    Object(&'static ObjectShape),
    /// Behind the words of a directive.
    Words,
}

impl JsonPlace {
    const ROOT: Self = Self { level: Level::Root, reader: WordReader::new(Secrecy::Parts) };

    fn member(self, key: &str) -> Self {
        let words = |reader| Self { level: Level::Words, reader };
        match self.level {
            Level::Root => match Schema::media().top().by_key(key).map(|row| row.codec.facts()) {
                Some(facts) if facts.group.is_some() || facts.entries_of.is_some() => {
                    Self { level: Level::Group, ..self }
                }
                Some(Facts { object: Some(object), .. }) => {
                    Self { level: Level::Object(object), reader: WordReader::new(Secrecy::Whole) }
                }
                _ => words(self.reader.behind(key.trim_start_matches(ESCAPE))),
            },
            Level::Object(object) if object.part(key).is_none_or(|part| part.secret) => words(self.reader),
            Level::Group | Level::Object(_) => words(WordReader::INSIDE),
            // The options of an address stand behind it.
            Level::Words if key == "extra" => self,
            Level::Words => words(self.reader.behind(key.trim_start_matches(ESCAPE))),
        }
    }

    /// Returns the secrecy of a key of an object here.
    fn key_secrecy(mut self, key: &str) -> Secrecy {
        if let Level::Object(_) = self.level { Secrecy::Parts } else { self.reader.next(key) }
    }
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
        assert_eq!(Masker::opaque().json(&whole(options)), whole(shown));
        let options = json!({ "url": "http://x", "extra": { "a": "1", "password": true, "hunter2": true } });
        let shown =
            json!({ "url": "http://x", "extra": { "a": "1", "password": true, "<secret:000000>": true } });
        let whole = |options| json!({ "streams": { "a": { "auth": options } } });
        assert_eq!(Masker::opaque().json(&whole(options)), whole(shown));
        let options = json!([["vb", 1], ["password"], ["hunter2"], ["hunter3", 5]]);
        let shown =
            json!([["vb", 1], ["password"], ["<secret:000000>"], ["<secret:000000>", "<secret:000000>"]]);
        let whole = |options| json!({ "streams": { "a": { "transcoder": options } } });
        assert_eq!(Masker::opaque().json(&whole(options)), whole(shown));
    }
}
