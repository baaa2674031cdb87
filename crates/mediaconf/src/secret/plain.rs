//! Texts as they are meant: without quotes, without the escapes of URLs and of JSON. Each byte knows where it stood.

use std::ops::Range;

use memchr::memchr2;

/// A text without its quotes, or without its escapes.
#[derive(Default)]
pub struct Plain {
    pub text: String,
    /// The start and the end of each byte in the text as it is written.
    places: Vec<[usize; 2]>,
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
                Some((place, _)) => plain.push_char(&raw[place..=place], at..place + 1),
                None if c == '"' => is_quoted = !is_quoted,
                None => plain.push(&raw[at..at + c.len_utf8()], at),
            }
        }
        plain
    }

    /// `None` for a text without escapes.
    pub fn unescaped(escaped: &str) -> Option<Self> {
        let mut plain = Self::default();
        let (mut at, mut is_escaped) = (0, false);
        while let Some(found) = memchr2(b'%', b'\\', &escaped.as_bytes()[at..]) {
            plain.push(&escaped[at..at + found], at);
            at += found;
            let rest = &escaped[at..];
            match of_url(rest).or_else(|| of_json(rest)) {
                Some((meant, length)) => {
                    plain.push_char(meant.encode_utf8(&mut [0; 4]), at..at + length);
                    (at, is_escaped) = (at + length, true);
                }
                None => {
                    plain.push(&rest[..1], at);
                    at += 1;
                }
            }
        }
        plain.push(&escaped[at..], at);
        is_escaped.then_some(plain)
    }

    /// Returns the place of a part of the text, which is not empty, in the one as it is written.
    pub fn place_of(&self, part: &Range<usize>) -> Range<usize> {
        self.places[part.start][0]..self.places[part.end - 1][1]
    }

    /// Returns the places of a part of the value of a word. A quote that is not of the part stays outside of them, so that
    /// the word stays one when masks stand in their place: the value `ab` of `x="a"b` has two places.
    pub fn places_in_word(&self, raw: &str, part: &Range<usize>) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::new();
        for run in self.places[part.clone()].chunk_by(|[_, end], [next, _]| end == next) {
            let (first, last) = (run[0], run[run.len() - 1]);
            let place = self.with_quotes(raw, first[0]..last[1]);
            match places.last_mut() {
                Some(last) if last.end == place.start => last.end = place.end,
                _ => places.push(place),
            }
        }
        places
    }

    /// The place with the quotes around it, if they hold nothing else.
    fn with_quotes(&self, raw: &str, place: Range<usize>) -> Range<usize> {
        let is_quote = |at: usize| {
            let is_value = self.places.binary_search_by(|[start, end]| match () {
                () if *end <= at => std::cmp::Ordering::Less,
                () if *start > at => std::cmp::Ordering::Greater,
                () => std::cmp::Ordering::Equal,
            });
            raw.as_bytes().get(at) == Some(&b'"') && is_value.is_err()
        };
        match place.start.checked_sub(1).filter(|at| is_quote(*at) && is_quote(place.end)) {
            Some(start) => start..place.end + 1,
            None => place,
        }
    }

    fn push(&mut self, part: &str, offset: usize) {
        self.text.push_str(part);
        self.places.extend((offset..offset + part.len()).map(|at| [at, at + 1]));
    }

    fn push_char(&mut self, meant: &str, place: Range<usize>) {
        self.text.push_str(meant);
        self.places.extend(meant.bytes().map(|_| [place.start, place.end]));
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
        'u' => {
            let digits = escape.get(1..5)?;
            let meant = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((meant, 6))
        }
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
    fn the_places_in_a_word_leave_it_one_word() {
        for (raw, value, places) in [
            (r#""a b""#, "a b", &[r#""a b""#][..]),
            (r#"x="a b""#, "a b", &[r#""a b""#]),
            (r#"x=a"b c"d"#, "ab cd", &[r#"a"b c"d"#]),
            (r#""x=a"b"#, "ab", &["a", "b"]),
            (r#""{\"p\":\"K\"}""#, "K", &["K"]),
            (r#""x=a\\b""#, "a\\b", &["a\\\\b"]),
        ] {
            let plain = Plain::unquoted(raw);
            let start = plain.text.find(value).expect(raw);
            let found = plain.places_in_word(raw, &(start..start + value.len()));
            assert!(
                found.iter().map(|place| &raw[place.clone()]).eq(places.iter().copied()),
                "{raw}: {found:?}"
            );
        }
    }
}
