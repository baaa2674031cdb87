//! Merging into directives that the general rule shows.

use serde_json::{Map, Value};

use super::setting::merge_setting;
use crate::edit::emit::{self, Draft};
use crate::edit::fault::{Fault, Faults};
use crate::edit::json_pointer::Pointer;
use crate::model::general::{Contents, DirectiveForm, General, scalars};
use crate::model::member::{Members, key_of, keyword_of};
use crate::model::setting_view::setting_value;
use crate::model::shape::{RowMatch, first_argument, inner_scope, read};
use crate::model::to_json;
use crate::schema::json_value::scalar_text;
use crate::schema::{ESCAPE, Object, SELECTORS, Schema, Scope};
use crate::syntax::{Document, Entry};

/// The value of all occurrences of a foreign keyword.
pub fn general_value(entries: &[Entry<'_>]) -> Option<Value> {
    (!entries.is_empty()).then(|| to_json(&General { entries }))
}

/// The value of a foreign block.
pub fn contents_value(block: Entry<'_>) -> Value {
    to_json(&Contents { block })
}

/// Merges patches into foreign members, and collects their faults.
pub struct GeneralMerge<'f> {
    /// The schema of the document.
    /// The faults that were found so far.
    pub faults: &'f mut Faults,
}

impl GeneralMerge<'_> {
    /// Merges into the member `key` of a block of `scope`, which has these entries; `None` if nothing of
    /// it remains.
    pub fn member(
        &mut self,
        (scope, key): (Scope, &str),
        entries: &[Entry<'_>],
        patch: &Value,
        pointer: &Pointer,
    ) -> Option<Value> {
        self.refuse_own_shape(scope, key, patch, pointer);
        self.keyword(keyword_of(scope, key), entries, patch, pointer)
    }

    /// Merges into all occurrences of one keyword.
    pub fn keyword(
        &mut self,
        keyword: &str,
        entries: &[Entry<'_>],
        patch: &Value,
        pointer: &Pointer,
    ) -> Option<Value> {
        let patch = match patch {
            Value::Null => return None,
            Value::Object(patch) if Schema::media().has_names(keyword) && are_words(entries, patch) => {
                let lines = named_lines(entries, patch);
                return (!lines.is_empty()).then(|| read_back(keyword, lines));
            }
            Value::Object(patch) => patch,
            Value::Array(elements)
                if Schema::media().repeats(keyword) && !elements.iter().any(Value::is_array) =>
            {
                return self.lines(keyword, entries, elements, pointer);
            }
            Value::Array(elements) => return Some(self.list(keyword, elements, pointer)),
            // `false` for a flag that stands there as a word of its own takes it away.
            Value::Bool(false) if Schema::media().is_flag(keyword) && are_bare(entries) => return None,
            scalar => return Some(scalar.clone()),
        };
        match (entries, DirectiveForm::from_entries(entries)) {
            ([], _) => non_empty(patch, self.new_object(keyword, patch, pointer)),
            (entries, DirectiveForm::NamedBlocks) => self.named_blocks(keyword, entries, patch, pointer),
            ([block], DirectiveForm::Block) => Some(Value::Object(self.contents(*block, patch, pointer))),
            _ => Some(Value::Object(self.new_object(keyword, patch, pointer))),
        }
    }

    /// The members of a foreign block afterwards.
    pub fn contents(&mut self, block: Entry<'_>, patch: &Object, pointer: &Pointer) -> Object {
        self.members(&Members::group(inner_scope(block), block.children()), patch, pointer)
    }

    fn members(&mut self, members: &Members<'_>, patch: &Object, pointer: &Pointer) -> Object {
        let mut merged = Map::new();
        for (parameter, entries) in members.each_own() {
            let current = setting_value(parameter, entries);
            let value = match patch.get(parameter.key) {
                None => current,
                Some(patch) => {
                    let merged =
                        merge_setting(parameter, current.as_ref(), patch, &pointer.child(parameter.key));
                    self.faults.take(merged).flatten()
                }
            };
            merged.extend(value.map(|value| (parameter.key.to_owned(), value)));
        }
        let scope = members.scope();
        for member in members.foreign() {
            let key = key_of(scope, &member.keyword).into_owned();
            let value = match patch.get(&key) {
                None => general_value(&member.entries),
                Some(patch) => self.member((scope, &key), &member.entries, patch, &pointer.child(&key)),
            };
            merged.extend(value.map(|value| (key, value)));
        }
        for (key, value) in patch.iter().filter(|(key, _)| scope.by_key(key).is_none()) {
            if !merged.contains_key(key) {
                let value = self.member((scope, key), &[], value, &pointer.child(key));
                merged.extend(value.map(|value| (key.clone(), value)));
            }
        }
        merged
    }

    /// The members of a new object: those of one block, or the names of several.
    fn new_object(&mut self, keyword: &str, patch: &Object, pointer: &Pointer) -> Object {
        let scope = Schema::media().block_scope(keyword, 1);
        let mut object = Map::new();
        for (key, value) in patch {
            let pointer = pointer.child(key);
            let value = match value {
                Value::Object(block) if !scope.is_unknown() => {
                    non_empty(block, self.members(&Members::empty(scope), block, &pointer))
                }
                value => self.keyword(key, &[], value, &pointer),
            };
            object.extend(value.map(|value| (key.clone(), value)));
        }
        object
    }

    /// Merges into named blocks; `None` if no block remains.
    fn named_blocks(
        &mut self,
        keyword: &str,
        entries: &[Entry<'_>],
        patch: &Object,
        pointer: &Pointer,
    ) -> Option<Value> {
        let mut object = Map::new();
        for &block in entries {
            let name = first_argument(block).into_owned();
            let value = match patch.get(&name) {
                None => Some(contents_value(block)),
                Some(Value::Object(members)) => {
                    Some(Value::Object(self.contents(block, members, &pointer.child(&name))))
                }
                Some(value) => self.keyword(&name, &[], value, &pointer.child(&name)),
            };
            object.extend(value.map(|value| (name, value)));
        }
        let is_new = |(key, value): &(&String, &Value)| !object.contains_key(*key) && !value.is_null();
        let new = patch.iter().filter(is_new).map(|(key, value)| (key.clone(), value.clone())).collect();
        object.extend(self.new_object(keyword, &new, pointer));
        for name in patch.keys().filter(|name| object.get(*name).is_some_and(|value| !value.is_object())) {
            let message = format!("`{keyword}` holds named blocks here: expected an object");
            self.faults.push(Fault::wrong_type(&pointer.child(name), message));
        }
        (!object.is_empty()).then_some(Value::Object(object))
    }

    /// The form that a list reads back as: one occurrence is no list.
    fn list(&mut self, keyword: &str, elements: &[Value], pointer: &Pointer) -> Value {
        if !elements.iter().any(Value::is_array) {
            return match elements {
                [only] => only.clone(),
                _ => Value::Array(elements.to_vec()),
            };
        }
        let occurrences: Vec<Value> =
            elements.iter().map(|occurrence| self.occurrence(keyword, occurrence, pointer)).collect();
        read_back(keyword, occurrences)
    }

    /// One line for each word of a flat list; `None` for no words.
    ///
    /// The same list was the view of one line with these words before each line was an element of it, so
    /// a list that could mean that is refused where it would change something.
    fn lines(
        &mut self,
        keyword: &str,
        entries: &[Entry<'_>],
        words: &[Value],
        pointer: &Pointer,
    ) -> Option<Value> {
        let stands: Vec<Value> = match entries {
            [line] if !line.is_block() => scalars(*line).map(|word| to_json(&word)).collect(),
            _ => Vec::new(),
        };
        if stands.len() > 1 && stands == words {
            return general_value(entries);
        }
        if words.len() > 1 && (stands.len() > 1 || !words.iter().all(stands_alone)) {
            self.faults.push(of_one_line_or_several(keyword, words.len(), pointer));
        }
        let lines = occurrences(keyword, &Value::Array(words.to_vec()));
        (!lines.is_empty()).then(|| read_back(keyword, lines))
    }

    fn occurrence(&mut self, keyword: &str, occurrence: &Value, pointer: &Pointer) -> Value {
        let Value::Array(words) = occurrence else { return occurrence.clone() };
        let scope = Schema::media().block_scope(keyword, words.len().saturating_sub(1));
        let word = |word: &Value| match word {
            Value::Object(block) => Value::Object(self.members(&Members::empty(scope), block, pointer)),
            word => word.clone(),
        };
        words.iter().map(word).collect()
    }

    /// Refuses an escaped keyword whose value would read back as the known parameter.
    fn refuse_own_shape(&mut self, scope: Scope, key: &str, value: &Value, pointer: &Pointer) {
        let keyword = keyword_of(scope, key);
        let escaped = key.strip_prefix(ESCAPE).filter(|_| !value.is_null());
        let Some(parameter) = escaped.and_then(|keyword| scope.by_keyword(keyword)) else { return };
        let text: Vec<String> = emit::general(keyword, value).iter().map(Draft::inline).collect();
        let document = Document::parse(text.join(" "));
        let reads_as_own = |entry| matches!(read(scope, entry), RowMatch::Own(_));
        if parameter.strict || document.entries().any(reads_as_own) {
            let fault =
                Fault::wrong_type(pointer, format!("`{keyword}` written like this is `{}`", parameter.key));
            self.faults.push(fault.hint(format!("set `{}`", parameter.key)));
        }
    }
}

/// The object that a patch makes; `None` for a patch that only removes.
fn non_empty(patch: &Object, object: Object) -> Option<Value> {
    (patch.is_empty() || !object.is_empty()).then_some(Value::Object(object))
}

/// The occurrences of a keyword of the general rule with this value: each an array of its words and, if it
/// has a block, the object of that last.
pub fn occurrences(keyword: &str, value: &Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(true) => vec![Value::Array(Vec::new())],
        Value::Array(list) if list.iter().any(Value::is_array) || Schema::media().repeats(keyword) => {
            let line = |line: &Value| if line.is_array() { line.clone() } else { vec![line.clone()].into() };
            list.iter().map(line).collect()
        }
        Value::Array(_) => vec![value.clone()],
        Value::Object(members) if emit::are_named_blocks(members) => members
            .iter()
            .map(|(name, block)| Value::Array(vec![Value::String(name.clone()), block.clone()]))
            .collect(),
        other => vec![Value::Array(vec![other.clone()])],
    }
}

/// The words of an occurrence, and its block.
pub fn split_occurrence(occurrence: &Value) -> (&[Value], Option<&Object>) {
    match occurrence.as_array().map_or(&[][..], Vec::as_slice) {
        [words @ .., Value::Object(block)] => (words, Some(block)),
        words => (words, None),
    }
}

fn as_named_blocks(occurrences: &[Value]) -> Option<Value> {
    let mut object = Map::new();
    for occurrence in occurrences {
        let [name, block @ Value::Object(_)] = occurrence.as_array()?.as_slice() else { return None };
        if object.insert(scalar_text(name)?, block.clone()).is_some() {
            return None;
        }
    }
    Some(Value::Object(object))
}

fn as_single(keyword: &str, occurrences: &[Value]) -> Option<Value> {
    let [only] = occurrences else { return None };
    match only.as_array()?.as_slice() {
        [] => Some(Value::Bool(true)),
        [word] => Some(word.clone()),
        words if !words.iter().any(Value::is_object) && !Schema::media().repeats(keyword) => {
            Some(only.clone())
        }
        _ => None,
    }
}

/// True if these occurrences are flags without words, or none.
fn are_bare(entries: &[Entry<'_>]) -> bool {
    entries.iter().all(|flag| !flag.is_block() && flag.count_arguments() == 0)
}

/// True if no occurrence has a block, and a patch gives words by name.
fn are_words(entries: &[Entry<'_>], patch: &Object) -> bool {
    !entries.iter().any(|entry| entry.is_block())
        && !patch.values().any(|value| value.is_object() || value.is_array())
}

/// The lines `k NAME VALUE;` after a patch that gives values by name; the last line of a name counts.
fn named_lines(entries: &[Entry<'_>], patch: &Object) -> Vec<Value> {
    let mut lines: Vec<Value> =
        entries.iter().map(|&entry| scalars(entry).map(|word| to_json(&word)).collect()).collect();
    for (name, value) in patch {
        let has_name = |line: &Value| scalar_text(&line[0]).as_deref() == Some(name);
        match lines.iter().rposition(has_name) {
            _ if value.is_null() => lines.retain(|line| !has_name(line)),
            Some(at) => lines[at] = Value::from([name.as_str().into(), value.clone()]),
            None => lines.push(Value::from([name.as_str().into(), value.clone()])),
        }
    }
    lines
}

/// The value as which these occurrences read back.
fn read_back(keyword: &str, occurrences: Vec<Value>) -> Value {
    as_named_blocks(&occurrences)
        .or_else(|| as_single(keyword, &occurrences))
        .unwrap_or(Value::Array(occurrences))
}

/// False for a word that only means something in one line with others: an option, and `ip` of
/// `allow ip 192.0.2.1`.
fn stands_alone(word: &Value) -> bool {
    let Some(text) = word.as_str() else { return true };
    let name = text.split_once('=').map_or("", |(name, _)| name);
    let is_option = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !is_option && !SELECTORS.contains(&text)
}

/// The fault of a flat list that may mean the words of one line, or one line for each.
fn of_one_line_or_several(keyword: &str, words: usize, pointer: &Pointer) -> Fault {
    let message = format!("this list may be one line `{keyword}` with {words} words, or {words} lines");
    let hint = r#"write [["A", "B"]] for one line with two words, [["A"], ["B"]] for two lines"#;
    Fault::wrong_type(pointer, message).hint(hint)
}
