//! Text to entries and diagnostics: the grammar of `media.conf` and nothing else.
//!
//! A [`Document`] owns the text and a flat index of spans over it. Words and comments are not stored: the words of an
//! [`Entry`] are read again whenever they are needed, because on large files page faults cost more than that.
//!
//! *Invariants.* Parsing never fails, copies nothing, and calls itself no deeper than [`Document::MAX_DEPTH`] blocks: every problem
//! is a [`Diagnostic`], and the parser goes on at the next `;` or `}`. This layer does not know what any directive means,
//! and it does no I/O.

mod diagnostic;
mod document;
mod grammar;
#[cfg(test)]
mod tests;
mod word;

pub use diagnostic::{
    Diagnostic, Diagnostics, Fix, LineIndex, Position, Severity, Span, controls_terminal, one_line, printable,
};
pub(crate) use diagnostic::{line_end, line_start};
pub(crate) use document::{Children, common_ends, spliced_pieces};
pub use document::{Document, Entry, EntryId, Splice};
pub(crate) use grammar::STRAY_BRACE;
#[cfg(test)]
pub(crate) use tests::work;
pub(crate) use word::Parsed;
pub use word::{Token, TokenKind, Word};
pub(crate) use word::{Words, comment_start, comments, ends_word, unquoted};
