//! The grammar of entries and blocks: an explicit loop with a stack of open braces, so that
//! recovery and the depth limit come by themselves and no input can exhaust the call stack.

use std::ops::Range;

use super::index::{EntryHead, EntryRecord, Index, SPARE_ENTRIES};
use super::lex::{self, LexedWord, Quoting};
use crate::text::unescaped;
use crate::text::{Diagnostic, Diagnostics, Fix, Severity};

/// The deepest nesting of blocks.
pub const MAX_DEPTH: usize = 64;

/// Spans are `u32` and the index keeps one bit for itself.
pub(super) const MAX_TEXT: usize = (1 << 31) - 1;

pub(super) const BOM: &str = "\u{feff}";

/// The bytes of text for which room for one entry is reserved. Entries of real files are longer, and
/// memory that is never touched costs nothing.
const BYTES_PER_ENTRY: usize = 16;

/// Parses a text.
pub(super) fn parse_text(text: &str) -> Index {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut parser = Parser::new(text.as_bytes());
    report_nul(text, &mut parser.diagnostics);
    parser.entries(start);
    let Parser { mut records, diagnostics, .. } = parser;
    if records.capacity() - records.len() > SPARE_ENTRIES {
        records.shrink_to_fit();
    }
    Index { records, diagnostics }
}

struct Parser<'t> {
    text: &'t [u8],
    records: Vec<EntryRecord>,
    diagnostics: Diagnostics,
    /// The current entry.
    head: EntryHead,
    /// The blocks that have no `}` yet.
    open: Vec<UnclosedBlock>,
    /// The end of the search for the closing quote of a word: the end of the text, until a quote is found
    /// that is never closed; from then on the end of the line. The word of that quote is inside quotes at
    /// every line end, so any later word that crosses a line end would run on to the end of the text like
    /// it, and is unclosed, too.
    quotes_end: usize,
}

/// A block that has no `}` yet.
struct UnclosedBlock {
    /// The place of its `{`.
    brace: usize,
    /// The number of its record.
    record: usize,
}

