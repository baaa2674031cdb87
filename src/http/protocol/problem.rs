//! Problem documents (RFC 9457): how the API describes errors.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::{ErrorKind, RequestRefusal};

/// The prefix of each problem type.
pub const TYPE_PREFIX: &str = "urn:mediactl:problem:";

/// The media type of a problem document.
pub const MEDIA_TYPE: &str = "application/problem+json";

macro_rules! kinds {
    ($($variant:ident $name:literal $status:literal $error:ident $title:literal,)*) => {
        /// The type of a problem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ProblemKind {
            $(#[doc = $title] $variant,)*
        }

        /// All types, in the order of the manual page.
        pub const KINDS: &[ProblemKind] = &[$(ProblemKind::$variant,)*];

        impl ProblemKind {
            /// The name, which ends the URN.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The usual HTTP status; [`Self::statuses`] has them all.
            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }

            /// The kind of error for a caller; `applies` says that the request was a change.
            pub fn error_kind(self, applies: bool) -> ErrorKind {
                match self {
                    Self::EngineFailed if applies => ErrorKind::Unknown,
                    $(Self::$variant => ErrorKind::$error,)*
                }
            }

            /// The meaning in one line.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }
        }
    };
}

kinds! {
    BadRequest "bad-request" 400 Invalid "the request is not valid HTTP",
    NotJson "not-json" 400 Invalid "the body is not a JSON object that can be merged",
    BadConfig "bad-config" 400 Invalid "the text has errors",
    BadParameter "bad-parameter" 400 Invalid "a query parameter or its value is not supported",
    Unauthorized "unauthorized" 401 Denied "login and password are missing or wrong",
    CrossSite "cross-site" 403 Denied "a page of another site sent the request",
    ViewOnly "view-only" 403 Denied "this account may look, and change nothing",
    NotFound "not-found" 404 Absent "there is nothing at this path, or nothing of this name",
    Method "method" 405 Absent "the path does not support this method",
    TooSlow "too-slow" 408 Invalid "the request did not arrive in time",
    Conflict "conflict" 409 Conflict "the same values were changed meanwhile",
    Pending "pending" 409 Conflict "another change has to be confirmed first",
    Stale "stale" 412 Conflict "the configuration is not the one that If-Match names",
    TooLarge "too-large" 413 Invalid "the request is too large",
    ContentCoding "content-coding" 415 Invalid "the body has a content coding that is not supported",
    WrongType "wrong-type" 422 Invalid "a value does not fit its parameter",
    ReadOnly "read-only" 422 Invalid "the value is read-only",
    MaskedValue "masked-value" 422 Invalid "a mask stands where a secret should",
    NearMiss "near-miss" 422 Invalid "a new keyword is nearly a known one",
    NewWarnings "new-warnings" 422 Invalid "the change brings warnings, and is to be refused then",
    FormChange "form-change" 422 Invalid "an unknown directive would get another form",
    RejectedByCheck "rejected-by-check" 422 Invalid "the check command rejected the configuration",
    WouldRemoveCredentials "would-remove-credentials" 422 Guarded "no usable account for the API would remain",
    EmptyReplacement "empty-replacement" 422 Guarded "the new configuration has no directive at all",
    TooManyFailures "too-many-failures" 429 Denied "too many wrong passwords came from this address",
    WriteFailed "write-failed" 500 Failed "the file could not be written; nothing was changed",
    ReloadFailed "reload-failed" 500 Failed "the reload command failed",
    EngineFailed "engine-failed" 502 Failed "the server failed internally",
    Busy "busy" 503 Absent "another change, or too many dry runs, are in progress",
    ClusterUnavailable "cluster-unavailable" 503 Absent "the cluster with the configuration can't be reached; nothing was changed",
    Full "full" 503 Absent "all connections are taken",
}

impl ProblemKind {
    /// Every HTTP status of this type: the usual one first, then those of special cases.
    pub fn statuses(self) -> impl Iterator<Item = u16> {
        let nearer: &[u16] = match self {
            // Another version of HTTP.
            Self::BadRequest => &[505],
            // A user who may not use the Unix socket: a password would not help.
            Self::Unauthorized => &[403],
            // The head is too large.
            Self::TooLarge => &[431],
            // The handler panicked, or took too long.
            Self::EngineFailed => &[500, 504],
            _ => &[],
        };
        std::iter::once(self.status()).chain(nearer.iter().copied())
    }

    /// The type as a document has it.
    pub fn urn(self) -> String {
        format!("{TYPE_PREFIX}{}", self.name())
    }

    /// The type of this URN; `None` for a type of another server.
    pub fn of_urn(urn: &str) -> Option<Self> {
        let name = urn.strip_prefix(TYPE_PREFIX)?;
        KINDS.iter().copied().find(|kind| kind.name() == name)
    }
}

/// A problem document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    pub errors: Vec<ProblemFault>,
    /// Of `change`, the same in the words of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Box<RequestRefusal>>,
}

/// One fault of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemFault {
    /// The fault.
    pub message: String,
    /// The place in the JSON (RFC 6901).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The file, if the configuration includes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in the text, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in the line, from 1, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// In a conflict, the value from which both changes started, secrets masked; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Box<Value>>,
    /// In a conflict, the value that the other change made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Box<Value>>,
    /// In a conflict, the value that the request asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mine: Option<Box<Value>>,
}

impl Problem {
    /// A problem without faults.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        let (title, status) = (kind.title().to_owned(), kind.status());
        Self { urn: kind.urn(), title, status, detail: detail.into(), errors: Vec::new(), refusal: None }
    }

    /// The same problem with another status.
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The same problem with faults.
    pub fn with_errors(self, errors: Vec<ProblemFault>) -> Self {
        Self { errors, ..self }
    }

    /// The same problem with advice.
    pub fn hinted(self, hint: String) -> Self {
        let message = self.detail.clone();
        self.with_errors(vec![ProblemFault { message, hint: Some(hint), ..ProblemFault::default() }])
    }

    /// The type; `None` for one of another server.
    pub fn kind(&self) -> Option<ProblemKind> {
        ProblemKind::of_urn(&self.urn)
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a problem holds only strings, numbers and JSON")
    }
}
