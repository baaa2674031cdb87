//! A word of an entry: its raw bytes, its value, and how a value is written as a word.

use std::borrow::Cow;

use super::diagnostic::Span;

/// One word as it stands in the text, quotes and escapes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    /// The bytes of the text.
    pub raw: &'t str,
    /// Where they start, in bytes.
    pub start: u32,
    /// Whether any part of it is quoted.
    pub quoted: bool,
}

impl<'t> Word<'t> {
    /// A word that is one already, quotes included.
    pub fn new(raw: &'t str, start: u32) -> Self {
        Self { raw, start, quoted: raw.as_bytes().contains(&b'"') }
    }

    /// The bytes this word takes in the text.
    pub fn span(&self) -> Span {
        self.start..self.end()
    }

    /// The offset behind its last byte.
    pub fn end(&self) -> u32 {
        self.start + self.raw.len() as u32
    }

    /// Whether any part of it is quoted.
    pub fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// What the word means: quotes taken off, `\\` and `\"` resolved.
    #[inline]
    pub fn value(&self) -> Cow<'t, str> {
        if self.quoted { unquoted(self.raw) } else { Cow::Borrowed(self.raw) }
    }

    /// Splits the word at its first `=` outside quotes.
    pub fn split_option(&self) -> Option<(Word<'t>, Word<'t>)> {
        let bytes = self.raw.as_bytes();
        let at = if self.quoted { outside_quotes(bytes) } else { memchr::memchr(b'=', bytes) }?;
        let part = |raw: &'t str, start| match self.quoted {
            true => Word::new(raw, start),
            false => Word { raw, start, quoted: false },
        };
        let (key, value) = (&self.raw[..at], &self.raw[at + 1..]);
        Some((part(key, self.start), part(value, self.start + at as u32 + 1)))
    }
}

fn outside_quotes(bytes: &[u8]) -> Option<usize> {
    let mut quoted = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'=' if !quoted => return Some(at),
            b'"' => quoted = !quoted,
            b'\\' if quoted => at += 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// What stands between the quotes, where they are the first and the last byte and escape nothing.
fn plainly_quoted(raw: &str) -> Option<&str> {
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    memchr::memchr2(b'"', b'\\', inside.as_bytes()).is_none().then_some(inside)
}

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

/// Whether `value` must stand in quotes to be read back as one word with this value.
pub fn needs_quotes(value: &str) -> bool {
    value.is_empty()
        || value.starts_with(['\'', '\u{feff}'])
        || value.bytes().any(|byte| {
            matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'#' | b'"' | b'\\' | b'{' | b'}')
        })
}

/// `value` as a word, quoted only where it has to be.
pub fn quoted_if_needed(value: &str) -> Cow<'_, str> {
    if needs_quotes(value) { Cow::Owned(quoted_word(value)) } else { Cow::Borrowed(value) }
}

/// `value` as a word in quotes.
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
