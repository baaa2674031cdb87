//! The faults of a configuration, as text for people and as JSON for programs.

use std::fmt::Write as _;
use std::ops::Range;

use colored::Color;
use unicode_width::UnicodeWidthChar;

use crate::cli::render::{grouped, more_like_it};
use crate::cli::ui::Ui;
use crate::engine::{Composed, FaultRecord, FirstError, Snapshot};
use crate::error::{BrokenText, Error};
use mediaconf::{
    Diagnostic, Diagnostics, Document, Fault, LineIndex, MaskedText, Masker, Position, Severity, Span,
    Splice, controls_terminal, printable,
};

/// The number of characters of a line that are shown on each side of the problem.
const CONTEXT: usize = 100;

/// Renders the diagnostics of one text.
pub struct Reporter<'s> {
    name: &'s str,
    document: &'s Document,
    diagnostics: &'s Diagnostics,
    lines: LineIndex<'s>,
    masked: MaskedText<'s>,
    /// True if the faulty lines are shown.
    quotes: bool,
}

impl<'s> Reporter<'s> {
    /// A reporter for a text that messages call `name`.
    pub fn new(name: &'s str, text: &'s Snapshot, diagnostics: &'s Diagnostics, masker: Masker) -> Self {
        let document = text.document();
        let lines = LineIndex::new(document.text());
        let line_of = |span: &Span| lines.line_range(lines.position(span.start).line);
        let related = |found: &'s Diagnostic| found.related.as_ref().map(|(span, _)| span);
        let spans = diagnostics.iter().flat_map(|found| std::iter::once(&found.span).chain(related(found)));
        // In JSON or XML secrets can't be found, and so can't be masked.
        let begin = document.text().trim_start_matches('\u{feff}').trim_start();
        let quotes = masker == Masker::Off || !begin.starts_with(['{', '[', '<']);
        let [masked] = MaskedText::new([document], masker, [spans.map(line_of).collect()]);
        Self { name, document, diagnostics, lines, masked, quotes }
    }

    /// All diagnostics as text, those that say the same of different places once.
    pub fn text(&self, ui: Ui) -> String {
        let diagnostics = self.diagnostics;
        let mut text = String::new();
        let fault = |found: &&'s Diagnostic| (found.severity.label(), &*found.message, found.hint.as_deref());
        for alike in grouped(diagnostics.iter(), |found| Some(fault(found))) {
            let Diagnostic { severity, span, message, related, hint, .. } = alike[0];
            let color = if *severity == Severity::Error { Color::Red } else { Color::Yellow };
            text += &self.place(span, severity.label(), color, message, ui);
            if let Some((span, message)) = related {
                text += &self.place(span, "note", Color::Cyan, message, ui);
            }
            let hint = hint.as_ref().map(|hint| (ui.paint("hint:", Color::Cyan), printable(hint)));
            text.extend(hint.map(|(label, hint)| format!("  {label} {hint}\n")));
            let places: Vec<String> = alike.iter().map(|found| self.position(&found.span)).collect();
            text.extend(more_like_it(&places).map(|more| format!("{more}\n")));
        }
        if diagnostics.dropped() > 0 {
            text.push_str(&format!("{}: and {} more\n", self.name, diagnostics.dropped()));
        }
        text
    }

    /// All diagnostics as records; the last one says how many were left out.
    pub fn records(&self) -> Vec<FaultRecord> {
        let file = Some(self.name.to_owned());
        let has_secret = |Span { start, end }: &Span| {
            !self.masked.replacements(&(*start as usize..*end as usize)).is_empty()
        };
        let record = |found: &Diagnostic| {
            let mut record = FaultRecord { file: file.clone(), ..FaultRecord::new(found, &self.lines) };
            // Its text would repeat the secret.
            record.fix.take_if(|_| found.fix.as_ref().is_some_and(|fix| has_secret(&fix.span)));
            record
        };
        let mut records: Vec<_> = self.diagnostics.iter().map(record).collect();
        if let (Some(last), 1..) = (self.diagnostics.iter().last(), self.diagnostics.dropped()) {
            let message = format!("and {} more", self.diagnostics.dropped());
            records.push(FaultRecord { message, hint: None, related: None, fix: None, ..record(last) });
        }
        records
    }

    /// The first error that meets a condition.
    fn first_error(&self, is_meant: impl Fn(&Diagnostic) -> bool) -> Option<FirstError> {
        let is_meant = |found: &&Diagnostic| found.severity == Severity::Error && is_meant(found);
        let found = self.diagnostics.iter().find(is_meant)?;
        let text = self.quotes.then(|| self.snippet(&found.span).0.trim().to_owned());
        let position = self.lines.position(found.span.start);
        Some(FirstError { file: self.name.to_owned(), position, message: found.message.clone(), text })
    }

    /// Returns the position of a diagnostic, as an editor takes it.
    fn position(&self, span: &Span) -> String {
        let Position { line, column, .. } = self.lines.position(span.start);
        format!("{}:{line}:{column}", printable(self.name))
    }

    /// A message about a place, and the line there with a caret.
    fn place(&self, span: &Span, label: &str, color: Color, message: &str, ui: Ui) -> String {
        let mut text =
            format!("{}: {}: {}\n", self.position(span), ui.paint(label, color), printable(message));
        if self.quotes {
            let (line, caret) = self.snippet(span);
            writeln!(text, "  {}\n  {}", printable(&line), ui.paint(&caret, Color::Green))
                .expect("a string can be written to");
        }
        text
    }

