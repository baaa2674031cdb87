//! Types the text of an assignment: which JSON value it stands for depends on its place.
//!
//! No message here holds a part of a value, which may be a secret.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::assignment::{AssignedValue, NULL};
use crate::edit::misfit::Misfit;
use crate::edit::patch;
use crate::edit::schema_path::Place;
use crate::model::scalar::canonical_integer;
use crate::model::schema::{Derived, Kind, ObjectShape, Parameter, Part, PartForm, Shape, ValueType};
use crate::model::setting_view::{object_value, transcoder_pair};
use crate::model::shape::{Port, Seconds, duration, fits, percent, seconds, switch_value};
use crate::syntax::{Document, Entry, Word};

/// Returns the JSON value of an assignment at `place`; null removes the value there.
pub fn of(place: Place, value: &AssignedValue) -> Result<Value, Misfit> {
    match value {
        AssignedValue::Remove => removal(place),
        AssignedValue::Replace(_) => Err(no_string()),
        AssignedValue::Text(text) => string(place, text),
        AssignedValue::File(text) => match without_newline(text) {
            text if place.is_text() || matches!(place, Place::BackendUrl) => string(place, text),
            text => typed(place, text),
        },
        AssignedValue::Typed(text) => typed(place, text),
    }
}

/// Returns the value of `--set PATH=text`.
pub fn typed(place: Place, text: &str) -> Result<Value, Misfit> {
    if text == NULL {
        return removal(place);
    }
    if let Some(text) = json_string(text) {
        return string(place, &text);
    }
    match place {
        Place::Part(PartForm::Words) => list(text),
        Place::Part(form @ (PartForm::Percent | PartForm::Duration)) => Ok(limit(form, text)),
        Place::Text | Place::Part(_) => Ok(text.into()),
        Place::BackendUrl if text == "false" => Ok(Value::Bool(false)),
        Place::BackendUrl => Ok(text.into()),
        Place::Foreign => general(text),
        Place::Port => port(text),
        Place::Source => source(text),
        Place::Pair => pair(text),
        Place::Own(parameter) => setting(parameter, text),
        Place::Group(kind) => object(text, &format!("such as {{\"name\": {}}}", example(kind))),
        Place::Block(kind) => object(text, &format!("such as {}", example(kind))),
        Place::Extras => object(text, "such as {\"key\": \"value\"}; one key is set with `extra.KEY`"),
        Place::Root | Place::ForeignBlock => {
            object(text, "one parameter is set with its own path, after a `.`")
        }
    }
}

/// Reads a limit as the directive has it, or as a plain number. Normalizing refuses other texts.
fn limit(form: PartForm, text: &str) -> Value {
    let word = Word::new(text, 0);
    let read = if form == PartForm::Percent { percent(word) } else { duration(word) };
    read.or_else(|| canonical_integer(text)).map_or_else(|| text.into(), Value::from)
}

/// Returns `text` as a string, whatever it looks like, if the place takes strings.
fn string(place: Place, text: &str) -> Result<Value, Misfit> {
    match place {
        Place::Part(PartForm::Words) => Err(no_string()),
        Place::Text | Place::BackendUrl | Place::Foreign | Place::Part(_) => Ok(text.into()),
        Place::Port => port(text),
        Place::Source => Ok(source_at(text)),
        Place::Own(parameter) => match parameter.shape {
            Shape::Value(ValueType::Text | ValueType::Scalar) => Ok(text.into()),
            Shape::Value(ValueType::Port) => port(text),
            Shape::Value(ValueType::Seconds) => whole_seconds(text).ok_or_else(no_seconds),
            Shape::Value(ValueType::Switch | ValueType::Flag) | Shape::Derived(Derived::Static) => {
                Err(no_switch())
            }
            Shape::Derived(Derived::Position) => position(text),
            Shape::Derived(_) => Ok(text.into()),
            _ => Err(no_string()),
        },
        _ => Err(no_string()),
    }
}

