//! `auth URL key=value …;`, one directive with an address and options, and `url URL key=value …;` repeated, an array of
//! them.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    AddressShape, BlockHead, Codec, ELEMENTS, Entry, Facts, Fault, Faults, JsonForm, Normalizer, Object, Old,
    Place, Pointer, SWITCH, Scalar, Schema, Scope, URL_GLOBAL, Word, Words, directive, elements,
    has_needless_escape, is_list, json, json_string, key_of, keyword_of, kind_of, no_member, object,
    of_words, opens, plain_word, quoted_word, read_directive, unlike,
};

/// One `key=value` or bare word behind the positional argument.
#[derive(Debug, Clone, Copy)]
pub struct OptionWord<'t> {
    /// The whole word.
    pub word: Word<'t>,
    /// The part in front of `=`.
    pub key: Word<'t>,
    /// The part behind `=`; `None` for a bare flag.
    pub value: Option<Word<'t>>,
}

impl<'t> OptionWord<'t> {
    /// Splits a word at its first `=` outside quotes.
    pub fn split(word: Word<'t>) -> Self {
        match word.split_option() {
            Some((key, value)) => Self { word, key, value: Some(value) },
            None => Self { word, key: word, value: None },
        }
    }
}

/// A positional argument and the options behind it: `auth` and each source.
#[derive(Debug, Clone)]
pub struct Address<'t> {
    /// The first word.
    pub positional: Word<'t>,
    /// The words behind it; `None` for a word that has no options.
    behind: Option<Words<'t>>,
}

impl<'t> Address<'t> {
    /// The address that `words` spell; `None` for no words.
    pub fn from_words(mut words: Words<'t>) -> Option<Self> {
        let positional = words.next()?;
        Some(Self { positional, behind: Some(words) })
    }

    /// The address without options.
    pub fn from_word(positional: Word<'t>) -> Self {
        Self { positional, behind: None }
    }

    /// True if the address is the word `false`, which opens access; `auth "false";` names a backend.
    pub fn is_open(&self) -> bool {
        self.positional.raw == "false"
    }

    /// All options, in the order of the text, repeated ones included.
    pub fn options(&self) -> impl Iterator<Item = OptionWord<'t>> + Clone {
        self.behind.clone().into_iter().flatten().map(OptionWord::split)
    }

    /// The options that count: of a repeated one, the last.
    pub fn effective(&self) -> Vec<OptionWord<'t>> {
        let mut options: Vec<_> = self.options().collect();
        if options.len() > 1 {
            let mut seen = HashSet::new();
            options.reverse();
            options.retain(|option| seen.insert(option.key.value()));
            options.reverse();
        }
        options
    }
}

impl AddressShape {
    /// The scope in which the names of options are keys.
    pub fn option_scope(&self) -> Scope {
        if self.options.is_some() { Schema::media().unknown() } else { self.members }
    }

