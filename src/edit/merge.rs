//! Merges a normalized patch into the own values of a configuration: RFC 7396, with the rules for
//! unknown directives, accounts and backends.
//!
//! This is the value side of an edit. The text side works towards these values; its result is read
//! again and compared with them before anything is written.

use serde_json::{Map, Value};

use super::emit::{self, scalar_text};
use super::fault::{Fault, Faults};
use super::json_pointer::Pointer;
use crate::model::general::{Contents, DirectiveForm, General};
use crate::model::member::{Members, keyword_of};
use crate::model::schema::{ESCAPE, Kind, ObjectShape, Part, PartForm, Scope, Shape, by_key, by_keyword};
use crate::model::shape::{Reading, first_argument, read};
use crate::model::{Lens, Parameter, to_json, view};
use crate::syntax::{Document, Entry};

/// Own values alone.
pub fn own_lens() -> Lens {
    Lens { own_only: true, ..Lens::default() }
}

/// The value of all occurrences of a foreign keyword.
pub fn general_value(entries: &[Entry<'_>]) -> Option<Value> {
    (!entries.is_empty()).then(|| to_json(&General { entries }))
}

/// The value of a foreign block.
pub fn contents_value(block: Entry<'_>) -> Value {
    to_json(&Contents { block })
}

/// What a value is merged into.
#[derive(Clone, Copy)]
enum MergeTarget<'a, 'd> {
    /// All occurrences of one keyword, maybe none.
    Keyword(&'a [Entry<'d>]),
    /// The inside of one block.
    Block(Entry<'d>),
}

/// Merges into a foreign member; `None` where nothing of it is left.
pub fn foreign(entries: &[Entry<'_>], patch: &Value) -> Option<Value> {
    match patch {
        Value::Null => None,
        Value::Object(members) => foreign_object(MergeTarget::Keyword(entries), members),
        _ => Some(canonical(patch)),
    }
}

fn foreign_object(into: MergeTarget<'_, '_>, patch: &Map<String, Value>) -> Option<Value> {
    match into {
        MergeTarget::Keyword(entries) => match (entries, DirectiveForm::of(entries)) {
            ([], _) => new_object(patch),
            (entries, DirectiveForm::NamedBlocks) => named_blocks(entries, patch),
            ([block], DirectiveForm::Block) => foreign_object(MergeTarget::Block(*block), patch),
            _ => Some(Value::Object(patch_of_nothing(patch))),
        },
        MergeTarget::Block(block) => Some(Value::Object(contents_after(block, patch))),
    }
}

/// An object that is not there yet; one that only removes makes nothing.
fn new_object(patch: &Map<String, Value>) -> Option<Value> {
    let object = patch_of_nothing(patch);
    (patch.is_empty() || !object.is_empty()).then_some(Value::Object(object))
}

fn patch_of_nothing(patch: &Map<String, Value>) -> Map<String, Value> {
    patch.iter().filter_map(|(key, value)| Some((key.clone(), foreign(&[], value)?))).collect()
}

/// An object of named blocks that lost its last name is gone.
fn named_blocks(entries: &[Entry<'_>], patch: &Map<String, Value>) -> Option<Value> {
    let mut object = Map::new();
    for &block in entries {
        let name = first_argument(block).into_owned();
        let value = match patch.get(&name) {
            None => Some(contents_value(block)),
            Some(Value::Object(members)) => foreign_object(MergeTarget::Block(block), members),
            Some(value) => foreign(&[], value),
        };
        object.extend(value.map(|value| (name, value)));
    }
    add_new(&mut object, patch);
    (!object.is_empty()).then_some(Value::Object(object))
}

/// The members of a foreign block afterwards.
pub fn contents_after(block: Entry<'_>, patch: &Map<String, Value>) -> Map<String, Value> {
    let mut object = Map::new();
    for member in Members::of(Scope::Foreign, block.children()).foreign() {
        let key = member.key.to_json(Scope::Foreign).into_owned();
        let value = match patch.get(&key) {
            None => general_value(&member.entries),
            Some(value) => foreign(&member.entries, value),
        };
        object.extend(value.map(|value| (key, value)));
    }
    add_new(&mut object, patch);
    object
}

fn add_new(object: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (key, value) in patch {
        if !object.contains_key(key) && !value.is_null() {
            object.extend(foreign(&[], value).map(|value| (key.clone(), value)));
        }
    }
}

/// The occurrences that say the value of a foreign keyword, each an array of its words and maybe,
/// last, the object of its block.
pub fn occurrences(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(true) => vec![Value::Array(Vec::new())],
        Value::Array(list) if list.iter().any(Value::is_array) => list.clone(),
        Value::Array(_) => vec![value.clone()],
        Value::Object(members) if !members.is_empty() && members.values().all(Value::is_object) => members
            .iter()
            .map(|(name, block)| Value::Array(vec![Value::String(name.clone()), block.clone()]))
            .collect(),
        other => vec![Value::Array(vec![other.clone()])],
    }
}

/// The form that a value reads back as: one occurrence is R1, R2 or R3.
pub fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(elements) => canonical_list(elements),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.clone(), canonical(value))).collect())
        }
        scalar => scalar.clone(),
    }
}

