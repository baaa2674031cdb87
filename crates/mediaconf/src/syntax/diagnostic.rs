//! Diagnostics: the problems that the parser and the checks find in a text; and places and texts as people are shown them:
//! lines and columns, and text without the characters that a terminal obeys.
//!
//! Names, comments, messages of other servers and the output of hooks may hold anything. A terminal
//! obeys some of it: it moves the cursor, changes its title, turns the order of letters.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of byte offsets into the text of a document.
pub type Span = Range<u32>;

/// The bytes of a span.
pub fn bytes_of(span: &Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A possible mistake; the text can be used.
    Warning,
    /// The text is broken: it is not modified, loaded or saved.
    Error,
}

impl Severity {
    /// The word in front of a message.
    pub fn label(self) -> &'static str {
        if self == Self::Warning { "warning" } else { "error" }
    }
}

/// The edit that mends a fault which has one possible meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The bytes that it replaces; empty where it only adds.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// One problem: its place, a message, and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity: an error, or a warning.
    pub severity: Severity,
    /// The faulty bytes; empty where something is missing.
    pub span: Span,
    /// Lower case, no full stop.
    pub message: String,
    /// Advice, where there is any.
    pub hint: Option<String>,
    /// A second place that explains the first, and a message for it.
    pub related: Option<(Span, String)>,
    /// The edit that mends it, where only one can be meant.
    pub fix: Option<Fix>,
    /// True if a word behind a known keyword is nearly one that is known there: a change that writes it is refused, unless
    /// it is accepted.
    pub is_slip: bool,
}

impl Diagnostic {
    /// Makes an error without a hint.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, ..Self::warning(span, message) }
    }

    /// Makes a warning without a hint.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        let (severity, message) = (Severity::Warning, message.into());
        Self { severity, span, message, hint: None, related: None, fix: None, is_slip: false }
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Makes it a slip, and advises what is probably meant.
    #[must_use]
    pub fn slip(self, meant: &str) -> Self {
        Self { is_slip: true, ..self.hint(format!("did you mean `{meant}`?")) }
    }

    /// Adds a second place, and a message for it.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related = Some((span, message.into()));
        self
    }

    /// Adds the edit that mends it.
    #[must_use]
    pub fn fixed_by(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }
}

/// The diagnostics of one text, of which at most [`Diagnostics::MAX`] are kept; an error takes the
/// place of a warning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    pub(crate) kept: Vec<Diagnostic>,
    /// The number of warnings and of errors, kept or not.
    counts: [usize; 2],
}

impl Diagnostics {
    /// The number of diagnostics of one document that are kept; the rest is only counted, so that a megabyte
    /// of garbage does not become gigabytes of messages. The same limit holds for the faults of a request.
    pub const MAX: usize = 100;

    /// Counts a diagnostic, and keeps it if there is room.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        self.counts[usize::from(is_error)] += 1;
        if self.kept.len() == Self::MAX {
            let last_warning = self.kept.iter().rposition(|kept| kept.severity == Severity::Warning);
            let Some(last) = last_warning.filter(|_| is_error) else { return };
            self.kept.remove(last);
        }
        self.kept.push(diagnostic);
    }

    /// Adds a diagnostic, if there is one.
    pub fn push_any(&mut self, diagnostic: Option<Diagnostic>) {
        diagnostic.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: &Diagnostics) {
        other.kept.iter().cloned().for_each(|diagnostic| self.push(diagnostic));
        self.count_dropped(other);
    }

    /// Counts those of `other` that were counted but not kept.
    pub fn count_dropped(&mut self, other: &Diagnostics) {
        self.counts = [0, 1].map(|severity| self.counts[severity] + other.counts[severity]);
        other.kept.iter().for_each(|kept| self.counts[usize::from(kept.severity == Severity::Error)] -= 1);
    }

    /// Removes the fixes inside a part of the text.
    pub(crate) fn unfix(&mut self, part: &Span) {
        let is_inside = |fix: &mut Fix| part.start <= fix.span.start && fix.span.end <= part.end;
        self.kept.iter_mut().for_each(|kept| _ = kept.fix.take_if(is_inside));
    }

    /// Orders the kept diagnostics by their place in the text.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    }

    /// The kept diagnostics, in the order in which they were added or, after [`Diagnostics::sort`], in
    /// the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.kept.iter()
    }

    /// The number of errors, kept or not.
    pub fn errors(&self) -> usize {
        self.counts[1]
    }

    /// The number of warnings, kept or not.
    pub fn warnings(&self) -> usize {
        self.counts[0]
    }

    /// The number of errors and warnings, kept or not.
    pub fn count(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The number of diagnostics that were counted but not kept.
    pub fn dropped(&self) -> usize {
        self.count() - self.kept.len()
    }

    /// True if there are neither errors nor warnings.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

/// A place in a text as people count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters, or in units of UTF-16.
    pub column: usize,
}

