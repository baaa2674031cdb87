//! A text that a configuration includes, and why it can't be read.

use std::path::PathBuf;

use bytes::Bytes;
use thiserror::Error;

use super::error::StoreError;

/// The text of a file that a configuration includes.
#[derive(Debug, Clone)]
pub struct IncludedText {
    /// The name in messages.
    pub name: String,
    /// The file at the end of all links.
    pub target: PathBuf,
    /// Whether that is below the folder of the configuration.
    pub is_inside: bool,
    pub bytes: Bytes,
}

/// Why the files of an `include` can't be read.
#[derive(Debug, Error)]
pub enum IncludeError {
    /// A file is missing or can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The pattern is none.
    #[error("the pattern is wrong: {0}")]
    BadPattern(&'static str),
}