fn canonical_list(elements: &[Value]) -> Value {
    if !elements.iter().any(Value::is_array) {
        return match elements {
            [only] => only.clone(),
            _ => Value::Array(elements.to_vec()),
        };
    }
    let occurrences: Vec<Value> = elements.iter().map(canonical_occurrence).collect();
    canonical_named_blocks(&occurrences)
        .or_else(|| canonical_single(&occurrences))
        .unwrap_or(Value::Array(occurrences))
}

fn canonical_occurrence(occurrence: &Value) -> Value {
    match occurrence {
        Value::Array(words) => Value::Array(words.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

fn canonical_named_blocks(occurrences: &[Value]) -> Option<Value> {
    let mut object = Map::new();
    for occurrence in occurrences {
        match occurrence.as_array().map(Vec::as_slice) {
            Some([name, Value::Object(block)]) => {
                let name = scalar_text(name)?;
                if object.insert(name, Value::Object(block.clone())).is_some() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(Value::Object(object))
}

fn canonical_single(occurrences: &[Value]) -> Option<Value> {
    let [only] = occurrences else { return None };
    match only.as_array()?.as_slice() {
        [] => Some(Value::Bool(true)),
        [word] => Some(word.clone()),
        words if !words.iter().any(Value::is_object) => Some(only.clone()),
        _ => None,
    }
}

/// Merges into one of our settings; `None` where it is not set afterwards.
pub fn setting(
    parameter: &'static Parameter,
    current: Option<&Value>,
    patch: &Value,
    at: &Pointer,
) -> Result<Option<Value>, Faults> {
    match (parameter.shape, patch) {
        (_, Value::Null) => Ok(None),
        (Shape::Object(object), Value::Object(patch)) => parts(object, current, patch, at),
        (Shape::Backend, Value::Object(patch)) => backend(current, patch, at),
        (Shape::Transcoder, Value::Array(pairs)) if pairs.is_empty() => Ok(None),
        _ => Ok(Some(patch.clone())),
    }
}

/// Merges the members of an object whose words a directive holds. Of two parts that stand in the same
/// place, the one that the patch gives takes the place of the other.
fn parts(
    object: &'static ObjectShape,
    current: Option<&Value>,
    patch: &Map<String, Value>,
    at: &Pointer,
) -> Result<Option<Value>, Faults> {
    if current.is_none() && patch.values().all(Value::is_null) {
        return Ok(None);
    }
    let mut merged = current.and_then(Value::as_object).cloned().unwrap_or_default();
    merged.extend(patch.iter().map(|(key, value)| (key.clone(), value.clone())));
    let mut faults = Faults::default();
    for part in object.parts.iter().filter(|part| part.form == PartForm::Word) {
        let is_given = |part: &Part| patch.get(part.key).is_some_and(|value| !value.is_null());
        if let Some(other) = object.alternative(part) {
            match (is_given(part), is_given(other)) {
                (true, true) => {
                    let message = format!("`{}` and `{}` exclude each other", part.key, other.key);
                    faults.push(Fault::wrong_type(&at.child(other.key), message));
                }
                (true, false) => drop(merged.shift_remove(other.key)),
                (false, true) => drop(merged.shift_remove(part.key)),
                (false, false) => {}
            }
        }
        let is_there = |part: &Part| merged.get(part.key).is_some_and(|value| !value.is_null());
        if !is_there(part) && !object.alternative(part).is_some_and(is_there) {
            faults.push(Fault::wrong_type(&at.child(part.key), format!("the {} is missing", part.key)));
        }
    }
    merged.retain(|_, value| !value.is_null());
    faults.into_result(Some(Value::Object(merged)))
}

fn backend(
    current: Option<&Value>,
    patch: &Map<String, Value>,
    at: &Pointer,
) -> Result<Option<Value>, Faults> {
    let current = current.and_then(Value::as_object);
    let url = match patch.get("url") {
        None => current.and_then(|current| current.get("url")).cloned(),
        Some(url) => Some(url.clone()).filter(|url| !url.is_null()),
    };
    let opens =
        url == Some(Value::Bool(false)) && current.and_then(|current| current.get("url")) != url.as_ref();
    let given = patch.get("extra").and_then(Value::as_object);
    let mut existing = current
        .and_then(|current| current.get("extra"))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if opens {
        // What is given again keeps its place.
        existing.retain(|key, _| given.is_some_and(|given| given.contains_key(key)));
    }
    let extra = match patch.get("extra") {
        Some(Value::Null) => Map::new(),
        _ => extras(&existing, given.unwrap_or(&Map::new())),
    };
    match (url, extra.is_empty()) {
        (None, true) => Ok(None),
        (None, false) => {
            let fault =
                Fault::wrong_type(&at.child("url"), "extra parameters without a url can't be written");
            Err(fault.hint("set the url too, or remove the whole with null").into())
        }
        (Some(url), _) => {
            let mut merged = Map::from_iter([("url".to_owned(), url)]);
            if !extra.is_empty() {
                merged.insert("extra".to_owned(), Value::Object(extra));
            }
            Ok(Some(Value::Object(merged)))
        }
    }
}

/// New keys first, in the order given, then the existing ones in theirs.
fn extras(existing: &Map<String, Value>, patch: &Map<String, Value>) -> Map<String, Value> {
    let is_set = |value: &Value| !value.is_null();
    let new = patch.iter().filter(|(key, value)| !existing.contains_key(*key) && is_set(value));
    let kept = existing.iter().map(|(key, value)| (key, patch.get(key).unwrap_or(value)));
    new.chain(kept.filter(|(_, value)| is_set(value)))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Merges into a stream, live or plugin: the own members of its block afterwards.
pub fn named(
    kind: Kind,
    current: Option<(&Map<String, Value>, &Members<'_>)>,
    patch: &Map<String, Value>,
    at: &Pointer,
) -> Result<Map<String, Value>, Faults> {
    let mut merged = current.map(|(own, _)| own.clone()).unwrap_or_else(|| shown_of_nothing(kind));
    let mut faults = Faults::default();
    for (key, value) in patch.iter().filter(|(key, _)| *key != "position") {
        let at = at.child(key);
        let result = match by_key(kind.scope(), key) {
            Some(parameter) => setting(parameter, merged.get(key), value, &at),
            None => {
                let entries = current.map_or(&[][..], |(_, members)| {
                    members.foreign_by_keyword(keyword_of(kind.scope(), key))
                });
                fits_own_shape(kind.scope(), key, value, &at).map(|()| foreign(entries, value))
            }
        };
        match result {
            Ok(value) => put(kind, &mut merged, key, value),
            Err(found) => faults.0.extend(found.0),
        }
    }
    merged.retain(|_, value| !value.is_null());
    faults.into_result(merged)
}

fn put(kind: Kind, merged: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    // What is gone leaves a null: to close the gap at once would move all that follows, each time.
    let value = value.or_else(|| shown_of_nothing(kind).get(key).cloned()).unwrap_or(Value::Null);
    merged.insert(key.to_owned(), value);
}

/// What the view shows of a block that says nothing.
fn shown_of_nothing(kind: Kind) -> Map<String, Value> {
    let shown: &[(&str, Value)] = match kind {
        Kind::Stream => &[("static", Value::Bool(true)), ("urls", Value::Array(Vec::new()))],
        Kind::Live => &[("publish_enabled", Value::Bool(true)), ("static", Value::Bool(false))],
        Kind::Plugin => &[],
    };
    shown.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

/// An escaped keyword whose value would read back as our own parameter can't be written.
pub fn fits_own_shape(scope: Scope, key: &str, value: &Value, at: &Pointer) -> Result<(), Faults> {
    let keyword = keyword_of(scope, key);
    let Some(parameter) = key.strip_prefix(ESCAPE).and_then(|keyword| by_keyword(scope, keyword)) else {
        return Ok(());
    };
    if value.is_null() {
        return Ok(());
    }
    let text: Vec<String> = emit::general(keyword, value, None).iter().map(emit::Draft::inline).collect();
    let document = Document::parse(text.join(" "));
    let reads_as_own = |entry| matches!(read(scope, entry), Reading::Own(_));
    if parameter.strict || document.entries().any(reads_as_own) {
        let fault = Fault::wrong_type(at, format!("`{keyword}` written like this is `{}`", parameter.key));
        return Err(fault.hint(format!("set `{}`", parameter.key)).into());
    }
    Ok(())
}

/// The own members of one named block in the text.
pub fn named_value(kind: Kind, entry: Entry<'_>) -> Map<String, Value> {
    match view::named_own(kind, entry) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
