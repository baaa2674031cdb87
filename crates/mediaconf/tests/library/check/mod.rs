//! The findings of the checks in real files, and the directives that they leave alone.

mod alarms;
mod leftovers;
mod lost;
mod missing_semicolon;
mod slips;

use mediaconf::{Diagnostic, LineIndex, check};

/// Returns the diagnostics of a text, each as `LINE:COLUMN: SEVERITY: MESSAGE`.
fn found(text: &str) -> Vec<String> {
    let lines = LineIndex::new(text);
    let line = |found: &Diagnostic| {
        let position = lines.position(found.span.start);
        format!("{}:{}: {}: {}", position.line, position.column, found.severity.label(), found.message)
    };
    check(text).iter().map(line).collect()
}
