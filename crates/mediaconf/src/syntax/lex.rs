//! The lexical grammar, with winnow on a plain byte slice.
//!
//! ```text
//! word      = 1*segment                           ; no white space between segments
//! segment   = bare / quoted
//! bare      = 1*<any char except SP TAB CR LF ; { } ">
//! quoted    = DQUOTE *( "\\" / "\"" / <any char except \ and "> ) DQUOTE
//! comment   = "#" *<any char but LF>              ; only where a word could start
//! ```
//!
//! All delimiters are ASCII, so byte offsets here are character boundaries of the text.

use wide::u8x16;
use winnow::Parser;
use winnow::combinator::{dispatch, empty, fail, peek, repeat};
use winnow::error::EmptyError;
use winnow::token::{any, take_till};

use crate::text::Span;
use crate::text::Word;

type Input<'t> = &'t [u8];
type Lexed<T> = Result<T, EmptyError>;

const SPACE: u8 = 1;
const HASH: u8 = 2;
const DELIMITER: u8 = 4;
const QUOTE: u8 = 8;
/// A bare word that starts with one of these may be meant otherwise.
const ODD: u8 = 16;

const CLASS: &[u8; 256] =
    &classes(&[(b" \t\r\n", SPACE), (b"#", HASH), (b";{}", DELIMITER), (b"\"", QUOTE), (b"'\\", ODD)]);

const fn classes(members: &[(&[u8], u8)]) -> [u8; 256] {
    let mut table = [0; 256];
    let mut class = 0;
    while class < members.len() {
        let mut index = 0;
        while index < members[class].0.len() {
            table[members[class].0[index] as usize] = members[class].1;
            index += 1;
        }
        class += 1;
    }
    table
}

fn is(byte: u8, classes: u8) -> bool {
    CLASS[usize::from(byte)] & classes != 0
}

fn ends_bare(byte: u8) -> bool {
    is(byte, SPACE | DELIMITER | QUOTE)
}

/// The bytes between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trivia {
    /// White space, or nothing.
    Space,
    /// White space and comments.
    Comments,
}

#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    is(byte, SPACE)
}

/// True if white space or a comment starts with this byte, where a word could start.
#[inline(always)]
pub(super) fn starts_trivia(byte: u8) -> bool {
    is(byte, SPACE | HASH)
}

/// *( white space / comment )
///
/// Returns its kind and its end.
#[inline(always)]
pub(super) fn trivia(text: &[u8], start: usize) -> (Trivia, usize) {
    // Nearly all words have one blank between them, or none.
    let offset = start + usize::from(text.get(start) == Some(&b' '));
    match text.get(offset) {
        Some(&byte) if !starts_trivia(byte) => (Trivia::Space, offset),
        _ => lines_and_comments(text, offset),
    }
}

fn lines_and_comments(text: &[u8], mut offset: usize) -> (Trivia, usize) {
    let mut kind = Trivia::Space;
    loop {
        offset += text[offset..].iter().take_while(|&&byte| is(byte, SPACE)).count();
        if text.get(offset) != Some(&b'#') {
            return (kind, offset);
        }
        kind = Trivia::Comments;
        offset = end_of_line(text, offset);
    }
}

/// The quoting of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Without quotes.
    Bare,
    /// With quotes that are all closed.
    Quoted,
    /// With a quote that is never closed. The word ends with its line, so that the lines behind it are
    /// still parsed.
    Open,
}

/// The end of a word, and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LexedWord {
    pub end: usize,
    pub quoting: Quoting,
}

/// The end of a plain word that starts here, one without quotes and without anything to look at, and
/// the byte there.
#[inline(always)]
pub(super) fn plain_word(text: &[u8], start: usize) -> Option<(usize, u8)> {
    let rest = text.get(start..)?;
    if CLASS[usize::from(*rest.first()?)] != 0 {
        return None;
    }
    let (length, stop) = find(rest, may_end_bare, ends_bare);
    (stop != b'"').then_some((start + length, stop))
}

/// word = 1*segment
///
/// `quotes_end` is not before the end of the word, and no quote of the word is closed behind it.
#[inline(always)]
pub(super) fn word(text: &[u8], start: usize, quotes_end: usize) -> LexedWord {
    let end = end_of_bare(text, start);
    match text.get(end) {
        Some(b'"') => with_quotes(&text[..quotes_end], start),
        _ => LexedWord { end, quoting: Quoting::Bare },
    }
}

