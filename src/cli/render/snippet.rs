//! A diagnostic with its place in the source: the line, and a caret under it.

use std::ops::Range;

use mediaconf::{Document, LineIndex, Position, Span, Splice, controls_terminal};
use unicode_width::UnicodeWidthChar;

/// The number of characters of a line that are shown on each side of the problem.
const CONTEXT: usize = 100;

/// The source line that a diagnostic points to, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// Line and column of the first character.
    pub position: Position,
    /// The line: clipped, and without the characters that a terminal obeys.
    pub line: String,
    /// Blanks and tabs up to the problem, then carets under it.
    pub caret: String,
}

/// A function that finds the secrets in a range of the text, each with its replacement, which has no line ends.
pub type Redact<'r> = &'r dyn Fn(Range<usize>) -> Vec<Splice>;

impl Snippet {
    /// Returns the line of `span` in `document`.
    pub fn new(span: &Span, document: &Document, lines: &LineIndex<'_>, redact: Redact<'_>) -> Self {
        let position = lines.position(span.start);
        let line = around(document.text(), lines.line_range(position.line), span.start as usize);
        let characters = characters(document.text(), line.clone(), span, &redact(line));
        let (line, caret) = clipped(&characters);
        Self { position, line, caret }
    }
}

/// The part of a line that can be shown, and a little more, so that a line of megabytes is never
/// walked along as a whole.
fn around(text: &str, line: Range<usize>, offset: usize) -> Range<usize> {
    const BYTES: usize = (CONTEXT + 2) * 4;
    let start = offset.saturating_sub(BYTES).max(line.start).min(line.end);
    let end = (offset + BYTES).min(line.end).max(start);
    text.floor_char_boundary(start)..text.floor_char_boundary(end)
}

/// The characters of a line as they are shown, each with whether `span` covers it.
fn characters(text: &str, line: Range<usize>, span: &Span, redacted: &[Splice]) -> Vec<(char, bool)> {
    let (start, end) = (span.start as usize, (span.end as usize).max(span.start as usize + 1));
    let is_marked = |range: &Range<usize>| range.start < end && range.end > start;
    let mut shown = Vec::new();
    let mut offset = line.start;
    while offset < line.end {
        let is_here = |splice: &&Splice| splice.range.start == offset && !splice.range.is_empty();
        if let Some(Splice { range, text }) = redacted.iter().find(is_here) {
            shown.extend(text.chars().map(|c| (c, is_marked(range))));
            offset = range.end.min(line.end);
            continue;
        }
        let Some(c) = text[offset..].chars().next() else { break };
        let range = offset..offset + c.len_utf8();
        if c != '\u{feff}' {
            shown.push((c, is_marked(&range)));
        }
        offset = range.end;
    }
    for (c, _) in &mut shown {
        if controls_terminal(*c) {
            *c = char::REPLACEMENT_CHARACTER;
        }
    }
    shown
}

/// The characters around the first marked one, and the carets under those that are marked.
fn clipped(characters: &[(char, bool)]) -> (String, String) {
    let first = characters.iter().position(|&(_, is_marked)| is_marked).unwrap_or(characters.len());
    let (start, end) = (first.saturating_sub(CONTEXT), (first + CONTEXT).min(characters.len()));
    let width = |c: char| c.width().unwrap_or(1);
    let (mut line, mut caret) = (String::new(), String::new());
    if start > 0 {
        line.push('…');
        caret.push(' ');
    }
    for &(c, _) in &characters[start..first] {
        line.push(c);
        match c {
            '\t' => caret.push('\t'),
            _ => caret.push_str(&" ".repeat(width(c))),
        }
    }
    for &(c, is_marked) in &characters[first..end] {
        line.push(c);
        if is_marked {
            caret.push_str(&"^".repeat(width(c).max(1)));
        }
    }
    if end < characters.len() {
        line.push('…');
    }
    if !caret.ends_with('^') {
        caret.push('^');
    }
    (line, caret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(text: &str, span: Span) -> (String, String) {
        let document = Document::parse(text.to_owned());
        let lines = LineIndex::new(document.text());
        let snippet = Snippet::new(&span, &document, &lines, &|_| Vec::new());
        (snippet.line, snippet.caret)
    }

    #[test]
    fn caret_stands_under_the_fault_behind_tabs_and_wide_characters() {
        for (text, span, caret) in [
            ("\ta b;", 3..4, "\t  ^"),
            ("日本 x;", 7..8, "     ^"),
            ("ab", 2..2, "  ^"),
            ("", 0..0, "^"),
            ("\u{feff}ab;", 3..5, "^^"),
            ("e\u{301}x;", 3..4, " ^"),
        ] {
            assert_eq!(snippet(text, span).1, caret, "{text}");
        }
    }

    #[test]
    fn long_lines_are_clipped_and_control_characters_are_not_printed() {
        let (text, caret) = snippet(&format!("{}\u{1b}x{};", "a".repeat(5000), "b".repeat(5000)), 5001..5002);
        assert!(text.chars().count() < 210 && text.starts_with('…') && text.ends_with('…'));
        assert!(!text.contains('\u{1b}'));
        assert_eq!(caret.chars().count(), 102);
    }
}
