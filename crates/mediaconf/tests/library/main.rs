//! The tests of the library: worked cases, laws over all fixtures and their mutations, and an independent merge.
#![allow(missing_docs, clippy::disallowed_methods, reason = "tests are no API, and read fixtures")]

mod assign;
mod check;
mod edit;
mod fixtures;
mod format;
mod guarded;
mod law;
mod laws;
mod laws_of_apply;
mod laws_of_reading;
mod laws_of_return;
mod masks;
mod oracle;
mod random_edits;
mod secrets;
mod tables;
mod view;
