//! The report of a node of a cluster about itself.

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
    /// The reason why the cluster can't be reached; `None` while it can.
    pub away: Option<String>,
}
