//! The table of refusals: for each kind its name and status over HTTP, and its meaning for a caller.

use serde::{Deserialize, Serialize};

/// The meaning of a refusal for the caller; the command line has an exit code for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The call does not make sense.
    Usage,
    /// Invalid configuration, JSON, path or value.
    Invalid,
    /// Authentication failed, or a permission is missing.
    Denied,
    /// Changed meanwhile, or the lock is busy.
    Conflict,
    /// A guard refused the change.
    Guarded,
    /// Not there or not reachable; nothing was changed.
    Absent,
    /// The change was sent, and its outcome is unknown.
    Unknown,
    /// I/O or internal failure; nothing was changed.
    Failed,
    /// A signal ended the work.
    Interrupted { signal: i32 },
}

macro_rules! kinds {
    (
        named { $($variant:ident $name:literal $status:literal $error:ident $title:literal,)* }
        special { $($special:ident = $general:ident $class:ident $meaning:literal,)* }
    ) => {
        /// The kind of a refusal. A special one has over HTTP the name and the status of a general one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum RefusalKind {
            $(#[doc = $title] $variant,)*
            $(#[doc = $meaning] $special,)*
        }

        /// The kinds that have a name of their own, in the order of the manual page.
        pub const KINDS: &[RefusalKind] = &[$(RefusalKind::$variant,)*];

        impl RefusalKind {
            /// The meaning for the caller.
            pub fn error_kind(self) -> ErrorKind {
                match self {
                    $(Self::$variant => ErrorKind::$error,)*
                    $(Self::$special => ErrorKind::$class,)*
                }
            }

            fn row(self) -> (&'static str, u16, &'static str) {
                match self {
                    $(Self::$variant => ($name, $status, $title),)*
                    $(Self::$special => Self::$general.row(),)*
                }
            }
        }
    };
}

kinds! {
    named {
        BadRequest "bad-request" 400 Invalid "the request is not valid HTTP",
        NotJson "not-json" 400 Invalid "the body is not JSON, or not of the form that the operation takes",
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
        Stale "stale" 412 Conflict "the configuration is not the one that If-Match names, or the text of base is not kept",
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
        WouldDeleteStreams "would-delete-streams" 422 Guarded "more streams would be deleted than `max_delete` allows",
        EmptyReplacement "empty-replacement" 422 Guarded "the new configuration has no directive at all",
        TooManyFailures "too-many-failures" 429 Denied "too many wrong passwords came from this address",
        WriteFailed "write-failed" 500 Failed "the configuration could not be read or written; nothing was changed",
        ReloadFailed "reload-failed" 500 Failed "the reload command failed",
        EngineFailed "engine-failed" 502 Failed "the server failed internally",
        Busy "busy" 503 Absent "another change, or too many dry runs, are in progress",
        ClusterUnavailable "cluster-unavailable" 503 Absent "the cluster with the configuration can't be reached; nothing was changed",
        Full "full" 503 Absent "the server has no connection or memory left for the request",
    }
    special {
        BadNewText = BadConfig Invalid "the new text has errors",
        AbsentPath = WrongType Absent "there is no value at a path",
        BadPath = WrongType Invalid "a path, or the value given for it, is wrong",
        Misplaced = BadParameter Usage "what is asked for does not go together",
        Unexpected = Conflict Conflict "the configuration has other values than the expected ones",
        HandEdited = Conflict Conflict "the file was edited by hand, and the change conflicts with the edit",
        HandEditedSince = Stale Conflict "the file was edited by hand since the configuration was read",
        Overtaken = Conflict Conflict "another writer of the cluster was faster",
        OtherPending = Pending Conflict "the confirmation names another change than the pending one",
        NothingPending = NotFound Absent "no change waits to be confirmed",
        NotKept = NotFound Absent "the history has no text from before a change",
        NoSuchChange = NotFound Absent "the history does not have a change",
        NoServer = NotFound Absent "there is no running configuration",
        NodesRunIt = NotFound Absent "a cluster has no running configuration of its own",
        NotOffered = NotFound Absent "the server lacks a feature",
        NoConfiguration = NotFound Absent "the configuration does not exist",
        OneLine = BadConfig Invalid "the new text has lost its line ends",
        TurnTaken = Busy Conflict "other changes were under way during the whole wait",
        Locked = Busy Conflict "another process holds the lock",
        Unproved = WriteFailed Failed "the new text does not have the values that were asked for",
        NoPermission = WriteFailed Denied "the system denies the access",
        AnswerTooLarge = WriteFailed Absent "an answer has more bytes than the user takes",
        TooLate = EngineFailed Failed "the change took longer than a request may take",
        OutcomeUnknown = EngineFailed Unknown "the change may have been made",
        NotReached = EngineFailed Absent "the server can't be reached",
    }
}

impl RefusalKind {
    /// The name, which ends the URN of a problem.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The usual HTTP status; [`Self::statuses`] has them all.
    pub fn status(self) -> u16 {
        if self == Self::TooLate { 504 } else { self.row().1 }
    }

    /// The meaning in one line.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// The same kind of a change: one that failed inside of a server may have been made.
    pub fn of_change(self) -> Self {
        if self == Self::EngineFailed { Self::OutcomeUnknown } else { self }
    }

    /// The kind with this name over HTTP.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().copied().find(|kind| kind.name() == name)
    }

    /// Every HTTP status of this type: the usual one first, then those of special cases.
    pub fn statuses(self) -> impl Iterator<Item = u16> {
        let nearer: &[u16] = match self {
            // Another version of HTTP.
            Self::BadRequest => &[505],
            // A user who may not use the Unix socket: a password would not help.
            Self::Unauthorized => &[403],
            // The head is too large.
            Self::TooLarge => &[431],
            // The answer could not be sent, or took too long.
            Self::EngineFailed => &[500, 504],
            _ => &[],
        };
        std::iter::once(self.status()).chain(nearer.iter().copied())
    }
}
