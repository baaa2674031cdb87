//! A change that has to be confirmed, and the records of the nodes that run it.

use std::fmt;
use std::time::SystemTime;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::clock;
use super::record::Revision;

/// A change that has to be confirmed, as everybody hears of it: users, clients and nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingInfo {
    /// The name by which it is confirmed.
    pub id: String,
    /// `modify`, `save`, `update` or `rollback`, or the command that made it, such as `edit`.
    pub operation: String,
    pub by: String,
    /// The time at which it is rolled back; RFC 3339 in whole seconds, where it is sent.
    #[serde(with = "clock::as_rfc3339")]
    pub deadline: SystemTime,
    /// The number of seconds until then, by the clock of whoever says so.
    pub seconds_left: u64,
    /// The nodes of a cluster that take it first, while the others wait until it is confirmed; empty if all take it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub canary: Vec<String>,
    /// The time in seconds for which these nodes have to run it without a break.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soak_s: Option<u64>,
    /// True if it cannot be confirmed any more, as its time is over or its server was killed, and it is not rolled back yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_over: bool,
}

impl PendingInfo {
    /// The time that is left, in words; over a day in days.
    pub fn left(&self) -> String {
        match self.seconds_left / (24 * 60 * 60) {
            0 => format!("{} s", self.seconds_left),
            1 => "1 day".to_owned(),
            days => format!("{days} days"),
        }
    }

    /// A change that users confirm before `deadline`.
    pub fn new(id: String, operation: String, by: String, deadline: SystemTime) -> Self {
        let (seconds_left, canary, soak_s, is_over) = Default::default();
        Self { id, operation, by, deadline, seconds_left, canary, soak_s, is_over }.until(deadline)
    }

    /// The same with another deadline.
    pub fn until(self, deadline: SystemTime) -> Self {
        let left = deadline.duration_since(SystemTime::now());
        Self { deadline, seconds_left: left.map_or(0, |left| left.as_secs()), ..self }
    }

    /// Describes the condition that the change waits for.
    pub fn in_words(&self) -> String {
        let by = if self.by.is_empty() { "an unknown user" } else { &self.by };
        match self.canary.is_empty() {
            true => format!("a change by {by} waits to be confirmed: {} left", self.left()),
            false => {
                let nodes = &self.canary;
                let nodes = if nodes.len() > 4 { format!("{} nodes", nodes.len()) } else { nodes.join(", ") };
                format!("a change by {by} waits until it runs on {nodes}: {} left", self.left())
            }
        }
    }
}

/// A change that has to be confirmed, as a store keeps it: with the texts that a rollback needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRecord {
    pub info: PendingInfo,
    /// The running configuration before.
    pub running: Bytes,
    /// The stored text before, if there was one.
    pub file: Option<Bytes>,
    /// The text that the change stores; `None` if it stores nothing.
    pub written: Option<Bytes>,
}

/// The configuration that a node of a cluster runs, as it reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Its name, which is that of the key.
    #[serde(default)]
    pub node: String,
    /// The serial of the change that it runs; none before the first.
    pub serial: Option<u64>,
    /// The epoch of the cluster to which that change belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
    /// The serial of the change that it should run.
    pub wanted: Option<u64>,
    pub state: NodeState,
    /// The first line of why it does not run what it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Its version of this program.
    pub version: String,
    /// Since when it is in this state (RFC 3339).
    pub since: String,
    /// The revision of the text that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// The machine and the process.
    #[serde(default)]
    pub host: String,
    #[serde(default)]
    pub pid: u32,
    /// The id of the unconfirmed change that it runs as one of the first nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// True if it has run that change for as long as it has to, without a break.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_soaked: bool,
}

impl NodeRecord {
    /// The row of a node in this state of which nothing else is known.
    pub fn absent(state: NodeState) -> Self {
        Self { state, ..Self::default() }
    }
}

/// The state of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    /// It runs what it should.
    Running,
    /// It runs a change that it takes before the others.
    Canary,
    /// A check or reload command refused the text, or it could not be written; or the health command fails.
    Failed,
    /// Its file was edited by hand.
    Drifted,
    /// It has no contact with the cluster, and is back before a change that was not confirmed.
    #[serde(rename = "cut-off")]
    CutOff,
    /// The cluster is not the one whose changes it ran, such as a restored back-up; it goes on with what it runs.
    Held,
    /// It has no right to read the cluster, or to put its record there.
    Denied,
    /// It does not live any more, or its record can't be read.
    #[default]
    Gone,
}

impl NodeState {
    /// The states in which a node that lives can be.
    pub const ALL: [Self; 7] =
        [Self::Running, Self::Canary, Self::Failed, Self::Drifted, Self::CutOff, Self::Held, Self::Denied];
}

/// The word that stands in records.
impl fmt::Display for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = serde_json::to_value(self).unwrap_or_default();
        f.write_str(word.as_str().unwrap_or_default())
    }
}
