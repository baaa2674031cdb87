//! Normalizes a patch: drops output-only members, brings every value to the form in which the view
//! shows it, and refuses values that can't be written as text, with all faults at once.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::emit::scalar_text;
use super::fault::{Fault, FaultKind, Faults};
use super::json_pointer::Pointer;
use crate::model::member::keyword_of;
use crate::model::scalar::{canonical_integer, integer_of_number};
use crate::model::schema::{
    Derived, ESCAPE, Kind, ObjectShape, Parameter, PartForm, Scope, Shape, URL_GLOBAL, ValueType,
    block_scope, by_key, by_keyword, is_reserved,
};
use crate::model::secret::holds_mask;
use crate::model::shape::{
    Port, bitrate, bitrate_keyword, duration, part_of, percent, reference, transcoder_name,
};
use crate::syntax::{Word, needs_quotes};

/// Returns the patch in its normal form.
pub fn normalize(patch: Value) -> Result<Map<String, Value>, Faults> {
    let root = Pointer::root();
    let mut normalizer = Normalizer { faults: Faults::default() };
    let members = match patch {
        Value::Object(members) => members,
        Value::Array(elements) if elements.is_empty() => Map::new(),
        _ => {
            let fault = Fault::new(FaultKind::NotJson, root, "a patch must be an object");
            return Err(fault.hint("to remove one thing, set it to null, such as {\"auth\": null}").into());
        }
    };
    let normalized = normalizer.members(Scope::Top, members, &root);
    normalizer.faults.into_result(normalized)
}

/// `None` if the value is dropped or refused.
type Normalized = Option<Value>;

struct Normalizer {
    faults: Faults,
}

impl Normalizer {
    fn refuse(&mut self, fault: Fault) -> Normalized {
        self.faults.push(fault);
        None
    }

    fn wrong(&mut self, at: &Pointer, message: impl Into<String>) -> Normalized {
        self.refuse(Fault::wrong_type(at, message))
    }

