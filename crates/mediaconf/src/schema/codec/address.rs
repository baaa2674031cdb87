//! `auth URL key=value …;`, one directive with an address and options, and `url URL key=value …;` repeated, an array of
//! them.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{directive, elements, no_member, of_words, opens, set_last, unlike};
use crate::schema::{
    AddressShape, BlockHead, Codec, Facts, Fault, JsonForm, Normalizer, Object, Place, SOURCE, SWITCH,
    Schema, Scope, TEXT, URL_GLOBAL, has_needless_escape, json, keyword_of, object,
};
use crate::syntax::{Entry, Word, Words};

/// True if each word of a source directive is a source: its words are all addresses, without options.
pub fn is_plural(entry: Entry<'_>) -> bool {
    entry.keyword() == "urls"
}

/// The key of an option as it is written.
pub fn written_key(key: &str) -> Cow<'_, str> {
    if key.contains('=') { Cow::Owned(Word::in_quotes(key)) } else { Word::write(key) }
}

/// The addresses of a line of sources, each with the options behind it; a `urls A B;` line has one for each word.
pub fn addresses<'t>(entry: Entry<'t>) -> impl Iterator<Item = Words<'t>> {
    let (each, one) =
        if is_plural(entry) { (Some(entry.arguments()), None) } else { (None, Some(entry.arguments())) };
    each.into_iter().flatten().map(move |word| word.alone(entry.document())).chain(one)
}

/// The source in the header of a one-line stream, with its options.
pub fn header_address(header: Entry<'_>) -> Option<Words<'_>> {
    let mut words = header.arguments();
    words.next().filter(|_| !header.is_block())?;
    words.clone().next().map(|_| words)
}

impl AddressShape {
    /// The scope in which the names of options are keys.
    pub fn option_scope(&self) -> Scope {
        if self.options.is_some() { Scope::Unknown } else { self.members }
    }

    /// The options of an address in JSON, in their order.
    pub fn options_of<'v>(&self, value: &'v Value) -> impl Iterator<Item = (&'v String, &'v Value)> {
        let object = self.options.map_or(Some(value), |key| value.get(key)).and_then(Value::as_object);
        let address = self.options.is_none().then_some(Schema::ADDRESS);
        object.into_iter().flatten().filter(move |(key, _)| Some(key.as_str()) != address)
    }

    /// The key and the value of an option; a bare flag is true.
    pub fn option(&self, word: Word<'_>) -> (String, Value) {
        let (key, value) = word.option();
        let value = value.and_then(|value| (self.kind.read)(Some(value)));
        (self.option_scope().key_of(&key.value()).into_owned(), value.unwrap_or(Value::Bool(true)))
    }

    /// The object that shows an address and its options.
    pub fn object(&self, mut words: Words<'_>) -> Object {
        let first = words.next().and_then(|word| (self.first.read)(Some(word))).unwrap_or_default();
        let mut object = Map::from_iter([(Schema::ADDRESS.to_owned(), first)]);
        let mut options = Map::new();
        words.for_each(|word| set_last(&mut options, self.option(word)));
        match self.options {
            Some(key) if !options.is_empty() => drop(object.insert(key.to_owned(), options.into())),
            _ => object.extend(options),
        }
        object
    }

    /// Reads one address of a command line: an object, or the words of its directive.
    pub fn parse_one(&self, text: &str) -> Result<Value, Fault> {
        if opens(text, '{') {
            return object(text);
        }
        let usage = "one URL, then NAME=VALUE options";
        let value = of_words(self, usage, text)?;
        let are_several = self.options_of(&value).any(|(key, _)| key.contains("://"));
        if are_several { Err(unlike(usage)) } else { Ok(value) }
    }

    /// The line of one address with its options.
    fn line(&self, keyword: &str, value: &Value) -> String {
        let address = (self.first.write)(&value[Schema::ADDRESS]);
        let options = self.options_of(value).map(|(key, value)| {
            let key = written_key(keyword_of(self.option_scope(), key));
            match (self.kind.write)(value) {
                Some(word) if *value != Value::Bool(true) => format!("{key}={word}"),
                _ => key.into_owned(),
            }
        });
        directive(keyword, address.into_iter().chain(options))
    }
}

/// The words of a backend.
const USAGE: &str = "a URL or `false`, then NAME=VALUE options";

/// The members of a backend.
const OF_BACKEND: [&str; 2] = [Schema::ADDRESS, Schema::EXTRA];

