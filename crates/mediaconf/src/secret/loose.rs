//! Finds secrets in text that is not parsed: comments, messages, and the lines of a text with errors.

use std::ops::Range;

use super::forms::{prose_parts, word_parts};
use super::names::{Secrecy, WordReader, is_account, is_name_byte, is_secret_name};
use super::plain::Plain;

/// Names that are words of plain English too: in a comment they count only where a directive has them.
const ORDINARY: [&str; 14] = [
    "pass",
    "passcode",
    "pin",
    "key",
    "token",
    "tokens",
    "iv",
    "license",
    "credential",
    "credentials",
    "bearer",
    "signature",
    "hmac",
    "cookie",
];

/// The characters between two words.
const BLANKS: [char; 5] = [' ', '\t', '\r', '\n', '#'];

/// The characters that end a directive.
const ENDS: [char; 3] = [';', '{', '}'];

/// Finds the secrets in a comment, which may be a directive that was commented out.
pub fn in_comment(comment: &str, start: usize, spans: &mut Vec<Range<usize>>) {
    let counts = |clause: &str, place: usize, name: &str| {
        clause.ends_with(ENDS) || place == 0 || is_unmistakable(name)
    };
    Loose::new(comment, start, spans).clauses(counts);
}

/// Finds the secrets in the directives that a message quotes.
pub fn in_directives(message: &str, spans: &mut Vec<Range<usize>>) {
    for line in message.lines().filter(|line| line.contains(ENDS)) {
        let start = line.as_ptr() as usize - message.as_ptr() as usize;
        Loose::new(line, start, spans).clauses(|clause, _, _| clause.ends_with(ENDS));
    }
}

/// Finds the secrets in `windows` of a text with errors, where it is unclear which words belong to a
/// directive: all words behind the name of a secret count, to the end of the line and of the directive.
pub fn in_broken_lines(text: &str, windows: &[Range<usize>], spans: &mut Vec<Range<usize>>) {
    let Some(end) = windows.last().map(|window| window.end) else { return };
    let mut windows = windows.iter().peekable();
    let (mut directive, mut start) = (Secrecy::Parts, 0);
    for line in text[..end].split_inclusive('\n') {
        while windows.next_if(|window| window.end <= start).is_some() {}
        let is_shown = windows.peek().is_some_and(|window| window.start < start + line.len());
        let mut found = Vec::new();
        directive = Loose::new(line, start, &mut found).broken_line(directive);
        if is_shown {
            spans.append(&mut found);
        }
        start += line.len();
    }
}

/// A line whose words are looked at without its quotes, wherever they stand.
struct Loose<'s> {
    plain: Plain,
    start: usize,
    spans: &'s mut Vec<Range<usize>>,
}

impl<'s> Loose<'s> {
    /// Finds first what is secret by its form, with the quotes and without them.
    fn new(line: &str, start: usize, spans: &'s mut Vec<Range<usize>>) -> Self {
        spans.extend(prose_parts(line).into_iter().map(|part| start + part.start..start + part.end));
        let mut loose = Self { plain: Plain::unquoted(line), start, spans };
        let text = if has_quoted_name(line) { loose.plain.text.clone() } else { String::new() };
        for clause in text.split(ENDS) {
            let at = clause.as_ptr() as usize - text.as_ptr() as usize;
            let parts = prose_parts(clause).into_iter();
            parts.for_each(|part| loose.mark(at + part.start..at + part.end));
        }
        loose
    }

    /// Finds the secrets in each directive; `counts` says whether a word, by its clause, its place there and the name that
    /// it begins with, may name a secret.
    fn clauses(&mut self, counts: impl Fn(&str, usize, &str) -> bool) {
        let text = std::mem::take(&mut self.plain.text);
        for clause in text.split_inclusive(ENDS) {
            let mut reader = WordReader::new(Secrecy::Parts);
            for (place, word) in words(clause).enumerate() {
                let (name, secrecy) = (leading_name(word), reader.secrecy);
                if counts(clause, place, name) || reader.is_completed_by(name) {
                    reader.next(name);
                }
                self.word(&text, word, [secrecy, reader.secrecy]);
            }
        }
    }

    /// Finds the secrets in a line of a broken text. `directive` is the secrecy that the directive continued here has
    /// reached; returns the secrecy at the end of the line.
    fn broken_line(&mut self, directive: Secrecy) -> Secrecy {
        let text = std::mem::take(&mut self.plain.text);
        let [mut so_far, mut directive] = [WordReader::new(directive); 2];
        for clause in text.split_inclusive(ENDS) {
            for word in words(clause) {
                let name = leading_name(word);
                let secrecy = so_far.next(name);
                self.word(&text, word, [secrecy, so_far.secrecy]);
                directive.next(name);
            }
            if clause.ends_with(ENDS) {
                directive = WordReader::new(Secrecy::Parts);
            }
        }
        directive.secrecy
    }

    /// Marks the secret parts of a word, and what follows the name of a secret in it: `"password":"…"`.
    fn word(&mut self, text: &str, word: &str, [secrecy, behind]: [Secrecy; 2]) {
        let (shown, secrecy) = match (secrecy, behind) {
            (Secrecy::Parts | Secrecy::Push, Secrecy::Whole) => {
                (value_behind(leading_name(word), word), Secrecy::Whole)
            }
            // The line was looked at as a whole.
            (Secrecy::Parts, _) => return,
            _ => (word, secrecy),
        };
        let at = shown.as_ptr() as usize - text.as_ptr() as usize;
        word_parts(shown, secrecy).into_iter().for_each(|part| self.mark(at + part.start..at + part.end));
    }

    fn mark(&mut self, part: Range<usize>) {
        let place = self.plain.place_of(&part);
        self.spans.push(self.start + place.start..self.start + place.end);
    }
}

/// True if quotes stand in a name or behind it: `to"ken"=…`. JSON has none.
fn has_quoted_name(line: &str) -> bool {
    let is_inside = |around: &[u8]| {
        around[1] == b'"' && is_name_byte(around[0]) && (around[2] == b'=' || is_name_byte(around[2]))
    };
    line.as_bytes().windows(3).any(is_inside)
}

/// What follows the name of a secret in the same word.
fn value_behind<'w>(name: &str, word: &'w str) -> &'w str {
    let at = name.as_ptr() as usize - word.as_ptr() as usize + name.len();
    word[at..].trim_start_matches(['=', ':', '\'', '>', ','])
}

/// True if a word in a comment names a secret wherever it stands.
fn is_unmistakable(name: &str) -> bool {
    let is_ordinary = ORDINARY.iter().any(|ordinary| name.eq_ignore_ascii_case(ordinary));
    is_account(name) || (is_secret_name(name) && !is_ordinary)
}

/// The name that a word begins with, behind any quotes or brackets.
fn leading_name(word: &str) -> &str {
    let is_mark = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let word = word.trim_start_matches(is_mark);
    let len = word.bytes().take_while(|byte| is_name_byte(*byte)).count();
    word[..len].trim_end_matches('.')
}

fn words(clause: &str) -> impl Iterator<Item = &str> {
    clause.trim_end_matches(ENDS).split(BLANKS).filter(|word| !word.is_empty())
}
