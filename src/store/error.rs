//! The errors of a store.

use std::fmt;
use std::fs::FileType;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

/// The message of etcd when it has no space left.
const NO_SPACE: &str = "database space exceeded";

/// The reason why the file could not be found, locked, loaded or replaced.
///
/// The old file is whole after every one of these, [`StoreError::Torn`] excepted.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file, or the folder it should be in, does not exist.
    #[error("`{}` does not exist", .path.display())]
    NotFound { path: PathBuf },
    /// The file may not be opened, or not be written.
    #[error("cannot {operation} `{}`: {}", .path.display(), reason(.source))]
    PermissionDenied {
        /// The operation, a verb.
        operation: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The path leads to a folder, a device, or another file that is not a regular file.
    #[error("`{}` is {kind}", .path.display())]
    NotAFile { path: PathBuf, kind: FileKind },
    /// The links lead in a circle.
    #[error("`{}` is a link that leads back to itself", .path.display())]
    LinkLoop { path: PathBuf },
    /// A link leads to nothing.
    #[error("`{}` is a link to `{}`, which does not exist", .link.display(), .points_to.display())]
    DanglingLink {
        /// The last link of the chain.
        link: PathBuf,
        /// The target of the link.
        points_to: PathBuf,
    },
    /// The state folder cannot be made or used, so nothing can be changed.
    #[error("cannot use the state folder `{}`: {}", .path.display(), reason(.source))]
    StateFolder { path: PathBuf, source: io::Error },
    /// The socket of a server cannot be made in the state folder.
    #[error("cannot make the socket `{}`: {}", .path.display(), reason(.source))]
    NoSocket { path: PathBuf, source: io::Error },
    /// The state folder, or a file in it, may have been made by another user.
    #[error("`{}` {why}", .path.display())]
    Untrusted { path: PathBuf, why: Distrust },
    /// Another user made a link in a folder that everybody may write.
    #[error("`{}` is a link of user {user} in a folder that everybody may write, so it is not followed", .link.display())]
    PlantedLink { link: PathBuf, user: u32 },
    /// Another process held the lock during the whole wait.
    #[error("`{}` is locked by {holder}", .path.display())]
    Busy { path: PathBuf, holder: LockHolder },
    /// A server runs over this file already.
    #[error("a server already runs over `{}`: {holder}", .path.display())]
    Serving { path: PathBuf, holder: LockHolder },
    /// The file is no longer the loaded one.
    #[error("`{}` was changed meanwhile by another program", .path.display())]
    ChangedMeanwhile { path: PathBuf },
    /// An in-place write failed, and so did putting the old text back.
    #[error("only a part of `{}` was written: {}", .path.display(), reason(.source))]
    Torn {
        /// The file, now a mixture of the old and the new text.
        path: PathBuf,
        /// The file with both texts, until the next writer puts the old one back.
        journal: PathBuf,
        /// The error of the system for the write.
        source: io::Error,
    },
    /// Another program wrote into a text that the history keeps.
    #[error("`{}` is not the text that the history kept there: another program wrote into it", .path.display())]
    Altered { path: PathBuf },
    /// No endpoint of a cluster answered; nothing was changed.
    #[error("cannot reach `{name}`: {reason}")]
    Unreachable {
        name: String,
        /// Each endpoint that was tried, with the reason.
        reason: String,
    },
    /// A cluster may or may not have made the change.
    #[error("it is unknown whether the change of `{name}` was made: {reason}")]
    OutcomeUnknown { name: String, reason: String },
    /// Another writer of a cluster was faster; nothing was changed.
    #[error("`{name}` was changed meanwhile by another writer")]
    Overtaken { name: String },
    /// A cluster refuses the login, or lacks a right for it.
    #[error("`{name}` refuses this: {reason}")]
    Refused { name: String, reason: String },
    /// A cluster failed; nothing was changed.
    #[error("`{name}` failed: {reason}")]
    Remote { name: String, reason: String },
    /// An answer of a cluster, or a text in it, has more bytes than the user takes; nothing was changed.
    #[error("`{name}` gives an answer of more than {most} bytes")]
    TooLarge { name: String, most: u64 },
    /// A value in the cluster does not have the form that mediactl writes.
    #[error("`{name}` failed: {what} can't be read")]
    Damaged { name: String, what: String },
    /// What is in the cluster is of another version of mediactl.
    #[error("`{name}` has the format {found} of another version of mediactl")]
    OtherFormat {
        name: String,
        found: u64,
        /// The version that wrote it, if it says so.
        version: Option<String>,
    },
    /// What is in the cluster has something that this version does not know.
    #[error("`{name}` has {what} of mediactl 0.1")]
    Former { name: String, what: FormerPart },
    /// Anything else that the system refused.
    #[error("cannot {operation} `{}`: {}", .path.display(), reason(.source))]
    Io {
        /// The operation, a verb.
        operation: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

/// What a cluster of format 2 can have, and this version does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FormerPart {
    #[error("overlays")]
    Overlays,
    #[error("a signature")]
    Signature,
}

/// The kind of a file that is not a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FileKind {
    #[error("a folder")]
    Folder,
    #[error("a pipe")]
    Pipe,
    #[error("a socket")]
    Socket,
    #[error("a device")]
    Device,
    #[error("not a regular file")]
    Other,
}

