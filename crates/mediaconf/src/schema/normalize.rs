//! What all forms share where a value of a patch is brought to the form in which it is shown. All faults are found at once.

use std::fmt::Display;

use serde_json::{Map, Value};

use super::fault::{Fault, FaultKind, Faults};
use super::forms::ESCAPE;
use super::json_pointer::Pointer;
use super::kinds::{TEXT, WordKind};
use super::scalar::{Object, canonical_scalar, is_scalar, kind_of, shown};

/// Collects the faults of a patch.
pub struct Normalizer {
    /// The place of the value that is looked at.
    pub at: Pointer,
    /// The faults that were found so far.
    pub faults: Faults,
    /// Tells whether a text holds a mask of a secret, which may not be written.
    pub holds_mask: fn(&str) -> bool,
}

impl Normalizer {
    /// Looks at a member or an element of the value.
    pub fn below<T>(&mut self, key: impl Display, look: impl FnOnce(&mut Self) -> T) -> T {
        let below = self.at.child(key);
        let above = std::mem::replace(&mut self.at, below);
        let found = look(self);
        self.at = above;
        found
    }

    /// Refuses the value.
    pub fn refuse(&mut self, kind: FaultKind, message: impl Into<String>, hint: &str) -> Option<Value> {
        let fault = Fault::at_pointer(kind, self.at.clone(), message);
        self.faults.push(if hint.is_empty() { fault } else { fault.hint(hint) });
        None
    }

    /// Refuses a value that does not fit; the hint may be empty.
    pub fn wrong(&mut self, message: impl Into<String>, hint: &str) -> Option<Value> {
        self.refuse(FaultKind::WrongType, message, hint)
    }

    /// Refuses a value that is not what is expected.
    pub fn unlike(&mut self, expected: &str, found: &Value) -> Option<Value> {
        self.wrong(format!("expected {expected}, found {}", kind_of(found)), "")
    }

    /// Refuses a member of an object whose members are all known.
    pub fn unknown_member(&mut self, known: &str) -> Option<Value> {
        self.wrong("there is no such member here", &format!("the members are {known}"))
    }

    /// Refuses a key that is escaped without need.
    pub fn needless_escape(&mut self, key: &str) -> Option<Value> {
        let keyword = key.strip_prefix(ESCAPE).unwrap_or(key);
        self.wrong(format!("`{key}` needs no `{ESCAPE}`"), &format!("write it as `{keyword}`"))
    }

    /// True if a name can't be written.
    pub fn is_unwritable(&self, name: &str) -> bool {
        name.contains('\0') || (self.holds_mask)(name)
    }

    /// The members of an object, for which an empty list may stand.
    pub fn object(&mut self, value: Value) -> Option<Object> {
        match value {
            Value::Object(members) => return Some(members),
            Value::Array(elements) if elements.is_empty() => return Some(Map::new()),
            other => self.unlike("an object", &other),
        };
        None
    }

    /// Normalizes members by their keys, without those that are dropped or refused.
    pub fn each(
        &mut self,
        members: Object,
        mut member: impl FnMut(&mut Self, &str, Value) -> Option<Value>,
    ) -> Value {
        let kept = members.into_iter().filter_map(|(key, value)| {
            let value = self.below(&key, |this| member(this, &key, value))?;
            Some((key, value))
        });
        kept.collect()
    }

    /// Normalizes the members of an object.
    pub fn each_member(
        &mut self,
        value: Value,
        member: impl FnMut(&mut Self, &str, Value) -> Option<Value>,
    ) -> Option<Value> {
        let members = self.object(value)?;
        Some(self.each(members, member))
    }

    /// Normalizes the elements of a list, by their places in it; `None` if one of them is refused.
    pub fn elements(
        &mut self,
        value: Value,
        mut element: impl FnMut(&mut Self, usize, Value) -> Option<Value>,
    ) -> Option<Value> {
        let Value::Array(elements) = value else { return self.unlike("a list", &value) };
        let elements = elements.into_iter().enumerate();
        let normalized: Vec<_> =
            elements.map(|(at, value)| self.below(at, |this| element(this, at, value))).collect();
        normalized.into_iter().collect::<Option<_>>().map(Value::Array)
    }

    /// Normalizes a value that is one word of this kind.
    pub fn value(&mut self, kind: &WordKind, value: &Value) -> Option<Value> {
        match (kind.accept)(value) {
            Some(Value::String(text)) => self.text(text),
            Some(value) => Some(value),
            None => {
                // A text may be a secret.
                let found = if kind.is_text { kind_of(value).to_owned() } else { shown(value) };
                self.wrong(format!("expected {}, found {found}", kind.expected), kind.hint)
            }
        }
    }

    /// Normalizes a value that has to be a string.
    pub fn string(&mut self, value: &Value) -> Option<Value> {
        self.value(&TEXT, value)
    }

    fn text(&mut self, text: String) -> Option<Value> {
        if (self.holds_mask)(&text) {
            let message = "this is a mask, not the secret it stands for";
            let hint = "leave the member out to keep the secret; `--show-secrets` reads it";
            return self.refuse(FaultKind::MaskedValue, message, hint);
        }
        match text.contains('\0') {
            true => self.wrong("a value can't hold a NUL character", ""),
            false => Some(Value::String(text)),
        }
    }

    /// Normalizes a scalar of the general rule, such as an option: a number that is no safe integer becomes a string.
    pub fn scalar(&mut self, value: Value) -> Option<Value> {
        match canonical_scalar(value) {
            Value::String(text) => self.text(text),
            other if is_scalar(&other) => Some(other),
            other => self.unlike("a string, a number or a boolean", &other),
        }
    }
}
