//! The endpoints of the API, one file for each group.

pub mod config;
pub mod history;
