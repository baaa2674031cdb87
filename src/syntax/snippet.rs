//! A diagnostic with its place in the source: the line, and a caret under it.

use unicode_width::UnicodeWidthChar;

use super::diagnostic::{Diagnostic, Span};
use super::document::Document;
use super::line_index::{LineIndex, Position};
use super::printable::controls_terminal;

/// How many characters of a line are shown on each side of the fault.
const CONTEXT: usize = 100;

/// Where a diagnostic points, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// Line and column of its first character.
    pub position: Position,
    /// The line, and the caret below it.
    pub source: SourceLine,
}

/// One source line, safe to print: clipped, control characters replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The text of the line.
    pub text: String,
    /// Blanks and tabs that put what follows under the fault, then the carets.
    pub caret: String,
}

/// A function that takes the secrets out of a range of the text.
///
/// It gets the whole line, and must keep the number of lines.
pub type Redact<'r> = &'r dyn Fn(std::ops::Range<usize>) -> Vec<(std::ops::Range<usize>, String)>;

impl Snippet {
    /// The place of `diagnostic` in `document`; `redact` names what in a line is not shown, and what instead.
    pub fn of(
        diagnostic: &Diagnostic,
        document: &Document,
        lines: &LineIndex<'_>,
        redact: Redact<'_>,
    ) -> Self {
        Self::at(&diagnostic.span, document, lines, redact)
    }

    /// The place of `span` in `document`.
    pub fn at(span: &Span, document: &Document, lines: &LineIndex<'_>, redact: Redact<'_>) -> Self {
        let position = lines.position(span.start);
        let line = around(document.text(), lines.line_range(position.line), span.start as usize);
        let source = source_line(document.text(), line.clone(), span, &redact(line));
        Self { position, source }
    }
}

/// The part of a line that can be shown, and a little more: no line is walked along for what is cut off.
fn around(text: &str, line: std::ops::Range<usize>, at: usize) -> std::ops::Range<usize> {
    const BYTES: usize = (CONTEXT + 2) * 4;
    let mut start = at.saturating_sub(BYTES).max(line.start).min(line.end);
    let mut end = (at + BYTES).min(line.end).max(start);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

fn source_line(
    text: &str,
    line: std::ops::Range<usize>,
    span: &Span,
    redacted: &[(std::ops::Range<usize>, String)],
) -> SourceLine {
    let mut shown = MarkedLine::default();
    let (start, end) = (span.start as usize, (span.end as usize).max(span.start as usize + 1));
    let mut at = line.start;
    while at < line.end {
        if let Some((range, instead)) =
            redacted.iter().find(|(range, _)| range.start == at && !range.is_empty())
        {
            let marked = range.start < end && range.end > start;
            instead.chars().for_each(|c| shown.push(c, marked));
            at = range.end.min(line.end);
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        if c != '\u{feff}' {
            shown.push(c, at < end && at + c.len_utf8() > start);
        }
        at += c.len_utf8();
    }
    shown.clip()
}

/// The characters of a line, each with whether the fault covers it.
#[derive(Default)]
struct MarkedLine {
    chars: Vec<(char, bool)>,
}

impl MarkedLine {
    fn push(&mut self, c: char, marked: bool) {
        let shown = if controls_terminal(c) { char::REPLACEMENT_CHARACTER } else { c };
        self.chars.push((shown, marked));
    }

    fn clip(&self) -> SourceLine {
        let first = self.chars.iter().position(|&(_, marked)| marked).unwrap_or(self.chars.len());
        let from = first.saturating_sub(CONTEXT);
        let to = (first + CONTEXT).min(self.chars.len());
        let mut line = SourceLine { text: String::new(), caret: String::new() };
        if from > 0 {
            line.push_blank('…', 1);
        }
        for (at, &(c, marked)) in self.chars[from..to].iter().enumerate() {
            line.text.push(c);
            line.push_caret(c, from + at < first, marked);
        }
        if to < self.chars.len() {
            line.text.push('…');
        }
        line.finish()
    }
}

impl SourceLine {
    fn push_blank(&mut self, c: char, width: usize) {
        self.text.push(c);
        self.caret.extend(std::iter::repeat_n(' ', width));
    }

    fn push_caret(&mut self, c: char, before: bool, marked: bool) {
        let width = c.width().unwrap_or(1);
        match (before, marked) {
            (true, _) if c == '\t' => self.caret.push('\t'),
            (true, _) => self.caret.extend(std::iter::repeat_n(' ', width)),
            (false, true) => self.caret.extend(std::iter::repeat_n('^', width.max(1))),
            (false, false) => {}
        }
    }

    fn finish(mut self) -> Self {
        if !self.caret.ends_with('^') {
            self.caret.push('^');
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(text: &str, span: Span) -> (String, String) {
        let document = Document::parse(text.to_owned());
        let lines = LineIndex::new(document.text());
        let snippet = Snippet::at(&span, &document, &lines, &|_| Vec::new());
        (snippet.source.text, snippet.source.caret)
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
