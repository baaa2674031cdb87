//! Edits single words: only the words that differ change.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use crate::edit::align::{ElementOrigin, align};
use crate::edit::emit;
use crate::edit::fault::{Fault, Faults};
use crate::edit::json_pointer::Pointer;
use crate::model::member::{key_of, keyword_of};
use crate::model::schema::{AddressOptions, BACKEND_OPTIONS, SOURCE_OPTIONS, Scope};
use crate::model::secret::holds_mask;
use crate::model::setting_view::is_open;
use crate::model::shape::{Address, OptionWord};
use crate::model::{json_value, quoting};
use crate::syntax::{Entry, Splice, Word, needs_quotes};

/// Collects the edits of the words of one entry.
pub struct WordEdits<'d> {
    text: &'d str,
    splices: Vec<Splice>,
}

impl<'d> WordEdits<'d> {
    pub fn new(entry: Entry<'d>) -> Self {
        Self { text: entry.document().text(), splices: Vec::new() }
    }

    /// Returns the splices in the order of the text.
    pub fn finish(mut self) -> Vec<Splice> {
        self.splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        self.splices
    }

    /// Puts `new` in the place of a word.
    pub fn replace(&mut self, word: Word<'_>, new: impl Into<String>) {
        let new = new.into();
        if word.raw != new {
            self.splices.push(Splice { range: range(word), text: new });
        }
    }

    /// Removes a word and the white space in front of it.
    pub fn remove(&mut self, word: Word<'_>) {
        let start = word.start as usize;
        let gap = self.text[..start].trim_end_matches([' ', '\t', '\r', '\n']).len();
        let line = || &self.text[memchr::memrchr(b'\n', &self.text.as_bytes()[..gap]).unwrap_or(0)..gap];
        let behind_comment = self.text[gap..start].contains('\n') && line().contains('#');
        let from = if behind_comment { self.text[..start].trim_end_matches([' ', '\t']).len() } else { gap };
        self.splices.push(Splice { range: from..word.end() as usize, text: String::new() });
    }

    /// Puts a new word behind the byte at `end`, which is where a word ends.
    pub fn insert(&mut self, end: u32, new: &str) {
        let at = end as usize;
        self.splices.push(Splice { range: at..at, text: format!(" {new}") });
    }

