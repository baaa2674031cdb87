//! The forms of directives: how those of each form are read, checked, merged and written.

mod address;
mod general;
mod group;
mod object;

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::schema::fault::{Fault, FaultKind, Faults};
use crate::schema::foreign::SELECTORS;
use crate::schema::forms::{
    Derived, ESCAPE, JsonForm, KnownOption, ListShape, ObjectShape, OptionsShape, POSITION, Part, PartPlace,
    STATIC, URL_GLOBAL,
};
use crate::schema::json_pointer::Pointer;
use crate::schema::kinds::{PORT, SWITCH, WordKind};
use crate::schema::members::{
    Members, RowMatch, first_argument, has_needless_escape, inner_scope, key_of, keyword_of, only_argument,
    read,
};
use crate::schema::normalize::Normalizer;
use crate::schema::patch;
use crate::schema::row::{AddressShape, BlockHead, Codec, Facts, Kind, Old, Parameter, Place, Schema, Scope};
use crate::schema::scalar::{Object, Scalar, integer, is_empty, is_scalar, plain_word, scalar_text, word};
use crate::syntax::{Document, Entry, Word, Words, quoted_if_needed, quoted_word};

pub use address::{Address, AddressesShape, OptionWord, header_address, is_plural};
pub use general::{
    DirectiveForm, General, are_named_blocks, block_value, each_normalized, foreign_values, merge_block,
    merge_member, occurrence, occurrences, scalars, write_members,
};
pub use group::group_name;

/// Advice where only JSON fits.
pub const OWN_PATH: &str = "one parameter is set with its own path, after a `.`";

/// Reads a directive that has these words; `None` if the text is not just words.
pub fn read_directive<T>(words: &str, read: impl Fn(Entry<'_>) -> T) -> Option<T> {
    let document = Document::parse(format!("keyword {words};"));
    let mut entries = document.entries();
    let only = entries.next().filter(|entry| entries.next().is_none() && !entry.is_block())?;
    let ends_here = document.diagnostics().is_empty() && only.end() == document.text().len();
    ends_here.then(|| read(only))
}

/// `keyword words;`
pub fn directive(keyword: &str, words: impl IntoIterator<Item = String>) -> String {
    let words: String = words.into_iter().map(|word| format!(" {word}")).collect();
    format!("{keyword}{words};")
}

/// `keyword name { … }`, or without a block.
fn block(keyword: &str, words: impl IntoIterator<Item = String>, entries: Option<Vec<String>>) -> String {
    let mut text = directive(keyword, words);
    if let Some(entries) = entries {
        text.pop();
        text += &format!(" {{ {} }}", entries.join(" "));
    }
    text
}

/// Reads the words of a directive of this form. A single word needs no quotes here for what separates words in a text.
fn of_words(codec: &dyn Codec, usage: &str, text: &str) -> Result<Value, Fault> {
    let is_one_word = !text.is_empty() && !text.contains(char::is_whitespace) && !text.starts_with('"');
    let text = if is_one_word { quoted_if_needed(text) } else { text.into() };
    let read = |entry: Entry<'_>| codec.fits(entry).then(|| codec.read(&[entry], None).unwrap_or_default());
    read_directive(&text, read).flatten().ok_or_else(|| unlike(usage))
}

/// The fault of words that do not have the form.
fn unlike(usage: &str) -> Fault {
    Fault::of_path(format!("expected {usage}"))
}

/// The value of a text that is one word of this kind.
pub fn of_kind(kind: &WordKind, text: &str) -> Result<Value, Fault> {
    (kind.parse)(text).ok_or_else(|| unlike(kind.expected))
}

/// Parses JSON; `None` if the text is not JSON. Refuses repeated keys and too deep nesting.
pub fn json(text: &str) -> Result<Option<Value>, Fault> {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Ok(None);
    }
    patch::parse(text.as_bytes()).map(Some).map_err(|faults| {
        let first = faults.0.into_iter().next();
        first.map_or_else(|| Fault::of_path("this JSON can't be read"), Fault::from)
    })
}

/// The text of a JSON string.
pub fn json_string(text: &str) -> Option<String> {
    text.starts_with('"').then(|| serde_json::from_str(text).ok())?
}

/// Parses a whole list, or the elements that a text which is no JSON list stands for.
pub fn elements(text: &str, read: impl Fn(&str) -> Result<Vec<Value>, Fault>) -> Result<Value, Fault> {
    match json(text)? {
        Some(list @ Value::Array(_)) => Ok(list),
        _ => read(text).map(Value::Array),
    }
}

/// Parses a JSON array.
fn array(text: &str) -> Result<Value, Fault> {
    elements(text, |_| Err(Fault::of_path("expected a JSON array")))
}

/// Parses a JSON object.
pub fn object(text: &str) -> Result<Value, Fault> {
    json(text)?.filter(Value::is_object).ok_or_else(|| Fault::of_path("expected a JSON object"))
}

/// True if a text is rather JSON than words.
fn opens(text: &str, bracket: char) -> bool {
    text.trim_start().starts_with(bracket)
}

/// The fault of a name behind a list.
pub fn is_list(elements: &str) -> Fault {
    Fault::of_path("a list has no members").hint(format!("name {elements}"))
}

/// The fault of a name behind a list whose elements have no names.
const ELEMENTS: &str = "an element, such as `[0]`, or `[+]` for a new one";

/// The fault of a member that is not there.
fn no_member(members: &str) -> Fault {
    Fault::of_path("there is no such member here").hint(format!("the members are {members}"))
}

