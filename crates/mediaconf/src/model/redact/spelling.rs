//! Reads a text as it was meant by who encoded it: without the escapes of URLs and of JSON, and without base64.

use std::ops::Range;

use memchr::memchr2;

use super::within::from_base64;

/// Shorter words of base64 hold no secret that is looked for.
const SHORTEST_BASE64: usize = 6;

/// A text without its escapes.
pub struct Unescaped {
    pub text: String,
    /// The place of each byte, and of the end, in the text with the escapes.
    places: Vec<usize>,
}

impl Unescaped {
    /// `None` for a text without escapes.
    pub fn parse(escaped: &str) -> Option<Self> {
        let mut plain = Self { text: String::new(), places: Vec::new() };
        let (mut at, mut is_escaped) = (0, false);
        while let Some(found) = memchr2(b'%', b'\\', &escaped.as_bytes()[at..]) {
            plain.push(&escaped[at..at + found], at, 1);
            at += found;
            let rest = &escaped[at..];
            let (meant, length) = of_url(rest).or_else(|| of_json(rest)).unwrap_or_else(|| {
                let mark = if rest.starts_with('%') { '%' } else { '\\' };
                (mark, 1)
            });
            is_escaped |= length > 1;
            plain.push(meant.encode_utf8(&mut [0; 4]), at, 0);
            at += length;
        }
        plain.push(&escaped[at..], at, 1);
        plain.places.push(escaped.len());
        is_escaped.then_some(plain)
    }

    /// Returns the place of a part of the text in the one with the escapes.
    pub fn place_of(&self, part: &Range<usize>) -> Range<usize> {
        self.places[part.start]..self.places[part.end]
    }

    /// Adds the part that stands at an offset; each of its bytes is `step` bytes after the one before.
    fn push(&mut self, part: &str, offset: usize, step: usize) {
        self.text.push_str(part);
        self.places.extend((0..part.len()).map(|byte| offset + step * byte));
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

/// The words of a text that may be base64, of either alphabet, with what they mean.
pub fn base64_words(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    ["+/", "-_"].into_iter().flat_map(move |marks| {
        let is_other = move |c: char| !c.is_ascii_alphanumeric() && !marks.contains(c);
        let words = text.split(is_other).filter(|word| word.len() >= SHORTEST_BASE64);
        words.filter_map(move |word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let rest = &text[start + word.len()..];
            let padding = rest.len() - rest.trim_start_matches('=').len();
            Some((start..start + word.len() + padding, from_base64(word)?))
        })
    })
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
            let plain = Unescaped::parse(text);
            assert_eq!(plain.as_ref().map(|plain| plain.text.as_str()), meant, "{text}");
            if let Some(plain) = plain {
                assert_eq!(plain.place_of(&(0..plain.text.len())), 0..text.len());
            }
        }
        let plain = Unescaped::parse("x%20\u{e9}%41z").expect("it has escapes");
        assert_eq!(plain.place_of(&(2..5)), 4..9);
    }

    #[test]
    fn base64_is_found_with_its_padding() {
        let text = "sent /live/YWRtaW46cHc= and ID-YWRtaW46cHc8Pz8_ here";
        let found: Vec<_> = base64_words(text).map(|(place, meant)| (&text[place], meant)).collect();
        assert!(found.contains(&("YWRtaW46cHc=", "admin:pw".to_owned())), "{found:?}");
        assert_eq!(base64_words("a text without any").count(), 0);
    }
}
