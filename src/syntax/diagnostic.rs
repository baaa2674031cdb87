//! What the parser and the checks have to say about a text.

use std::ops::Range;

/// A range of byte offsets into the text of a document.
pub type Span = Range<u32>;

/// How many diagnostics of one document are kept; the rest is only counted. As many faults of a
/// request are told.
///
/// A megabyte of garbage must not become gigabytes of messages.
pub const MAX_DIAGNOSTICS: usize = 100;

/// Whether a diagnostic stands in the way of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something a person should look at; the text can be used.
    Warning,
    /// The text is broken: it is not modified, loaded or saved.
    Error,
}

impl Severity {
    /// The word that names it in output.
    pub fn label(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One fault: where, what, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it stands in the way of a change.
    pub severity: Severity,
    /// The bytes it is about; empty where something is missing.
    pub span: Span,
    /// Lower case, no full stop.
    pub message: String,
    /// Advice, where there is any.
    pub hint: Option<String>,
    /// A second place that explains the first.
    pub related: Option<(Span, String)>,
}

impl Diagnostic {
    /// An error over `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, span, message)
    }

    /// A warning over `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, span, message)
    }

    fn new(severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self { severity, span, message: message.into(), hint: None, related: None }
    }

    /// The same diagnostic with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same diagnostic with a second place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related = Some((span, message.into()));
        self
    }
}

/// The diagnostics of one text, bounded by [`MAX_DIAGNOSTICS`]. Errors take the places of warnings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    /// How many of those are errors.
    kept_errors: usize,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// Adds one; counts it in any case, keeps it while there is room.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let severity = diagnostic.severity;
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
        if self.kept.len() == MAX_DIAGNOSTICS {
            let is_full_of_errors = self.kept_errors == MAX_DIAGNOSTICS;
            if severity == Severity::Warning || is_full_of_errors {
                return;
            }
            self.drop_last_warning();
        }
        self.kept_errors += usize::from(severity == Severity::Error);
        self.kept.push(diagnostic);
    }

    fn drop_last_warning(&mut self) {
        let last = self.kept.iter().rposition(|kept| kept.severity == Severity::Warning);
        self.kept.remove(last.expect("what is kept is not only errors"));
    }

    /// Adds one, if there is one.
    pub fn push_any(&mut self, diagnostic: Option<Diagnostic>) {
        if let Some(diagnostic) = diagnostic {
            self.push(diagnostic);
        }
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: &Diagnostics) {
        let dropped_errors = other.errors - other.kept_errors;
        let dropped_warnings = other.warnings - (other.kept.len() - other.kept_errors);
        other.kept.iter().cloned().for_each(|diagnostic| self.push(diagnostic));
        self.errors += dropped_errors;
        self.warnings += dropped_warnings;
    }

    /// Orders what is kept by place in the text.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    }

    /// What is kept, in the order of [`Diagnostics::push`] or, after [`Diagnostics::sort`], of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.kept.iter()
    }

    /// How many errors there are, kept or not.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// How many warnings there are, kept or not.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// How many were counted but not kept.
    pub fn dropped(&self) -> usize {
        self.errors + self.warnings - self.kept.len()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.errors + self.warnings == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_so_many_are_kept_and_errors_first() {
        let mut diagnostics = Diagnostics::default();
        (0..MAX_DIAGNOSTICS as u32).for_each(|at| diagnostics.push(Diagnostic::warning(at..at, "w")));
        diagnostics.push(Diagnostic::error(7..7, "e"));
        assert_eq!((diagnostics.kept.len(), diagnostics.dropped()), (MAX_DIAGNOSTICS, 1));
        (0..500).for_each(|at| diagnostics.push(Diagnostic::error(at..at, "e")));
        assert!(diagnostics.iter().all(|kept| kept.severity == Severity::Error));
        let mut all = Diagnostics::default();
        all.extend(&diagnostics);
        assert_eq!((all.errors(), all.warnings(), all.dropped()), (501, 100, 501));
        assert_eq!(all, diagnostics);
    }
}
