//! The service that every command and every endpoint works on: the engine over a store, a node of a cluster, or a
//! server elsewhere; and the state of a configuration that it tells.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ChangeOptions, ChangeReport, Operation, OutcomeNote, RequestedChange, Snapshot, changed};
use crate::error::Error;
use crate::store::{ChangeRef, HistoryEntry, NodeRecord, PendingInfo, Revision};
use mediaconf::{ChangedValue, Position};

/// A configuration that can be read and changed.
///
/// # Errors
/// After each refusal the configuration is as it was, unless it says otherwise.
pub trait ConfigService: Send + Sync {
    /// The name in messages: the path of the file, or the URL of the server.
    fn name(&self) -> &str;

    /// Reads the configuration; `None` is the running one, or the file if no server runs.
    fn read(&self, source: Option<ConfigSource>) -> Result<Arc<Snapshot>, Error>;

    /// Makes a change, or rehearses it.
    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error>;

    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error>;

    /// Returns the text before a change, or before [the hand edit](ChangeRef::NOT_RECORDED) that no change has recorded.
    fn text_before(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error>;

    /// Returns the change that has to be confirmed.
    fn pending(&self) -> Result<Option<PendingInfo>, Error>;

    /// Confirms the pending change, or rolls it back; `id` names it, `None` is whichever is pending. `by` is who
    /// decides, where the service can't know that by itself.
    fn decide(&self, decision: Decision<'_>, id: Option<&str>, by: &str) -> Result<Decided, Error>;

    /// Returns a part of the state of the configuration, or all of it.
    fn status(&self, part: StatusPart) -> Result<Status, Error>;

    /// Waits until the state of a server may differ from the one that was seen last, at most for `most`; false if it can't
    /// be waited for.
    fn wait(&self, _most: Duration) -> Result<bool, Error> {
        Ok(false)
    }
}

/// Refuses a server that has only the four operations, and so lacks what `noun` names; nothing is changed.
pub fn demand(service: &dyn ConfigService, noun: &str) -> Result<(), Error> {
    match service.status(StatusPart::Level)?.is_plain {
        true => Err(Error::not_offered(service.name(), noun)),
        false => Ok(()),
    }
}

/// The configuration that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigSource {
    /// The one that a server runs.
    Running,
    /// The file.
    Saved,
}

/// The decision on a pending change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'d> {
    Keep,
    /// The same, although nodes failed to take it.
    KeepThoughFailed,
    /// The same, once the nodes of all waves have run it, each of which holds the ones before it; for the reason `late` it is
    /// rolled back.
    KeepOnceRun {
        waves: &'d [Vec<String>],
        late: Option<&'d str>,
    },
    RollBack,
}

/// What became of a pending change.
#[derive(Debug, Default)]
pub struct Decided {
    pub notes: Vec<OutcomeNote>,
    /// What is waited for, in words; `None` if it is decided.
    pub waits_for: Option<Vec<String>>,
}

/// The part of a status that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusPart {
    /// Whether the server has more than the four operations.
    Level,
    /// What the server tells of itself, and which configuration runs.
    Server,
    /// The records of the nodes.
    Nodes,
    /// The alarms of etcd.
    Alarms,
    All,
}

/// The state of a configuration; serialized, the members of `mediactl status -o json`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Status {
    /// The server that runs the configuration.
    pub server: Option<ServerInfo>,
    /// The server that may run it and can't be asked, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<String>,
    /// The node of a cluster that the server is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeReport>,
    /// True if the running configuration is saved; null if the server does not say.
    pub saved: Option<bool>,
    /// The paths whose values differ between the running and the saved configuration.
    pub differing: Vec<String>,
    /// True if the file was edited by hand since the last change in the history.
    pub edited_by_hand: bool,
    /// The text of the file; `None` if the server does not show it.
    #[serde(skip)]
    pub file: Option<Arc<Snapshot>>,
    /// The number of errors of the file; null if the server does not show it.
    pub errors: Option<usize>,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_error: Option<FirstError>,
    /// The change that has to be confirmed.
    pub pending: Option<PendingInfo>,
    /// The last change in the history; an `update` after it, which is in no history.
    pub last_change: Option<HistoryEntry>,
    /// The last failure that came after the response.
    pub last_error: Option<String>,
    /// The records of the nodes of a cluster; `None` if there can be no nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeRecord>>,
    /// The alarms of the etcd in which it stands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<String>,
    /// The figures of the server; null if it tells none.
    #[serde(skip)]
    pub figures: Value,
    /// The revision of what runs, or of the file where no server runs; none where the text is not known.
    #[serde(skip)]
    pub running: Option<Revision>,
    /// True if the server has the four operations alone.
    #[serde(skip)]
    pub is_plain: bool,
}