    fn wrong_with(
        &mut self,
        at: &Pointer,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Normalized {
        self.refuse(Fault::wrong_type(at, message).hint(hint))
    }

    fn members(&mut self, scope: Scope, members: Map<String, Value>, at: &Pointer) -> Map<String, Value> {
        self.each(members, at, |normalizer, key, value, at| match by_key(scope, key) {
            Some(parameter) => normalizer.own(parameter, value, at),
            None => normalizer.foreign_member(scope, key, value, at),
        })
    }

    fn own(&mut self, parameter: &'static Parameter, value: Value, at: &Pointer) -> Normalized {
        if let Shape::Derived(what) = parameter.shape {
            return self.derived(what, parameter.scope, value, at);
        }
        if value.is_null() {
            return Some(value);
        }
        match parameter.shape {
            Shape::Ports => self.elements(value, at, Self::port),
            Shape::Value(kind) => self.value(kind, value, at),
            Shape::Object(object) => self.parts(object, value, at),
            Shape::Backend => self.backend(value, at).filter(|backend| !is_empty(backend)),
            Shape::Sources => self.elements(value, at, Self::source),
            Shape::Transcoder => self.elements(value, at, Self::transcoder_pair),
            Shape::Group(kind) => self.group(kind, value, at),
            Shape::PortOptions => {
                self.each_member(value, at, |normalizer, _, value, at| normalizer.contents_or_null(value, at))
            }
            Shape::Derived(_) => None,
        }
    }

    fn derived(&mut self, what: Derived, scope: Scope, value: Value, at: &Pointer) -> Normalized {
        match what {
            _ if what.is_output_only() => None,
            Derived::Included => {
                let message = "this is the output of `read --with-includes`, which can't be written back";
                let hint = "read the configuration without what it includes: `mediactl read`";
                self.refuse(Fault::new(FaultKind::ReadOnly, at.clone(), message).hint(hint))
            }
            // Null sets it to the default.
            Derived::Static if scope == Scope::Stream && value.is_null() => Some(value),
            Derived::Static if scope == Scope::Stream => self.boolean(value, at),
            _ if value.is_null() => None,
            Derived::Static if value == false => None,
            Derived::Static => {
                let message = "a live is never static: only false is accepted";
                self.refuse(Fault::new(FaultKind::ReadOnly, at.clone(), message))
            }
            Derived::Position => self.position(value, at),
            // `named` has already compared the names with their keys.
            _ => None,
        }
    }

    fn position(&mut self, value: Value, at: &Pointer) -> Normalized {
        match integer(&value) {
            Some(position) if position >= 1 => Some(Value::Number(position.into())),
            _ => self.wrong(at, "a position is an integer from 1"),
        }
    }

    fn string(&mut self, value: Value, at: &Pointer) -> Normalized {
        match value {
            Value::String(text) => self.text(text, at),
            other => {
                let message = format!("expected a string, found {}", kind_of(&other));
                self.wrong_with(at, message, "write the value in double quotes")
            }
        }
    }

    fn text(&mut self, text: String, at: &Pointer) -> Normalized {
        if holds_mask(&text) {
            let message = "this is a mask, not the secret it stands for";
            let hint = "leave the member out to keep the secret; `--show-secrets` reads it";
            return self.refuse(Fault::new(FaultKind::MaskedValue, at.clone(), message).hint(hint));
        }
        if text.contains('\0') {
            return self.wrong(at, "a value can't hold a NUL character");
        }
        Some(Value::String(text))
    }

    fn boolean(&mut self, value: Value, at: &Pointer) -> Normalized {
        match value {
            Value::Bool(_) => Some(value),
            other => self.wrong(at, format!("expected true or false, found {}", kind_of(&other))),
        }
    }

    fn port(&mut self, value: Value, at: &Pointer) -> Normalized {
        let in_range = integer(&value).and_then(|port| u16::try_from(port).ok());
        match (in_range, value) {
            (Some(port), _) => Some(Value::Number(port.into())),
            (None, Value::String(text)) if Port::of(&*text).is_some() => self.text(text, at),
            (None, other) => {
                let hint = "a port is an integer from 0 to 65535, or a string \"host:port\"";
                self.wrong_with(at, format!("expected a port, found {}", shown(&other)), hint)
            }
        }
    }

    fn seconds(&mut self, value: Value, at: &Pointer) -> Normalized {
        match integer(&value).filter(|&seconds| seconds >= 0) {
            Some(seconds) => Some(Value::Number(seconds.into())),
            None if value == Value::Bool(false) => Some(value),
            None => {
                let message = format!("expected a number of seconds or false, found {}", shown(&value));
                self.wrong_with(at, message, "false is written `off`")
            }
        }
    }

    fn elements(
        &mut self,
        value: Value,
        at: &Pointer,
        element: fn(&mut Self, Value, &Pointer) -> Normalized,
    ) -> Normalized {
        match value {
            Value::Array(elements) => {
                self.all(elements, at, |normalizer, _, value, at| element(normalizer, value, at))
            }
            other => self.wrong(at, format!("expected a list, found {}", kind_of(&other))),
        }
    }

    /// Normalizes the elements of a list, by their places in it; `None` if one of them is refused.
    fn all(
        &mut self,
        elements: Vec<Value>,
        at: &Pointer,
        mut element: impl FnMut(&mut Self, usize, Value, &Pointer) -> Normalized,
    ) -> Normalized {
        let elements = elements.into_iter().enumerate();
        let normalized: Vec<_> =
            elements.map(|(index, value)| element(self, index, value, &at.child(index))).collect();
        normalized.into_iter().collect::<Option<_>>().map(Value::Array)
    }

    fn object(&mut self, value: Value, at: &Pointer) -> Option<Map<String, Value>> {
        match value {
            Value::Object(members) => Some(members),
            Value::Array(elements) if elements.is_empty() => Some(Map::new()),
            other => {
                self.wrong(at, format!("expected an object, found {}", kind_of(&other)));
                None
            }
        }
    }

    fn each_member(
        &mut self,
        value: Value,
        at: &Pointer,
        member: impl FnMut(&mut Self, &str, Value, &Pointer) -> Normalized,
    ) -> Normalized {
        let members = self.object(value, at)?;
        Some(Value::Object(self.each(members, at, member)))
    }

    /// Normalizes members by their keys, without those that are dropped or refused.
    fn each(
        &mut self,
        members: Map<String, Value>,
        at: &Pointer,
        mut member: impl FnMut(&mut Self, &str, Value, &Pointer) -> Normalized,
    ) -> Map<String, Value> {
        let members = members.into_iter();
        let kept = members.filter_map(|(key, value)| {
            let value = member(self, &key, value, &at.child(&key))?;
            Some((key, value))
        });
        kept.collect()
    }

    /// A member of an object whose members are all known.
    fn unknown_member(&mut self, at: &Pointer, known: &str) -> Normalized {
        self.wrong_with(at, "there is no such member here", format!("the members are {known}"))
    }

    fn value(&mut self, kind: ValueType, value: Value, at: &Pointer) -> Normalized {
        match kind {
            ValueType::Port => self.port(value, at),
            ValueType::Text => self.string(value, at),
            ValueType::Scalar => self.plain("a value", value, at),
            ValueType::Switch | ValueType::Flag => self.boolean(value, at),
            ValueType::Seconds => self.seconds(value, at),
        }
    }

    fn parts(&mut self, object: &'static ObjectShape, value: Value, at: &Pointer) -> Normalized {
        let value = match value {
            Value::Array(words) if object.takes_words && !words.is_empty() => {
                self.members_of_words(object, words, at)?
            }
            Value::String(_) if object.takes_words => self.members_of_words(object, vec![value], at)?,
            other => other,
        };
        self.each_member(value, at, |normalizer, key, value, at| match object.part(key) {
            Some(part)
                if value.is_null() && part.form == PartForm::Word && object.alternative(part).is_none() =>
            {
                let message = format!("the {key} can't be removed alone");
                normalizer.wrong_with(at, message, "set the whole to null to remove it")
            }
            Some(_) if value.is_null() => Some(value),
            Some(part) => normalizer.part(part.form, value, at),
            None => normalizer.unknown_member(at, &object.keys()),
        })
    }

    fn part(&mut self, form: PartForm, value: Value, at: &Pointer) -> Normalized {
        let text = value.as_str().unwrap_or_default();
        let limit = |read: fn(Word<'_>) -> Option<i64>| {
            read(Word::new(text, 0)).or_else(|| integer(&value)).filter(|number| *number >= 0)
        };
        let (number, expected) = match form {
            PartForm::Word => return self.string(value, at),
            PartForm::Words => {
                let words = self.elements(value, at, Self::option);
                return words.filter(|words| !is_empty(words)).or(Some(Value::Null));
            }
            PartForm::Reference if reference(&format!("@{text}")).is_some() && !needs_quotes(text) => {
                return self.string(value, at);
            }
            PartForm::Reference => return self.wrong(at, "expected a name without its `@`"),
            PartForm::Percent => {
                (limit(percent).filter(|number| *number <= 100), "a percentage from 0 to 100")
            }
            PartForm::Duration => (limit(duration), "a number of seconds, or a text such as \"5d\""),
        };
        match number {
            Some(number) => Some(Value::Number(number.into())),
            None => self.wrong(at, format!("expected {expected}, found {}", shown(&value))),
        }
    }

    /// Turns the words of a directive into members; members without a word are removed by null.
    fn members_of_words(
        &mut self,
        object: &'static ObjectShape,
        words: Vec<Value>,
        at: &Pointer,
    ) -> Normalized {
        let mut members: Map<String, Value> =
            object.parts.iter().map(|part| (part.key.to_owned(), Value::Null)).collect();
        let mut required = object.parts.iter().filter(|part| part.form == PartForm::Word);
        for (index, value) in words.into_iter().enumerate() {
            let Some(text) = scalar_text(&value) else {
                return self.wrong(&at.child(index), format!("expected a word, found {}", kind_of(&value)));
            };
            let Some(part) = part_of(object, required.next(), Word::new(&text, 0)) else {
                return self.wrong(&at.child(index), "unexpected word: the directive takes fewer words");
            };
            match (part.form, &mut members[part.key]) {
                (PartForm::Words, Value::Array(words)) => words.push(value),
                (PartForm::Words, none) => *none = Value::Array(vec![value]),
                (PartForm::Reference, member) => *member = text.trim_start_matches('@').into(),
                (_, member) => *member = text.into(),
            }
        }
        Some(Value::Object(members))
    }

    fn backend(&mut self, value: Value, at: &Pointer) -> Normalized {
        if let Value::String(_) | Value::Bool(_) = value {
            let message = format!("expected an object, found {}", kind_of(&value));
            return self.wrong_with(at, message, "the backend is the member `url`");
        }
        self.each_member(value, at, |normalizer, key, value, at| match (key, value) {
            ("url", Value::Null) => Some(Value::Null),
            ("url", Value::Bool(false)) => Some(Value::Bool(false)),
            ("url", value) => normalizer.string(value, at),
            ("extra", Value::Null) => Some(Value::Null),
            ("extra", value) => normalizer.each_member(value, at, |normalizer, _, value, at| match value {
                Value::Null | Value::Bool(true) => Some(value),
                value => normalizer.string(value, at),
            }),
            (URL_GLOBAL, _) => None,
            _ => normalizer.unknown_member(at, "`url` and `extra`"),
        })
    }

    fn source(&mut self, value: Value, at: &Pointer) -> Normalized {
        if let Value::String(_) = value {
            let hint = "a source is an object with the member `url`";
            return self.wrong_with(at, "expected an object, found a string", hint);
        }
        let members = self.object(value, at)?;
        if members.get("url").is_none_or(Value::is_null) {
            return self.wrong(&at.child("url"), "a source without a url");
        }
        let normalized = self.each(members, at, |normalizer, key, value, at| match key {
            _ if value.is_null() => None,
            "url" => normalizer.string(value, at),
            key if has_needless_escape(Scope::Source, key) => normalizer.needless_escape(key, at),
            _ => normalizer.option(value, at),
        });
        Some(Value::Object(normalized))
    }

    fn option(&mut self, value: Value, at: &Pointer) -> Normalized {
        self.plain("an option", value, at)
    }

    fn plain(&mut self, what: &str, value: Value, at: &Pointer) -> Normalized {
        match is_scalar(&value) {
            true => self.scalar(value, at),
            false => {
                self.wrong(at, format!("{what} is a string, a number or a boolean, not {}", kind_of(&value)))
            }
        }
    }

    /// Normalizes a scalar of the general rule: a number that is no safe integer becomes a string.
    fn scalar(&mut self, value: Value, at: &Pointer) -> Normalized {
        match value {
            Value::Number(number) => Some(canonical_number(&number)),
            Value::String(text) => self.text(text, at),
            other => Some(other),
        }
    }

    fn transcoder_pair(&mut self, value: Value, at: &Pointer) -> Normalized {
        let Value::Array(pair) = value else {
            return self.wrong(at, format!("expected [name, value], found {}", kind_of(&value)));
        };
        let mut pair = pair.into_iter();
        let (name, value) = (pair.next(), pair.next());
        if pair.next().is_some() {
            return self.wrong(at, "a transcoder option is [name, value]");
        }
        let Some(Value::String(name)) = name else {
            return self.wrong(&at.child(0), "the name of a transcoder option is a string");
        };
        let long_name = Value::String(transcoder_name(Cow::Borrowed(&name)).into_owned());
        let Some(value) = value else { return Some(Value::Array(vec![long_name])) };
        let value = self.transcoder_value(&name, value, &at.child(1))?;
        Some(Value::Array(vec![long_name, value]))
    }

    fn transcoder_value(&mut self, name: &str, value: Value, at: &Pointer) -> Normalized {
        let value = self.option(value, at)?;
        let bits = bitrate_keyword(name).and_then(|_| bitrate(value.as_str()?));
        Some(bits.map_or(value, Value::from))
    }

    fn group(&mut self, kind: Kind, value: Value, at: &Pointer) -> Normalized {
        let normalized = self
            .each_member(value, at, |normalizer, name, value, at| normalizer.named(kind, name, value, at))?;
        self.equal_positions(&normalized, at);
        Some(normalized)
    }

    fn named(&mut self, kind: Kind, name: &str, value: Value, at: &Pointer) -> Normalized {
        if value.is_null() {
            return Some(value);
        }
        if name.contains('\0') || holds_mask(name) {
            return self.wrong(at, format!("a {} can't have this name", kind.noun()));
        }
        let mut members = self.object(value, at)?;
        let name_key = if kind == Kind::Live { "prefix" } else { "name" };
        if members.shift_remove(name_key).is_some_and(|given| given != name) {
            let message = format!("it differs from its key `{name}`");
            let hint = format!("to rename, delete the {} and create it under the new name", kind.noun());
            return self.refuse(Fault::new(FaultKind::ReadOnly, at.child(name_key), message).hint(hint));
        }
        Some(Value::Object(self.members(kind.scope(), members, at)))
    }

    fn equal_positions(&mut self, group: &Value, at: &Pointer) {
        let mut seen = std::collections::HashSet::new();
        for (name, value) in group.as_object().into_iter().flatten() {
            if let Some(position) = value.get("position").and_then(Value::as_i64)
                && !seen.insert(position)
            {
                let message = format!("two blocks can't both be at position {position}");
                self.wrong(&at.child(name).child("position"), message);
            }
        }
    }

    fn foreign_member(&mut self, scope: Scope, key: &str, value: Value, at: &Pointer) -> Normalized {
        if let Some(parameter) = by_keyword(scope, key) {
            let message = format!("`{key}` is a keyword of the text, not a key of the JSON");
            return self.wrong_with(at, message, format!("did you mean `{}`?", parameter.key));
        }
        if has_needless_escape(scope, key) {
            return self.needless_escape(key, at);
        }
        if key.contains('\0') || holds_mask(key) {
            return self.wrong(at, "a keyword can't be written like this");
        }
        if value.is_null() { Some(value) } else { self.general(keyword_of(scope, key), value, at) }
    }

    fn needless_escape(&mut self, key: &str, at: &Pointer) -> Normalized {
        let keyword = key.strip_prefix(ESCAPE).unwrap_or(key);
        self.wrong_with(at, format!("`{key}` needs no `{ESCAPE}`"), format!("write it as `{keyword}`"))
    }

    /// A value under the general rule.
    fn general(&mut self, keyword: &str, value: Value, at: &Pointer) -> Normalized {
        let scope = block_scope(keyword, 1);
        match value {
            Value::Object(_) if scope != Scope::Foreign => {
                self.each_member(value, at, |normalizer, name, value, at| match value {
                    Value::Object(block) => Some(Value::Object(normalizer.members(scope, block, at))),
                    Value::Null => Some(value),
                    value => normalizer.general(name, value, at),
                })
            }
            Value::Object(_) => self.contents_or_null(value, at),
            Value::Array(elements) => self.list(keyword, elements, at),
            scalar => self.scalar(scalar, at),
        }
    }

    fn contents_or_null(&mut self, value: Value, at: &Pointer) -> Normalized {
        if value.is_null() {
            return Some(value);
        }
        let members = self.object(value, at)?;
        Some(Value::Object(self.members(Scope::Foreign, members, at)))
    }

    /// Words, or occurrences: an array of scalars, or an array of arrays.
    fn list(&mut self, keyword: &str, elements: Vec<Value>, at: &Pointer) -> Normalized {
        if elements.is_empty() {
            return self.wrong_with(at, "an empty list can't be written", "null removes the directive");
        }
        let occurrences = elements.iter().any(Value::is_array);
        let expected = match occurrences {
            true => "a list of occurrences holds arrays of words",
            false => "a list of words holds strings, numbers and booleans",
        };
        self.all(elements, at, |normalizer, _, element, at| match element {
            Value::Array(words) if occurrences => normalizer.occurrence(keyword, words, at),
            scalar if is_scalar(&scalar) && !occurrences => normalizer.scalar(scalar, at),
            other => normalizer.wrong(at, format!("{expected}, not {}", kind_of(&other))),
        })
    }

    /// One occurrence: its words, and maybe the object of its block last.
    fn occurrence(&mut self, keyword: &str, words: Vec<Value>, at: &Pointer) -> Normalized {
        let last = words.len().saturating_sub(1);
        let scope = block_scope(keyword, last);
        self.all(words, at, |normalizer, index, word, at| match word {
            Value::Object(members) if index == last => {
                let kept = members.into_iter().filter(|(_, value)| !value.is_null()).collect();
                Some(Value::Object(without_nulls(normalizer.members(scope, kept, at))))
            }
            Value::Object(_) => normalizer.wrong(at, "the object of an occurrence has to come last"),
            scalar if is_scalar(&scalar) => normalizer.scalar(scalar, at),
            other => {
                let expected = "an occurrence holds words and, last, one object";
                normalizer.wrong(at, format!("{expected}, not {}", kind_of(&other)))
            }
        })
    }
}

/// Whether a value is a single word of the text.
fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

/// Whether a value is a list or an object without members.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Whether a key is escaped without need: only known keywords, and those that start with the escape
/// itself, are escaped.
fn has_needless_escape(scope: Scope, key: &str) -> bool {
    scope != Scope::Foreign && key.starts_with(ESCAPE) && !is_reserved(scope, keyword_of(scope, key))
}

/// Drops null members of objects inside arrays: there is nothing to remove.
fn without_nulls(members: Map<String, Value>) -> Map<String, Value> {
    members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| match value {
            Value::Object(members) => (key, Value::Object(without_nulls(members))),
            other => (key, other),
        })
        .collect()
}

/// The integer a JSON value stands for; canonical decimal strings are taken too.
pub fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => integer_of_number(number.as_str()),
        Value::String(text) => canonical_integer(text),
        _ => None,
    }
}

fn canonical_number(number: &Number) -> Value {
    match integer_of_number(number.as_str()) {
        Some(integer) => Value::Number(integer.into()),
        None => Value::String(number.as_str().to_owned()),
    }
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

/// A value that is no secret, for messages.
fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) if text.chars().count() <= 40 => format!("`{text}`"),
        other => kind_of(other).to_owned(),
    }
}
