//! Writes new text: whole entries, and the words of values.

use serde_json::Value;

use crate::model::member::keyword_of;
use crate::schema::json_value::{plain_word, scalar_text, word};
use crate::schema::{
    AddressShape, Kind, Object, ObjectShape, OptionsShape, Parameter, Part, PartPlace, STATIC, Schema, Scope,
    Shape,
};
use crate::syntax::{Word, quoted_if_needed, quoted_word};

/// A new entry, before it is laid out as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its words as they are written, the keyword first.
    pub head: String,
    /// The entries of its block, if it has one.
    pub block: Option<Vec<Draft>>,
}

impl Draft {
    /// `keyword words;`
    pub fn directive(keyword: &str, words: impl IntoIterator<Item = String>) -> Self {
        let mut head = keyword.to_owned();
        for word in words {
            head.push(' ');
            head.push_str(&word);
        }
        Self { head, block: None }
    }

    /// Writes it on one line.
    pub fn inline(&self) -> String {
        match &self.block {
            None => format!("{};", self.head),
            Some(entries) => {
                let entries: String = entries.iter().map(|entry| format!("{} ", entry.inline())).collect();
                format!("{} {{ {entries}}}", self.head)
            }
        }
    }
}

/// All occurrences of a foreign keyword.
pub fn general(keyword: &str, value: &Value) -> Vec<Draft> {
    match value {
        Value::Bool(true) => vec![occurrence(keyword, &[])],
        Value::Array(occurrences) if occurrences.iter().any(Value::is_array) => {
            occurrences.iter().filter_map(Value::as_array).map(|words| occurrence(keyword, words)).collect()
        }
        Value::Array(words) => vec![occurrence(keyword, words)],
        Value::Object(members) if are_named_blocks(members) => {
            let blocks = members.iter().filter_map(|(name, block)| Some((name, block.as_object()?)));
            blocks.map(|(name, block)| named_block(keyword, name, block)).collect()
        }
        scalar => vec![occurrence(keyword, std::slice::from_ref(scalar))],
    }
}

/// True if a new object is written as named blocks, and not as one block.
pub fn are_named_blocks(members: &Object) -> bool {
    !members.is_empty() && members.values().all(Value::is_object)
}

/// One occurrence: words, and maybe a block last.
pub fn occurrence(keyword: &str, words: &[Value]) -> Draft {
    let mut head = quoted_if_needed(keyword).into_owned();
    let mut block = None;
    let scope = Schema::media().block_scope(keyword, words.len().saturating_sub(1));
    for value in words {
        match value {
            Value::Object(members) => block = Some(contents(scope, members)),
            scalar => {
                head.push(' ');
                head.push_str(&word(scalar));
            }
        }
    }
    Draft { head, block }
}

pub fn named_block(keyword: &str, name: &str, members: &Object) -> Draft {
    Draft {
        head: format!("{} {}", quoted_if_needed(keyword), quoted_if_needed(name)),
        block: Some(contents(Schema::media().block_scope(keyword, 1), members)),
    }
}

/// The directives that set a known parameter to `value`.
pub fn setting(parameter: &'static Parameter, value: &Value) -> Vec<Draft> {
    let keyword = parameter.keywords[0];
    match (parameter.shape, value) {
        (Shape::List(_), Value::Array(values)) => {
            values.iter().map(|port| Draft::directive(keyword, [plain_word(port)])).collect()
        }
        (Shape::Addresses(shape), Value::Array(addresses)) => {
            addresses.iter().map(|value| address(shape, keyword, value)).collect()
        }
        _ => vec![Draft::directive(keyword, setting_words(parameter, value))],
    }
}

/// The words behind the keyword of a parameter that has one directive.
pub fn setting_words(parameter: &Parameter, value: &Value) -> Vec<String> {
    match parameter.shape {
        Shape::Value(kind) => (kind.write)(value, None).into_iter().collect(),
        Shape::Object(object) => object_words(object, value),
        Shape::Address(shape) => address_words(shape, value),
        Shape::Options(options) => {
            value.as_array().into_iter().flatten().map(|pair| pair_word(options, pair)).collect()
        }
        Shape::List(_) | Shape::Addresses(_) | Shape::Group(_) | Shape::Blocks(_) | Shape::Derived(_) => {
            Vec::new()
        }
    }
}

