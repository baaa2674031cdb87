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

pub(crate) use grammar::{STRAY_BRACE, text_start};
#[cfg(test)]
pub(crate) use tests::work;
pub use {diagnostic::*, document::*, word::*};
