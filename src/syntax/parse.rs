//! The grammar of entries and blocks: an explicit loop with a stack of open braces, so that
//! recovery and the depth limit come by themselves and no input can exhaust the call stack.

use std::ops::Range;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::index::{BLOCK_BIT, EntryId, Index, Record};
use super::lex::{self, Quoting, Trivia};

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
pub(super) struct Part {
    pub records: Vec<Record>,
    pub spanning: Vec<EntryId>,
    pub diagnostics: Diagnostics,
    /// Whether it ends outside of all entries.
    pub ends_between_entries: bool,
    /// Whether it ends in a comment, which goes on where the text does.
    pub ends_in_comment: bool,
}

impl Part {
    /// The index of a text that is one part.
    pub fn into_index(self) -> Index {
        Index { records: self.records.into(), spanning: self.spanning, diagnostics: self.diagnostics }
    }
}

/// Indexes one part of a text, which starts between two top-level entries.
pub(super) fn parse_part(text: &str, part: Range<usize>) -> Part {
    let mut parser = Parser::new(text, part.clone());
    report_nul(text, part.clone(), &mut parser.diagnostics);
    parser.records.reserve(part.len() / DENSEST);
    parser.entries();
    let ends_between_entries = parser.unfinished.is_none() && parser.open.is_empty();
    parser.end_of_text();
    let Parser { records, spanning, diagnostics, ends_in_comment, .. } = parser;
    Part { records, spanning, diagnostics, ends_between_entries, ends_in_comment }
}

/// An entry that has words but neither `;` nor `{` yet.
struct Unfinished {
    record: usize,
    head_end: usize,
    spanning: bool,
}

