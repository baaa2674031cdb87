//! Edits single words: only the words that differ change.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde_json::Value;

use crate::edit::align::{ElementOrigin, align};
use crate::edit::emit;
use crate::edit::fault::{Fault, Faults};
use crate::edit::json_pointer::Pointer;
use crate::model::member::{key_of, keyword_of};
use crate::model::secret::holds_mask;
use crate::model::shape::{Address, OptionWord};
use crate::schema::{AddressShape, quoting};
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
        self.splices.push(Splice { range: from..word.end() as usize, text: "".into() });
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

impl AddressShape {
    /// Edits the words of an address and its options.
    pub(super) fn edit(
        &self,
        edits: &mut WordEdits<'_>,
        address: &Address<'_>,
        target: &Value,
        pointer: &Pointer,
    ) -> Result<(), Faults> {
        let is_false = self.may_be_false && address.is_open();
        let is_same = match &target[self.address] {
            Value::Bool(false) => is_false,
            new => !is_false && new.as_str() == Some(&*address.positional.value()),
        };
        if !is_same {
            edits.replace(address.positional, emit::address_word(self, &target[self.address]));
        }
        let wanted: HashMap<&str, &Value> =
            self.options_of(target).map(|(key, value)| (key.as_str(), value)).collect();
        let pointer = &self.options_at(pointer);
        let effective: Vec<_> = address.effective();
        let mut faults = Faults::default();
        let gone = address.options().filter(|option| !wanted.contains_key(&*self.json_key(option)));
        gone.for_each(|option| edits.remove(option.word));
        for option in &effective {
            let key = self.json_key(option);
            match wanted.get(&*key).copied() {
                None => {}
                Some(value) if *value == Value::from(self.value(option)) => {}
                Some(value) => faults.0.extend(self.change(edits, option, value, &pointer.child(key)).err()),
            }
        }
        let last = address.options().last().map_or(address.positional, |option| option.word);
        let behind = if self.new_first { address.positional } else { last };
        let known: HashSet<String> = effective.iter().map(|option| self.json_key(option)).collect();
        for (key, value) in self.options_of(target).filter(|(key, _)| !known.contains(*key)) {
            let keyword = keyword_of(self.option_scope(), key);
            match writable_key(keyword, &pointer.child(key)) {
                Ok(()) => edits.insert(behind.end(), &emit::option_word(self, keyword, value)),
                Err(fault) => faults.push(fault),
            }
        }
        faults.into_result(())
    }

    fn json_key(&self, option: &OptionWord<'_>) -> String {
        key_of(self.option_scope(), &option.key.value()).into_owned()
    }

    /// The place of the options of the address at `pointer`.
    fn options_at(&self, pointer: &Pointer) -> Pointer {
        self.options.map_or_else(|| pointer.clone(), |key| pointer.child(key))
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

/// Refuses the new options of an address that is written whole.
pub fn writable_options(shape: &AddressShape, value: &Value, pointer: &Pointer) -> Faults {
    let (scope, pointer) = (shape.option_scope(), shape.options_at(pointer));
    let keys = shape.options_of(value).map(|(key, _)| key);
    Faults(keys.filter_map(|key| writable_key(keyword_of(scope, key), &pointer.child(key)).err()).collect())
}
