//! The words of entries: their grammar, their values, and how a value is written as a word; and a text as the sequence of
//! its tokens: words, comments, `;`, `{` and `}`.
//!
//! Between two tokens is white space, which means nothing. So two texts with equal tokens say the same.
//!
//! ```text
//! word    = 1*( bare / quoted )                 ; no white space between them
//! bare    = 1*<any character except SP TAB CR LF ; { } ">
//! quoted  = DQUOTE *( "\\" / "\"" / <any character except \ and "> ) DQUOTE
//! ```
//!
//! The grammar reads bytes. All delimiters are ASCII, so the places that it finds are character boundaries of the text.

use std::borrow::Cow;
use std::ops::Range;

use winnow::Parser;
use winnow::combinator::{alt, repeat};
use winnow::error::EmptyError;
use winnow::stream::Stream;
use winnow::token::{any, take_till};

use super::diagnostic::Span;
use super::document::Document;
use super::grammar::{end_of_line, text_start, trivia};

/// What a parser returns. The grammar takes any text, so a failure tells nothing but where to go on.
pub(crate) type Parsed<T> = Result<T, EmptyError>;

/// The quoting of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// Without quotes.
    Bare,
    /// With quotes that are all closed.
    Quoted,
    /// With a quote that is never closed. The word ends with its line, so that the lines behind it are still parsed.
    Open,
}

/// word = 1*( bare / quoted )
///
/// It is empty where none begins.
#[inline(always)]
pub(crate) fn word<'t>(input: &mut &'t [u8]) -> Parsed<(&'t [u8], Quoting)> {
    let whole = *input;
    let bare = bare(input);
    if input.first() != Some(&b'"') {
        return Ok((bare, Quoting::Bare));
    }
    let quoted = if bare.is_empty() { quoted_whole(input) } else { b"" };
    if quoted.is_empty() { word_with_quotes(input, whole) } else { Ok((quoted, Quoting::Quoted)) }
}

/// bare = *<any character except SP TAB CR LF ; { } ">
#[inline(always)]
pub(crate) fn bare<'t>(input: &mut &'t [u8]) -> &'t [u8] {
    let mut rest = *input;
    // Eight bytes at a time, so that the end of the text is not looked for at each one.
    let end = loop {
        let eight = rest.split_first_chunk::<8>();
        match eight.map(|(bytes, behind)| (bytes.iter().position(|&byte| ends_bare(byte)), behind)) {
            Some((Some(end), _)) => break end,
            Some((None, behind)) => rest = behind,
            None => break rest.offset_for(ends_bare).unwrap_or(rest.len()),
        }
    };
    input.next_slice(input.len() - rest.len() + end)
}

/// A word in one pair of quotes with no backslash inside; empty where none begins.
#[inline(never)]
pub(crate) fn quoted_whole<'t>(input: &mut &'t [u8]) -> &'t [u8] {
    let inside = input.strip_prefix(b"\"").unwrap_or_default();
    let end = memchr::memchr2(b'"', b'\\', inside)
        .filter(|&end| inside[end] == b'"' && inside.get(end + 1).is_none_or(|&byte| ends_word(byte)));
    input.next_slice(end.map_or(0, |end| end + 2))
}

/// The rest of a word, of which `whole` begins with the first byte, from its first quote on.
#[inline(never)]
fn word_with_quotes<'t>(input: &mut &'t [u8], whole: &'t [u8]) -> Parsed<(&'t [u8], Quoting)> {
    let bare = take_till(1.., ends_bare).void();
    repeat::<_, _, (), _, _>(0.., alt((quoted, bare))).parse_next(input)?;
    if input.first() != Some(&b'"') {
        return Ok((&whole[..whole.len() - input.len()], Quoting::Quoted));
    }
    let line = take_till(0.., b'\n').parse_next(&mut &*whole)?.trim_ascii_end();
    *input = &whole[line.len()..];
    Ok((line, Quoting::Open))
}

/// quoted = DQUOTE *( "\" <any byte> / <any byte except \ and "> ) DQUOTE
///
/// The parser reports a backslash in front of any byte but `\` and `"`.
fn quoted(input: &mut &[u8]) -> Parsed<()> {
    let plain = || take_till(0.., (b'"', b'\\'));
    (b'"', plain(), repeat::<_, _, (), _, _>(0.., (b'\\', any, plain())), b'"').void().parse_next(input)
}

/// True if a bare part of a word ends before this byte. It is a table, because each byte of a text is looked up.
#[inline(always)]
fn ends_bare(byte: u8) -> bool {
    const ENDS: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = ends_word(byte as u8) || byte as u8 == b'"';
            byte += 1;
        }
        table
    };
    ENDS[usize::from(byte)]
}