fn with_quotes(text: &[u8], start: usize) -> LexedWord {
    if let Some(end) = plainly_quoted(text, start) {
        return LexedWord { end, quoting: Quoting::Quoted };
    }
    let mut input = &text[start..];
    let segments: Lexed<()> = repeat(0.., segment).parse_next(&mut input);
    debug_assert!(segments.is_ok(), "a repetition from zero always matches");
    if input.first() == Some(&b'"') {
        let line = &text[start..end_of_line(text, start)];
        return LexedWord { end: start + line.trim_ascii_end().len(), quoting: Quoting::Open };
    }
    LexedWord { end: text.len() - input.len(), quoting: Quoting::Quoted }
}

/// Returns the place of the next line feed from `start` on, or the end of the text.
pub(super) fn end_of_line(text: &[u8], start: usize) -> usize {
    let line = &text[start..];
    start + memchr::memchr(b'\n', line).unwrap_or(line.len())
}

/// The place of the next LF or CR, and the byte; or the end of the text and a zero.
#[inline(always)]
pub(super) fn line_break(text: &[u8], start: usize) -> (usize, u8) {
    let is_break = |bytes: u8x16| bytes.simd_eq(u8x16::splat(b'\n')) | bytes.simd_eq(u8x16::splat(b'\r'));
    let (length, stop) = find(&text[start..], is_break, |byte| matches!(byte, b'\n' | b'\r'));
    (start + length, stop)
}

/// The place behind the blanks that begin a line, or sixteen of them.
#[inline(always)]
pub(super) fn indented(text: &[u8], start: usize) -> usize {
    match text[start..].first_chunk::<16>() {
        Some(sixteen) => {
            let others = !u8x16::new(*sixteen).simd_eq(u8x16::splat(b' ')).to_bitmask();
            start + others.trailing_zeros() as usize
        }
        None => start,
    }
}

/// The end of a word that is quoted as a whole and escapes nothing, as nearly all quoted words are.
pub(super) fn plainly_quoted(text: &[u8], start: usize) -> Option<usize> {
    let inside = text[start..].strip_prefix(b"\"")?;
    let (length, stop) = find(inside, may_end_quoted, |byte| matches!(byte, b'"' | b'\\'));
    let end = start + 1 + length;
    let is_whole = stop == b'"' && text.get(end + 1).is_some_and(|&byte| is(byte, SPACE | DELIMITER));
    is_whole.then_some(end + 1)
}

/// segment = bare / quoted
fn segment(input: &mut Input<'_>) -> Lexed<()> {
    dispatch! {peek(any);
        b'"' => quoted,
        byte if !ends_bare(byte) => empty.map(|()| ()),
        _ => fail,
    }
    .parse_next(input)?;
    bare(input);
    Ok(())
}

/// bare = *<any char except SP TAB CR LF ; { } ">
fn bare(input: &mut Input<'_>) {
    let end = end_of_bare(input, 0);
    *input = &input[end..];
}

#[inline(always)]
fn end_of_bare(text: &[u8], start: usize) -> usize {
    start + find(&text[start..], may_end_bare, ends_bare).0
}

/// The place of the first byte that is an end, and the byte; or the end of the text and a zero, which
/// ends nothing.
///
/// Looks at sixteen bytes at a time: most of a text is bare words, whose lengths a branch predictor
/// can't guess. `may_be_end` is true of each end, and of others that are rare.
#[inline(always)]
fn find(text: &[u8], may_be_end: impl Fn(u8x16) -> u8x16, is_end: impl Fn(u8) -> bool) -> (usize, u8) {
    let mut rest = text;
    while let Some((sixteen, behind)) = rest.split_first_chunk::<16>() {
        let mut found = may_be_end(u8x16::new(*sixteen)).to_bitmask();
        while found != 0 {
            let end = found.trailing_zeros() as usize;
            if end < sixteen.len() && is_end(sixteen[end]) {
                return (text.len() - rest.len() + end, sixteen[end]);
            }
            found &= found - 1;
        }
        rest = behind;
    }
    let end = rest.iter().position(|&byte| is_end(byte)).unwrap_or(rest.len());
    (text.len() - rest.len() + end, rest.get(end).copied().unwrap_or(0))
}

/// The bytes that are `"` or below, `;`, or `{` or above.
#[inline(always)]
fn may_end_bare(bytes: u8x16) -> u8x16 {
    let low = bytes.simd_eq(bytes.min(u8x16::splat(b'"')));
    let high = bytes.simd_eq(bytes.max(u8x16::splat(b'{')));
    low | high | bytes.simd_eq(u8x16::splat(b';'))
}

