//! What a node knows of itself.

use std::time::SystemTime;

use super::overlays::NamedPatch;
use crate::engine::PendingInfo;
use crate::store::NodeState;
use crate::store::cluster::Seen;
use crate::store::file::Followed;

/// What a node knows of itself.
#[derive(Debug)]
pub struct NodeStanding {
    /// As it is noted in the state folder.
    pub followed: Followed,
    /// The serial that the node should run.
    pub wanted: Option<u64>,
    pub state: NodeState,
    pub why: Option<String>,
    pub since: SystemTime,
    /// Why the cluster can't be reached.
    pub away: Option<String>,
    /// The source of the text that the node does not take.
    pub refused: Option<String>,
    pub overlays: Vec<NamedPatch>,
    /// The change of the cluster that has to be confirmed.
    pub pending: Option<PendingInfo>,
}

impl NodeStanding {
    /// The standing of a node that has not looked yet.
    pub fn new(followed: Followed) -> Self {
        Self {
            wanted: followed.runs.as_ref().map(|runs| runs.serial),
            followed,
            state: NodeState::Running,
            why: None,
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

    /// Notes the state, and since when it is so.
    pub fn turn(&mut self, state: NodeState, why: Option<String>) {
        if self.state != state {
            self.since = SystemTime::now();
        }
        self.state = state;
        self.why = why;
    }

    /// Notes what was read from the cluster.
    pub fn note_seen(&mut self, seen: &Seen) {
        self.away = None;
        let head = seen.head.as_ref().filter(|_| seen.may_be_confirmed());
        self.pending = head.and_then(|head| {
            let change = head.unconfirmed.as_ref()?;
            let (operation, by) = (head.operation.clone(), head.by.clone());
            Some(PendingInfo::new(change.id.clone(), operation, by, change.until(), SystemTime::now()))
        });
    }
}
