//! Reads the words of a directive, such as `/storage 90% 5d`, as its text is read.

use serde_json::Value;

use crate::edit::fault::Fault;
use crate::edit::merge::general_value;
use crate::model::setting_view::{SourceView, entry_sources, option_pair, setting_value};
use crate::model::shape::{Address, fits};
use crate::model::to_json;
use crate::schema::kinds::SWITCH;
use crate::schema::scalar::Scalar;
use crate::schema::{AddressShape, ObjectShape, OptionsShape, Parameter, Part, SOURCE};
use crate::syntax::{Document, Entry, quoted_if_needed};

/// Reads a directive with this keyword and these words; `None` if the text is not just words.
fn read_directive<T>(keyword: &str, words: &str, read: impl Fn(Entry<'_>) -> T) -> Option<T> {
    let document = Document::parse(format!("{keyword} {words};"));
    let mut entries = document.entries();
    let only = entries.next().filter(|entry| entries.next().is_none() && !entry.is_block())?;
    let ends_here = document.diagnostics().is_empty() && only.end() == document.text().len();
    ends_here.then(|| read(only))
}

/// The object that the words make. Parts without a word are null, so that the words replace the whole
/// old value.
pub fn object_in_words(
    parameter: &'static Parameter,
    object: &'static ObjectShape,
    text: &str,
) -> Result<Value, Fault> {
    let members = setting(parameter, text)?;
    let member = |part: &Part| (part.key.to_owned(), members.get(part.key).cloned().unwrap_or_default());
    Ok(Value::Object(object.parts.iter().map(member).collect()))
}

/// The address with options that the words make. Another word than `false` that switches something on
/// or off is no address.
pub fn address_in_words(
    parameter: &'static Parameter,
    shape: &AddressShape,
    text: &str,
) -> Result<Value, Fault> {
    let value = setting(parameter, text)?;
    match &value[shape.address] {
        Value::Bool(_) if shape.options_of(&value).next().is_some() => {
            Err(Fault::of_path("`false` takes no options"))
        }
        Value::String(url) if !text.starts_with('"') && (SWITCH.parse)(url).is_some() => {
            Err(unlike(parameter))
        }
        _ => Ok(value),
    }
}

/// A single word needs no quotes here for what separates words in a text.
fn setting(parameter: &'static Parameter, text: &str) -> Result<Value, Fault> {
    let is_one_word = !text.is_empty() && !text.contains(char::is_whitespace) && !text.starts_with('"');
    let text = if is_one_word { quoted_if_needed(text) } else { text.into() };
    let read = |entry: Entry<'_>| {
        fits(parameter.shape, entry).then(|| setting_value(parameter, &[entry]).unwrap_or_default())
    };
    read_directive(parameter.keywords[0], &text, read).flatten().ok_or_else(|| unlike(parameter))
}

/// The fault of words that do not make the parameter.
pub fn unlike(parameter: &Parameter) -> Fault {
    Fault::of_path(format!("expected {}", parameter.usage()))
}

/// The source that the words make: an address, then its options.
pub fn source_in_words(text: &str) -> Result<Value, Fault> {
    let read = |entry: Entry<'_>| {
        let only = entry_sources(entry).next().filter(|source| !is_second_address(source))?;
        Some(to_json(&SourceView { source: only }))
    };
    let source = read_directive(SOURCE.keyword, text, read).flatten();
    source.ok_or_else(|| Fault::of_path("expected one URL, then NAME=VALUE options"))
}

/// True if an option is rather another address.
fn is_second_address(source: &Address<'_>) -> bool {
    source.options().any(|option| option.key.raw.contains("://"))
}

/// The options at the end of a directive.
pub fn options(text: &str) -> Result<Vec<Value>, Fault> {
    let read = |entry: Entry<'_>| entry.arguments().map(|word| to_json(&Scalar::from_word(word))).collect();
    let words: Option<Vec<Value>> = read_directive("options", text, read);
    words.filter(|words| !words.is_empty()).ok_or_else(|| Fault::of_path("expected words, or a JSON array"))
}

/// Reads options such as `vb=1024k ab=64k` as the text of the directive is read.
pub fn pairs(options: &OptionsShape, text: &str) -> Option<Vec<Value>> {
    let pairs = read_directive(options.noun, text, |entry| {
        entry.arguments().map(|word| option_pair(options, word)).collect()
    });
    pairs.filter(|pairs: &Vec<Value>| !pairs.is_empty())
}

/// Splits a text into words as the text of a directive is split.
pub fn words(text: &str) -> Value {
    let words = read_directive("keyword", text, |entry| general_value(&[entry]));
    words.flatten().unwrap_or_else(|| text.split_whitespace().collect())
}
