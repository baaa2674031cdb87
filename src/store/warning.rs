//! What the user should hear although the work was done.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::error::reason;

/// Something that did not go as it should and that did not stop the work.
#[derive(Debug)]
pub enum Warning {
    /// An extended attribute that says nothing of who may read and write could not be kept.
    Attribute {
        /// The file.
        path: PathBuf,
        /// Name of the attribute; `None` when they could not even be listed.
        name: Option<String>,
        /// What the system answered.
        source: io::Error,
    },
    /// The file had further names (hard links); they still hold the old text.
    OtherNames {
        /// The file.
        path: PathBuf,
        /// How many others.
        others: u64,
    },
    /// The change stands, but a power failure right now could take it back.
    FolderNotSynced {
        /// The folder of the file.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// A temporary file that a killed writer left could not be removed.
    Leftover {
        /// The temporary file.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// An earlier in-place write was cut short; its old text was put back.
    PutBack {
        /// The file.
        path: PathBuf,
    },
    /// An earlier in-place write was cut short and the file was edited since; the edit stays.
    JournalKept {
        /// The file.
        path: PathBuf,
        /// Where both texts of that write are kept.
        journal: PathBuf,
    },
    /// Somebody wrote into the file while it was being replaced; that text is in the history.
    HandEditKept {
        /// The file.
        path: PathBuf,
        /// The number of the text in the history.
        serial: u64,
    },
    /// The journal of a write that is complete could not be removed.
    JournalNotRemoved {
        /// The journal.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Attribute { path, name, source } => write!(
                f,
                "cannot keep {} of `{}`: {}",
                Named(name.as_deref()),
                path.display(),
                reason(source)
            ),
            Warning::OtherNames { path, others } => write!(
                f,
                "`{}` had {others} other hard link{}, which still hold{} the old text",
                path.display(),
                if *others == 1 { "" } else { "s" },
                if *others == 1 { "s" } else { "" },
            ),
            Warning::FolderNotSynced { path, source } => {
                write!(f, "cannot flush the folder `{}`: {}", path.display(), reason(source))
            }
            Warning::Leftover { path, source } | Warning::JournalNotRemoved { path, source } => {
                write!(f, "cannot remove `{}`: {}", path.display(), reason(source))
            }
            Warning::HandEditKept { path, serial } => write!(
                f,
                "somebody wrote into `{}` while it was being replaced; their text is in the history, as change {serial}",
                path.display()
            ),
            Warning::PutBack { path } => write!(
                f,
                "an earlier write of `{}` was cut short, the text before it was put back",
                path.display()
            ),
            Warning::JournalKept { path, journal } => write!(
                f,
                "an earlier write of `{}` was cut short and the file was edited since; its texts are kept in `{}`",
                path.display(),
                journal.display()
            ),
        }
    }
}

/// An attribute in a sentence.
struct Named<'a>(Option<&'a str>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "the attribute `{name}`"),
            None => f.write_str("the extended attributes"),
        }
    }
}
