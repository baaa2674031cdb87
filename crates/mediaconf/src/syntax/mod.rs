//! Text to entries and diagnostics: the grammar of `media.conf` and nothing else.
//!
//! ```text
//! file      = [BOM] *entry
//! entry     = 1*word (";" / block) / ";"
//! block     = "{" *entry "}"
//! ```
//!
//! A [`Document`] owns the text and a flat index of spans over it. Words and comments are not stored: an
//! [`Entry`] is lexed again whenever its words are needed, because on large files page faults cost more
//! than lexing.
//!
//! *Invariants.* Parsing never fails and never recurses: every problem is a [`Diagnostic`], and the
//! parser goes on at the next `;` or `}`. This layer does not know what any directive means, and
//! it does no I/O.

mod printable;

mod lex;

mod index;
mod splice;

mod parse;

mod input_check;

mod document;
mod line_index;
mod snippet;
mod tokens;
#[cfg(test)]
pub(crate) mod work;

pub use document::{Children, Document, Entry};
pub use index::EntryId;
pub use lex::{Words, comment_start};
pub use line_index::{Columns, LineIndex, Position, floor_char_boundary, line_end, line_start};
pub use parse::{MAX_DEPTH, STRAY_BRACE};
pub use printable::{controls_terminal, one_line, printable};
pub use snippet::Snippet;
pub use splice::{Splice, spliced_pieces};
pub use tokens::{Token, TokenKind, tokens};

pub use crate::text::{
    Diagnostic, Diagnostics, Fix, MAX_DIAGNOSTICS, Severity, Span, Word, ends_word, needs_quotes,
    quoted_if_needed, quoted_word,
};
