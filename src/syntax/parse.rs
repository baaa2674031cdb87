//! The grammar of entries and blocks: an explicit loop with a stack of open braces, so that
//! recovery and the depth limit come by themselves and no input can exhaust the call stack.

use std::ops::Range;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::index::{BLOCK_BIT, EntryHead, EntryId, EntryRecord, Index};
use super::lex::{self, LexedWord, Quoting, Trivia};

/// How deep blocks may nest.
pub const MAX_DEPTH: usize = 64;

/// Spans are `u32` and the index keeps one bit for itself.
pub(super) const MAX_TEXT: usize = (1 << 31) - 1;

/// Room is reserved for one entry in as many bytes; real files have longer ones, and what is not
/// touched costs nothing.
const DENSEST: usize = 16;

pub(super) const BOM: &str = "\u{feff}";

/// Indexes a text with one thread.
pub(super) fn parse_whole(text: &str) -> Index {
    parse_part(text, 0..text.len()).into_index()
}

/// What is known of a part of a text.
pub(super) struct PartialIndex {
    pub records: Vec<EntryRecord>,
    pub spanning: Vec<EntryId>,
    /// With an error where the part ends inside an entry.
    pub diagnostics: Diagnostics,
    /// Whether it ends in a comment, which goes on where the text does.
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
    parser.records.reserve(part.len() / DENSEST);
    parser.entries();
    let Parser { records, spanning, diagnostics, ends_in_comment, .. } = parser;
    PartialIndex { records, spanning, diagnostics, ends_in_comment }
}

/// The words of an entry.
struct LexedWords {
    start: usize,
    /// Behind the last word.
    end: usize,
    /// Whether they stand on several lines.
    spanning: bool,
    head: EntryHead,
    /// Whether a quote that is never closed has swallowed what ends the entry.
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
    /// Where quotes are looked for: the end of the text, until there is one that is never closed.
    /// From then on the end of the line: the word of that quote is inside quotes wherever a line
    /// ends, so a word that goes over the end of a line has the same end as that one, which is none.
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

    /// Where the quotes of a word that starts here are looked for.
    #[inline(always)]
    fn quotes_end(&mut self, start: usize) -> usize {
        if start >= self.quotes_end { self.next_quotes_end(start) } else { self.quotes_end }
    }

    #[cold]
    fn next_quotes_end(&mut self, start: usize) -> usize {
        self.quotes_end = lex::end_of_line(self.text, start);
        self.quotes_end
    }

    /// Takes the delimiter that stands here; its place.
    fn delimiter(&mut self) -> usize {
        self.at += 1;
        self.at - 1
    }

    // What is wrong is rare: kept out of the loop that everything else runs through.
    #[cold]
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
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

    /// *( white space / comment ); what it is and where it ends.
    #[inline(always)]
    fn trivia(&mut self, start: usize) -> (Trivia, usize) {
        let (trivia, end) = lex::trivia(self.text, start);
        if trivia == Trivia::Comments {
            self.look_at_comments(start..end);
        }
        (trivia, end)
    }

