//! The state of a configuration at a glance: the running one, the saved one, a pending change.

use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::node_report::NodeReport;
use super::operation::Operation;
use super::snapshot::{Snapshot, compared};
use crate::store::{HistoryEntry, NodeRecord, PendingInfo, Revision};
use mediaconf::{Masker, Path, Position, Segment, diff};

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
        number: None,
        serial: 0,
        at,
        operation: operation.to_owned(),
        by: Some(by.to_owned()),
        message: None,
        id: None,
        undoes: None,
        before: None,
        after: Some(running),
        is_aside: true,
        paths: None,
        from: None,
    };
    if is_later { Some(update()) } else { entry }
}

/// The paths of the values that differ between two configurations; empty if one of them has errors.
pub fn differing(running: &Snapshot, saved: &Snapshot) -> Vec<String> {
    if running.is_same_text(saved) {
        // Mostly they are equal, and the JSON of both costs more than the comparison.
        return Vec::new();
    }
    let mut paths = Vec::new();
    if running.is_valid() && saved.is_valid() {
        let patch =
            compared([Some(running), Some(saved)], |running, saved| Value::Object(diff(running, saved)));
        collect_paths(&Masker::default().json(&patch), &mut Vec::new(), &mut paths);
    }
    paths
}

fn collect_paths(patch: &Value, above: &mut Vec<Segment>, paths: &mut Vec<String>) {
    match patch {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                above.push(Segment::Key(key.clone()));
                collect_paths(value, above, paths);
                above.pop();
            }
        }
        _ if above.is_empty() => {}
        _ => paths.push(Path { segments: above.clone() }.to_string()),
    }
}
