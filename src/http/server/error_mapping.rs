//! Maps errors of the engine to problem documents.

use crate::engine::{
    Composed, Conflict, EngineError, Guard, NewWarning, RequestRefusal, ServiceError, Snapshot,
};
use crate::http::protocol::headers::SKIP_INCLUDED;
use crate::http::protocol::masked::masked_text;
use crate::http::protocol::problem::{Problem, ProblemFault, ProblemKind};
use crate::store::StoreError;
use mediaconf::edit::FaultKind;
use mediaconf::edit::json_pointer::{Pointer, keys_of};
use mediaconf::model::Masker;
use mediaconf::model::redact::{masked_below, masked_keys};
use mediaconf::syntax::{Diagnostics, LineIndex, MAX_DIAGNOSTICS, Severity};

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        problem(&error)
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Engine(error) => problem(&error),
            elsewhere => Self::new(ProblemKind::EngineFailed, masked_text(&elsewhere.to_string())),
        }
    }
}

/// Returns the problem document for an error.
pub fn problem(error: &EngineError) -> Problem {
    let errors = faults(error);
    let detail = match (errors.len(), count_faults(error).saturating_sub(errors.len())) {
        (0 | 1, 0) => error.to_string(),
        (count, 0) => format!("the request has {count} faults"),
        (count, more) => format!("the request has these {count} faults and {more} more"),
    };
    let problem = Problem::new(kind(error), detail).with_errors(errors);
    masked(match error {
        EngineError::TooLate => problem.with_status(504),
        _ => problem,
    })
}

/// The same with the words of a command.
pub fn with_refusal(error: &EngineError) -> Problem {
    let refusal = RequestRefusal::of(error).map(|refusal| {
        let faults = refusal.faults.into_iter();
        let faults = faults.map(|(message, hint)| (masked_text(&message), hint.as_deref().map(masked_text)));
        Box::new(RequestRefusal { faults: faults.collect(), ..refusal })
    });
    Problem { refusal, ..problem(error) }
}

fn kind(error: &EngineError) -> ProblemKind {
    match error {
        EngineError::Store(error) => store_kind(error),
        EngineError::BadConfig(_) | EngineError::BadText(_) | EngineError::BadIncludes(_) => {
            ProblemKind::BadConfig
        }
        EngineError::NewWarnings(_) => ProblemKind::NewWarnings,
        EngineError::MaskedText => ProblemKind::MaskedValue,
        EngineError::BadPatch(faults) => {
            faults.0.first().map_or(ProblemKind::NotJson, |fault| fault_kind(fault.kind))
        }
        EngineError::BadAssignments(_) => ProblemKind::WrongType,
        EngineError::Guarded(guard) => guard_kind(guard),
        // A server does not defer signals, so no signal interrupts its hooks.
        EngineError::CheckFailed(_) | EngineError::CheckInterrupted { .. } => ProblemKind::RejectedByCheck,
        EngineError::ReloadFailed { .. }
        | EngineError::ReloadInterrupted { .. }
        | EngineError::NotRunHere { .. } => ProblemKind::ReloadFailed,
        EngineError::Unproved(_) => ProblemKind::WriteFailed,
        EngineError::PassedOver(_)
        | EngineError::NoServer
        | EngineError::NodesRunIt
        | EngineError::NothingPending
        | EngineError::NoSuchChange { .. }
        | EngineError::NotKept { .. } => ProblemKind::NotFound,
        EngineError::Stale
        | EngineError::HandEditedSince
        | EngineError::HandEditedBadly { is_conditional: true, .. } => ProblemKind::Stale,
        EngineError::Moved
        | EngineError::Overlaid
        | EngineError::HandEditedBadly { .. }
        | EngineError::HandEdited { .. }
        | EngineError::Unexpected(_) => ProblemKind::Conflict,
        EngineError::Canary(_) => ProblemKind::BadParameter,
        EngineError::Busy | EngineError::ManyRehearsals => ProblemKind::Busy,
        EngineError::TooLate => ProblemKind::EngineFailed,
        EngineError::Pending(_) | EngineError::OtherPending => ProblemKind::Pending,
    }
}

