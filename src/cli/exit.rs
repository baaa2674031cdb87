//! The exit codes, and what leads to which.

use std::process::ExitCode;

use signal_hook::consts::SIGTERM;

use crate::engine::ErrorKind;
use crate::http::client::{ClientError, ServerRefusal};
use crate::http::protocol::problem::ProblemKind;

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