/// A block that has no `}` yet.
struct Open {
    record: usize,
    brace: u32,
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t [u8],
    records: Vec<Record>,
    spanning: Vec<EntryId>,
    diagnostics: Diagnostics,
    unfinished: Option<Unfinished>,
    open: Vec<Open>,
    /// Braces open beyond [`MAX_DEPTH`]; nothing inside them is indexed.
    too_deep: usize,
    ends_in_comment: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, part: Range<usize>) -> Self {
        let bom = if part.start == 0 && text.starts_with(BOM) { BOM.len() } else { 0 };
        Self {
            text: &text[..part.end],
            rest: &text.as_bytes()[part.start + bom..part.end],
            records: Vec::new(),
            spanning: Vec::new(),
            diagnostics: Diagnostics::default(),
            unfinished: None,
            open: Vec::new(),
            too_deep: 0,
            ends_in_comment: false,
        }
    }

    /// file = [BOM] *entry
    fn entries(&mut self) {
        loop {
            let trivia = lex::trivia(&mut self.rest);
            self.look_at_trivia(&trivia);
            match self.rest.first() {
                None => break,
                Some(b';') => self.semicolon(),
                Some(b'{') => self.open_brace(),
                Some(b'}') => self.close_brace(),
                Some(_) => self.word(),
            }
        }
    }

    fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn look_at_trivia(&mut self, trivia: &Trivia<'_>) {
        if let Some(unfinished) = &mut self.unfinished {
            unfinished.spanning |= trivia.skipped.contains(&b'\n')
                && !matches!(self.rest.first(), None | Some(b';' | b'{' | b'}'));
        }
        if trivia.has_comment {
            let skipped = trivia.skipped;
            let hash = memchr::memchr(b'#', skipped).unwrap_or(0);
            self.look_at_comments(&skipped[hash..], self.at() - (skipped.len() - hash));
        }
    }

    /// A CR that ends a line for an old editor, but not for us, hides what stands behind it.
    fn look_at_comments(&mut self, comments: &[u8], start: usize) {
        let last_line = comments.rsplit(|&byte| byte == b'\n').next();
        self.ends_in_comment = self.rest.is_empty() && last_line.is_some_and(|line| line.contains(&b'#'));
        for cr in memchr::memchr_iter(b'\r', comments) {
            let ends_line = matches!(comments.get(cr + 1), None | Some(b'\n'));
            let in_comment = comments[..cr].rsplit(|&byte| byte == b'\n').next();
            if !ends_line && in_comment.is_some_and(|line| line.contains(&b'#')) {
                let at = (start + cr) as u32;
                self.report(
                    Diagnostic::warning(at..at + 1, "a comment with a carriage return inside")
                        .hint("a comment ends at a line feed only: what follows the CR is still comment"),
                );
            }
        }
    }

    /// word = 1*segment
    fn word(&mut self) {
        let start = self.at();
        let (raw, quoting) = lex::word_or_rest_of_line(&mut self.rest);
        if self.too_deep > 0 {
            return;
        }
        match quoting {
            Quoting::Bare => self.look_at_bare(raw, start),
            Quoting::Quoted => self.look_at_escapes(raw, start),
            Quoting::Open => self.unclosed_quote(start),
        }
        let head_end = start + raw.len();
        match &mut self.unfinished {
            Some(unfinished) => unfinished.head_end = head_end,
            None => {
                let record = self.push_record(start);
                self.unfinished = Some(Unfinished { record, head_end, spanning: false });
            }
        }
        // The open quote has swallowed the `;`: what is on the next line is a new entry.
        if let Some(unfinished) = self.unfinished.take_if(|_| quoting == Quoting::Open) {
            self.finish(&unfinished, head_end);
        }
    }

    fn push_record(&mut self, start: usize) -> usize {
        self.records.push(Record { start: start as u32, end: 0, next: 0 });
        self.records.len() - 1
    }

    fn unclosed_quote(&mut self, word_start: usize) {
        let quote = open_quote(&self.text.as_bytes()[word_start..self.at()]);
        let at = (word_start + quote) as u32;
        self.report(
            Diagnostic::error(at..at + 1, "unclosed quote")
                .hint("put a `\"` at the end of the value; inside it, a `\"` is written `\\\"`"),
        );
    }

    fn look_at_bare(&mut self, raw: &[u8], start: usize) {
        if raw[0] == b'\'' {
            let span = start as u32..(start + raw.len()) as u32;
            self.report(
                Diagnostic::warning(span, "a single quote does not quote: it is part of the word")
                    .hint("quote with `\"`, or take the `'` away"),
            );
        }
    }

    fn look_at_escapes(&mut self, raw: &[u8], start: usize) {
        self.look_at_bare(raw, start);
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

    /// entry = 1*word ";" / ";"
    fn semicolon(&mut self) {
        let at = self.at();
        self.rest = &self.rest[1..];
        if self.too_deep > 0 {
            return;
        }
        match self.unfinished.take() {
            Some(unfinished) => self.finish(&unfinished, at + 1),
            None => self.report(Diagnostic::warning(at as u32..at as u32 + 1, "stray `;`")),
        }
    }

    fn finish(&mut self, unfinished: &Unfinished, end: usize) {
        let next = self.records.len() as u32;
        let record = &mut self.records[unfinished.record];
        record.end = end as u32;
        record.next = next;
        self.note_spanning(unfinished);
    }

    fn note_spanning(&mut self, unfinished: &Unfinished) {
        if unfinished.spanning {
            self.spanning.push(EntryId(unfinished.record as u32));
        }
    }

    /// entry = 1*word block
    fn open_brace(&mut self) {
        let at = self.at();
        self.rest = &self.rest[1..];
        if self.too_deep > 0 {
            self.too_deep += 1;
            return;
        }
        let record = self.record_of_block(at);
        if self.open.len() == MAX_DEPTH {
            self.too_deep = 1;
            self.report(
                Diagnostic::error(at as u32..at as u32 + 1, format!("blocks nest deeper than {MAX_DEPTH}"))
                    .hint("what is inside is not looked at"),
            );
        }
        self.open.push(Open { record, brace: at as u32 });
    }

    fn record_of_block(&mut self, brace: usize) -> usize {
        match self.unfinished.take() {
            Some(unfinished) => {
                self.note_spanning(&unfinished);
                unfinished.record
            }
            None => {
                self.report(
                    Diagnostic::error(
                        brace as u32..brace as u32 + 1,
                        "a block without a keyword in front of its `{`",
                    )
                    .hint("a block starts like `stream NAME {`"),
                );
                self.push_record(brace)
            }
        }
    }

    /// block = "{" *entry "}"
    fn close_brace(&mut self) {
        let at = self.at();
        self.rest = &self.rest[1..];
        if self.too_deep > 1 {
            self.too_deep -= 1;
            return;
        }
        self.too_deep = 0;
        if let Some(unfinished) = self.unfinished.take() {
            self.missing_semicolon(&unfinished);
        }
        match self.open.pop() {
            Some(open) => self.close(&open, at + 1),
            None => self.report(
                Diagnostic::error(at as u32..at as u32 + 1, "stray `}`")
                    .hint("no block is open here: take it away, or add the `{` it belongs to"),
            ),
        }
    }

    fn close(&mut self, open: &Open, end: usize) {
        let next = self.records.len() as u32;
        let record = &mut self.records[open.record];
        record.end = end as u32;
        record.next = next | BLOCK_BIT;
    }

    /// Production clients send this; the closing brace proves that nothing was cut off.
    fn missing_semicolon(&mut self, unfinished: &Unfinished) {
        let end = unfinished.head_end;
        self.finish(unfinished, end);
        if !self.open.is_empty() {
            self.report(
                Diagnostic::warning(end as u32..end as u32, "missing `;` before `}`")
                    .hint("end the directive with `;`"),
            );
        }
    }

    fn end_of_text(&mut self) {
        if let Some(unfinished) = self.unfinished.take() {
            let end = unfinished.head_end;
            self.finish(&unfinished, end);
            self.report(
                Diagnostic::error(end as u32..end as u32, "missing `;` at the end of the file")
                    .hint("was the file cut off? end the last directive with `;`"),
            );
        }
        while let Some(open) = self.open.pop() {
            self.close(&open, self.text.len());
            self.report(
                Diagnostic::error(open.brace..open.brace + 1, "unclosed `{`: the file ends before its `}`")
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
