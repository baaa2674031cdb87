//! The general rule: all occurrences of one unknown keyword in one block, as one JSON value.
//!
//! - R1 once, no block: `k;` true, `k w;` the word, `k w w…;` an array of words, unless `k` repeats.
//! - R2 every occurrence is `k NAME {…}`, names distinct: an object by NAME.
//! - R3 once, `k {…}`: an object.
//! - R4 anything else: an array of occurrences, each an array of its words and, if it has a block,
//!   the object last.

use foldhash::{HashMap, HashSet};
use serde_json::Value;

use super::block;
use crate::schema::{
    BlockHead, Codec, Facts, Fault, JsonForm, Members, Normalizer, Object, Place, SELECTORS, Schema, Scope,
    first_argument, has_needless_escape, inner_scope, json, keyword_of, no_key, of_word, read, scalar_text,
    word,
};
use crate::syntax::{Document, Entry, Word};

/// The form that the occurrences of a keyword have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectiveForm {
    /// R1: one directive.
    Directive,
    /// R2: named blocks.
    NamedBlocks,
    /// R3: one block.
    Block,
    /// R4: a list of occurrences.
    Occurrences,
}

impl DirectiveForm {
    /// The form of `entries`, which are all the occurrences of one keyword in a block.
    pub fn from_entries(entries: &[Entry<'_>]) -> Self {
        let mut names = HashSet::default();
        let mut is_new_name = |entry: Entry<'_>| {
            entry.only_argument().is_some_and(|name| names.insert(name.value().into_owned()))
        };
        match entries {
            [only] if !only.is_block() => Self::Directive,
            [only] if only.count_arguments() == 0 => Self::Block,
            _ if entries.iter().all(|entry| entry.is_block() && is_new_name(*entry)) => Self::NamedBlocks,
            _ => Self::Occurrences,
        }
    }
}

/// The words of an occurrence as values.
pub fn scalars(entry: Entry<'_>) -> impl Iterator<Item = Value> {
    entry.arguments().map(of_word)
}

/// The words of an occurrence, and its block last.
pub fn occurrence_value(entry: Entry<'_>) -> Value {
    scalars(entry).chain(entry.is_block().then(|| block_members(entry).into())).collect()
}

/// The members of the block of an unknown directive.
pub fn block_members(block: Entry<'_>) -> Object {
    read_members(&Members::group(inner_scope(block), block.children()), None)
}

/// The name of the block of an unknown directive, and its members.
pub fn named_block(block: Entry<'_>) -> (String, Value) {
    (first_argument(block).into_owned(), block_members(block).into())
}

/// The members of a block, whose entries are grouped; `head` is that of a stream, live or plugin.
pub fn read_members(members: &Members<'_>, head: Option<&BlockHead<'_, '_>>) -> Object {
    // Nothing is read where nothing stands, unless something is repeated or derived.
    let has_globals = head.is_some_and(|head| head.globals.is_some());
    let told = members.all_own().filter(|(row, entries)| {
        !entries.is_empty() || has_globals || row.always_shown || row.keywords.is_empty()
    });
    let own = told.filter_map(|(row, entries)| Some((row.key.to_owned(), row.read(entries, head)?)));
    let foreign = members.foreign.iter().filter_map(|(keyword, entries)| {
        let key = members.scope.key_of(keyword).into_owned();
        Some((key, General { keyword }.read(entries, None)?))
    });
    own.chain(foreign).collect()
}

/// Normalizes the members of a block of this scope.
pub fn normalized(scope: Scope, members: Value, at: &mut Normalizer) -> Option<Value> {
    at.members(members, |at, key, value| {
        if let Some(row) = scope.by_key(key) {
            let is_removed = value.is_null() && row.codec.facts().derived.is_none();
            return if is_removed { Some(value) } else { row.codec.normalize(value, at) };
        }
        if let Some(row) = scope.by_keyword(key) {
            return at.told(no_key(key, row));
        }
        match value {
            _ if has_needless_escape(scope, key) => at.needless_escape(key),
            _ if at.is_unwritable(key) => at.wrong("a keyword can't be written like this", ""),
            Value::Null => Some(value),
            value => General { keyword: keyword_of(scope, key) }.normalize(value, at),
        }
    })
}

