//! A text with the index over it, and the entries that are read from both.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;
use bytestring::ByteString;

use super::diagnostic::{Diagnostic, Diagnostics, Span, line_start};
use super::grammar::{self, MAX_DEPTH, Record, text_start};
use super::word::Words;

/// The number of an entry in a document, from 0, in the order of the text.
pub type EntryId = usize;

/// A text and the index over it.
#[derive(Debug, Clone, Default)]
pub struct Document {
    text: ByteString,
    /// The entries, each in front of those inside it.
    records: Vec<Record>,
    diagnostics: Diagnostics,
    /// The places of the rows of the top-level entries in the schema, which are asked for often.
    pub(crate) rows: OnceLock<Vec<Option<u8>>>,
    /// Of an edited text those of the first entries, and of the last ones, as far as they were known before.
    pub(crate) kept_rows: [Vec<Option<u8>>; 2],
}

impl Document {
    /// The deepest nesting of blocks.
    pub const MAX_DEPTH: usize = MAX_DEPTH;

    /// Parses the bytes of a file of a media server. Of bytes that are not UTF-8 the first are reported as an error, and the
    /// text holds U+FFFD in the place of each.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        if let Ok(text) = ByteString::try_from(bytes.clone()) {
            return Self::parse(text);
        }
        // In UTF-16 each second byte of plain text is NUL.
        let has_mark = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        if has_mark && bytes.iter().take(64).any(|&byte| byte == 0) {
            let mut diagnostics = Diagnostics::default();
            let hint = "convert it: `iconv -f UTF-16 -t UTF-8 FILE > NEW`";
            diagnostics.push(Diagnostic::error(0..0, "the text is UTF-16, and must be UTF-8").hint(hint));
            let text = String::from_utf8_lossy(&bytes).into_owned().into();
            return Self { text, diagnostics, ..Self::default() };
        }
        let mut document = Self::parse(String::from_utf8_lossy(&bytes).into_owned());
        let valid = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let place = valid as u32..(valid + char::REPLACEMENT_CHARACTER.len_utf8()) as u32;
        let hint = "is the file in another encoding? convert it, from Latin-1 with `iconv -f LATIN1 -t UTF-8 FILE > NEW`";
        let found = Diagnostic::error(place, format!("invalid UTF-8 at byte {valid}"));
        document.diagnostics.push(found.hint(hint));
        document
    }

    /// Parses a text of a media server. Never fails: problems are in [`Document::diagnostics`].
    pub fn parse(text: impl Into<ByteString>) -> Self {
        let text = text.into();
        if let Some(found) = unparsed(&text) {
            let mut diagnostics = Diagnostics::default();
            diagnostics.push(found);
            return Self { text, diagnostics, ..Self::default() };
        }
        let (records, diagnostics) = grammar::parse(&text);
        Self { text, records, diagnostics, ..Self::default() }
    }

    /// Returns the document with these edits made.
    ///
    /// `edits` are in the order of the text and do not overlap.
    pub fn edited(&self, edits: &[Splice]) -> Self {
        let inserted: usize = edits.iter().map(|edit| edit.text.len()).sum();
        let mut text = String::with_capacity(self.text.len() + inserted);
        text.extend(spliced(&self.text, 0..self.text.len(), edits));
        let Some(records) = self.edited_records(&text, edits) else { return Self::parse(text) };
        debug_assert_eq!(records, grammar::parse(&text).0, "the entries around the edits stay");
        let kept_rows = self.rows_around(edits).unwrap_or_default();
        Self { text: text.into(), records, kept_rows, ..Self::default() }
    }

    /// The rows of the entries in front of the edits, and of those behind them, which stay.
    fn rows_around(&self, edits: &[Splice]) -> Option<[Vec<Option<u8>>; 2]> {
        let (rows, first, last) = (self.rows.get()?, edits.first()?, edits.last()?);
        let head = self.entries().take_while(|entry| entry.end() < first.range.start).count();
        let behind = self.entries().skip(head).skip_while(|entry| entry.start() <= last.range.end);
        Some([rows[..head].to_vec(), rows[rows.len() - behind.count()..].to_vec()])
    }

    /// The records of the edited text, of which only the part around the edits is parsed; `None` where that may change the
    /// meaning of the rest, or has faults.
    fn edited_records(&self, text: &str, edits: &[Splice]) -> Option<Vec<Record>> {
        let edited = edits.first()?.range.start..edits.last()?.range.end;
        let before = self.entries().take_while(|entry| entry.end() < edited.start).last();
        let (number, start) = before.map_or((0, 0), |entry| (entry.numbers().end, entry.end()));
        let behind = self.entries_in(number..self.len()).find(|entry| entry.start() > edited.end)?;
        let end = text.len() - (self.text.len() - behind.start());
        let (part, is_broken) = (&text[start..end], !self.diagnostics.is_empty() || unparsed(text).is_some());
        let may_end_in_comment = part[line_start(part, part.len())..].contains('#');
        if is_broken || may_end_in_comment || number > 0 && text_start(part) > 0 {
            return None;
        }
        let (inside, diagnostics) = grammar::parse(part);
        let mut records = self.records[..number].to_vec();
        records.extend(inside.iter().map(|record| record.moved(start, number)));
        let by = (end.wrapping_sub(behind.start()), records.len().wrapping_sub(behind.id));
        records.extend(self.records[behind.id..].iter().map(|record| record.moved(by.0, by.1)));
        diagnostics.is_empty().then_some(records)
    }

    /// The text, byte for byte as it was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as bytes, which may be shared.
    pub fn bytes(&self) -> &Bytes {
        self.text.as_bytes()
    }

    /// The problems that the parser found; [`crate::check()`] finds more.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// The number of entries, nested ones included.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// All entries, nested ones included, in the order of the text.
    pub fn all_entries(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.len()).map(|number| self.entry(number))
    }

    /// True if the text has no entry: it is empty, or holds comments only.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The top-level entries.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> + Clone {
        self.entries_in(0..self.records.len())
    }

    /// The top-level entries among those with these numbers, which begin and end between two of them.
    pub fn entries_in(&self, numbers: Range<usize>) -> impl Iterator<Item = Entry<'_>> + Clone {
        let Range { start: mut at, end } = numbers;
        std::iter::from_fn(move || {
            let entry = (at < end).then(|| self.entry(at))?;
            #[cfg(test)]
            super::tests::work::count();
            at = entry.numbers().end;
            Some(entry)
        })
    }

    /// The numbers of the top-level entries of both, without those in the bytes that both texts start and end with.
    pub fn differing(&self, other: &Self) -> [Range<usize>; 2] {
        let both = [self, other];
        let [head, tail] = common_ends(both.map(|document| document.text.as_bytes().as_ref()));
        // Its `;` or `}` ends an entry, whatever follows.
        let in_head = |entry: &Entry<'_>| entry.end() <= head && entry.is_terminated();
        let first = self.entries().find(|entry| !in_head(entry)).map_or(self.len(), Entry::id);
        // How many bytes and records are left from each entry on.
        let mut left = both.map(|document| {
            let left = |entry: Entry<'_>| (document.text.len() - entry.start(), document.len() - entry.id());
            let behind = document.entries_in(first..document.len()).map(left);
            behind.skip_while(|(bytes, _)| *bytes > tail).peekable()
        });
        // From where an entry begins in both, all that follows is the same.
        let same = loop {
            let [old, new] = left.each_mut().map(|left| left.peek().copied().unwrap_or_default());
            if old == new {
                break old.1;
            }
            left[usize::from(old < new)].next();
        };
        both.map(|document| first..document.len() - same)
    }

    /// The entry with this id.
    ///
    /// # Panics
    /// If the id belongs to another document and is out of range here.
    pub fn entry(&self, id: EntryId) -> Entry<'_> {
        Entry { document: self, id }
    }
}

