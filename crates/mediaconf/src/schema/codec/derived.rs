//! A member that no directive of its own stands for: read from the text around it, or from elsewhere.

use serde_json::Value;

use super::{
    BlockHead, Codec, Derived, Entry, Facts, Fault, FaultKind, General, Normalizer, Place, Pointer, SWITCH,
    canonical_integer, group_name, integer, of_kind, unlike_kind,
};

impl Derived {
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

    fn write(&self, _: &str, _: &Value) -> Vec<String> {
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

    fn facts(&'static self) -> Facts {
        let (json_form, value_type) = match self {
            Self::Name | Self::Address => ("a string", "string"),
            Self::Static | Self::NeverStatic => ("true or false", "boolean"),
            Self::Position => ("a number", "integer"),
            Self::Global => ("a string, read-only here", "string"),
            Self::Former => ("a string, no longer shown", "string"),
            Self::Runtime => ("an object, read-only", "object"),
            Self::Included => ("a list of strings, refused in a patch", "list of strings"),
        };
        let kind = matches!(self, Self::Static | Self::NeverStatic).then_some(&SWITCH);
        Facts { json_form, value_type, kind, derived: Some(*self), ..Facts::NONE }
    }
}
