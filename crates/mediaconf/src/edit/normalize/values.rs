//! Values that are one word of the text: strings, numbers and booleans.

use serde_json::Value;

use super::{Normalized, Normalizer};
use crate::edit::fault::{Fault, FaultKind};
use crate::edit::json_pointer::Pointer;
use crate::model::secret::holds_mask;
use crate::schema::json_value::{canonical_scalar, is_scalar, kind_of};
use crate::schema::kinds::{TEXT, WordKind, WrongValue};

impl Normalizer {
    /// Normalizes the value of a known directive, or of a part of one.
    pub(super) fn value(&mut self, kind: &WordKind, value: Value, pointer: &Pointer) -> Normalized {
        match (kind.accept)(value) {
            Ok(Value::String(text)) => self.text(text, pointer),
            Ok(value) => Some(value),
            Err(WrongValue { message, hint: None }) => self.wrong(pointer, message),
            Err(WrongValue { message, hint: Some(hint) }) => self.wrong_with(pointer, message, hint),
        }
    }

    pub(super) fn string(&mut self, value: Value, pointer: &Pointer) -> Normalized {
        self.value(&TEXT, value, pointer)
    }

    pub(super) fn text(&mut self, text: String, pointer: &Pointer) -> Normalized {
        if holds_mask(&text) {
            let message = "this is a mask, not the secret it stands for";
            let hint = "leave the member out to keep the secret; `--show-secrets` reads it";
            return self
                .refuse(Fault::at_pointer(FaultKind::MaskedValue, pointer.clone(), message).hint(hint));
        }
        if text.contains('\0') {
            return self.wrong(pointer, "a value can't hold a NUL character");
        }
        Some(Value::String(text))
    }

    pub(super) fn option(&mut self, value: Value, pointer: &Pointer) -> Normalized {
        match is_scalar(&value) {
            true => self.scalar(value, pointer),
            false => {
                let found = kind_of(&value);
                self.wrong(pointer, format!("an option is a string, a number or a boolean, not {found}"))
            }
        }
    }

    /// Normalizes a scalar of the general rule: a number that is no safe integer becomes a string.
    pub(super) fn scalar(&mut self, value: Value, pointer: &Pointer) -> Normalized {
        match canonical_scalar(value) {
            Value::String(text) => self.text(text, pointer),
            other => Some(other),
        }
    }
}
