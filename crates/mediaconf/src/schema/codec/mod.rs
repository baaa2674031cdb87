//! The forms of directives: how those of each form are read, checked, merged and written.

mod address;
mod general;
mod object;
mod word;

use serde_json::Value;

use super::fault::Fault;
use super::json_pointer::Pointer;
use super::kinds::WordKind;
use super::row::Codec;
use super::row::Schema;
use crate::syntax::{Document, Entry, quoted_if_needed};

pub use super::row::{is_list, is_plural};
pub use address::{Address, AddressesShape, OptionWord, header_address};
pub use general::{
    DirectiveForm, General, are_named_blocks, block_value, merge_block, merge_into, normalized, occurrence,
    occurrence_value, occurrences, read_members, scalars, write_members,
};
pub use word::BlocksShape;

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
    (kind.parse)(text).ok_or_else(|| unlike(kind.usage))
}

/// Parses JSON; `None` if the text is not JSON. Refuses repeated keys and too deep nesting.
pub fn json(text: &str) -> Result<Option<Value>, Fault> {
    Schema::parse_patch(text.as_bytes()).map(Some).or_else(|faults| match faults.first() {
        Some(fault) if fault.pointer != Some(Pointer::root()) => Err(fault.clone()),
        _ => Ok(None),
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

/// The keys of an object as messages list them: "`login` and `password`".
fn listed(keys: &[&str]) -> String {
    let (last, others) = keys.split_last().expect("an object has members");
    format!("`{}` and `{last}`", others.join("`, `"))
}

/// The fault of a member that is not there.
pub fn no_member(keys: &[&str]) -> Fault {
    Fault::of_path("there is no such member here").hint(format!("the members are {}", listed(keys)))
}
