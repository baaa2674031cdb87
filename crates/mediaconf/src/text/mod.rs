//! What every layer says of a text: its words, and what is wrong with it.

mod diagnostic;
mod word;

pub use diagnostic::{Diagnostic, Diagnostics, Fix, Severity, Span};
pub(crate) use word::{Parsed, Quoting, bare, unescaped, unquoted, word};
pub use word::{Word, ends_word, needs_quotes, quoted_if_needed, quoted_word};
