//! Reads a configuration: paths, the places of the schema that they lead to, the values there, and conditions on them.
//!
//! *Invariants.* This layer reads. It does not know how a text is edited. No message shows a value, which may be a secret;
//! values of an expectation are masked.

mod condition;
mod config;
mod name_use;
mod path;
mod place;
mod select;

pub use {condition::*, config::*, name_use::*, path::*, place::*, select::*};