/// The members of a block of an unknown directive after a patch.
pub fn merge_block(block: Entry<'_>, patch: &Object, at: &mut Normalizer) -> Object {
    let members = Members::group(inner_scope(block), block.children());
    merge_into(read_members(&members, None), &members, patch, at)
}

fn new_block(scope: Scope, patch: &Object, at: &mut Normalizer) -> Object {
    merge_into(Object::new(), &Members::empty(scope), patch, at)
}

/// The values of these members after a patch.
pub fn merge_into(mut merged: Object, members: &Members<'_>, patch: &Object, at: &mut Normalizer) -> Object {
    let scope = members.scope;
    for (key, value) in patch {
        let value =
            at.below(key, |at| match (scope.by_key(key), General { keyword: keyword_of(scope, key) }) {
                (Some(row), _) => row.merge(merged.get(key), value, at),
                (None, codec) => {
                    codec.refuse_known(scope, value, at);
                    codec.merge_entries(members.foreign_by_keyword(codec.keyword), value, at)
                }
            });
        // A removed member leaves a null: closing the gap each time would move all later members.
        merged.insert(key.clone(), value.unwrap_or(Value::Null));
    }
    merged.retain(|_, value| !value.is_null());
    merged
}

/// The entries of a block: known ones in schema order, then the others in the order given.
pub fn write_members(scope: Scope, members: &Object) -> Vec<String> {
    let own = scope.rows().filter_map(|row| Some((row, members.get(row.key)?)));
    let own = own.filter(|(row, value)| row.value_of_nothing().as_ref() != Some(*value));
    let own = own.flat_map(|(row, value)| row.write(value));
    let foreign = members.iter().filter(|(key, _)| scope.by_key(key).is_none());
    let foreign = foreign.flat_map(|(key, value)| {
        let keyword = keyword_of(scope, key);
        General { keyword }.write(keyword, value)
    });
    own.chain(foreign).collect()
}

/// True if a new object is written as named blocks, and not as one block.
pub fn are_named_blocks(members: &Object) -> bool {
    !members.is_empty() && members.values().all(Value::is_object)
}

/// The scope inside the block of an occurrence with these words.
fn scope_behind(keyword: &str, words: &[Value]) -> Scope {
    Schema::block_scope(keyword, words.len().saturating_sub(1))
}

/// One occurrence: words, and maybe a block last.
pub fn occurrence(keyword: &str, words: &[Value]) -> String {
    let scope = scope_behind(keyword, words);
    let entries = words.iter().rev().find_map(Value::as_object).map(|block| write_members(scope, block));
    let words = words.iter().filter(|value| !value.is_object()).map(word);
    block(&Word::write(keyword), words, entries)
}

/// The occurrences of a keyword of the general rule with this value: each an array of its words and, if it
/// has a block, the object of that last.
pub fn occurrences(keyword: &str, value: &Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(true) => vec![Value::Array(Vec::new())],
        Value::Array(list) if list.iter().any(Value::is_array) || Schema::repeats(keyword) => {
            let line = |line: &Value| if line.is_array() { line.clone() } else { vec![line.clone()].into() };
            list.iter().map(line).collect()
        }
        Value::Array(_) => vec![value.clone()],
        Value::Object(members) if are_named_blocks(members) => {
            members.iter().map(|(name, block)| vec![name.as_str().into(), block.clone()].into()).collect()
        }
        other => vec![Value::Array(vec![other.clone()])],
    }
}

/// The codec of an unknown keyword.
#[derive(Debug, Clone, Copy)]
pub struct General<'k> {
    /// The keyword.
    pub keyword: &'k str,
}

