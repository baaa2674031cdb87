//! The report of a node of a cluster about itself.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

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
    /// `running`, `refused`, `failed`, `drifted`.
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
    /// How far its clock is ahead of that of whoever made the last change, in seconds, if that is more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<i64>,
    /// The figures for monitoring.
    #[serde(skip)]
    pub figures: NodeFigures,
}

/// The figures of a node for monitoring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeFigures {
    /// The serial of the last change that the node saw.
    pub cluster_serial: Option<u64>,
    /// Since the last read of the cluster that succeeded; `None` before the first.
    pub last_contact: Option<Duration>,
    /// True if a change was not confirmed in time, and nobody has taken it back in the cluster.
    pub is_overdue: bool,
    /// True if another process has the name of the node.
    pub is_twin: bool,
    /// The end of the validity of the certificate that the node shows to the cluster.
    pub certificate_expiry: Option<SystemTime>,
}
