//! Makes problem documents of refusals.

use crate::engine::{Composed, Guard};
use crate::error::{Error, ErrorKind, errors_of};
use crate::http::protocol::masked::masked_text;
use crate::http::protocol::problem::Problem;
use mediaconf::{Diagnostics, Fault, Masker, Pointer};

impl From<Error> for Problem {
    fn from(refusal: Error) -> Self {
        problem(&refusal)
    }
}

/// Returns the problem document for a refusal.
pub fn problem(refusal: &Error) -> Problem {
    let Error { faults: mut errors, unlisted, .. } = refusal.clone().shortened();
    let detail = match (errors.len(), unlisted) {
        (0 | 1, 0) => refusal.message.clone(),
        (count, 0) => format!("the request has {count} faults"),
        (count, more) => format!("the request has these {count} faults and {more} more"),
    };
    match (errors.last_mut(), hint(refusal)) {
        (None, Some(hint)) => {
            errors.push(Fault::plain(refusal.message.clone()).hint(hint));
        }
        (Some(last), Some(hint)) if refusal.kind == ErrorKind::NewWarnings => last.hint = Some(hint),
        _ => {}
    }
    masked(Problem::new(refusal.kind, detail).with_errors(errors))
}

/// The same for a client that shows a refusal of a request in the words of a command.
pub fn with_refusal(refusal: &Error) -> Problem {
    let told = refusal.is_of_request().then(|| {
        let mut told = refusal.clone().shortened();
        let texts = [&mut told.message].into_iter().chain(&mut told.hint);
        let of_faults =
            told.faults.iter_mut().flat_map(|fault| [&mut fault.message].into_iter().chain(&mut fault.hint));
        texts.chain(of_faults).for_each(|text| *text = masked_text(text));
        told.faults.iter_mut().for_each(|fault| fault.pointer = fault.pointer.as_ref().map(masked_pointer));
        Box::new(told)
    });
    Problem { refusal: told, ..problem(refusal) }
}

/// The hint for clients of the API. Some hints are for the command line, or repeat the type of the
/// problem.
fn hint(refusal: &Error) -> Option<String> {
    match (&refusal.guard, refusal.kind) {
        (Some(Guard::OneLine), _) => refusal.hint.clone(),
        (Some(Guard::WouldDeleteStreams { .. }), _) => {
            Some("`max_delete=N` allows that many, `force=true` any number".to_owned())
        }
        (Some(_), _) => Some("`force=true` makes the change anyway".to_owned()),
        (None, ErrorKind::NewWarnings) => Some("without `strict=true` it is made all the same".to_owned()),
        (
            None,
            ErrorKind::MaskedValue
            | ErrorKind::RejectedByCheck
            | ErrorKind::Unproved
            | ErrorKind::NoServer
            | ErrorKind::Stale
            | ErrorKind::TurnTaken
            | ErrorKind::Unexpected,
        ) => None,
        (None, _) => refusal.hint.clone(),
    }
}

/// Masks secrets that clients may have put anywhere: a URL as the name of a stream, for instance.
fn masked(mut problem: Problem) -> Problem {
    for fault in &mut problem.errors {
        if let Some(pointer) = fault.pointer.take() {
            let shown = masked_pointer(&pointer);
            if shown != pointer {
                let [path, shown] = [&pointer, &shown].map(|pointer| pointer.to_path().shown());
                problem.detail = problem.detail.replace(&path, &shown);
            }
            fault.pointer = Some(shown);
        }
        fault.message = masked_text(&fault.message);
    }
    problem.detail = masked_text(&problem.detail);
    problem
}

fn masked_pointer(pointer: &Pointer) -> Pointer {
    let keys = pointer.keys();
    let masked = Masker::default().keys(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    Pointer::from_keys(masked)
}

/// The problem document for a configuration that has errors together with what it includes.
pub fn broken_includes(composed: &Composed) -> Problem {
    let found = composed.diagnostics();
    let faults = composed
        .files
        .iter()
        .zip(&found)
        .flat_map(|(file, found)| errors_of(Some(&file.name), &file.text, found));
    let faults: Vec<Fault> = faults.take(Diagnostics::MAX).collect();
    let detail = "the configuration, with what it includes, has errors";
    masked(Problem::new(ErrorKind::BadConfig, detail).with_errors(faults))
}