/// A handle to an entry of a document, as cheap as a reference.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'d> {
    document: &'d Document,
    id: EntryId,
}

impl<'d> Entry<'d> {
    /// Its number in the document.
    pub fn id(self) -> EntryId {
        self.id
    }

    /// The document that it belongs to.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Its number, and those of the entries inside it.
    pub fn numbers(self) -> Range<usize> {
        self.id..self.record().next as usize
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

    /// Its bytes.
    #[inline(always)]
    pub fn text(self) -> &'d str {
        &self.document.text[self.start()..self.end()]
    }

    /// True if it has a block.
    pub fn is_block(self) -> bool {
        self.record().facts & Record::BLOCK != 0
    }

    /// True if it ends with its `;` or `}`.
    pub fn is_terminated(self) -> bool {
        matches!(self.document.text.as_bytes().get(self.end().wrapping_sub(1)), Some(b';' | b'}'))
    }

    /// Its words, the keyword first.
    pub fn words(self) -> Words<'d> {
        Words::new(&self.document.text, self.start(), self.end())
    }

    /// The value of its first word; empty for a block without a keyword, which is an error.
    #[inline(always)]
    pub fn keyword(self) -> Cow<'d, str> {
        let Record { start, keyword, .. } = self.record();
        match keyword {
            0 => self.words().next().map_or(Cow::Borrowed(""), |word| word.value()),
            len => Cow::Borrowed(&self.document.text[start as usize..start as usize + usize::from(len)]),
        }
    }

    /// The words behind the keyword.
    #[inline]
    pub fn arguments(self) -> Words<'d> {
        let record = self.record();
        let behind = record.start as usize + usize::from(record.keyword);
        let mut words = Words::new(&self.document.text, behind, record.end as usize);
        if record.keyword == 0 {
            words.next();
        }
        words
    }

    /// The number of words behind the keyword.
    #[inline]
    pub fn count_arguments(self) -> usize {
        let count = self.record().arguments;
        if count == u16::MAX { self.arguments().count() } else { count.into() }
    }

    /// True if its words stand on several lines.
    pub fn is_spanning(self) -> bool {
        self.record().facts & Record::SPANNING != 0
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
    pub fn children(self) -> impl Iterator<Item = Entry<'d>> + Clone {
        self.document.entries_in(self.id + 1..self.numbers().end)
    }

    fn record(self) -> Record {
        *self.document.records.get(self.id).expect("an id belongs to an entry of its document")
    }
}