    /// The options of an address in JSON, in their order.
    pub fn options_of<'v>(&self, value: &'v Value) -> impl Iterator<Item = (&'v String, &'v Value)> {
        let object = self.options.map_or(Some(value), |key| value.get(key)).and_then(Value::as_object);
        let address = self.options.is_none().then_some(self.address);
        object.into_iter().flatten().filter(move |(key, _)| Some(key.as_str()) != address)
    }

    /// True if the directive itself has a member with this key.
    pub fn is_member(&self, key: &str) -> bool {
        key == self.address || Some(key) == self.options
    }

    /// The keys as messages list them: "`url` and `extra`".
    pub fn keys(&self) -> String {
        self.options.map_or_else(
            || format!("`{}`", self.address),
            |options| format!("`{}` and `{options}`", self.address),
        )
    }

    /// The value of an option; a bare flag is true.
    pub fn value<'t>(&self, option: &OptionWord<'t>) -> Scalar<'t> {
        option.value.and_then(|value| (self.kind.read)(Some(value))).unwrap_or(Scalar::Bool(true))
    }

    /// The address, with its options beside it or in an object of their own.
    pub fn object(&self, address: &Address<'_>) -> Object {
        let value = match self.may_be_false && address.is_open() {
            true => Value::Bool(false),
            false => address.positional.value().into(),
        };
        let mut object = Map::from_iter([(self.address.to_owned(), value)]);
        let scope = self.option_scope();
        let options = address.effective().into_iter().map(|option| {
            (key_of(scope, &option.key.value()).into_owned(), Value::from(self.value(&option)))
        });
        match self.options {
            Some(key) if address.options().next().is_some() => {
                object.insert(key.to_owned(), options.collect());
            }
            Some(_) => {}
            None => object.extend(options),
        }
        object
    }

    /// The addresses of one entry; a `urls A B;` line has one for each word.
    pub fn addresses<'t>(&self, entry: Entry<'t>) -> Vec<Address<'t>> {
        match entry.keyword() == self.plural {
            true => entry.arguments().map(Address::from_word).collect(),
            false => Address::from_words(entry.arguments()).into_iter().collect(),
        }
    }

    /// The object of an address without options.
    pub fn only(&self, address: &str) -> Value {
        Value::Object(Map::from_iter([(self.address.to_owned(), address.into())]))
    }

    /// Reads one address of a command line: an object, an address without blanks, or the words of its directive.
    pub fn parse_one(&self, text: &str) -> Result<Value, Fault> {
        if let Some(address) = json_string(text) {
            return Ok(self.only(&address));
        }
        if opens(text, '{') {
            return object(text);
        }
        if !text.is_empty() && !text.contains(char::is_whitespace) {
            return Ok(self.only(text));
        }
        let is_another = |option: OptionWord<'_>| option.key.raw.contains("://");
        let read = |entry: Entry<'_>| {
            let address = Address::from_words(entry.arguments());
            let only = address.filter(|address| !address.options().any(is_another))?;
            Some(Value::Object(self.object(&only)))
        };
        let address = read_directive(text, read).flatten();
        address.ok_or_else(|| Fault::of_path("expected one URL, then NAME=VALUE options"))
    }

    /// The line of one address with its options.
    pub fn line(&self, keyword: &str, value: &Value) -> String {
        let scope = self.option_scope();
        let options = self.options_of(value);
        let options = options.map(|(key, value)| self.option_word(keyword_of(scope, key), value));
        directive(keyword, std::iter::once(self.word(&value[self.address])).chain(options))
    }

    /// The word of an address. The string "false" is quoted where the bare word has a meaning.
    pub fn word(&self, address: &Value) -> String {
        match address.as_str() {
            Some("false") if self.may_be_false => quoted_word("false"),
            _ => plain_word(address),
        }
    }

    /// An option behind an address; a new `true` is a bare flag.
    pub fn option_word(&self, key: &str, value: &Value) -> String {
        match (self.kind.write)(value, None) {
            Some(word) if *value != Value::Bool(true) => format!("{key}={word}"),
            _ => key.to_owned(),
        }
    }

    /// The options after a patch: new ones first, in the order given, then the present ones in theirs.
    fn merged_options(&self, opens: bool, old: Option<&Value>, patch: Option<&Value>) -> Object {
        let object = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
        let (mut old, new) = (object(old), object(patch));
        match patch {
            Some(Value::Null) => return Map::new(),
            // Keys that the patch sets again keep their place.
            _ if opens => old.retain(|key, _| new.contains_key(key)),
            _ => {}
        }
        let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
        let kept = old.iter().map(|(key, value)| (key, new.get(key).unwrap_or(value)));
        let is_set = |(_, value): &(&String, &Value)| !value.is_null();
        added.chain(kept).filter(is_set).map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}

/// One directive with an address.
impl Codec for AddressShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        !entry.is_block() && entry.count_arguments() > 0
    }

    fn read(&self, entries: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let own = entries.last().and_then(|entry| Address::from_words(entry.arguments()));
        let mut object = own.map(|own| self.object(&own)).unwrap_or_default();
        if let Some(url) = head.and_then(|head| head.globals?.url.as_ref()) {
            object.insert(URL_GLOBAL.to_owned(), url.clone());
        }
        (!object.is_empty()).then_some(Value::Object(object))
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        if let Value::String(_) | Value::Bool(_) = value {
            let message = format!("expected an object, found {}", kind_of(&value));
            let hint = format!("the {} is the member `{}`", self.noun, self.address);
            return normalizer.wrong_with(at, message, hint);
        }
        let members = normalizer.each_member(value, at, |normalizer, key, value, at| match value {
            Value::Null if self.is_member(key) => Some(Value::Null),
            Value::Bool(false) if key == self.address && self.may_be_false => Some(value),
            value if key == self.address => normalizer.string(value, at),
            value if Some(key) == self.options => {
                normalizer.each_member(value, at, |normalizer, _, value, at| match value {
                    Value::Null | Value::Bool(true) => Some(value),
                    value => normalizer.string(value, at),
                })
            }
            _ if self.members.by_key(key).is_some() => None,
            _ => normalizer.unknown_member(at, &self.keys()),
        });
        members.filter(|members| members.as_object().is_some_and(|members| !members.is_empty()))
    }

    /// The address stays if the patch lacks it, and so do the options; `false` removes the options.
    fn merge(&self, old: Old<'_, '_>, patch: &Value, at: &Pointer, faults: &mut Faults) -> Option<Value> {
        let old = |key: &str| old.value.and_then(|value| value.get(key));
        let (key, options) = (self.address, self.options.unwrap_or_default());
        let url = patch.as_object()?.get(key).or(old(key)).filter(|url| !url.is_null());
        let opens = url == Some(&Value::Bool(false)) && old(key) != url;
        let merged = self.merged_options(opens, old(options), patch.get(options));
        let Some(url) = url else {
            if !merged.is_empty() {
                let message = "extra parameters without a url can't be written";
                let hint = "set the url too, or remove the whole with null";
                faults.push(Fault::wrong_type(&at.child(key), message).hint(hint));
            }
            return None;
        };
        let mut object = Map::from_iter([(key.to_owned(), url.clone())]);
        if !merged.is_empty() {
            object.insert(options.to_owned(), Value::Object(merged));
        }
        Some(Value::Object(object))
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        vec![self.line(keyword, value)]
    }

    fn member(&'static self, key: &str) -> Result<Place, Fault> {
        match key {
            _ if key == self.address => Ok(Place::BackendUrl),
            _ if Some(key) == self.options => Ok(Place::Extras),
            _ => self.members.by_key(key).map(Place::Own).ok_or_else(|| no_member(&self.keys())),
        }
    }

    /// Another word than `false` that switches something on or off is no address.
    fn parse(&self, text: &str) -> Result<Value, Fault> {
        if opens(text, '{') {
            return object(text);
        }
        if !text.starts_with('"') && !matches!(json(text)?, None | Some(Value::Bool(false))) {
            return Err(unlike(self.usage));
        }
        let value = of_words(self, self.usage, text)?;
        match &value[self.address] {
            Value::Bool(_) if self.options_of(&value).next().is_some() => {
                Err(Fault::of_path("`false` takes no options"))
            }
            Value::String(url) if !text.starts_with('"') && (SWITCH.parse)(url).is_some() => {
                Err(unlike(self.usage))
            }
            _ => Ok(value),
        }
    }

    fn has_options(&self, _: Entry<'_>) -> bool {
        true
    }

    fn facts(&'static self) -> Facts {
        Facts {
            usage: self.usage,
            json_form: self.json_form,
            value_type: "object",
            json: JsonForm::Object,
            address: Some(self),
            ..Facts::NONE
        }
    }
}

