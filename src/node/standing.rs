//! The state of a node, as it knows it.

use std::time::{Instant, SystemTime};

use super::overlays::NamedPatch;
use crate::engine::Trouble;
use crate::store::cluster::Seen;
use crate::store::file::Followed;
use crate::store::{NodeRecord, NodeState, PendingInfo};

/// The state of a node, as it knows it.
#[derive(Debug)]
pub struct NodeStanding {
    /// As it is noted in the state folder.
    pub followed: Followed,
    /// The serial that the node should run.
    pub wanted: Option<u64>,
    pub state: NodeState,
    pub why: Option<Trouble>,
    pub since: SystemTime,
    /// Another process that has the name of this node.
    pub twin: Option<Twin>,
    /// The reason why the cluster can't be reached.
    pub away: Option<String>,
    /// The source of the text that the node does not take.
    pub refused: Option<String>,
    pub overlays: Vec<NamedPatch>,
    /// The change of the cluster that has to be confirmed.
    pub pending: Option<PendingInfo>,
}

/// Another process that has the name of this node.
#[derive(Debug)]
pub struct Twin {
    /// The warning: which process it is, and where it runs.
    pub words: String,
    pub seen: Instant,
}

impl Twin {
    pub fn from_record(NodeRecord { node, host, pid, .. }: &NodeRecord) -> Self {
        let words = format!("process {pid} on {host} has the node name {node}, too");
        Self { words, seen: Instant::now() }
    }
}

impl NodeStanding {
    /// The standing of a node that has not looked yet.
    pub fn new(followed: Followed) -> Self {
        Self {
            wanted: followed.runs.as_ref().map(|runs| runs.serial),
            followed,
            state: NodeState::Running,
            why: None,
            twin: None,
            since: SystemTime::now(),
            away: Some("it was not reached yet".to_owned()),
            refused: None,
            overlays: Vec::new(),
            pending: None,
        }
    }

    /// The serial that the node runs.
    pub fn serial(&self) -> Option<u64> {
        self.followed.runs.as_ref().map(|runs| runs.serial)
    }

    /// Returns the reasons why the node does not run what it should, and that it is not alone.
    pub fn why(&self) -> Option<Trouble> {
        let twin = self.twin.as_ref().map(|twin| twin.words.as_str());
        match (&self.why, twin) {
            (Some(why), Some(twin)) => Some(why.map(|why| format!("{why}; {twin}"))),
            (why, twin) => why.clone().or(twin.map(Trouble::new)),
        }
    }

    /// Notes the state, and since when it is so.
    pub fn turn(&mut self, state: NodeState, why: Option<Trouble>) {
        if self.state != state {
            self.since = SystemTime::now();
        }
        self.state = state;
        self.why = why;
    }

    /// Notes the state that was read from the cluster.
    pub fn note_seen(&mut self, seen: &Seen) {
        self.away = None;
        self.pending = seen.open().filter(|open| !open.is_over);
    }
}
