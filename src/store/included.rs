//! A text that a configuration includes, and why it can't be read.

use crate::error::Error;
use std::path::PathBuf;

use bytes::Bytes;
use thiserror::Error;

/// The text of a file that a configuration includes.
#[derive(Debug, Clone)]
pub struct IncludedText {
    /// The name in messages.
    pub name: String,
    /// The file at the end of all links.
    pub target: PathBuf,
    pub bytes: Bytes,
    /// True if it is outside of the folder, or a hard link of another owner: it may be no configuration, and readers of the
    /// messages may have no right to read it. Only name and line are told then.
    pub is_elsewhere: bool,
}

/// The included files that are read, and their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Follow {
    /// True if only those below the folder of the configuration are.
    pub stays_below: bool,
    pub files: usize,
    /// The most bytes of all of them.
    pub bytes: usize,
}

impl Follow {
    /// All that can be read.
    pub const ALL: Self = Self { stays_below: false, files: 10_000, bytes: 256 << 20 };

    /// The limits for clients of a server, who learn nothing of files elsewhere.
    pub const BELOW: Self = Self { stays_below: true, ..Self::ALL };

    /// Returns the limits that remain after a file of this size.
    pub fn after(self, bytes: u64) -> Result<Self, IncludeError> {
        let rest = usize::try_from(bytes).ok().and_then(|bytes| self.bytes.checked_sub(bytes));
        match (self.files.checked_sub(1), rest) {
            (Some(files), Some(bytes)) => Ok(Self { files, bytes, ..self }),
            _ => Err(IncludeError::TooMuch),
        }
    }
}

/// The reason why the files of an `include` can't be read.
#[derive(Debug, Error)]
pub enum IncludeError {
    /// A file is missing or can't be read.
    #[error(transparent)]
    Store(#[from] Error),
    /// The pattern is malformed.
    #[error("the pattern is wrong: {0}")]
    BadPattern(&'static str),
    /// A file is elsewhere, and only those below the folder are read.
    #[error("only files below the folder of the configuration are followed here")]
    Outside,
    /// A file has a further name, which may be elsewhere, and belongs to another user than the configuration.
    #[error("a hard link to a file of another user is not followed here")]
    Linked,
    /// More is included than may be read.
    #[error("too many files, or too large ones, are included")]
    TooMuch,
    /// A server was asked for the files of another text.
    #[error("the configuration of the server has changed meanwhile")]
    NotSent,
}
