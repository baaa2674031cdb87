//! The exit codes.

use std::process::ExitCode;

use signal_hook::consts::SIGTERM;

use crate::engine::ErrorKind;

/// How a command ended. The numbers are stable: scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, or no difference.
    Done = 0,
    /// `diff` found a difference, or `status` something open.
    Different = 1,
    /// The command line does not make sense.
    Usage = 2,
    /// Invalid configuration, JSON, path or value.
    Invalid = 3,
    /// Authentication failed, or a permission is missing to open the file or create its state folder.
    Denied = 4,
    /// Changed meanwhile, or the lock is busy.
    Conflict = 5,
    /// A guard refused.
    Guarded = 6,
    /// Not found or not reachable; nothing was changed.
    Absent = 7,
    /// The connection broke after the request was sent.
    Unknown = 8,
    /// I/O or internal failure; nothing was changed.
    Failed = 9,
    /// SIGINT ended it.
    Interrupted = 130,
    /// SIGTERM ended it.
    Terminated = 143,
}

/// Every exit code with its meaning, as the manual page has it.
pub const EXIT_CODES: &[(Exit, &str)] = &[
    (Exit::Done, "done, or no difference"),
    (
        Exit::Different,
        "a difference was found (diff); a change is unsaved or pending, or the file has errors (status)",
    ),
    (Exit::Usage, "usage error"),
    (Exit::Invalid, "invalid configuration, JSON, path or value"),
    (Exit::Denied, "authentication failed, or no permission to open the file or create its state folder"),
    (Exit::Conflict, "conflict: changed meanwhile, or the lock is busy"),
    (Exit::Guarded, "refused by a guard"),
    (Exit::Absent, "not found or not reachable, nothing changed: missing file, absent path, no server"),
    (Exit::Unknown, "outcome unknown: the connection broke after the request was sent"),
    (Exit::Failed, "I/O or internal failure, nothing changed"),
    (Exit::Interrupted, "ended by SIGINT (Ctrl-C); a message says what became of a change under way"),
    (Exit::Terminated, "ended by SIGTERM; likewise"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Invalid => Self::Invalid,
            ErrorKind::Denied => Self::Denied,
            ErrorKind::Conflict => Self::Conflict,
            ErrorKind::Guarded => Self::Guarded,
            ErrorKind::Absent => Self::Absent,
            ErrorKind::Unknown => Self::Unknown,
            ErrorKind::Failed => Self::Failed,
            ErrorKind::Interrupted { signal: SIGTERM } => Self::Terminated,
            ErrorKind::Interrupted { .. } => Self::Interrupted,
        }
    }
}
