//! A text as the sequence of its tokens: words, comments, `;`, `{` and `}`; and the words of one entry.
//!
//! Between two tokens is white space, which means nothing. So two texts with equal tokens say the same.

use super::grammar::{BOM, end_of_line, trivia};
use super::word::{Quoting, Word, word};

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
        let start = self.at + trivia(&mut rest).ok()?.0.len();
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
        let mut offset = if text.starts_with(BOM) { BOM.len() } else { 0 };
        std::iter::from_fn(move || {
            let blanks = text.as_bytes()[offset..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
            let (line_feeds, length) = blanks.fold((0, 0), |(line_feeds, length), byte| {
                (line_feeds + usize::from(*byte == b'\n'), length + 1)
            });
            let start = offset + length;
            let (kind, raw) = token_at(text, start)?;
            offset = start + raw.len();
            Some(Token { kind, start, raw, line_feeds })
        })
    }

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

fn token_at(text: &str, start: usize) -> Option<(TokenKind, &str)> {
    let rest = &text.as_bytes()[start..];
    let (kind, length) = match rest.first()? {
        b';' => (TokenKind::End, 1),
        b'{' => (TokenKind::Open, 1),
        b'}' => (TokenKind::Close, 1),
        b'#' => {
            (TokenKind::Comment, text[start..][..end_of_line(rest)].trim_end_matches([' ', '\t', '\r']).len())
        }
        _ => (TokenKind::Word, word(&mut &*rest).ok()?.0.len()),
    };
    Some((kind, &text[start..start + length]))
}

/// Returns where the first comment of a text starts: at a `#` where a word could start.
pub fn comment_start(text: &str) -> Option<usize> {
    Token::all(text).find(|token| token.kind == TokenKind::Comment).map(|comment| comment.start)
}
