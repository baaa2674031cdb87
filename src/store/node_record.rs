//! The records of nodes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::revision::Revision;

/// The configuration that a node of a cluster runs, as it reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Its name, which is that of the key.
    #[serde(default)]
    pub node: String,
    /// The serial of the change that it runs; none before the first.
    pub serial: Option<u64>,
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
    /// The revision of the text that it runs, with its overlays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// The group whose overlay it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Tells the processes apart that have the name of this node.
    #[serde(default)]
    pub instance: String,
    /// The machine and the process.
    #[serde(default)]
    pub host: String,
    #[serde(default)]
    pub pid: u32,
}

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    /// It runs what it should.
    Running,
    /// It does not take the text: the check says no, or an overlay does not fit.
    Refused,
    /// It could not write or load the text.
    Failed,
    /// Its file was edited by hand.
    Drifted,
}

impl fmt::Display for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Running => "running",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Drifted => "drifted",
        })
    }
}
