//! The text that a person edits in a text editor, and its way back into the configuration.
//!
//! A draft is a piece of the configuration: the whole text, or the lines of one entry ([`lines_of`]). While
//! it has faults, it begins with comments about them, which are taken out again (`comments`). Where the
//! configuration was changed meanwhile, both changes are merged (`merge`).

pub(crate) mod comments;
mod lines;
pub(crate) mod merge;

pub use comments::{height, with_comments, without_comments};
pub use lines::lines_of;
pub use merge::{Merged, first_marker, merge};
