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

use winnow::Parser;
use winnow::combinator::{dispatch, empty, fail, peek, repeat};
use winnow::error::EmptyError;
use winnow::token::{any, take_till, take_while};

use super::word::Word;

type Input<'t> = &'t [u8];
type Lexed<T> = Result<T, EmptyError>;

const fn class_of(members: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < members.len() {
        table[members[at] as usize] = true;
        at += 1;
    }
    table
}

static IS_SPACE: [bool; 256] = class_of(b" \t\r\n");
static ENDS_BARE: [bool; 256] = class_of(b" \t\r\n;{}\"");

/// What stands between two words.
pub(super) struct Trivia<'t> {
    /// Its bytes.
    pub skipped: &'t [u8],
    /// Whether a comment is among them.
    pub has_comment: bool,
}

/// *( white space / comment )
///
/// The bytes skipped, so that a caller can look at what was in them.
#[inline(always)]
pub(super) fn trivia<'t>(input: &mut Input<'t>) -> Trivia<'t> {
    // Nearly all words are one blank apart, or none.
    let blanks = usize::from(input.first() == Some(&b' '));
    match input.get(blanks) {
        Some(&byte) if !IS_SPACE[usize::from(byte)] && byte != b'#' => {
            let (skipped, rest) = input.split_at(blanks);
            *input = rest;
            Trivia { skipped, has_comment: false }
        }
        _ => lines_and_comments(input),
    }
}

fn lines_and_comments<'t>(input: &mut Input<'t>) -> Trivia<'t> {
    let start = *input;
    let mut has_comment = false;
    loop {
        skip_while(input, |byte| IS_SPACE[usize::from(byte)]);
        if input.first() != Some(&b'#') {
            return Trivia { skipped: &start[..start.len() - input.len()], has_comment };
        }
        has_comment = true;
        let end = memchr::memchr(b'\n', input).unwrap_or(input.len());
        *input = &input[end..];
    }
}

#[inline]
fn skip_while(input: &mut Input<'_>, keep: impl Fn(u8) -> bool) {
    let skipped: Lexed<&[u8]> = take_while(0.., keep).parse_next(input);
    debug_assert!(skipped.is_ok(), "a repetition from zero always matches");
}

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Not a quote in it.
    Bare,
    /// Quotes, and all are closed.
    Quoted,
    /// A quote that is never closed.
    Open,
}

/// word = 1*segment
///
/// Fails, with the input where it was, only on a quote that is never closed.
fn word<'t>(input: &mut Input<'t>) -> Lexed<&'t [u8]> {
    let start = *input;
    bare(input);
    let rest: Lexed<()> = repeat(0.., segment).parse_next(input);
    if rest.is_err() || input.first() == Some(&b'"') {
        *input = start;
        return Err(EmptyError);
    }
    Ok(&start[..start.len() - input.len()])
}

/// Nearly every quoted word: one pair of quotes around the whole of it, and no escape.
fn plainly_quoted_word<'t>(input: &mut Input<'t>) -> Option<&'t [u8]> {
    let inside = input.strip_prefix(b"\"")?;
    let end = 1 + memchr::memchr2(b'"', b'\\', inside)?;
    let is_whole = input[end] == b'"' && input.get(end + 1).is_some_and(|&byte| ENDS_BARE[usize::from(byte)]);
    if !is_whole || input[end + 1] == b'"' {
        return None;
    }
    let (raw, rest) = input.split_at(end + 1);
    *input = rest;
    Some(raw)
}

/// segment = bare / quoted
fn segment(input: &mut Input<'_>) -> Lexed<()> {
    dispatch! {peek(any);
        b'"' => quoted,
        byte if !ENDS_BARE[usize::from(byte)] => empty.map(|()| ()),
        _ => fail,
    }
    .parse_next(input)?;
    bare(input);
    Ok(())
}

/// bare = *<any char except SP TAB CR LF ; { } ">
#[inline]
fn bare(input: &mut Input<'_>) {
    skip_while(input, |byte| !ENDS_BARE[usize::from(byte)]);
}

/// quoted = DQUOTE *( "\\" / "\"" / <any char except \ and "> ) DQUOTE
fn quoted(input: &mut Input<'_>) -> Lexed<()> {
    (b'"', repeat::<_, _, (), _, _>(0.., (plain, escape)), plain, b'"').void().parse_next(input)
}

fn plain<'t>(input: &mut Input<'t>) -> Lexed<&'t [u8]> {
    take_till(0.., (b'"', b'\\')).parse_next(input)
}

/// A backslash and the byte behind it, whatever it is: which escapes are known is said elsewhere.
fn escape(input: &mut Input<'_>) -> Lexed<()> {
    (b'\\', any).void().parse_next(input)
}

/// A word, or, where a quote is never closed, what is left of its line.
///
/// So that the lines behind an open quote are still read.
#[inline(always)]
pub(super) fn word_or_rest_of_line<'t>(input: &mut Input<'t>) -> (&'t [u8], Quoting) {
    let mut rest = *input;
    bare(&mut rest);
    if rest.first() == Some(&b'"') {
        return quoted_word_or_rest_of_line(input);
    }
    let (raw, rest) = input.split_at(input.len() - rest.len());
    *input = rest;
    (raw, Quoting::Bare)
}

fn quoted_word_or_rest_of_line<'t>(input: &mut Input<'t>) -> (&'t [u8], Quoting) {
    if let Some(raw) = plainly_quoted_word(input) {
        return (raw, Quoting::Quoted);
    }
    match word(input) {
        Ok(raw) => (raw, Quoting::Quoted),
        Err(_) => {
            let end = memchr::memchr(b'\n', input).unwrap_or(input.len());
            let (raw, rest) = input.split_at(end);
            *input = rest;
            (raw.trim_ascii_end(), Quoting::Open)
        }
    }
}

/// The words of an entry, lexed as they are asked for.
#[derive(Debug, Clone)]
pub struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    /// The words from `start` to the first delimiter or the end of `text`.
    pub(super) fn new(text: &'t str, start: usize) -> Self {
        Self { text, at: start }
    }

    /// Where the delimiter behind the last word stands, once all words are taken.
    pub fn delimiter(mut self) -> usize {
        self.by_ref().for_each(drop);
        self.at
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    // Inlined by force: handed back through memory, a word costs more than it takes to lex it.
    #[inline(always)]
    fn next(&mut self) -> Option<Word<'t>> {
        let mut input = &self.text.as_bytes()[self.at..];
        trivia(&mut input);
        let start = self.text.len() - input.len();
        self.at = start;
        if matches!(input.first(), None | Some(b';' | b'{' | b'}')) {
            return None;
        }
        let (raw, quoting) = word_or_rest_of_line(&mut input);
        self.at = self.text.len() - input.len();
        let raw = &self.text[start..start + raw.len()];
        Some(Word { raw, start: start as u32, quoted: quoting != Quoting::Bare })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        Words::new(text, 0).map(|word| word.raw).collect()
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
}
