//! The errors that several files of the store make: an error of the system gets its path, and what was tried.

use std::fmt;
use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::error::{Error, ErrorKind};

/// The hint where what was loaded is no longer there.
pub const READ_AGAIN: &str = "read the configuration again and repeat the change";

impl Error {
    /// The file, or the folder it should be in, does not exist.
    pub fn no_file(path: &Path) -> Self {
        Self::new(ErrorKind::NoConfiguration, format!("`{}` does not exist", path.display()))
    }

    /// The file is no longer the loaded one.
    pub(super) fn changed_meanwhile(path: &Path) -> Self {
        let message = format!("`{}` was changed meanwhile by another program", path.display());
        Self::new(ErrorKind::Conflict, message).hint(READ_AGAIN)
    }

    /// Another writer of a cluster was faster; nothing was changed.
    pub fn overtaken(name: impl fmt::Display) -> Self {
        let message = format!("`{name}` was changed meanwhile by another writer");
        Self::new(ErrorKind::Overtaken, message).hint(READ_AGAIN)
    }

    /// Another process, or a server, held the lock during the whole wait.
    pub(super) fn locked(path: &Path, holder: &str, is_server: bool) -> Self {
        let path = path.display();
        let (message, hint) = match is_server {
            true => (
                format!("a server already runs over `{path}`: {holder}"),
                "stop that server first, or use it",
            ),
            false => (format!("`{path}` is locked by {holder}"), "try again when it is done"),
        };
        Self::new(ErrorKind::Locked, message).hint(hint)
    }

    /// No endpoint of a cluster answered; nothing was changed.
    pub fn unreachable_cluster(name: impl fmt::Display, reason: String) -> Self {
        let refusal = Self::new(ErrorKind::ClusterUnavailable, format!("cannot reach `{name}`: {reason}"))
            .hint("nothing was changed; `etcdctl endpoint health` asks the members themselves");
        Self { reason: Some(reason), ..refusal }
    }

    /// For `map_err` on a call that opens or looks up `path`: a missing file and a missing permission
    /// are kinds of their own.
    pub(super) fn opening<E: Into<io::Error>>(operation: &str, path: &Path) -> impl FnOnce(E) -> Self {
        move |error| {
            let source = error.into();
            match source.kind() {
                io::ErrorKind::NotFound => Self::no_file(path),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    Self { kind: ErrorKind::Denied, ..Self::io(operation, path)(source) }
                }
                _ => Self::io(operation, path)(source),
            }
        }
    }

    /// For `map_err` on any other call; `operation` is a verb.
    pub fn io<E: Into<io::Error>>(operation: &str, path: &Path) -> impl FnOnce(E) -> Self {
        move |error| {
            let why = reason(&error.into());
            Self::new(ErrorKind::Failed, format!("cannot {operation} `{}`: {why}", path.display()))
        }
    }

    /// For `map_err` on a call in the state folder, without which nothing can be changed.
    pub fn state_folder<E: Into<io::Error>>(path: &Path) -> impl FnOnce(E) -> Self {
        move |error| {
            let source = error.into();
            let message = format!("cannot use the state folder `{}`: {}", path.display(), reason(&source));
            // An error that names its path keeps the kind, and not the number.
            use io::ErrorKind::{FileTooLarge, Interrupted, QuotaExceeded, StorageFull};
            let is_broken = matches!(source.kind(), FileTooLarge | Interrupted | QuotaExceeded | StorageFull);
            if is_broken || Errno::from_io_error(&source) == Some(Errno::IO) {
                // No permission would help.
                return Self::new(ErrorKind::Failed, message);
            }
            Self::new(ErrorKind::NoStateFolder, message).hint(
                "mediactl keeps its lock in a folder beside the configuration, which has to be writable",
            )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Exit;

    #[test]
    fn a_state_folder_fails_for_want_of_permission_or_otherwise() {
        let of = |answer: Errno| {
            let error = Error::state_folder(Path::new("media.conf"))(answer);
            (error.exit(), error.hint.is_some())
        };
        for denied in [Errno::ACCESS, Errno::PERM, Errno::ROFS, Errno::NOTDIR] {
            assert_eq!(of(denied), (Exit::Denied, true), "{denied}");
        }
        for failed in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG, Errno::IO, Errno::INTR] {
            assert_eq!(of(failed), (Exit::Failed, false), "{failed}");
        }
        // As a draft fails, whose error names its path.
        let source = io::Error::new(io::ErrorKind::StorageFull, "no space left at path `x`");
        let error = Error::state_folder(Path::new("media.conf"))(source);
        assert_eq!((error.exit(), error.hint), (Exit::Failed, None));
    }
}