fn no_string() -> Misfit {
    Misfit::new("a string does not fit here").hint("`--set` takes JSON")
}

/// Returns null if the value at `place` can be removed.
fn removal(place: Place) -> Result<Value, Misfit> {
    let Place::Own(Parameter { shape: Shape::Derived(what), .. }) = place else { return Ok(Value::Null) };
    match what {
        Derived::Position => Err(Misfit::new("every block has a position").hint("set the new position")),
        Derived::Static => Err(Misfit::new("every stream is static or not").hint("set it to true or false")),
        _ => Ok(Value::Null),
    }
}

fn setting(parameter: &'static Parameter, text: &str) -> Result<Value, Misfit> {
    match parameter.shape {
        Shape::Value(ValueType::Text) => Ok(text.into()),
        Shape::Value(ValueType::Scalar) => general(text),
        Shape::Value(ValueType::Port) => port(text),
        Shape::Value(ValueType::Switch | ValueType::Flag) | Shape::Derived(Derived::Static) => {
            switch_value(text).map(Value::Bool).ok_or_else(no_switch)
        }
        Shape::Value(ValueType::Seconds) => match seconds(text) {
            Some(Seconds::Off) => Ok(Value::Bool(false)),
            _ => whole_seconds(text).ok_or_else(no_seconds),
        },
        Shape::Object(shape) if shape.takes_words && !text.trim_start().starts_with(['{', '[']) => {
            object_of_words(parameter, shape, text)
        }
        Shape::Object(shape) if shape.takes_words && text.trim_start().starts_with('[') => list(text),
        Shape::Object(shape) => object(text, &format!("its members are {}", shape.keys())),
        Shape::Derived(Derived::Position) => position(text),
        Shape::Derived(Derived::Runtime) => general(text),
        Shape::Derived(_) => Ok(text.into()),
        Shape::Ports | Shape::Sources => list(text),
        Shape::Transcoder if text.trim_start().starts_with('[') => list(text),
        Shape::Transcoder => pairs(text).map(Value::Array).ok_or_else(no_pairs),
        Shape::Backend => object(text, "its members are `url` and `extra`"),
        Shape::Group(_) | Shape::PortOptions => {
            object(text, "one parameter is set with its own path, after a `.`")
        }
    }
}

fn port(text: &str) -> Result<Value, Misfit> {
    match Port::of(text) {
        Some(Port::Number(port)) => Ok(Value::from(port)),
        Some(Port::Address(address)) => Ok(Value::String(address.into_owned())),
        None => Err(Misfit::new("expected a port (0 to 65535) or host:port")),
    }
}

fn no_switch() -> Misfit {
    Misfit::new("expected true or false")
}

fn whole_seconds(text: &str) -> Option<Value> {
    canonical_integer(text).filter(|&seconds| seconds >= 0).map(Value::from)
}

fn no_seconds() -> Misfit {
    Misfit::new("expected a number of seconds, or `off`")
}

fn position(text: &str) -> Result<Value, Misfit> {
    let position = canonical_integer(text).filter(|&position| position >= 1);
    position.map(Value::from).ok_or_else(|| Misfit::new("expected a position, counted from 1"))
}

/// Parses a whole list. A single value is refused: it would silently replace the list.
fn list(text: &str) -> Result<Value, Misfit> {
    match json(text)? {
        Some(Value::Array(elements)) => Ok(Value::Array(elements)),
        _ => Err(Misfit::new("this is a list: one value does not replace it")
            .hint("append with `[+]`, change one with `[0]`, or set all of it to a JSON array")),
    }
}

fn object(text: &str, hint: &str) -> Result<Value, Misfit> {
    match json(text)? {
        Some(Value::Object(members)) => Ok(Value::Object(members)),
        _ => Err(Misfit::new("expected a JSON object").hint(hint)),
    }
}

fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Stream => "{\"urls\": [{\"url\": \"udp://239.0.0.1:1234\"}]}",
        Kind::Live => "{\"publish_enabled\": true}",
        Kind::Plugin => "{\"key\": \"value\"}",
    }
}

/// Parses a source: an object, or an address, which never begins with a brace.
fn source(text: &str) -> Result<Value, Misfit> {
    match text.trim_start().starts_with('{') {
        true => object(text, "such as {\"url\": \"udp://239.0.0.1:1234\", \"priority\": 1}"),
        false => Ok(source_at(text)),
    }
}

fn source_at(address: &str) -> Value {
    Value::Object(Map::from_iter([("url".to_owned(), Value::String(address.to_owned()))]))
}

fn pair(text: &str) -> Result<Value, Misfit> {
    let pair = match text.trim_start().starts_with('[') {
        true => json(text)?.filter(Value::is_array),
        false => pairs(text).and_then(|pairs| <[Value; 1]>::try_from(pairs).ok()).map(|[pair]| pair),
    };
    pair.ok_or_else(|| {
        Misfit::new("expected one option of the transcoder")
            .hint("such as `vb=1024k` or [\"video_bitrate\", 1024000]")
    })
}

/// Reads options such as `vb=1024k ab=64k` as the text of the directive is read.
fn pairs(text: &str) -> Option<Vec<Value>> {
    let pairs = read_directive("transcoder", text, |entry| entry.arguments().map(transcoder_pair).collect());
    pairs.filter(|pairs: &Vec<Value>| !pairs.is_empty())
}

/// Reads a directive with this keyword and these words; `None` if the text is not just words.
pub(super) fn read_directive<T>(keyword: &str, words: &str, read: impl Fn(Entry<'_>) -> T) -> Option<T> {
    let document = Document::parse(format!("{keyword} {words};"));
    let mut entries = document.entries();
    let only = entries.next().filter(|entry| entries.next().is_none() && !entry.is_block())?;
    let ends_here = document.diagnostics().is_empty() && only.end() == document.text().len();
    ends_here.then(|| read(only))
}

/// The object in `/storage 90% 5d`, parsed like the text of the directive. Parts without a word are
/// null, so that the words replace the whole old value.
fn object_of_words(parameter: &Parameter, object: &'static ObjectShape, text: &str) -> Result<Value, Misfit> {
    let value = read_directive(parameter.keywords[0], text, |entry| {
        fits(parameter.shape, entry).then(|| {
            let members = object_value(object, entry);
            let member =
                |part: &Part| (part.key.to_owned(), members.get(part.key).cloned().unwrap_or_default());
            Value::Object(object.parts.iter().map(member).collect())
        })
    });
    value.flatten().ok_or_else(|| {
        Misfit::new(format!("expected {}", parameter.usage()))
            .hint(format!("such as the words of `{}`, or a JSON object", parameter.example))
    })
}

fn no_pairs() -> Misfit {
    Misfit::new("expected options of the transcoder")
        .hint("such as `vb=1024k ab=64k` or [[\"video_bitrate\", 1024000]]")
}

/// Parses a value that is not in the schema: JSON if it is valid JSON, else a string.
fn general(text: &str) -> Result<Value, Misfit> {
    Ok(json(text)?.unwrap_or_else(|| Value::String(text.to_owned())))
}

/// Parses JSON; `None` if the text is not JSON. Refuses repeated keys and too deep nesting.
fn json(text: &str) -> Result<Option<Value>, Misfit> {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Ok(None);
    }
    patch::parse(text.as_bytes()).map(Some).map_err(|faults| {
        let first = faults.0.into_iter().next();
        first.map_or_else(|| Misfit::new("this JSON can't be read"), Misfit::from)
    })
}

fn json_string(text: &str) -> Option<String> {
    text.starts_with('"').then(|| serde_json::from_str(text).ok())?
}

fn without_newline(text: &str) -> &str {
    text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text)
}
