//! The JSON of single settings: the values of their directives, streamed from the text.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::json::to_json;
use super::member::key_of;
use super::shape::{Address, OptionWord, header_source, part_words, value};
use crate::schema::scalar::Scalar;
use crate::schema::{
    AddressShape, ObjectShape, OptionsShape, Parameter, PartPlace, SOURCE, Shape, URL_GLOBAL,
};
use crate::syntax::{Entry, Word};

/// A parameter whose last occurrence counts.
pub struct Setting<'v, 'd> {
    /// Its row.
    pub parameter: &'static Parameter,
    /// Its occurrences, at least one.
    pub entries: &'v [Entry<'d>],
}

impl<'d> Setting<'_, 'd> {
    /// A `transcoder;` without options is not shown.
    pub fn is_shown(&self) -> bool {
        !matches!(self.parameter.shape, Shape::Options(_)) || self.last().count_arguments() > 0
    }

    fn last(&self) -> Entry<'d> {
        *self.entries.last().expect("a setting is shown only where it stands in the text")
    }
}

impl Serialize for Setting<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.parameter.shape {
            Shape::List(list) => {
                serializer.collect_seq(self.entries.iter().filter_map(|&entry| value(list.kind, entry)))
            }
            Shape::Value(kind) => value(kind, self.last()).serialize(serializer),
            Shape::Object(object) => ObjectView { object, entry: self.last() }.serialize(serializer),
            Shape::Address(shape) => {
                BackendView { shape, own: Some(self.last()), url_global: None }.serialize(serializer)
            }
            Shape::Options(options) => {
                serializer.collect_seq(self.last().arguments().map(|word| OptionPair { options, word }))
            }
            Shape::Addresses(_) => {
                let sources = self.entries.iter().flat_map(|&entry| entry_sources(entry));
                serializer.collect_seq(sources.map(|source| SourceView { source }))
            }
            Shape::Group(_) | Shape::Blocks(_) | Shape::Derived(_) => serializer.serialize_unit(),
        }
    }
}

/// The words of a directive as the members of an object.
struct ObjectView<'d> {
    object: &'static ObjectShape,
    entry: Entry<'d>,
}

impl Serialize for ObjectView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let paired: Vec<_> = part_words(self.object, self.entry).collect();
        for part in self.object.parts {
            let words = || {
                let matching = paired.iter().filter(|(of, _)| *of == Some(part));
                matching.map(|(_, word)| *word)
            };
            let Some(last) = words().next_back() else { continue };
            match part.place {
                PartPlace::Rest => {
                    let words: Vec<Scalar<'_>> = words().map(Scalar::from_word).collect();
                    map.serialize_entry(part.key, &words)?;
                }
                _ => map.serialize_entry(part.key, &(part.kind.read)(Some(last)))?,
            }
        }
        map.end()
    }
}

/// True if the address is the word `false`, which opens access; `auth "false";` names a backend.
pub fn is_open(backend: &Address<'_>) -> bool {
    backend.positional.raw == "false"
}

/// `{url, extra, url_global}`.
pub struct BackendView<'v, 'd> {
    /// The shape of its row.
    pub shape: &'static AddressShape,
    /// The directive, where there is one.
    pub own: Option<Entry<'d>>,
    /// The global URL, to be repeated here.
    pub url_global: Option<&'v str>,
}

impl Serialize for BackendView<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(backend) = self.own.and_then(|entry| Address::from_words(entry.arguments())) {
            self.shape.serialize_into(&backend, &mut map)?;
        }
        if let Some(url) = self.url_global {
            map.serialize_entry(URL_GLOBAL, url)?;
        }
        map.end()
    }
}

impl AddressShape {
    /// Writes the address, and its options beside it or in an object of their own.
    fn serialize_into<M: SerializeMap>(
        &'static self,
        address: &Address<'_>,
        map: &mut M,
    ) -> Result<(), M::Error> {
        match self.may_be_false && is_open(address) {
            true => map.serialize_entry(self.address, &false)?,
            false => map.serialize_entry(self.address, &address.positional.value())?,
        }
        let options = AddressOptions { shape: self, address };
        match self.options {
            Some(key) if address.options().next().is_some() => map.serialize_entry(key, &options),
            Some(_) => Ok(()),
            None => options.serialize_into(map),
        }
    }
}

/// The options behind an address.
struct AddressOptions<'v, 'd> {
    shape: &'static AddressShape,
    address: &'v Address<'d>,
}

impl AddressOptions<'_, '_> {
    fn serialize_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let scope = self.shape.option_scope();
        for option in self.address.effective() {
            map.serialize_entry(&key_of(scope, &option.key.value()), &self.shape.value(&option))?;
        }
        Ok(())
    }
}

impl Serialize for AddressOptions<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_into(&mut map)?;
        map.end()
    }
}

/// The list of a stream's sources, from its header or its block.
pub struct Sources<'v, 'd> {
    /// The entry of the stream.
    pub header: Entry<'d>,
    /// The sources in its block.
    pub entries: &'v [Entry<'d>],
}

impl Serialize for Sources<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            sources(self.header, self.entries.iter().copied()).map(|source| SourceView { source }),
        )
    }
}

/// The sources of a stream: the one in a one-line header, then those of the `url` entries of its block.
pub fn sources<'d>(
    header: Entry<'d>,
    entries: impl Iterator<Item = Entry<'d>>,
) -> impl Iterator<Item = Address<'d>> {
    let in_header = if header.is_block() { None } else { header_source(header) };
    in_header.into_iter().chain(entries.flat_map(entry_sources))
}

/// The sources of one `url` entry; a `urls A B;` line has one for each word.
pub fn entry_sources(entry: Entry<'_>) -> impl Iterator<Item = Address<'_>> {
    let (each, all) = match is_plural(entry) {
        true => (Some(entry.arguments()), None),
        false => (None, Address::from_words(entry.arguments())),
    };
    let each = each.into_iter().flatten().map(Address::from_word);
    each.chain(all)
}

/// True if each word of a source directive is a source.
pub fn is_plural(entry: Entry<'_>) -> bool {
    entry.keyword() == SOURCE.plural
}

/// `{url, key: value, …}`.
pub struct SourceView<'d> {
    /// Its words in the text.
    pub source: Address<'d>,
}

impl Serialize for SourceView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        SOURCE.serialize_into(&self.source, &mut map)?;
        map.end()
    }
}

/// An option as its list shows it: `[name, value]`, or `[name]` for a bare flag.
struct OptionPair<'v, 't> {
    options: &'v OptionsShape,
    word: Word<'t>,
}

impl Serialize for OptionPair<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let option = OptionWord::split(self.word);
        let name = Scalar::Text(self.options.key(option.key.value()));
        serializer.collect_seq([Some(name), self.options.value(&option)].iter().flatten())
    }
}

/// An option as its list shows it, unmasked.
pub fn option_pair(options: &OptionsShape, word: Word<'_>) -> serde_json::Value {
    to_json(&OptionPair { options, word })
}

/// The value of a setting with these occurrences; `None` if it is not set.
pub fn setting_value(parameter: &'static Parameter, entries: &[Entry<'_>]) -> Option<serde_json::Value> {
    let setting = Setting { parameter, entries };
    (!entries.is_empty() && setting.is_shown()).then(|| to_json(&setting))
}
