//! Diagnostics: the problems that the parser and the checks find in a text.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of byte offsets into the text of a document.
pub type Span = Range<u32>;

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
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
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
}

impl Diagnostic {
    /// Makes an error without a hint.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, span, message)
    }

    /// Makes a warning without a hint.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, span, message)
    }

    /// Makes a diagnostic without a hint.
    pub fn new(severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self { severity, span, message: message.into(), hint: None, related: None, fix: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
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
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// The number of diagnostics of one document that are kept; the rest is only counted, so that a megabyte
    /// of garbage does not become gigabytes of messages. The same limit holds for the faults of a request.
    pub const MAX: usize = 100;

    /// Counts a diagnostic, and keeps it if there is room.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        self.count_unkept(usize::from(is_error), usize::from(!is_error));
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
        let errors = other.kept.iter().filter(|kept| kept.severity == Severity::Error).count();
        self.count_unkept(other.errors - errors, other.warnings - (other.kept.len() - errors));
    }

    /// Counts so many that are not there.
    pub fn count_unkept(&mut self, errors: usize, warnings: usize) {
        self.errors += errors;
        self.warnings += warnings;
    }

    /// Orders the kept diagnostics by their place in the text.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.kept.iter_mut()
    }

    /// The kept diagnostics, in the order in which they were added or, after [`Diagnostics::sort`], in
    /// the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.kept.iter()
    }

    /// The number of errors, kept or not.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The number of warnings, kept or not.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// The number of errors and warnings, kept or not.
    pub fn count(&self) -> usize {
        self.errors + self.warnings
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
}
