//! The grammar of entries and blocks: an explicit loop with a stack of open braces, so that
//! recovery and the depth limit come by themselves and no input can exhaust the call stack.

use std::ops::Range;

use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::index::{BLOCK_BIT, EntryHead, EntryId, EntryRecord, Index};
use super::lex::{self, LexedWord, Quoting, Trivia};
use super::word::unescaped;

/// How deep blocks may nest.
pub const MAX_DEPTH: usize = 64;

/// Spans are `u32` and the index keeps one bit for itself.
pub(super) const MAX_TEXT: usize = (1 << 31) - 1;

/// Room for one entry is reserved for each so many bytes. Entries of real files are longer, and
/// memory that is never touched costs nothing.
const BYTES_PER_ENTRY: usize = 16;

pub(super) const BOM: &str = "\u{feff}";

/// Indexes a text with one thread.
pub(super) fn parse_whole(text: &str) -> Index {
    parse_part(text, 0..text.len()).into_index()
}

/// The index of a part of a text.
pub(super) struct PartialIndex {
    pub records: Vec<EntryRecord>,
    pub spanning: Vec<EntryId>,
    /// Holds an error if the part ends inside an entry.
    pub diagnostics: Diagnostics,
    /// Whether the part ends in a comment, which the rest of the text would continue.
    pub ends_in_comment: bool,
}

impl PartialIndex {
    /// The index of a text that is one part.
    pub fn into_index(self) -> Index {
        Index { records: self.records.into(), spanning: self.spanning, diagnostics: self.diagnostics }
    }
}

/// Indexes one part of a text, which starts between two top-level entries.
pub(super) fn parse_part(text: &str, part: Range<usize>) -> PartialIndex {
    let mut parser = Parser::new(text, part.clone());
    report_nul(text, part.clone(), &mut parser.diagnostics);
    parser.records.reserve(part.len() / BYTES_PER_ENTRY);
    parser.entries();
    let Parser { records, spanning, diagnostics, ends_in_comment, .. } = parser;
    PartialIndex { records, spanning, diagnostics, ends_in_comment }
}

/// The words of one entry.
struct LexedWords {
    start: usize,
    /// Behind the last word.
    end: usize,
    /// Whether the words stand on several lines.
    spanning: bool,
    head: EntryHead,
    /// Whether a quote that is never closed has swallowed the `;` or `{` of the entry.
    swallowed_end: bool,
}