/// A word as it stands in the text, quotes and escapes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    /// The bytes of the text.
    pub raw: &'t str,
    /// Their start, in bytes.
    pub start: u32,
    /// True if any part of it is quoted.
    pub quoted: bool,
}

impl<'t> Word<'t> {
    /// Takes raw bytes that are one word, quotes included.
    pub fn new(raw: &'t str, start: u32) -> Self {
        Self { raw, start, quoted: raw.as_bytes().contains(&b'"') }
    }

    /// Writes `value` as a word, in quotes only if it needs them.
    pub fn write(value: &str) -> Cow<'_, str> {
        let needs_quotes = value.is_empty()
            || value.starts_with(['\'', '\u{feff}'])
            || value.bytes().any(|byte| ends_word(byte) || matches!(byte, b'#' | b'"' | b'\\'));
        if needs_quotes { Cow::Owned(Self::in_quotes(value)) } else { Cow::Borrowed(value) }
    }

    /// The text of a word in quotes.
    pub fn in_quotes(value: &str) -> String {
        format!("\"{}\"", value.replace('\\', r"\\").replace('"', r#"\""#))
    }

    /// The span of the word in the text.
    pub fn span(&self) -> Span {
        self.start..self.end()
    }

    /// The offset behind its last byte.
    pub fn end(&self) -> u32 {
        self.start + self.raw.len() as u32
    }

    /// This word of a document, without those behind it.
    pub(crate) fn alone(self, document: &'t Document) -> Words<'t> {
        Words::new(document.text(), self.start as usize, self.end() as usize)
    }

    /// The value of the word: without quotes, `\\` and `\"` resolved.
    #[inline]
    pub fn value(&self) -> Cow<'t, str> {
        if self.quoted { value_in_quotes(self.raw) } else { Cow::Borrowed(self.raw) }
    }

    /// Splits the word at its first `=` outside quotes.
    pub fn option(self) -> (Self, Option<Self>) {
        let bytes = self.raw.as_bytes();
        let is_sign = |&(_, byte, is_quoted): &(usize, u8, bool)| byte == b'=' && !is_quoted;
        let sign = match self.quoted {
            true => unescaped(bytes).find(is_sign).map(|(at, ..)| at),
            false => memchr::memchr(b'=', bytes),
        };
        let Some(at) = sign else { return (self, None) };
        let value = Word::new(&self.raw[at + 1..], self.start + at as u32 + 1);
        (Word::new(&self.raw[..at], self.start), Some(value))
    }
}

/// The bytes of a word with their places, each with whether the quotes before it are open. The byte
/// behind a backslash in quotes is left out.
pub(crate) fn unescaped(raw: &[u8]) -> impl Iterator<Item = (usize, u8, bool)> {
    let (mut at, mut is_quoted) = (0, false);
    std::iter::from_fn(move || {
        let byte = *raw.get(at)?;
        let found = (at, byte, is_quoted);
        at += if is_quoted && byte == b'\\' { 2 } else { 1 };
        is_quoted ^= byte == b'"';
        Some(found)
    })
}

// Most words have no quotes: what those with quotes take is kept out of the loops over all words.
#[inline(never)]
fn value_in_quotes(raw: &str) -> Cow<'_, str> {
    let inside = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inside.filter(|inside| memchr::memchr2(b'"', b'\\', inside.as_bytes()).is_none()) {
        Some(inside) => Cow::Borrowed(inside),
        None => Cow::Owned(unquoted(raw).map(|(_, c)| c).collect()),
    }
}

/// The characters of the value of a word, each with its place: without quotes, `\\` and `\"` in quotes resolved. Other
/// backslashes are part of it, and the last quote may be open.
pub(crate) fn unquoted(raw: &str) -> impl Iterator<Item = (Range<usize>, char)> {
    let mut chars = raw.char_indices().peekable();
    let mut is_quoted = false;
    std::iter::from_fn(move || {
        loop {
            let (at, c) = chars.next()?;
            let escapes = is_quoted && c == '\\';
            match chars.next_if(|(_, next)| escapes && matches!(next, '\\' | '"')) {
                Some((_, escaped)) => return Some((at..at + 2, escaped)),
                None if c == '"' => is_quoted = !is_quoted,
                None => return Some((at..at + c.len_utf8(), c)),
            }
        }
    })
}

/// The white space of the language. Another one, such as a no-break space, is a part of a word or of a comment.
pub const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

/// True if a word without quotes ends before this byte; a `#` inside of a word is part of it.
pub const fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'{' | b'}')
}

