//! mediactl reads and changes the configuration of media servers: only the bytes that had to
//! change change, it is proved before the write, and nothing is ever lost.
//!
//! The layers, in the order in which they are to be read; a layer names only layers above it:
//!
//! ```text
//! syntax → model → edit → store → engine → node → http → cli → main.rs
//! ```
//!
//! A change runs through all of them once: the text is indexed (`syntax`) and seen as JSON
//! (`model`), a patch becomes splices of the text that are proved (`edit`), which are written whole
//! or not at all (`store`). `engine` puts these in their order, for a local command and for a request
//! (`http`) alike; `cli` puts what came of it into words. `node` has a file follow a cluster.

pub mod syntax;

pub mod model;

pub mod edit;

#[allow(clippy::disallowed_methods, reason = "the file is this layer's")]
pub mod store;

pub mod engine;

#[allow(clippy::disallowed_methods, reason = "a node looks again after a time, and has threads")]
pub mod node;

pub mod http;

#[allow(clippy::disallowed_methods, reason = "the terminal and the environment are this layer's")]
pub mod cli;
