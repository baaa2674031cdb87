//! Directives that the general rule shows.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::Planner;
use super::words::WordEdits;
use crate::edit::align::{ElementOrigin, align};
use crate::edit::emit;
use crate::edit::json_pointer::Pointer;
use crate::edit::merge::{contents_value, general_value, occurrences, split_occurrence};
use crate::model::general::{DirectiveForm, scalars};
use crate::model::member::{Members, key_of, keyword_of};
use crate::model::shape::{first_argument, inner_scope};
use crate::schema::{Object, Schema, json_value, quoting};
use crate::syntax::{Entry, Word};

impl<'d> Planner<'_, 'd> {
    /// Plans the change to `target`, which differs from the value of `entries`, all occurrences of `keyword`.
    pub(super) fn foreign(
        &mut self,
        within: Option<Entry<'d>>,
        keyword: &str,
        entries: &[Entry<'d>],
        target: Option<&Value>,
        pointer: &Pointer,
    ) {
        let Some(target) = target else {
            return entries.iter().for_each(|&entry| self.remove(entry));
        };
        if entries.is_empty() {
            return self.add_setting(emit::general(keyword, target), entries);
        }
        match (DirectiveForm::from_entries(entries), target) {
            // Another object is written as one block without a name.
            (DirectiveForm::NamedBlocks, Value::Object(target)) if emit::are_named_blocks(target) => {
                self.named_blocks(keyword, entries, target, pointer)
            }
            (DirectiveForm::Block, Value::Object(target)) => self.contents(entries[0], target, pointer),
            (form, target) => self.occurrences(
                within,
                keyword,
                entries,
                &wanted_occurrences(within, keyword, entries, form, target),
            ),
        }
    }

    fn named_blocks(&mut self, keyword: &str, entries: &[Entry<'d>], target: &Object, pointer: &Pointer) {
        let by_name: HashMap<Cow<'d, str>, Entry<'d>> =
            entries.iter().map(|&entry| (first_argument(entry), entry)).collect();
        let mut new = Vec::new();
        for (key, value) in target {
            let Value::Object(wanted) = value else { continue };
            match by_name.get(key.as_str()) {
                Some(&block) if contents_value(block) == *value => {}
                Some(&block) => self.contents(block, wanted, &pointer.child(key)),
                None => new.push(emit::named_block(keyword, key, wanted)),
            }
        }
        self.add_setting(new, entries);
        entries
            .iter()
            .filter(|&&entry| !target.contains_key(&*first_argument(entry)))
            .for_each(|&entry| self.remove(entry));
    }

    /// Plans the change to `target` inside a foreign block.
    pub(super) fn contents(&mut self, block: Entry<'d>, target: &Object, pointer: &Pointer) {
        let outer = std::mem::take(&mut self.pending);
        let within = Some(block);
        let members = Members::group(inner_scope(block), block.children());
        let scope = members.scope();
        for (parameter, entries) in members.each_own() {
            let wanted = target.get(parameter.key);
            if parameter.codec.read(entries, None).as_ref() != wanted {
                let pointer = pointer.child(parameter.key);
                match (parameter.codec.facts().sources, wanted) {
                    (Some(_), Some(wanted)) => self.sources(within, entries, wanted, &pointer),
                    _ => self.setting(parameter, entries, wanted, &pointer),
                }
            }
        }
        for member in members.foreign() {
            let key = key_of(scope, &member.keyword);
            let wanted = target.get(&*key);
            if general_value(&member.entries).as_ref() != wanted {
                let keyword = keyword_of(scope, &key);
                self.foreign(within, keyword, &member.entries, wanted, &pointer.child(&key));
            }
        }
        for (key, value) in target.iter().filter(|(key, _)| scope.by_key(key).is_none()) {
            let keyword = keyword_of(scope, key);
            if members.foreign_by_keyword(keyword).is_empty() {
                self.foreign(within, keyword, &[], Some(value), &pointer.child(key));
            }
        }
        self.place_pending(within);
        self.pending = outer;
    }

    fn occurrences(
        &mut self,
        within: Option<Entry<'d>>,
        keyword: &str,
        entries: &[Entry<'d>],
        new: &[Value],
    ) {
        let old: Vec<Value> = entries.iter().map(|&entry| occurrence(entry)).collect();
        let alignment = align(&old, new);
        for (at, origin) in alignment.new.iter().enumerate() {
            if let ElementOrigin::Edited(index) = *origin {
                self.edit_occurrence(entries[index], &new[at]);
            }
        }
        let draft = |at: usize| emit::occurrence(keyword, words_of(&new[at]));
        self.put_elements(within, entries, &alignment, draft);
    }

    fn edit_occurrence(&mut self, entry: Entry<'d>, target: &Value) {
        let (wanted, block) = split_occurrence(target);
        let words: Vec<Word<'d>> = entry.arguments().collect();
        let old: Vec<Value> = scalars(entry).collect();
        let keyword = entry.words().next().expect("an entry has a keyword");
        let mut edits = WordEdits::new(entry);
        edits.list(keyword, &words, &old, wanted, |index, replaced| {
            let written = json_value::word(&wanted[index]);
            match replaced {
                Some(word) => quoting::word(word, &wanted[index], written),
                None => written,
            }
        });
        self.rewrite(edits.finish());
        self.block(entry, block, &Pointer::root());
    }
}

/// The occurrences whose value is `target`, in the form of `entries`: true is a bare flag, but the
/// options of a port keep their value: `api false;` becomes `api true;`, not `api;`.
fn wanted_occurrences(
    within: Option<Entry<'_>>,
    keyword: &str,
    entries: &[Entry<'_>],
    form: DirectiveForm,
    target: &Value,
) -> Vec<Value> {
    let is_of_port = || within.is_some_and(is_port);
    match target {
        Value::Bool(true) if form == DirectiveForm::Directive && is_of_port() && says_boolean(entries[0]) => {
            vec![Value::Array(vec![Value::Bool(true)])]
        }
        target => occurrences(keyword, target),
    }
}

fn is_port(block: Entry<'_>) -> bool {
    Schema::media().top().by_keyword(&block.keyword()).is_some_and(|known| known.codec.facts().list.is_some())
}

fn says_boolean(entry: Entry<'_>) -> bool {
    let mut words = entry.arguments();
    matches!(words.next().map(|word| word.raw), Some("true" | "false")) && words.next().is_none()
}

fn occurrence(entry: Entry<'_>) -> Value {
    let words = scalars(entry);
    let block = entry.is_block().then(|| contents_value(entry));
    Value::Array(words.chain(block).collect())
}

fn words_of(occurrence: &Value) -> &[Value] {
    occurrence.as_array().map_or(&[], Vec::as_slice)
}
