//! The output of the parser: the entries of a text, in its order, each as soon as its words are read.

use std::borrow::Cow;

use crate::text::Span;
use crate::text::Word;

/// Takes the entries of a text while it is parsed.
///
/// There are two: one keeps an index of them, the other checks them and keeps nothing.
pub trait Sink<'t> {
    /// Takes a setting that starts here if its text is known, and returns its end: its words are not read then.
    ///
    /// Known can be a text up to its `;` with plain words and one blank between two, about which the parser has
    /// nothing to say.
    fn known_setting(&mut self, _start: usize) -> Option<usize> {
        None
    }

    /// Takes an entry without a block, which ends at `end`.
    fn setting(&mut self, head: ParsedEntry<'_, 't>, end: usize);

    /// Takes the words in front of a `{`. The entries inside the block follow.
    fn open_block(&mut self, head: ParsedEntry<'_, 't>);

    /// Takes the end of the block that was opened last and is still open.
    fn close_block(&mut self, end: usize);
}

/// The properties of an entry without its block, whether it is being parsed or stands in an index.
pub trait Directive<'t>: Copy {
    /// The value of its first word; empty for a block without a keyword, which is an error.
    fn keyword(self) -> Cow<'t, str>;

    /// Returns what `look` makes of the bytes of the keyword, which are not copied for it.
    fn with_keyword<R>(self, look: impl FnOnce(&[u8]) -> R) -> R {
        look(self.keyword().as_bytes())
    }

    /// The words behind the keyword.
    fn arguments(self) -> impl Iterator<Item = Word<'t>>;

    /// The number of words behind the keyword.
    fn count_arguments(self) -> usize;

    /// True if a block follows its words.
    fn is_block(self) -> bool;
}

/// The place of a word in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WordPlace {
    start: u32,
    end: u32,
    /// True if any part of it is quoted.
    quoted: bool,
}

impl WordPlace {
    #[inline(always)]
    fn bytes(self, text: &str) -> &[u8] {
        &text.as_bytes()[self.start as usize..self.end as usize]
    }

    #[inline(always)]
    fn word<'t>(self, text: &'t str) -> Word<'t> {
        #[cfg(test)]
        super::work::count();
        Word { raw: &text[self.start as usize..self.end as usize], start: self.start, quoted: self.quoted }
    }
}

/// The words of the entry that is being parsed.
#[derive(Debug)]
pub(super) struct EntryWords<'t> {
    text: &'t str,
    /// Of the first word, or of the `{` of a block without a keyword.
    start: u32,
    places: Vec<WordPlace>,
    /// True if the words stand on several lines.
    pub is_spanning: bool,
    /// True if no word has quotes or is odd, and one blank stands between two words.
    pub is_plain: bool,
    /// True if a block follows.
    pub is_block: bool,
}

impl<'t> EntryWords<'t> {
    /// The words of an entry of this text; there is none yet.
    pub fn new(text: &'t str) -> Self {
        Self { text, start: 0, places: Vec::new(), is_spanning: false, is_plain: true, is_block: false }
    }

    /// Goes on to the entry that starts here; the allocation is kept.
    #[inline(always)]
    pub fn restart(&mut self, start: usize) {
        self.start = start as u32;
        self.places.clear();
        (self.is_spanning, self.is_plain, self.is_block) = (false, true, false);
    }

    #[inline(always)]
    pub fn push(&mut self, start: usize, end: usize, quoted: bool) {
        self.places.push(WordPlace { start: start as u32, end: end as u32, quoted });
    }

    /// Behind the last word.
    pub fn end(&self) -> usize {
        self.places.last().map_or(self.start, |word| word.end) as usize
    }
}

/// An entry that is being parsed: its words, and whether a block follows.
#[derive(Debug, Clone, Copy)]
pub struct ParsedEntry<'w, 't>(pub(super) &'w EntryWords<'t>);

impl<'w, 't> ParsedEntry<'w, 't> {
    /// The whole text.
    pub fn text(self) -> &'t str {
        self.0.text
    }

    /// Offset of its first word.
    pub fn start(self) -> usize {
        self.0.start as usize
    }

    /// From the first word to the last, as they stand in the text.
    pub fn span(self) -> Span {
        self.0.start..self.0.end() as u32
    }

    /// Its words, the keyword first.
    #[inline]
    pub fn words(self) -> ParsedWords<'w, 't> {
        ParsedWords { text: self.0.text, places: self.0.places.iter() }
    }

    /// The words behind the keyword.
    #[inline]
    pub fn arguments(self) -> ParsedWords<'w, 't> {
        let mut words = self.words();
        words.places.next();
        words
    }

    /// True if its words stand on several lines; rare, and likely to lack a `;`.
    pub fn is_spanning(self) -> bool {
        self.0.is_spanning
    }

    /// True if no word has quotes or is odd, and one blank stands between two words.
    pub fn is_plain(self) -> bool {
        self.0.is_plain
    }

    /// The length of the keyword in bytes; 0 if it has quotes, or is missing.
    pub(super) fn bare_keyword(self) -> usize {
        match self.0.places.first() {
            Some(word) if !word.quoted => (word.end - word.start) as usize,
            _ => 0,
        }
    }
}

impl<'t> Directive<'t> for ParsedEntry<'_, 't> {
    #[inline(always)]
    fn keyword(self) -> Cow<'t, str> {
        match self.0.places.first() {
            Some(place) => place.word(self.0.text).value(),
            None => Cow::Borrowed(""),
        }
    }

    #[inline(always)]
    fn with_keyword<R>(self, look: impl FnOnce(&[u8]) -> R) -> R {
        match self.0.places.first() {
            Some(place) if !place.quoted => look(place.bytes(self.0.text)),
            _ => look(self.keyword().as_bytes()),
        }
    }

    #[inline]
    fn arguments(self) -> impl Iterator<Item = Word<'t>> {
        ParsedEntry::arguments(self)
    }

    #[inline]
    fn count_arguments(self) -> usize {
        self.0.places.len().saturating_sub(1)
    }

    fn is_block(self) -> bool {
        self.0.is_block
    }
}

/// The words of an entry that is being parsed, or the last of them.
#[derive(Debug, Clone)]
pub struct ParsedWords<'w, 't> {
    text: &'t str,
    places: std::slice::Iter<'w, WordPlace>,
}

impl<'t> ParsedWords<'_, 't> {
    /// Goes on behind the next word of which `is_meant` is true. Returns that word, and the end of the
    /// word in front of it, which is `end` for the first.
    #[inline]
    pub fn next_that(&mut self, mut end: u32, is_meant: impl Fn(&[u8]) -> bool) -> Option<(Word<'t>, u32)> {
        for place in self.places.by_ref() {
            if is_meant(place.bytes(self.text)) {
                return Some((place.word(self.text), end));
            }
            end = place.end;
        }
        None
    }
}

impl<'t> Iterator for ParsedWords<'_, 't> {
    type Item = Word<'t>;

    #[inline]
    fn next(&mut self) -> Option<Word<'t>> {
        self.places.next().map(|place| place.word(self.text))
    }
}