/// One replacement in a text.
///
/// Lists of splices are in the order of the text, do not overlap, and count all offsets in the old
/// text; each bound lies between characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Splice {
    /// The bytes of the old text that go; empty for an insertion.
    pub range: Range<usize>,
    /// The text that takes their place.
    pub text: String,
}

/// The lengths of the longest start and end that two lists have in common; these do not overlap.
pub fn common_ends<T: PartialEq>([old, new]: [&[T]; 2]) -> [usize; 2] {
    const PIECE: usize = 256;
    let pieces = old.chunks(PIECE).zip(new.chunks(PIECE)).take_while(|(old, new)| old == new);
    let head: usize = pieces.map(|(old, _)| old.len()).sum();
    let head = head + old[head..].iter().zip(&new[head..]).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], &new[head..]);
    let pieces = old.rchunks(PIECE).zip(new.rchunks(PIECE)).take_while(|(old, new)| old == new);
    let tail: usize = pieces.map(|(old, _)| old.len()).sum();
    let [old, new] = [old, new].map(|rest| rest[..rest.len() - tail].iter().rev());
    [head, tail + old.zip(new).take_while(|(old, new)| old == new).count()]
}

/// The error of a text that is not parsed.
fn unparsed(text: &str) -> Option<Diagnostic> {
    // Spans are pairs of `u32`, and editors count in `i32`.
    let is_too_large = text.len() > i32::MAX as usize;
    let too_large = is_too_large.then(|| Diagnostic::error(0..0, "the text is larger than 2 GiB"));
    too_large.or_else(|| erlang_terms(text))
}

/// The error of a text whose first line that is no `%` comment is `{http, 8080}.`: the format of version 3.
fn erlang_terms(text: &str) -> Option<Diagnostic> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with('%'))?;
    let (name, _) = line.strip_prefix('{')?.split_once(',')?;
    let start = (line.as_ptr() as usize - text.as_ptr() as usize) as u32;
    let message = "this is the old 3.x format (Erlang terms), not a `media.conf`";
    let hint = "write `http 8080;` for `{http, 8080}.`, and `#` for `%`";
    let found = Diagnostic::error(start..start + line.len() as u32, message).hint(hint);
    (!name.trim().is_empty() && name.trim().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        .then_some(found)
}

/// The pieces of the new text in order: kept, replacement, kept, …; some may be empty.
///
/// `window` is a range of the old text that holds all of `splices`.
pub fn spliced<'t>(
    old: &'t str,
    window: Range<usize>,
    splices: &'t [Splice],
) -> impl Iterator<Item = &'t str> {
    let starts = std::iter::once(window.start).chain(splices.iter().map(|splice| splice.range.end));
    let ends = splices.iter().map(|splice| splice.range.start).chain([window.end]);
    let kept = starts.zip(ends).map(|(start, end)| &old[start..end]);
    let replacements = splices.iter().map(|splice| &*splice.text).chain([""]);
    kept.zip(replacements).flat_map(|(kept, replacement)| [kept, replacement])
}