fn object_words(object: &'static ObjectShape, value: &Value) -> Vec<String> {
    let words_of = |part: &'static Part| match value.get(part.key) {
        Some(Value::Array(words)) => words.iter().map(|word| part_word(object, part, word, None)).collect(),
        Some(value) => vec![part_word(object, part, value, None)],
        None => Vec::new(),
    };
    object.parts.iter().flat_map(words_of).collect()
}

/// The word of a part of an object, written in the place of `replaced`.
///
/// A text that would be read as another part is quoted.
pub fn part_word(object: &ObjectShape, part: &Part, value: &Value, replaced: Option<Word<'_>>) -> String {
    let text = scalar_text(value).unwrap_or_default();
    let reads = |other: &Part| (other.kind.read)(Some(Word::new(&text, 0))).is_some();
    let is_another = match part.place {
        PartPlace::Required => object.alternative(part).is_some_and(reads),
        PartPlace::Rest => {
            object.parts.iter().any(|other| other.place == PartPlace::Optional && reads(other))
        }
        PartPlace::Instead | PartPlace::Optional => false,
    };
    if is_another { quoted_word(&text) } else { (part.kind.write)(value, replaced).unwrap_or_default() }
}

fn address_words(shape: &AddressShape, value: &Value) -> Vec<String> {
    let scope = shape.option_scope();
    let options = shape.options_of(value);
    std::iter::once(address_word(shape, &value[shape.address]))
        .chain(options.map(|(key, value)| option_word(shape, keyword_of(scope, key), value)))
        .collect()
}

/// The word of an address. The string "false" is quoted where the bare word has a meaning.
pub fn address_word(shape: &AddressShape, address: &Value) -> String {
    match address.as_str() {
        Some("false") if shape.may_be_false => quoted_word("false"),
        _ => plain_word(address),
    }
}

/// An option behind an address; a new `true` is a bare flag.
pub fn option_word(options: &AddressShape, key: &str, value: &Value) -> String {
    match (options.kind.write)(value, None) {
        Some(word) if *value != Value::Bool(true) => format!("{key}={word}"),
        _ => key.to_owned(),
    }
}

/// `[name, value]` as a word.
pub fn pair_word(options: &OptionsShape, pair: &Value) -> String {
    let name = pair[0].as_str().unwrap_or_default();
    let key = options.known(name).map_or(name, |known| known.keyword);
    pair.get(1)
        .map_or_else(|| key.to_owned(), |value| format!("{key}={}", option_value_word(options, name, value)))
}

/// The value of an option as text.
pub fn option_value_word(options: &OptionsShape, name: &str, value: &Value) -> String {
    match options.known(name) {
        Some(known) => (known.kind.write)(value, None).unwrap_or_default(),
        None => word(value),
    }
}

/// The line of one address with its options.
pub fn address(shape: &AddressShape, keyword: &str, value: &Value) -> Draft {
    Draft::directive(keyword, address_words(shape, value))
}

/// A new stream, live or plugin with these own members.
pub fn named(kind: Kind, name: &str, members: &Object) -> Draft {
    let keyword = kind.keyword(members.get(STATIC) == Some(&Value::Bool(false)));
    let fields = contents(kind.scope(), members);
    let block = (kind.has_sources() || !fields.is_empty()).then_some(fields);
    Draft { head: format!("{keyword} {}", quoted_if_needed(name)), block }
}

/// The entries of a block: known ones in schema order, then the others in the order given.
pub fn contents(scope: Scope, members: &Object) -> Vec<Draft> {
    let own = scope
        .rows()
        .filter(|parameter| parameter.shape.derived().is_none())
        .filter_map(|parameter| Some((parameter, members.get(parameter.key)?)))
        .filter(|(parameter, value)| parameter.value_of_nothing().as_ref() != Some(*value));
    let foreign = members.iter().filter(|(key, _)| scope.by_key(key).is_none());
    own.flat_map(|(parameter, value)| setting(parameter, value))
        .chain(foreign.flat_map(|(key, value)| general(keyword_of(scope, key), value)))
        .collect()
}
