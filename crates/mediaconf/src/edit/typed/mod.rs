//! Types a text: the JSON value that it stands for depends on its place.
//!
//! Values that are given as words are read as the text of their directive is read.
//!
//! No message here holds a part of a value, which may be a secret.

mod in_words;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::fault::Fault;
use super::patch;
use super::schema_path::Place;
use crate::schema::kinds::{SWITCH, WordKind};
use crate::schema::scalar::canonical_integer;
use crate::schema::{Derived, OptionsShape, Parameter, PartPlace, SOURCE, Shape};
pub use in_words::words;
use in_words::{address_in_words, object_in_words, options, pairs, source_in_words, unlike};

/// The word that stands for no value.
pub const NULL: &str = "null";

/// Advice where only JSON fits.
const OWN_PATH: &str = "one parameter is set with its own path, after a `.`";

/// Returns the value of a text at `place`, as the configuration shows it; `None` for null.
pub fn meant(place: Place, text: &str) -> Result<Option<Value>, Fault> {
    if text == NULL {
        return Ok(None);
    }
    let mut value = typed(place, text)?;
    if let Value::Object(members) = &mut value {
        members.retain(|_, member| !member.is_null());
    }
    Ok(Some(value))
}

/// True if the text is a whole list, not one element.
pub fn is_list(text: &str) -> bool {
    matches!(json(text), Ok(Some(Value::Array(_))))
}

/// Returns the value of `--set PATH=text`.
pub fn typed(place: Place, text: &str) -> Result<Value, Fault> {
    if text == NULL {
        return removal(place);
    }
    if let Some(text) = json_string(text).filter(|_| !is_object_of_words(place)) {
        return string(place, &text);
    }
    match place {
        Place::Part(part) if part.place == PartPlace::Rest => elements(text, options),
        // Normalizing refuses other texts.
        Place::Part(part) => Ok((part.kind.parse)(text).unwrap_or_else(|| text.into())),
        Place::Text => Ok(text.into()),
        Place::BackendUrl if text == "false" => Ok(Value::Bool(false)),
        Place::BackendUrl => Ok(text.into()),
        Place::Templates(_) | Place::Template(_) | Place::Foreign => general(text),
        Place::Element(kind) => of_kind(kind, text),
        Place::Source(_) => source(text),
        Place::Pair(options) => pair(options, text),
        Place::Own(parameter) => setting(parameter, text),
        Place::Group(_) | Place::Block(_) | Place::Extras => object(text),
        Place::Root | Place::ForeignBlock => object(text).map_err(|fault| fault.hint(OWN_PATH)),
    }
}

/// Returns `text` as a string, whatever it looks like, if the place takes strings.
pub fn string(place: Place, text: &str) -> Result<Value, Fault> {
    match place {
        Place::Part(part) if part.place == PartPlace::Rest => Ok(Value::Array(vec![text.into()])),
        Place::Text | Place::BackendUrl | Place::Part(_) => Ok(text.into()),
        Place::Templates(_) | Place::Template(_) | Place::Foreign => Ok(text.into()),
        Place::Element(kind) => of_kind(kind, text),
        Place::Source(_) => Ok(source_at(text)),
        Place::Own(parameter) => match parameter.shape {
            Shape::Value(kind) => (kind.accept)(text.into()).map_err(|_| unlike_kind(kind)),
            Shape::Derived(Derived::Static) => Err(unlike_kind(&SWITCH)),
            Shape::Derived(Derived::Position) => position(text),
            Shape::Derived(_) => Ok(text.into()),
            Shape::List(list) => of_kind(list.kind, text).map(|value| Value::Array(vec![value])),
            Shape::Addresses(_) => Ok(Value::Array(vec![source_at(text)])),
            _ => Err(no_string()),
        },
        _ => Err(no_string()),
    }
}

/// True if the words of a directive, or JSON, make an object here.
fn is_object_of_words(place: Place) -> bool {
    matches!(place, Place::Own(row) if row.shape.is_object())
}

pub fn no_string() -> Fault {
    Fault::of_path("a string does not fit here")
}

/// Returns null if the value at `place` can be removed.
pub fn removal(place: Place) -> Result<Value, Fault> {
    let Place::Own(Parameter { shape: Shape::Derived(what), .. }) = place else { return Ok(Value::Null) };
    match what {
        Derived::Position => Err(Fault::of_path("every block has a position").hint("set the new position")),
        Derived::Static => {
            Err(Fault::of_path("every stream is static or not").hint("set it to true or false"))
        }
        _ => Ok(Value::Null),
    }
}

