//! Types a text: the JSON value that it stands for depends on its place.
//!
//! Values that are given as words are read as the text of their directive is read.
//!
//! No message here holds a part of a value, which may be a secret.

use serde_json::Value;

use super::schema_path::Place;
use crate::schema::codec::{General, OWN_PATH, json, json_string, object, of_kind};
use crate::schema::fault::Fault;
use crate::schema::{Codec, Derived, JsonForm, SOURCE};

pub use crate::schema::no_string;

/// The word that stands for no value.
pub const NULL: &str = "null";

/// The codec of values that the schema does not know.
const GENERAL: General<'static> = General { keyword: "" };

/// Splits a text into words as the text of a directive is split.
pub fn words(text: &str) -> Value {
    General::words(text)
}

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
        Place::Part(part) => part.parse(text),
        Place::BackendUrl if text == "false" => Ok(Value::Bool(false)),
        Place::Text | Place::BackendUrl => Ok(text.into()),
        Place::Templates(_) | Place::Template(_) | Place::Foreign => GENERAL.parse(text),
        Place::Element(kind) => of_kind(kind, text),
        Place::Source(_) => SOURCE.parse_one(text),
        Place::Pair(options) => options.parse_pair(text),
        Place::Own(parameter) => parameter.codec.parse(text),
        Place::Group(_) | Place::Block(_) | Place::Extras => object(text),
        Place::Root | Place::ForeignBlock => object(text).map_err(|fault| fault.hint(OWN_PATH)),
    }
}

/// Returns `text` as a string, whatever it looks like, if the place takes strings.
pub fn string(place: Place, text: &str) -> Result<Value, Fault> {
    match place {
        Place::Part(part) if part.is_rest() => Ok(Value::Array(vec![text.into()])),
        Place::Text | Place::BackendUrl | Place::Part(_) => Ok(text.into()),
        Place::Templates(_) | Place::Template(_) | Place::Foreign => Ok(text.into()),
        Place::Element(kind) => of_kind(kind, text),
        Place::Source(_) => Ok(SOURCE.only(text)),
        Place::Own(parameter) => parameter.codec.parse_string(text),
        _ => Err(no_string()),
    }
}

/// True if the words of a directive, or JSON, make an object here.
fn is_object_of_words(place: Place) -> bool {
    matches!(place, Place::Own(row) if row.codec.facts().json == JsonForm::Object && row.codec.facts().entries_of.is_none())
}

/// Returns null if the value at `place` can be removed.
pub fn removal(place: Place) -> Result<Value, Fault> {
    let derived = if let Place::Own(row) = place { row.codec.facts().derived } else { None };
    match derived {
        Some(Derived::Position) => {
            Err(Fault::of_path("every block has a position").hint("set the new position"))
        }
        Some(Derived::Static | Derived::NeverStatic) => {
            Err(Fault::of_path("every stream is static or not").hint("set it to true or false"))
        }
        _ => Ok(Value::Null),
    }
}
