//! Masks the secrets in JSON, which are recognised by their keys.

use serde_json::{Map, Value};

use crate::model::secret::{Masker, Secrecy};
use crate::schema::{ESCAPE, ObjectShape, Schema};

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
    /// All others.
    Member(Secrecy),
}

impl JsonPlace {
    fn member(self, key: &str) -> Self {
        match self {
            Self::Root => match Schema::media().top().by_key(key).map(|parameter| parameter.codec) {
                Some(codec) if codec.facts().group.is_some() || codec.facts().entries_of.is_some() => {
                    Self::Group
                }
                Some(codec) if let Some(object) = codec.facts().object => Self::Object(object),
                _ => Self::Member(Secrecy::from_name(key.trim_start_matches(ESCAPE))),
            },
            Self::Group => Self::Member(Secrecy::Parts),
            Self::Object(object) if object.part(key).is_some_and(|part| !part.secret) => {
                Self::Member(Secrecy::Parts)
            }
            Self::Object(_) => Self::Member(Secrecy::Whole),
            Self::Member(secrecy) => Self::Member(secrecy.behind(key.trim_start_matches(ESCAPE))),
        }
    }

    /// Returns the secrecy of a plain value here.
    fn secrecy(self) -> Secrecy {
        match self {
            Self::Root | Self::Group => Secrecy::Parts,
            Self::Object(_) => Secrecy::Whole,
            Self::Member(secrecy) => secrecy,
        }
    }

    /// Returns the secrecy of the keys of an object here.
    fn key_secrecy(self) -> Secrecy {
        if let Self::Object(_) = self { Secrecy::Parts } else { self.secrecy() }
    }
}

fn masked(place: JsonPlace, value: &Value, masker: &Masker) -> Value {
    let secrecy = place.secrecy();
    match value {
        Value::String(text) => Value::String(masker.word(text, secrecy).into_owned()),
        Value::Number(number) if secrecy == Secrecy::Whole => Value::String(masker.mask(&number.to_string())),
        Value::Array(elements) => Value::Array(masked_words(secrecy, elements, masker)),
        Value::Object(members) if may_be_options(members) => Value::Object(options(place, members, masker)),
        Value::Object(members) => {
            Value::Object(members.iter().map(|found| member(place, found, masker)).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn member(place: JsonPlace, (key, value): (&String, &Value), masker: &Masker) -> (String, Value) {
    let shown = masker.word(key, place.key_secrecy()).into_owned();
    (shown, masked(place.member(key), value, masker))
}

/// True if the members have single values, as the options of a directive have.
fn may_be_options(members: &Map<String, Value>) -> bool {
    !members.values().any(|value| value.is_object() || value.is_array())
}

/// Masks the options of a directive. Those behind one that is the name of a secret and has no value are the words of a
/// directive in front of which the `;` is lost.
fn options(place: JsonPlace, members: &Map<String, Value>, masker: &Masker) -> Map<String, Value> {
    let mut behind = None;
    let mut shown = Map::new();
    for (key, value) in members {
        let (name, shown_value) = member(behind.unwrap_or(place), (key, value), masker);
        shown.insert(name, shown_value);
        if *value == Value::Bool(true) && Secrecy::from_name(key) == Secrecy::Whole {
            behind = Some(JsonPlace::Member(Secrecy::Whole));
        }
    }
    shown
}

/// Masks the words of a directive, or its occurrences: the word behind `token` is a secret.
fn masked_words(mut secrecy: Secrecy, elements: &[Value], masker: &Masker) -> Vec<Value> {
    let word = |element: &Value| {
        let shown = masked(JsonPlace::Member(secrecy), element, masker);
        // Of a list of options, each is a list; one without a value may be the name of a secret.
        let text = element.as_array().and_then(|words| words.first().filter(|_| words.len() == 1));
        if let Some(text) = text.unwrap_or(element).as_str() {
            secrecy = secrecy.behind(text);
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
