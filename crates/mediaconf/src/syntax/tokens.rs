//! A text as the sequence of its tokens: words, comments, `;`, `{` and `}`; and the words of one entry.
//!
//! Between two tokens is white space, which means nothing. So two texts with equal tokens say the same.

use super::grammar::{BOM, end_of_line, trivia};
use crate::text::{Quoting, Word, word};

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
        super::work::count();
        let mut rest = &self.text.as_bytes()[self.at..];
        let start = self.at + trivia(&mut rest).ok()?;
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

impl Token<'_> {
    /// The byte behind it.
    pub fn end(&self) -> usize {
        self.start + self.raw.len()
    }
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

/// The tokens of a text, without its byte order mark.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut offset = if text.starts_with(BOM) { BOM.len() } else { 0 };
    std::iter::from_fn(move || {
        let (line_feeds, start) = white_space(text.as_bytes(), offset);
        let (kind, raw) = token_at(text, start)?;
        offset = start + raw.len();
        Some(Token { kind, start, raw, line_feeds })
    })
}

/// The number of line feeds from `start` on, and where the white space ends.
fn white_space(text: &[u8], start: usize) -> (usize, usize) {
    let blanks = text[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    let (line_feeds, length) = blanks
        .fold((0, 0), |(line_feeds, length), &byte| (line_feeds + usize::from(byte == b'\n'), length + 1));
    (line_feeds, start + length)
}

fn token_at(text: &str, start: usize) -> Option<(TokenKind, &str)> {
    let bytes = text.as_bytes();
    let one = |kind| (kind, &text[start..start + 1]);
    Some(match bytes.get(start)? {
        b';' => one(TokenKind::End),
        b'{' => one(TokenKind::Open),
        b'}' => one(TokenKind::Close),
        b'#' => {
            let line = &text[start..][..end_of_line(&bytes[start..])];
            (TokenKind::Comment, line.trim_end_matches([' ', '\t', '\r']))
        }
        _ => (TokenKind::Word, &text[start..][..word(&mut &bytes[start..]).ok()?.0.len()]),
    })
}

/// Returns where the first comment of a text starts: at a `#` where a word could start.
pub fn comment_start(text: &str) -> Option<usize> {
    tokens(text).find(|token| token.kind == TokenKind::Comment).map(|comment| comment.start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::{Document, EntryId};

    #[test]
    fn tokens_are_what_the_grammar_says() {
        use TokenKind::{Close, Comment, End, Open, Word};
        let found: Vec<_> = tokens("\u{feff}a \"b;\"c;#d \r\n\n{ e#f }")
            .map(|token| (token.line_feeds, token.kind, token.raw))
            .collect();
        let expected = [
            (0, Word, "a"),
            (0, Word, "\"b;\"c"),
            (0, End, ";"),
            (0, Comment, "#d"),
            (2, Open, "{"),
            (0, Word, "e#f"),
            (0, Close, "}"),
        ];
        assert_eq!(found, expected);
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
            let words: Vec<&str> = Words::new(text, 0, text.len()).map(|word| word.raw).collect();
            assert_eq!(words, expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn words_are_tokens(text in r#"(("b;\\""|#c;\n|é\n|a"b c"d){0,3} a(;|\{b #x}\n  c;\})){0,6}"#) {
            let document = Document::parse(text.clone());
            prop_assert_eq!(document.diagnostics().errors(), 0);
            let entries = (0..document.len()).map(|index| document.entry(EntryId::from_index(index)));
            let words: Vec<&str> = entries.flat_map(|entry| entry.words()).map(|word| word.raw).collect();
            let is_word = |token: &Token<'_>| token.kind == TokenKind::Word;
            let found: Vec<&str> = tokens(&text).filter(is_word).map(|token| token.raw).collect();
            prop_assert_eq!(found, words);
        }
    }
}
