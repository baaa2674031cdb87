//! Regular expressions of users.

use regex::Regex;
use thiserror::Error;

/// A text is no regular expression. Shows nothing of it: it may hold a part of a secret.
#[derive(Debug, Error)]
#[error("the regular expression is not valid: {reason}")]
pub struct BadRegex {
    reason: String,
}

/// Compiles a regular expression.
pub fn compiled(text: &str) -> Result<Regex, BadRegex> {
    Regex::new(text).map_err(|error| {
        // The lines above the last one show the expression.
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default();
        BadRegex { reason: last.strip_prefix("error: ").unwrap_or("it is too large").to_owned() }
    })
}
