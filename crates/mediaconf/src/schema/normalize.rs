//! What all forms share where a value of a patch is brought to the form in which it is shown. All faults are found at once.

use serde_json::{Map, Value};

use super::fault::{Fault, FaultKind, Faults};
use super::forms::ESCAPE;
use super::json_pointer::Pointer;
use super::kinds::{TEXT, WordKind};
use super::scalar::{Object, canonical_scalar, is_scalar, kind_of};

/// Collects the faults of a patch.
pub struct Normalizer {
    /// The faults that were found so far.
    pub faults: Faults,
    /// Tells whether a text holds a mask of a secret, which may not be written.
    pub holds_mask: fn(&str) -> bool,
}

impl Normalizer {
    /// Refuses a value.
    pub fn refuse(&mut self, fault: Fault) -> Option<Value> {
        self.faults.push(fault);
        None
    }

    /// Refuses a value that does not fit.
    pub fn wrong(&mut self, at: &Pointer, message: impl Into<String>) -> Option<Value> {
        self.refuse(Fault::wrong_type(at, message))
    }

    /// Refuses a value that does not fit, with advice.
    pub fn wrong_with(
        &mut self,
        at: &Pointer,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Option<Value> {
        self.refuse(Fault::wrong_type(at, message).hint(hint))
    }

    /// Refuses a member of an object whose members are all known.
    pub fn unknown_member(&mut self, at: &Pointer, known: &str) -> Option<Value> {
        self.wrong_with(at, "there is no such member here", format!("the members are {known}"))
    }

    /// Refuses a key that is escaped without need.
    pub fn needless_escape(&mut self, key: &str, at: &Pointer) -> Option<Value> {
        let keyword = key.strip_prefix(ESCAPE).unwrap_or(key);
        self.wrong_with(at, format!("`{key}` needs no `{ESCAPE}`"), format!("write it as `{keyword}`"))
    }

    /// True if a name can't be written.
    pub fn is_unwritable(&self, name: &str) -> bool {
        name.contains('\0') || (self.holds_mask)(name)
    }

    /// The members of an object, for which an empty list may stand.
    pub fn object(&mut self, value: Value, at: &Pointer) -> Option<Object> {
        match value {
            Value::Object(members) => Some(members),
            Value::Array(elements) if elements.is_empty() => Some(Map::new()),
            other => {
                self.wrong(at, format!("expected an object, found {}", kind_of(&other)));
                None
            }
        }
    }

    /// Normalizes members by their keys, without those that are dropped or refused.
    pub fn each(
        &mut self,
        members: Object,
        at: &Pointer,
        mut member: impl FnMut(&mut Self, &str, Value, &Pointer) -> Option<Value>,
    ) -> Object {
        let members = members.into_iter();
        let kept = members.filter_map(|(key, value)| {
            let value = member(self, &key, value, &at.child(&key))?;
            Some((key, value))
        });
        kept.collect()
    }

    /// Normalizes the members of an object.
    pub fn each_member(
        &mut self,
        value: Value,
        at: &Pointer,
        member: impl FnMut(&mut Self, &str, Value, &Pointer) -> Option<Value>,
    ) -> Option<Value> {
        let members = self.object(value, at)?;
        Some(Value::Object(self.each(members, at, member)))
    }

    /// Normalizes the elements of a list, by their places in it; `None` if one of them is refused.
    pub fn all(
        &mut self,
        elements: Vec<Value>,
        at: &Pointer,
        mut element: impl FnMut(&mut Self, usize, Value, &Pointer) -> Option<Value>,
    ) -> Option<Value> {
        let elements = elements.into_iter().enumerate();
        let normalized: Vec<_> =
            elements.map(|(index, value)| element(self, index, value, &at.child(index))).collect();
        normalized.into_iter().collect::<Option<_>>().map(Value::Array)
    }

    /// Normalizes a value that has to be a list.
    pub fn elements(
        &mut self,
        value: Value,
        at: &Pointer,
        mut element: impl FnMut(&mut Self, Value, &Pointer) -> Option<Value>,
    ) -> Option<Value> {
        match value {
            Value::Array(elements) => self.all(elements, at, |this, _, value, at| element(this, value, at)),
            other => self.wrong(at, format!("expected a list, found {}", kind_of(&other))),
        }
    }

    /// Normalizes a value that is one word of this kind.
    pub fn value(&mut self, kind: &WordKind, value: Value, at: &Pointer) -> Option<Value> {
        match (kind.accept)(value) {
            Ok(Value::String(text)) => self.text(text, at),
            Ok(value) => Some(value),
            Err(wrong) => {
                let fault = Fault::wrong_type(at, wrong.message);
                self.refuse(Fault { hint: wrong.hint.map(str::to_owned), ..fault })
            }
        }
    }

    /// Normalizes a value that has to be a string.
    pub fn string(&mut self, value: Value, at: &Pointer) -> Option<Value> {
        self.value(&TEXT, value, at)
    }

    fn text(&mut self, text: String, at: &Pointer) -> Option<Value> {
        if (self.holds_mask)(&text) {
            let message = "this is a mask, not the secret it stands for";
            let hint = "leave the member out to keep the secret; `--show-secrets` reads it";
            return self.refuse(Fault::at_pointer(FaultKind::MaskedValue, at.clone(), message).hint(hint));
        }
        match text.contains('\0') {
            true => self.wrong(at, "a value can't hold a NUL character"),
            false => Some(Value::String(text)),
        }
    }

    /// Normalizes the value of an option.
    pub fn option(&mut self, value: Value, at: &Pointer) -> Option<Value> {
        match is_scalar(&value) {
            true => self.scalar(value, at),
            false => {
                let found = kind_of(&value);
                self.wrong(at, format!("an option is a string, a number or a boolean, not {found}"))
            }
        }
    }

    /// Normalizes a scalar of the general rule: a number that is no safe integer becomes a string.
    pub fn scalar(&mut self, value: Value, at: &Pointer) -> Option<Value> {
        match canonical_scalar(value) {
            Value::String(text) => self.text(text, at),
            other => Some(other),
        }
    }
}
