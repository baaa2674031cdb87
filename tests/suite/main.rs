//! One test binary. Fixtures are files; `fixtures` finds those of the repository and, where the
//! folder is there, those that are shared beside it.
#![allow(missing_docs, clippy::disallowed_methods, reason = "tests make files and run the program")]

mod attacked;
mod check;
mod cli;
mod cluster;
mod edit;
mod examples;
mod fixtures;
mod fleet;
mod format;
mod guarded;
mod history;
mod http;
mod law;
mod laws;
mod laws_of_apply;
mod laws_of_return;
mod layers;
mod lsp;
mod masks;
mod memory;
mod needs;
mod oracle;
mod pages;
mod ports;
mod proof;
mod readme;
mod store;
mod view;
mod waiting;
