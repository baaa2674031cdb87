//! The index over a text: a flat array of spans in pre-order.

use std::borrow::Cow;
use std::ops::Range;

use super::diagnostic::{Diagnostics, Span};
use super::lex::Words;
use super::word::Word;
use super::{parse, reparse};

/// The place of an entry in a [`Document`], in the order of the text.
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

/// A text and the index over it.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    index: Index,
}

/// A document that was made from another.
#[derive(Debug)]
pub struct Edited {
    /// The new one.
    pub document: Document,
    /// Where its entries are not those of the old one, in order.
    pub changed: Vec<Changed>,
}

/// A run of entries that was parsed again, as the places of its entries in both documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// In the old document.
    pub old: Range<usize>,
    /// In the new document.
    pub new: Range<usize>,
}

/// What is known of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub records: Vec<Record>,
    /// Entries whose words stand on several lines, in order; rare, and a likely sign of a missing `;`.
    pub spanning: Vec<EntryId>,
    pub diagnostics: Diagnostics,
}

impl Document {
    /// Reads bytes as they come from a file. What is not UTF-8 is an error among the diagnostics,
    /// and the text then holds U+FFFD in its place.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => Self::parse_lossy(error.as_bytes()),
        }
    }

    fn parse_lossy(bytes: &[u8]) -> Self {
        let mut document = Self::parse(String::from_utf8_lossy(bytes).into_owned());
        let mut diagnostics = Diagnostics::default();
        parse::report_invalid_utf8(bytes, &mut diagnostics);
        diagnostics.extend(&document.index.diagnostics);
        document.index.diagnostics = diagnostics;
        document
    }

    /// Reads a text. Never fails; what is wrong is in [`Document::diagnostics`].
    pub fn parse(text: String) -> Self {
        let index = parse::parse(&text);
        Self::from_index(text, index)
    }

    fn from_index(text: String, index: Index) -> Self {
        Self { text, index }
    }

    /// The text, byte for byte as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, without the index.
    pub fn into_text(self) -> String {
        self.text
    }

    /// What the parser found wrong.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.index.diagnostics
    }

    /// How many entries there are, nested ones included.
    pub fn len(&self) -> usize {
        self.index.records.len()
    }

    /// Whether there is no entry at all: an empty file, or comments only.
    pub fn is_empty(&self) -> bool {
        self.index.records.is_empty()
    }

    /// The top-level entries.
    pub fn entries(&self) -> Children<'_> {
        Children { document: self, at: 0, end: self.index.records.len() as u32 }
    }

    /// The entry with this id.
    ///
    /// # Panics
    /// If the id is another document's and out of range here.
    pub fn entry(&self, id: EntryId) -> Entry<'_> {
        Entry { document: self, id }
    }

    /// The document with `edits` made: in order of place, not overlapping.
    ///
    /// Only the top-level entries around an edit are parsed again; the rest of the index is
    /// shifted. The result is the same as that of parsing the whole new text.
    pub fn edited(&self, edits: &[Splice]) -> Edited {
        let text = apply(&self.text, edits);
        match reparse::index_of_edited(self, edits, &text) {
            Some((index, changed)) => Edited { document: Self::from_index(text, index), changed },
            None => {
                let document = Self::parse(text);
                let changed = vec![Changed { old: 0..self.len(), new: 0..document.len() }];
                Edited { document, changed }
            }
        }
    }

    /// The top-level entries of a run that was parsed again.
    pub fn entries_of(&self, changed: &Changed) -> Children<'_> {
        Children { document: self, at: changed.new.start as u32, end: changed.new.end as u32 }
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    fn record(&self, id: EntryId) -> Record {
        self.index.records[id.0 as usize]
    }
}

/// One replacement in a text.
///
/// Lists of splices are in order of place, do not overlap, and count all offsets in the old text;
/// each bound lies between characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The bytes of the old text that go; empty for an insertion.
    pub range: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

fn apply(text: &str, edits: &[Splice]) -> String {
    let grown: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut new = String::with_capacity(text.len() + grown);
    let mut at = 0;
    for edit in edits {
        new.push_str(&text[at..edit.range.start]);
        new.push_str(&edit.text);
        at = edit.range.end;
    }
    new.push_str(&text[at..]);
    new
}

/// An entry of a document: a handle, as cheap as a reference.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'d> {
    document: &'d Document,
    id: EntryId,
}

impl<'d> Entry<'d> {
    /// Its place in the document.
    pub fn id(self) -> EntryId {
        self.id
    }

    /// The document it belongs to.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Offset of its first word.
    pub fn start(self) -> usize {
        self.record().start as usize
    }

    /// Offset behind its `;` or `}`.
    pub fn end(self) -> usize {
        self.record().end as usize
    }

    /// From the first word to the `;` or `}`.
    pub fn span(self) -> Span {
        self.record().start..self.record().end
    }

    /// Whether it has a block, maybe an empty one.
    pub fn is_block(self) -> bool {
        self.record().is_block()
    }

    /// Whether its words stand on several lines.
    pub fn is_spanning(self) -> bool {
        let spanning = &self.document.index.spanning;
        !spanning.is_empty() && spanning.binary_search(&self.id).is_ok()
    }

    /// Whether its `;` or `}` is there.
    pub fn is_terminated(self) -> bool {
        matches!(self.document.text.as_bytes().get(self.end().wrapping_sub(1)), Some(b';' | b'}'))
    }

    /// Its words behind one of them.
    pub fn words_behind(self, word: Word<'d>) -> Words<'d> {
        Words::new(&self.document.text[..self.end()], word.end() as usize)
    }

    /// Its words, the keyword first.
    pub fn words(self) -> Words<'d> {
        Words::new(&self.document.text[..self.end()], self.start())
    }

    /// The value of its first word; empty for a block without a name, which is an error.
    pub fn keyword(self) -> Cow<'d, str> {
        self.words().next().map_or(Cow::Borrowed(""), |word| word.value())
    }

    /// The words behind the keyword.
    pub fn arguments(self) -> Words<'d> {
        let mut words = self.words();
        words.next();
        words
    }

    /// From the first word to the last, as they stand in the text.
    pub fn head_span(self) -> Span {
        let end = self.words().last().map_or(self.record().start, |word| word.end());
        self.record().start..end
    }

    /// The bytes between the braces.
    ///
    /// # Panics
    /// If the entry has no block.
    pub fn body(self) -> Range<usize> {
        assert!(self.is_block(), "only a block has a body");
        let open = self.words().delimiter();
        open + 1..(self.end() - 1).max(open + 1)
    }

    /// The entries inside its block.
    pub fn children(self) -> Children<'d> {
        Children { document: self.document, at: self.id.0 + 1, end: self.record().next_index() }
    }

    fn record(self) -> Record {
        self.document.record(self.id)
    }
}

/// The entries of one block, in the order of the text.
#[derive(Debug, Clone)]
pub struct Children<'d> {
    document: &'d Document,
    at: u32,
    end: u32,
}

impl Children<'_> {
    /// Index of the record that comes next.
    pub(super) fn at(&self) -> usize {
        self.at as usize
    }
}

impl<'d> Iterator for Children<'d> {
    type Item = Entry<'d>;

    fn next(&mut self) -> Option<Entry<'d>> {
        if self.at >= self.end {
            return None;
        }
        let entry = self.document.entry(EntryId(self.at));
        self.at = entry.record().next_index();
        Some(entry)
    }
}
