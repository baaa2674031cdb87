//! The index of a text: a flat array of the spans of its entries, in pre-order.

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
    fn from_head(head: EntryHead) -> Self {
        let keyword = Some(head.bare_keyword).filter(|length| *length <= LONGEST_KEYWORD);
        let arguments = head.words.saturating_sub(1).min(MOST_ARGUMENTS);
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

    /// Ends a block with so many entries inside.
    pub fn close(&mut self, end: usize, inside: usize) {
        self.end = end as u32;
        self.facts = self.facts.with_block(inside);
    }
}

/// The words of the entry that is being parsed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EntryHead {
    /// Of the first word, or of the `{` of a block without a keyword.
    start: u32,
    /// Behind the last word.
    end: u32,
    words: u32,
    /// The length of the keyword in bytes; 0 if it has quotes, or is missing.
    bare_keyword: u32,
}

impl EntryHead {
    /// An entry that starts here and has no words yet.
    #[inline(always)]
    pub fn starting_at(start: usize) -> Self {
        Self { start: start as u32, end: start as u32, words: 0, bare_keyword: 0 }
    }

    #[inline(always)]
    pub fn push(&mut self, start: usize, end: usize, is_quoted: bool) {
        if self.words == 0 && !is_quoted {
            self.bare_keyword = (end - start) as u32;
        }
        self.end = end as u32;
        self.words += 1;
    }

    pub fn end(self) -> usize {
        self.end as usize
    }

    /// The record of the entry, without what is inside it.
    #[inline(always)]
    pub fn record(self, end: usize) -> EntryRecord {
        EntryRecord { start: self.start, end: end as u32, facts: EntryFacts::from_head(self) }
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

/// The entries for which room may stay reserved that no entry needed.
pub(super) const SPARE_ENTRIES: usize = 1024;
