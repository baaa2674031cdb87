//! The exit codes.

use std::process::ExitCode;

use signal_hook::consts::SIGTERM;

use crate::engine::ErrorKind;

macro_rules! exits {
    ($($exit:ident $code:literal $meaning:literal,)*) => {
        /// The exit code of a command. The numbers are stable: scripts rely on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Exit {
            $(#[doc = $meaning] $exit = $code,)*
        }

        /// Every exit code with its meaning, as the manual page has it.
        pub const EXIT_CODES: &[(Exit, &str)] = &[$((Exit::$exit, $meaning),)*];
    };
}

exits! {
    Done 0 "done, or no difference",
    Different 1 "a difference was found (diff, fmt --check); a change is unsaved or pending, or the file has errors (status)",
    Usage 2 "usage error",
    Invalid 3 "invalid configuration, JSON, path or value",
    Denied 4 "authentication failed, or no permission to open the file or create its state folder",
    Conflict 5 "conflict: changed meanwhile, or the lock is busy",
    Guarded 6 "refused by a guard",
    Absent 7 "not found or not reachable, nothing changed: missing file, absent path, no server",
    Unknown 8 "outcome unknown: the connection broke after the request was sent",
    Failed 9 "I/O or internal failure, nothing changed",
    Changed 10 "something changed, or would change (--exit-code)",
    Partly 11 "of several servers, some were read or changed, and others not; a list says which. Of the nodes of a cluster, some do not run the change (status --exit-code, wait --rolled-out, --wait)",
    Broken 12 "a thread of `serve` failed, so the server ended; it can be started again",
    Interrupted 130 "ended by SIGINT (Ctrl-C); a message says what became of a change under way",
    Terminated 143 "ended by SIGTERM; likewise",
}

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
