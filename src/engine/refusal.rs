//! The reason why an operation was refused or failed. It is made where the reason is found, and travels
//! unchanged: terminals show it, and a problem over HTTP is made of it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::feature::Feature;
use super::guard::Guard;
use super::refusal_kind::{ErrorKind, RefusalKind};
use super::snapshot::Snapshot;
use super::trouble::Trouble;
use crate::store::{PendingInfo, StoreError};
use mediaconf::plumbing::edit::{EditError, Fault, FaultKind, Faults, joined};
use mediaconf::plumbing::model::Masker;
use mediaconf::plumbing::syntax::{Diagnostics, LineIndex, Severity};

/// The hint where new warnings are refused.
pub const WITHOUT_STRICT: &str = "without `--strict` it is made all the same";

/// The hint for a path without a value if no similar name is known.
const ALL_PATHS: &str = "`mediactl read -o set` shows all paths";

/// Why something was not done; the configuration is as it was, unless the message says otherwise.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refusal {
    pub kind: RefusalKind,
    /// Lower case, no full stop.
    pub message: String,
    /// The advice, in the words of the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The faults, place by place, if there are places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The number of further faults.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unlisted: usize,
    /// The guard that refused the change, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// The message without what hooks printed, which may hold anything.
    #[serde(skip)]
    pub brief: Option<String>,
    /// The signal that ended the work.
    #[serde(skip)]
    pub signal: Option<i32>,
    /// The HTTP status with which a server refused.
    #[serde(skip)]
    pub status: Option<u16>,
    /// The feature that the server lacks.
    #[serde(skip)]
    pub feature: Option<Feature>,
    /// The text whose errors are the reason.
    #[serde(skip)]
    pub text: Option<Arc<Snapshot>>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            faults: Vec::new(),
            unlisted: 0,
            guard: None,
            brief: None,
            signal: None,
            status: None,
            feature: None,
            text: None,
        }
    }

    /// The same refusal with advice.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same refusal with its faults, place by place.
    #[must_use]
    pub fn with_faults(self, faults: Vec<Fault>) -> Self {
        Self { faults, ..self }
    }

    /// The same refusal with at most [`Diagnostics::MAX`] faults; the others are counted.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.unlisted += self.faults.len().saturating_sub(Diagnostics::MAX);
        self.faults.truncate(Diagnostics::MAX);
        self
    }

    /// The same refusal, and what may be told of it without the output of hooks.
    #[must_use]
    pub fn in_brief(self, brief: impl Into<String>) -> Self {
        Self { brief: Some(brief.into()), ..self }
    }

    /// The same refusal of work that a signal ended.
    #[must_use]
    pub fn by_signal(self, signal: i32) -> Self {
        Self { signal: Some(signal), ..self }
    }

    /// The present text has errors: it can be neither shown as JSON nor changed.
    pub fn bad_config(text: Arc<Snapshot>) -> Self {
        Self::broken(RefusalKind::BadConfig, "the configuration", text)
            .hint("`mediactl check` shows them; `mediactl read -o conf` still shows the text")
    }

    /// A new text has errors.
    pub fn bad_new_text(text: Arc<Snapshot>) -> Self {
        Self::broken(RefusalKind::BadNewText, "the new configuration", text).hint("nothing was written")
    }

    fn broken(kind: RefusalKind, what: &str, text: Arc<Snapshot>) -> Self {
        let message = format!("{what} has {}", text.errors_in_words());
        let faults: Vec<Fault> = errors_of(None, &text, text.diagnostics()).collect();
        let unlisted = text.diagnostics().errors().saturating_sub(faults.len());
        Self { faults, unlisted, text: Some(text), ..Self::new(kind, message) }
    }

    /// A new text holds a mask; `None` if it does not.
    pub fn masked_text(text: &str) -> Option<Self> {
        if !Masker::holds_mask(text) {
            return None;
        }
        let line = text.lines().position(Masker::holds_mask)? + 1;
        let message =
            format!("line {line} of the new configuration holds a mask, not the secret it stands for");
        let fault =
            Fault { line: Some(line), ..Fault::plain("this is a mask, not the secret it stands for") };
        let hint = "`--show-secrets` shows the secrets themselves; such a text can be saved";
        Some(Self::new(RefusalKind::MaskedValue, message).hint(hint).with_faults(vec![fault.hint(hint)]))
    }

    /// Only a running server has a running configuration.
    pub fn no_server() -> Self {
        let message = "no server runs over this file, so there is no running configuration";
        Self::new(RefusalKind::NoServer, message)
            .hint("`mediactl save FILE` replaces the file; `mediactl serve` starts a server over it")
    }

    /// No change has to be confirmed.
    pub fn nothing_pending() -> Self {
        Self::new(RefusalKind::NothingPending, "no change waits to be confirmed")
            .hint("it was already confirmed, or rolled back on timeout")
    }

    /// Another change has to be confirmed first.
    pub fn pending(pending: &PendingInfo) -> Self {
        Self::new(RefusalKind::Pending, pending.in_words())
            .hint("`mediactl confirm` keeps it, `mediactl confirm --revert` rolls it back")
    }

    /// The confirmation names another change than the pending one.
    pub fn other_pending() -> Self {
        Self::new(RefusalKind::OtherPending, "a different change is pending")
            .hint("`mediactl status` shows which")
    }

    /// The server lacks a feature; nothing was sent that relies on it.
    pub fn not_offered(service: &str, feature: Feature) -> Self {
        let message = format!("the server at `{service}` does not offer {}", feature.noun());
        let refusal =
            Self::new(RefusalKind::NotOffered, message).hint("nothing that needs it was sent to this server");
        Self { feature: Some(feature), ..refusal }
    }

    /// The change is made in the cluster, and this node does not take it.
    pub fn not_run_here(state: impl fmt::Display, why: &Trouble) -> Self {
        let message = |why: &str| format!("this node does not run what the cluster has (`{state}`): {why}");
        Self::new(RefusalKind::ReloadFailed, message(&why.whole))
            .in_brief(message(&why.brief))
            .hint("the cluster has the change; `mediactl status` shows the state of this node")
    }

    /// The meaning for the caller.
    pub fn error_kind(&self) -> ErrorKind {
        self.signal.map_or(self.kind.error_kind(), |signal| ErrorKind::Interrupted { signal })
    }

    /// The message without what hooks printed.
    pub fn brief(&self) -> &str {
        self.brief.as_deref().unwrap_or(&self.message)
    }

    /// True if the request is wrong for this configuration: then the message is the same here and over a
    /// server.
    pub fn is_of_request(&self) -> bool {
        self.guard.is_some()
            || matches!(
                self.kind,
                RefusalKind::AbsentPath
                    | RefusalKind::BadPath
                    | RefusalKind::Unexpected
                    | RefusalKind::NearMiss
                    | RefusalKind::FormChange
                    | RefusalKind::NewWarnings
                    | RefusalKind::NotJson
                    | RefusalKind::WrongType
                    | RefusalKind::ReadOnly
                    | RefusalKind::MaskedValue
            )
    }
}

