//! Diagnostics as people and programs read them.

use std::fmt::Write as _;
use std::ops::Range;

use colored::Color;
use serde::Serialize;

use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::render::masked::MaskedText;
use crate::cli::ui::Ui;
use crate::engine::{EngineError, Snapshot};
use crate::model::Masker;
use crate::syntax::printable;
use crate::syntax::{Diagnostic, LineIndex, Severity, Snippet, Span};

/// Puts diagnostics of one text into words.
pub struct Reporter<'s> {
    name: &'s str,
    snapshot: &'s Snapshot,
    lines: LineIndex<'s>,
    masked: MaskedText<'s>,
    /// Whether the lines themselves are shown.
    quotes: bool,
}

/// One diagnostic as `check -o json` prints it. The shape is stable.
#[derive(Debug, Serialize)]
pub struct DiagnosticRecord {
    /// What the text is called.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do, where there is advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// A second place that explains the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Related>,
}

/// A second place.
#[derive(Debug, Serialize)]
pub struct Related {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is there.
    pub message: String,
}

impl<'s> Reporter<'s> {
    /// A reporter of what `snapshot` has; `masker` hides its secrets.
    pub fn new(name: &'s str, snapshot: &'s Snapshot, masker: Option<Masker>) -> Self {
        let document = snapshot.document();
        let lines = LineIndex::new(document.text());
        let line_of = |span: &Span| lines.line_range(lines.position(span.start).line);
        let diagnostics = snapshot.diagnostics().iter();
        let spans = diagnostics.flat_map(|found| {
            std::iter::once(&found.span).chain(found.related.as_ref().map(|(span, _)| span))
        });
        let quotes = masker.is_none() || !is_of_another_language(document.text());
        let masked = MaskedText::new(document, masker, spans.map(line_of).collect());
        Self { name, snapshot, lines, masked, quotes }
    }

    /// All of them, as text.
    pub fn text(&self, ui: Ui) -> String {
        let diagnostics = self.snapshot.diagnostics();
        let mut text = String::new();
        for diagnostic in diagnostics.iter() {
            self.one(ui, diagnostic, &mut text);
        }
        if diagnostics.dropped() > 0 {
            text.push_str(&format!("{}: and {} more\n", self.name, diagnostics.dropped()));
        }
        text
    }

    /// All of them, as data; the last one says how many more there are.
    pub fn records(&self) -> Vec<DiagnosticRecord> {
        let diagnostics = self.snapshot.diagnostics();
        let mut records: Vec<_> = diagnostics.iter().map(|diagnostic| self.record(diagnostic)).collect();
        if let (Some(last), 1..) = (diagnostics.iter().last(), diagnostics.dropped()) {
            let message = format!("and {} more", diagnostics.dropped());
            records.push(DiagnosticRecord { message, hint: None, related: None, ..self.record(last) });
        }
        records
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

    fn place(&self, span: &Span, message: &str, ui: Ui, text: &mut String) {
        let redact = |line: Range<usize>| self.masked.replacements(&line);
        let snippet = Snippet::at(span, self.snapshot.document(), &self.lines, &redact);
        let position = snippet.position;
        let name = printable(self.name);
        writeln!(text, "{name}:{}:{}: {message}", position.line, position.column)
            .expect("a string can be written to");
        if self.quotes {
            let (line, caret) = (printable(&snippet.line), &snippet.caret);
            writeln!(text, "  {line}\n  {}", ui.paint(caret, Color::Green))
                .expect("a string can be written to");
        }
    }

    fn record(&self, diagnostic: &Diagnostic) -> DiagnosticRecord {
        let position = self.lines.position(diagnostic.span.start);
        let related = diagnostic.related.as_ref().map(|(span, message)| {
            let position = self.lines.position(span.start);
            Related { line: position.line, column: position.column, message: message.clone() }
        });
        DiagnosticRecord {
            file: self.name.to_owned(),
            line: position.line,
            column: position.column,
            severity: diagnostic.severity.label(),
            message: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
            related,
        }
    }
}

/// Whether a text is JSON or XML: a secret in it stands behind no name that can be told.
fn is_of_another_language(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '<'])
}

/// Shows on stderr what is wrong with the text that an error is about.
pub fn explain(error: &CliError, global: &GlobalArgs, ui: Ui) {
    let (name, snapshot) = match error {
        CliError::Engine(EngineError::BadConfig(snapshot)) => (global.file_name(), snapshot),
        CliError::Engine(EngineError::BadText(snapshot)) => ("the new configuration".to_owned(), snapshot),
        CliError::Invalid { name, snapshot } => (name.clone(), snapshot),
        _ => return,
    };
    let text = Reporter::new(&name, snapshot, ui.masker()).text(ui.on_stderr());
    ui.say_painted(text.trim_end());
}
