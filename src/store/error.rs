//! What can go wrong with the file, told so that the layer above can choose an exit code.

use std::fmt;
use std::fs::FileType;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// Why the file could not be found, locked, loaded or replaced.
///
/// The old file is whole after every one of these, [`StoreError::Torn`] excepted.
#[derive(Debug)]
pub enum StoreError {
    /// The file, or the folder it should be in, does not exist.
    NotFound {
        /// What is missing.
        path: PathBuf,
    },
    /// The file may not be opened, or not be written.
    PermissionDenied {
        /// What was tried, a verb.
        operation: &'static str,
        /// What it was tried on.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The path leads to something that holds no text.
    NotAFile {
        /// Where it leads.
        path: PathBuf,
        /// What is there.
        kind: FileKind,
    },
    /// The links lead in a circle.
    LinkLoop {
        /// The path that was given.
        path: PathBuf,
    },
    /// A link leads to nothing.
    DanglingLink {
        /// The last link of the chain.
        link: PathBuf,
        /// Where it points.
        points_to: PathBuf,
    },
    /// The state folder cannot be made or used, so nothing can be changed.
    StateFolder {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The state folder, or what is in it, may be a stranger's.
    Untrusted {
        /// What is not believed.
        path: PathBuf,
        /// Why not.
        why: Distrust,
    },
    /// A link that a stranger made in a folder that everybody may write.
    PlantedLink {
        /// The link.
        link: PathBuf,
        /// Whom it belongs to.
        user: u32,
    },
    /// Somebody else held the lock for all the time we would wait.
    Busy {
        /// What is locked.
        path: PathBuf,
        /// Who holds it.
        holder: LockHolder,
    },
    /// A server runs over this file already.
    Serving {
        /// The file.
        path: PathBuf,
        /// The server.
        holder: LockHolder,
    },
    /// The file is not the one that was loaded any more.
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// An in-place write failed, and so did putting the old text back.
    Torn {
        /// The file, now a mixture of the old and the new text.
        path: PathBuf,
        /// Where both texts are kept until the next writer puts the old one back.
        journal: PathBuf,
        /// What the system answered to the write.
        source: io::Error,
    },
    /// Anything else that the system refused.
    Io {
        /// What was tried, a verb.
        operation: &'static str,
        /// What it was tried on.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

/// What a path leads to, when it is no regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A folder.
    Folder,
    /// A pipe, with a name or without.
    Pipe,
    /// A Unix socket.
    Socket,
    /// A character or block device.
    Device,
    /// Something this program has no name for.
    Other,
}

/// Why something is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// It belongs to a stranger.
    Stranger {
        /// The stranger.
        user: u32,
        /// Whom the configuration belongs to.
        owner: u32,
    },
    /// Others than owner and group have rights in it.
    OpenToOthers {
        /// The permission bits of its mode.
        mode: u32,
    },
}

/// Who holds a lock, as far as the lock file tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The process id, as the holder sees it.
    pub pid: Option<u32>,
}

impl StoreError {
    /// Whether a disk is full or broken: no permission would help against that.
    pub fn is_out_of_order(&self) -> bool {
        let answers = [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::INTR];
        match self {
            StoreError::StateFolder { source, .. } | StoreError::Io { source, .. } => {
                Errno::from_io_error(source).is_some_and(|answer| answers.contains(&answer))
            }
            _ => false,
        }
    }