/// One directive with an address: a backend.
impl Codec for AddressShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        !entry.is_block() && entry.count_arguments() > 0
    }

    fn read(&self, entries: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let mut object = entries.last().map(|entry| self.object(entry.arguments())).unwrap_or_default();
        let global = head.and_then(|head| head.globals?.get(URL_GLOBAL));
        object.extend(global.map(|url| (URL_GLOBAL.to_owned(), url.clone())));
        (!object.is_empty()).then_some(Value::Object(object))
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        if let Value::String(_) | Value::Bool(_) = value {
            return at.unlike("an object", &value, "the backend is the member `url`");
        }
        let members = at.members(value, |at, key, value| match value {
            Value::Null if OF_BACKEND.contains(&key) => Some(value),
            value if key == Schema::ADDRESS => at.value(self.first, &value),
            value if key == Schema::EXTRA => at.members(value, |at, key, value| match value {
                Value::Null => Some(value),
                Value::Bool(true) => at.option(key, value),
                value => at.value(&TEXT, &value).and_then(|value| at.option(key, value)),
            }),
            _ if self.members.by_key(key).is_some() => None,
            _ => at.told(no_member(&OF_BACKEND)),
        });
        members.filter(|members| members.as_object().is_some_and(|members| !members.is_empty()))
    }

    /// The address stays if the patch lacks it, and so do the options; a new `false` removes the options. New options
    /// come first, in the order given, then the present ones in theirs.
    fn merge(&self, old: Option<&Value>, patch: &Value, at: &mut Normalizer) -> Option<Value> {
        let [key, options_key] = OF_BACKEND;
        let options_of = |value: &Value| value.get(options_key)?.as_object().cloned();
        let old_url = old.and_then(|old| old.get(key));
        let url = patch.get(key).or(old_url).filter(|url| !url.is_null());
        let removes = patch.get(options_key) == Some(&Value::Null);
        let opens = url == Some(&Value::Bool(false)) && old_url != url;
        let options = options_of(patch).unwrap_or_default();
        let present = old.and_then(options_of).filter(|_| !removes).unwrap_or_default();
        // Keys that the patch sets again keep their place.
        let (mut again, mut options): (Object, Object) =
            options.into_iter().partition(|(key, _)| present.contains_key(key));
        for (key, value) in present {
            let set = again.get_mut(&key).map(Value::take);
            options.extend(set.or((!opens).then_some(value)).map(|value| (key, value)));
        }
        options.retain(|_, value| !value.is_null());
        let Some(url) = url else {
            if !options.is_empty() {
                let hint = "set the url too, or remove the whole with null";
                at.below(key, |at| at.wrong("extra parameters without a url can't be written", hint));
            }
            return None;
        };
        let options = (!options.is_empty()).then(|| (options_key.to_owned(), Value::Object(options)));
        Some(std::iter::once((key.to_owned(), url.clone())).chain(options).collect())
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        vec![self.line(keyword, value)]
    }

    fn member(&'static self, key: &str) -> Result<Place, Fault> {
        match key {
            Schema::ADDRESS => Ok(Place::Leaf(self.first)),
            Schema::EXTRA => Ok(Place::Extras),
            _ => self.members.by_key(key).map(Place::Own).ok_or_else(|| no_member(&OF_BACKEND)),
        }
    }

    /// Another word than `false` that switches something on or off is no address, nor is other JSON.
    fn parse(&self, text: &str) -> Result<Value, Fault> {
        let is_quoted = text.starts_with('"');
        let is_json = !is_quoted && json(text)?.is_some();
        let value = of_words(self, USAGE, text)?;
        match &value[Schema::ADDRESS] {
            Value::Bool(_) if self.options_of(&value).next().is_some() => {
                Err(Fault::of_path("`false` takes no options"))
            }
            Value::String(url) if is_json || !is_quoted && (SWITCH.parse)(url).is_some() => {
                Err(unlike(USAGE))
            }
            _ => Ok(value),
        }
    }

    fn facts(&'static self) -> Facts {
        let json_form = "{\"url\", \"extra\"}; `auth false;` is the url false, the options are in extra";
        Facts { address: Some(self), ..Facts::new([USAGE, json_form], JsonForm::Object) }
    }
}

/// A directive for each source of a list. The first one of a stream may stand in its header.
#[derive(Debug)]
pub struct SourcesShape;

impl Codec for SourcesShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        SOURCE.fits(entry)
    }

    fn read(&self, entries: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let header = head.filter(|head| head.kind.has_sources()).map(|head| head.entry);
        let in_header = header.and_then(header_address).into_iter();
        let all = in_header.chain(entries.iter().flat_map(|&entry| addresses(entry)));
        let list: Vec<Value> = all.map(|address| SOURCE.object(address).into()).collect();
        (!list.is_empty()).then_some(Value::Array(list))
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        let scope = SOURCE.option_scope();
        at.elements(value, |at, _, value| {
            if let Value::String(_) = value {
                return at.unlike("an object", &value, "a source is an object with the member `url`");
            }
            let lacks_address = value.get(Schema::ADDRESS).is_none_or(Value::is_null);
            let normalized = at.members(value, |at, key, value| match key {
                _ if value.is_null() => None,
                Schema::ADDRESS => at.value(&TEXT, &value),
                key if has_needless_escape(scope, key) => at.needless_escape(key),
                _ => at.scalar(value).and_then(|value| at.option(key, value)),
            })?;
            if lacks_address {
                return at.below(Schema::ADDRESS, |at| at.wrong("a source without a url", ""));
            }
            Some(normalized)
        })
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        value.as_array().into_iter().flatten().map(|value| SOURCE.line(keyword, value)).collect()
    }

    /// Elements that are only an address may be strings.
    fn parse(&self, text: &str) -> Result<Value, Fault> {
        let mut list = elements(text, |text| SOURCE.parse_one(text).map(|address| vec![address]))?;
        for entry in list.as_array_mut().into_iter().flatten() {
            if let Some(url) = entry.as_str() {
                *entry = json!({ Schema::ADDRESS: url });
            }
        }
        Ok(list)
    }

    fn facts(&'static self) -> Facts {
        let element = Some(Place::Source(SOURCE.members));
        let described = ["a URL, then NAME=VALUE options", "an array of {\"url\", ...}"];
        Facts { sources: Some(&SOURCE), element, ..Facts::new(described, JsonForm::List) }
    }
}
