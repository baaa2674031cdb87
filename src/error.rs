//! Why something was refused or failed. An error is made where the reason is found, and travels unchanged: terminals show
//! it, a problem over HTTP is made of it, and the exit code depends on its kind alone.

use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use signal_hook::consts::SIGTERM;

use crate::engine::{Guard, Snapshot};
use crate::store::PendingInfo;
use mediaconf::{Diagnostics, EditError, Fault, FaultKind, Faults, LineIndex, Masker, Severity};

macro_rules! exits {
    ($($exit:ident $code:literal $meaning:literal,)*) => {
        /// The exit code of a command. The numbers are stable: scripts rely on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Exit {
            $(#[doc = $meaning] $exit = $code,)*
        }

        /// Every exit code with its meaning, as the manual page has it.
        pub const EXIT_CODES: &[(Exit, &str)] = &[$((Exit::$exit, $meaning),)*];
    };
}

exits! {
    Done 0 "done, or no difference",
    Different 1 "a difference was found (diff, fmt --check); a change is unsaved or pending, or the file has errors (status)",
    Usage 2 "usage error",
    Invalid 3 "invalid configuration, JSON, path or value",
    Denied 4 "authentication failed, or no permission to open the file or create its state folder",
    Conflict 5 "conflict: changed meanwhile, or the lock is busy",
    Guarded 6 "refused by a guard",
    Absent 7 "not found or not reachable, nothing changed: missing file, absent path, no server",
    Unknown 8 "outcome unknown: the connection broke after the request was sent",
    Failed 9 "I/O or internal failure, nothing changed",
    Changed 10 "something changed, or would change (--exit-code)",
    Partly 11 "of several servers, some were read or changed, and others not; a list says which. Of the nodes of a cluster, some do not run the change (status, wait --rolled-out)",
    Broken 12 "a thread of `serve` failed, so the server ended; it can be started again",
    Interrupted 130 "ended by SIGINT (Ctrl-C); a message says what became of a change under way",
    Terminated 143 "ended by SIGTERM; likewise",
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The exit code of work that a signal ended.
    pub fn of_signal(signal: i32) -> Self {
        if signal == SIGTERM { Self::Terminated } else { Self::Interrupted }
    }
}

