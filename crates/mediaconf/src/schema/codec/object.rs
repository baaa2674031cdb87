//! `edit_auth LOGIN PASSWORD;`, one directive whose words are the members of an object.

use serde_json::{Map, Value};

use super::{
    BlockHead, Codec, Entry, Facts, Fault, Faults, JsonForm, Normalizer, Object, ObjectShape, Old, Part,
    PartPlace, Place, Pointer, Scalar, Word, array, directive, elements, free_words, is_empty, kind_of,
    no_member, object, of_words, opens, quoted_word, scalar_text,
};

impl Part {
    /// True if its words are all those that are no other part.
    pub fn is_rest(&self) -> bool {
        self.place == PartPlace::Rest
    }

    /// Reads a text of the command line.
    pub fn parse(&self, text: &str) -> Result<Value, Fault> {
        match self.is_rest() {
            true => elements(text, free_words),
            // Normalizing refuses other texts.
            false => Ok((self.kind.parse)(text).unwrap_or_else(|| text.into())),
        }
    }

    fn reads(&self, word: Word<'_>) -> bool {
        (self.kind.read)(Some(word)).is_some()
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        if !self.is_rest() {
            return normalizer.value(self.kind, value, at);
        }
        let words = normalizer.elements(value, at, Normalizer::option);
        words.filter(|words| !is_empty(words)).or(Some(Value::Null))
    }
}

impl ObjectShape {
    fn required_parts(&self) -> impl Iterator<Item = &'static Part> + use<> {
        self.parts.iter().filter(|part| part.place == PartPlace::Required)
    }

    /// Pairs each word behind the keyword with its part; `None` for a word that fits no part.
    ///
    /// If several words have the same part, the last one counts.
    pub fn part_words<'t>(
        &self,
        entry: Entry<'t>,
    ) -> impl Iterator<Item = (Option<&'static Part>, Word<'t>)> {
        let mut required = self.required_parts();
        entry.arguments().map(move |word| (self.part_of(required.next(), word), word))
    }

    /// The part of a word; `required` is the next part that has to be there.
    fn part_of(&self, required: Option<&'static Part>, word: Word<'_>) -> Option<&'static Part> {
        match required {
            Some(required) => self.alternative(required).filter(|part| part.reads(word)).or(Some(required)),
            None => self.parts.iter().find(|part| match part.place {
                PartPlace::Required | PartPlace::Instead => false,
                PartPlace::Optional => part.reads(word),
                PartPlace::Rest => true,
            }),
        }
    }

    /// The word of a part, written in the place of `replaced`. A text that would be read as another part is quoted.
    pub fn part_word(&self, part: &Part, value: &Value, replaced: Option<Word<'_>>) -> String {
        let text = scalar_text(value).unwrap_or_default();
        let reads = |other: &Part| other.reads(Word::new(&text, 0));
        let is_another = match part.place {
            PartPlace::Required => self.alternative(part).is_some_and(reads),
            PartPlace::Rest => {
                self.parts.iter().any(|other| other.place == PartPlace::Optional && reads(other))
            }
            PartPlace::Instead | PartPlace::Optional => false,
        };
        if is_another { quoted_word(&text) } else { (part.kind.write)(value, replaced).unwrap_or_default() }
    }

    /// Turns the words of a patch into members; members without a word are removed by null.
    fn members_of_words(
        &self,
        words: Vec<Value>,
        at: &Pointer,
        normalizer: &mut Normalizer,
    ) -> Option<Value> {
        let mut members: Object = self.parts.iter().map(|part| (part.key.to_owned(), Value::Null)).collect();
        let mut required = self.required_parts();
        for (index, value) in words.into_iter().enumerate() {
            let Some(text) = scalar_text(&value) else {
                let message = format!("expected a word, found {}", kind_of(&value));
                return normalizer.wrong(&at.child(index), message);
            };
            let Some(part) = self.part_of(required.next(), Word::new(&text, 0)) else {
                let message = "unexpected word: the directive takes fewer words";
                return normalizer.wrong(&at.child(index), message);
            };
            match (part.place, &mut members[part.key]) {
                (PartPlace::Rest, Value::Array(words)) => words.push(value),
                (PartPlace::Rest, none) => *none = Value::Array(vec![value]),
                (PartPlace::Instead, member) => *member = text.trim_start_matches('@').into(),
                (_, member) => *member = text.into(),
            }
        }
        Some(Value::Object(members))
    }
}

