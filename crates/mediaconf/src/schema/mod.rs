//! What each block of a configuration may hold: for each parameter its place, and its form in text and JSON.
//!
//! The view, the edits, the checks, the typed values of the command line, the completion in shells and `media.conf(5)` are
//! made from it. [`Schema`] is the schema of media servers: a new parameter is a new row in `media`, a new form of
//! values a new file in `codec`, and a directive that only other servers of the family know a row in `foreign`.
//!
//! *Invariants.* Nothing outside of `codec` reads or writes the words of a directive by its form. This layer does not know
//! which secrets are masked, nor how a text is edited.

pub(crate) mod codec;
pub(crate) mod fault;
mod foreign;
pub mod kinds;
mod media;
pub(crate) mod members;
pub mod patch;
mod row;
pub(crate) mod suggest;

pub use codec::*;
pub use fault::*;
pub use foreign::*;
pub use kinds::*;
pub use media::SOURCE;
pub use members::*;
pub use patch::*;
pub use row::*;
pub use suggest::*;
