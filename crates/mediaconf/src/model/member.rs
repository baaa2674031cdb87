//! The members of one block: its entries grouped by the JSON key they are shown under.

use std::borrow::Cow;
use std::collections::HashMap;

use super::shape::{RowMatch, read};
use crate::schema::{ESCAPE, Parameter, Scope};
use crate::syntax::Entry;

/// The JSON key of a keyword that the general rule shows: escaped if it would collide with a known one.
pub fn key_of(scope: Scope, keyword: &str) -> Cow<'_, str> {
    if scope.is_reserved(keyword) { Cow::Owned(format!("{ESCAPE}{keyword}")) } else { Cow::Borrowed(keyword) }
}

/// The keyword behind an unknown JSON key: without its escape.
pub fn keyword_of(scope: Scope, key: &str) -> &str {
    if scope.is_unknown() { key } else { key.strip_prefix(ESCAPE).unwrap_or(key) }
}

/// The entries of a block that make one JSON member, in the order of the text.
#[derive(Debug)]
pub struct Member<'d> {
    /// The keyword of the entries.
    pub keyword: Cow<'d, str>,
    /// Never empty.
    pub entries: Vec<Entry<'d>>,
}

/// The members of a block, the known ones in schema order, then the others by first appearance.
#[derive(Debug)]
pub struct Members<'d> {
    scope: Scope,
    /// The entries of known parameters, by row and then by place; a block needs no allocation for each
    /// row.
    own: Vec<Entry<'d>>,
    /// The row of each entry in `own`.
    rows: Vec<u8>,
    foreign: Vec<Member<'d>>,
    /// The index of each foreign keyword, filled once there are more than [`SCAN`].
    index: HashMap<Cow<'d, str>, usize>,
}

/// Up to this many entries a scan is faster than a hash table or a sort.
const SCAN: usize = 16;

impl<'d> Members<'d> {
    /// Groups `entries`, which stand in a block of this scope.
    pub fn group(scope: Scope, entries: impl Iterator<Item = Entry<'d>>) -> Self {
        let mut members = Self::empty(scope);
        members.refill(entries);
        members
    }

    /// Groups the entries of another block of this scope, reusing the allocations.
    pub fn refill(&mut self, entries: impl Iterator<Item = Entry<'d>>) {
        self.own.clear();
        self.rows.clear();
        self.foreign.clear();
        self.index.clear();
        for entry in entries {
            match read(self.scope, entry) {
                RowMatch::Own(parameter) => {
                    self.rows.push(parameter.number);
                    self.own.push(entry);
                }
                RowMatch::Misshapen(_) | RowMatch::Foreign => self.add_foreign(entry),
            }
        }
        self.sort_own();
    }

    /// Insertion sort for short lists: most blocks have few settings, nearly in the order of the table.
    fn sort_own(&mut self) {
        if self.rows.len() <= SCAN {
            for sorted in 1..self.rows.len() {
                let mut index = sorted;
                while index > 0 && self.rows[index - 1] > self.rows[index] {
                    self.rows.swap(index - 1, index);
                    self.own.swap(index - 1, index);
                    index -= 1;
                }
            }
        } else if !self.rows.is_sorted() {
            let mut own: Vec<(u8, Entry<'d>)> = self.rows.drain(..).zip(self.own.drain(..)).collect();
            own.sort_by_key(|(row, _)| *row);
            own.into_iter().for_each(|(row, entry)| {
                self.rows.push(row);
                self.own.push(entry);
            });
        }
    }

    /// Returns the scope of the block.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The members of an empty block.
    pub fn empty(scope: Scope) -> Self {
        Self { scope, own: Vec::new(), rows: Vec::new(), foreign: Vec::new(), index: HashMap::new() }
    }

    fn add_foreign(&mut self, entry: Entry<'d>) {
        let keyword = entry.keyword();
        match self.foreign_place(&keyword) {
            Some(index) => self.foreign[index].entries.push(entry),
            None => self.push_foreign(Member { keyword, entries: vec![entry] }),
        }
    }

    fn push_foreign(&mut self, member: Member<'d>) {
        if self.foreign.len() == SCAN {
            self.index.extend(
                self.foreign.iter().enumerate().map(|(index, member)| (member.keyword.clone(), index)),
            );
        }
        if self.foreign.len() >= SCAN {
            self.index.insert(member.keyword.clone(), self.foreign.len());
        }
        self.foreign.push(member);
    }

    fn foreign_place(&self, keyword: &str) -> Option<usize> {
        match self.foreign.len() {
            0..=SCAN => self.foreign.iter().position(|member| member.keyword == keyword),
            _ => self.index.get(keyword).copied(),
        }
    }

    /// Each known parameter, in schema order, with its entries; without entries if it is not set.
    pub fn each_own(&self) -> impl Iterator<Item = (&'static Parameter, &[Entry<'d>])> {
        let (mut rows, mut entries) = (&self.rows[..], &self.own[..]);
        (0u8..).zip(self.scope.rows()).map(move |(row, parameter)| {
            let count = rows.iter().take_while(|known| **known == row).count();
            let (own, behind) = entries.split_at(count);
            (rows, entries) = (&rows[count..], behind);
            (parameter, own)
        })
    }

    /// The entries of a known parameter; empty if it is not set.
    pub fn own(&self, parameter: &'static Parameter) -> &[Entry<'d>] {
        self.of_row(parameter.number)
    }

    fn of_row(&self, row: u8) -> &[Entry<'d>] {
        let start = self.rows.partition_point(|known| *known < row);
        let end = self.rows.partition_point(|known| *known <= row);
        &self.own[start..end]
    }

    /// The entries of the parameter with this key; empty if it is not set.
    pub fn own_by_key(&self, key: &str) -> &[Entry<'d>] {
        self.scope.by_key(key).map_or(&[], |parameter| self.own(parameter))
    }

    /// The unknown members, by first appearance.
    pub fn foreign(&self) -> &[Member<'d>] {
        &self.foreign
    }

    /// The entries of an unknown keyword; empty if there are none.
    pub fn foreign_by_keyword(&self, keyword: &str) -> &[Entry<'d>] {
        self.foreign_place(keyword).map_or(&[], |index| &self.foreign[index].entries)
    }

    /// The entries that an unknown JSON key shows; empty if there are none.
    pub fn foreign_by_key(&self, key: &str) -> &[Entry<'d>] {
        let shown = |member: &&Member<'d>| key_of(self.scope, &member.keyword) == key;
        let place = self.foreign_place(keyword_of(self.scope, key));
        place.map(|index| &self.foreign[index]).filter(shown).map_or(&[], |member| &member.entries)
    }
}
