//! Warnings: failures that do not stop a change.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::error::reason;

/// A failure that did not stop a change.
#[derive(Debug, Error)]
pub enum Warning {
    /// An extended attribute was lost. Access rights are not affected.
    #[error("cannot keep {} of `{}`: {}", attribute(.name.as_deref()), .path.display(), reason(.source))]
    Attribute {
        path: PathBuf,
        /// Its name; `None` when the attributes could not even be listed.
        name: Option<String>,
        source: io::Error,
    },
    /// The file had further names (hard links); they still hold the old text.
    #[error("`{}` had {}", .path.display(), other_links(*.others))]
    OtherNames { path: PathBuf, others: u64 },
    /// The change stands, but a power failure right now could undo it.
    #[error("cannot flush the folder `{}`: {}", .path.display(), reason(.source))]
    FolderNotSynced { path: PathBuf, source: io::Error },
    /// A temporary file that a killed writer left could not be removed.
    #[error("cannot remove `{}`: {}", .path.display(), reason(.source))]
    Leftover { path: PathBuf, source: io::Error },
    /// An earlier in-place write was cut short; its old text was put back.
    #[error("an earlier write of `{}` was cut short, the text before it was put back", .path.display())]
    PutBack { path: PathBuf },
    /// An earlier in-place write was cut short and the file was edited since; the edit stays.
    #[error(
        "an earlier write of `{}` was cut short and the file was edited since; its texts are kept in `{}`",
        .path.display(),
        .journal.display()
    )]
    JournalKept {
        path: PathBuf,
        /// The file that keeps both texts of that write.
        journal: PathBuf,
    },
    /// A change that was not confirmed in time was rolled back first.
    #[error("change {serial} was not confirmed in time; it was rolled back first")]
    RolledBack {
        /// Its number in the history.
        serial: u64,
    },
    /// The journal of the history can't be read, as these words say.
    #[error("{0}")]
    HistoryDamaged(String),
    /// The journal of a write that is complete could not be removed.
    #[error("cannot remove `{}`: {}", .path.display(), reason(.source))]
    JournalNotRemoved { path: PathBuf, source: io::Error },
}

/// An attribute in a sentence.
fn attribute(name: Option<&str>) -> String {
    name.map_or_else(|| "the extended attributes".to_owned(), |name| format!("the attribute `{name}`"))
}

/// Describes the hard links that a file had beside its own name.
fn other_links(count: u64) -> String {
    match count {
        1 => "1 other hard link, which still holds the old text".to_owned(),
        count => format!("{count} other hard links, which still hold the old text"),
    }
}
