//! Patch to operations to splices to new text, verified.
pub mod draft;
pub mod fault;
pub mod list;
pub mod merge;
pub mod patch;
pub mod path;
pub mod reduce;
pub mod text_diff;
