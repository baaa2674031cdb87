//! What people see of a configuration and of a change.

mod effects;
mod format;
mod lines;
mod text_diff;

pub use effects::Effects;
