//! The faults of a configuration, as text for people and as JSON for programs.

use std::fmt::Write as _;
use std::ops::Range;

use crate::cli::render::alike::{grouped, more_like_it};
use crate::cli::render::snippet::Snippet;
use crate::cli::ui::Ui;
use crate::engine::{Composed, ComposedFile, FaultRecord, FirstError, Snapshot};
use crate::error::{BrokenText, Error};
use colored::Color;
use mediaconf::{
    Diagnostic, Diagnostics, Document, Fault, LineIndex, MaskedText, Masker, Position, Severity, Span,
    printable,
};

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
    /// A reporter for a text that messages call `name`; without a masker its secrets are shown.
    pub fn new(
        name: &'s str,
        document: &'s Document,
        diagnostics: &'s Diagnostics,
        masker: Option<Masker>,
    ) -> Self {
        let lines = LineIndex::new(document.text());
        let line_of = |span: &Span| lines.line_range(lines.position(span.start).line);
        let spans = diagnostics.iter().flat_map(|found| {
            std::iter::once(&found.span).chain(found.related.as_ref().map(|(span, _)| span))
        });
        let quotes = masker.is_none() || !is_of_another_language(document.text());
        let masked = MaskedText::new(document, masker, spans.map(line_of).collect());
        Self { name, document, diagnostics, lines, masked, quotes }
    }

    /// A reporter for one of the files of a composed configuration.
    pub fn of_file(file: &'s ComposedFile, diagnostics: &'s Diagnostics, masker: Option<Masker>) -> Self {
        let reporter = Self::new(&file.name, file.text.document(), diagnostics, masker);
        Self { quotes: reporter.quotes && !file.is_elsewhere, ..reporter }
    }

    /// All diagnostics as text, those that say the same of different places once.
    pub fn text(&self, ui: Ui) -> String {
        let diagnostics = self.diagnostics;
        let mut text = String::new();
        let fault = |found: &&'s Diagnostic| (found.severity.label(), &*found.message, found.hint.as_deref());
        for alike in grouped(diagnostics.iter(), |found| Some(fault(found))) {
            self.one(ui, alike[0], &mut text);
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
        let diagnostics = self.diagnostics;
        let mut records: Vec<_> = diagnostics.iter().map(|diagnostic| self.record(diagnostic)).collect();
        if let (Some(last), 1..) = (diagnostics.iter().last(), diagnostics.dropped()) {
            let message = format!("and {} more", diagnostics.dropped());
            records.push(FaultRecord { message, hint: None, related: None, fix: None, ..self.record(last) });
        }
        records
    }

    /// The first error that meets a condition.
    fn first_error(&self, is_meant: impl Fn(&Diagnostic) -> bool) -> Option<FirstError> {
        let is_meant = |found: &&Diagnostic| found.severity == Severity::Error && is_meant(found);
        let found = self.diagnostics.iter().find(is_meant)?;
        let redact = |line: Range<usize>| self.masked.replacements(&line);
        let Snippet { position, line, .. } = Snippet::new(&found.span, self.document, &self.lines, &redact);
        let text = self.quotes.then(|| line.trim().to_owned());
        Some(FirstError { file: self.name.to_owned(), position, message: found.message.clone(), text })
    }

    fn one(&self, ui: Ui, diagnostic: &Diagnostic, text: &mut String) {
        let color = match diagnostic.severity {
            Severity::Error => Color::Red,
            Severity::Warning => Color::Yellow,
        };
        let label = ui.paint(diagnostic.severity.label(), color);
        self.place(&diagnostic.span, &format!("{label}: {}", printable(&diagnostic.message)), ui, text);
        if let Some((span, message)) = &diagnostic.related {
            self.place(span, &format!("{}: {}", ui.paint("note", Color::Cyan), printable(message)), ui, text);
        }
        if let Some(hint) = &diagnostic.hint {
            text.push_str(&format!("  {} {}\n", ui.paint("hint:", Color::Cyan), printable(hint)));
        }
    }

    /// Returns the position of a diagnostic, as an editor takes it.
    fn position(&self, span: &Span) -> String {
        let Position { line, column, .. } = self.lines.position(span.start);
        format!("{}:{line}:{column}", printable(self.name))
    }

    fn place(&self, span: &Span, message: &str, ui: Ui, text: &mut String) {
        let redact = |line: Range<usize>| self.masked.replacements(&line);
        let snippet = Snippet::new(span, self.document, &self.lines, &redact);
        writeln!(text, "{}: {message}", self.position(span)).expect("a string can be written to");
        if self.quotes {
            let (line, caret) = (printable(&snippet.line), &snippet.caret);
            writeln!(text, "  {line}\n  {}", ui.paint(caret, Color::Green))
                .expect("a string can be written to");
        }
    }

    fn record(&self, diagnostic: &Diagnostic) -> FaultRecord {
        FaultRecord { file: Some(self.name.to_owned()), ..FaultRecord::new(diagnostic, &self.lines) }
    }
}

/// The first error of a text that messages call `name`, with its line; without a masker that shows secrets.
pub fn first_error(name: &str, text: &Snapshot, masker: Option<Masker>) -> Option<FirstError> {
    Reporter::new(name, text.document(), text.diagnostics(), masker).first_error(|_| true)
}

/// An error that a configuration has together with what it includes, with its line.
pub fn composed_error(composed: &Composed, fault: &Fault, masker: Option<Masker>) -> Option<FirstError> {
    let diagnostics = composed.diagnostics();
    let mut files =
        composed.files.iter().zip(&diagnostics).filter(|(file, _)| Some(&file.name) == fault.file.as_ref());
    files.find_map(|(file, diagnostics)| {
        let reporter = Reporter::of_file(file, diagnostics, masker.clone());
        reporter.first_error(|found| found.message == fault.message)
    })
}

/// Returns an error in one line, with the text in which it is.
pub fn in_one_line(FirstError { file, position, message, text }: &FirstError) -> String {
    let text = text.as_ref().map_or(String::new(), |text| format!(": `{}`", printable(text)));
    format!("{}:{}:{}: {}{text}", printable(file), position.line, position.column, printable(message))
}

/// True if a text is JSON or XML, in which secrets can't be found, and so can't be masked.
fn is_of_another_language(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '<'])
}

/// Returns a configuration with what it includes as one text; if that has errors, they are printed to stderr.
pub fn valid(composed: Composed, ui: Ui) -> Result<Composed, Error> {
    if composed.is_valid() {
        return Ok(composed);
    }
    let mut errors = 0;
    for (file, diagnostics) in composed.files.iter().zip(composed.diagnostics()) {
        errors += diagnostics.errors();
        if diagnostics.errors() > 0 {
            let reporter = Reporter::of_file(file, &diagnostics, ui.masker());
            ui.say_painted(reporter.text(ui.on_stderr()).trim_end());
        }
    }
    Err(Error::broken_includes(&composed.files[0].name, errors))
}

/// Prints the faults of the broken text behind an error to stderr; `configuration` is the name of the
/// configuration that the command works on.
pub fn explain(error: &Error, configuration: &str, ui: Ui) {
    if let Some(BrokenText { name, snapshot }) = &error.broken {
        let name = name.as_deref().unwrap_or(configuration);
        let text = Reporter::new(name, snapshot.document(), snapshot.diagnostics(), ui.masker())
            .text(ui.on_stderr());
        ui.say_painted(text.trim_end());
    }
}
