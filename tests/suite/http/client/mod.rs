//! `mediactl --url` against servers of other makes, good and bad, and against what ours says.

pub(crate) mod bare;
mod contexts;
mod credentials;
mod encrypted;
mod failures;
mod offered;
pub(crate) mod server;

use crate::cli::Place;

/// A place whose environment names no file.
fn place() -> Place {
    Place::with("# never to be read: a server is meant\nhttp 1;\n")
}
