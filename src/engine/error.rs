//! Why an operation failed.

use std::sync::Arc;

use thiserror::Error;

use super::canary::CanaryFault;
use super::composed_fault::ComposedFault;
use super::conflict::Conflict;
use super::guard::Guard;
use super::hook::{HookFailure, HookReason};
use super::new_warnings::NewWarning;
use super::outcome::PendingInfo;
use super::passed_over::PassedOver;
use super::snapshot::Snapshot;
use super::trouble::Trouble;
use crate::store::{ChangeRef, StoreError};
use mediaconf::edit::block_request::BlockError;
use mediaconf::edit::expect::Unmet;
use mediaconf::edit::misfit::PathFault;
use mediaconf::edit::request::{RequestError, joined};
use mediaconf::edit::{EditError, Faults, Unproved};

/// The hint where new warnings are refused.
pub const WITHOUT_STRICT: &str = "without `--strict` it is made all the same";

/// Why an operation failed; the file is as it was, unless the variant says otherwise.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The file could not be found, locked, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The present text has errors: it can be neither shown as JSON nor changed.
    #[error("the configuration has {}", errors(.0))]
    BadConfig(Arc<Snapshot>),
    /// The new text has errors.
    #[error("the new configuration has {}", errors(.0))]
    BadText(Arc<Snapshot>),
    /// The new text has errors together with what it includes, which were not there before.
    #[error("{}", joined(.0))]
    BadIncludes(Vec<ComposedFault>),
    /// The new text has warnings that were not there before, and they are to be refused.
    #[error("the change brings a warning: {}", joined(.0))]
    NewWarnings(Vec<NewWarning>),
    /// The new text holds a mask.
    #[error("the new configuration holds a mask where a secret should be")]
    MaskedText,
    /// The patch has faults.
    #[error("{}", joined(&.0.0))]
    BadPatch(Faults),
    /// The assignments or the expectations have faults.
    #[error("{}", joined(.0))]
    BadAssignments(Vec<PathFault>),
    /// The change also matches entries of included files, which it would pass over.
    #[error("the change also matches {0}")]
    PassedOver(PassedOver),
    /// The new text does not have the values that the request asks for: a defect of this program.
    #[error("the edit of `{}` could not be verified", .0.at)]
    Unproved(Unproved),
    /// A guard refused the change.
    #[error("{0}")]
    Guarded(Guard),
    /// The check command refused the new text.
    #[error("the check command {0}")]
    CheckFailed(HookFailure),
    /// The reload command failed.
    #[error("the reload command {failure}")]
    ReloadFailed { failure: HookFailure, aftermath: Aftermath },
    /// A signal came while the check command ran: nothing was changed.
    #[error("interrupted while the check command ran: nothing was changed")]
    CheckInterrupted { signal: i32 },
    /// A signal came while the reload command ran.
    #[error("interrupted while the reload command ran: {}", .aftermath.in_words())]
    ReloadInterrupted { signal: i32, aftermath: Aftermath },
    /// Only a running server has a running configuration.
    #[error("no server runs over this file, so there is no running configuration")]
    NoServer,
    /// The configuration of a cluster is run by its nodes.
    #[error("a cluster has no running configuration of its own: its nodes run what is in it")]
    NodesRunIt,
    /// The change was made for another running configuration.
    #[error("the configuration was changed meanwhile")]
    Stale,
    /// The change was made for a certain configuration, and the file was edited by hand since it was
    /// loaded.
    #[error("the file was changed by hand since it was loaded")]
    HandEditedSince,
    /// The link to the file now leads to another file.
    #[error("the link to the configuration was changed since the server started")]
    Moved,
    /// The file was edited by hand since it was loaded, and the change conflicts with the edit.
    #[error("{}", hand_edited(.conflicts))]
    HandEdited {
        /// The conflicts; empty if the file is gone, or if another update is unsaved.
        conflicts: Vec<Conflict>,
    },
    /// The file was edited by hand since it was loaded, and has errors now.
    #[error("the file was changed by hand since it was loaded, and has {}", errors(.file))]
    HandEditedBadly {
        file: Arc<Snapshot>,
        /// Whether the change was made for a certain configuration.
        is_conditional: bool,
    },
    /// Another change has to be confirmed first.
    #[error("{}", .0.in_words())]
    Pending(Box<PendingInfo>),
    /// The change can't begin on the nodes that are named.
    #[error("{0}")]
    Canary(CanaryFault),
    /// No change has to be confirmed.
    #[error("no change waits to be confirmed")]
    NothingPending,
    /// The confirmation names another change than the pending one.
    #[error("a different change is pending")]
    OtherPending,
    /// The history does not go back that far.
    #[error("there is no `{which}`: the history {}", reach(*.known))]
    NoSuchChange {
        which: ChangeRef,
        /// How many changes the history has.
        known: usize,
    },
    /// No text is kept from before a change: there was none, or it was removed from the history.
    #[error("the text before `{which}` is not kept")]
    NotKept { which: ChangeRef },
    /// The configuration has other values than the expected ones.
    #[error("{}", joined(.0))]
    Unexpected(Vec<Unmet>),
    /// Another change was under way during the whole wait.
    #[error("another change is under way")]
    Busy,
    /// The check commands of other dry runs were under way, or ahead, during the whole wait.
    #[error("other dry runs wait for the check command")]
    ManyRehearsals,
    /// A whole text of a node that has values of its own can't become that of the cluster.
    #[error("this node has values of its own (overlay), so its text can't become that of the cluster")]
    Overlaid,
    /// The change is made in the cluster, and this node does not take it.
    #[error("this node does not run what the cluster has (`{state}`): {}", .why.whole)]
    NotRunHere { state: String, why: Trouble },
    /// The request timed out before the change was written.
    #[error("the change took longer than a request may take, and was aborted")]
    TooLate,
}