impl Status {
    /// Why the last reload of the server, or its runtime command, failed.
    pub fn trouble(&self) -> Option<&str> {
        let errors = self.figures["errors"].as_array().into_iter().flatten();
        self.last_error.as_deref().or_else(|| errors.into_iter().find_map(Value::as_str))
    }
}

/// The first error of a file.
#[derive(Debug, Clone, Serialize)]
pub struct FirstError {
    pub file: String,
    /// Both from 1.
    #[serde(flatten)]
    pub position: Position,
    pub message: String,
    /// The line, with secrets masked; `None` if they can't be found.
    pub text: Option<String>,
}

/// A server, as it describes itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerInfo {
    pub pid: Option<u64>,
    /// Its version of this program.
    pub version: Option<String>,
    /// The addresses on which it listens.
    pub addresses: Vec<String>,
    /// The time of its start (RFC 3339).
    pub started_at: Option<String>,
}

/// The last change: the `update` that a server made last, if it was made after the last one in the history.
pub fn last_change(entry: Option<HistoryEntry>, made: Option<HistoryEntry>) -> Option<HistoryEntry> {
    let is_later = |made: &HistoryEntry| {
        made.operation == Operation::Update.name() && entry.as_ref().is_none_or(|entry| entry.at <= made.at)
    };
    made.filter(is_later).or(entry)
}

impl HistoryEntry {
    /// The entry of a change to this text that is in no history.
    pub fn aside(self, after: &Snapshot) -> Self {
        Self { after: Some(after.revision()), is_aside: true, ..self }
    }
}

/// The paths of the values that differ between two configurations; empty if one of them has errors.
pub fn differing(running: &Snapshot, saved: &Snapshot) -> Vec<String> {
    // Mostly they are equal, and comparing values costs more than comparing texts.
    let changed = if running.is_same_text(saved) { None } else { changed(running, saved) };
    changed.iter().flatten().map(ChangedValue::short_path).collect()
}

/// A node of a cluster, as it describes itself to its clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeReport {
    pub name: String,
    /// The URL of the configuration in the cluster, without credentials.
    pub cluster: String,
    /// The serial of the cluster's configuration that it runs; none before the first.
    pub serial: Option<u64>,
    /// The serial that it should run, as far as it knows.
    pub wanted: Option<u64>,
    /// As a [`NodeState`](crate::store::NodeState) is written: `running`, `canary`, `failed`, …
    pub state: String,
    /// The reason why it does not run what it should, in one line.
    pub why: Option<String>,
    /// The same for those who may only look: without what hooks printed. It is not sent beside the other.
    #[serde(skip)]
    pub brief: Option<String>,
    /// Since when it is in this state (RFC 3339).
    pub since: String,
    /// The reason why the cluster can't be reached or read; `None` while it can.
    pub away: Option<String>,
    /// The serial of the last change that the node saw, for monitoring.
    #[serde(skip)]
    pub cluster_serial: Option<u64>,
    /// Since the last read of the cluster that succeeded; `None` before the first.
    #[serde(skip)]
    pub last_contact: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failed_reload_and_a_failed_runtime_command_are_told() {
        let of = |figures: Value| {
            let last_error = figures["config"]["last_error"].as_str().map(str::to_owned);
            Status { last_error, figures, ..Status::default() }.trouble().map(str::to_owned)
        };
        assert_eq!(of(json!({"config": {"last_error": null}, "server": {}})), None);
        assert_eq!(of(json!({"config": {"last_error": "x"}})).as_deref(), Some("x"));
        let failed = "the runtime command failed";
        assert_eq!(of(json!({"errors": [failed]})).as_deref(), Some(failed));
    }
}
