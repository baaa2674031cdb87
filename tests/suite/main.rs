//! One test binary. Fixtures are files; `fixtures` finds those of the repository and, where the
//! folder is there, those that are shared beside it.
#![allow(missing_docs)]

mod edit;
mod fixtures;
mod store;
mod view;