#[inline(always)]
fn may_end_quoted(bytes: u8x16) -> u8x16 {
    bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\'))
}

/// quoted = DQUOTE *( "\\" / "\"" / <any char except \ and "> ) DQUOTE
fn quoted(input: &mut Input<'_>) -> Lexed<()> {
    (b'"', repeat::<_, _, (), _, _>(0.., (plain, escape)), plain, b'"').void().parse_next(input)
}

fn plain<'t>(input: &mut Input<'t>) -> Lexed<&'t [u8]> {
    take_till(0.., (b'"', b'\\')).parse_next(input)
}

/// A backslash and the byte behind it; the parser reports unknown escapes.
fn escape(input: &mut Input<'_>) -> Lexed<()> {
    (b'\\', any).void().parse_next(input)
}

/// True if a word begins at `offset`, where trivia ends.
pub(super) fn is_word(text: &[u8], offset: usize) -> bool {
    text.get(offset).is_some_and(|&byte| !is(byte, DELIMITER))
}

/// Returns where the first comment of a text starts: at a `#` where a word could start.
pub fn comment_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // A byte order mark is not part of the first word.
    let mut offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while offset < bytes.len() {
        let (kind, end) = trivia(bytes, offset);
        if kind == Trivia::Comments {
            return memchr::memchr(b'#', &bytes[offset..]).map(|comment| offset + comment);
        }
        offset = if is_word(bytes, end) { word(bytes, end, bytes.len()).end } else { end + 1 };
    }
    None
}

/// The words of an entry, lexed while they are iterated.
#[derive(Debug, Clone)]
pub struct Words<'t> {
    text: &'t str,
    at: usize,
    /// The end of the entry.
    end: usize,
}

impl<'t> Words<'t> {
    /// Returns the words from `start` to the first delimiter, or to `end`.
    pub(super) fn new(text: &'t str, start: usize, end: usize) -> Self {
        Self { text, at: start, end }
    }

    /// Returns the words of an entry, which stand in this part of the text.
    pub fn in_span(text: &'t str, span: &Span) -> Self {
        Self::new(text, span.start as usize, span.end as usize)
    }

    /// Returns the place of the delimiter behind the last word.
    pub fn delimiter(mut self) -> usize {
        self.by_ref().for_each(drop);
        self.at
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    // Always inlined: returned through memory, a word costs more than lexing it.
    #[inline(always)]
    fn next(&mut self) -> Option<Word<'t>> {
        #[cfg(test)]
        super::work::count();
        let text = self.text.as_bytes();
        let (_, start) = trivia(text, self.at);
        self.at = start.min(self.end);
        if start >= self.end || !is_word(text, start) {
            return None;
        }
        let LexedWord { end, quoting } = word(text, start, self.end);
        self.at = end;
        Some(Word { raw: &self.text[start..end], start: start as u32, quoted: quoting != Quoting::Bare })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<&str> {
        Words::new(text, 0, text.len()).map(|word| word.raw).collect()
    }

    #[test]
    fn words_end_at_delimiters() {
        for (text, expected) in [
            ("a b;c", vec!["a", "b"]),
            ("a{b", vec!["a"]),
            ("a#b #c\n d;", vec!["a#b", "d"]),
            (r#"a"b;c"d e;"#, vec![r#"a"b;c"d"#, "e"]),
            ("\"a\"#b;", vec!["\"a\"#b"]),
            (r#"x "a\"b" c;"#, vec!["x", r#""a\"b""#, "c"]),
            (r#""\\" c;"#, vec![r#""\\""#, "c"]),
            ("\"open x\n y;", vec!["\"open x", "y"]),
            ("\"\\", vec!["\"\\"]),
            ("", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_bare_word_ends_where_one_byte_at_a_time_says(text: Vec<u8>, start in 0..40usize) {
            let start = start.min(text.len());
            let end = text[start..].iter().position(|&byte| ends_bare(byte)).map_or(text.len(), |offset| start + offset);
            prop_assert_eq!(end_of_bare(&text, start), end);
        }

        #[test]
        fn behind_an_open_quote_none_is_closed_in_another_line(text in r#"["\\a ;\n]{0,30}"#) {
            let (text, end) = (text.as_bytes(), text.len());
            for start in 0..end {
                if word(text, start, end).quoting != Quoting::Open {
                    continue;
                }
                let behind = end_of_line(text, start) + 1..end;
                for later in behind.filter(|&at| is(text[at - 1], SPACE | DELIMITER)) {
                    prop_assert_eq!(word(text, later, end), word(text, later, end_of_line(text, later)));
                }
            }
        }
    }
}
