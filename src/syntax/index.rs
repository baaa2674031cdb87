//! What is known of a text: a flat array of spans in pre-order.

use std::ops::Range;

use super::diagnostic::Diagnostics;

/// The place of an entry in a document, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub(super) u32);

impl EntryId {
    /// The place as a number, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id of the entry at a place.
    pub fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// What is stored of an entry: sixteen bytes, so that most questions are answered without lexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryRecord {
    /// Offset of the first word.
    pub start: u32,
    /// Offset behind the `;` or `}`, or behind the last word where that is missing.
    pub end: u32,
    /// Index of the next entry that is not inside this one; the top bit says that it has a block.
    pub next: u32,
    /// Its words, as far as they are known without lexing them.
    pub head: EntryHead,
}

/// What is known of the words of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryHead {
    /// Length of the first word; 0 if it has quotes, is longer than this counts, or is not there.
    pub keyword: u16,
    /// How many words follow; the most this counts is that many or more.
    pub arguments: u16,
}

impl EntryHead {
    /// No word at all.
    pub const NONE: Self = Self { keyword: 0, arguments: 0 };

    /// Counts as far as there is room to.
    pub fn of(keyword: usize, arguments: usize) -> Self {
        Self {
            keyword: u16::try_from(keyword).unwrap_or(0),
            arguments: u16::try_from(arguments).unwrap_or(u16::MAX),
        }
    }
}

pub(super) const BLOCK_BIT: u32 = 1 << 31;

impl EntryRecord {
    pub fn is_block(self) -> bool {
        self.next & BLOCK_BIT != 0
    }

    pub fn next_index(self) -> u32 {
        self.next & !BLOCK_BIT
    }

    /// The same entry, so many bytes and so many entries further on; both count modulo 2^32.
    pub fn moved(self, bytes: u32, entries: u32) -> Self {
        Self {
            start: self.start.wrapping_add(bytes),
            end: self.end.wrapping_add(bytes),
            next: (self.next & BLOCK_BIT) | self.next_index().wrapping_add(entries),
            head: self.head,
        }
    }
}

/// The records of a text, as one or two threads made them.
///
/// What the second thread made stays where it is: bringing the two together would touch as much
/// fresh memory again as making them.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryRecords {
    first: Vec<EntryRecord>,
    /// Counts its own places from zero.
    second: Vec<EntryRecord>,
}

impl EntryRecords {
    pub fn new(first: Vec<EntryRecord>, second: Vec<EntryRecord>) -> Self {
        Self { first, second }
    }

    pub fn len(&self) -> usize {
        self.first.len() + self.second.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `None` behind the last.
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
        Self::new(records, Vec::new())
    }
}

/// What is known of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub records: EntryRecords,
    /// Entries whose words stand on several lines, in order; rare, and a likely sign of a missing `;`.
    pub spanning: Vec<EntryId>,
    pub diagnostics: Diagnostics,
}
