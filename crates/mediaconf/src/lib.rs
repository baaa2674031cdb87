//! The configuration format of media servers: text, schema, queries, and edits with a proof.

pub mod syntax;

pub mod model;

pub mod edit;
