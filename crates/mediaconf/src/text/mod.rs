//! What every layer says of a text: its words, and what is wrong with it.

mod diagnostic;
mod word;

pub use diagnostic::{Diagnostic, Diagnostics, Fix, MAX_DIAGNOSTICS, Severity, Span};
pub(crate) use word::{Parsed, Quoting, unescaped, word};
pub use word::{Word, ends_word, needs_quotes, quoted_if_needed, quoted_word};
