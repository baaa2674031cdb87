//! Output for users: diffs, tables, diagnostics, and the rules for what a terminal may get.

pub mod alike;
pub mod change_json;
pub mod diagnostics;
pub mod diff;
pub mod group_table;
pub mod masked;
pub mod notes;
pub mod paragraph;
pub mod report;
pub mod sanitize;
pub mod shortened;
mod snippet;
pub mod status;
pub mod table;
pub mod value_diff;
