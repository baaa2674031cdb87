//! One test binary. Fixtures are files; `fixtures` finds those of the repository and, where the
//! folder is there, those that are shared beside it.
#![allow(missing_docs, clippy::disallowed_methods, reason = "tests make files and run the program")]

mod attacked;
mod cli;
mod cluster;
mod examples;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../crates/mediaconf/tests/library/fixtures.rs"]
mod fixtures;
mod fleet;
mod history;
mod http;
mod layers;
mod lsp;
mod memory;
mod needs;
mod pages;
mod ports;
mod proof;
mod proxy;
mod readme;
mod secrets;
mod store;
mod waiting;
