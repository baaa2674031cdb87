//! Contexts: the servers of a user by their names, with what it takes to reach them.
//!
//! They stand in a file of the user, in the syntax of configurations. `parse` reads it, `file` finds it,
//! refuses one that other users may have written, and changes it by the engine, so that comments stay.
//! `password` runs the command that prints a password.

mod contexts;
mod file;
mod parse;
mod password;

pub use contexts::{Contexts, ServerContext};
pub use file::{ContextsFile, chosen, refuse_one_server_twice, several, several_chosen};
pub use password::password;
