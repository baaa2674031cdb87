//! `transcoder vb=1024k …;`, an array of `[name, value]`.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    BlockHead, Codec, ELEMENTS, Entry, Facts, Fault, JsonForm, Normalizer, OptionWord, OptionsShape, Place,
    Pointer, Scalar, Word, array, directive, is_list, json, kind_of, opens, read_directive, word,
};

impl OptionsShape {
    /// The JSON name of an option.
    pub fn key<'n>(&self, name: Cow<'n, str>) -> Cow<'n, str> {
        self.known(&name).map_or(name, |known| Cow::Borrowed(known.key))
    }

    /// The value of an option; `None` for a bare flag.
    pub fn value<'t>(&self, option: &OptionWord<'t>) -> Option<Scalar<'t>> {
        let value = option.value?;
        let of_kind = self.known(&option.key.value()).and_then(|known| (known.kind.read)(Some(value)));
        Some(of_kind.unwrap_or_else(|| Scalar::from_word(value)))
    }

    /// An option as its list shows it: `[name, value]`, or `[name]` for a bare flag.
    pub fn pair(&self, word: Word<'_>) -> Value {
        let option = OptionWord::split(word);
        let name = Scalar::Text(self.key(option.key.value()));
        [Some(name), self.value(&option)].into_iter().flatten().map(Value::from).collect()
    }

    /// `[name, value]` as a word.
    pub fn pair_word(&self, pair: &Value) -> String {
        let name = pair[0].as_str().unwrap_or_default();
        let key = self.known(name).map_or(name, |known| known.keyword);
        pair.get(1).map_or_else(|| key.to_owned(), |value| format!("{key}={}", self.value_word(name, value)))
    }

    /// The value of an option as text.
    pub fn value_word(&self, name: &str, value: &Value) -> String {
        let known = self.known(name).and_then(|known| (known.kind.write)(value, None));
        known.unwrap_or_else(|| word(value))
    }

    /// Reads one option of a command line, as words or as JSON.
    pub fn parse_pair(&self, text: &str) -> Result<Value, Fault> {
        let pair = match opens(text, '[') {
            true => json(text)?.filter(Value::is_array),
            false => self.pairs(text).and_then(|pairs| <[Value; 1]>::try_from(pairs).ok()).map(|[pair]| pair),
        };
        pair.ok_or_else(|| Fault::of_path(format!("expected one option of the {}", self.noun)))
    }

    fn pairs(&self, text: &str) -> Option<Vec<Value>> {
        let read = |entry: Entry<'_>| entry.arguments().map(|word| self.pair(word)).collect();
        read_directive(text, read).filter(|pairs: &Vec<Value>| !pairs.is_empty())
    }

    fn normalized(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        let Value::Array(pair) = value else {
            return normalizer.wrong(at, format!("expected [name, value], found {}", kind_of(&value)));
        };
        let mut pair = pair.into_iter();
        let (name, value) = (pair.next(), pair.next());
        if pair.next().is_some() {
            return normalizer.wrong(at, format!("a {} option is [name, value]", self.noun));
        }
        let Some(Value::String(name)) = name else {
            let message = format!("the name of a {} option is a string", self.noun);
            return normalizer.wrong(&at.child(0), message);
        };
        let long_name = Value::String(self.key(Cow::Borrowed(&name)).into_owned());
        let Some(value) = value else { return Some(Value::Array(vec![long_name])) };
        let value = normalizer.option(value, &at.child(1))?;
        let of_kind = self.known(&name).and_then(|known| (known.kind.parse)(value.as_str()?));
        Some(Value::Array(vec![long_name, of_kind.unwrap_or(value)]))
    }
}

impl Codec for OptionsShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        !entry.is_block()
    }

    /// A `transcoder;` without options is not shown.
    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let last = entries.last().filter(|last| last.count_arguments() > 0)?;
        Some(last.arguments().map(|word| self.pair(word)).collect())
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        normalizer.elements(value, at, |normalizer, value, at| self.normalized(value, at, normalizer))
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let pairs = value.as_array().into_iter().flatten();
        vec![directive(keyword, pairs.map(|pair| self.pair_word(pair)))]
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Err(is_list(ELEMENTS))
    }

    fn entry(&'static self) -> Option<Place> {
        Some(Place::Pair(self))
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        if opens(text, '[') {
            return array(text);
        }
        let pairs = self.pairs(text).map(Value::Array);
        pairs.ok_or_else(|| Fault::of_path(format!("expected options of the {}", self.noun)))
    }

    fn has_options(&self, _: Entry<'_>) -> bool {
        true
    }

    fn facts(&'static self) -> Facts {
        Facts {
            usage: "NAME=VALUE options",
            json_form: "an array of [name, value]",
            value_type: "list of [name, value]",
            json: JsonForm::List,
            options: Some(self),
            ..Facts::NONE
        }
    }
}
