//! What is known of a text: a flat array of spans in pre-order.

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

/// What is stored of an entry: twelve bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// Offset of the first word.
    pub start: u32,
    /// Offset behind the `;` or `}`, or behind the last word where that is missing.
    pub end: u32,
    /// Index of the next entry that is not inside this one; the top bit says that it has a block.
    pub next: u32,
}

pub(super) const BLOCK_BIT: u32 = 1 << 31;

impl Record {
    pub fn is_block(self) -> bool {
        self.next & BLOCK_BIT != 0
    }

    pub fn next_index(self) -> u32 {
        self.next & !BLOCK_BIT
    }
}

/// What is known of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub records: Vec<Record>,
    /// Entries whose words stand on several lines, in order; rare, and a likely sign of a missing `;`.
    pub spanning: Vec<EntryId>,
    pub diagnostics: Diagnostics,
}
