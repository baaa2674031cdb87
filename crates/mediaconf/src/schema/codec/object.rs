//! Directives of several words: `edit_auth LOGIN PASSWORD;`, whose words are the members of an object, and
//! `transcoder vb=1024k …;`, an array of `[name, value]`.

use serde_json::{Map, Value};

use super::{directive, elements, json_string, no_member, of_words, opens, unlike, written_key};
use crate::schema::{
    BlockHead, Codec, Facts, Fault, JsonForm, Normalizer, ObjectShape, OptionsShape, Part, PartPlace, Place,
    TEXT, is_empty, json, listed, of_kind, of_word, read_words, scalar_text, word,
};
use crate::syntax::{Entry, Word};

impl Part {
    /// True if it may be left out.
    pub fn is_optional(&self) -> bool {
        self.place == PartPlace::Optional
    }

    /// True if it takes all words that are no other part.
    pub fn is_rest(&self) -> bool {
        self.place == PartPlace::Rest
    }

    /// The type of its value in JSON, in short.
    pub fn json_form(&self) -> &'static str {
        if self.is_rest() { "a list of words" } else { self.kind.json_form }
    }

    /// Reads a text of the command line.
    pub fn parse(&self, text: &str) -> Result<Value, Fault> {
        if !self.is_rest() {
            // Normalizing refuses other texts.
            let value = (self.kind.parse)(text).filter(|_| !text.starts_with('"'));
            return value.map_or_else(|| of_kind(&TEXT, text), Ok);
        }
        let quoted = |text: &str| json_string(text).map(|word| vec![word.into()]);
        let words = |text: &str| quoted(text).or_else(|| read_words(text, of_word));
        elements(text, |text| words(text).ok_or_else(|| unlike("words, or a JSON array")))
    }

    fn reads(&self, word: Word<'_>) -> bool {
        (self.kind.read)(Some(word)).is_some()
    }
}

impl ObjectShape {
    /// The part with this JSON key.
    pub fn part(&self, key: &str) -> Option<&'static Part> {
        self.parts.iter().find(|part| part.key == key)
    }

    /// The parts whose words have to be there.
    pub fn required(&self) -> impl ExactSizeIterator<Item = &'static Part> + use<> {
        let count = self.parts.iter().filter(|part| part.place == PartPlace::Required).count();
        self.parts[..count].iter()
    }

    /// The part that may stand in the place of this one.
    pub fn alternative(&self, part: &Part) -> Option<&'static Part> {
        let at = self.parts.iter().position(|known| known.key == part.key)?;
        self.parts.get(at + 1).filter(|next| next.place == PartPlace::Instead)
    }

    fn keys(&self) -> Vec<&'static str> {
        self.parts.iter().map(|part| part.key).collect()
    }

    /// Pairs each word behind the keyword with its part; `None` for a word that fits no part.
    ///
    /// If several words have the same part, the last one counts.
    pub fn part_words<'t>(&self, of: Entry<'t>) -> impl Iterator<Item = (Option<&'static Part>, Word<'t>)> {
        let mut required = self.required();
        of.arguments().map(move |word| (self.part_of(required.next(), word), word))
    }

    /// The optional part that a word has the form of.
    pub fn optional_part(&self, word: Word<'_>) -> Option<&'static Part> {
        self.parts.iter().find(|part| part.is_optional() && part.reads(word))
    }

    /// The part of a word; `required` is the next part that has to be there.
    fn part_of(&self, required: Option<&'static Part>, word: Word<'_>) -> Option<&'static Part> {
        let Some(required) = required else {
            return self.optional_part(word).or(self.parts.last().filter(|last| last.is_rest()));
        };
        self.alternative(required).filter(|part| part.reads(word)).or(Some(required))
    }

    /// The word of a part. A text that would be read as another part is quoted.
    pub fn part_word(&self, part: &Part, value: &Value) -> String {
        let text = scalar_text(value).unwrap_or_default();
        let bare = Word::new(&text, 0);
        let is_another = match part.place {
            PartPlace::Required => self.alternative(part).is_some_and(|other| other.reads(bare)),
            PartPlace::Rest => self.optional_part(bare).is_some(),
            PartPlace::Instead | PartPlace::Optional => false,
        };
        if is_another { Word::in_quotes(&text) } else { (part.kind.write)(value).unwrap_or_default() }
    }
}

