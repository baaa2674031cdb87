//! Why an operation did not happen.

use std::fmt;
use std::sync::Arc;

use super::conflict::Conflict;
use super::guard::Guard;
use super::hook::{HookFailure, HookReason};
use super::outcome::PendingInfo;
use super::snapshot::Snapshot;
use crate::edit::expect::Unmet;
use crate::edit::misfit::PathFault;
use crate::edit::request::RequestError;
use crate::edit::{EditError, Faults, Unproved};
use crate::store::{ChangeRef, StoreError};
use crate::syntax::MAX_DIAGNOSTICS;

/// Why an operation did not happen; the file is as it was, unless the variant says otherwise.
#[derive(Debug)]
pub enum EngineError {
    /// The file could not be found, locked, read or written.
    Store(StoreError),
    /// The text that is there has errors: it is neither shown as JSON nor changed.
    BadConfig(Arc<Snapshot>),
    /// The text that is to be saved has errors.
    BadText(Arc<Snapshot>),
    /// The text that is to be saved holds a mask.
    MaskedText,
    /// The patch asks for something that can't be.
    BadPatch(Faults),
    /// A refusal made by the code that computes the patch; it explains itself.
    BadAssignments(Vec<PathFault>),
    /// The new text does not say what was asked for: a defect of this program.
    Unproved(Unproved),
    /// A guard stands before it.
    Guarded(Guard),
    /// The check command refused the new text.
    CheckFailed(HookFailure),
    /// The reload command failed.
    ReloadFailed {
        /// How it failed.
        failure: HookFailure,
        /// What is in the file now.
        aftermath: Aftermath,
    },
    /// A signal came while the check command ran: nothing was changed.
    CheckInterrupted {
        /// The signal.
        signal: i32,
    },
    /// A signal came while the reload command ran.
    ReloadInterrupted {
        /// The signal.
        signal: i32,
        /// What is in the file now.
        aftermath: Aftermath,
    },
    /// Only a running server has a running configuration.
    NoServer,
    /// The running configuration is not the one that the change was made for, or the file is not.
    Stale,
    /// The change was made for a certain configuration, and the file was edited by hand since it was
    /// loaded.
    HandEditedSince,
    /// The link that leads to the file leads elsewhere by now.
    Moved,
    /// The file was edited by hand since it was loaded, and the change does not fit beside that.
    HandEdited {
        /// The places that both touch; none where the file is gone, or another update is unsaved.
        conflicts: Vec<Conflict>,
    },
    /// The file was edited by hand since it was loaded, and has errors now.
    HandEditedBadly {
        /// The file with its diagnostics.
        file: Arc<Snapshot>,
        /// Whether the change was made for a certain configuration.
        is_conditional: bool,
    },
    /// Another change waits to be confirmed.
    Pending(PendingInfo),
    /// No change waits to be confirmed.
    NothingPending,
    /// Another change waits to be confirmed than the one that is meant.
    OtherPending,
    /// The history does not go back so far.
    NoSuchChange {
        /// Which change.
        which: ChangeRef,
        /// How many it has.
        known: usize,
    },
    /// There is no text before a change, or it is not kept any more.
    NotKept {
        /// Which change.
        which: ChangeRef,
    },
    /// The configuration is not what the change was to be made for.
    Unexpected(Vec<Unmet>),
    /// Another change was under way for all the time we would wait.
    Busy,
    /// The time of the request was over before the change was written.
    TooLate,
}

/// What is in the file after a reload that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aftermath {
    /// The old text.
    Restored,
    /// Nothing, as before.
    Removed,
    /// A text of somebody else.
    ChangedMeanwhile,
    /// The new text: the old one could not be put back.
    NotRestored,
}

impl Aftermath {
    fn in_words(self) -> &'static str {
        match self {
            Self::Restored | Self::Removed => "the change was rolled back",
            Self::ChangedMeanwhile => "the file was changed meanwhile and is left as it is",
            Self::NotRestored => "the change stands, as the old configuration could not be put back",
        }
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Faults> for EngineError {
    fn from(faults: Faults) -> Self {
        Self::BadPatch(faults)
    }
}

impl From<RequestError> for EngineError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Patch(faults) => Self::BadPatch(faults),
            RequestError::Assignments(faults) => Self::BadAssignments(faults),
            RequestError::Unmet(unmet) => Self::Unexpected(unmet),
        }
    }
}

