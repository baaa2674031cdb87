//! Parses a large text with two threads.
//!
//! The second thread begins at a line that starts with a letter, on the guess that this line stands
//! between two top-level entries. The first thread proves the guess or refutes it: if its half ends
//! between two entries and without an error, the second half was parsed from the right state. If
//! not, both results are thrown away and the text is parsed by one thread.

use std::ops::Range;

use super::parse::{ParsedPart, parse_part};
use super::sink::Sink;
use crate::text::Diagnostics;

/// The size in bytes from which a text is parsed by two threads; for a smaller one the second thread
/// costs more than it saves.
pub const WORTH_A_THREAD: usize = 1 << 20;

/// Parses a text: in two halves if the text is large and the guess of the cut is right, else as a whole.
/// `sink` makes the sink for a part, of which it gets the length in bytes.
pub(super) fn parse<'t, S: Sink<'t> + Send>(
    text: &'t str,
    sink: &(impl Fn(usize) -> S + Sync),
) -> (S, Diagnostics) {
    let ParsedPart { sink, diagnostics, .. } =
        parse_halves(text, sink).unwrap_or_else(|| parse_part(text, 0..text.len(), sink(text.len())));
    (sink, diagnostics)
}

/// Parses a text in two halves; `None` if it is too small, or if the guess was wrong.
fn parse_halves<'t, S: Sink<'t> + Send>(
    text: &'t str,
    sink: &(impl Fn(usize) -> S + Sync),
) -> Option<ParsedPart<S>> {
    let middle = text.len().checked_sub(WORTH_A_THREAD).and_then(|_| guess_middle(text))?;
    let half = |part: Range<usize>| parse_part(text, part.clone(), sink(part.len()));
    let (first, second) = std::thread::scope(|scope| {
        let second = std::thread::Builder::new().spawn_scoped(scope, || half(middle..text.len())).ok()?;
        let first = half(0..middle);
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

fn joined<'t, S: Sink<'t>>(mut first: ParsedPart<S>, second: ParsedPart<S>) -> ParsedPart<S> {
    first.sink.append(second.sink);
    first.diagnostics.extend(&second.diagnostics);
    first
}

#[cfg(test)]
mod tests {
    use super::super::index::Indexer;
    use super::*;

    fn large(entry: &str) -> String {
        entry.repeat(WORTH_A_THREAD / entry.len() + 2)
    }

    #[test]
    fn two_halves_make_the_index_of_the_whole() {
        for entry in ["stream a {\n  url u;\n}\n", "k 1\n  2;\nlive 'b; # c\n", "a { b; };\n"] {
            let text = large(entry);
            let halves = parse_halves(&text, &Indexer::new).expect("it can be parted");
            let whole = parse_part(&text, 0..text.len(), Indexer::new(text.len()));
            assert_eq!(halves.diagnostics, whole.diagnostics, "{entry}");
            let (halves, whole) = (halves.sink.into_records(), whole.sink.into_records());
            let all = 0..whole.len();
            assert!(halves.iter(all.clone()).eq(whole.iter(all)), "{entry}");
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
            assert!(parse_halves(&text, &Indexer::new).is_none());
        }
    }
}