/// The faults that the document lists: those of the request, or the error itself with a hint.
fn faults(error: &EngineError) -> Vec<ProblemFault> {
    match error {
        EngineError::BadConfig(snapshot) | EngineError::BadText(snapshot) => {
            diagnostics(None, snapshot, snapshot.diagnostics()).collect()
        }
        EngineError::BadIncludes(faults) => {
            let faults = faults.iter().take(MAX_DIAGNOSTICS).map(|fault| ProblemFault {
                message: fault.message.clone(),
                file: Some(fault.file.clone()),
                line: Some(fault.line),
                hint: fault.hint.clone(),
                ..ProblemFault::default()
            });
            faults.collect()
        }
        EngineError::NewWarnings(warnings) => {
            let fault = |warning: &NewWarning| ProblemFault {
                message: format!("the change brings a warning: {warning}"),
                ..ProblemFault::default()
            };
            let mut faults: Vec<ProblemFault> = warnings.iter().take(MAX_DIAGNOSTICS).map(fault).collect();
            if let Some(last) = faults.last_mut() {
                last.hint = Some("without `strict=true` it is made all the same".to_owned());
            }
            faults
        }
        EngineError::PassedOver(_) => vec![ProblemFault {
            message: error.to_string(),
            hint: Some(format!("`{SKIP_INCLUDED}=true` leaves them alone")),
            ..ProblemFault::default()
        }],
        EngineError::BadPatch(faults) => faults.0.iter().take(MAX_DIAGNOSTICS).map(patch_fault).collect(),
        EngineError::BadAssignments(faults) => {
            let faults = faults.iter().take(MAX_DIAGNOSTICS).map(|fault| ProblemFault {
                message: fault.to_string(),
                hint: fault.misfit.hint.clone(),
                ..ProblemFault::default()
            });
            faults.collect()
        }
        EngineError::HandEdited { conflicts } if !conflicts.is_empty() => conflict(conflicts, error.hint()),
        EngineError::Guarded(guard) => hinted(error, Some(guard_hint(guard))),
        // The hints for these are for the command line, or say what the type of the problem says.
        EngineError::MaskedText
        | EngineError::CheckFailed(_)
        | EngineError::Unproved(_)
        | EngineError::NoServer
        | EngineError::Stale
        | EngineError::Busy
        | EngineError::ManyRehearsals
        | EngineError::Unexpected(_) => Vec::new(),
        error => hinted(error, error.hint()),
    }
}

/// The number of faults, including those that the document does not list.
fn count_faults(error: &EngineError) -> usize {
    match error {
        EngineError::BadConfig(snapshot) | EngineError::BadText(snapshot) => snapshot.diagnostics().errors(),
        EngineError::BadIncludes(faults) => faults.len(),
        EngineError::NewWarnings(warnings) => warnings.len(),
        EngineError::BadPatch(faults) => faults.0.len(),
        EngineError::BadAssignments(faults) => faults.len(),
        EngineError::HandEdited { conflicts } => conflicts.len(),
        _ => 0,
    }
}

/// Masks secrets that clients may have put anywhere: a URL as the name of a stream, for instance.
fn masked(mut problem: Problem) -> Problem {
    for fault in &mut problem.errors {
        if let Some(pointer) = fault.pointer.take() {
            let shown = masked_pointer(&pointer);
            if shown != pointer {
                problem.detail = problem.detail.replace(&pointer, &shown);
            }
            fault.pointer = Some(shown);
        }
        fault.message = masked_text(&fault.message);
    }
    problem.detail = masked_text(&problem.detail);
    problem
}

fn masked_pointer(pointer: &str) -> String {
    let keys = keys_of(pointer);
    let masked = masked_keys(&keys.iter().map(String::as_str).collect::<Vec<_>>(), &Masker::default());
    Pointer::from_keys(masked).as_str().to_owned()
}

fn hinted(error: &EngineError, hint: Option<String>) -> Vec<ProblemFault> {
    let fault =
        |hint| ProblemFault { message: error.to_string(), hint: Some(hint), ..ProblemFault::default() };
    hint.map(fault).into_iter().collect()
}

fn store_kind(error: &StoreError) -> ProblemKind {
    match error {
        StoreError::Busy { .. } | StoreError::Serving { .. } => ProblemKind::Busy,
        StoreError::ChangedMeanwhile { .. } | StoreError::Overtaken { .. } => ProblemKind::Conflict,
        StoreError::Unreachable { .. } => ProblemKind::ClusterUnavailable,
        StoreError::OutcomeUnknown { .. } => ProblemKind::EngineFailed,
        StoreError::NotFound { .. }
        | StoreError::DanglingLink { .. }
        | StoreError::LinkLoop { .. }
        | StoreError::NotAFile { .. } => ProblemKind::NotFound,
        _ => ProblemKind::WriteFailed,
    }
}