impl Codec for ObjectShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        let takes_all = self.parts.last().is_some_and(Part::is_rest);
        let have_parts = || self.part_words(entry).all(|(part, _)| part.is_some());
        !entry.is_block() && entry.count_arguments() >= self.required().len() && (takes_all || have_parts())
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let words: Vec<_> = self.part_words(*entries.last()?).collect();
        let value = |part: &'static Part| {
            let own = words.iter().filter(|(of, _)| of.is_some_and(|of| of.key == part.key));
            let mut own = own.map(|(_, word)| *word);
            match part.is_rest() {
                true => Some(own.map(of_word).collect()).filter(|words| !is_empty(words)),
                false => own.next_back().and_then(|word| (part.kind.read)(Some(word))),
            }
        };
        Some(self.parts.iter().filter_map(|part| Some((part.key.to_owned(), value(part)?))).collect())
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        at.members(value, |at, key, value| {
            let Some(part) = self.part(key) else { return at.told(no_member(&self.keys())) };
            match value {
                Value::Null if part.place == PartPlace::Required && self.alternative(part).is_none() => {
                    at.wrong(format!("the {key} can't be removed alone"), "unset the whole directive")
                }
                Value::Null => Some(value),
                value if part.is_rest() => {
                    let words = at.elements(value, |at, _, word| at.scalar(word))?;
                    Some(if is_empty(&words) { Value::Null } else { words })
                }
                value => at.value(part.kind, &value),
            }
        })
    }

    /// Members that the patch lacks stay; of two parts in the same place, the one of the patch replaces the other.
    fn merge(&self, old: Option<&Value>, patch: &Value, at: &mut Normalizer) -> Option<Value> {
        let patch = patch.as_object()?;
        if old.is_none() && patch.values().all(Value::is_null) {
            return None;
        }
        let mut merged = old.and_then(Value::as_object).cloned().unwrap_or_default();
        merged.extend(patch.clone());
        let is_set = |key: &str| patch.get(key).is_some_and(|value| !value.is_null());
        for part in self.required() {
            let alternative = self.alternative(part);
            let keys: Vec<&str> = std::iter::once(part).chain(alternative).map(|part| part.key).collect();
            match keys.iter().copied().filter(|key| is_set(key)).collect::<Vec<_>>()[..] {
                [first, second] => {
                    let message = format!("`{first}` and `{second}` exclude each other");
                    at.below(second, |at| at.wrong(message, "give one of them"));
                }
                [set] => merged.retain(|key, _| key == set || !keys.contains(&key.as_str())),
                _ => {}
            }
            if keys.iter().all(|key| merged.get(*key).is_none_or(Value::is_null)) {
                let all = || format!("give one of {}", listed(&keys, "and"));
                let hint = alternative.map(|_| all()).unwrap_or_default();
                at.below(part.key, |at| at.wrong(format!("the {} is missing", part.key), &hint));
            }
        }
        merged.retain(|_, value| !value.is_null());
        Some(Value::Object(merged))
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let words_of = |part: &'static Part| match value.get(part.key) {
            Some(Value::Array(words)) => words.iter().map(|word| self.part_word(part, word)).collect(),
            Some(value) => vec![self.part_word(part, value)],
            None => Vec::new(),
        };
        vec![directive(keyword, self.parts.iter().flat_map(words_of))]
    }

    fn member(&'static self, key: &str) -> Result<Place, Fault> {
        self.part(key).map(Place::Part).ok_or_else(|| no_member(&self.keys()))
    }

    /// Parts without a word are null, so that the words replace the whole old value.
    fn parse(&self, text: &str) -> Result<Value, Fault> {
        let members = of_words(self, self.usage, text)?;
        let member = |part: &Part| (part.key.to_owned(), members.get(part.key).cloned().unwrap_or_default());
        Ok(self.parts.iter().map(member).collect::<Map<_, _>>().into())
    }

    fn facts(&'static self) -> Facts {
        Facts { object: Some(self), ..Facts::new([self.usage, self.json_form], JsonForm::Object) }
    }
}

impl OptionsShape {
    /// The names of a known option, in the text and in JSON, by either of them.
    fn known(&self, name: &str) -> Option<(&'static str, &'static str)> {
        self.known.into_iter().find(|(keyword, key)| *keyword == name || *key == name)
    }

    /// The JSON name of an option.
    fn key(&self, name: &str) -> Value {
        self.known(name).map_or(name, |(_, key)| key).into()
    }

    /// An option as its list shows it: `[name, value]`, or `[name]` for a bare flag.
    pub fn pair(&self, word: Word<'_>) -> Value {
        let (name, value) = word.option();
        let name = name.value();
        let known = self.known(&name).and_then(|_| (self.kind.read)(value));
        std::iter::once(self.key(&name)).chain(known.or_else(|| value.map(of_word))).collect()
    }

    /// Reads one option of a command line, as words or as JSON.
    pub fn parse_pair(&self, text: &str) -> Result<Value, Fault> {
        let pair = match opens(text, '[') {
            true => json(text)?.filter(Value::is_array),
            false => read_words(text, |word| self.pair(word))
                .and_then(|mut pairs| pairs.pop().filter(|_| pairs.is_empty())),
        };
        pair.ok_or_else(|| unlike("one option of the transcoder"))
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

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        at.elements(value, |at, _, pair| {
            let Value::Array(pair) = pair else { return at.unlike("[name, value]", &pair, "") };
            let Some(Value::String(name)) = pair.first() else {
                return at.below("0", |name| name.wrong("the name of an option is a string", ""));
            };
            at.below("0", |at| at.option(name, Value::Null))?;
            let key = self.key(name);
            let value = match &pair[1..] {
                [] => return Some(Value::Array(vec![key])),
                [value] => at.below("1", |at| at.scalar(value.clone()))?,
                _ => return at.wrong("an option is [name, value]", ""),
            };
            let known = self.known(name).and_then(|_| (self.kind.parse)(value.as_str()?));
            Some(Value::Array(vec![key, known.unwrap_or(value)]))
        })
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let option = |pair: &Value| {
            let name = pair[0].as_str().unwrap_or_default();
            let known = self.known(name);
            let key = known.map_or_else(|| written_key(name), |(keyword, _)| keyword.into());
            let Some(value) = pair.get(1) else { return key.into_owned() };
            let text = known.and_then(|_| (self.kind.write)(value)).unwrap_or_else(|| word(value));
            format!("{key}={text}")
        };
        vec![directive(keyword, value.as_array().into_iter().flatten().map(option))]
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        let usage = if opens(text, '[') { "a JSON array" } else { "options of the transcoder" };
        let pairs = |text: &str| read_words(text, |word| self.pair(word)).filter(|_| !opens(text, '['));
        elements(text, |text| pairs(text).ok_or_else(|| unlike(usage)))
    }

    fn facts(&'static self) -> Facts {
        let described = ["NAME=VALUE options", "an array of [name, value]"];
        let element = Some(Place::Pair(self));
        Facts { options: Some(self), element, ..Facts::new(described, JsonForm::List) }
    }
}
