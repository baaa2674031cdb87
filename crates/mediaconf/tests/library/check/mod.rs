//! The findings of the checks in real files, and the directives that they leave alone.

mod characters;
mod findings;
mod lost;

use mediaconf::{Diagnostic, Document, LineIndex, check};

/// Returns the diagnostics of a text, each as `LINE:COLUMN: SEVERITY: MESSAGE`.
pub fn found(text: &(impl AsRef<[u8]> + ?Sized)) -> Vec<String> {
    let document = Document::from_bytes(text.as_ref().to_vec());
    let lines = LineIndex::new(document.text());
    let line = |found: &Diagnostic| {
        let position = lines.position(found.span.start);
        format!("{}:{}: {}: {}", position.line, position.column, found.severity.label(), found.message)
    };
    check(text.as_ref()).iter().map(line).collect()
}
