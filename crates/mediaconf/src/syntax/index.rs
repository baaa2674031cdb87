//! The index of a text: a flat array of the spans of its entries, in pre-order.

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

/// Everything that the parser found in a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub records: Vec<EntryRecord>,
    pub diagnostics: Diagnostics,
}

/// The bytes of text for which room for one entry is reserved. Entries of real files are longer, and
/// memory that is never touched costs nothing.
const BYTES_PER_ENTRY: usize = 16;

/// The entries for which room may stay reserved that no entry needed.
const SPARE_ENTRIES: usize = 1024;

/// Keeps the records of a part of a text.
#[derive(Default)]
pub(super) struct Indexer {
    records: Vec<EntryRecord>,
    /// The blocks that have no end yet.
    open: Vec<usize>,
}

impl Indexer {
    /// Returns an indexer for a part of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self { records: Vec::with_capacity(bytes / BYTES_PER_ENTRY), open: Vec::new() }
    }

    /// The records; what was reserved for a large text, and not needed, is given back.
    pub fn into_records(mut self) -> Vec<EntryRecord> {
        if self.records.capacity() - self.records.len() > SPARE_ENTRIES {
            self.records.shrink_to_fit();
        }
        self.records
    }
}

impl Sink<'_> for Indexer {
    #[inline(always)]
    fn setting(&mut self, head: ParsedEntry<'_, '_>, end: usize) {
        let records = &mut self.records;
        let next = records.len() as u32 + 1;
        records.push(EntryRecord {
            start: head.start() as u32,
            end: end as u32,
            next,
            head: EntryHead::from_parsed(head),
        });
    }

    fn open_block(&mut self, head: ParsedEntry<'_, '_>) {
        self.open.push(self.records.len());
        self.setting(head, 0);
    }

    fn close_block(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let next = self.records.len() as u32;
        let record = &mut self.records[open];
        record.end = end as u32;
        record.next = next | BLOCK_BIT;
    }
}