    /// A CR that ends a line for an old editor, but not for us, hides what stands behind it.
    fn look_at_comments(&mut self, skipped: Range<usize>) {
        let (text, mut line_start) = (self.text, skipped.start);
        self.ends_in_comment = false;
        for line in text[skipped.clone()].split(|&byte| byte == b'\n') {
            let hash = memchr::memchr(b'#', line);
            self.ends_in_comment = hash.is_some() && skipped.end == text.len();
            let comment = hash.unwrap_or(line.len());
            // The CR in front of the line feed ends the line for everybody.
            let inside = &line[comment..line.len().max(comment + 1) - 1];
            for cr in memchr::memchr_iter(b'\r', inside) {
                let at = (line_start + comment + cr) as u32;
                self.report(
                    Diagnostic::warning(at..at + 1, "a comment with a carriage return inside")
                        .hint("a comment ends at a line feed only: what follows the CR is still comment"),
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
            self.look_at_word(start..word.end, word.quoting);
        }
        word
    }

    fn look_at_word(&mut self, word: Range<usize>, quoting: Quoting) {
        if self.text[word.start] == b'\'' && quoting != Quoting::Open {
            self.single_quote(word.clone());
        }
        match quoting {
            Quoting::Bare if self.text[word.clone()] == *b"\\" => self.lone_backslash(word),
            Quoting::Bare => {}
            Quoting::Quoted => self.look_at_escapes(word),
            Quoting::Open => self.unclosed_quote(word),
        }
    }

    fn unclosed_quote(&mut self, word: Range<usize>) {
        self.skip_line(word.end);
        let at = (word.start + open_quote(&self.text[word])) as u32;
        self.report(
            Diagnostic::error(at..at + 1, "unclosed quote")
                .hint("put a `\"` at the end of the value; inside it, a `\"` is written `\\\"`"),
        );
    }

    /// Goes to the end of the line that a quote which is never closed has taken.
    fn skip_line(&mut self, from: usize) {
        self.at = lex::end_of_line(self.text, from);
        self.quotes_end = self.at;
    }

    fn single_quote(&mut self, word: Range<usize>) {
        self.report(
            Diagnostic::warning(
                word.start as u32..word.end as u32,
                "a single quote does not quote: it is part of the word",
            )
            .hint("quote with `\"`, or take the `'` away"),
        );
    }

    /// In a shell it would continue the line.
    fn lone_backslash(&mut self, word: Range<usize>) {
        self.report(
            Diagnostic::warning(
                word.start as u32..word.end as u32,
                "this backslash continues no line: it is a word of the directive",
            )
            .hint("take it away: a directive goes on to its `;`, over as many lines as it has"),
        );
    }

    fn look_at_escapes(&mut self, word: Range<usize>) {
        let start = word.start;
        let raw = &self.text[word];
        if memchr::memchr(b'\\', raw).is_none() {
            return;
        }
        let (mut quoted, mut at) = (false, 0);
        while at < raw.len() {
            match raw[at] {
                b'"' => quoted = !quoted,
                b'\\' if quoted => {
                    if !matches!(raw.get(at + 1), Some(b'\\' | b'"')) {
                        let place = (start + at) as u32;
                        self.report(
                            Diagnostic::warning(
                                place..place + 1,
                                "this backslash escapes nothing: it is taken as it is",
                            )
                            .hint("write `\\\\` for a backslash"),
                        );
                    } else {
                        at += 1;
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Notes an entry without a block.
    #[inline(always)]
    fn directive(&mut self, words: &LexedWords, end: usize) {
        let next = self.records.len() as u32 + 1;
        self.records.push(EntryRecord { start: words.start as u32, end: end as u32, next, head: words.head });
    }

    fn stray_semicolon(&mut self) {
        let at = self.delimiter() as u32;
        self.report(Diagnostic::warning(at..at + 1, "stray `;`"));
    }

    fn nameless_block(&mut self) {
        let at = self.at;
        self.report(
            Diagnostic::error(at as u32..at as u32 + 1, "a block without a keyword in front of its `{`")
                .hint("a block starts like `stream NAME {`"),
        );
        self.open_brace(at, EntryHead::NONE);
    }

    /// block = "{" *entry "}"
    ///
    /// Its record gets its end with the `}`.
    fn open_brace(&mut self, start: usize, head: EntryHead) {
        let brace = self.delimiter();
        let is_too_deep = self.open.len() == MAX_DEPTH;
        self.open.push(OpenBlock { record: self.records.len(), brace });
        self.records.push(EntryRecord { start: start as u32, end: 0, next: 0, head });
        if is_too_deep {
            self.report(
                Diagnostic::error(
                    brace as u32..brace as u32 + 1,
                    format!("blocks nest deeper than {MAX_DEPTH}"),
                )
                .hint("what is inside is not looked at"),
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
            None => self.report(
                Diagnostic::error(at as u32..at as u32 + 1, "stray `}`")
                    .hint("no block is open here: take it away, or add the `{` it belongs to"),
            ),
        }
    }

    fn close(&mut self, open: &OpenBlock, end: usize) {
        let next = self.records.len() as u32;
        let record = &mut self.records[open.record];
        record.end = end as u32;
        record.next = next | BLOCK_BIT;
    }

    /// Production clients send this; the closing brace proves that nothing was cut off.
    fn missing_semicolon(&mut self, words: &LexedWords) {
        self.directive(words, words.end);
        if !self.open.is_empty() {
            let end = words.end as u32;
            self.report(
                Diagnostic::warning(end..end, "missing `;` before `}`").hint("end the directive with `;`"),
            );
        }
    }

    fn cut_off(&mut self, words: &LexedWords) {
        self.directive(words, words.end);
        let end = words.end as u32;
        self.report(
            Diagnostic::error(end..end, "missing `;` at the end of the file")
                .hint("was the file cut off? end the last directive with `;`"),
        );
    }

    fn end_of_text(&mut self) {
        while let Some(open) = self.open.pop() {
            self.close(&open, self.text.len());
            let brace = open.brace as u32;
            self.report(
                Diagnostic::error(brace..brace + 1, "unclosed `{`: the file ends before its `}`")
                    .hint("was the file cut off? close the block with `}`"),
            );
        }
    }
}

/// The first quote of a word that is never closed opens the trouble only if the ones before it pair up.
fn open_quote(raw: &[u8]) -> usize {
    let (mut open, mut at) = (None, 0);
    while at < raw.len() {
        match raw[at] {
            b'"' => open = if open.is_some() { None } else { Some(at) },
            b'\\' if open.is_some() => at += 1,
            _ => {}
        }
        at += 1;
    }
    open.unwrap_or(0)
}

fn report_nul(text: &str, part: Range<usize>, diagnostics: &mut Diagnostics) {
    let start = part.start;
    if let Some(nul) = memchr::memchr(0, &text.as_bytes()[part]) {
        let at = (start + nul) as u32;
        diagnostics.push(
            Diagnostic::error(at..at + 1, "a NUL byte")
                .hint("a crash or a broken copy leaves these: restore the file, or take them away"),
        );
    }
}
