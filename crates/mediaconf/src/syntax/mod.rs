//! Text to entries and diagnostics: the grammar of `media.conf` and nothing else.
//!
//! A [`Document`] owns the text and a flat index of spans over it. Words and comments are not stored: the words of an
//! [`Entry`] are read again whenever they are needed, because on large files page faults cost more than that.
//!
//! *Invariants.* Parsing never fails, copies nothing, and calls itself no deeper than [`MAX_DEPTH`] blocks: every problem
//! is a [`Diagnostic`], and the parser goes on at the next `;` or `}`. This layer does not know what any directive means,
//! and it does no I/O.

mod decode;
mod document;
mod grammar;
mod lines;
mod printable;
mod splice;
mod tokens;
#[cfg(test)]
pub(crate) mod work;

pub use document::{Children, Document, Entry, EntryId};
pub use grammar::{MAX_DEPTH, STRAY_BRACE};
pub use lines::{Columns, LineIndex, Position, line_end, line_start};
pub use printable::{controls_terminal, one_line, printable};
pub use splice::{Splice, spliced_pieces};
pub use tokens::{Token, TokenKind, Words, comment_start, tokens};

pub use crate::text::{
    Diagnostic, Diagnostics, Fix, MAX_DIAGNOSTICS, Severity, Span, Word, ends_word, needs_quotes,
    quoted_if_needed, quoted_word,
};