fn setting(parameter: &'static Parameter, text: &str) -> Result<Value, Fault> {
    match parameter.shape {
        Shape::Value(kind) => of_kind(kind, text),
        Shape::Derived(Derived::Static) => of_kind(&SWITCH, text),
        Shape::Object(shape) if shape.takes_words && text.trim_start().starts_with('[') => list(text),
        shape if shape.is_object() && text.trim_start().starts_with('{') => object(text),
        Shape::Object(shape) => object_in_words(parameter, shape, text),
        Shape::Address(shape) => match json(text)? {
            None | Some(Value::Bool(false)) => address_in_words(parameter, shape, text),
            Some(_) if text.starts_with('"') => address_in_words(parameter, shape, text),
            Some(_) => Err(unlike(parameter)),
        },
        Shape::Derived(Derived::Position) => position(text),
        Shape::Derived(Derived::Runtime) => general(text),
        Shape::Derived(_) => Ok(text.into()),
        Shape::List(list) => elements(text, |text| of_kind(list.kind, text).map(|value| vec![value])),
        Shape::Addresses(_) => elements(text, |text| source(text).map(|source| vec![source])).map(sources),
        Shape::Options(_) if text.trim_start().starts_with('[') => list(text),
        Shape::Options(options) => pairs(options, text)
            .map(Value::Array)
            .ok_or_else(|| Fault::of_path(format!("expected options of the {}", options.noun))),
        Shape::Group(_) => object(text),
        Shape::Blocks(_) => object(text).map_err(|fault| fault.hint(OWN_PATH)),
    }
}

fn of_kind(kind: &WordKind, text: &str) -> Result<Value, Fault> {
    (kind.parse)(text).ok_or_else(|| unlike_kind(kind))
}

fn unlike_kind(kind: &WordKind) -> Fault {
    Fault::of_path(format!("expected {}", kind.expected))
}

fn position(text: &str) -> Result<Value, Fault> {
    let position = canonical_integer(text).filter(|&position| position >= 1);
    position.map(Value::from).ok_or_else(|| Fault::of_path("expected a position, counted from 1"))
}

/// Parses a whole list, or the elements that a text which is no JSON list stands for.
fn elements(text: &str, read: impl Fn(&str) -> Result<Vec<Value>, Fault>) -> Result<Value, Fault> {
    match json(text)? {
        Some(list @ Value::Array(_)) => Ok(list),
        _ => read(text).map(Value::Array),
    }
}

fn list(text: &str) -> Result<Value, Fault> {
    elements(text, |_| Err(Fault::of_path("expected a JSON array")))
}

fn object(text: &str) -> Result<Value, Fault> {
    match json(text)? {
        Some(Value::Object(members)) => Ok(Value::Object(members)),
        _ => Err(Fault::of_path("expected a JSON object")),
    }
}

/// Sources, of which those that are only an address may be strings.
fn sources(list: Value) -> Value {
    let Value::Array(entries) = list else { return list };
    Value::Array(
        entries.into_iter().map(|entry| entry.as_str().map_or_else(|| entry.clone(), source_at)).collect(),
    )
}

/// Parses a source: an object, an address without blanks, or the words of its directive.
fn source(text: &str) -> Result<Value, Fault> {
    if let Some(address) = json_string(text) {
        return Ok(source_at(&address));
    }
    if text.trim_start().starts_with('{') {
        return object(text);
    }
    if !text.is_empty() && !text.contains(char::is_whitespace) {
        return Ok(source_at(text));
    }
    source_in_words(text)
}

fn source_at(address: &str) -> Value {
    Value::Object(Map::from_iter([(SOURCE.address.to_owned(), Value::String(address.to_owned()))]))
}

fn pair(options: &OptionsShape, text: &str) -> Result<Value, Fault> {
    let pair = match text.trim_start().starts_with('[') {
        true => json(text)?.filter(Value::is_array),
        false => pairs(options, text).and_then(|pairs| <[Value; 1]>::try_from(pairs).ok()).map(|[pair]| pair),
    };
    pair.ok_or_else(|| Fault::of_path(format!("expected one option of the {}", options.noun)))
}

/// Parses a value that is not in the schema: JSON if it is valid JSON, else a string.
fn general(text: &str) -> Result<Value, Fault> {
    Ok(json(text)?.unwrap_or_else(|| Value::String(text.to_owned())))
}

/// Parses JSON; `None` if the text is not JSON. Refuses repeated keys and too deep nesting.
fn json(text: &str) -> Result<Option<Value>, Fault> {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Ok(None);
    }
    patch::parse(text.as_bytes()).map(Some).map_err(|faults| {
        let first = faults.0.into_iter().next();
        first.map_or_else(|| Fault::of_path("this JSON can't be read"), Fault::from)
    })
}

fn json_string(text: &str) -> Option<String> {
    text.starts_with('"').then(|| serde_json::from_str(text).ok())?
}
