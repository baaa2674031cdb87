//! The path language of `read`, `--set` and `--unset`: `streams."cam.1".urls[url="udp://…"]`.
//!
//! This is syntax alone. Which fields exist, which type a value has and whether a segment finds
//! anything is known in the layers that know the schema and the document.

mod error;
mod parse;
mod segment;

pub use parse::split_assignment;
pub use segment::{EVERY, Path, Segment, glob_matches};

#[cfg(test)]
mod tests;