impl From<EditError> for EngineError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Faults(faults) => Self::BadPatch(faults),
            EditError::Unproved(unproved) => Self::Unproved(unproved),
        }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::BadConfig(snapshot) => write!(f, "the configuration has {}", errors(snapshot)),
            Self::BadText(snapshot) => write!(f, "the new configuration has {}", errors(snapshot)),
            Self::MaskedText => f.write_str("the new configuration holds a mask where a secret should be"),
            Self::BadPatch(faults) => join(f, faults.0.iter()),
            Self::BadAssignments(faults) => join(f, faults.iter()),
            Self::Unproved(unproved) => write!(f, "the edit of `{}` could not be proved right", unproved.at),
            Self::Guarded(guard) => guard.fmt(f),
            Self::CheckFailed(failure) => write!(f, "the check command {failure}"),
            Self::ReloadFailed { failure, .. } => write!(f, "the reload command {failure}"),
            Self::CheckInterrupted { .. } => {
                f.write_str("interrupted while the check command ran: nothing was changed")
            }
            Self::ReloadInterrupted { aftermath, .. } => {
                write!(f, "interrupted while the reload command ran: {}", aftermath.in_words())
            }
            Self::Stale => f.write_str("the configuration was changed meanwhile"),
            Self::HandEditedSince => f.write_str("the file was changed by hand since it was loaded"),
            Self::Moved => {
                f.write_str("the link to the configuration leads elsewhere since the server was started")
            }
            Self::HandEdited { conflicts } => match &conflicts[..] {
                [] => f.write_str("the file was changed by hand since it was loaded"),
                [one] => write!(f, "{}: the file was changed by hand here since it was loaded", one.pointer),
                [first, ..] => write!(
                    f,
                    "{} and {} more: the file was changed by hand here since it was loaded",
                    first.pointer,
                    conflicts.len() - 1
                ),
            },
            Self::HandEditedBadly { file, .. } => {
                write!(f, "the file was changed by hand since it was loaded, and has {}", errors(file))
            }
            Self::Busy => f.write_str("another change is under way"),
            Self::TooLate => f.write_str("the change took longer than its request may, and was given up"),
            Self::Pending(waiting) => write!(
                f,
                "a change by {} waits to be confirmed, for another {} s",
                if waiting.by.is_empty() { "somebody" } else { &waiting.by },
                waiting.seconds_left
            ),
            Self::NothingPending => f.write_str("no change waits to be confirmed"),
            Self::OtherPending => f.write_str("another change waits to be confirmed than this one"),
            Self::NoSuchChange { which, known: 0 } => {
                write!(f, "there is no `{which}`: the history has no changes")
            }
            Self::NoSuchChange { which, known } => {
                write!(f, "there is no `{which}`: the history goes back to `@{known}`")
            }
            Self::NotKept { which } => write!(f, "the text before `{which}` is not kept"),
            Self::Unexpected(unmet) => join(f, unmet.iter()),
            Self::NoServer => {
                f.write_str("no server runs over this file, so there is no running configuration")
            }
        }
    }
}

fn errors(snapshot: &Snapshot) -> String {
    match snapshot.diagnostics().errors() {
        1 => "an error".to_owned(),
        count => format!("{count} errors"),
    }
}

fn join<T: fmt::Display>(f: &mut fmt::Formatter<'_>, mut faults: impl Iterator<Item = T>) -> fmt::Result {
    for (at, fault) in faults.by_ref().take(MAX_DIAGNOSTICS).enumerate() {
        write!(f, "{}{fault}", if at > 0 { "; " } else { "" })?;
    }
    match faults.count() {
        0 => Ok(()),
        more => write!(f, "; and {more} more"),
    }
}

impl EngineError {
    /// Why the check command did not let a change pass.
    pub(super) fn of_check(failure: HookFailure) -> Self {
        match failure.reason {
            HookReason::Interrupted(signal) => Self::CheckInterrupted { signal },
            _ => Self::CheckFailed(failure),
        }
    }

    /// Why the reload command did not accept a change, and what is in the file since.
    pub(super) fn of_reload(failure: HookFailure, aftermath: Aftermath) -> Self {
        match failure.reason {
            HookReason::Interrupted(signal) => Self::ReloadInterrupted { signal, aftermath },
            _ => Self::ReloadFailed { failure, aftermath },
        }
    }

    /// The message without what hooks printed, which may hold anything.
    pub fn without_output(&self) -> String {
        match self {
            Self::CheckFailed(failure) => format!("the check command {}", failure.reason),
            Self::ReloadFailed { failure, .. } => format!("the reload command {}", failure.reason),
            _ => self.to_string(),
        }
    }

    /// Advice, where there is any that is not in the message already.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Store(error) => return error.hint(),
            Self::BadConfig(_) => "`mediactl check` shows them; `mediactl read -o conf` still shows the text",
            Self::BadText(_) => "nothing was written",
            Self::MaskedText => "with `--show-secrets`, what shows a text gives one that can be saved",
            Self::TooLate => "nothing was written; send less at once, or look at the check command",
            Self::Unproved(_) => "nothing was written; this is a defect of mediactl, please report it",
            Self::Guarded(guard) => return Some(guard.hint()),
            Self::CheckFailed(_) => "nothing was written",
            Self::ReloadFailed { aftermath: Aftermath::Restored, .. } => "the old configuration is back",
            Self::ReloadFailed { aftermath: Aftermath::Removed, .. } => {
                "there was no configuration before, and there is none again"
            }
            Self::ReloadFailed { aftermath: Aftermath::ChangedMeanwhile, .. } => {
                "somebody else changed the file meanwhile, so it is left as it is"
            }
            Self::ReloadFailed { aftermath: Aftermath::NotRestored, .. } => {
                "the old configuration could not be put back, so the new one stays"
            }
            Self::NoServer => {
                "`mediactl save FILE` replaces the file; `mediactl serve` starts a server over it"
            }
            Self::Stale => "read the configuration again and repeat the change",
            Self::Moved => "start the server again",
            Self::HandEdited { .. } | Self::HandEditedSince => {
                "`mediactl diff` shows what is in the file; `update` with it loads it, `--force` overwrites it"
            }
            Self::HandEditedBadly { .. } => {
                "`mediactl check` shows what is wrong in the file; mend it there, or overwrite it with `--force`"
            }
            Self::Busy => "try again when it is done",
            Self::Pending(_) => "`mediactl confirm` keeps it, `mediactl confirm --revert` takes it back",
            Self::NothingPending => "it was confirmed already, or taken back when its time was over",
            Self::OtherPending => "`mediactl status` shows which",
            Self::NoSuchChange { .. } | Self::NotKept { .. } => "`mediactl history` shows what is kept",
            Self::Unexpected(_) => "nothing was changed",
            Self::CheckInterrupted { .. }
            | Self::ReloadInterrupted { .. }
            | Self::BadPatch(_)
            | Self::BadAssignments(_) => return None,
        };
        Some(hint.to_owned())
    }
}

impl std::error::Error for EngineError {}
