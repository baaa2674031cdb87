//! What users see: diffs, tables, diagnostics, and what a terminal may get of them.

pub mod content_diff;
pub mod diagnostics;
pub mod masked;
pub mod sanitize;
pub mod table;
pub mod text_diff;
