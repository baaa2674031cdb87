//! Values of a known directive that has members: its parts, a backend, a source, a pair of the transcoder.

use std::borrow::Cow;

use serde_json::Value;

use super::general::has_needless_escape;
use super::{Normalized, Normalizer};
use crate::edit::json_pointer::Pointer;
use crate::edit::path::{Path, Segment};
use crate::model::shape::part_of;
use crate::schema::json_value::{is_empty, kind_of, scalar_text};
use crate::schema::{AddressShape, Object, ObjectShape, OptionsShape, Part, PartPlace};
use crate::syntax::Word;

/// The path of the object that a member belongs to.
fn parent(pointer: &Pointer) -> Path {
    let mut segments: Vec<Segment> = pointer.keys().into_iter().map(Segment::Key).collect();
    segments.pop();
    Path { segments }
}

impl Normalizer {
    pub(super) fn parts(
        &mut self,
        object: &'static ObjectShape,
        value: Value,
        pointer: &Pointer,
    ) -> Normalized {
        let value = match value {
            Value::Array(words) if object.takes_words && !words.is_empty() => {
                self.members_of_words(object, words, pointer)?
            }
            Value::String(_) if object.takes_words => self.members_of_words(object, vec![value], pointer)?,
            other => other,
        };
        self.each_member(value, pointer, |normalizer, key, value, pointer| match object.part(key) {
            Some(part)
                if value.is_null()
                    && part.place == PartPlace::Required
                    && object.alternative(part).is_none() =>
            {
                let message = format!("the {key} can't be removed alone");
                normalizer.wrong_with(
                    pointer,
                    message,
                    format!(
                        "`--unset {}` removes the whole, as `null` in its place does in JSON",
                        parent(pointer)
                    ),
                )
            }
            Some(_) if value.is_null() => Some(value),
            Some(part) => normalizer.part(part, value, pointer),
            None => normalizer.unknown_member(pointer, &object.keys()),
        })
    }

    fn part(&mut self, part: &Part, value: Value, pointer: &Pointer) -> Normalized {
        if part.place != PartPlace::Rest {
            return self.value(part.kind, value, pointer);
        }
        let words = self.elements(value, pointer, Self::option);
        words.filter(|words| !is_empty(words)).or(Some(Value::Null))
    }

    /// Turns the words of a directive into members; members without a word are removed by null.
    pub(super) fn members_of_words(
        &mut self,
        object: &'static ObjectShape,
        words: Vec<Value>,
        pointer: &Pointer,
    ) -> Normalized {
        let mut members: Object =
            object.parts.iter().map(|part| (part.key.to_owned(), Value::Null)).collect();
        let mut required = object.parts.iter().filter(|part| part.place == PartPlace::Required);
        for (index, value) in words.into_iter().enumerate() {
            let Some(text) = scalar_text(&value) else {
                return self
                    .wrong(&pointer.child(index), format!("expected a word, found {}", kind_of(&value)));
            };
            let Some(part) = part_of(object, required.next(), Word::new(&text, 0)) else {
                return self.wrong(&pointer.child(index), "unexpected word: the directive takes fewer words");
            };
            match (part.place, &mut members[part.key]) {
                (PartPlace::Rest, Value::Array(words)) => words.push(value),
                (PartPlace::Rest, none) => *none = Value::Array(vec![value]),
                (PartPlace::Instead, member) => *member = text.trim_start_matches('@').into(),
                (_, member) => *member = text.into(),
            }
        }
        Some(Value::Object(members))
    }

    /// The only address of a directive.
    pub(super) fn address(
        &mut self,
        shape: &'static AddressShape,
        value: Value,
        pointer: &Pointer,
    ) -> Normalized {
        if let Value::String(_) | Value::Bool(_) = value {
            let message = format!("expected an object, found {}", kind_of(&value));
            let hint = format!("the {} is the member `{}`", shape.noun, shape.address);
            return self.wrong_with(pointer, message, hint);
        }
        self.each_member(value, pointer, |normalizer, key, value, pointer| match value {
            Value::Null if shape.is_member(key) => Some(Value::Null),
            Value::Bool(false) if key == shape.address && shape.may_be_false => Some(value),
            value if key == shape.address => normalizer.string(value, pointer),
            value if Some(key) == shape.options => {
                normalizer.each_member(value, pointer, |normalizer, _, value, pointer| match value {
                    Value::Null | Value::Bool(true) => Some(value),
                    value => normalizer.string(value, pointer),
                })
            }
            _ if shape.members.by_key(key).is_some() => None,
            _ => normalizer.unknown_member(pointer, &shape.keys()),
        })
    }

    /// One of a list of addresses.
    pub(super) fn element(
        &mut self,
        shape: &'static AddressShape,
        value: Value,
        pointer: &Pointer,
    ) -> Normalized {
        let AddressShape { noun, address, .. } = *shape;
        if let Value::String(_) = value {
            let hint = format!("a {noun} is an object with the member `{address}`");
            return self.wrong_with(pointer, "expected an object, found a string", hint);
        }
        let members = self.object(value, pointer)?;
        if members.get(address).is_none_or(Value::is_null) {
            return self.wrong(&pointer.child(address), format!("a {noun} without a {address}"));
        }
        let normalized = self.each(members, pointer, |normalizer, key, value, pointer| match key {
            _ if value.is_null() => None,
            key if key == address => normalizer.string(value, pointer),
            key if has_needless_escape(shape.option_scope(), key) => normalizer.needless_escape(key, pointer),
            _ => normalizer.option(value, pointer),
        });
        Some(Value::Object(normalized))
    }

    pub(super) fn pair(&mut self, options: &OptionsShape, value: Value, pointer: &Pointer) -> Normalized {
        let Value::Array(pair) = value else {
            return self.wrong(pointer, format!("expected [name, value], found {}", kind_of(&value)));
        };
        let mut pair = pair.into_iter();
        let (name, value) = (pair.next(), pair.next());
        if pair.next().is_some() {
            return self.wrong(pointer, format!("a {} option is [name, value]", options.noun));
        }
        let Some(Value::String(name)) = name else {
            let message = format!("the name of a {} option is a string", options.noun);
            return self.wrong(&pointer.child(0), message);
        };
        let long_name = Value::String(options.key(Cow::Borrowed(&name)).into_owned());
        let Some(value) = value else { return Some(Value::Array(vec![long_name])) };
        let value = self.option(value, &pointer.child(1))?;
        let known = options.known(&name);
        let of_kind = known.and_then(|known| (known.kind.parse)(value.as_str()?));
        Some(Value::Array(vec![long_name, of_kind.unwrap_or(value)]))
    }
}
