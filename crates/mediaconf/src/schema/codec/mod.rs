//! The forms of directives: how those of each form are read, checked, merged and written.

mod address;
mod general;
mod object;
mod word;

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::fault::{Fault, Faults};
use super::json_pointer::Pointer;
use super::kinds::WordKind;
use super::patch::{self, Normalizer};
use super::row::{Kind, Parameter, Scope};
use crate::syntax::{Document, Entry, quoted_if_needed};

pub use address::{Address, AddressShape, AddressesShape, OptionWord, header_address, is_plural};
pub use general::{
    DirectiveForm, General, are_named_blocks, block_value, each_normalized, foreign_values, merge_block,
    merge_member, occurrence, occurrences, read_members, scalars, write_members,
};
pub use object::{KnownOption, ObjectShape, OptionsShape, Part, PartPlace};
pub use word::{BlocksShape, Derived, ListShape, group_name};

/// The form of a value in JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JsonForm {
    /// A string, a number or a boolean.
    #[default]
    Leaf,
    /// An object.
    Object,
    /// A list.
    List,
}

/// The stream, live or plugin whose members are read.
pub struct BlockHead<'v, 'd> {
    /// Its kind.
    pub kind: Kind,
    /// Its entry, which names it, and may have its only source.
    pub entry: Entry<'d>,
    /// Its place in its group, from 1.
    pub position: usize,
    /// The values of the top level that it repeats; `None` if only own members are shown.
    pub globals: Option<&'v Globals>,
}

/// The values of the top level that every stream and live repeats.
#[derive(Debug, Default)]
pub struct Globals {
    /// The address of the backend.
    pub url: Option<Value>,
    /// The secret of the sources.
    pub cluster_key: Option<Value>,
}

/// How the directives of a row are read, checked, merged and written: one type for each form.
pub trait Codec: fmt::Debug + Sync {
    /// True if an entry with the keyword has this form.
    fn fits(&self, _: Entry<'_>) -> bool {
        false
    }

    /// The value of the entries of a block; `None` if they show none.
    fn read(&self, entries: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value>;

    /// Brings a value of a patch, which is not null, to the form in which it is shown; `None` if it is dropped or
    /// refused.
    fn normalize(&self, value: Value, normalizer: &mut Normalizer) -> Option<Value>;

    /// The value after a normalized patch, by RFC 7396; `None` if it is not set then.
    fn merge(&self, _: Option<&Value>, patch: &Value, _: &Pointer, _: &mut Faults) -> Option<Value> {
        (!patch.is_null()).then(|| patch.clone())
    }

    /// Writes the entries of a value.
    fn write(&self, _: &str, _: &Value) -> Vec<String> {
        Vec::new()
    }

    /// The place of a member of the value.
    fn member(&'static self, _key: &str) -> Result<Place, Fault> {
        Err(match self.entry() {
            Some(_) => is_list("an element, such as `[0]`, or `[+]` for a new one"),
            None => Fault::of_path("there is nothing below a plain value"),
        })
    }

    /// The place of an entry of the value; `None` if it is no list.
    fn entry(&'static self) -> Option<Place> {
        None
    }

    /// Reads a text of the command line: the words of the directive, or JSON.
    fn parse(&self, text: &str) -> Result<Value, Fault>;

    /// Takes a text of the command line as a string, whatever it looks like.
    fn parse_string(&self, _text: &str) -> Result<Value, Fault> {
        Err(no_string())
    }

    /// True if the words of an entry are options, maybe behind an address or a name.
    fn has_options(&'static self, entry: Entry<'_>) -> bool {
        let Facts { address, options, sources, group, .. } = self.facts();
        address.is_some()
            || options.is_some()
            || sources.is_some_and(|_| !is_plural(entry))
            || group.is_some_and(Kind::has_sources)
    }

    /// What is asked of the form beside its values.
    fn facts(&'static self) -> Facts;
}

/// What is asked of a form beside its values: how it is described, and what it is made of.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts {
    /// The words behind the keyword when they are right, for messages and the manual.
    pub usage: &'static str,
    /// The form of the value in JSON, for the manual.
    pub json_form: &'static str,
    /// The type of the value in JSON, in short.
    pub value_type: &'static str,
    /// The form of the value in JSON.
    pub json: JsonForm,
    /// The key of the row that has the entries, if it is another one.
    pub entries_of: Option<&'static str>,
    /// The kind of its one word, or of that of each line.
    pub kind: Option<&'static WordKind>,
    /// The parts of its words.
    pub object: Option<&'static ObjectShape>,
    /// Its lines, one for each value.
    pub list: Option<&'static ListShape>,
    /// Its only address.
    pub address: Option<&'static AddressShape>,
    /// Its addresses, one for each line.
    pub sources: Option<&'static AddressShape>,
    /// Its options.
    pub options: Option<&'static OptionsShape>,
    /// The kind of its blocks.
    pub group: Option<Kind>,
    /// What it is derived from, if it has no directive.
    pub derived: Option<Derived>,
}

impl Facts {
    /// The facts of a form that is described like this.
    pub fn new(
        usage: &'static str,
        json_form: &'static str,
        value_type: &'static str,
        json: JsonForm,
    ) -> Self {
        Self { usage, json_form, value_type, json, ..Self::default() }
    }
}

/// The fault of a string in the place of another value.
pub fn no_string() -> Fault {
    Fault::of_path("a string does not fit here")
}

/// A place in a configuration.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// The whole configuration.
    Root,
    /// `streams`, `lives` or `plugins`.
    Group(Kind),
    /// One stream, live or plugin.
    Block(Kind),
    /// A known parameter that is no group.
    Own(&'static Parameter),
    /// An element of a list of values.
    Element(&'static WordKind),
    /// An element of a stream's sources.
    Source(Scope),
    /// An element of a list of options.
    Pair(&'static OptionsShape),
    /// `auth.url`.
    BackendUrl,
    /// `auth.extra`.
    Extras,
    /// A part of a parameter that is a string and nothing else.
    Text,
    /// A member of an object whose words a directive holds.
    Part(&'static Part),
    /// The block of an http directive.
    ForeignBlock,
    /// The blocks `template`, by name.
    Templates(Scope),
    /// One of them: it has some known parameters.
    Template(Scope),
    /// A value under the general rule, or an option of a source or of the transcoder.
    Foreign,
}

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

/// The fault of a member that is not there.
fn no_member(members: &str) -> Fault {
    Fault::of_path("there is no such member here").hint(format!("the members are {members}"))
}
