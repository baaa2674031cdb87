//! The exit codes, and what leads to which.

use std::process::ExitCode;

use crate::engine::EngineError;
use crate::store::StoreError;

/// How a command ended. The numbers are stable: scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, or no difference.
    Done = 0,
    /// `diff` found a difference.
    Different = 1,
    /// The command line does not make sense.
    Usage = 2,
    /// Invalid configuration, JSON, path or value.
    Invalid = 3,
    /// Authentication failed, or there is no permission to open the file or make its state folder.
    Denied = 4,
    /// Changed meanwhile, or the lock is busy.
    Conflict = 5,
    /// A guard refused.
    Guarded = 6,
    /// Not there or not reachable; nothing was applied.
    Absent = 7,
    /// The connection broke after the request was sent.
    Unknown = 8,
    /// I/O or internal failure while at work; nothing was changed.
    Failed = 9,
}

/// Every exit code with its meaning, as the manual page has it.
pub const EXIT_CODES: &[(Exit, &str)] = &[
    (Exit::Done, "done, or no difference"),
    (Exit::Different, "difference found (diff)"),
    (Exit::Usage, "usage"),
    (Exit::Invalid, "invalid configuration, JSON, path or value"),
    (Exit::Denied, "authentication failed, or no permission to open the file or make its state folder"),
    (Exit::Conflict, "conflict: changed meanwhile, or the lock is busy"),
    (Exit::Guarded, "refused by a guard"),
    (Exit::Absent, "not there or not reachable, nothing applied: missing file, absent path, no server"),
    (Exit::Unknown, "outcome unknown: the connection broke after the request was sent"),
    (Exit::Failed, "I/O or internal failure while at work, nothing changed"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<&EngineError> for Exit {
    fn from(error: &EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::BadConfig(_)
            | EngineError::BadText(_)
            | EngineError::MaskedText
            | EngineError::BadPatch(_)
            | EngineError::BadAssignments(_)
            | EngineError::CheckFailed(_) => Self::Invalid,
            EngineError::Guarded(_) => Self::Guarded,
            EngineError::NoServer => Self::Absent,
            EngineError::Stale | EngineError::HandEdited { .. } | EngineError::Busy => Self::Conflict,
            EngineError::Unproved(_) | EngineError::ReloadFailed { .. } => Self::Failed,
        }
    }
}

impl From<&StoreError> for Exit {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::PermissionDenied { .. } | StoreError::StateFolder { .. } => Self::Denied,
            StoreError::Busy { .. } | StoreError::Serving { .. } | StoreError::ChangedMeanwhile { .. } => {
                Self::Conflict
            }
            StoreError::NotFound { .. }
            | StoreError::DanglingLink { .. }
            | StoreError::LinkLoop { .. }
            | StoreError::NotAFile { .. } => Self::Absent,
            StoreError::Torn { .. } | StoreError::Io { .. } => Self::Failed,
        }
    }
}
