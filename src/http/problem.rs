//! Problem documents (RFC 9457): how the API describes errors. The server makes them of [`Error`], and the client parses them.

use serde::{Deserialize, Serialize};

use crate::engine::Guard;
use crate::error::{Error, ErrorKind};
use crate::http::api::masked_text;
use mediaconf::{Fault, Masker, Pointer};

/// The prefix of each problem type.
const TYPE_PREFIX: &str = "urn:mediactl:problem:";

/// The media type of a problem document.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// The type of a problem as a document has it.
pub fn urn(kind: ErrorKind) -> String {
    format!("{TYPE_PREFIX}{}", kind.name())
}

/// A problem document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// `urn:mediactl:problem:NAME`.
    #[serde(rename = "type")]
    pub urn: String,
    /// The type in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The fault in this case.
    pub detail: String,
    /// All faults, if there are several, or if their places are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
    /// Of `change`, the same in the words of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Box<Error>>,
}

impl Problem {
    /// The kind with this URN; `None` for one of another server.
    pub fn kind_of(urn: &str) -> Option<ErrorKind> {
        ErrorKind::named(urn.strip_prefix(TYPE_PREFIX)?)
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a problem holds only strings, numbers and JSON")
    }

    /// The same for a client that shows a refusal of a request in the words of a command.
    pub fn with_refusal(error: &Error) -> Self {
        let refusal = error.is_of_request().then(|| Box::new(masked(error.clone().shortened())));
        Self { refusal, ..Self::from(error) }
    }
}

/// The same error with masks for secrets that clients may have put anywhere: a URL as the name of a stream, for instance.
fn masked(mut error: Error) -> Error {
    for fault in &mut error.faults {
        if let Some(pointer) = fault.pointer.take() {
            let keys = pointer.keys();
            let keys = Masker::default().keys(&keys.iter().map(String::as_str).collect::<Vec<_>>());
            let shown = Pointer::from_keys(keys);
            if shown != pointer {
                error.message = error.message.replace(&pointer.to_path().shown(), &shown.to_path().shown());
            }
            fault.pointer = Some(shown);
        }
        fault.message = masked_text(&fault.message);
        fault.hint = fault.hint.as_deref().map(masked_text);
    }
    error.message = masked_text(&error.message);
    error.hint = error.hint.as_deref().map(masked_text);
    error
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        let Error { kind, message, faults: mut errors, unlisted, .. } = masked(error.clone().shortened());
        let detail = match (errors.len(), unlisted) {
            (0 | 1, 0) => message,
            (count, 0) => format!("the request has {count} faults"),
            (count, more) => format!("the request has these {count} faults and {more} more"),
        };
        match (errors.last_mut(), hint(error)) {
            (None, Some(hint)) => errors.push(Fault::plain(detail.clone()).hint(hint)),
            (Some(last), Some(hint)) if kind == ErrorKind::NewWarnings => last.hint = Some(hint),
            _ => {}
        }
        let (title, status) = (kind.title().to_owned(), error.status.unwrap_or(kind.status()));
        Self { urn: urn(kind), title, status, detail, errors, refusal: None }
    }
}

/// The hint for clients of the API. Some hints are for the command line, or repeat the type of the
/// problem.
fn hint(error: &Error) -> Option<String> {
    match (&error.guard, error.kind) {
        (Some(Guard::OneLine), _) => error.hint.clone(),
        (Some(Guard::WouldDeleteStreams { deleted, .. }), _) => {
            Some(format!("`max_delete={deleted}` deletes them"))
        }
        (Some(guard), _) => guard.name().map(|name| format!("`accept={name}` makes the change anyway")),
        (None, ErrorKind::NoConfiguration) if error.hint.is_none() => {
            Some("`mediactl save FILE` makes it".to_owned())
        }
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
        (None, _) => error.hint.clone(),
    }
}
