//! The exit codes, and what leads to which.

use std::process::ExitCode;

use signal_hook::consts::SIGTERM;

use crate::edit::assign::AssignFault;
use crate::engine::EngineError;
use crate::http::client::{ClientError, ServerRefusal};
use crate::http::protocol::problem::ProblemKind;
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
        "difference found (diff); something is not saved or waits to be confirmed, or the file has errors (status)",
    ),
    (Exit::Usage, "usage"),
    (Exit::Invalid, "invalid configuration, JSON, path or value"),
    (Exit::Denied, "authentication failed, or no permission to open the file or make its state folder"),
    (Exit::Conflict, "conflict: changed meanwhile, or the lock is busy"),
    (Exit::Guarded, "refused by a guard"),
    (Exit::Absent, "not there or not reachable, nothing applied: missing file, absent path, no server"),
    (Exit::Unknown, "outcome unknown: the connection broke after the request was sent"),
    (Exit::Failed, "I/O or internal failure while at work, nothing changed"),
    (Exit::Interrupted, "ended by SIGINT (Ctrl-C); a line says what became of a change under way"),
    (Exit::Terminated, "ended by SIGTERM; likewise"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    fn of_signal(signal: i32) -> Self {
        if signal == SIGTERM { Self::Terminated } else { Self::Interrupted }
    }
}

impl From<&EngineError> for Exit {
    fn from(error: &EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::BadAssignments(faults) if faults.iter().all(AssignFault::is_absent) => Self::Absent,
            EngineError::BadConfig(_)
            | EngineError::BadText(_)
            | EngineError::MaskedText
            | EngineError::BadPatch(_)
            | EngineError::BadAssignments(_)
            | EngineError::CheckFailed(_) => Self::Invalid,
            EngineError::Guarded(guard) if !guard.is_question() => Self::Invalid,
            EngineError::Guarded(_) => Self::Guarded,
            EngineError::NoServer
            | EngineError::NothingPending
            | EngineError::NoSuchChange { .. }
            | EngineError::NotKept { .. } => Self::Absent,
            EngineError::Stale
            | EngineError::HandEditedSince
            | EngineError::HandEdited { .. }
            | EngineError::HandEditedBadly { .. }
            | EngineError::Moved
            | EngineError::Pending(_)
            | EngineError::OtherPending
            | EngineError::Unexpected(_)
            | EngineError::Busy => Self::Conflict,
            EngineError::CheckInterrupted { signal } | EngineError::ReloadInterrupted { signal, .. } => {
                Self::of_signal(*signal)
            }
            EngineError::Unproved(_) | EngineError::ReloadFailed { .. } | EngineError::TooLate => {
                Self::Failed
            }
        }
    }
}

impl From<&ClientError> for Exit {
    fn from(error: &ClientError) -> Self {
        match error {
            ClientError::Refused(refusal) => (&**refusal).into(),
            error if error.is_unknown() => Self::Unknown,
            ClientError::NotReachable { .. }
            | ClientError::Tls(_)
            | ClientError::NoAuthorities
            | ClientError::Broken { .. }
            | ClientError::TimedOut { .. }
            | ClientError::Redirected { .. }
            | ClientError::NotOfTheApi { .. } => Self::Absent,
        }
    }
}

impl From<&ServerRefusal> for Exit {
    fn from(refusal: &ServerRefusal) -> Self {
        match refusal.problem.as_ref().and_then(|problem| problem.kind()) {
            Some(ProblemKind::EngineFailed) if !refusal.applies => Self::Failed,
            Some(kind) => kind.into(),
            None => of_status(refusal.status, refusal.applies),
        }
    }
}

impl From<ProblemKind> for Exit {
    fn from(kind: ProblemKind) -> Self {
        match kind {
            ProblemKind::BadRequest
            | ProblemKind::NotJson
            | ProblemKind::BadConfig
            | ProblemKind::BadParameter
            | ProblemKind::TooSlow
            | ProblemKind::TooLarge
            | ProblemKind::ContentCoding
            | ProblemKind::WrongType
            | ProblemKind::ReadOnly
            | ProblemKind::MaskedValue
            | ProblemKind::NearMiss
            | ProblemKind::FormChange
            | ProblemKind::RejectedByCheck => Self::Invalid,
            ProblemKind::Unauthorized | ProblemKind::CrossSite | ProblemKind::TooManyFailures => Self::Denied,
            ProblemKind::Conflict | ProblemKind::Pending | ProblemKind::Stale => Self::Conflict,
            ProblemKind::WouldRemoveCredentials | ProblemKind::EmptyReplacement => Self::Guarded,
            ProblemKind::NotFound | ProblemKind::Method | ProblemKind::Busy | ProblemKind::Full => {
                Self::Absent
            }
            ProblemKind::EngineFailed => Self::Unknown,
            ProblemKind::WriteFailed | ProblemKind::ReloadFailed => Self::Failed,
        }
    }
}

/// Of a server that does not say which problem it is; a failure inside may come after the change.
fn of_status(status: u16, applies: bool) -> Exit {
    match status {
        401 | 403 | 407 | 429 => Exit::Denied,
        404 | 405 | 410 | 503 => Exit::Absent,
        409 | 412 => Exit::Conflict,
        400..=499 => Exit::Invalid,
        _ if applies => Exit::Unknown,
        _ => Exit::Failed,
    }
}

impl From<&StoreError> for Exit {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::PermissionDenied { .. }
            | StoreError::Untrusted { .. }
            | StoreError::PlantedLink { .. } => Self::Denied,
            StoreError::StateFolder { .. } if error.is_out_of_order() => Self::Failed,
            StoreError::StateFolder { .. } => Self::Denied,
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
            assert_eq!((Exit::from(&error), error.hint().is_some()), (Exit::Denied, true), "{denied}");
        }
        for failed in [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::INTR] {
            let error = error(failed);
            assert_eq!((Exit::from(&error), error.hint().is_some()), (Exit::Failed, false), "{failed}");
        }
    }
}