    /// Advice, where there is some that is not in the message already.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            StoreError::NotAFile { .. } => "the configuration has to be a regular file".to_owned(),
            StoreError::LinkLoop { .. } => "one of the links has to lead to a file".to_owned(),
            StoreError::DanglingLink { points_to, .. } => {
                format!("make `{}`, or correct the link", points_to.display())
            }
            StoreError::Untrusted { path, why } => why.hint(path),
            StoreError::PlantedLink { .. } => {
                "give the path of the file itself, or make the link in a folder that only you may write"
                    .to_owned()
            }
            StoreError::StateFolder { .. } if self.is_out_of_order() => return None,
            StoreError::StateFolder { .. } => {
                "the lock of the configuration is kept beside it, in a folder that has to be writable"
                    .to_owned()
            }
            StoreError::Busy { .. } => "try again when it is done".to_owned(),
            StoreError::Serving { .. } => "stop that one first, or use it".to_owned(),
            StoreError::ChangedMeanwhile { .. } => "repeat the change on what is there now".to_owned(),
            StoreError::Torn { journal, .. } => {
                format!("the old text is kept in `{}`; the next change puts it back first", journal.display())
            }
            StoreError::NotFound { .. } | StoreError::PermissionDenied { .. } | StoreError::Io { .. } => {
                return None;
            }
        };
        Some(hint)
    }

    /// For `map_err` on a call that opens or looks up `path`: a missing file and a missing
    /// permission are variants of their own there.
    pub(super) fn opening<E: Into<io::Error>>(
        operation: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> StoreError {
        move |error| {
            let source = error.into();
            let path = path.to_owned();
            match source.kind() {
                io::ErrorKind::NotFound => StoreError::NotFound { path },
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    StoreError::PermissionDenied { operation, path, source }
                }
                _ => StoreError::Io { operation, path, source },
            }
        }
    }

    /// For `map_err` on any other call.
    pub(super) fn io<E: Into<io::Error>>(
        operation: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> StoreError {
        move |error| StoreError::Io { operation, path: path.to_owned(), source: error.into() }
    }

    /// For `map_err` on a call in the state folder.
    pub(super) fn state_folder<E: Into<io::Error>>(path: &Path) -> impl FnOnce(E) -> StoreError {
        move |error| StoreError::StateFolder { path: path.to_owned(), source: error.into() }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::NotFound { path } => write!(f, "`{}` does not exist", path.display()),
            StoreError::PermissionDenied { operation, path, source }
            | StoreError::Io { operation, path, source } => {
                write!(f, "cannot {operation} `{}`: {}", path.display(), reason(source))
            }
            StoreError::NotAFile { path, kind } => write!(f, "`{}` is {kind}", path.display()),
            StoreError::LinkLoop { path } => {
                write!(f, "`{}` is a link that leads back to itself", path.display())
            }
            StoreError::DanglingLink { link, points_to } => {
                write!(f, "`{}` is a link to `{}`, which does not exist", link.display(), points_to.display())
            }
            StoreError::StateFolder { path, source } => {
                write!(f, "cannot use the state folder `{}`: {}", path.display(), reason(source))
            }
            StoreError::Untrusted { path, why } => write!(f, "`{}` {why}", path.display()),
            StoreError::PlantedLink { link, user } => write!(
                f,
                "`{}` is a link of user {user} in a folder that everybody may write, so it is not followed",
                link.display()
            ),
            StoreError::Busy { path, holder } => {
                write!(f, "`{}` is locked by {holder}", path.display())
            }
            StoreError::Serving { path, holder } => {
                write!(f, "`{}` is served by {holder} already", path.display())
            }
            StoreError::ChangedMeanwhile { path } => {
                write!(f, "`{}` was changed meanwhile by somebody else", path.display())
            }
            StoreError::Torn { path, source, .. } => {
                write!(f, "`{}` was written in part only: {}", path.display(), reason(source))
            }
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StoreError::PermissionDenied { source, .. }
            | StoreError::StateFolder { source, .. }
            | StoreError::Torn { source, .. }
            | StoreError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl FileKind {
    /// What `file_type` is, `None` for a regular file.
    pub(super) fn unusable(file_type: FileType) -> Option<FileKind> {
        if file_type.is_file() {
            None
        } else if file_type.is_dir() {
            Some(FileKind::Folder)
        } else if file_type.is_fifo() {
            Some(FileKind::Pipe)
        } else if file_type.is_socket() {
            Some(FileKind::Socket)
        } else if file_type.is_char_device() || file_type.is_block_device() {
            Some(FileKind::Device)
        } else {
            Some(FileKind::Other)
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileKind::Folder => "a folder",
            FileKind::Pipe => "a pipe",
            FileKind::Socket => "a socket",
            FileKind::Device => "a device",
            FileKind::Other => "no regular file",
        })
    }
}

impl Distrust {
    /// What to do about it.
    fn hint(self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::Stranger { owner, .. } => format!(
                "what is in it may be forged: look at it, then remove it, or give it to the owner of the \
                 configuration with `chown -R {owner} {path}`"
            ),
            Self::OpenToOthers { .. } => {
                format!("look at what is in it, then close it with `chmod -R o= {path}`")
            }
        }
    }
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stranger { user, .. } => write!(
                f,
                "belongs to user {user}, who is neither root nor the owner of the configuration nor the user of \
                 this command"
            ),
            Self::OpenToOthers { mode } => {
                write!(f, "is open to other users (mode {mode:04o}), who may have changed what is in it")
            }
        }
    }
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}"),
            None => f.write_str("another process"),
        }
    }
}

/// The system's words in our style: lower case, without `(os error 13)`.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = words.chars();
    match letters.next() {
        // `EOF reached` keeps its capitals.
        Some(first) if !letters.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => words.to_owned(),
    }
}
