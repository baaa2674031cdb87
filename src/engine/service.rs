//! The service that every command and every endpoint works on: the engine over a store, a node of a cluster, or a
//! server elsewhere.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::change_report::ChangeReport;
use super::composed::Composed;
use super::content::Content;
use super::error::EngineError;
use super::error_kind::ErrorKind;
use super::feature::Feature;
use super::guard::Guard;
use super::node_report::NodeReport;
use super::options::ChangeOptions;
use super::outcome::{OutcomeNote, PendingInfo};
use super::snapshot::Snapshot;
use super::status::Status;
use crate::store::{ChangeRef, HistoryEntry};
use mediaconf::edit::misfit::PathFault;
use mediaconf::edit::request::ChangeRequest;

/// A configuration that can be read and changed.
///
/// # Errors
/// Each operation has the errors of [`ServiceError`]; after any of them the configuration is as it
/// was, unless the error says otherwise.
pub trait ConfigService: Send + Sync {
    /// The name in messages: the path of the file, or the URL of the server.
    fn name(&self) -> &str;

    /// Reads the configuration.
    fn read(&self, query: &ReadQuery) -> Result<Reading, ServiceError>;

    /// Reads the running configuration, or the file where no server runs, as text if there is one; `None`
    /// if it is still the one that `tag` stands for. `tag` then stands for what was read.
    fn read_changed(&self, tag: &mut Option<String>) -> Result<Option<Content>, ServiceError>;

    /// Returns a configuration that was read with the files that it includes; `None` if it includes none, has
    /// errors itself, or the server does not send them.
    fn composed(
        &self,
        text: &Arc<Snapshot>,
        source: Option<ConfigSource>,
    ) -> Result<Option<Composed>, ServiceError>;

    /// Merges a patch into the running configuration, and saves the result.
    fn modify(&self, request: &ChangeRequest, options: &ChangeOptions) -> Result<ChangeReport, ServiceError>;

    /// Replaces the whole configuration by `text`. An `update` of a node changes that node alone.
    fn replace(
        &self,
        target: Replaced,
        text: &[u8],
        options: &ChangeOptions,
    ) -> Result<ChangeReport, ServiceError>;

    /// Makes an earlier text the configuration again, as a new change.
    fn rollback(&self, to: ChangeRef, options: &ChangeOptions) -> Result<ChangeReport, ServiceError>;

    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, ServiceError>;

    /// Returns the text before a change.
    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, ServiceError>;

    /// Returns the change that has to be confirmed.
    fn pending(&self) -> Result<Option<PendingInfo>, ServiceError> {
        Ok(self.status()?.pending)
    }

    /// Confirms the pending change, or rolls it back; `id` names it, `None` is whichever is pending. `by` is who
    /// decides, where the service can't know that by itself.
    fn decide(
        &self,
        decision: Decision,
        id: Option<&str>,
        by: &str,
    ) -> Result<Vec<OutcomeNote>, ServiceError>;

    /// Refuses to go on where one of these features is missing; nothing is changed.
    fn demand(&self, features: &[Feature]) -> Result<(), ServiceError>;

    /// Returns what the server of this process is in a cluster; `None` if it is in none, or is elsewhere.
    fn node(&self) -> Option<NodeReport> {
        None
    }

    /// Returns the state of the configuration.
    fn status(&self) -> Result<Status, ServiceError>;
}

/// The configuration that is read, and its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadQuery {
    /// The configuration; `None` is the running one, or the file if no server runs.
    pub source: Option<ConfigSource>,
    pub form: ReadForm,
}

/// The configuration that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigSource {
    /// The one that a server runs.
    Running,
    /// The file.
    Saved,
}

/// In which form a configuration is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadForm {
    /// Text; a server without text is an error.
    Text,
    /// Text, or JSON from a server without text.
    TextOrJson,
    /// JSON. If the text is already there, it is returned instead, and the caller renders it.
    Json {
        /// True if streams that are `static` may be left out.
        skip_static: bool,
        /// True if the figures of the server are added.
        runtime: bool,
    },
}

/// A configuration that was read.
#[derive(Debug)]
pub struct Reading {
    pub source: ConfigSource,
    pub content: Content,
}

/// The configurations that a whole new text replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// The file, and the running configuration with it (`save`).
    File,
    /// The running configuration alone (`update`).
    Running,
}

/// The decision on a pending change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Keep,
    RollBack,
}

/// The reason why an operation of a service failed.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The server lacks a feature; nothing was sent that relies on it.
    #[error("the server at `{service}` does not offer {}", .feature.noun())]
    NotOffered { service: String, feature: Feature },
    /// A server refused, failed, or could not be reached.
    #[error("{}", .0.message())]
    Remote(Box<RemoteFailure>),
}

/// The reason why a server did not evaluate or make a request, in the words of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestRefusal {
    pub kind: ErrorKind,
    /// Each fault as a message and a hint.
    pub faults: Vec<(String, Option<String>)>,
    /// The guard that refused it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
}

impl RequestRefusal {
    /// The refusal of a request that is wrong for the configuration; `None` for an error of another kind.
    pub fn of(error: &EngineError) -> Option<Self> {
        let (guard, faults) = match error {
            EngineError::BadAssignments(faults) => (None, faults.iter().map(described).collect()),
            EngineError::Guarded(guard) => (Some(guard.clone()), vec![(error.to_string(), error.hint())]),
            EngineError::Unexpected(_) | EngineError::PassedOver(_) => {
                (None, vec![(error.to_string(), error.hint())])
            }
            _ => return None,
        };
        Some(Self { kind: error.into(), faults, guard })
    }
}

/// The hint for a path without a value if no similar name is known.
const ALL_PATHS: &str = "`mediactl read -o set` shows all paths";

/// A fault of a path as a message and a hint.
pub fn described(fault: &PathFault) -> (String, Option<String>) {
    let all_paths = || fault.is_absent().then(|| ALL_PATHS.to_owned());
    (fault.to_string(), fault.misfit.hint.clone().or_else(all_paths))
}

/// The refusal or failure of a server, in the words that users see.
#[derive(Debug, Clone)]
pub struct RemoteFailure {
    pub kind: ErrorKind,
    /// The HTTP status; `None` if no answer came.
    pub status: Option<u16>,
    /// Each fault as a message and a hint.
    pub faults: Vec<(String, Option<String>)>,
}

impl RemoteFailure {
    fn message(&self) -> String {
        let messages: Vec<&str> = self.faults.iter().map(|(message, _)| message.as_str()).collect();
        messages.join("; ")
    }
}

impl ServiceError {
    /// Returns the meaning of the error for the caller.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Engine(error) => error.into(),
            Self::NotOffered { .. } => ErrorKind::Absent,
            Self::Remote(failure) => failure.kind,
        }
    }

    /// The message without what a hook printed.
    pub fn without_output(&self) -> String {
        match self {
            Self::Engine(error) => error.without_output(),
            elsewhere => elsewhere.to_string(),
        }
    }

    /// The guard that refused the change, if one did.
    pub fn guard(&self) -> Option<&Guard> {
        match self {
            Self::Engine(EngineError::Guarded(guard)) => Some(guard),
            _ => None,
        }
    }

    /// Advice, where it is not in the message already.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::NotOffered { .. } => Some("nothing was changed".to_owned()),
            Self::Remote(failure) => failure.faults.iter().find_map(|(_, hint)| hint.clone()),
        }
    }
}
