//! A member that no directive of its own stands for: read from the text around it, or from elsewhere.

use std::borrow::Cow;

use serde_json::Value;

use super::{General, group_name, of_kind, unlike_kind};
use crate::schema::draft::Draft;
use crate::schema::fault::{Fault, FaultKind};
use crate::schema::forms::{Derived, JsonForm};
use crate::schema::json_pointer::Pointer;
use crate::schema::kinds::{SWITCH, WordKind};
use crate::schema::normalize::Normalizer;
use crate::schema::row::{BlockHead, Codec, Place};
use crate::schema::scalar::{canonical_integer, integer};
use crate::syntax::Entry;

impl Derived {
    /// True if it is ignored in a patch.
    pub fn is_output_only(self) -> bool {
        matches!(self, Self::Global | Self::Former | Self::Runtime)
    }

    /// True if an entry has no such value of its own.
    pub fn lacks_own(self) -> bool {
        !matches!(self, Self::Static | Self::Address)
    }
}

impl Codec for Derived {
    fn fits(&self, _: Entry<'_>) -> bool {
        false
    }

    fn read(&self, _: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let head = head?;
        match self {
            Self::Static | Self::NeverStatic => Some(head.kind.is_static(head.entry).into()),
            Self::Name => head.globals.map(|_| group_name(head.entry).value().into()),
            Self::Position => head.globals.map(|_| head.position.into()),
            Self::Global => head.globals?.cluster_key.clone(),
            Self::Former | Self::Runtime | Self::Included | Self::Address => None,
        }
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        let mut read_only = |message: &str| {
            let fault = Fault::at_pointer(FaultKind::ReadOnly, at.clone(), message);
            normalizer.faults.push(match self {
                Self::Included => {
                    fault.hint("read the configuration without what it includes: `mediactl read`")
                }
                _ => fault,
            });
            None
        };
        match self {
            Self::Included => {
                read_only("this is the output of `read --with-includes`, which can't be written back")
            }
            // Null sets it to the default.
            Self::Static if value.is_null() => Some(value),
            Self::Static => normalizer.value(&SWITCH, value, at),
            Self::NeverStatic if value.is_null() || value == false => None,
            Self::NeverStatic => read_only("a live is never static: only false is accepted"),
            Self::Position if !value.is_null() => match integer(&value) {
                Some(position) if position >= 1 => Some(position.into()),
                _ => normalizer.wrong(at, "a position is an integer from 1"),
            },
            // The names have been compared with their keys.
            _ => None,
        }
    }

    fn write(&self, _: &str, _: &Value) -> Vec<Draft> {
        Vec::new()
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        self.entry().ok_or_else(|| Fault::of_path("there is nothing below a plain value"))
    }

    fn entry(&'static self) -> Option<Place> {
        (*self == Self::Runtime).then_some(Place::Foreign)
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        match self {
            Self::Static | Self::NeverStatic => of_kind(&SWITCH, text),
            Self::Runtime => General { keyword: "" }.parse(text),
            _ => self.parse_string(text),
        }
    }

    fn parse_string(&self, text: &str) -> Result<Value, Fault> {
        match self {
            Self::Static | Self::NeverStatic => Err(unlike_kind(&SWITCH)),
            Self::Position => {
                let position = canonical_integer(text).filter(|&position| position >= 1);
                let expected = || Fault::of_path("expected a position, counted from 1");
                position.map(Value::from).ok_or_else(expected)
            }
            _ => Ok(text.into()),
        }
    }

    fn json_form(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Name | Self::Address => "a string",
            Self::Static | Self::NeverStatic => "true or false",
            Self::Position => "a number",
            Self::Global => "a string, read-only here",
            Self::Former => "a string, no longer shown",
            Self::Runtime => "an object, read-only",
            Self::Included => "a list of strings, refused in a patch",
        })
    }

    fn value_type(&self) -> &'static str {
        match self {
            Self::Static | Self::NeverStatic => "boolean",
            Self::Position => "integer",
            Self::Runtime => "object",
            Self::Included => "list of strings",
            _ => "string",
        }
    }

    fn json(&self) -> JsonForm {
        JsonForm::Leaf
    }

    fn kind(&'static self) -> Option<&'static WordKind> {
        matches!(self, Self::Static | Self::NeverStatic).then_some(&SWITCH)
    }

    fn derived(&'static self) -> Option<Derived> {
        Some(*self)
    }
}
