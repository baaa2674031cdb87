//! The grammar of entries, blocks and comments, in winnow. It takes any text, and goes on behind each fault.
//!
//! ```text
//! file      = [BOM] *entry
//! entry     = 1*word (";" / block) / ";"
//! block     = "{" *entry "}"
//! trivia    = *( white space / comment )
//! comment   = "#" *<any character but LF>         ; only where a word could start
//! ```
//!
//! Words stand in `word`. Each function takes what it is named after, and reports what is wrong with it.

use std::ops::Range;

use winnow::Parser;
use winnow::combinator::opt;
use winnow::stream::{AsBytes, LocatingSlice, Location, Stateful, Stream};
use winnow::token::{any, take_till};

use super::diagnostic::{Diagnostic, Diagnostics, Fix};
use super::word::{Parsed, Quoting, bare, quoted_whole, unescaped, word};

/// The number of blocks that may stand inside one another.
pub const MAX_DEPTH: usize = 64;

/// The message about a `}` where no block is open.
pub(crate) const STRAY_BRACE: &str = "stray `}`";

const BOM: &str = "\u{feff}";

/// The place behind the byte order mark that a text begins with, or its start.
pub fn text_start(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len() } else { 0 }
}

/// The bytes of text for which room for one entry is reserved. Entries of real files are longer, and memory that is
/// never touched costs nothing.
const BYTES_PER_ENTRY: usize = 16;

/// What is stored of an entry: sixteen bytes, which answer most questions without reading its words again.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Record {
    /// Offset of the first word, or of the `{` of a block without a keyword.
    pub start: u32,
    /// Offset behind the `;` or `}`, or behind the last word where that is missing.
    pub end: u32,
    /// The number of the first entry that is not inside this one.
    pub next: u32,
    /// The number of words behind the keyword; [`u16::MAX`] for so many or more.
    pub arguments: u16,
    /// The length of the keyword; 0 if it has quotes, is missing, or is too long.
    pub keyword: u8,
    /// The bits [`Record::BLOCK`] and [`Record::SPANNING`].
    pub facts: u8,
}

impl Record {
    /// It has a block.
    pub const BLOCK: u8 = 1;
    /// Its words stand on several lines.
    pub const SPANNING: u8 = 2;

    /// The same, so many bytes and entries further on.
    pub fn moved(self, bytes: usize, entries: usize) -> Self {
        let by = |place: u32, by: usize| place.wrapping_add(by as u32);
        Self { start: by(self.start, bytes), end: by(self.end, bytes), next: by(self.next, entries), ..self }
    }

    /// Counts a word, which ends at `end`.
    #[inline(always)]
    fn push(&mut self, length: usize, quoting: Quoting, end: usize) {
        match self.start == self.end {
            true if quoting == Quoting::Bare => self.keyword = u8::try_from(length).unwrap_or(0),
            true => {}
            false => self.arguments = self.arguments.saturating_add(1),
        }
        self.end = end as u32;
    }
}

type Input<'t> = Stateful<LocatingSlice<&'t [u8]>, Recovered>;

/// What was found so far.
#[derive(Debug, Default)]
struct Recovered {
    /// The entries, in the order of their first words.
    records: Vec<Record>,
    diagnostics: Diagnostics,
    /// The number of open blocks.
    depth: usize,
    /// True once a quote was found that is never closed. A later word that crosses a line end would be unclosed, too, so it
    /// is searched to the end of its line at most.
    has_open_quote: bool,
    /// True once blocks nest too deep: the rest of the text is not parsed.
    is_too_deep: bool,
    ends_with_line: bool,
}

impl Recovered {
    fn error(&mut self, place: Range<usize>, message: impl Into<String>, hint: &str) {
        self.diagnostics.push(Diagnostic::error(place.start as u32..place.end as u32, message).hint(hint));
    }
}