    fn snippet(&self, span: &Span) -> (String, String) {
        let line = self.lines.line_range(self.lines.position(span.start).line);
        snippet(self.document.text(), line, span, |line| self.masked.replacements(line))
    }
}

/// Returns the line of `span` as it is shown: clipped, and without the characters that a terminal obeys; and blanks and
/// tabs up to the span, then carets under it. `redact` finds the secrets in a range of the text.
fn snippet(
    text: &str,
    line: Range<usize>,
    span: &Span,
    redact: impl FnOnce(&Range<usize>) -> Vec<Splice>,
) -> (String, String) {
    // A line of megabytes is never walked along as a whole.
    const BYTES: usize = (CONTEXT + 2) * 4;
    let (start, end) = (span.start as usize, (span.end as usize).max(span.start as usize + 1));
    let from = start.saturating_sub(BYTES).max(line.start).min(line.end);
    let to = text.floor_char_boundary((start + BYTES).min(line.end).max(from));
    let mut at = text.floor_char_boundary(from);
    let redacted = redact(&(at..to));
    let mut shown: Vec<(char, bool)> = Vec::new();
    while let Some(c) = text.get(at..to).and_then(|rest| rest.chars().next()) {
        let splice = redacted.iter().find(|splice| splice.range.start == at && !splice.range.is_empty());
        let plain = Splice { range: at..at + c.len_utf8(), text: c.to_string() };
        let Splice { range, text } = splice.unwrap_or(&plain);
        let is_marked = range.start < end && range.end > start;
        let visible = text.chars().filter(|c| *c != '\u{feff}');
        let safe = visible.map(|c| if controls_terminal(c) { char::REPLACEMENT_CHARACTER } else { c });
        shown.extend(safe.map(|c| (c, is_marked)));
        at = range.end;
    }
    let first = shown.iter().position(|&(_, is_marked)| is_marked).unwrap_or(shown.len());
    let (begin, end) = (first.saturating_sub(CONTEXT), (first + CONTEXT).min(shown.len()));
    let cut = if begin > 0 { ["…", " "] } else { ["", ""] };
    let [mut line, mut caret] = cut.map(str::to_owned);
    for (number, &(c, is_marked)) in shown[begin..end].iter().enumerate() {
        line.push(c);
        let width = c.width().unwrap_or(1);
        match c {
            _ if is_marked => caret.push_str(&"^".repeat(width.max(1))),
            '\t' if begin + number < first => caret.push('\t'),
            _ if begin + number < first => caret.push_str(&" ".repeat(width)),
            _ => {}
        }
    }
    if end < shown.len() {
        line.push('…');
    }
    if !caret.ends_with('^') {
        caret.push('^');
    }
    (line, caret)
}

/// The first error of a text that messages call `name`, with its line.
pub fn first_error(name: &str, text: &Snapshot, masker: Masker) -> Option<FirstError> {
    Reporter::new(name, text, text.diagnostics(), masker).first_error(|_| true)
}

/// An error that a configuration has together with what it includes, with its line.
pub fn composed_error(composed: &Composed, fault: &Fault, masker: Masker) -> Option<FirstError> {
    let diagnostics = composed.diagnostics();
    let mut files =
        composed.files.iter().zip(&diagnostics).filter(|(file, _)| Some(&file.name) == fault.file.as_ref());
    files.find_map(|(file, diagnostics)| {
        let reporter = Reporter::new(&file.name, &file.text, diagnostics, masker);
        reporter.first_error(|found| found.message == fault.message)
    })
}

/// Returns an error in one line, with the text in which it is.
pub fn in_one_line(FirstError { file, position, message, text }: &FirstError) -> String {
    let text = text.as_ref().map_or(String::new(), |text| format!(": `{}`", printable(text)));
    format!("{}:{}:{}: {}{text}", printable(file), position.line, position.column, printable(message))
}

/// Returns a configuration with what it includes as one text; if that has errors, they are printed to stderr.
pub fn valid(composed: Composed, ui: Ui) -> Result<Composed, Error> {
    if composed.is_valid() {
        return Ok(composed);
    }
    if ui.json {
        let faults = composed.told_faults();
        return Err(Error::broken_includes(&composed.files[0].name, faults.len()).with_faults(faults));
    }
    let mut errors = 0;
    for (file, diagnostics) in composed.files.iter().zip(composed.diagnostics()) {
        errors += diagnostics.errors();
        if diagnostics.errors() > 0 {
            let reporter = Reporter::new(&file.name, &file.text, &diagnostics, ui.masker);
            ui.say_painted(reporter.text(ui.on_stderr()).trim_end());
        }
    }
    Err(Error::broken_includes(&composed.files[0].name, errors))
}

/// Prints the faults of the broken text behind an error to stderr; `configuration` is the name of the
/// configuration that the command works on.
pub fn explain(error: &Error, configuration: &str, ui: Ui) {
    if let Some(BrokenText { name, snapshot }) = error.broken.as_ref().filter(|_| !ui.json) {
        let name = name.as_deref().unwrap_or(configuration);
        let reporter = Reporter::new(name, snapshot, snapshot.diagnostics(), ui.masker);
        ui.say_painted(reporter.text(ui.on_stderr()).trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(text: &str, span: Span) -> (String, String) {
        let lines = LineIndex::new(text);
        let line = lines.line_range(lines.position(span.start).line);
        super::snippet(text, line, &span, |_| Vec::new())
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
