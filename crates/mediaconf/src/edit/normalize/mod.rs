//! Normalizes a patch: drops output-only members, brings every value to the form in which the view
//! shows it, and refuses values that can't be written as text, with all faults at once.

mod general;
mod objects;
mod values;

use serde_json::{Map, Value};

use super::fault::{Fault, FaultKind, Faults};
use super::json_pointer::Pointer;
use crate::model::secret::holds_mask;
use crate::schema::json_value::{integer, is_empty, is_scalar, kind_of};
use crate::schema::kinds::SWITCH;
use crate::schema::{Derived, Kind, Object, POSITION, Parameter, Schema, Scope, Shape};

/// Returns the patch in its normal form.
pub fn normalize(patch: Value) -> Result<Object, Faults> {
    let root = Pointer::root();
    let mut normalizer = Normalizer { faults: Faults::default() };
    let members = match patch {
        Value::Object(members) => members,
        Value::Array(elements) if elements.is_empty() => Map::new(),
        _ => {
            let fault = Fault::at_pointer(FaultKind::NotJson, root, "a patch must be an object");
            return Err(fault.hint("to remove one thing, set it to null, such as {\"auth\": null}").into());
        }
    };
    let normalized = normalizer.members(Schema::media().top(), members, &root);
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

    fn wrong(&mut self, pointer: &Pointer, message: impl Into<String>) -> Normalized {
        self.refuse(Fault::wrong_type(pointer, message))
    }

    fn wrong_with(
        &mut self,
        pointer: &Pointer,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Normalized {
        self.refuse(Fault::wrong_type(pointer, message).hint(hint))
    }

    fn members(&mut self, scope: Scope, members: Object, pointer: &Pointer) -> Object {
        self.each(members, pointer, |normalizer, key, value, pointer| match scope.by_key(key) {
            Some(parameter) => normalizer.own(parameter, value, pointer),
            None => normalizer.foreign_member(scope, key, value, pointer),
        })
    }

    fn own(&mut self, parameter: &'static Parameter, value: Value, pointer: &Pointer) -> Normalized {
        if let Some(what) = parameter.shape.derived() {
            return self.derived(what, parameter.scope, value, pointer);
        }
        if value.is_null() {
            return Some(value);
        }
        match parameter.shape {
            Shape::List(list) if !parameter.always_shown && is_scalar(&value) => {
                Some(Value::Array(vec![self.value(list.kind, value, pointer)?]))
            }
            Shape::List(list) => self.elements(value, pointer, |normalizer, value, pointer| {
                normalizer.value(list.kind, value, pointer)
            }),
            Shape::Value(kind) => self.value(kind, value, pointer),
            Shape::Object(object) => self.parts(object, value, pointer),
            Shape::Address(shape) => self.address(shape, value, pointer).filter(|backend| !is_empty(backend)),
            Shape::Addresses(shape) => {
                self.elements(value, pointer, |normalizer, value, at| normalizer.element(shape, value, at))
            }
            Shape::Options(options) => self.elements(value, pointer, |normalizer, value, pointer| {
                normalizer.pair(options, value, pointer)
            }),
            Shape::Group(kind) => self.group(kind, value, pointer),
            Shape::Blocks(_) => self.each_member(value, pointer, |normalizer, _, value, pointer| {
                normalizer.contents_or_null(value, pointer)
            }),
            Shape::Derived(_) => None,
        }
    }

    fn derived(&mut self, what: Derived, scope: Scope, value: Value, pointer: &Pointer) -> Normalized {
        match what {
            _ if what.is_output_only() => None,
            Derived::Included => {
                let message = "this is the output of `read --with-includes`, which can't be written back";
                let hint = "read the configuration without what it includes: `mediactl read`";
                self.refuse(Fault::at_pointer(FaultKind::ReadOnly, pointer.clone(), message).hint(hint))
            }
            // Null sets it to the default.
            Derived::Static if scope.kind().is_some_and(Kind::may_be_on_demand) && value.is_null() => {
                Some(value)
            }
            Derived::Static if scope.kind().is_some_and(Kind::may_be_on_demand) => {
                self.value(&SWITCH, value, pointer)
            }
            _ if value.is_null() => None,
            Derived::Static if value == false => None,
            Derived::Static => {
                let message = "a live is never static: only false is accepted";
                self.refuse(Fault::at_pointer(FaultKind::ReadOnly, pointer.clone(), message))
            }
            Derived::Position => self.position(value, pointer),
            // `named` has already compared the names with their keys.
            _ => None,
        }
    }

    fn position(&mut self, value: Value, pointer: &Pointer) -> Normalized {
        match integer(&value) {
            Some(position) if position >= 1 => Some(Value::Number(position.into())),
            _ => self.wrong(pointer, "a position is an integer from 1"),
        }
    }

    fn elements(
        &mut self,
        value: Value,
        pointer: &Pointer,
        element: impl Fn(&mut Self, Value, &Pointer) -> Normalized,
    ) -> Normalized {
        match value {
            Value::Array(elements) => self
                .all(elements, pointer, |normalizer, _, value, pointer| element(normalizer, value, pointer)),
            other => self.wrong(pointer, format!("expected a list, found {}", kind_of(&other))),
        }
    }

    /// Normalizes the elements of a list, by their places in it; `None` if one of them is refused.
    fn all(
        &mut self,
        elements: Vec<Value>,
        pointer: &Pointer,
        mut element: impl FnMut(&mut Self, usize, Value, &Pointer) -> Normalized,
    ) -> Normalized {
        let elements = elements.into_iter().enumerate();
        let normalized: Vec<_> =
            elements.map(|(index, value)| element(self, index, value, &pointer.child(index))).collect();
        normalized.into_iter().collect::<Option<_>>().map(Value::Array)
    }

    fn object(&mut self, value: Value, pointer: &Pointer) -> Option<Object> {
        match value {
            Value::Object(members) => Some(members),
            Value::Array(elements) if elements.is_empty() => Some(Map::new()),
            other => {
                self.wrong(pointer, format!("expected an object, found {}", kind_of(&other)));
                None
            }
        }
    }

    fn each_member(
        &mut self,
        value: Value,
        pointer: &Pointer,
        member: impl FnMut(&mut Self, &str, Value, &Pointer) -> Normalized,
    ) -> Normalized {
        let members = self.object(value, pointer)?;
        Some(Value::Object(self.each(members, pointer, member)))
    }

    /// Normalizes members by their keys, without those that are dropped or refused.
    fn each(
        &mut self,
        members: Object,
        pointer: &Pointer,
        mut member: impl FnMut(&mut Self, &str, Value, &Pointer) -> Normalized,
    ) -> Object {
        let members = members.into_iter();
        let kept = members.filter_map(|(key, value)| {
            let value = member(self, &key, value, &pointer.child(&key))?;
            Some((key, value))
        });
        kept.collect()
    }

    /// A member of an object whose members are all known.
    fn unknown_member(&mut self, pointer: &Pointer, known: &str) -> Normalized {
        self.wrong_with(pointer, "there is no such member here", format!("the members are {known}"))
    }

    fn group(&mut self, kind: Kind, value: Value, pointer: &Pointer) -> Normalized {
        let normalized = self.each_member(value, pointer, |normalizer, name, value, pointer| {
            normalizer.named(kind, name, value, pointer)
        })?;
        self.equal_positions(&normalized, pointer);
        Some(normalized)
    }

    fn named(&mut self, kind: Kind, name: &str, value: Value, pointer: &Pointer) -> Normalized {
        if value.is_null() {
            return Some(value);
        }
        if name.contains('\0') || holds_mask(name) {
            return self.wrong(pointer, format!("a {} can't have this name", kind.noun()));
        }
        let mut members = self.object(value, pointer)?;
        let name_key = kind.0.name;
        if members.shift_remove(name_key).is_some_and(|given| given != name) {
            let message = format!("it differs from its key `{name}`");
            let hint = format!("to rename, delete the {} and create it under the new name", kind.noun());
            return self
                .refuse(Fault::at_pointer(FaultKind::ReadOnly, pointer.child(name_key), message).hint(hint));
        }
        Some(Value::Object(self.members(kind.scope(), members, pointer)))
    }

    fn equal_positions(&mut self, group: &Value, pointer: &Pointer) {
        let mut seen = std::collections::HashSet::new();
        for (name, value) in group.as_object().into_iter().flatten() {
            if let Some(position) = value.get(POSITION).and_then(Value::as_i64)
                && !seen.insert(position)
            {
                let message = format!("two blocks can't both be at position {position}");
                self.wrong(&pointer.child(name).child(POSITION), message);
            }
        }
    }
}