/// Returns the entries and the faults of a text, which has less than 2 GiB.
pub(super) fn parse(text: &str) -> (Vec<Record>, Diagnostics) {
    let records = Vec::with_capacity(text.len() / BYTES_PER_ENTRY);
    let mut found = Recovered { records, ends_with_line: text.ends_with('\n'), ..Recovered::default() };
    if let Some(nul) = memchr::memchr(0, text.as_bytes()) {
        let hint = "a crash or a broken copy leaves these: restore the file, or remove them";
        found.error(nul..nul + 1, "a NUL byte", hint);
    }
    let mut input = Stateful { input: LocatingSlice::new(text.as_bytes()), state: found };
    file(&mut input).expect("the grammar takes any text");
    let Recovered { mut records, diagnostics, .. } = input.state;
    records.shrink_to_fit();
    (records, diagnostics)
}

/// file = [BOM] *entry
fn file(input: &mut Input<'_>) -> Parsed<()> {
    opt(BOM.as_bytes()).parse_next(input)?;
    loop {
        entries(input)?;
        let brace = input.current_token_start();
        if opt(b'}').parse_next(input)?.is_none() {
            return Ok(());
        }
        let hint = "no block is open here: remove it, or add the `{` that it closes";
        input.state.error(brace..brace + 1, STRAY_BRACE, hint);
    }
}

/// *entry, up to a `}` or the end of the text
fn entries(input: &mut Input<'_>) -> Parsed<()> {
    loop {
        gap(input)?;
        match next(input) {
            None | Some(b'}') => return Ok(()),
            Some(b';') => {
                let at = input.current_token_start() as u32;
                input.state.diagnostics.push(Diagnostic::warning(at..at + 1, "stray `;`"));
                any.parse_next(input)?;
            }
            Some(_) => entry(input)?,
        }
    }
}

/// entry = 1*word (";" / block)
fn entry(input: &mut Input<'_>) -> Parsed<()> {
    let (start, number) = (input.current_token_start() as u32, input.state.records.len() as u32);
    let mut record = Record { start, end: start, next: number + 1, ..Record::default() };
    loop {
        plain_words(input, &mut record);
        match next(input) {
            Some(b';') => {
                any.parse_next(input)?;
                record.end = input.current_token_start() as u32;
                break;
            }
            Some(b'{') => return block(input, record),
            None | Some(b'}') => {
                missing_semicolon(input, record.end);
                break;
            }
            Some(byte) if is_space(byte) || byte == b'#' => {
                let gap = gap(input)?;
                let is_followed = !matches!(next(input), None | Some(b';' | b'{' | b'}'));
                if is_followed && gap.contains(&b'\n') {
                    record.facts |= Record::SPANNING;
                }
            }
            Some(_) => {
                let (length, quoting) = reported_word(input)?;
                record.push(length, quoting, input.current_token_start());
                if quoting == Quoting::Open {
                    take_till(0.., b'\n').parse_next(input)?;
                    break;
                }
            }
        }
    }
    input.state.records.push(record);
    Ok(())
}

/// *( word [SP] ), as long as nothing is to be said of the words: nearly all words are such ones.
#[inline(always)]
fn plain_words(input: &mut Input<'_>, record: &mut Record) {
    let start = input.current_token_start();
    let text = input.as_bytes();
    let mut rest = text;
    let mut taken = 0;
    loop {
        let (mut word, mut quoting) = (bare(&mut rest), Quoting::Bare);
        if rest.first() == Some(&b'"') {
            let may_be_whole = word.is_empty() && !input.state.has_open_quote;
            word = if may_be_whole { quoted_whole(&mut rest) } else { b"" };
            quoting = Quoting::Quoted;
        }
        if matches!(word.first(), None | Some(b'#' | b'\'')) {
            break;
        }
        taken = text.len() - rest.len();
        record.push(word.len(), quoting, start + taken);
        let Some(behind) = rest.strip_prefix(b" ") else { break };
        rest = behind;
        taken += 1;
    }
    input.next_slice(taken);
}

