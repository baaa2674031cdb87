//! Keeps control characters from the terminal.
//!
//! Names, comments, messages of servers and the output of hooks may hold any character. A terminal
//! obeys some of them: it moves the cursor, changes its title, or reverses the order of letters. A pipe
//! gets the bytes as they are.

use std::io::{self, Write};

use mediaconf::printable;

/// A writer that sanitizes. A character that two writes cut apart is put together again.
#[derive(Debug)]
pub struct Sanitizer<W: Write> {
    inner: W,
    /// The bytes of a character that is not complete yet.
    incomplete: Vec<u8>,
}

impl<W: Write> Sanitizer<W> {
    /// Writes to `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, incomplete: Vec::new() }
    }

    fn write_sanitized(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())
    }
}

impl<W: Write> Write for Sanitizer<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let joined = [&self.incomplete, piece].concat();
        let (complete, incomplete) = joined.split_at(complete_length(&joined));
        self.write_sanitized(complete)?;
        self.incomplete = incomplete.to_vec();
        Ok(piece.len())
    }

    /// Incomplete bytes are not flushed: they are written with the next ones, or at the end.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Write> Drop for Sanitizer<W> {
    fn drop(&mut self) {
        let incomplete = std::mem::take(&mut self.incomplete);
        // The terminal may be closed already.
        let _ = self.write_sanitized(&incomplete).and_then(|()| self.inner.flush());
    }
}

/// Returns the number of bytes before the possible first part of a character, or of a CRLF.
fn complete_length(bytes: &[u8]) -> usize {
    if bytes.ends_with(b"\r") {
        return bytes.len() - 1;
    }
    match bytes.utf8_chunks().last() {
        // At most three of the four bytes of a character can be there; four or more are invalid.
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
            let mut writer = Sanitizer::new(&mut written);
            text.as_bytes().iter().for_each(|byte| writer.write_all(&[*byte]).expect("there is room"));
            drop(writer);
            assert_eq!(String::from_utf8(written).expect("it is text"), shown, "{text:?}");
        }
    }
}