/// `prepush 5;`, one directive with one value.
impl Codec for WordKind {
    fn fits(&self, entry: Entry<'_>) -> bool {
        let is_word =
            || if self.takes_any { entry.count_arguments() == 1 } else { self.value(entry).is_some() };
        !entry.is_block() && is_word()
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        self.value(*entries.last()?).map(Value::from)
    }

    fn normalize(&self, value: Value, normalizer: &mut Normalizer) -> Option<Value> {
        normalizer.value(self, &value)
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        vec![directive(keyword, (self.write)(value, None))]
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        of_kind(self, text)
    }

    fn parse_string(&self, text: &str) -> Result<Value, Fault> {
        (self.accept)(&text.into()).ok_or_else(|| unlike(self.expected))
    }

    fn facts(&'static self) -> Facts {
        Facts { kind: Some(self), ..Facts::new(self.usage, self.json_form, self.name, JsonForm::Leaf) }
    }
}

impl WordKind {
    /// The value of a directive with at most one word; `None` if it is not of this kind.
    #[inline]
    pub fn value<'t>(&self, entry: Entry<'t>) -> Option<Scalar<'t>> {
        if entry.count_arguments() > 1 { None } else { (self.read)(entry.arguments().next()) }
    }
}

/// A member that no directive of its own stands for: read from the text around it, or from elsewhere.
impl Codec for Derived {
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

    fn normalize(&self, value: Value, normalizer: &mut Normalizer) -> Option<Value> {
        match self {
            Self::Included => {
                let message = "this is the output of `read --with-includes`, which can't be written back";
                let hint = "read the configuration without what it includes: `mediactl read`";
                normalizer.refuse(FaultKind::ReadOnly, message, hint)
            }
            // Null sets it to the default.
            Self::Static if value.is_null() => Some(value),
            Self::Static => normalizer.value(&SWITCH, &value),
            Self::NeverStatic if !value.is_null() && value != false => {
                let message = "a live is never static: only false is accepted";
                normalizer.refuse(FaultKind::ReadOnly, message, "")
            }
            Self::Position if !value.is_null() => match integer(&value).filter(|place| *place >= 1) {
                Some(position) => Some(position.into()),
                None => normalizer.wrong("a position is an integer from 1", ""),
            },
            // The names have been compared with their keys.
            _ => None,
        }
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
            Self::Static | Self::NeverStatic => Err(unlike(SWITCH.expected)),
            Self::Position => {
                let position = integer(&text.into()).filter(|&position| position >= 1);
                position.map(Value::from).ok_or_else(|| unlike("a position, counted from 1"))
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
        let described = Facts::new("nothing", json_form, value_type, JsonForm::Leaf);
        Facts { kind, derived: Some(*self), ..described }
    }
}

impl Derived {
    /// True if an entry has no such value of its own.
    pub fn lacks_own(self) -> bool {
        !matches!(self, Self::Static | Self::Address)
    }
}

/// `http 80;` repeated, an array of values.
impl Codec for ListShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        PORT.value(entry).is_some()
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let values = entries.iter().filter_map(|&entry| PORT.value(entry)).map(Value::from);
        (!entries.is_empty()).then(|| values.collect())
    }

    fn normalize(&self, value: Value, normalizer: &mut Normalizer) -> Option<Value> {
        match is_scalar(&value) && self.takes_one {
            true => Some(Value::Array(vec![normalizer.value(&PORT, &value)?])),
            false => normalizer.elements(value, |normalizer, _, value| normalizer.value(&PORT, &value)),
        }
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let values = value.as_array().into_iter().flatten();
        values.map(|value| directive(keyword, [plain_word(value)])).collect()
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Err(is_list(ELEMENTS))
    }

    fn entry(&'static self) -> Option<Place> {
        Some(Place::Element(&PORT))
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        elements(text, |text| of_kind(&PORT, text).map(|value| vec![value]))
    }

    fn parse_string(&self, text: &str) -> Result<Value, Fault> {
        of_kind(&PORT, text).map(|value| Value::Array(vec![value]))
    }

    fn facts(&'static self) -> Facts {
        let json_form = "an array of numbers and \"host:port\" strings";
        let described = Facts::new(PORT.usage, json_form, "list of ports", JsonForm::List);
        Facts { kind: Some(&PORT), list: Some(self), ..described }
    }
}

/// The blocks of the directives of a list, an object by value.
#[derive(Debug)]
pub struct BlocksShape(pub &'static ListShape);

impl Codec for BlocksShape {
    /// Of several blocks of one value, the last one counts.
    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let mut seen = HashSet::new();
        let blocks = entries.iter().rev().filter(|entry| entry.is_block());
        let last: Vec<&Entry<'_>> = blocks.filter(|entry| seen.insert(first_argument(**entry))).collect();
        let values =
            last.iter().rev().map(|&&block| (first_argument(block).into_owned(), block_value(block)));
        (!last.is_empty()).then(|| values.collect())
    }

    fn normalize(&self, value: Value, normalizer: &mut Normalizer) -> Option<Value> {
        normalizer.each_member(value, |normalizer, _, value| match value {
            Value::Null => Some(value),
            value => {
                let members = normalizer.object(value)?;
                Some(each_normalized(Scope::Unknown, members, normalizer))
            }
        })
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Ok(Place::ForeignBlock)
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        object(text).map_err(|fault| fault.hint(OWN_PATH))
    }

    fn facts(&'static self) -> Facts {
        let described = Facts::new("nothing", "an object by port", "object of objects", JsonForm::Object);
        Facts { entries_of: Some(self.0.key), ..described }
    }
}
