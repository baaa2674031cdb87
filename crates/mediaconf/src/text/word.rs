//! The words of entries: their raw bytes, their values, and how a value is written as a word.

use std::borrow::Cow;

use super::diagnostic::Span;

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

    /// The span of the word in the text.
    pub fn span(&self) -> Span {
        self.start..self.end()
    }

    /// The offset behind its last byte.
    pub fn end(&self) -> u32 {
        self.start + self.raw.len() as u32
    }

    /// The value of the word: without quotes, `\\` and `\"` resolved.
    #[inline]
    pub fn value(&self) -> Cow<'t, str> {
        if self.quoted { unquoted(self.raw) } else { Cow::Borrowed(self.raw) }
    }

    /// Splits the word at its first `=` outside quotes.
    pub fn split_option(&self) -> Option<(Word<'t>, Word<'t>)> {
        let bytes = self.raw.as_bytes();
        let offset = match self.quoted {
            true => unescaped(bytes).find(|&(_, byte, is_quoted)| byte == b'=' && !is_quoted)?.0,
            false => memchr::memchr(b'=', bytes)?,
        };
        let part = |raw: &'t str, start| match self.quoted {
            true => Word::new(raw, start),
            false => Word { raw, start, quoted: false },
        };
        let (key, value) = (&self.raw[..offset], &self.raw[offset + 1..]);
        Some((part(key, self.start), part(value, self.start + offset as u32 + 1)))
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

/// The text between the quotes of a word that is quoted as a whole and escapes nothing.
fn plainly_quoted(raw: &str) -> Option<&str> {
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    memchr::memchr2(b'"', b'\\', inside.as_bytes()).is_none().then_some(inside)
}

// Most words have no quotes: what those with quotes take is kept out of the loops over all words.
#[inline(never)]
fn unquoted(raw: &str) -> Cow<'_, str> {
    plainly_quoted(raw).map_or_else(|| Cow::Owned(unquote(raw)), Cow::Borrowed)
}

fn unquote(raw: &str) -> String {
    let mut value = String::with_capacity(raw.len());
    let mut quoted = false;
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' if quoted => match chars.next_if(|next| matches!(next, '\\' | '"')) {
                Some(escaped) => value.push(escaped),
                None => value.push('\\'),
            },
            _ => value.push(c),
        }
    }
    value
}

/// True if `value` has to be quoted to be read back as one word with this value.
pub fn needs_quotes(value: &str) -> bool {
    value.is_empty()
        || value.starts_with(['\'', '\u{feff}'])
        || value.bytes().any(|byte| ends_word(byte) || matches!(byte, b'#' | b'"' | b'\\'))
}

/// True if a word without quotes ends before this byte; a `#` inside of a word is part of it.
pub fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'{' | b'}')
}

/// Writes `value` as a word, in quotes only if it needs them.
pub fn quoted_if_needed(value: &str) -> Cow<'_, str> {
    if needs_quotes(value) { Cow::Owned(quoted_word(value)) } else { Cow::Borrowed(value) }
}

/// Writes `value` as a word in quotes.
pub fn quoted_word(value: &str) -> String {
    let mut word = String::with_capacity(value.len() + 2);
    word.push('"');
    for c in value.chars() {
        if matches!(c, '"' | '\\') {
            word.push('\\');
        }
        word.push(c);
    }
    word.push('"');
    word
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
        let (key, value) = word(r#""a=b"c=d=e"#).split_option().expect("it has an equals sign");
        assert_eq!((key.raw, value.raw, value.start), (r#""a=b"c"#, "d=e", 7));
        assert!(word(r#""a=b""#).split_option().is_none());
    }

    #[test]
    fn quoting_is_undone_by_value() {
        for value in ["", "a", "a b", "'x", "a\\b", "a\"b", "#", "x#y", "{", "\u{feff}", "é\n"] {
            let written = quoted_if_needed(value);
            assert_eq!(word(&written).value(), value);
        }
    }
}
