//! Writes new text: whole entries, and the words of values.

use serde_json::Value;

use crate::schema::codec::General;
use crate::schema::{AddressShape, Codec, Kind, Object, ObjectShape, OptionsShape, Parameter, Part};
use crate::syntax::Word;

pub use crate::schema::codec::{are_named_blocks, named_block, occurrence, write_members as contents};
pub use crate::schema::draft::{Draft, Style, block_lines};

/// All occurrences of a foreign keyword.
pub fn general(keyword: &str, value: &Value) -> Vec<Draft> {
    General { keyword }.write(keyword, value)
}

/// The directives that set a known parameter to `value`.
pub fn setting(parameter: &'static Parameter, value: &Value) -> Vec<Draft> {
    parameter.write(value)
}

/// The word of a part of an object, written in the place of `replaced`.
pub fn part_word(object: &ObjectShape, part: &Part, value: &Value, replaced: Option<Word<'_>>) -> String {
    object.part_word(part, value, replaced)
}

/// The word of an address.
pub fn address_word(shape: &AddressShape, address: &Value) -> String {
    shape.word(address)
}

/// An option behind an address.
pub fn option_word(shape: &AddressShape, key: &str, value: &Value) -> String {
    shape.option_word(key, value)
}

/// `[name, value]` as a word.
pub fn pair_word(options: &OptionsShape, pair: &Value) -> String {
    options.pair_word(pair)
}

/// The value of an option as text.
pub fn option_value_word(options: &OptionsShape, name: &str, value: &Value) -> String {
    options.value_word(name, value)
}

/// The line of one address with its options.
pub fn address(shape: &AddressShape, keyword: &str, value: &Value) -> Draft {
    shape.line(keyword, value)
}

/// A new stream, live or plugin with these own members.
pub fn named(kind: Kind, name: &str, members: &Object) -> Draft {
    kind.write(name, members)
}
