//! mediactl reads and changes the configuration of media servers: only the bytes that had to
//! change change, it is proved before the write, and nothing is ever lost.
//!
//! The layers, in the order in which they are to be read; a layer names only layers above it:
//!
//! ```text
//! syntax → model → edit → store → engine → http → cli → main.rs
//! ```

pub mod syntax;

pub mod model;

pub mod edit;

#[allow(clippy::disallowed_methods, reason = "the file is this layer's")]
pub mod store;

pub mod engine;

pub mod http;

#[allow(clippy::disallowed_methods, reason = "the terminal and the environment are this layer's")]
pub mod cli;
