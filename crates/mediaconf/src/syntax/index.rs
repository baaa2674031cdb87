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

/// The stored part of an entry: twelve bytes that answer most questions without lexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryRecord {
    /// Offset of the first word.
    pub start: u32,
    /// Offset behind the `;` or `}`, or behind the last word where that is missing.
    pub end: u32,
    facts: EntryFacts,
}

/// The facts about an entry that are known without lexing its words again, in 32 bits: 6 for the length of the keyword, 5
/// for the number of arguments, one for whether it has a block, and 20 for the number of entries in that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EntryFacts(u32);

const LONGEST_KEYWORD: u32 = (1 << 6) - 1;
const MOST_ARGUMENTS: u32 = (1 << 5) - 1;
const BLOCK_BIT: u32 = 1 << 11;
const INSIDE_SHIFT: u32 = 12;
const MOST_INSIDE: u32 = u32::MAX >> INSIDE_SHIFT;

impl EntryFacts {
    fn from_parsed(head: ParsedEntry<'_, '_>) -> Self {
        let keyword = u32::try_from(head.bare_keyword()).ok().filter(|length| *length <= LONGEST_KEYWORD);
        let arguments = head.count_arguments().min(MOST_ARGUMENTS as usize) as u32;
        Self(arguments << 6 | keyword.unwrap_or(0))
    }

    /// The same of an entry with a block that has so many entries inside.
    fn with_block(self, inside: usize) -> Self {
        let inside = inside.min(MOST_INSIDE as usize) as u32;
        Self(inside << INSIDE_SHIFT | BLOCK_BIT | self.0)
    }
}

impl EntryRecord {
    pub fn is_block(self) -> bool {
        self.facts.0 & BLOCK_BIT != 0
    }

    /// Length of the first word in bytes; `None` if it has quotes, is long, or is missing.
    pub fn keyword(self) -> Option<usize> {
        Some((self.facts.0 & LONGEST_KEYWORD) as usize).filter(|length| *length > 0)
    }

    /// The number of words that follow; `None` if they are many.
    pub fn count_arguments(self) -> Option<usize> {
        let count = self.facts.0 >> 6 & MOST_ARGUMENTS;
        Some(count as usize).filter(|_| count < MOST_ARGUMENTS)
    }

    /// Returns the same entry, this many bytes further on, modulo 2^32.
    pub fn moved(self, bytes: u32) -> Self {
        Self { start: self.start.wrapping_add(bytes), end: self.end.wrapping_add(bytes), ..self }
    }
}

/// The index of the next entry that is not inside the one at `at`.
#[inline]
pub(super) fn next_index(records: &[EntryRecord], at: usize) -> usize {
    let record = records[at];
    match record.facts.0 >> INSIDE_SHIFT {
        MOST_INSIDE => at + records[at..].partition_point(|inside| inside.start < record.end),
        inside => at + 1 + inside as usize,
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
pub(super) const SPARE_ENTRIES: usize = 1024;

impl Index {
    /// What was reserved for a large text, and not needed, is given back.
    pub fn new(mut records: Vec<EntryRecord>, diagnostics: Diagnostics) -> Self {
        if records.capacity() - records.len() > SPARE_ENTRIES {
            records.shrink_to_fit();
        }
        Self { records, diagnostics }
    }
}

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
        Self::behind(Vec::new(), bytes)
    }

    /// The same; the records come behind others.
    pub fn behind(mut records: Vec<EntryRecord>, bytes: usize) -> Self {
        records.reserve(bytes / BYTES_PER_ENTRY);
        Self { records, open: Vec::new() }
    }

    pub fn into_records(self) -> Vec<EntryRecord> {
        self.records
    }
}

impl Sink<'_> for Indexer {
    #[inline(always)]
    fn setting(&mut self, head: ParsedEntry<'_, '_>, end: usize) {
        let facts = EntryFacts::from_parsed(head);
        self.records.push(EntryRecord { start: head.start() as u32, end: end as u32, facts });
    }

    fn open_block(&mut self, head: ParsedEntry<'_, '_>) {
        self.open.push(self.records.len());
        self.setting(head, 0);
    }

    fn close_block(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let inside = self.records.len() - open - 1;
        let record = &mut self.records[open];
        record.end = end as u32;
        record.facts = record.facts.with_block(inside);
    }
}