/// The state of the file after a change was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aftermath {
    /// The old text is back.
    Restored,
    /// The file is removed again: it did not exist before.
    Removed,
    /// Another program changed or removed it meanwhile, and it stays so.
    ChangedMeanwhile,
    /// Another program changed it meanwhile: the change was taken out of it, and the rest stays.
    Merged,
    /// Another program changed it meanwhile, so that it has errors now, and it stays with what was not
    /// confirmed.
    Broken,
    /// The new text stays: the old one could not be put back.
    NotRestored,
}

impl Aftermath {
    /// Whether an edit by another program stays in the file.
    pub fn is_hand_edit(self) -> bool {
        matches!(self, Self::ChangedMeanwhile | Self::Merged | Self::Broken)
    }

    /// Whether it can't be told if the change is still in it, because it has errors or is away.
    pub(super) fn may_leave_change(self) -> bool {
        matches!(self, Self::ChangedMeanwhile | Self::Broken)
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Restored | Self::Removed => "the change was rolled back",
            Self::ChangedMeanwhile | Self::Broken => "the file was changed meanwhile and is left as it is",
            Self::Merged => "the change was taken out of a file that was changed meanwhile",
            Self::NotRestored => "the change stands, as the old configuration could not be put back",
        }
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

impl From<BlockError> for EngineError {
    fn from(error: BlockError) -> Self {
        match error {
            BlockError::Faults(faults) => Self::BadAssignments(faults),
            BlockError::Edit(error) => error.into(),
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

impl From<&EngineError> for Trouble {
    fn from(error: &EngineError) -> Self {
        Self { whole: error.to_string(), brief: error.without_output() }
    }
}

/// How many errors a text has, in words.
fn errors(snapshot: &Snapshot) -> String {
    match snapshot.diagnostics().errors() {
        1 => "an error".to_owned(),
        count => format!("{count} errors"),
    }
}

fn hand_edited(conflicts: &[Conflict]) -> String {
    let message = "the file was changed by hand";
    match conflicts {
        [] => format!("{message} since it was loaded"),
        [one] => format!("{}: {message} here since it was loaded", one.pointer),
        [first, more @ ..] => {
            format!("{} and {} more: {message} here since it was loaded", first.pointer, more.len())
        }
    }
}

fn reach(known: usize) -> String {
    match known {
        0 => "has no changes".to_owned(),
        known => format!("goes back to `@{known}`"),
    }
}

impl EngineError {
    /// The error for a check command that failed.
    pub(super) fn of_check(failure: HookFailure) -> Self {
        match failure.reason {
            HookReason::Interrupted(signal) => Self::CheckInterrupted { signal },
            _ => Self::CheckFailed(failure),
        }
    }

    /// The error for a reload command that failed; `aftermath` is the state of the file.
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
            Self::NotRunHere { state, why } => {
                Self::NotRunHere { state: state.clone(), why: Trouble::new(&why.brief) }.to_string()
            }
            _ => self.to_string(),
        }
    }

    /// Advice, where there is any that is not in the message already.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Store(error) => return error.hint(),
            Self::BadConfig(_) => "`mediactl check` shows them; `mediactl read -o conf` still shows the text",
            Self::BadText(_) | Self::BadIncludes(_) => "nothing was written",
            Self::NewWarnings(_) => WITHOUT_STRICT,
            Self::MaskedText => "`--show-secrets` shows the secrets themselves; such a text can be saved",
            Self::TooLate => "nothing was written; make smaller changes, or a faster check command",
            Self::Unproved(_) => "nothing was written; this is a bug in mediactl, please report it",
            Self::PassedOver(passed) => {
                let file = passed.first_file();
                return Some(format!(
                    "`--skip-included` leaves them alone; `--conf {file}` changes those of that file"
                ));
            }
            Self::Guarded(guard) => return Some(guard.hint()),
            Self::CheckFailed(_) => "nothing was written",
            Self::ReloadFailed { aftermath: Aftermath::Restored, .. } => "the old configuration is back",
            Self::ReloadFailed { aftermath: Aftermath::Removed, .. } => {
                "there was no configuration before the change, so the file was removed"
            }
            Self::ReloadFailed {
                aftermath: Aftermath::ChangedMeanwhile | Aftermath::Merged | Aftermath::Broken,
                ..
            } => "another program changed the file meanwhile, so it is left as it is",
            Self::ReloadFailed { aftermath: Aftermath::NotRestored, .. } => {
                "the old configuration could not be put back, so the new one stays"
            }
            Self::NoServer => {
                "`mediactl save FILE` replaces the file; `mediactl serve` starts a server over it"
            }
            Self::NodesRunIt => {
                "`mediactl save FILE` replaces what is in it; `mediactl update FILE` on a node is for that node alone"
            }
            Self::Stale => "read the configuration again and repeat the change",
            Self::Moved => "start the server again",
            Self::HandEdited { .. } | Self::HandEditedSince => {
                "`mediactl diff` shows the difference; `mediactl update FILE` loads the file, `--force` overwrites it"
            }
            Self::HandEditedBadly { .. } => {
                "`mediactl check` shows the errors; correct the file, or overwrite it with `--force`"
            }
            Self::Busy => "try again when it is done",
            Self::ManyRehearsals => "try again when they are done",
            Self::Canary(fault) => fault.hint(),
            Self::Pending(pending) if !pending.canary.is_empty() => {
                "wait until they do: `mediactl status` shows it; `mediactl confirm --revert` rolls it back"
            }
            Self::Pending(_) => "`mediactl confirm` keeps it, `mediactl confirm --revert` rolls it back",
            Self::NothingPending => "it was already confirmed, or rolled back on timeout",
            Self::OtherPending => "`mediactl status` shows which",
            Self::NoSuchChange { .. } | Self::NotKept { .. } => "`mediactl history` shows what is kept",
            Self::Overlaid => {
                "change single values, or use `--cluster`; `mediactl overlay list` shows the values"
            }
            Self::NotRunHere { .. } => {
                "the cluster has the change; `mediactl status` shows the state of this node"
            }
            Self::Unexpected(_) => "nothing was changed",
            Self::CheckInterrupted { .. }
            | Self::ReloadInterrupted { .. }
            | Self::BadPatch(_)
            | Self::BadAssignments(_) => return None,
        };
        Some(hint.to_owned())
    }
}