/// The errors of a text, whose file is named where it is an included one. Its warnings refuse nothing.
pub fn errors_of<'d>(
    file: Option<&'d str>,
    text: &'d Snapshot,
    found: &'d Diagnostics,
) -> impl Iterator<Item = Fault> + 'd {
    let lines = LineIndex::new(text.document().text());
    let errors = found.iter().filter(|found| found.severity == Severity::Error);
    errors.map(move |found| {
        let position = lines.position(found.span.start);
        Fault {
            message: found.message.clone(),
            file: file.map(str::to_owned),
            line: Some(position.line),
            column: Some(position.column),
            hint: found.hint.clone(),
            ..Fault::default()
        }
    })
}

impl From<Guard> for Refusal {
    fn from(guard: Guard) -> Self {
        let refusal = Self::new(guard.refusal_kind(), guard.to_string()).hint(guard.hint());
        Self { guard: Some(guard), ..refusal }
    }
}

impl From<Faults> for Refusal {
    fn from(Faults(mut faults): Faults) -> Self {
        let kind = match faults.first().map_or(FaultKind::NotJson, |first| first.kind) {
            FaultKind::NotJson => RefusalKind::NotJson,
            FaultKind::TooLarge => RefusalKind::TooLarge,
            FaultKind::WrongType => RefusalKind::WrongType,
            FaultKind::ReadOnly => RefusalKind::ReadOnly,
            FaultKind::MaskedValue => RefusalKind::MaskedValue,
            FaultKind::FormChange => RefusalKind::FormChange,
            FaultKind::NearMiss => RefusalKind::NearMiss,
            FaultKind::Path | FaultKind::Absent if faults.iter().all(Fault::is_absent) => {
                RefusalKind::AbsentPath
            }
            FaultKind::Path | FaultKind::Absent => RefusalKind::BadPath,
            FaultKind::Unexpected => {
                return Self::new(RefusalKind::Unexpected, joined(&faults)).hint("nothing was changed");
            }
        };
        let message = joined(&faults);
        for fault in faults.iter_mut().filter(|fault| fault.is_absent()) {
            fault.hint.get_or_insert_with(|| ALL_PATHS.to_owned());
        }
        Self::new(kind, message).with_faults(faults)
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Faults::from(fault).into()
    }
}

