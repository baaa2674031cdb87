//! What reaches a terminal: no control character that is not ours. A pipe gets the bytes.

use std::io::{self, Write};

pub use crate::syntax::{controls_terminal, one_line, printable};

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
    }
}
