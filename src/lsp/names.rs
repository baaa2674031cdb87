//! The names of streams, lives, plugins and other named blocks of the top level, and where they are used.

use std::borrow::Cow;

use mediaconf::{Document, Entry, Facts, Parameter, Part, PartPlace, Schema, Word, group_name};

use super::caret::{Caret, Enclosing};

/// The keyword of the blocks that a name belongs to, which stands for the group.
pub type NameGroup = &'static str;

/// A word that has the name of a block in it.
#[derive(Debug, Clone)]
pub struct NameUse<'t> {
    pub group: NameGroup,
    pub name: Cow<'t, str>,
    pub word: Word<'t>,
    /// What stands in front of the name, such as `@`.
    prefix: &'static str,
    /// What stands behind it.
    rest: String,
    pub is_definition: bool,
}

impl<'t> NameUse<'t> {
    fn whole(group: NameGroup, word: Word<'t>, is_definition: bool) -> Self {
        Self { group, name: word.value(), word, prefix: "", rest: String::new(), is_definition }
    }

    /// The same word with another name.
    pub fn renamed(&self, name: &str) -> String {
        let value = format!("{}{name}{}", self.prefix, self.rest);
        match self.word.quoted {
            true => Word::in_quotes(&value),
            false => Word::write(&value).into_owned(),
        }
    }
}

/// The words of a text that have a name of a group, in its order.
pub fn uses<'t>(document: &'t Document, group: NameGroup, name: &str) -> Vec<NameUse<'t>> {
    let mut found = Vec::new();
    each(document.entries(), &Enclosing::top(Schema::media()), &mut |used| {
        if used.group == group && used.name == name {
            found.push(used);
        }
    });
    found
}

/// Gives each word that has a name to `take`.
fn each<'t>(entries: impl Iterator<Item = Entry<'t>>, around: &Enclosing, take: &mut dyn FnMut(NameUse<'t>)) {
    for entry in entries {
        let keyword = entry.keyword();
        let words = entry.arguments().enumerate();
        words.filter_map(|(at, word)| name_in(around, &keyword, at, word)).for_each(&mut *take);
        if entry.is_block() {
            each(entry.children(), &around.inside(&keyword, entry.count_arguments()), take);
        }
    }
}

/// The name in the word at a place.
pub fn at<'t>(caret: &Caret<'t>) -> Option<NameUse<'t>> {
    let number = caret.touched?.checked_sub(1)?;
    name_in(&caret.enclosing(), &caret.words[0].value(), number, caret.words[number + 1])
}

/// The name in a word; `number` words stand between it and the keyword.
fn name_in<'t>(around: &Enclosing, keyword: &str, number: usize, word: Word<'t>) -> Option<NameUse<'t>> {
    let schema = Schema::media();
    let Some(row) = around.scope.by_keyword(keyword) else {
        return foreign(schema, around, keyword, number, word);
    };
    let Facts { group, address, .. } = row.codec.facts();
    match (group, address) {
        _ if number > 0 => None,
        (Some(kind), _) => Some(NameUse::whole(kind.noun(), word, true)),
        (None, None) => {
            let part = naming_part(row)?;
            (part.kind.read)(Some(word))?;
            let name = word.raw.strip_prefix(REFERENCE)?;
            let group = part.kind.names_of?;
            Some(NameUse { name: name.into(), prefix: REFERENCE, ..NameUse::whole(group, word, false) })
        }
        (_, Some(address)) => {
            let (prefix, group) = address.names?;
            let value = word.value();
            let behind = value.strip_prefix(prefix)?;
            let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
            let (name, rest) = (behind[..end].to_owned(), behind[end..].to_owned());
            Some(NameUse { name: name.into(), prefix, rest, ..NameUse::whole(group, word, false) })
        }
    }
}

/// The sign in front of the name of an archive.
pub const REFERENCE: &str = "@";

/// The part of a directive that is the name of a block.
pub fn naming_part(row: &Parameter) -> Option<&'static Part> {
    row.codec
        .facts()
        .object?
        .parts
        .iter()
        .find(|part| part.place == PartPlace::Instead && part.kind.names_of.is_some())
}

fn foreign<'t>(
    schema: &'static Schema,
    around: &Enclosing,
    keyword: &str,
    number: usize,
    word: Word<'t>,
) -> Option<NameUse<'t>> {
    let row = schema.foreign(keyword).filter(|_| number == 0)?;
    match around.is_top() {
        true => schema.has_named_blocks(keyword).then(|| NameUse::whole(row.keyword(), word, true)),
        false => {
            let stands_here = row.stands_in(&around.keyword) || around.scope.may_hold(row);
            row.names_of.filter(|_| stands_here).map(|group| NameUse::whole(group, word, false))
        }
    }
}

/// The names of the blocks of a group, each once.
pub fn of_group(document: &Document, group: NameGroup) -> Vec<String> {
    let schema = Schema::media();
    let top = document.entries().filter(|entry| entry.count_arguments() > 0);
    let is_meant = |keyword: &str| match schema.group_of(keyword) {
        Some(kind) => kind.noun() == group,
        None => {
            schema.foreign(keyword).is_some_and(|row| row.keyword() == group)
                && schema.has_named_blocks(keyword)
        }
    };
    let mut names: Vec<String> = top
        .filter(|entry| is_meant(&entry.keyword()))
        .map(|entry| group_name(entry).value().into_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}