/// Each production takes the place where it starts, and returns the place where it ends.
///
/// Rare or long functions are `cold`: they are kept out of the loop that every word runs through.
impl<'t> Parser<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            records: Vec::with_capacity(text.len() / BYTES_PER_ENTRY),
            diagnostics: Diagnostics::default(),
            head: EntryHead::default(),
            open: Vec::new(),
            quotes_end: text.len(),
        }
    }

    /// Returns the end of the search for the closing quote of a word that starts here.
    fn next_quotes_end(&mut self, start: usize) -> usize {
        if start >= self.quotes_end {
            self.quotes_end = lex::end_of_line(self.text, start);
        }
        self.quotes_end
    }

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
    fn entries(&mut self, mut offset: usize) {
        let text = self.text;
        while let Some(&byte) = text.get(offset) {
            offset = match byte {
                b'\n' => lex::indented(text, offset + 1),
                _ if lex::is_space(byte) => offset + 1,
                b'#' => self.comment(offset),
                b';' => self.stray_semicolon(offset),
                b'{' => self.nameless_block(offset),
                b'}' => self.close_brace(offset),
                _ => self.entry(offset),
            }
        }
        self.end_of_text();
    }

    /// *( white space / comment )
    #[inline(always)]
    fn trivia(&mut self, mut offset: usize) -> usize {
        let text = self.text;
        loop {
            match text.get(offset) {
                Some(&byte) if lex::is_space(byte) => offset += 1,
                Some(b'#') => offset = self.comment(offset),
                _ => return offset,
            }
        }
    }

    /// comment = "#" *<any char but LF>
    fn comment(&mut self, start: usize) -> usize {
        match lex::line_break(self.text, start) {
            (offset, b'\n') => offset,
            (offset, _) => self.odd_comment(offset),
        }
    }

    /// The rest of a comment from its first CR on, or from the end of the text.
    ///
    /// Reports each CR inside: some editors end a line there, the grammar does not, so the text behind
    /// it looks like a directive and is a comment.
    #[cold]
    fn odd_comment(&mut self, mut offset: usize) -> usize {
        let text = self.text;
        while offset < text.len() {
            if text[offset] == b'\n' {
                return offset;
            }
            // The CR in front of a line feed belongs to the line end.
            if text.get(offset + 1).is_some_and(|&next| next != b'\n') {
                self.warning(
                    offset..offset + 1,
                    "a comment with a carriage return inside",
                    "a comment ends at a line feed only: what follows the CR is still comment",
                );
            }
            offset = lex::line_break(text, offset + 1).0;
        }
        text.len()
    }

    /// entry = 1*word (";" / block)
    #[inline(always)]
    fn entry(&mut self, start: usize) -> usize {
        let text = self.text;
        self.head = EntryHead::starting_at(start);
        let mut offset = start;
        loop {
            offset = self.plain_words(offset);
            match text.get(offset) {
                Some(b';') => return self.setting(offset + 1),
                Some(b'{') => return self.open_brace(offset),
                Some(b'}') => return self.missing_semicolon(offset),
                Some(&byte) if lex::starts_trivia(byte) => offset = self.trivia(offset),
                Some(_) => {
                    let LexedWord { end, quoting } = self.odd_word(offset);
                    self.head.push(offset, end, quoting != Quoting::Bare);
                    offset = end;
                    if quoting == Quoting::Open {
                        self.setting(end);
                        return self.skip_line(end);
                    }
                }
                None => return self.cut_off(offset),
            }
        }
    }

    /// Takes plain words with at most one blank behind each, as nearly all words are. Returns where
    /// something else stands.
    #[inline(always)]
    fn plain_words(&mut self, mut offset: usize) -> usize {
        let text = self.text;
        while let Some((end, stop)) = lex::plain_word(text, offset) {
            self.head.push(offset, end, false);
            offset = end + usize::from(stop == b' ');
        }
        offset
    }

    /// A word that may have quotes, or that is to be looked at.
    #[cold]
    fn odd_word(&mut self, start: usize) -> LexedWord {
        let quotes_end = self.next_quotes_end(start);
        if let Some(end) = lex::plainly_quoted(&self.text[..quotes_end], start) {
            return LexedWord { end, quoting: Quoting::Quoted };
        }
        let word = lex::word(self.text, start, quotes_end);
        self.check_word(start..word.end, word.quoting);
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
        let raw = &self.text[word.clone()];
        let opening = unescaped(raw).filter(|&(_, byte, is_quoted)| byte == b'"' && !is_quoted).last();
        let offset = word.start + opening.map_or(0, |(offset, ..)| offset);
        self.error(
            offset..offset + 1,
            "unclosed quote",
            "put a `\"` at the end of the value; inside it, a `\"` is written `\\\"`",
        );
    }

    /// Skips the rest of the line that an unclosed quote has swallowed.
    #[cold]
    fn skip_line(&mut self, offset: usize) -> usize {
        self.quotes_end = lex::end_of_line(self.text, offset);
        self.quotes_end
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

    /// Keeps an entry without a block.
    #[inline(always)]
    fn setting(&mut self, end: usize) -> usize {
        self.records.push(self.head.record(end));
        end
    }

    #[cold]
    fn stray_semicolon(&mut self, offset: usize) -> usize {
        self.diagnostics.push(Diagnostic::warning(offset as u32..offset as u32 + 1, "stray `;`"));
        offset + 1
    }

    #[cold]
    fn nameless_block(&mut self, offset: usize) -> usize {
        self.error(
            offset..offset + 1,
            "a block without a keyword in front of its `{`",
            "a block starts like `stream NAME {`",
        );
        self.head = EntryHead::starting_at(offset);
        self.open_brace(offset)
    }

    /// block = "{" *entry "}"
    fn open_brace(&mut self, brace: usize) -> usize {
        let is_too_deep = self.open.len() == MAX_DEPTH;
        self.open.push(UnclosedBlock { brace, record: self.records.len() });
        self.records.push(self.head.record(0));
        if !is_too_deep {
            return brace + 1;
        }
        self.error(
            brace..brace + 1,
            format!("blocks nest deeper than {MAX_DEPTH}"),
            "the contents of this block are not checked",
        );
        self.skip_block(brace + 1)
    }

    /// Goes to the `}` of a block whose `{` is taken; nothing inside it is indexed.
    #[cold]
    fn skip_block(&mut self, mut offset: usize) -> usize {
        let mut depth = 1;
        loop {
            offset = self.trivia(offset);
            match self.text.get(offset) {
                None => return offset,
                Some(b'}') if depth == 1 => return offset,
                Some(b'}') => depth -= 1,
                Some(b'{') => depth += 1,
                Some(b';') => {}
                Some(_) => {
                    offset = self.skip_word(offset);
                    continue;
                }
            }
            offset += 1;
        }
    }

    fn skip_word(&mut self, start: usize) -> usize {
        let word = lex::word(self.text, start, self.next_quotes_end(start));
        if word.quoting == Quoting::Open { self.skip_line(word.end) } else { word.end }
    }

    fn close_brace(&mut self, offset: usize) -> usize {
        match self.open.pop() {
            Some(block) => self.close(block.record, offset + 1),
            None => self.error(
                offset..offset + 1,
                STRAY_BRACE,
                "no block is open here: remove it, or add the `{` that it closes",
            ),
        }
        offset + 1
    }

    fn close(&mut self, record: usize, end: usize) {
        let inside = self.records.len() - record - 1;
        self.records[record].close(end, inside);
    }

    /// Only a warning: clients in production send this, and the closing brace proves that the text was
    /// not cut off.
    #[cold]
    fn missing_semicolon(&mut self, brace: usize) -> usize {
        let end = self.setting(self.head.end());
        if !self.open.is_empty() {
            let place = end as u32..end as u32;
            let found = Diagnostic::warning(place.clone(), "missing `;` before `}`");
            let fix = Fix { span: place, text: ";".to_owned() };
            self.diagnostics.push(found.hint("end the directive with `;`").fixed_by(Some(fix)));
        }
        brace
    }

    #[cold]
    fn cut_off(&mut self, offset: usize) -> usize {
        let end = self.setting(self.head.end());
        let place = end as u32..end as u32;
        let found = Diagnostic::error(place.clone(), "missing `;` at the end of the file");
        // A file that was cut off ends inside a block or a line.
        let is_whole = self.open.is_empty() && self.text.ends_with(b"\n");
        let fix = is_whole.then(|| Fix { span: place, text: ";".to_owned() });
        let hint = "was the file cut off? end the last directive with `;`";
        self.diagnostics.push(found.hint(hint).fixed_by(fix));
        offset
    }

    #[cold]
    fn end_of_text(&mut self) {
        while let Some(UnclosedBlock { brace, record }) = self.open.pop() {
            self.close(record, self.text.len());
            self.error(
                brace..brace + 1,
                "unclosed `{`: the file ends before its `}`",
                "was the file cut off? close the block with `}`",
            );
        }
    }
}

/// The message about a `}` where no block is open.
pub const STRAY_BRACE: &str = "stray `}`";

fn report_nul(text: &str, diagnostics: &mut Diagnostics) {
    if let Some(nul) = memchr::memchr(0, text.as_bytes()) {
        let offset = nul as u32;
        diagnostics.push(
            Diagnostic::error(offset..offset + 1, "a NUL byte")
                .hint("a crash or a broken copy leaves these: restore the file, or remove them"),
        );
    }
}