impl Codec for General<'_> {
    fn fits(&self, _: Entry<'_>) -> bool {
        true
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let first = *entries.first()?;
        Some(match DirectiveForm::from_entries(entries) {
            DirectiveForm::Directive => match first.count_arguments() {
                0 => Value::Bool(true),
                1 => scalars(first).next()?,
                _ if Schema::repeats(self.keyword) => vec![occurrence_value(first)].into(),
                _ => scalars(first).collect(),
            },
            DirectiveForm::NamedBlocks => entries.iter().copied().map(named_block).collect(),
            DirectiveForm::Block => block_members(first).into(),
            DirectiveForm::Occurrences => entries.iter().map(|&entry| occurrence_value(entry)).collect(),
        })
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        let scope = Schema::block_scope(self.keyword, 1);
        let has_occurrences = value.as_array().is_some_and(|elements| elements.iter().any(Value::is_array));
        match value {
            Value::Object(_) if scope == Scope::Unknown => normalized(scope, value, at),
            Value::Object(_) => at.members(value, |at, name, value| match value {
                Value::Object(_) => normalized(scope, value, at),
                Value::Null => Some(value),
                value => General { keyword: name }.normalize(value, at),
            }),
            Value::Array(elements) if elements.is_empty() => {
                at.wrong("an empty list can't be written", "null removes the directive")
            }
            Value::Array(_) => at.elements(value, |at, _, element| match element {
                Value::Array(words) if has_occurrences => {
                    // Its words, and maybe the object of its block last.
                    let (last, scope) = (words.len().saturating_sub(1), scope_behind(self.keyword, &words));
                    at.elements(words.into(), |at, index, word| match word {
                        Value::Object(_) if index == last => normalized(scope, word, at),
                        Value::Object(_) => at.wrong("the object of an occurrence has to come last", ""),
                        word => at.scalar(word),
                    })
                }
                word if has_occurrences => at.unlike("an array of words", &word, ""),
                word => at.scalar(word),
            }),
            scalar => at.scalar(scalar),
        }
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let occurrences = occurrences("", value);
        occurrences.iter().filter_map(Value::as_array).map(|words| occurrence(keyword, words)).collect()
    }

    /// JSON if it is valid JSON, else a string.
    fn parse(&self, text: &str) -> Result<Value, Fault> {
        Ok(json(text)?.unwrap_or_else(|| text.into()))
    }

    fn facts(&'static self) -> Facts {
        let element = Some(Place::Foreign);
        Facts { element, ..Facts::new(["words, and maybe a block", "any"], JsonForm::Leaf) }
    }
}