/// A block that has no `}` yet.
struct OpenBlock {
    record: usize,
    brace: usize,
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    records: Vec<EntryRecord>,
    spanning: Vec<EntryId>,
    diagnostics: Diagnostics,
    open: Vec<OpenBlock>,
    /// How far the closing quote of a word is searched for: to the end of the text, until a quote is
    /// found that is never closed; from then on to the end of the line. The word of that quote is
    /// inside quotes at every line end, so any later word that crosses a line end would run on to the
    /// end of the text like it, and is unclosed, too.
    quotes_end: usize,
    ends_in_comment: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, part: Range<usize>) -> Self {
        let bom = if part.start == 0 && text.starts_with(BOM) { BOM.len() } else { 0 };
        Self {
            text: &text.as_bytes()[..part.end],
            at: part.start + bom,
            records: Vec::new(),
            spanning: Vec::new(),
            diagnostics: Diagnostics::default(),
            open: Vec::new(),
            quotes_end: part.end,
            ends_in_comment: false,
        }
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// How far the closing quote of a word that starts here is searched for.
    #[inline(always)]
    fn quotes_end(&mut self, start: usize) -> usize {
        if start >= self.quotes_end { self.next_quotes_end(start) } else { self.quotes_end }
    }

    #[cold]
    fn next_quotes_end(&mut self, start: usize) -> usize {
        self.quotes_end = lex::end_of_line(self.text, start);
        self.quotes_end
    }

    /// Takes the delimiter that stands here, and returns its place.
    fn delimiter(&mut self) -> usize {
        self.at += 1;
        self.at - 1
    }

    // Problems are rare: reporting is kept out of the loop that everything else runs through.
    #[cold]
    fn report(&mut self, severity: Severity, place: Range<usize>, message: impl Into<String>, hint: &str) {
        let span = place.start as u32..place.end as u32;
        self.diagnostics.push(Diagnostic::new(severity, span, message).hint(hint));
    }

    fn error(&mut self, place: Range<usize>, message: impl Into<String>, hint: &str) {
        self.report(Severity::Error, place, message, hint);
    }

    fn warning(&mut self, place: Range<usize>, message: impl Into<String>, hint: &str) {
        self.report(Severity::Warning, place, message, hint);
    }

    /// file = [BOM] *entry
    fn entries(&mut self) {
        loop {
            (_, self.at) = self.trivia(self.at);
            match self.next() {
                None => return self.end_of_text(),
                Some(b';') => self.stray_semicolon(),
                Some(b'{') => self.nameless_block(),
                Some(b'}') => self.close_brace(),
                Some(_) => self.entry(),
            }
        }
    }

    /// *( white space / comment ); returns its kind and its end.
    #[inline(always)]
    fn trivia(&mut self, start: usize) -> (Trivia, usize) {
        let (trivia, end) = lex::trivia(self.text, start);
        if trivia == Trivia::Comments {
            self.check_comments(start..end);
        }
        (trivia, end)
    }

    /// Reports each CR inside a comment: some editors end a line there, the grammar does not, so the
    /// text behind it looks like a directive and is a comment.
    fn check_comments(&mut self, skipped: Range<usize>) {
        let (text, mut line_start) = (self.text, skipped.start);
        self.ends_in_comment = false;
        for line in text[skipped.clone()].split(|&byte| byte == b'\n') {
            let hash = memchr::memchr(b'#', line);
            self.ends_in_comment = hash.is_some() && skipped.end == text.len();
            let comment = hash.unwrap_or(line.len());
            // The CR in front of a line feed belongs to the line end.
            let inside = &line[comment..line.len().max(comment + 1) - 1];
            for cr in memchr::memchr_iter(b'\r', inside) {
                let at = line_start + comment + cr;
                self.warning(
                    at..at + 1,
                    "a comment with a carriage return inside",
                    "a comment ends at a line feed only: what follows the CR is still comment",
                );
            }
            line_start += line.len() + 1;
        }
    }

    /// entry = 1*word (";" / block)
    #[inline(always)]
    fn entry(&mut self) {
        let words = self.words();
        if words.spanning {
            self.spanning.push(EntryId(self.records.len() as u32));
        }
        match self.next() {
            _ if words.swallowed_end => self.directive(&words, words.end),
            Some(b';') => {
                let end = self.delimiter() + 1;
                self.directive(&words, end);
            }
            Some(b'{') => self.open_brace(words.start, words.head),
            Some(_) => self.missing_semicolon(&words),
            None => self.cut_off(&words),
        }
    }

    /// 1*word
    #[inline(always)]
    fn words(&mut self) -> LexedWords {
        let (text, start) = (self.text, self.at);
        let mut last = self.word(start);
        let keyword = if last.quoting == Quoting::Bare { last.end - start } else { 0 };
        let (mut count, mut spanning) = (0, false);
        while last.quoting != Quoting::Open {
            let (trivia, at) = self.trivia(last.end);
            if !lex::is_word(text, at) {
                self.at = at;
                break;
            }
            count += 1;
            spanning |= trivia != Trivia::Short && text[last.end..at].contains(&b'\n');
            last = self.word(at);
        }
        let swallowed_end = last.quoting == Quoting::Open;
        LexedWords { start, end: last.end, spanning, swallowed_end, head: EntryHead::of(keyword, count) }
    }

    /// word = 1*segment
    #[inline(always)]
    fn word(&mut self, start: usize) -> LexedWord {
        let word = lex::word(self.text, start, self.quotes_end(start));
        if word.quoting != Quoting::Bare || matches!(self.text[start], b'\'' | b'\\') {
            self.check_word(start..word.end, word.quoting);
        }
        word
    }

    fn check_word(&mut self, word: Range<usize>, quoting: Quoting) {
        if self.text[word.start] == b'\'' && quoting != Quoting::Open {
            self.single_quote(word.clone());
        }
        match quoting {
            Quoting::Bare if self.text[word.clone()] == *b"\\" => self.lone_backslash(word),
            Quoting::Bare => {}
            Quoting::Quoted => self.check_escapes(word),
            Quoting::Open => self.unclosed_quote(word),
        }
    }

    fn unclosed_quote(&mut self, word: Range<usize>) {
        self.skip_line(word.end);
        let raw = &self.text[word.clone()];
        let opening = unescaped(raw).filter(|&(_, byte, is_quoted)| byte == b'"' && !is_quoted).last();
        let at = word.start + opening.map_or(0, |(at, ..)| at);
        self.error(
            at..at + 1,
            "unclosed quote",
            "put a `\"` at the end of the value; inside it, a `\"` is written `\\\"`",
        );
    }

    /// Skips the rest of the line that an unclosed quote has swallowed.
    fn skip_line(&mut self, from: usize) {
        self.at = lex::end_of_line(self.text, from);
        self.quotes_end = self.at;
    }

    fn single_quote(&mut self, word: Range<usize>) {
        self.warning(
            word,
            "a single quote does not quote: it is part of the word",
            "quote with `\"`, or remove the `'`",
        );
    }

    /// Reports a backslash at the end of a line, which would continue the line in a shell.
    fn lone_backslash(&mut self, word: Range<usize>) {
        self.warning(
            word,
            "this backslash does not continue the line: it is a word of the directive",
            "remove it: a directive ends at its `;`, even if that is several lines on",
        );
    }

    fn check_escapes(&mut self, word: Range<usize>) {
        let raw = &self.text[word.clone()];
        if memchr::memchr(b'\\', raw).is_none() {
            return;
        }
        for (at, byte, is_quoted) in unescaped(raw) {
            if is_quoted && byte == b'\\' && !matches!(raw.get(at + 1), Some(b'\\' | b'"')) {
                self.warning(
                    word.start + at..word.start + at + 1,
                    "this backslash escapes nothing: it is taken as it is",
                    "write `\\\\` for a backslash",
                );
            }
        }
    }

    /// Records an entry without a block.
    #[inline(always)]
    fn directive(&mut self, words: &LexedWords, end: usize) {
        let next = self.records.len() as u32 + 1;
        self.records.push(EntryRecord { start: words.start as u32, end: end as u32, next, head: words.head });
    }

    fn stray_semicolon(&mut self) {
        let at = self.delimiter() as u32;
        self.diagnostics.push(Diagnostic::warning(at..at + 1, "stray `;`"));
    }

    fn nameless_block(&mut self) {
        let at = self.at;
        self.error(
            at..at + 1,
            "a block without a keyword in front of its `{`",
            "a block starts like `stream NAME {`",
        );
        self.open_brace(at, EntryHead::NONE);
    }

    /// block = "{" *entry "}"
    ///
    /// The record gets its end when the `}` comes.
    fn open_brace(&mut self, start: usize, head: EntryHead) {
        let brace = self.delimiter();
        let is_too_deep = self.open.len() == MAX_DEPTH;
        self.open.push(OpenBlock { record: self.records.len(), brace });
        self.records.push(EntryRecord { start: start as u32, end: 0, next: 0, head });
        if is_too_deep {
            self.error(
                brace..brace + 1,
                format!("blocks nest deeper than {MAX_DEPTH}"),
                "the contents of this block are not checked",
            );
            self.skip_block();
        }
    }

    /// Goes to the `}` of a block whose `{` is taken; nothing inside it is indexed.
    fn skip_block(&mut self) {
        let mut depth = 1;
        loop {
            (_, self.at) = self.trivia(self.at);
            match self.next() {
                None => return,
                Some(b'}') if depth == 1 => return,
                Some(b'}') => depth -= 1,
                Some(b'{') => depth += 1,
                Some(b';') => {}
                Some(_) => {
                    self.skip_word();
                    continue;
                }
            }
            self.at += 1;
        }
    }

    fn skip_word(&mut self) {
        let word = lex::word(self.text, self.at, self.quotes_end(self.at));
        self.at = word.end;
        if word.quoting == Quoting::Open {
            self.skip_line(word.end);
        }
    }

    fn close_brace(&mut self) {
        let at = self.delimiter();
        match self.open.pop() {
            Some(open) => self.close(&open, at + 1),
            None => self.error(
                at..at + 1,
                "stray `}`",
                "no block is open here: remove it, or add the `{` that it closes",
            ),
        }
    }

    fn close(&mut self, open: &OpenBlock, end: usize) {
        let next = self.records.len() as u32;
        let record = &mut self.records[open.record];
        record.end = end as u32;
        record.next = next | BLOCK_BIT;
    }

    /// Only a warning: clients in production send this, and the closing brace proves that the text was
    /// not cut off.
    fn missing_semicolon(&mut self, words: &LexedWords) {
        self.directive(words, words.end);
        if !self.open.is_empty() {
            self.warning(words.end..words.end, "missing `;` before `}`", "end the directive with `;`");
        }
    }

    fn cut_off(&mut self, words: &LexedWords) {
        self.directive(words, words.end);
        self.error(
            words.end..words.end,
            "missing `;` at the end of the file",
            "was the file cut off? end the last directive with `;`",
        );
    }

    fn end_of_text(&mut self) {
        while let Some(open) = self.open.pop() {
            self.close(&open, self.text.len());
            self.error(
                open.brace..open.brace + 1,
                "unclosed `{`: the file ends before its `}`",
                "was the file cut off? close the block with `}`",
            );
        }
    }
}

fn report_nul(text: &str, part: Range<usize>, diagnostics: &mut Diagnostics) {
    let start = part.start;
    if let Some(nul) = memchr::memchr(0, &text.as_bytes()[part]) {
        let at = (start + nul) as u32;
        diagnostics.push(
            Diagnostic::error(at..at + 1, "a NUL byte")
                .hint("a crash or a broken copy leaves these: restore the file, or remove them"),
        );
    }
}
