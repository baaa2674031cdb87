//! Problem documents (RFC 9457): how the API describes errors.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use mediaconf::Fault;

/// The prefix of each problem type.
pub const TYPE_PREFIX: &str = "urn:mediactl:problem:";

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
    /// A problem without faults.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        let (title, status) = (kind.title().to_owned(), kind.status());
        Self { urn: urn(kind), title, status, detail: detail.into(), errors: Vec::new(), refusal: None }
    }

    /// The same problem with another status.
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The same problem with faults.
    pub fn with_errors(self, errors: Vec<Fault>) -> Self {
        Self { errors, ..self }
    }

    /// The same problem with advice.
    pub fn hinted(self, hint: String) -> Self {
        let fault = Fault::plain(self.detail.clone()).hint(hint);
        self.with_errors(vec![fault])
    }

    /// The type; `None` for one of another server.
    pub fn kind(&self) -> Option<ErrorKind> {
        Self::kind_of(&self.urn)
    }

    /// The kind with this URN; `None` for one of another server.
    pub fn kind_of(urn: &str) -> Option<ErrorKind> {
        ErrorKind::named(urn.strip_prefix(TYPE_PREFIX)?)
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a problem holds only strings, numbers and JSON")
    }
}
