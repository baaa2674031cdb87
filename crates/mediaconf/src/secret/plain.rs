//! Texts as they are meant: without quotes, without the escapes of URLs and of JSON. Each byte knows where it stood.

use std::ops::Range;

use memchr::memchr2;

/// A text without its quotes, or without its escapes.
#[derive(Default)]
pub struct Plain {
    pub text: String,
    /// For each byte, the place of its character in the text as it is written.
    places: Vec<(usize, usize)>,
}

impl Plain {
    /// The value of a word. Of a line with several words, or with a quote that is not closed, the text without quotes.
    pub fn unquoted(raw: &str) -> Self {
        let mut plain = Self::default();
        let mut is_quoted = false;
        let mut chars = raw.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let escapes = is_quoted && c == '\\';
            match chars.next_if(|(_, next)| escapes && matches!(next, '\\' | '"')) {
                Some((_, meant)) => plain.push(meant, at, 2),
                None if c == '"' => is_quoted = !is_quoted,
                None => plain.push(c, at, c.len_utf8()),
            }
        }
        plain
    }

    /// `None` for a text without escapes.
    pub fn unescaped(escaped: &str) -> Option<Self> {
        memchr2(b'%', b'\\', escaped.as_bytes())?;
        let mut plain = Self::default();
        let (mut at, mut is_escaped) = (0, false);
        while let Some(c) = escaped[at..].chars().next() {
            let meant = of_url(&escaped[at..]).or_else(|| of_json(&escaped[at..]));
            let (c, length) = meant.unwrap_or((c, c.len_utf8()));
            plain.push(c, at, length);
            (at, is_escaped) = (at + length, is_escaped || meant.is_some());
        }
        is_escaped.then_some(plain)
    }

    fn push(&mut self, c: char, at: usize, length: usize) {
        self.text.push(c);
        self.places.resize(self.text.len(), (at, at + length));
    }

    /// Returns the place of a part of the text, which is not empty, in the one as it is written.
    pub fn place_of(&self, part: &Range<usize>) -> Range<usize> {
        self.places[part.start].0..self.places[part.end - 1].1
    }

    /// Returns the place of a part of the value of a word, with the quotes around it, if they hold nothing else. A mask in
    /// its place leaves it one word: where one of two quotes stands in the part, the place holds the other one, too.
    pub fn place_in_word(&self, raw: &str, part: &Range<usize>) -> Range<usize> {
        let Range { start, end } = self.place_of(part);
        let quotes_in = |text: &str| text.matches('"').count();
        let is_even = (quotes_in(&raw[start..end]) - quotes_in(&self.text[part.clone()])) % 2 == 0;
        let is_behind_quote = start > part.start.checked_sub(1).map_or(0, |last| self.places[last].1);
        match (is_even, is_behind_quote, raw[end..].starts_with('"')) {
            (true, true, true) => start - 1..end + 1,
            (true, _, _) => start..end,
            (false, true, _) => start - 1..end,
            (false, _, true) => start..end + 1,
            (false, false, false) => 0..raw.len(),
        }
    }
}

/// The character that `%XX` and those behind it begin with, and their length.
fn of_url(text: &str) -> Option<(char, usize)> {
    let escapes = text.as_bytes().chunks_exact(3).take(4);
    let bytes = escapes.map_while(|escape| {
        let digits = std::str::from_utf8(escape.strip_prefix(b"%")?).ok()?;
        digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
    });
    let bytes: Vec<u8> = bytes.collect();
    let meant = bytes.utf8_chunks().next()?.valid().chars().next()?;
    Some((meant, 3 * meant.len_utf8()))
}

/// The character that `\"`, `\u00e9` and the like mean, and their length.
fn of_json(text: &str) -> Option<(char, usize)> {
    let escape = text.strip_prefix('\\')?;
    match escape.chars().next()? {
        meant @ ('"' | '\\' | '/' | '\'') => Some((meant, 2)),
        'u' => Some((char::from_u32(u32::from_str_radix(escape.get(1..5)?, 16).ok()?)?, 6)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_and_keep_their_places() {
        for (text, meant) in [
            ("a%20b", Some("a b")),
            ("%c3%A9%ff%41%", Some("\u{e9}%ffA%")),
            (r#"p\"w\\ \u00e9\n"#, Some("p\"w\\ \u{e9}\\n")),
            ("100 % and C:\\x", None),
            ("%4", None),
            ("\\u12\u{e9}", None),
            ("", None),
        ] {
            let plain = Plain::unescaped(text);
            assert_eq!(plain.as_ref().map(|plain| plain.text.as_str()), meant, "{text}");
            if let Some(plain) = plain {
                assert_eq!(plain.place_of(&(0..plain.text.len())), 0..text.len());
            }
        }
        let plain = Plain::unescaped("x%20\u{e9}%41z").expect("it has escapes");
        assert_eq!(plain.place_of(&(2..5)), 4..9);
    }

    #[test]
    fn the_place_in_a_word_leaves_it_one_word() {
        for (raw, value, place) in [
            (r#""a b""#, "a b", r#""a b""#),
            (r#"x="a b""#, "a b", r#""a b""#),
            (r#"x=a"b c"d"#, "ab cd", r#"a"b c"d"#),
            (r#""x=a"b"#, "ab", r#""x=a"b"#),
            (r#""{\"p\":\"K\"}""#, "K", "K"),
            (r#""x=a\\b""#, "a\\b", "a\\\\b"),
        ] {
            let plain = Plain::unquoted(raw);
            let start = plain.text.find(value).expect(raw);
            let found = plain.place_in_word(raw, &(start..start + value.len()));
            assert_eq!(&raw[found], place, "{raw}");
        }
    }
}