/// A directive for each address of a list. The first one of a stream may stand in its header.
#[derive(Debug)]
pub struct AddressesShape(
    /// One of them.
    pub &'static AddressShape,
    /// The form in JSON, for the manual.
    pub &'static str,
);

impl Codec for AddressesShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        self.0.fits(entry)
    }

    fn read(&self, entries: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let header = head.filter(|head| head.kind.has_sources()).map(|head| head.entry);
        let in_header = header.and_then(header_address).into_iter();
        let addresses = in_header.chain(entries.iter().flat_map(|&entry| self.0.addresses(entry)));
        let list: Vec<Value> = addresses.map(|address| self.0.object(&address).into()).collect();
        (!list.is_empty()).then_some(Value::Array(list))
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        let AddressShape { noun, address, .. } = *self.0;
        let scope = self.0.option_scope();
        normalizer.elements(value, at, |normalizer, value, at| {
            if let Value::String(_) = value {
                let hint = format!("a {noun} is an object with the member `{address}`");
                return normalizer.wrong_with(at, "expected an object, found a string", hint);
            }
            let members = normalizer.object(value, at)?;
            if members.get(address).is_none_or(Value::is_null) {
                return normalizer.wrong(&at.child(address), format!("a {noun} without a {address}"));
            }
            let normalized = normalizer.each(members, at, |normalizer, key, value, at| match key {
                _ if value.is_null() => None,
                key if key == address => normalizer.string(value, at),
                key if has_needless_escape(scope, key) => normalizer.needless_escape(key, at),
                _ => normalizer.option(value, at),
            });
            Some(Value::Object(normalized))
        })
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        value.as_array().into_iter().flatten().map(|value| self.0.line(keyword, value)).collect()
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Err(is_list(ELEMENTS))
    }

    fn entry(&'static self) -> Option<Place> {
        Some(Place::Source(self.0.members))
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        let list = elements(text, |text| self.0.parse_one(text).map(|address| vec![address]))?;
        let Value::Array(list) = list else { return Ok(list) };
        // Those that are only an address may be strings.
        let list = list.into_iter().map(|entry| entry.as_str().map(|url| self.0.only(url)).unwrap_or(entry));
        Ok(list.collect())
    }

    fn parse_string(&self, text: &str) -> Result<Value, Fault> {
        Ok(Value::Array(vec![self.0.only(text)]))
    }

    fn has_options(&self, entry: Entry<'_>) -> bool {
        entry.keyword() != self.0.plural
    }

    fn facts(&'static self) -> Facts {
        Facts {
            usage: self.0.usage,
            json_form: self.1,
            value_type: "list of objects",
            json: JsonForm::List,
            sources: Some(self.0),
            ..Facts::NONE
        }
    }
}

/// The source in the header of a one-line stream.
pub fn header_address(header: Entry<'_>) -> Option<Address<'_>> {
    let mut words = header.arguments();
    words.next().filter(|_| !header.is_block())?;
    Address::from_words(words)
}
