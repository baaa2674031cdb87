//! The state of a node, as it knows it.

use std::time::{Duration, SystemTime, SystemTimeError};

use super::not_taken::{Backoff, NotTaken};
use crate::engine::{NodeFigures, Refusal, Trouble};
use crate::store::boot_time::{boot_id, boot_time};
use crate::store::cluster::{HeadRecord, Seen};
use crate::store::file::Followed;
use crate::store::{NodeState, PendingInfo, Revision};

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
    /// Another process that has the name of this node, in words, and until when it is told of.
    pub twin: Option<(String, Duration)>,
    /// The reason why the cluster can't be reached, or read.
    pub away: Option<String>,
    /// The refusal of a change for that reason, once a look has found it.
    pub refusal: Option<Refusal>,
    /// The reason why etcd does not let the node read or put its record, and when it tries that again.
    pub denied: Denied,
    /// The text that the node does not take, or not yet.
    pub not_taken: Option<NotTaken>,
    /// The revision of the key that asked the node last to try again.
    pub asked_to_retry: i64,
    /// The change of the cluster that has to be confirmed.
    pub pending: Option<PendingInfo>,
    /// The state of the cluster that was read last.
    pub last_seen: Option<LastSeen>,
    /// The change that has to be confirmed, and when the node first saw it, since the start of the machine.
    pub first_seen: Option<(String, Duration)>,
    /// The change that it runs as one of the first nodes, and since when, by the time since the start of the machine.
    pub soaks: Option<(String, Duration)>,
    /// The text for which the health command was run last, and when, since the start of the machine.
    pub checked: Option<(Revision, Duration)>,
    /// The reason why the health command failed last.
    pub unhealthy: Option<Trouble>,
    /// How far the clock of the node is ahead of that of whoever made the last change, in seconds, if that is more than
    /// one.
    pub skew: Option<i64>,
    /// The time of the start of the node, since that of the machine.
    pub started: Duration,
}

/// The state of a cluster that a node read.
#[derive(Debug)]
pub struct LastSeen {
    pub head: HeadRecord,
    /// True if the change could still be confirmed.
    pub has_pending: bool,
    /// The time at which the request was sent, since the start of the machine.
    pub read: Duration,
    /// The rest of the lease of `pending` then.
    pub lease_left: Duration,
    /// The serial of the change that the node ran then, if the cluster says that it was taken back, or no longer says
    /// what became of it.
    pub taken_back: Option<u64>,
}

/// The state before the first look.
const NOT_REACHED: &str = "it was not reached yet";

/// What etcd does not let the node do: to read the cluster, and to put its record.
#[derive(Debug, Default)]
pub struct Denied {
    pub reading: Option<(String, Backoff)>,
    pub record: Option<(String, Backoff)>,
}

impl NodeStanding {
    /// The standing of a node that has not looked yet.
    pub fn new(followed: Followed) -> Self {
        let back = followed.back.as_ref().filter(|back| back.boot == boot_id());
        let first_seen = back.map(|back| (back.change.clone(), Duration::from_millis(back.seen)));
        Self {
            wanted: followed.runs.as_ref().map(|runs| runs.serial),
            followed,
            state: NodeState::Running,
            why: None,
            twin: None,
            since: SystemTime::now(),
            away: Some(NOT_REACHED.to_owned()),
            refusal: None,
            denied: Denied::default(),
            not_taken: None,
            asked_to_retry: 0,
            pending: None,
            last_seen: None,
            first_seen,
            soaks: None,
            skew: None,
            checked: None,
            unhealthy: None,
            started: boot_time(),
        }
    }

    /// True if a look found that the cluster can't be reached, or read.
    pub fn is_known_to_be_away(&self) -> bool {
        self.refusal.is_some()
    }

    /// The serial that the node runs.
    pub fn serial(&self) -> Option<u64> {
        self.followed.runs.as_ref().map(|runs| runs.serial)
    }

    /// True if the node runs a change that was taken back, for all it read last.
    pub fn runs_what_was_taken_back(&self) -> bool {
        let taken_back = self.last_seen.as_ref().and_then(|last| last.taken_back);
        taken_back.is_some() && taken_back == self.serial()
    }