impl Codec for ObjectShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        let takes_all = || self.part_words(entry).all(|(part, _)| part.is_some());
        !entry.is_block()
            && entry.count_arguments() >= self.required()
            && (self.takes_others() || takes_all())
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let words: Vec<_> = self.part_words(*entries.last()?).collect();
        let value = |part: &'static Part| {
            let mut own = words.iter().filter(|(of, _)| *of == Some(part)).map(|(_, word)| *word);
            match part.is_rest() {
                true => Some(own.map(|word| Value::from(Scalar::from_word(word))).collect())
                    .filter(|words| !is_empty(words)),
                false => own.next_back().and_then(|word| (part.kind.read)(Some(word))).map(Value::from),
            }
        };
        Some(self.parts.iter().filter_map(|part| Some((part.key.to_owned(), value(part)?))).collect())
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        let value = match value {
            Value::Array(words) if self.takes_words && !words.is_empty() => {
                self.members_of_words(words, at, normalizer)?
            }
            Value::String(_) if self.takes_words => self.members_of_words(vec![value], at, normalizer)?,
            other => other,
        };
        normalizer.each_member(value, at, |normalizer, key, value, at| match self.part(key) {
            Some(part)
                if value.is_null()
                    && part.place == PartPlace::Required
                    && self.alternative(part).is_none() =>
            {
                let hint = format!(
                    "`--unset {}` removes the whole, as `null` in its place does in JSON",
                    at.path_above()
                );
                normalizer.wrong_with(at, format!("the {key} can't be removed alone"), hint)
            }
            Some(_) if value.is_null() => Some(value),
            Some(part) => part.normalize(value, at, normalizer),
            None => normalizer.unknown_member(at, &self.keys()),
        })
    }

    /// Members that the patch lacks stay; of two parts in the same place, the one of the patch replaces the other.
    fn merge(&self, old: Old<'_, '_>, patch: &Value, at: &Pointer, faults: &mut Faults) -> Option<Value> {
        let Value::Object(patch) = patch else { return (!patch.is_null()).then(|| patch.clone()) };
        if old.value.is_none() && patch.values().all(Value::is_null) {
            return None;
        }
        let mut merged = old.value.and_then(Value::as_object).cloned().unwrap_or_default();
        merged.extend(patch.iter().map(|(key, value)| (key.clone(), value.clone())));
        for part in self.required_parts() {
            let is_given = |part: &Part| patch.get(part.key).is_some_and(|value| !value.is_null());
            let alternative = self.alternative(part);
            if let Some(other) = alternative {
                match (is_given(part), is_given(other)) {
                    (true, true) => {
                        let message = format!("`{}` and `{}` exclude each other", part.key, other.key);
                        faults.push(Fault::wrong_type(&at.child(other.key), message));
                    }
                    (true, false) => drop(merged.shift_remove(other.key)),
                    (false, true) => drop(merged.shift_remove(part.key)),
                    (false, false) => {}
                }
            }
            let is_there = |part: &Part| merged.get(part.key).is_some_and(|value| !value.is_null());
            if !is_there(part) && !alternative.is_some_and(is_there) {
                let message = format!("the {} is missing", part.key);
                faults.push(Fault::wrong_type(&at.child(part.key), message));
            }
        }
        merged.retain(|_, value| !value.is_null());
        Some(Value::Object(merged))
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let words_of = |part: &'static Part| match value.get(part.key) {
            Some(Value::Array(words)) => words.iter().map(|word| self.part_word(part, word, None)).collect(),
            Some(value) => vec![self.part_word(part, value, None)],
            None => Vec::new(),
        };
        vec![directive(keyword, self.parts.iter().flat_map(words_of))]
    }

    fn member(&'static self, key: &str) -> Result<Place, Fault> {
        self.part(key).map(Place::Part).ok_or_else(|| no_member(&self.keys()))
    }

    /// Parts without a word are null, so that the words replace the whole old value.
    fn parse(&self, text: &str) -> Result<Value, Fault> {
        if self.takes_words && opens(text, '[') {
            return array(text);
        }
        if opens(text, '{') {
            return object(text);
        }
        let members = of_words(self, self.usage, text)?;
        let member = |part: &Part| (part.key.to_owned(), members.get(part.key).cloned().unwrap_or_default());
        Ok(self.parts.iter().map(member).collect::<Map<_, _>>().into())
    }

    fn facts(&'static self) -> Facts {
        Facts {
            usage: self.usage,
            json_form: self.json_form,
            value_type: "object",
            json: JsonForm::Object,
            object: Some(self),
            ..Facts::NONE
        }
    }
}
