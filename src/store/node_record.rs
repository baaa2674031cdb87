//! The records of nodes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::revision::Revision;

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
    /// Tells the processes apart that have the name of this node.
    #[serde(default)]
    pub instance: String,
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
    /// How far its clock is ahead of that of whoever made the last change, in seconds, if that is more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<i64>,
}

impl NodeRecord {
    /// The row of a node in this state of which nothing else is known.
    pub fn absent(state: NodeState) -> Self {
        Self { state, ..Self::default() }
    }
}

/// The state of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A state of a later version, in its word.
    #[serde(untagged)]
    Other(String),
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