macro_rules! kinds {
    (
        named { $($variant:ident $name:literal $status:literal $exit:ident $title:literal,)* }
        special { $($special:ident = $general:ident $code:ident $meaning:literal,)* }
    ) => {
        /// The kind of an error. A special one has over HTTP the name and the status of a general one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum ErrorKind {
            $(#[doc = $title] $variant,)*
            $(#[doc = $meaning] $special,)*
        }

        /// The kinds that have a name of their own, in the order of the manual page.
        pub const KINDS: &[ErrorKind] = &[$(ErrorKind::$variant,)*];

        impl ErrorKind {
            /// The exit code of a command that ends with it.
            pub fn exit(self) -> Exit {
                match self {
                    $(Self::$variant => Exit::$exit,)*
                    $(Self::$special => Exit::$code,)*
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
        ViewOnly "view-only" 403 Denied "this account may only read",
        NotFound "not-found" 404 Absent "there is nothing at this path, or nothing of this name",
        Method "method" 405 Absent "the path does not support this method",
        TooSlow "too-slow" 408 Invalid "the request did not arrive in time",
        Conflict "conflict" 409 Conflict "the same values were changed meanwhile",
        Pending "pending" 409 Conflict "another change has to be confirmed first",
        FailedNodes "failed-nodes" 409 Guarded "nodes that should run the change have failed",
        Stale "stale" 412 Conflict "the configuration is not the one that If-Match names, or the text of base is not kept",
        TooLarge "too-large" 413 Invalid "the request is too large",
        ContentCoding "content-coding" 415 Invalid "the body has a content coding that is not supported",
        WrongType "wrong-type" 422 Invalid "a value does not fit its parameter",
        ReadOnly "read-only" 422 Invalid "the value is read-only",
        MaskedValue "masked-value" 422 Invalid "a mask stands where a secret should",
        NearMiss "near-miss" 422 Invalid "a new name or value is nearly a known one",
        NewWarnings "new-warnings" 422 Invalid "the change brings warnings, and `strict` refuses it",
        FormChange "form-change" 422 Invalid "an unknown directive would get another form",
        RejectedByCheck "rejected-by-check" 422 Invalid "the check command rejected the configuration",
        WouldRemoveCredentials "would-remove-credentials" 422 Guarded "the change removes the last usable account for the API",
        WouldDeleteStreams "would-delete-streams" 422 Guarded "more streams would be deleted than `max_delete` allows",
        EmptyReplacement "empty-replacement" 422 Guarded "the new configuration has no stream, live or plugin at all",
        Dangling "dangling" 422 Guarded "others use the name of a block that the change removes",
        TooManyFailures "too-many-failures" 429 Denied "too many wrong passwords came from this address",
        Failed "write-failed" 500 Failed "the configuration could not be read or written; nothing was changed",
        ReloadFailed "reload-failed" 500 Failed "the reload command failed",
        EngineFailed "engine-failed" 502 Failed "the server failed internally",
        Busy "busy" 503 Absent "another change is in progress",
        ClusterUnavailable "cluster-unavailable" 503 Absent "the cluster with the configuration can't be reached; nothing was changed",
        Full "full" 503 Absent "the server has no connection or memory left for the request",
    }
    special {
        BadNewText = BadConfig Invalid "the new text has errors",
        AbsentPath = WrongType Absent "there is no value at a path",
        Invalid = WrongType Invalid "a path, or the value given for it, is wrong",
        Usage = BadParameter Usage "the call does not make sense",
        Unexpected = Conflict Conflict "the configuration has other values than the expected ones",
        Overtaken = Conflict Conflict "another writer of the cluster was faster",
        OtherPending = Pending Conflict "the confirmation names another change than the pending one",
        NothingPending = NotFound Absent "no change waits to be confirmed",
        NotKept = NotFound Absent "the history has no text from before a change",
        NoSuchChange = NotFound Absent "the history does not have a change",
        NoServer = NotFound Absent "there is no running configuration",
        NodesRunIt = NotFound Absent "a cluster has no running configuration of its own",
        NotOffered = NotFound Absent "the server lacks a feature",
        NoConfiguration = NotFound Absent "the configuration does not exist",
        TurnTaken = Busy Conflict "other changes were under way during the whole wait",
        Locked = Busy Conflict "another process holds the lock",
        Unproved = Failed Failed "the new text does not have the values that were asked for",
        Guarded = WouldDeleteStreams Guarded "the change was not agreed to, or is not safe",
        NotHealthy = WouldDeleteStreams Guarded "a server is not well after a change",
        Denied = Failed Denied "the system denies the access",
        Untrusted = Failed Denied "another user may have made a file",
        ClusterDenied = Failed Denied "a cluster refuses the login, or lacks a right for it",
        NoStateFolder = Failed Denied "the state folder can't be made or used",
        Unusable = Failed Failed "what stands in a cluster can't be used",
        OutputClosed = Failed Failed "the reader of the output has closed it",
        FileTooLarge = Failed Invalid "a file has more bytes than `--max-file` allows",
        TooLate = EngineFailed Failed "the change took longer than a request may take",
        OutcomeUnknown = EngineFailed Unknown "the change may have been made",
        NotReached = EngineFailed Absent "the server can't be reached",
    }
}

impl ErrorKind {
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
            // A user who may not use the Unix socket: a password would not help.
            Self::Unauthorized => &[403],
            // The head is too large.
            Self::TooLarge => &[431],
            // The headers of the answer were not plain; the change took too long.
            Self::EngineFailed => &[500, 504],
            _ => &[],
        };
        std::iter::once(self.status()).chain(nearer.iter().copied())
    }
}

/// Why something was not done; the configuration is as it was, unless the message says otherwise.
#[must_use]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Error {
    pub kind: ErrorKind,
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
    /// The reason alone, for a sentence that says itself what failed.
    #[serde(skip)]
    pub reason: Option<String>,
    /// The signal that ended the work.
    #[serde(skip)]
    pub signal: Option<i32>,
    /// The HTTP status with which a server refused.
    #[serde(skip)]
    pub status: Option<u16>,
    /// The text whose errors are the reason.
    #[serde(skip)]
    pub broken: Option<BrokenText>,
}

/// A text with errors.
#[derive(Debug, Clone)]
pub struct BrokenText {
    /// The name of the text in messages; `None` is the configuration that the command works on.
    pub name: Option<String>,
    /// The text with its diagnostics.
    pub snapshot: Arc<Snapshot>,
}

/// The hint where new warnings are refused.
pub const WITHOUT_STRICT: &str = "without `--strict` it is made all the same";

/// The hint for a path without a value if no similar name is known.
const ALL_PATHS: &str = "`mediactl read -o set` shows all paths";

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let (hint, faults, unlisted, guard, brief) = Default::default();
        let (message, reason, signal, status, broken) = (message.into(), None, None, None, None);
        Self { kind, message, hint, faults, unlisted, guard, brief, reason, signal, status, broken }
    }

    /// What was asked for does not make sense.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message).hint(hint)
    }

    /// The same error with advice.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same error with its faults, place by place.
    pub fn with_faults(self, faults: Vec<Fault>) -> Self {
        Self { faults, ..self }
    }

    /// The same error with at most [`Diagnostics::MAX`] faults; the others are counted.
    pub fn shortened(mut self) -> Self {
        self.unlisted += self.faults.len().saturating_sub(Diagnostics::MAX);
        self.faults.truncate(Diagnostics::MAX);
        self
    }

    /// The same error, and what may be told of it without the output of hooks.
    pub fn in_brief(self, brief: impl Into<String>) -> Self {
        Self { brief: Some(brief.into()), ..self }
    }

    /// The present text has errors: it can be neither shown as JSON nor changed.
    pub fn bad_config(text: Arc<Snapshot>) -> Self {
        Self::of_broken(ErrorKind::BadConfig, "the configuration", None, text)
            .hint("`mediactl check` shows them; if `mediactl history` has the edit, `mediactl rollback last` repairs the file")
    }

    /// A new text has errors.
    pub fn bad_new_text(text: Arc<Snapshot>) -> Self {
        let name = "the new configuration";
        Self::of_broken(ErrorKind::BadNewText, name, Some(name.to_owned()), text).hint("nothing was written")
    }

    fn of_broken(kind: ErrorKind, what: &str, name: Option<String>, snapshot: Arc<Snapshot>) -> Self {
        let message = format!("{what} has {}", snapshot.errors_in_words());
        let faults: Vec<Fault> = errors_of(None, &snapshot, snapshot.diagnostics()).collect();
        let unlisted = snapshot.diagnostics().errors().saturating_sub(faults.len());
        Self { faults, unlisted, broken: Some(BrokenText { name, snapshot }), ..Self::new(kind, message) }
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
        Some(Self::new(ErrorKind::MaskedValue, message).hint(hint).with_faults(vec![fault.hint(hint)]))
    }

    /// Only a running server has a running configuration.
    pub fn no_server() -> Self {
        let message = "no server runs over this file, so there is no running configuration";
        Self::new(ErrorKind::NoServer, message)
            .hint("`mediactl save FILE` replaces the file; `mediactl serve` starts a server over it")
    }

    /// No change has to be confirmed.
    pub fn nothing_pending() -> Self {
        Self::new(ErrorKind::NothingPending, "no change waits to be confirmed")
    }

    /// Another change has to be confirmed first.
    pub fn pending(pending: &PendingInfo) -> Self {
        Self::new(ErrorKind::Pending, pending.in_words())
            .hint("`mediactl confirm` keeps it, `mediactl confirm --rollback` rolls it back")
    }

    /// The confirmation names another change than the pending one.
    pub fn other_pending() -> Self {
        Self::new(ErrorKind::OtherPending, "a different change is pending")
            .hint("`mediactl status` shows which")
    }

    /// The server has only the four operations that every server has; nothing was sent that needs more.
    pub fn not_offered(service: &str, noun: &str) -> Self {
        let message = format!("the server at `{service}` does not offer {noun}");
        Self::new(ErrorKind::NotOffered, message).hint("nothing that needs it was sent to this server")
    }

    /// The change is made in the cluster, and this node does not take it.
    pub fn not_run_here(state: impl fmt::Display, why: &Self) -> Self {
        let message = |why: &str| format!("this node does not run what the cluster has (`{state}`): {why}");
        Self::new(ErrorKind::ReloadFailed, message(&why.message))
            .in_brief(message(why.brief()))
            .hint("the cluster has the change; `mediactl status` shows the state of this node")
    }

    /// The exit code of a command that ends with it.
    pub fn exit(&self) -> Exit {
        self.signal.map_or(self.kind.exit(), Exit::of_signal)
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
                ErrorKind::AbsentPath
                    | ErrorKind::Invalid
                    | ErrorKind::NoSuchChange
                    | ErrorKind::Unexpected
                    | ErrorKind::NearMiss
                    | ErrorKind::FormChange
                    | ErrorKind::NewWarnings
                    | ErrorKind::NotJson
                    | ErrorKind::WrongType
                    | ErrorKind::ReadOnly
                    | ErrorKind::MaskedValue
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

impl From<Guard> for Error {
    fn from(guard: Guard) -> Self {
        let refusal = Self::new(kind_of(&guard), guard.to_string()).hint(guard.hint());
        Self { guard: Some(guard), ..refusal }
    }
}

impl From<Faults> for Error {
    fn from(Faults(mut faults): Faults) -> Self {
        let kind = match faults.first().map_or(FaultKind::NotJson, |first| first.kind) {
            FaultKind::NotJson => ErrorKind::NotJson,
            FaultKind::TooLarge => ErrorKind::TooLarge,
            FaultKind::WrongType => ErrorKind::WrongType,
            FaultKind::ReadOnly => ErrorKind::ReadOnly,
            FaultKind::MaskedValue => ErrorKind::MaskedValue,
            FaultKind::FormChange => ErrorKind::FormChange,
            FaultKind::NearMiss => ErrorKind::NearMiss,
            FaultKind::Path | FaultKind::Absent if faults.iter().all(Fault::is_absent) => {
                ErrorKind::AbsentPath
            }
            FaultKind::Path | FaultKind::Absent => ErrorKind::Invalid,
            FaultKind::Unexpected => {
                return Self::new(ErrorKind::Unexpected, Fault::joined(&faults)).hint("nothing was changed");
            }
        };
        let message = Fault::joined(&faults);
        for fault in faults.iter_mut().filter(|fault| fault.is_absent()) {
            fault.hint.get_or_insert_with(|| ALL_PATHS.to_owned());
        }
        Self::new(kind, message).with_faults(faults)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Faults::from(fault).into()
    }
}

impl From<EditError> for Error {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Faults(faults) => faults.into(),
            error @ EditError::Unproved(_) => Self::new(ErrorKind::Unproved, error.to_string())
                .hint("nothing was written; this is a bug in mediactl, please report it"),
        }
    }
}

fn kind_of(guard: &Guard) -> ErrorKind {
    match guard {
        Guard::WouldRemoveCredentials => ErrorKind::WouldRemoveCredentials,
        Guard::WouldDeleteStreams { .. } => ErrorKind::WouldDeleteStreams,
        Guard::EmptyReplacement => ErrorKind::EmptyReplacement,
        Guard::FormChange => ErrorKind::FormChange,
        Guard::NearMiss => ErrorKind::NearMiss,
        Guard::OneLine => ErrorKind::BadConfig,
        Guard::Dangling(_) => ErrorKind::Dangling,
    }
}
