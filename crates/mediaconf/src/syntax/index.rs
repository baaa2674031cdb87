//! The index of a text: a flat array of the spans of its entries, in pre-order.

use std::ops::Range;

use super::sink::{Directive, ParsedEntry, Sink};
use crate::text::Diagnostics;

/// The number of an entry in a document, from 0, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub(super) u32);

impl EntryId {
    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id of the entry with this number.
    pub fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// The stored part of an entry: sixteen bytes that answer most questions without lexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryRecord {
    /// Offset of the first word.
    pub start: u32,
    /// Offset behind the `;` or `}`, or behind the last word where that is missing.
    pub end: u32,
    /// Index of the next entry that is not inside this one; the top bit says that this one has a block.
    pub next: u32,
    pub head: EntryHead,
}

/// The facts about the words of an entry that are known without lexing them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryHead {
    /// Length of the first word in bytes; 0 if it has quotes, does not fit, or is missing.
    pub keyword: u16,
    /// The number of words that follow; `u16::MAX` stands for that many or more.
    pub arguments: u16,
}

impl EntryHead {
    fn from_parsed(head: ParsedEntry<'_, '_>) -> Self {
        Self {
            keyword: u16::try_from(head.bare_keyword()).unwrap_or(0),
            arguments: u16::try_from(head.count_arguments()).unwrap_or(u16::MAX),
        }
    }
}

const BLOCK_BIT: u32 = 1 << 31;

impl EntryRecord {
    pub fn is_block(self) -> bool {
        self.next & BLOCK_BIT != 0
    }

    pub fn next_index(self) -> u32 {
        self.next & !BLOCK_BIT
    }

    /// Returns the same entry, this many bytes and entries further on; both count modulo 2^32.
    pub fn moved(self, bytes: u32, entries: u32) -> Self {
        Self {
            start: self.start.wrapping_add(bytes),
            end: self.end.wrapping_add(bytes),
            next: (self.next & BLOCK_BIT) | self.next_index().wrapping_add(entries),
            head: self.head,
        }
    }
}

/// The records of a text, in one list for each thread that parsed a part of it.
///
/// They are not joined: that would touch as much fresh memory again as parsing did.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryRecords {
    first: Vec<EntryRecord>,
    /// Its records count entries from zero.
    second: Vec<EntryRecord>,
}

impl EntryRecords {
    pub fn len(&self) -> usize {
        self.first.len() + self.second.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, index: usize) -> Option<EntryRecord> {
        match self.first.get(index) {
            Some(record) => Some(*record),
            None => self.second.get(index - self.first.len()).map(|record| self.of_second(*record)),
        }
    }

    /// The records at the places of `range`.
    pub fn iter(&self, range: Range<usize>) -> impl Iterator<Item = EntryRecord> {
        let split = self.first.len();
        let first = &self.first[range.start.min(split)..range.end.min(split)];
        let second = &self.second[range.start.saturating_sub(split)..range.end.saturating_sub(split)];
        first.iter().copied().chain(second.iter().map(|record| self.of_second(*record)))
    }

    fn of_second(&self, record: EntryRecord) -> EntryRecord {
        record.moved(0, self.first.len() as u32)
    }
}

impl From<Vec<EntryRecord>> for EntryRecords {
    fn from(records: Vec<EntryRecord>) -> Self {
        Self { first: records, second: Vec::new() }
    }
}

/// Everything that the parser found in a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub records: EntryRecords,
    pub diagnostics: Diagnostics,
}

/// The bytes of text for which room for one entry is reserved. Entries of real files are longer, and
/// memory that is never touched costs nothing.
const BYTES_PER_ENTRY: usize = 16;

/// Keeps the records of a part of a text.
#[derive(Default)]
pub(super) struct Indexer {
    records: EntryRecords,
    /// The blocks that have no end yet.
    open: Vec<usize>,
}

impl Indexer {
    /// Returns an indexer for a part of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self { records: Vec::with_capacity(bytes / BYTES_PER_ENTRY).into(), open: Vec::new() }
    }

    pub fn into_records(self) -> EntryRecords {
        self.records
    }
}

impl Sink<'_> for Indexer {
    #[inline(always)]
    fn setting(&mut self, head: ParsedEntry<'_, '_>, end: usize) {
        let records = &mut self.records.first;
        let next = records.len() as u32 + 1;
        records.push(EntryRecord {
            start: head.start() as u32,
            end: end as u32,
            next,
            head: EntryHead::from_parsed(head),
        });
    }

    fn open_block(&mut self, head: ParsedEntry<'_, '_>) {
        self.open.push(self.records.first.len());
        self.setting(head, 0);
    }

    fn close_block(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let next = self.records.first.len() as u32;
        let record = &mut self.records.first[open];
        record.end = end as u32;
        record.next = next | BLOCK_BIT;
    }

    fn append(&mut self, later: Self) {
        self.records.second = later.records.first;
    }
}