    /// Turns a list of words into another; `old` and `new` are their values, `written` the new text
    /// of each, in the place of a word or beside those that are there.
    pub fn list(
        &mut self,
        before: Word<'_>,
        words: &[Word<'_>],
        old: &[Value],
        new: &[Value],
        written: impl Fn(usize, Option<Word<'_>>) -> String,
    ) {
        let alignment = align(old, new);
        let mut previous = before.end();
        for (at, origin) in alignment.new.iter().enumerate() {
            match *origin {
                ElementOrigin::Kept(index) => previous = words[index].end(),
                ElementOrigin::Edited(index) => {
                    self.replace(words[index], written(at, Some(words[index])));
                    previous = words[index].end();
                }
                ElementOrigin::Moved(index) => self.insert(previous, words[index].raw),
                ElementOrigin::New => self.insert(previous, &written(at, None)),
            }
        }
        alignment.gone.iter().for_each(|&index| self.remove(words[index]));
    }
}

fn range(word: Word<'_>) -> Range<usize> {
    word.start as usize..word.end() as usize
}

/// Edits the words of a backend; new extras are put in front of the existing ones.
pub fn backend(
    edits: &mut WordEdits<'_>,
    backend: &Address<'_>,
    target: &Value,
    pointer: &Pointer,
) -> Result<(), Faults> {
    let url = &target["url"];
    let same = match url {
        Value::Bool(false) => is_open(backend),
        _ => !is_open(backend) && url.as_str() == Some(&*backend.positional.value()),
    };
    if !same {
        edits.replace(backend.positional, emit::backend_url(url));
    }
    let empty = Map::new();
    let extra = target.get("extra").and_then(Value::as_object).unwrap_or(&empty);
    BACKEND_OPTIONS.edit(edits, backend, extra, &pointer.child("extra"))
}

/// Edits the words of a source.
pub fn source(
    edits: &mut WordEdits<'_>,
    source: &Address<'_>,
    target: &Value,
    pointer: &Pointer,
) -> Result<(), Faults> {
    if target["url"].as_str() != Some(&*source.positional.value()) {
        edits.replace(source.positional, json_value::plain_word(&target["url"]));
    }
    let mut wanted = target.as_object().cloned().unwrap_or_default();
    wanted.shift_remove("url");
    SOURCE_OPTIONS.edit(edits, source, &wanted, pointer)
}

impl AddressOptions {
    fn edit(
        &self,
        edits: &mut WordEdits<'_>,
        address: &Address<'_>,
        wanted: &Map<String, Value>,
        pointer: &Pointer,
    ) -> Result<(), Faults> {
        let effective: Vec<_> = address.effective().collect();
        let mut faults = Faults::default();
        let gone = address.options.iter().filter(|option| !wanted.contains_key(&self.json_key(option)));
        gone.for_each(|option| edits.remove(option.word));
        for option in &effective {
            let key = self.json_key(option);
            match wanted.get(&key) {
                None => {}
                Some(value) if *value == Value::from(self.value(option)) => {}
                Some(value) => faults.0.extend(self.change(edits, option, value, &pointer.child(key)).err()),
            }
        }
        let last = address.options.last().map_or(address.positional, |option| option.word);
        let behind = if self.new_first { address.positional } else { last };
        let known: HashSet<String> = effective.iter().map(|option| self.json_key(option)).collect();
        for (key, value) in wanted.iter().filter(|(key, _)| !known.contains(*key)) {
            match writable_key(keyword_of(self.scope, key), &pointer.child(key)) {
                Ok(()) => {
                    edits.insert(behind.end(), &emit::option_word(self, keyword_of(self.scope, key), value))
                }
                Err(fault) => faults.push(fault),
            }
        }
        faults.into_result(())
    }

    fn json_key(&self, option: &OptionWord<'_>) -> String {
        key_of(self.scope, &option.key.value()).into_owned()
    }

    /// Changes the value of an option; its key keeps its spelling.
    fn change(
        &self,
        edits: &mut WordEdits<'_>,
        option: &OptionWord<'_>,
        value: &Value,
        pointer: &Pointer,
    ) -> Result<(), Fault> {
        let key = option.key.value();
        let written = emit::option_word(self, &key, value);
        let new_value = written.strip_prefix(&*key).and_then(|rest| rest.strip_prefix('='));
        match (option.value, new_value) {
            (Some(old), Some(new)) => edits.replace(old, quoting::value(old, value, new.to_owned())),
            // Under the word rule `key=true` is a flag, too, and an option with a value keeps one.
            (Some(old), None) if !self.kind.is_text && old.raw == "false" => {
                edits.replace(old, "true");
            }
            (Some(_), None) if option.key.raw.is_empty() => return Err(unwritable_key(pointer)),
            (Some(_), None) => edits.replace(option.word, option.key.raw),
            (None, Some(new)) => edits.insert_value(option.word, new),
            (None, None) => {}
        }
        Ok(())
    }
}

impl WordEdits<'_> {
    fn insert_value(&mut self, flag: Word<'_>, value: &str) {
        let at = flag.end() as usize;
        self.splices.push(Splice { range: at..at, text: format!("={value}") });
    }
}

/// Refuses a new option whose key could not be separated from its value.
pub fn writable_key(key: &str, pointer: &Pointer) -> Result<(), Fault> {
    if !key.is_empty() && !key.contains(['=', '\0']) && !needs_quotes(key) && !holds_mask(key) {
        return Ok(());
    }
    Err(unwritable_key(pointer))
}

fn unwritable_key(pointer: &Pointer) -> Fault {
    let fault = Fault::wrong_type(pointer, "an option can't have this key");
    fault.hint("a key is not empty and holds no `=`, quotes, white space or NUL")
}

/// Refuses the new options of a source that is written whole.
pub fn writable_source(element: &Value, pointer: &Pointer) -> Faults {
    let keys = element.as_object().into_iter().flatten().map(|(key, _)| key).filter(|key| *key != "url");
    Faults(
        keys.filter_map(|key| writable_key(keyword_of(Scope::Source, key), &pointer.child(key)).err())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::{Pointer, writable_key};

    #[test]
    fn keys_that_could_not_be_read_back_are_refused() {
        let is_writable = |key: &&str| writable_key(key, &Pointer::root()).is_ok();
        assert!(["a", "a.b/c", "@url", "ключ"].iter().all(is_writable));
        assert!(!["", "a=b", "a b", "a;", "a\"b", "'a", "a\0b", "<secret:abc123>"].iter().any(is_writable));
    }
}
