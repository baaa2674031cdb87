//! What people see of a configuration and of a change.

mod effects;
mod format;
mod lines;
mod text_diff;

pub use effects::Effects;
pub use format::{formatted, formatted_document, mended};
pub use lines::{each_set_line, set_lines};
pub use text_diff::unified_diff;