impl From<EditError> for Refusal {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Faults(faults) => faults.into(),
            EditError::Unproved(unproved) => Self::new(RefusalKind::Unproved, unproved.to_string())
                .hint("nothing was written; this is a bug in mediactl, please report it"),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let refusal = Self::new(kind_of(&error), error.to_string());
        Self { hint: error.hint(), ..refusal }
    }
}

fn kind_of(error: &StoreError) -> RefusalKind {
    match error {
        StoreError::StateFolder { .. } if error.is_out_of_order() => RefusalKind::WriteFailed,
        StoreError::PermissionDenied { .. }
        | StoreError::StateFolder { .. }
        | StoreError::Untrusted { .. }
        | StoreError::PlantedLink { .. }
        | StoreError::Refused { .. } => RefusalKind::NoPermission,
        StoreError::Busy { .. } | StoreError::Serving { .. } => RefusalKind::Locked,
        StoreError::ChangedMeanwhile { .. } => RefusalKind::Conflict,
        StoreError::Overtaken { .. } => RefusalKind::Overtaken,
        StoreError::NotFound { .. } => RefusalKind::NoConfiguration,
        StoreError::DanglingLink { .. } | StoreError::LinkLoop { .. } | StoreError::NotAFile { .. } => {
            RefusalKind::NotFound
        }
        StoreError::Altered { .. } => RefusalKind::NotKept,
        StoreError::TooLarge { .. } => RefusalKind::AnswerTooLarge,
        StoreError::Unreachable { .. } => RefusalKind::ClusterUnavailable,
        StoreError::OutcomeUnknown { .. } => RefusalKind::OutcomeUnknown,
        StoreError::Torn { .. }
        | StoreError::Remote { .. }
        | StoreError::Damaged { .. }
        | StoreError::OtherFormat { .. }
        | StoreError::Former { .. }
        | StoreError::NoSocket { .. }
        | StoreError::Io { .. } => RefusalKind::WriteFailed,
    }
}

impl From<&Refusal> for Trouble {
    fn from(refusal: &Refusal) -> Self {
        Self { whole: refusal.to_string(), brief: refusal.brief().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_state_folder_fails_for_want_of_permission_or_otherwise() {
        let of = |answer: Errno| {
            let refusal =
                Refusal::from(StoreError::StateFolder { path: "media.conf".into(), source: answer.into() });
            (refusal.error_kind(), refusal.hint.is_some())
        };
        for denied in [Errno::ACCESS, Errno::PERM, Errno::ROFS, Errno::NOTDIR] {
            assert_eq!(of(denied), (ErrorKind::Denied, true), "{denied}");
        }
        for failed in [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::INTR] {
            assert_eq!(of(failed), (ErrorKind::Failed, false), "{failed}");
        }
        // As a draft fails, whose error names its path.
        let source = io::Error::new(io::ErrorKind::StorageFull, "no space left at path `x`");
        let refusal = Refusal::from(StoreError::StateFolder { path: "media.conf".into(), source });
        assert_eq!((refusal.error_kind(), refusal.hint), (ErrorKind::Failed, None));
    }
}