/// block = "{" *entry "}"
fn block(input: &mut Input<'_>, head: Record) -> Parsed<()> {
    let brace = input.current_token_start();
    if head.start as usize == brace {
        let hint = "a block starts like `stream NAME {`";
        input.state.error(brace..brace + 1, "a block without a keyword in front of its `{`", hint);
    }
    let number = input.state.records.len();
    input.state.records.push(Record { facts: head.facts | Record::BLOCK, ..head });
    any.parse_next(input)?;
    if input.state.depth == MAX_DEPTH {
        let message = format!("blocks nest deeper than {MAX_DEPTH}");
        input.state.error(brace..brace + 1, message, "what stands behind this is not checked");
        input.state.is_too_deep = true;
        input.finish();
    }
    input.state.depth += 1;
    entries(input)?;
    input.state.depth -= 1;
    let is_closed = opt(b'}').parse_next(input)?.is_some();
    let next = input.state.records.len() as u32;
    let record = &mut input.state.records[number];
    (record.next, record.end) = (next, input.input.current_token_start() as u32);
    if !is_closed && !input.state.is_too_deep {
        let message = "unclosed `{`: the file ends before its `}`";
        input.state.error(brace..brace + 1, message, "was the file cut off? close the block with `}`");
    }
    Ok(())
}

/// The byte that comes next.
#[inline(always)]
fn next(input: &Input<'_>) -> Option<u8> {
    input.as_bytes().first().copied()
}

/// trivia = *( white space / comment )
#[inline(always)]
pub(super) fn trivia<'t>(input: &mut &'t [u8]) -> Parsed<&'t [u8]> {
    let whole = *input;
    loop {
        let space = input.offset_for(|byte| !is_space(byte)).unwrap_or(input.len());
        input.next_slice(space);
        if input.first() != Some(&b'#') {
            return Ok(&whole[..whole.len() - input.len()]);
        }
        take_till(0.., b'\n').void().parse_next(input)?;
    }
}

#[inline(always)]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[inline(always)]
fn gap<'t>(input: &mut Input<'t>) -> Parsed<&'t [u8]> {
    let gap = trivia(&mut input.as_bytes())?;
    Ok(input.next_slice(gap.len()))
}

/// A word. Returns its length.
fn reported_word<'t>(input: &mut Input<'t>) -> Parsed<(usize, Quoting)> {
    let (start, rest) = (input.current_token_start(), input.as_bytes());
    let room = if input.state.has_open_quote { end_of_line(rest) } else { rest.len() };
    let (found, quoting) = word.parse_next(&mut &rest[..room])?;
    let length = found.len();
    let word: &'t [u8] = input.next_slice(length);
    if quoting == Quoting::Open {
        input.state.has_open_quote = true;
        let opening = unescaped(word).filter(|&(_, byte, is_quoted)| byte == b'"' && !is_quoted).last();
        let at = start + opening.map_or(0, |(at, ..)| at);
        let hint = "put a `\"` at the end of the value; inside it, a `\"` is written `\\\"`";
        input.state.error(at..at + 1, "unclosed quote", hint);
    } else if word.first() == Some(&b'\'') {
        let message = "a single quote does not quote: it is part of the word";
        let found = Diagnostic::warning(start as u32..(start + length) as u32, message);
        input.state.diagnostics.push(found.hint("quote with `\"`, or remove the `'`"));
    }
    Ok((length, quoting))
}

/// The place of the first line feed; without one, the end.
pub(super) fn end_of_line(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

/// Reports that an entry has no `;`. In front of a `}` this is only a warning: clients in production send this, and the
/// closing brace proves that the text was not cut off. A stray `}` is a fault of its own.
#[cold]
fn missing_semicolon(input: &mut Input<'_>, end: u32) {
    let is_inside = input.state.depth > 0;
    let fix = Some(Fix { span: end..end, text: ";".to_owned() });
    let found = match input.as_bytes().is_empty() {
        false if !is_inside => return,
        false => Diagnostic::warning(end..end, "missing `;` before `}`")
            .hint("end the directive with `;`")
            .fixed_by(fix),
        true => Diagnostic::error(end..end, "missing `;` at the end of the file")
            .hint("was the file cut off? end the last directive with `;`")
            // A file that was cut off ends inside a block or a line.
            .fixed_by(fix.filter(|_| !is_inside && input.state.ends_with_line)),
    };
    input.state.diagnostics.push(found);
}
