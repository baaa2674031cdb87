//! What people see of a configuration and of a change.

mod text_diff;

pub use text_diff::{Hunk, hunks_of_splices, hunks_of_streams, hunks_of_texts, printed, with_line_ends_of};
