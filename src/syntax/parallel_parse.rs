//! Parses a large text with two threads.
//!
//! The second thread begins at a line that starts with a letter, on the guess that this line stands
//! between two top-level entries. The first thread proves the guess or refutes it: if its half ends
//! between two entries and without an error, the second half was parsed from the right state. If
//! not, both results are thrown away and the text is parsed by one thread.

use super::index::{EntryId, EntryRecords, Index};
use super::parse::{PartialIndex, parse_part};

/// The size in bytes from which a text is parsed by two threads; for a smaller one the second thread
/// costs more than it saves.
pub const WORTH_A_THREAD: usize = 1 << 20;

/// Parses a text in two halves; `None` if it is too small, or if the guess was wrong.
pub(super) fn parse_halves(text: &str) -> Option<Index> {
    let middle = text.len().checked_sub(WORTH_A_THREAD).and_then(|_| guess_middle(text))?;
    let (first, second) = std::thread::scope(|scope| {
        let second =
            std::thread::Builder::new().spawn_scoped(scope, || parse_part(text, middle..text.len())).ok()?;
        let first = parse_part(text, 0..middle);
        Some((first, second.join().ok()?))
    })?;
    let guessed_right = first.diagnostics.errors() == 0 && !first.ends_in_comment;
    guessed_right.then(|| joined(first, second))
}

/// The first line behind the middle of the text that starts with a letter.
fn guess_middle(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let half = bytes.len() / 2;
    memchr::memchr_iter(b'\n', &bytes[half..])
        .map(|newline| half + newline + 1)
        .find(|&line| bytes.get(line).is_some_and(u8::is_ascii_alphabetic))
}

fn joined(first: PartialIndex, second: PartialIndex) -> Index {
    let shift = first.records.len() as u32;
    let mut spanning = first.spanning;
    spanning.extend(second.spanning.iter().map(|id| EntryId(id.0 + shift)));
    let mut diagnostics = first.diagnostics;
    diagnostics.extend(&second.diagnostics);
    Index { records: EntryRecords::new(first.records, second.records), spanning, diagnostics }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_whole;
    use super::*;

    fn large(entry: &str) -> String {
        entry.repeat(WORTH_A_THREAD / entry.len() + 2)
    }

    #[test]
    fn two_halves_make_the_index_of_the_whole() {
        for entry in ["stream a {\n  url u;\n}\n", "k 1\n  2;\nlive 'b; # c\n", "a { b; };\n"] {
            let text = large(entry);
            let (halves, whole) = (parse_halves(&text).expect("it can be parted"), parse_whole(&text));
            let all = 0..whole.records.len();
            assert!(halves.records.iter(all.clone()).eq(whole.records.iter(all)), "{entry}");
            assert_eq!(halves.spanning, whole.spanning, "{entry}");
            assert_eq!(halves.diagnostics, whole.diagnostics, "{entry}");
        }
    }

    #[test]
    fn a_wrong_guess_is_found_out() {
        for text in [
            format!("k \"{}\";\n", large("text\n")),
            format!("block {{\n{}}}\n", large("inner 1;\n")),
            format!("}}{}", large("k 1;\n")),
            large("no line to part it at; "),
        ] {
            assert!(parse_halves(&text).is_none());
        }
    }
}