    /// The state that is shown. A node that is denied may run what it should, and nobody can rely on that.
    pub fn state(&self) -> NodeState {
        let is_denied = self.denied.reading.is_some() || self.denied.record.is_some();
        match self.state {
            NodeState::Running | NodeState::Canary if is_denied => NodeState::Denied,
            ref state => state.clone(),
        }
    }

    /// Returns the reasons why the node does not run what it should, that it is denied, and that it is not alone.
    pub fn why(&self) -> Option<Trouble> {
        let denied = self.denied.reading.iter().chain(&self.denied.record).map(|(why, _)| why.as_str());
        let twin = self.twin.as_ref().map(|(words, _)| words.as_str());
        let others: Vec<&str> = denied.chain(twin).collect();
        match (&self.why, others.is_empty()) {
            (why, true) => why.clone(),
            (Some(why), false) => Some(why.map(|why| format!("{why}; {}", others.join("; ")))),
            (None, false) => Some(Trouble::new(others.join("; "))),
        }
    }

    /// Notes that the node runs the text that it should.
    pub fn turn_running(&mut self, first: Option<&str>) {
        if let Some(why) = self.unhealthy.clone() {
            self.soaks = None;
            return self.turn(NodeState::Failed, Some(why));
        }
        let Some(change) = first else {
            self.soaks = None;
            return self.turn(NodeState::Running, None);
        };
        if self.soaks.as_ref().is_none_or(|(id, _)| id != change) {
            self.soaks = Some((change.to_owned(), boot_time()));
        }
        self.turn(NodeState::Canary, None);
    }

    /// True if the node has run a change as one of the first for as long as it has to.
    pub fn has_soaked(&self) -> bool {
        let change = self.last_seen.as_ref().and_then(|last| last.head.unconfirmed.as_ref());
        let (Some(change), Some((id, since))) = (change, &self.soaks) else { return false };
        *id == change.id && boot_time() >= *since + Duration::from_secs(change.soak_s.unwrap_or_default())
    }

    /// The figures for monitoring.
    pub fn figures(&self, certificate_expiry: Option<SystemTime>) -> NodeFigures {
        let last = self.last_seen.as_ref();
        NodeFigures {
            cluster_serial: last.map(|last| last.head.serial),
            last_contact: last.map(|last| boot_time().saturating_sub(last.read)),
            is_overdue: last.is_some_and(|last| last.head.unconfirmed.is_some() && !last.has_pending),
            is_twin: self.twin.is_some(),
            certificate_expiry,
        }
    }

    /// Compares the clock of the node with that of whoever made a change, when the node first sees the change: it was
    /// made since the last read, so the difference is known but for that time. A head that does not follow the last one
    /// is older than that: the cluster was restored.
    pub fn compare_clocks(&mut self, head: &HeadRecord, read: Duration) {
        let is_next = |last: &HeadRecord| last.epoch == head.epoch && last.serial < head.serial;
        let Some(last) = self.last_seen.as_ref().filter(|last| is_next(&last.head)) else { return };
        let seconds = |of: Result<Duration, SystemTimeError>| match of {
            Ok(ahead) => ahead.as_secs_f64(),
            Err(behind) => -behind.duration().as_secs_f64(),
        };
        let most = seconds(SystemTime::now().duration_since(head.at));
        let least = most - read.saturating_sub(last.read).as_secs_f64();
        let skew = if least > 0.0 { least } else { most.min(0.0) };
        #[allow(
            clippy::cast_possible_truncation,
            reason = "it is rounded, and far less than the largest number"
        )]
        let seconds = skew.round() as i64;
        self.skew = Some(seconds).filter(|seconds| seconds.abs() > 1);
    }

    /// Notes the state, and since when it is so.
    pub fn turn(&mut self, state: NodeState, why: Option<Trouble>) {
        if self.state != state {
            self.since = SystemTime::now();
        }
        // A break of any kind begins the time of a first node anew.
        if state != NodeState::Canary {
            self.soaks = None;
        }
        self.state = state;
        self.why = why;
    }

    /// Notes the state that was read from the cluster.
    pub fn note_seen(&mut self, seen: &Seen) {
        (self.away, self.refusal, self.denied.reading) = (None, None, None);
        self.pending = seen.open().filter(|open| !open.is_over);
    }
}
