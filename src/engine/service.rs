//! The service that every command and every endpoint works on: the engine over a store, a node of a cluster, or a
//! server elsewhere; and the state of a configuration that it tells.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::{ChangeOptions, ChangeReport, Operation, OutcomeNote, RequestedChange};
use super::include::Composed;
use super::snapshot::{Snapshot, compared};
use crate::error::Error;
use crate::store::{ChangeRef, HistoryEntry, NodeRecord, PendingInfo, Revision, WHOLE_HISTORY};
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

    /// Returns the figures of the server; null if it tells none.
    fn figures(&self) -> Result<Value, Error> {
        Err(Error::no_server())
    }

    /// Reads the running configuration, or the file where no server runs; `None` if it is still the one that `tag`
    /// stands for. `tag` then stands for what was read.
    fn read_changed(&self, tag: &mut Option<String>) -> Result<Option<Arc<Snapshot>>, Error> {
        let snapshot = self.read(None)?;
        let revision = snapshot.revision().to_string();
        let is_known = tag.as_ref() == Some(&revision);
        *tag = Some(revision);
        Ok((!is_known).then_some(snapshot))
    }

    /// Returns how the server is, and no text.
    fn health(&self) -> Result<ServerHealth, Error> {
        let revision = self.read(None)?.known_revision();
        Ok(ServerHealth { revision, pending: self.pending()?, trouble: None })
    }

    /// Returns a configuration that was read with the files that it includes; `None` if it includes none, has
    /// errors itself, or the server does not send them.
    fn composed(&self, text: &Arc<Snapshot>, source: Option<ConfigSource>)
    -> Result<Option<Composed>, Error>;

    /// Makes a change, or rehearses it.
    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error>;

    /// Returns a rollback by the number of what it goes back to, because another change would be the last one then, and
    /// the changes that it undoes, the last one first; `None` for any other change.
    fn pinned(
        &self,
        requested: &RequestedChange<'_>,
    ) -> Result<Option<(RequestedChange<'static>, Vec<HistoryEntry>)>, Error> {
        let RequestedChange::Rollback(which) = requested else { return Ok(None) };
        let mut undone = self.history(WHOLE_HISTORY)?;
        let Some(first) = which.find(&undone) else { return Ok(None) };
        undone.truncate(first + 1);
        let number = undone[first].number;
        Ok(Some((RequestedChange::Rollback(ChangeRef::Number(number)), undone)))
    }

    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error>;

    /// Returns the text before a change.
    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error>;

    /// Returns the text after the last change, where the file was edited by hand since, to `now`; `None` if it is not known.
    fn before_hand_edit(&self, _now: &Snapshot) -> Option<Arc<Snapshot>> {
        self.read(Some(ConfigSource::Running)).ok()
    }

    /// Returns the change that has to be confirmed.
    fn pending(&self) -> Result<Option<PendingInfo>, Error>;

    /// Confirms the pending change, or rolls it back; `id` names it, `None` is whichever is pending. `by` is who
    /// decides, where the service can't know that by itself.
    fn decide(&self, decision: Decision, id: Option<&str>, by: &str) -> Result<Vec<OutcomeNote>, Error>;

    /// Refuses to go on with a server that has only the four operations that every server has, and so not what this noun
    /// says; nothing is changed.
    fn demand(&self, _noun: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Returns what the server is in a cluster; `None` if it is in none, or does not say.
    fn node(&self) -> Option<NodeReport> {
        None
    }

    /// Returns the records of the nodes of the cluster; `None` if there is none.
    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, Error> {
        Ok(None)
    }

    /// Waits until the state of a server may differ from the one of `tag`, at most for `most`; false if it can't be
    /// waited for.
    fn wait_for_change(&self, _tag: &mut Option<String>, _most: Duration) -> Result<bool, Error> {
        Ok(false)
    }

    /// Looks at the nodes that take the change `id` first, and confirms it if it can be, or rolls it back
    /// for the reason `back`. Says what is waited for; `None` if it is decided.
    fn canaries(&self, _id: &str, _back: Option<&str>) -> Result<Option<Vec<String>>, Error> {
        Ok(None)
    }

    /// Returns the state of the configuration.
    fn status(&self) -> Result<Status, Error>;
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
pub enum Decision {
    Keep,
    /// The same, although nodes failed to take it.
    KeepThoughFailed,
    RollBack,
}

/// The state of a configuration; serialized, the members of `mediactl status -o json`.
#[derive(Debug, Default, Serialize)]
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
}

/// The state of a server, and the configuration that it runs.
#[derive(Debug, Clone)]
pub struct ServerHealth {
    /// The revision of what it runs, or of the file where no server runs; none where the text is not known.
    pub revision: Option<Revision>,
    /// The change that has to be confirmed.
    pub pending: Option<PendingInfo>,
    /// Why its last reload or its runtime command failed.
    pub trouble: Option<String>,
}

/// The first error of a file.
#[derive(Debug, Serialize)]
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
#[derive(Debug, Default, Serialize, Deserialize)]
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
pub fn last_change(
    entry: Option<HistoryEntry>,
    (at, by, operation): (SystemTime, &str, &str),
    running: Revision,
) -> Option<HistoryEntry> {
    let is_later = operation == Operation::Update.name() && entry.as_ref().is_none_or(|entry| entry.at <= at);
    let update = || HistoryEntry {
        at,
        by: Some(by.to_owned()),
        after: Some(running),
        is_aside: true,
        ..HistoryEntry::new(0, operation)
    };
    if is_later { Some(update()) } else { entry }
}

/// The paths of the values that differ between two configurations; empty if one of them has errors.
pub fn differing(running: &Snapshot, saved: &Snapshot) -> Vec<String> {
    // Mostly they are equal, and comparing values costs more than comparing texts.
    if running.is_same_text(saved) || !(running.is_valid() && saved.is_valid()) {
        return Vec::new();
    }
    let changed = compared([Some(running), Some(saved)], ChangedValue::between);
    changed.iter().map(ChangedValue::short_path).collect()
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