/// The words of an entry, read while they are iterated.
#[derive(Debug, Clone)]
pub struct Words<'t> {
    /// The text up to the end of the entry.
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    /// Returns the words from `start` to the first delimiter, or to `end`.
    pub(super) fn new(text: &'t str, start: usize, end: usize) -> Self {
        Self { text: &text[..end], at: start }
    }

    /// Returns the place of the delimiter behind the last word.
    pub(super) fn delimiter(mut self) -> usize {
        self.by_ref().for_each(drop);
        self.at
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    #[inline]
    fn next(&mut self) -> Option<Word<'t>> {
        #[cfg(test)]
        super::tests::work::count();
        let mut rest = &self.text.as_bytes()[self.at..];
        let start = self.at + trivia(&mut rest).ok()?.len();
        let (found, quoting) = word(&mut rest).ok()?;
        self.at = start + found.len();
        let raw = &self.text[start..self.at];
        (!raw.is_empty()).then_some(Word { raw, start: start as u32, quoted: quoting != Quoting::Bare })
    }
}

/// A token of a text without errors.
#[derive(Debug, Clone, Copy)]
pub struct Token<'t> {
    /// Its kind.
    pub kind: TokenKind,
    /// Its first byte in the text.
    pub start: usize,
    /// Its bytes; those of a comment end with its last character that is no white space.
    pub raw: &'t str,
    /// The number of line feeds between the token before it and this one.
    pub line_feeds: usize,
}

impl<'t> Token<'t> {
    /// The tokens of a text, without its byte order mark.
    pub fn all(text: &'t str) -> impl Iterator<Item = Self> {
        let mut offset = text_start(text);
        let mut has_open_quote = false;
        std::iter::from_fn(move || {
            let rest = text[offset..].trim_start_matches(WHITE);
            let start = text.len() - rest.len();
            let line_feeds = memchr::memchr_iter(b'\n', &text.as_bytes()[offset..start]).count();
            let (kind, length) = match rest.bytes().next()? {
                b';' => (TokenKind::End, 1),
                b'{' => (TokenKind::Open, 1),
                b'}' => (TokenKind::Close, 1),
                b'#' => (TokenKind::Comment, comment(rest).len()),
                _ => (TokenKind::Word, word_length(rest, &mut has_open_quote)),
            };
            offset = start + length;
            Some(Token { kind, start, raw: &rest[..length], line_feeds })
        })
    }
}

/// The comment that a text begins with.
fn comment(text: &str) -> &str {
    text[..end_of_line(text.as_bytes())].trim_end_matches([' ', '\t', '\r'])
}

/// The length of the word that a text begins with. Behind an open quote a word that crosses a line end is open, too, so it
/// is read to the end of its line at most.
fn word_length(text: &str, has_open_quote: &mut bool) -> usize {
    let bytes = text.as_bytes();
    let room = if *has_open_quote { end_of_line(bytes) } else { bytes.len() };
    let (word, quoting) = word(&mut &bytes[..room]).unwrap_or((b"", Quoting::Bare));
    *has_open_quote |= quoting == Quoting::Open;
    word.len()
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word.
    Word,
    /// A comment, from its `#` on.
    Comment,
    /// `;`
    End,
    /// `{`
    Open,
    /// `}`
    Close,
}

/// The comments of a text, with their places: each starts at a `#` where a word could start.
pub fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = text_start(text);
    let mut has_open_quote = false;
    std::iter::from_fn(move || {
        loop {
            let behind = &text.as_bytes()[offset..];
            let at = memchr::memchr2(b'#', b'"', behind)?;
            let start = behind[..at].iter().rposition(|&byte| ends_word(byte)).map_or(0, |before| before + 1);
            if start == at && behind[at] == b'#' {
                let (place, comment) = (offset + at, comment(&text[offset + at..]));
                offset = place + comment.len();
                return Some((place, comment));
            }
            offset += start + word_length(&text[offset + start..], &mut has_open_quote);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(raw: &str) -> Word<'_> {
        Word::new(raw, 0)
    }

    #[test]
    fn value_joins_segments_and_resolves_only_two_escapes() {
        for (raw, value) in [
            ("a", "a"),
            (r#""a b""#, "a b"),
            (r#"a"b c"d"#, "ab cd"),
            (r#""\\ \" \n""#, r#"\ " \n"#),
            (r"C:\dir", r"C:\dir"),
            (r#""""#, ""),
        ] {
            assert_eq!(word(raw).value(), value, "{raw}");
        }
    }

    #[test]
    fn option_is_split_at_the_first_equals_outside_quotes() {
        let (key, value) = word(r#""a=b"c=d=e"#).option();
        let value = value.expect("it has an equals sign");
        assert_eq!((key.raw, value.raw, value.start), (r#""a=b"c"#, "d=e", 7));
        assert!(word(r#""a=b""#).option().1.is_none());
    }

    #[test]
    fn quoting_is_undone_by_value() {
        for value in ["", "a", "a b", "'x", "a\\b", "a\"b", "#", "x#y", "{", "\u{feff}", "é\n"] {
            let written = Word::write(value);
            assert_eq!(word(&written).value(), value);
        }
    }
}
