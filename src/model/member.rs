//! The members of one block: its entries grouped by the JSON key they are shown under.

use std::borrow::Cow;
use std::collections::HashMap;

use super::schema::{ESCAPE, Parameter, Scope, by_key, is_reserved, parameters};
use super::shape::{Reading, read};
use crate::syntax::{Edited, Entry, EntryId};

/// What a key of a JSON object stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key<'t> {
    /// One of ours.
    Own(&'static str),
    /// A keyword that the general rule shows.
    Foreign(Cow<'t, str>),
}

impl Key<'_> {
    /// The key as JSON has it: a foreign keyword that would collide is escaped.
    pub fn to_json(&self, scope: Scope) -> Cow<'_, str> {
        match self {
            Self::Own(key) => Cow::Borrowed(key),
            Self::Foreign(keyword) if is_reserved(scope, keyword) => Cow::Owned(format!("{ESCAPE}{keyword}")),
            Self::Foreign(keyword) => Cow::Borrowed(keyword),
        }
    }
}

/// The keyword that a JSON key which is not ours stands for.
pub fn keyword_of(scope: Scope, key: &str) -> &str {
    if scope == Scope::Foreign { key } else { key.strip_prefix(ESCAPE).unwrap_or(key) }
}

/// The entries of a block that make one JSON member, in the order of the text.
#[derive(Debug)]
pub struct Member<'d> {
    /// What it is called.
    pub key: Key<'d>,
    /// Never empty.
    pub entries: Vec<Entry<'d>>,
}

/// The members of a block, our own in schema order, then the others by first appearance.
#[derive(Debug)]
pub struct Members<'d> {
    scope: Scope,
    /// Our own entries, by row and then by place; a stream's block costs no allocation a row.
    own: Vec<Entry<'d>>,
    /// The row of each.
    rows: Vec<u8>,
    foreign: Vec<Member<'d>>,
}

/// Up to here a scan over the keywords seen is faster than hashing them.
const SCAN: usize = 16;

impl<'d> Members<'d> {
    /// Groups `entries`, which stand in a block of this scope.
    pub fn of(scope: Scope, entries: impl Iterator<Item = Entry<'d>>) -> Self {
        Self { scope, own: Vec::new(), rows: Vec::new(), foreign: Vec::new() }.with(Vec::new(), entries)
    }

    /// Adds `entries` to those that are there, and to `own`, which are ours by row.
    fn with(mut self, mut own: Vec<(u8, Entry<'d>)>, entries: impl Iterator<Item = Entry<'d>>) -> Self {
        let mut index = HashMap::new();
        for entry in entries {
            match read(self.scope, entry) {
                Reading::Own(parameter) => own.push((row(self.scope, parameter), entry)),
                Reading::Misshapen(_) | Reading::Foreign => self.add_foreign(entry, &mut index),
            }
        }
        own.sort_by_key(|(row, entry)| (*row, entry.id()));
        (self.rows, self.own) = own.into_iter().unzip();
        self
    }

    fn add_foreign(&mut self, entry: Entry<'d>, index: &mut HashMap<Cow<'d, str>, usize>) {
        let keyword = entry.keyword();
        let found = match self.foreign.len() {
            0..SCAN => self.foreign.iter().position(|member| member.key == Key::Foreign(keyword.clone())),
            _ if index.is_empty() => {
                index.extend(self.foreign.iter().enumerate().map(|(at, member)| (member.keyword(), at)));
                index.get(&keyword).copied()
            }
            _ => index.get(&keyword).copied(),
        };
        match found {
            Some(at) => self.foreign[at].entries.push(entry),
            None => {
                if self.foreign.len() >= SCAN {
                    index.insert(keyword.clone(), self.foreign.len());
                }
                self.foreign.push(Member { key: Key::Foreign(keyword), entries: vec![entry] });
            }
        }
    }

    /// The members of the document that an edit made: what did not change is not read again.
    pub fn after<'n>(&self, edited: &'n Edited) -> Members<'n> {
        let foreign = self.foreign.iter().map(|member| Member {
            key: Key::Foreign(Cow::Owned(member.keyword().into_owned())),
            entries: unchanged(&member.entries, edited),
        });
        let mut own = Vec::with_capacity(self.own.len() + 1);
        for rows in self.rows.chunk_by(|a, b| a == b) {
            let kept = unchanged(self.of_row(rows[0]), edited);
            own.extend(kept.into_iter().map(|entry| (rows[0], entry)));
        }
        let new = edited.changed.iter().flat_map(|changed| edited.document.entries_of(changed));
        let members =
            Members { scope: self.scope, own: Vec::new(), rows: Vec::new(), foreign: foreign.collect() };
        let mut members = members.with(own, new);
        members.foreign.retain(|member| !member.entries.is_empty());
        members.foreign.iter_mut().for_each(|member| member.entries.sort_by_key(|entry| entry.id()));
        members.foreign.sort_by_key(|member| member.entries[0].id());
        members
    }

    /// The entries of one of our parameters; empty if it is not set.
    pub fn own(&self, parameter: &'static Parameter) -> &[Entry<'d>] {
        self.of_row(row(self.scope, parameter))
    }

    fn of_row(&self, row: u8) -> &[Entry<'d>] {
        let start = self.rows.partition_point(|known| *known < row);
        let end = self.rows.partition_point(|known| *known <= row);
        &self.own[start..end]
    }

    /// The entries of the parameter with this key; empty if it is not set.
    pub fn own_by_key(&self, key: &str) -> &[Entry<'d>] {
        by_key(self.scope, key).map_or(&[], |parameter| self.own(parameter))
    }

    /// The members that are not ours, by first appearance.
    pub fn foreign(&self) -> &[Member<'d>] {
        &self.foreign
    }

    /// The entries of a keyword that is not ours; empty if there are none.
    pub fn foreign_by_keyword(&self, keyword: &str) -> &[Entry<'d>] {
        let key = Key::Foreign(Cow::Borrowed(keyword));
        self.foreign.iter().find(|member| member.key == key).map_or(&[], |member| &member.entries)
    }
}

impl<'d> Member<'d> {
    fn keyword(&self) -> Cow<'d, str> {
        match &self.key {
            Key::Own(key) => Cow::Borrowed(key),
            Key::Foreign(keyword) => keyword.clone(),
        }
    }
}

/// The entries that no edit touched, in the new document.
fn unchanged<'n>(entries: &[Entry<'_>], edited: &'n Edited) -> Vec<Entry<'n>> {
    let mut changed = edited.changed.iter().peekable();
    let mut shift = 0;
    let mut kept = Vec::with_capacity(entries.len() + 1);
    for entry in entries {
        let place = entry.id().index();
        while let Some(passed) = changed.next_if(|changed| changed.old.end <= place) {
            shift = passed.new.end as i64 - passed.old.end as i64;
        }
        if changed.peek().is_none_or(|next| place < next.old.start) {
            kept.push(edited.document.entry(EntryId::from_index((place as i64 + shift) as usize)));
        }
    }
    kept
}

/// The rows of a scope are one slice of the table.
fn row(scope: Scope, parameter: &'static Parameter) -> u8 {
    let row = parameters(scope).position(|row| std::ptr::eq(row, parameter));
    u8::try_from(row.expect("the row is one of its scope")).expect("a scope has few rows")
}
