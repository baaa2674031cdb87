//! What each block of a configuration may hold: for each parameter its place, and its form in text and JSON.
//!
//! The view, the edits, the checks, the typed values of the command line, the completion in shells and `media.conf(5)` are
//! made from it. [`Schema`] is the schema of media servers: a new parameter is a new row in `media`, a new form of
//! values a new file in `codec`, and a directive that only other servers of the family know a row in `foreign`.
//!
//! *Invariants.* Nothing outside of `codec` reads or writes the words of a directive by its form. This layer does not know
//! which secrets are masked, nor how a text is edited.

mod codec;
mod fault;
mod foreign;
mod kinds;
mod media;
mod members;
mod patch;
mod row;
mod suggest;

// What a file here makes public is for the whole library.
pub use {codec::*, fault::*, foreign::*, kinds::*, media::*, members::*, patch::*, row::*, suggest::*};