/// The starts of the lines of a text.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// The number of columns of a character.
    width: fn(char) -> usize,
    starts: Vec<u32>,
    /// The last place that was asked for, as offset and position. The next column is counted from
    /// there, so that a thousand problems on one line of megabytes cost one walk along it.
    last: Cell<(usize, Position)>,
}

impl<'t> LineIndex<'t> {
    /// Finds the lines in one pass over the text. Columns count characters.
    pub fn new(text: &'t str) -> Self {
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|offset| offset as u32 + 1);
        let last = Cell::new((0, Position { line: 1, column: 1 }));
        Self { text, width: |_| 1, starts: std::iter::once(0).chain(newlines).collect(), last }
    }

    /// Does the same, with columns that count units of UTF-16, as most editors do.
    pub fn utf16(text: &'t str) -> Self {
        Self { width: char::len_utf16, ..Self::new(text) }
    }

    /// Returns line and column of the character that holds `offset`.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts[line - 1] as usize;
        let offset = self.text.floor_char_boundary(offset as usize).max(start);
        let (known, last) = self.last.get();
        let (from, column) =
            if last.line == line && known <= offset { (known, last.column) } else { (start, 1) };
        let between = self.text[from..offset].trim_start_matches('\u{feff}');
        let position = Position { line, column: column + between.chars().map(self.width).sum::<usize>() };
        self.last.set((offset, position));
        position
    }

    /// Returns the bytes of a line (from 1), without its line end.
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let start = self.starts[line - 1] as usize;
        let content = self.text[start..].split('\n').next().unwrap_or_default().trim_end_matches('\r');
        start..start + content.len()
    }
}

/// Returns the start of the line that holds `offset`.
pub fn line_start(text: &str, offset: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |newline| newline + 1)
}

/// Returns the end of the line that holds `offset`, after its line feed.
pub fn line_end(text: &str, offset: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[offset..]).map_or(text.len(), |newline| offset + newline + 1)
}

/// True if a terminal obeys this character: a control character other than a line feed or a tab, or a
/// character that changes the direction of the text.
pub fn controls_terminal(character: char) -> bool {
    let changes_direction = matches!(character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (character.is_control() && !matches!(character, '\n' | '\t')) || changes_direction
}

/// Replaces the characters that a terminal obeys with U+FFFD; line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    let replaced = || text.replace("\r\n", "\n").replace(controls_terminal, "\u{fffd}");
    if text.contains(controls_terminal) { Cow::Owned(replaced()) } else { Cow::Borrowed(text) }
}

/// The same on one line: line ends and tabs become blanks.
pub fn one_line(text: &str) -> String {
    printable(&text.replace(['\n', '\r', '\t'], " ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_so_many_are_kept_and_errors_first() {
        let mut diagnostics = Diagnostics::default();
        (0..Diagnostics::MAX as u32).for_each(|at| diagnostics.push(Diagnostic::warning(at..at, "w")));
        diagnostics.push(Diagnostic::error(7..7, "e"));
        assert_eq!((diagnostics.kept.len(), diagnostics.dropped()), (Diagnostics::MAX, 1));
        (0..500).for_each(|at| diagnostics.push(Diagnostic::error(at..at, "e")));
        assert!(diagnostics.iter().all(|kept| kept.severity == Severity::Error));
        let mut all = Diagnostics::default();
        all.extend(&diagnostics);
        assert_eq!((all.errors(), all.warnings(), all.dropped()), (501, 100, 501));
        assert_eq!(all, diagnostics);
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let index = LineIndex::new("\u{feff}ab\r\nпривет x\n");
        for (offset, line, column) in [(0, 1, 1), (3, 1, 1), (4, 1, 2), (7, 2, 1), (20, 2, 8), (99, 3, 1)] {
            assert_eq!(index.position(offset), Position { line, column }, "{offset}");
        }
        assert_eq!(&index.text[index.line_range(1)], "\u{feff}ab");
    }

    #[test]
    fn an_editor_counts_units_of_utf_16() {
        let index = LineIndex::utf16("a\nя😀x\n");
        assert_eq!(index.position(8), Position { line: 2, column: 4 });
    }

    #[test]
    fn one_line_has_no_line_ends_tabs_or_control_characters() {
        assert_eq!(one_line("a\nb\tc\u{1b}\u{202e}"), "a b c\u{fffd}\u{fffd}");
    }
}
