//! What reaches a terminal: no control character that is not ours.
//!
//! Names, comments, messages of other servers and the output of hooks may hold anything. A terminal obeys
//! some of it: it moves the cursor, changes its title, turns the order of letters. A pipe gets the bytes.

use std::borrow::Cow;
use std::io::{self, Write};

/// What stands in place of a character that a terminal would obey.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Whether a terminal obeys this character: a control character, or one that turns the order of letters.
pub fn is_obeyed(letter: char) -> bool {
    let is_layout = matches!(letter, '\n' | '\t');
    let turns = matches!(letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (letter.is_control() && !is_layout) || turns
}

/// A text without what a terminal would obey; line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.chars().map(|letter| if is_obeyed(letter) { REPLACEMENT } else { letter }).collect())
}

/// The same on one line: line ends and tabs are blanks.
pub fn one_line(text: &str) -> String {
    printable(&text.replace(['\n', '\r', '\t'], " ")).into_owned()
}

/// Writes what is [`printable`]; a character that was cut in two waits for its other half.
#[derive(Debug)]
pub struct Printable<W: Write> {
    inner: W,
    cut: Vec<u8>,
}

impl<W: Write> Printable<W> {
    /// Writes to `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, cut: Vec::new() }
    }

    /// Writes what waits: nothing comes that it could belong to.
    fn finish(&mut self) -> io::Result<()> {
        let cut = std::mem::take(&mut self.cut);
        self.inner.write_all(printable(&String::from_utf8_lossy(&cut)).as_bytes())?;
        self.inner.flush()
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let joined = [&self.cut, piece].concat();
        let whole = whole_characters(&joined);
        self.inner.write_all(printable(&String::from_utf8_lossy(&joined[..whole])).as_bytes())?;
        self.cut = joined[whole..].to_vec();
        Ok(piece.len())
    }

    /// What waits goes out with the next bytes, or with the end of all output.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Write> Drop for Printable<W> {
    fn drop(&mut self) {
        // The terminal may be closed already.
        let _ = self.finish();
    }
}

/// How many bytes come before what may be the first part of a character, or of a line end of two bytes.
fn whole_characters(bytes: &[u8]) -> usize {
    if bytes.ends_with(b"\r") {
        return bytes.len() - 1;
    }
    match bytes.utf8_chunks().last() {
        // Of four bytes at most three can be there; more is no character.
        Some(last) if last.invalid().len() < 4 && bytes.ends_with(last.invalid()) => {
            let is_start = last.invalid().first().is_some_and(|byte| *byte >= 0xc2);
            if is_start { bytes.len() - last.invalid().len() } else { bytes.len() }
        }
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_reaches_a_terminal() {
        for (text, shown) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("a\u{1b}]0;x\u{7}b", "a\u{fffd}]0;x\u{fffd}b"),
            ("\u{7f}\u{9b}31m\r", "\u{fffd}\u{fffd}31m\u{fffd}"),
            ("one\r\ntwo\r\n\u{1b}", "one\ntwo\n\u{fffd}"),
            ("\u{202e}abc\u{2066}\u{200f}\u{61c}", "\u{fffd}abc\u{fffd}\u{fffd}\u{fffd}"),
            ("größe 日本 👍🏽", "größe 日本 👍🏽"),
        ] {
            assert_eq!(printable(text), shown);
            let mut written = Vec::new();
            let mut writer = Printable::new(&mut written);
            text.as_bytes().iter().for_each(|byte| writer.write_all(&[*byte]).expect("there is room"));
            drop(writer);
            assert_eq!(String::from_utf8(written).expect("it is text"), shown, "{text:?}");
        }
        assert_eq!(one_line("a\nb\tc\u{1b}"), "a b c\u{fffd}");
    }
}
