//! mediactl reads and changes the configuration of media servers.
//!
//! Seven layers; each names only the layers above it in this list.

pub mod edit;
pub mod model;
pub mod syntax;

pub mod store;