fn fault_kind(kind: FaultKind) -> ProblemKind {
    match kind {
        FaultKind::NotJson => ProblemKind::NotJson,
        FaultKind::TooLarge => ProblemKind::TooLarge,
        FaultKind::WrongType => ProblemKind::WrongType,
        FaultKind::ReadOnly => ProblemKind::ReadOnly,
        FaultKind::MaskedValue => ProblemKind::MaskedValue,
        FaultKind::FormChange => ProblemKind::FormChange,
        FaultKind::NearMiss => ProblemKind::NearMiss,
    }
}

/// The problem type of a guard.
fn guard_kind(guard: &Guard) -> ProblemKind {
    match guard {
        Guard::WouldRemoveCredentials | Guard::WouldDeleteStreams { .. } => {
            ProblemKind::WouldRemoveCredentials
        }
        Guard::EmptyReplacement => ProblemKind::EmptyReplacement,
        Guard::FormChange => ProblemKind::FormChange,
        Guard::NearMiss => ProblemKind::NearMiss,
        Guard::OneLine => ProblemKind::BadConfig,
    }
}

/// The hint for a guard, for clients of the API.
fn guard_hint(guard: &Guard) -> String {
    match guard {
        Guard::OneLine => guard.hint(),
        _ => "`force=true` makes the change anyway".to_owned(),
    }
}

fn patch_fault(fault: &mediaconf::edit::Fault) -> ProblemFault {
    ProblemFault {
        message: fault.message.clone(),
        pointer: Some(fault.pointer.as_str().to_owned()),
        hint: fault.hint.clone(),
        ..ProblemFault::default()
    }
}

/// The errors of a text. Its warnings refuse nothing.
fn diagnostics<'d>(
    file: Option<&'d str>,
    text: &'d Snapshot,
    found: &'d Diagnostics,
) -> impl Iterator<Item = ProblemFault> + 'd {
    let lines = LineIndex::new(text.document().text());
    let errors = found.iter().filter(|found| found.severity == Severity::Error);
    errors.map(move |found| {
        let position = lines.position(found.span.start);
        ProblemFault {
            message: found.message.clone(),
            file: file.map(str::to_owned),
            line: Some(position.line),
            column: Some(position.column),
            hint: found.hint.clone(),
            ..ProblemFault::default()
        }
    })
}

/// The problem document for a configuration that has errors together with what it includes.
pub fn broken_includes(composed: &Composed) -> Problem {
    let found = composed.diagnostics();
    let faults = composed
        .files
        .iter()
        .zip(&found)
        .flat_map(|(file, found)| diagnostics(Some(&file.name), &file.text, found));
    let faults: Vec<ProblemFault> = faults.take(MAX_DIAGNOSTICS).collect();
    let detail = "the configuration, with what it includes, has errors";
    masked(Problem::new(ProblemKind::BadConfig, detail).with_errors(faults))
}

/// The conflicting values, secrets masked: problems are shown and logged.
fn conflict(conflicts: &[Conflict], hint: Option<String>) -> Vec<ProblemFault> {
    let masker = Masker::default();
    let masked = |pointer: &str, value: &serde_json::Value| {
        // Whether a value is a secret depends on the keys above it.
        let keys = keys_of(pointer);
        masked_below(&keys.iter().map(String::as_str).collect::<Vec<_>>(), value, &masker)
    };
    let faults = conflicts.iter().take(MAX_DIAGNOSTICS).map(|conflict| ProblemFault {
        message: "the file was changed by hand here since it was loaded".to_owned(),
        pointer: Some(conflict.pointer.clone()),
        base: conflict.base.as_ref().map(|value| masked(&conflict.pointer, value).into()),
        theirs: conflict.theirs.as_ref().map(|value| masked(&conflict.pointer, value).into()),
        mine: Some(masked(&conflict.pointer, &conflict.mine).into()),
        hint: hint.clone(),
        ..ProblemFault::default()
    });
    faults.collect()
}
