//! Everything that can go wrong, as a problem document (RFC 9457) says it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// In front of the name of each problem type.
pub const TYPE_PREFIX: &str = "urn:mediactl:problem:";

/// The media type of a problem document.
pub const MEDIA_TYPE: &str = "application/problem+json";

macro_rules! kinds {
    ($($variant:ident $name:literal $status:literal $title:literal,)*) => {
        /// The type of a problem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ProblemKind {
            $(#[doc = $title] $variant,)*
        }

        /// All types, in the order of the manual page.
        pub const KINDS: &[ProblemKind] = &[$(ProblemKind::$variant,)*];

        impl ProblemKind {
            /// Its name, the end of its URN.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The status it is sent with, unless a single case asks for a nearer one.
            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }

            /// What it means, in one line.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }
        }
    };
}

kinds! {
    BadRequest "bad-request" 400 "the request is not HTTP as it should be",
    NotJson "not-json" 400 "the body is no JSON object that can be merged",
    BadConfig "bad-config" 400 "the text has errors",
    BadParameter "bad-parameter" 400 "a query parameter, or its value, is not one that is taken",
    Unauthorized "unauthorized" 401 "login and password are missing or wrong",
    CrossSite "cross-site" 403 "a page of another site asks",
    NotFound "not-found" 404 "what is asked for is not there",
    Method "method" 405 "the method does not go with this path",
    TooSlow "too-slow" 408 "the request did not arrive in time",
    Conflict "conflict" 409 "somebody else changed the same things",
    Pending "pending" 409 "another change waits to be confirmed",
    Stale "stale" 412 "the configuration is not the one that If-Match names",
    TooLarge "too-large" 413 "the request is too large",
    ContentCoding "content-coding" 415 "the body has a content coding that is not taken",
    WrongType "wrong-type" 422 "a value does not fit its parameter",
    ReadOnly "read-only" 422 "the value can be read only",
    MaskedValue "masked-value" 422 "a mask stands where a secret should",
    NearMiss "near-miss" 422 "a new keyword is nearly a known one",
    FormChange "form-change" 422 "an unknown directive would get another form",
    RejectedByCheck "rejected-by-check" 422 "the check command rejected the configuration",
    WouldRemoveCredentials "would-remove-credentials" 422 "nobody could use the API any more",
    EmptyReplacement "empty-replacement" 422 "the new configuration has no directive at all",
    TooManyFailures "too-many-failures" 429 "too many wrong passwords came from this address",
    WriteFailed "write-failed" 500 "the file could not be written; nothing was changed",
    ReloadFailed "reload-failed" 500 "the reload command failed",
    EngineFailed "engine-failed" 502 "the server failed inside",
    Busy "busy" 503 "another change is under way",
    Full "full" 503 "all connections are taken",
}

impl ProblemKind {
    /// Every status it may be sent with: its own first, then those of single cases.
    pub fn statuses(self) -> impl Iterator<Item = u16> {
        let nearer: &[u16] = match self {
            // Who may not use the Unix socket; a password would not help.
            Self::Unauthorized => &[403],
            // It is the head that is too large.
            Self::TooLarge => &[431],
            // The handler failed, or took too long.
            Self::EngineFailed => &[500, 504],
            _ => &[],
        };
        std::iter::once(self.status()).chain(nearer.iter().copied())
    }

    /// The type as it stands in a document.
    pub fn urn(self) -> String {
        format!("{TYPE_PREFIX}{}", self.name())
    }

    /// The type that a document names; `None` for those of other servers.
    pub fn of_urn(urn: &str) -> Option<Self> {
        let name = urn.strip_prefix(TYPE_PREFIX)?;
        KINDS.iter().copied().find(|kind| kind.name() == name)
    }
}

/// A problem document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// `urn:mediactl:problem:NAME`.
    #[serde(rename = "type", default)]
    pub urn: String,
    /// The type in words.
    #[serde(default)]
    pub title: String,
    /// The status it is sent with.
    #[serde(default)]
    pub status: u16,
    /// This one case in words.
    #[serde(default)]
    pub detail: String,
    /// All faults, where there are several or places to name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProblemFault>,
}

/// One fault of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemFault {
    /// What is wrong.
    pub message: String,
    /// Where in the JSON (RFC 6901).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Where in the text, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Where in the line, from 1, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Of a conflict: the value both started from, secrets masked; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Box<Value>>,
    /// Of a conflict: the value that somebody else gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Box<Value>>,
    /// Of a conflict: the value that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mine: Option<Box<Value>>,
}

impl Problem {
    /// A problem of one kind.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        let (title, status) = (kind.title().to_owned(), kind.status());
        Self { urn: kind.urn(), title, status, detail: detail.into(), errors: Vec::new() }
    }

    /// The same with a nearer status.
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The same with faults.
    pub fn with_errors(self, errors: Vec<ProblemFault>) -> Self {
        Self { errors, ..self }
    }

    /// The same with advice.
    pub fn hinted(self, hint: String) -> Self {
        let message = self.detail.clone();
        self.with_errors(vec![ProblemFault { message, hint: Some(hint), ..ProblemFault::default() }])
    }

    /// Its kind; `None` for those of other servers.
    pub fn kind(&self) -> Option<ProblemKind> {
        ProblemKind::of_urn(&self.urn)
    }

    /// The document.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a problem holds only strings, numbers and JSON")
    }
}
