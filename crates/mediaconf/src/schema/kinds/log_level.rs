//! `loglevel debug;`, a string of which most values are known.

use super::kind::WordKind;
use super::text::TEXT;
use crate::schema::suggest::{is_only_near, nearest};
use crate::text::{Diagnostic, Fix, Word};

/// `loglevel debug;`, a string; one that is nearly a known level gets a warning.
pub static LOG_LEVEL: WordKind = WordKind { warning: Some(nearly_known), ..TEXT };

/// The levels of the log of media servers.
const LEVELS: [&str; 12] = [
    "debug",
    "info",
    "notice",
    "warning",
    "warn",
    "error",
    "critical",
    "alert",
    "emergency",
    "none",
    "trace",
    "verbose",
];

fn nearly_known(word: Word<'_>) -> Option<Diagnostic> {
    let value = word.value();
    let known = nearest(&value, LEVELS).filter(|_| !LEVELS.contains(&&*value))?;
    let message = format!("`{value}` is no known level");
    let fix = is_only_near(&value, LEVELS).then(|| Fix { span: word.span(), text: known.to_owned() });
    Some(Diagnostic::warning(word.span(), message).hint(format!("did you mean `{known}`?")).fixed_by(fix))
}

#[test]
fn levels_that_are_known_or_unlike_get_no_warning() {
    let warns = |level| nearly_known(Word::new(level, 0)).is_some();
    assert!(warns("debgu") && !warns("debug") && !warns("loud"));
}
