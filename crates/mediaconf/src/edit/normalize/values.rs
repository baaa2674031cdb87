//! Values that are one word of the text: strings, numbers and booleans.

use serde_json::Value;

use super::json_value::{canonical_number, integer, is_scalar, kind_of, shown};
use super::{Normalized, Normalizer};
use crate::edit::fault::{Fault, FaultKind};
use crate::edit::json_pointer::Pointer;
use crate::model::schema::ValueType;
use crate::model::secret::holds_mask;
use crate::model::shape::Port;

impl Normalizer {
    pub(super) fn value(&mut self, kind: ValueType, value: Value, at: &Pointer) -> Normalized {
        match kind {
            ValueType::Port => self.port(value, at),
            ValueType::Text => self.string(value, at),
            ValueType::Scalar => self.plain("a value", value, at),
            ValueType::Switch | ValueType::Flag => self.boolean(value, at),
            ValueType::Seconds => self.seconds(value, at),
        }
    }

    pub(super) fn string(&mut self, value: Value, at: &Pointer) -> Normalized {
        match value {
            Value::String(text) => self.text(text, at),
            other => {
                let message = format!("expected a string, found {}", kind_of(&other));
                self.wrong_with(at, message, "write the value in double quotes")
            }
        }
    }

    pub(super) fn text(&mut self, text: String, at: &Pointer) -> Normalized {
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

    pub(super) fn boolean(&mut self, value: Value, at: &Pointer) -> Normalized {
        match value {
            Value::Bool(_) => Some(value),
            other => self.wrong(at, format!("expected true or false, found {}", kind_of(&other))),
        }
    }

    pub(super) fn port(&mut self, value: Value, at: &Pointer) -> Normalized {
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

    pub(super) fn seconds(&mut self, value: Value, at: &Pointer) -> Normalized {
        match integer(&value).filter(|&seconds| seconds >= 0) {
            Some(seconds) => Some(Value::Number(seconds.into())),
            None if value == Value::Bool(false) => Some(value),
            None => {
                let message = format!("expected a number of seconds or false, found {}", shown(&value));
                self.wrong_with(at, message, "false is written `off`")
            }
        }
    }

    pub(super) fn plain(&mut self, what: &str, value: Value, at: &Pointer) -> Normalized {
        match is_scalar(&value) {
            true => self.scalar(value, at),
            false => {
                self.wrong(at, format!("{what} is a string, a number or a boolean, not {}", kind_of(&value)))
            }
        }
    }

    pub(super) fn option(&mut self, value: Value, at: &Pointer) -> Normalized {
        self.plain("an option", value, at)
    }

    /// Normalizes a scalar of the general rule: a number that is no safe integer becomes a string.
    pub(super) fn scalar(&mut self, value: Value, at: &Pointer) -> Normalized {
        match value {
            Value::Number(number) => Some(canonical_number(&number)),
            Value::String(text) => self.text(text, at),
            other => Some(other),
        }
    }
}