impl General<'_> {
    /// The value of these directives after a normalized patch: their form decides what the patch means.
    pub fn merge_entries(&self, entries: &[Entry<'_>], patch: &Value, at: &mut Normalizer) -> Option<Value> {
        match patch {
            Value::Null => None,
            // `false` for a flag that stands there as a word of its own takes it away.
            Value::Bool(false) if Schema::is_flag(self.keyword) && are_bare(entries) => None,
            Value::Object(patch) if Schema::has_names(self.keyword) && are_words(entries, patch) => {
                self.read_back(named_lines(entries, patch))
            }
            Value::Object(patch) => match (entries, DirectiveForm::from_entries(entries)) {
                (_, DirectiveForm::NamedBlocks) => non_empty(patch, self.merged_object(entries, patch, at)),
                ([block], DirectiveForm::Block) => Some(merge_block(*block, patch, at).into()),
                _ => Some(self.merged_object(&[], patch, at).into()),
            },
            Value::Array(elements) if elements.iter().any(Value::is_array) => {
                let mut occurrence = |words: &Vec<Value>| {
                    let scope = scope_behind(self.keyword, words);
                    let word = |word: &Value| match word {
                        Value::Object(block) => new_block(scope, block, at).into(),
                        word => word.clone(),
                    };
                    words.iter().map(word).collect()
                };
                self.read_back(elements.iter().filter_map(Value::as_array).map(&mut occurrence).collect())
            }
            Value::Array(words) if Schema::repeats(self.keyword) => {
                // One line of these words was shown like this, too.
                let has_words = entries.iter().any(|line| line.count_arguments() > 1);
                if words.len() > 1 && (has_words || !words.iter().all(stands_alone)) {
                    let message = format!("this list may be one line `{}`, or several", self.keyword);
                    let hint =
                        r#"write [["A", "B"]] for one line with two words, [["A"], ["B"]] for two lines"#;
                    at.wrong(message, hint);
                }
                self.read_back(words.iter().map(|word| vec![word.clone()].into()).collect())
            }
            // One word is no list.
            Value::Array(elements) if elements.len() == 1 => elements.first().cloned(),
            other => Some(other.clone()),
        }
    }

    /// The members after a patch: those of one block, or the names of several, of which these stand there.
    fn merged_object(&self, blocks: &[Entry<'_>], patch: &Object, at: &mut Normalizer) -> Object {
        let scope = Schema::block_scope(self.keyword, 1);
        let standing: HashMap<_, _> = blocks.iter().map(|block| (first_argument(*block), *block)).collect();
        let mut object: Object = blocks.iter().copied().map(named_block).collect();
        for (name, value) in patch {
            let merged = at.below(name, |at| {
                let merged = match (value, standing.get(name.as_str())) {
                    (Value::Object(patch), Some(block)) => Some(merge_block(*block, patch, at).into()),
                    (Value::Object(block), None) if (scope != Scope::Unknown) => {
                        non_empty(block, new_block(scope, block, at))
                    }
                    (value, _) => General { keyword: name }.merge_entries(&[], value, at),
                };
                if blocks.is_empty() || merged.as_ref().is_none_or(Value::is_object) {
                    return merged;
                }
                at.wrong(format!("`{}` holds named blocks here: expected an object", self.keyword), "")
            });
            object.insert(name.clone(), merged.unwrap_or_default());
        }
        object.retain(|_, value| !value.is_null());
        object
    }

    /// Refuses a value behind an escaped keyword that would read back as the known parameter.
    fn refuse_known(&self, scope: Scope, value: &Value, at: &mut Normalizer) {
        let Some(row) = scope.by_keyword(self.keyword).filter(|_| !value.is_null()) else { return };
        let document = Document::parse(self.write(self.keyword, value).join(" "));
        if row.strict || document.entries().any(|entry| read(scope, entry).is_ok()) {
            let message = format!("`{}` written like this is `{}`", self.keyword, row.key);
            at.wrong(message, &format!("set `{}`", row.key));
        }
    }

    /// The value as which these occurrences read back; `None` for none.
    fn read_back(&self, occurrences: Vec<Value>) -> Option<Value> {
        let lines = occurrences.iter().filter_map(Value::as_array);
        let lines: Vec<String> = lines.map(|words| occurrence(self.keyword, words)).collect();
        let document = Document::parse(lines.join(" "));
        self.read(&document.entries().collect::<Vec<_>>(), None)
    }
}

/// The object that a patch makes; `None` for a patch that only removes.
fn non_empty(patch: &Object, object: Object) -> Option<Value> {
    (patch.is_empty() || !object.is_empty()).then_some(Value::Object(object))
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
    let mut lines: Vec<Value> = entries.iter().map(|&entry| scalars(entry).collect()).collect();
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

/// False for a word that only means something in one line with others: an option, and `ip` of `allow ip 192.0.2.1`.
fn stands_alone(word: &Value) -> bool {
    let Some(text) = word.as_str() else { return true };
    let name = text.split_once('=').map_or("", |(name, _)| name);
    let is_option = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !is_option && !SELECTORS.split(' ').any(|selector| selector == text)
}