/// The reason why a part of the state is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Distrust {
    /// It belongs to a user who may not have made it.
    #[error(
        "belongs to user {user}, who is neither root nor the owner of the configuration nor the user of \
         this command"
    )]
    Stranger {
        user: u32,
        /// The owner of the configuration.
        owner: u32,
    },
    /// Users other than owner and group have rights in it.
    #[error("is open to other users (mode {mode:04o}), who may have changed its contents")]
    OpenToOthers {
        /// The permission bits of its mode.
        mode: u32,
    },
}

/// The process that holds a lock, as far as the lock file tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The process ID, if the holder wrote one.
    pub pid: Option<u32>,
}

impl StoreError {
    /// True if a disk is full or broken, so that no permission would help.
    pub fn is_out_of_order(&self) -> bool {
        // An error that names its path keeps the kind, and not the number.
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::Interrupted];
        match self {
            StoreError::StateFolder { source, .. } | StoreError::Io { source, .. } => {
                kinds.contains(&source.kind()) || Errno::from_io_error(source) == Some(Errno::IO)
            }
            _ => false,
        }
    }

    /// True if a cluster answers, and this version can't use what stands there.
    pub fn is_unusable(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::OtherFormat { .. } | Self::Former { .. })
    }

    /// Advice, where it is not in the message already.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            StoreError::NotAFile { .. } => "the configuration has to be a regular file".to_owned(),
            StoreError::LinkLoop { .. } => "one of the links has to lead to a file".to_owned(),
            StoreError::DanglingLink { points_to, .. } => {
                format!("create `{}`, or correct the link", points_to.display())
            }
            StoreError::Untrusted { path, why } => why.hint(path),
            StoreError::PlantedLink { .. } => {
                "give the path of the file itself, or make the link in a folder that only you may write"
                    .to_owned()
            }
            StoreError::NoSocket { source, .. } if source.kind() == io::ErrorKind::StorageFull => return None,
            StoreError::NoSocket { .. } => {
                "the file system of the configuration has to hold sockets, as ext4 and xfs do; vfat and exFAT \
                 hold none"
                    .to_owned()
            }
            StoreError::StateFolder { .. } if self.is_out_of_order() => return None,
            StoreError::StateFolder { .. } => {
                "mediactl keeps its lock in a folder beside the configuration, which has to be writable"
                    .to_owned()
            }
            StoreError::Busy { .. } => "try again when it is done".to_owned(),
            StoreError::Serving { .. } => "stop that server first, or use it".to_owned(),
            StoreError::ChangedMeanwhile { .. } => {
                "read the configuration again and repeat the change".to_owned()
            }
            StoreError::Torn { journal, .. } => {
                format!("the old text is kept in `{}`; the next change puts it back first", journal.display())
            }
            StoreError::Altered { .. } => "`mediactl history` shows the other texts that are kept".to_owned(),
            StoreError::Unreachable { .. } => {
                "nothing was changed; `etcdctl endpoint health` asks the members themselves".to_owned()
            }
            StoreError::OutcomeUnknown { .. } => {
                "`mediactl history` shows whether it was made, once the cluster answers".to_owned()
            }
            StoreError::Overtaken { .. } => "read the configuration again and repeat the change".to_owned(),
            StoreError::Refused { .. } => {
                "`--user` and `--password-file` give another login; `etcdctl role get` shows the rights"
                    .to_owned()
            }
            StoreError::Remote { reason, .. } if reason.contains(NO_SPACE) => {
                "etcd is full: compact it, then `etcdctl defrag` and `etcdctl alarm disarm`".to_owned()
            }
            StoreError::TooLarge { most, .. } => {
                format!("`--max-answer {}` takes a larger one", most.saturating_mul(2))
            }
            StoreError::Damaged { .. } => {
                "something else wrote that key: `etcdctl get --prefix` with it shows what is there, and a back-up \
                 has what was there; without one, `save FILE` under another prefix begins anew, and `cluster adopt` \
                 there lets nodes go on with it"
                    .to_owned()
            }
            StoreError::OtherFormat { found: 0 | 1, .. } => {
                "`read -o conf` of the version before prints the configuration, and `save` of this one under another \
                 prefix begins anew with it"
                    .to_owned()
            }
            StoreError::OtherFormat { version: Some(version), .. } => {
                format!("it needs mediactl {version}, and this is {}", env!("CARGO_PKG_VERSION"))
            }
            StoreError::OtherFormat { version: None, .. } => {
                format!("it needs a later version of mediactl than {}", env!("CARGO_PKG_VERSION"))
            }
            StoreError::Former { what: FormerPart::Overlays, .. } => {
                "`mediactl overlay remove --all` of that version removes them; what differs on a node stands in a file of \
                 the node that the text includes, such as `include local*.conf;`"
                    .to_owned()
            }
            StoreError::Former { what: FormerPart::Signature, .. } => {
                "nothing of that version takes it away: its `read -o conf` prints the configuration without overlays, `save` \
                 of this one under another prefix begins anew, and `cluster adopt` there lets nodes go on with it"
                    .to_owned()
            }
            StoreError::NotFound { .. }
            | StoreError::PermissionDenied { .. }
            | StoreError::Remote { .. }
            | StoreError::Io { .. } => return None,
        };
        Some(hint)
    }

    /// For `map_err` on a call that opens or looks up `path`: a missing file and a missing permission
    /// are variants of their own.
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
                _ => StoreError::io(operation, &path)(source),
            }
        }
    }

    /// For `map_err` on any other call.
    pub(super) fn io<E: Into<io::Error>>(
        operation: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> StoreError {
        move |error| {
            let source = error.into();
            let path = path.to_owned();
            match source.kind() {
                // On NFS: another machine has put a new file in its place.
                io::ErrorKind::StaleNetworkFileHandle => StoreError::ChangedMeanwhile { path },
                _ => StoreError::Io { operation, path, source },
            }
        }
    }

    /// For `map_err` on a call in the state folder.
    pub(super) fn state_folder<E: Into<io::Error>>(path: &Path) -> impl FnOnce(E) -> StoreError {
        move |error| StoreError::StateFolder { path: path.to_owned(), source: error.into() }
    }
}

impl FileKind {
    /// The kind of a file; `None` for a regular file.
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

impl Distrust {
    /// Returns the advice for the user.
    fn hint(self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::Stranger { owner, .. } => format!(
                "its contents may be forged: inspect them, then remove it, or give it to the owner of the \
                 configuration with `chown -R {owner} {path}`"
            ),
            Self::OpenToOthers { .. } => format!(
                "inspect its contents, then close it with `chmod -R o= {path}`; a file system without modes, \
                 as exFAT, has to be mounted with `umask=0077`"
            ),
        }
    }
}

impl LockHolder {
    /// Says that a writer of `file` waits for it.
    pub fn waited_for(&self, file: &str) -> String {
        format!("waiting for {self}, which is changing `{file}`")
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
