//! Normalizes a patch: drops output-only members, brings every value to the form in which the view
//! shows it, and refuses values that can't be written as text, with all faults at once.

mod general;
mod objects;
mod values;

use serde_json::{Map, Value};

use super::fault::{Fault, FaultKind, Faults};
use super::json_pointer::Pointer;
use crate::model::json_value::{integer, is_empty, kind_of};
use crate::model::schema::kinds::SWITCH;
use crate::model::schema::{Derived, Kind, Parameter, Scope, Shape, by_key};
use crate::model::secret::holds_mask;

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
            Shape::List(list) => {
                self.elements(value, at, |normalizer, value, at| normalizer.value(list.kind, value, at))
            }
            Shape::Value(kind) => self.value(kind, value, at),
            Shape::Object(object) => self.parts(object, value, at),
            Shape::Backend => self.backend(value, at).filter(|backend| !is_empty(backend)),
            Shape::Sources => self.elements(value, at, Self::source),
            Shape::Options(options) => {
                self.elements(value, at, |normalizer, value, at| normalizer.pair(options, value, at))
            }
            Shape::Group(kind) => self.group(kind, value, at),
            Shape::Blocks(_) => {
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
            Derived::Static if scope == Scope::Stream => self.value(&SWITCH, value, at),
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

    fn elements(
        &mut self,
        value: Value,
        at: &Pointer,
        element: impl Fn(&mut Self, Value, &Pointer) -> Normalized,
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
}
