//! Finds secrets in text that is not parsed: comments, and the lines of a text with errors.

use std::ops::Range;

use crate::model::secret::{
    Secrecy, is_account, is_name_byte, is_secret_name, merged, prose_parts, word_parts,
};

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
    for clause in comment.split_inclusive(ENDS) {
        let is_directive = clause.ends_with(ENDS);
        let counts = |place: usize, name: &str| is_directive || place == 0 || is_unmistakable(name);
        in_clause(clause, start + offset(clause, comment), counts, spans);
    }
}

/// Finds the secrets in the directives that a message quotes.
pub fn in_directives(message: &str, spans: &mut Vec<Range<usize>>) {
    let clauses = message.lines().flat_map(|line| line.split_inclusive(ENDS));
    for clause in clauses.filter(|clause| clause.ends_with(ENDS)) {
        in_clause(clause, offset(clause, message), |_, _| true, spans);
    }
}

/// Finds the secrets in words up to the end of a directive; `counts` says whether a word, by its place and the name
/// that it begins with, may name a secret.
fn in_clause(
    clause: &str,
    start: usize,
    counts: impl Fn(usize, &str) -> bool,
    spans: &mut Vec<Range<usize>>,
) {
    let mut secrecy = Secrecy::Parts;
    for (place, word) in words(clause.trim_end_matches(ENDS)).enumerate() {
        mark(word, start + offset(word, clause), secrecy, spans);
        let name = leading_name(word);
        if counts(place, name) {
            secrecy = secrecy.behind(name);
        }
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
        directive = in_broken_line(line, start, directive, &mut found);
        if is_shown {
            spans.append(&mut found);
        }
        start += line.len();
    }
}

/// Finds the secrets in one line. `directive` is the secrecy that the directive continued here has
/// reached; returns the secrecy at the end of the line.
fn in_broken_line(
    line: &str,
    start: usize,
    mut directive: Secrecy,
    spans: &mut Vec<Range<usize>>,
) -> Secrecy {
    let mut so_far = directive;
    for clause in line.split_inclusive(ENDS) {
        for word in words(clause.trim_end_matches(ENDS)) {
            let (at, name) = (start + offset(word, line), leading_name(word));
            let behind = so_far.behind(name);
            if so_far != Secrecy::Whole && behind == Secrecy::Whole {
                mark_behind(name, word, at, spans);
            } else {
                mark(word, at, so_far, spans);
            }
            (so_far, directive) = (behind, directive.behind(name));
        }
        if clause.ends_with(ENDS) {
            directive = Secrecy::Parts;
        }
    }
    directive
}

/// Marks the secret parts of a word.
fn mark(word: &str, offset: usize, secrecy: Secrecy, spans: &mut Vec<Range<usize>>) {
    let parts = match secrecy {
        Secrecy::Parts => prose_parts(word),
        Secrecy::Push => merged([prose_parts(word), word_parts(word, secrecy)].concat()),
        Secrecy::Whole => word_parts(word, secrecy),
    };
    spans.extend(parts.into_iter().map(|part| offset + part.start..offset + part.end));
}

/// Marks what follows the name of a secret in the same word: `"password":"…"`.
fn mark_behind(name: &str, word: &str, start: usize, spans: &mut Vec<Range<usize>>) {
    let rest = &word[offset(name, word) + name.len()..];
    let value = rest.trim_start_matches(['=', ':', '"', '\'', '>', ',']);
    mark(value, start + offset(value, word), Secrecy::Whole, spans);
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
    clause.split(BLANKS).filter(|word| !word.is_empty())
}

/// The offset of `part` in `whole`, of which it is a slice.
fn offset(part: &str, whole: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}
