//! What an error means to the caller.

use serde::{Deserialize, Serialize};

use crate::store::StoreError;
use mediaconf::edit::misfit::PathFault;

use super::error::EngineError;

/// What an error means to the caller; the command line has an exit code for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The call does not make sense.
    Usage,
    /// Invalid configuration, JSON, path or value.
    Invalid,
    /// Authentication failed, or a permission is missing.
    Denied,
    /// Changed meanwhile, or the lock is busy.
    Conflict,
    /// A guard refused the change.
    Guarded,
    /// Not there or not reachable; nothing was changed.
    Absent,
    /// The change was sent, and its outcome is unknown.
    Unknown,
    /// I/O or internal failure; nothing was changed.
    Failed,
    /// A signal ended the work.
    Interrupted { signal: i32 },
}

impl From<&StoreError> for ErrorKind {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::PermissionDenied { .. }
            | StoreError::Untrusted { .. }
            | StoreError::PlantedLink { .. }
            | StoreError::Refused { .. } => Self::Denied,
            StoreError::StateFolder { .. } if error.is_out_of_order() => Self::Failed,
            StoreError::StateFolder { .. } => Self::Denied,
            StoreError::Busy { .. }
            | StoreError::Serving { .. }
            | StoreError::ChangedMeanwhile { .. }
            | StoreError::Overtaken { .. } => Self::Conflict,
            StoreError::NotFound { .. }
            | StoreError::DanglingLink { .. }
            | StoreError::LinkLoop { .. }
            | StoreError::NotAFile { .. }
            | StoreError::TooLarge { .. }
            | StoreError::Unreachable { .. } => Self::Absent,
            StoreError::OutcomeUnknown { .. } => Self::Unknown,
            StoreError::Torn { .. }
            | StoreError::Remote { .. }
            | StoreError::Damaged { .. }
            | StoreError::NoSocket { .. }
            | StoreError::Io { .. } => Self::Failed,
        }
    }
}

impl From<&EngineError> for ErrorKind {
    fn from(error: &EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::Canary(_) => Self::Usage,
            EngineError::BadAssignments(faults) if faults.iter().all(PathFault::is_absent) => Self::Absent,
            EngineError::BadConfig(_)
            | EngineError::BadText(_)
            | EngineError::BadIncludes(_)
            | EngineError::NewWarnings(_)
            | EngineError::MaskedText
            | EngineError::BadPatch(_)
            | EngineError::BadAssignments(_)
            | EngineError::CheckFailed(_) => Self::Invalid,
            EngineError::Guarded(guard) if !guard.is_question() => Self::Invalid,
            EngineError::Guarded(_) => Self::Guarded,
            EngineError::PassedOver(_)
            | EngineError::NoServer
            | EngineError::NodesRunIt
            | EngineError::NothingPending
            | EngineError::NoSuchChange { .. }
            | EngineError::NotKept { .. } => Self::Absent,
            EngineError::Stale
            | EngineError::HandEditedSince
            | EngineError::HandEdited { .. }
            | EngineError::HandEditedBadly { .. }
            | EngineError::Moved
            | EngineError::Overlaid
            | EngineError::Pending(_)
            | EngineError::OtherPending
            | EngineError::Unexpected(_)
            | EngineError::ManyRehearsals
            | EngineError::Busy => Self::Conflict,
            EngineError::CheckInterrupted { signal } | EngineError::ReloadInterrupted { signal, .. } => {
                Self::Interrupted { signal: *signal }
            }
            EngineError::Unproved(_)
            | EngineError::ReloadFailed { .. }
            | EngineError::NotRunHere { .. }
            | EngineError::TooLate => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    fn error(answer: Errno) -> StoreError {
        StoreError::StateFolder { path: "media.conf".into(), source: answer.into() }
    }

    #[test]
    fn a_state_folder_fails_for_want_of_permission_or_otherwise() {
        for denied in [Errno::ACCESS, Errno::PERM, Errno::ROFS, Errno::NOTDIR] {
            let error = error(denied);
            assert_eq!(
                (ErrorKind::from(&error), error.hint().is_some()),
                (ErrorKind::Denied, true),
                "{denied}"
            );
        }
        for failed in [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::INTR] {
            let error = error(failed);
            assert_eq!(
                (ErrorKind::from(&error), error.hint().is_some()),
                (ErrorKind::Failed, false),
                "{failed}"
            );
        }
    }
}
