//! mediactl reads and changes the configuration of media servers: only the bytes that had to
//! change change, each edit is proved before the write, and the history keeps the text before.
//!
//! The format (its text, its schema, and proved edits) is the crate `mediaconf`. The layers of the program, in the order
//! in which they are to be read; a layer names only layers to its left:
//!
//! ```text
//! store → engine → node → http → lsp → cli → main.rs
//! ```
//!
//! A change runs through all of them once: `mediaconf` makes splices of a patch and proves them, which
//! are written whole or not at all (`store`). `engine` puts these in their order, for a local command and
//! for a request (`http`) alike; `cli` reports the result. `node` has a file follow a cluster. `lsp` tells editors of a
//! text while it is edited.

pub mod error;

#[allow(clippy::disallowed_methods, reason = "it is told how long something takes")]
pub mod progress;

#[allow(clippy::disallowed_methods, reason = "the file is this layer's")]
pub mod store;

#[allow(clippy::disallowed_methods, reason = "changes and hooks have their times; a hook is a program")]
pub mod engine;

#[allow(clippy::disallowed_methods, reason = "a node looks again after a time, and has threads")]
pub mod node;

pub mod http;

pub mod lsp;

#[allow(clippy::disallowed_methods, reason = "the terminal and the environment are this layer's")]
pub mod cli;
