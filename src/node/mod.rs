//! A node of a cluster: a server whose file follows a configuration in etcd.
//!
//! ```text
//! woken up → look → check hook → file → reload hook → report → take back what ran out
//! ```
//!
//! Whatever woke it up (a watch, the time, a change of its own), a node looks at the newest `head` and goes
//! there, so nothing is missed and a burst is one reload. The text that runs is that of an engine over the
//! local file, whose hooks, history and crash safety are those of every server. A second engine, over the
//! store in etcd, makes the changes that clients ask this node for. Neither knows of the other.
//!
//! Three threads belong to a node: one follows, one watches etcd, one keeps the lease of its record.

mod apply;
mod follow;
mod restore;
mod runs;
mod service;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex, MutexGuard};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::{Engine, NodeReport};
use crate::error::{Error, ErrorKind};
use crate::store::clock;
use crate::store::clock::boot_time;
use crate::store::etcd::ClusterStore;
use crate::store::file::{ConfFile, Followed};
use crate::store::{NodeRecord, NodeState, PendingInfo, Revision, Store};

use runs::LastSeen;

pub use apply::first_text;

/// The longest time for a look. A node that was cut off sends its request again and again, with pauses
/// that grow up to 0.8 s, and is back two seconds after the cluster.
/// In less time, many nodes would only ask a busy cluster more often.
const LOOK_TIME: Duration = Duration::from_secs(3);

/// The pause before a text that the node did not take is tried again.
const RETRY: Duration = Duration::from_secs(60);

/// The reason before the first look.
const NOT_REACHED: &str = "it was not reached yet";

/// A node of a cluster.
pub struct Node {
    name: String,
    /// The command that fails while the media server of the node is not healthy.
    health: Option<String>,
    /// Runs the file.
    local: Engine,
    /// Makes the changes that clients ask for.
    cluster: Engine,
    /// The store of that engine, whose requests have the time that a large text takes.
    texts: Arc<ClusterStore>,
    /// The store of the looks, with little time: the node is soon back when the cluster is.
    store: ClusterStore,
    file: Arc<ConfFile>,
    wake: Wake,
    standing: Mutex<Standing>,
}

/// The state of a node, as it knows it. All times are those since the start of the machine.
#[derive(Default)]
struct Standing {
    /// As it is noted in the state folder.
    followed: Followed,
    /// The serial that the node should run.
    wanted: Option<u64>,
    state: NodeState,
    why: Option<Error>,
    /// Since when it is so (RFC 3339).
    since: String,
    /// True if it was told that another process has the name of this node.
    has_twin: bool,
    /// Why the cluster can't be reached, or read: the answer to who asks for a change.
    away: Option<Error>,
    /// The reason why etcd does not let the node put its record.
    denied: Option<String>,
    /// The text that the node does not take, and until when it is not tried again.
    not_taken: Option<(Revision, Duration)>,
    /// The change of the cluster that has to be confirmed.
    pending: Option<PendingInfo>,
    /// The state of the cluster that was read last.
    last_seen: Option<LastSeen>,
    /// The change that has to be confirmed, and when the node first saw it.
    first_seen: Option<(String, Duration)>,
    /// The change that it runs as one of the first nodes, and since when.
    soaks: Option<(String, Duration)>,
    /// The text for which the health command was run last, and when.
    checked: Option<(Revision, Duration)>,
    /// The reason why the health command failed last.
    unhealthy: Option<Error>,
    started: Duration,
    /// The lease of the record in the cluster, the record as it was put last, and when.
    lease: Option<i64>,
    reported: Option<NodeRecord>,
    put: Duration,
}

impl Node {
    /// A node over an engine that runs a configuration, and the engine over `texts`.
    ///
    /// # Errors
    /// Those of the store: the state folder can't be used.
    pub fn new(
        (name, health): (String, Option<String>),
        local: Engine,
        file: Arc<ConfFile>,
        (cluster, texts): (Engine, Arc<ClusterStore>),
    ) -> Result<Arc<Self>, Error> {
        let store = texts.with_time(LOOK_TIME);
        // The nodes are spread over the members of etcd.
        store.gateway.prefer(xxh3_64(name.as_bytes()) as usize);
        let followed = file.followed()?;
        let standing = Mutex::new(Standing {
            wanted: followed.runs.as_ref().map(|runs| runs.serial),
            followed,
            state: NodeState::Running,
            since: clock::rfc3339(SystemTime::now()),
            away: Some(Error::unreachable_cluster(texts.name(), NOT_REACHED.to_owned())),
            started: boot_time(),
            ..Standing::default()
        });
        let wake = Wake::default();
        Ok(Arc::new(Self { name, health, local, cluster, texts, store, file, wake, standing }))
    }

    /// Starts to follow.
    ///
    /// # Errors
    /// No thread can be spawned.
    pub fn start(self: &Arc<Self>) -> std::io::Result<()> {
        type Work = fn(&Node);
        let work: [(&str, Work); 3] =
            [("follow", Node::follow), ("watch", Node::watch), ("keep", Node::keep)];
        work.into_iter().try_for_each(|(name, run)| {
            let node = self.clone();
            thread::Builder::new().name(name.to_owned()).spawn(move || run(&node)).map(drop)
        })
    }

    /// Notes durably which text the file holds.
    fn note(&self, change: impl FnOnce(&mut Followed)) -> Result<(), Error> {
        let mut followed = self.standing.lock().followed.clone();
        change(&mut followed);
        self.file.note_followed(&followed)?;
        self.standing.lock().followed = followed;
        Ok(())
    }

    /// The message to clients of this node.
    fn described(&self) -> NodeReport {
        let record = self.record();
        let standing = self.standing.lock();
        let last = standing.last_seen.as_ref();
        NodeReport {
            name: record.node,
            cluster: self.texts.name(),
            serial: record.serial,
            wanted: record.wanted,
            state: record.state.to_string(),
            why: record.why,
            brief: standing.why().map(|why| why.brief().to_owned()),
            since: record.since,
            away: standing.away.as_ref().map(away_words),
            cluster_serial: last.map(|last| last.head.serial),
            last_contact: last.map(|last| boot_time().saturating_sub(last.read)),
        }
    }
}

impl Standing {
    /// The serial that the node runs.
    fn serial(&self) -> Option<u64> {
        self.followed.runs.as_ref().map(|runs| runs.serial)
    }

    /// The state that is shown. A node that is denied may run what it should, and nobody can rely on that.
    fn state(&self) -> NodeState {
        match self.state {
            NodeState::Running | NodeState::Canary if self.denied().is_some() => NodeState::Denied,
            state => state,
        }
    }

    /// What etcd does not let the node do, in words.
    fn denied(&self) -> Option<String> {
        let away = self.away.as_ref().filter(|away| away.kind == ErrorKind::ClusterDenied);
        away.map(away_words).or_else(|| self.denied.clone())
    }

    /// The reason why the node does not run what it should, or that it is denied.
    fn why(&self) -> Option<Error> {
        self.why.clone().or_else(|| self.denied().map(failed))
    }

    /// Notes the state, and since when it is so.
    fn turn(&mut self, state: NodeState, why: Option<Error>) {
        if self.state != state {
            self.since = clock::rfc3339(SystemTime::now());
        }
        // A break of any kind begins the time of a first node anew.
        if state != NodeState::Canary {
            self.soaks = None;
        }
        (self.state, self.why) = (state, why);
    }

    /// Notes that the node runs the text that it should; `first` is the change that it takes before the others.
    fn turn_running(&mut self, first: Option<&str>) {
        if let Some(why) = self.unhealthy.clone() {
            return self.turn(NodeState::Failed, Some(why));
        }
        let Some(change) = first else { return self.turn(NodeState::Running, None) };
        if self.soaks.as_ref().is_none_or(|(id, _)| id != change) {
            self.soaks = Some((change.to_owned(), boot_time()));
        }
        self.turn(NodeState::Canary, None);
    }

    /// True if the node has run a change as one of the first for as long as it has to.
    fn has_soaked(&self) -> bool {
        let change = self.last_seen.as_ref().and_then(|last| last.head.unconfirmed.as_ref());
        let (Some(change), Some((id, since))) = (change, &self.soaks) else { return false };
        *id == change.id && boot_time() >= *since + Duration::from_secs(change.soak_s.unwrap_or_default())
    }
}

/// Asks one thread to look, any number of times: it looks once for all that asked before it began.
#[derive(Default)]
struct Wake {
    turns: Mutex<Looks>,
    changed: Condvar,
}

#[derive(Default)]
struct Looks {
    asked: u64,
    done: u64,
    has_ended: bool,
}

impl Wake {
    /// Asks for a look that begins from now on; returns its turn.
    fn ask(&self) -> u64 {
        let mut turns = self.turns.lock();
        turns.asked += 1;
        self.changed.notify_all();
        turns.asked
    }

    /// Waits until a look is asked for, at most for a time; returns its turn. `None` when all is over.
    fn next(&self, most: Duration) -> Option<u64> {
        let turns = self.wait_while(most, |turns| turns.asked == turns.done);
        (!turns.has_ended).then_some(turns.asked)
    }

    /// Wakes all that asked up to this turn: the look is over.
    fn finish(&self, turn: u64) {
        self.turns.lock().done = turn;
        self.changed.notify_all();
    }

    /// Waits until a look is over; false if that takes too long.
    fn wait_for(&self, turn: u64, most: Duration) -> bool {
        self.wait_while(most, |turns| turns.done < turn).done >= turn
    }

    /// Waits for a time; false if all is over.
    fn sleep(&self, time: Duration) -> bool {
        !self.wait_while(time, |_| true).has_ended
    }

    fn end(&self) {
        self.turns.lock().has_ended = true;
        self.changed.notify_all();
    }

    /// Waits while this holds and all is not over, at most for a time. Each wait is relative: one until a time of the
    /// monotonic clock would last minutes where a library shifts the clocks of the process.
    fn wait_while(&self, most: Duration, holds: impl Fn(&Looks) -> bool) -> MutexGuard<'_, Looks> {
        let begin = Instant::now();
        let mut turns = self.turns.lock();
        while !turns.has_ended && holds(&turns) && begin.elapsed() < most {
            self.changed.wait_for(&mut turns, most.saturating_sub(begin.elapsed()));
        }
        turns
    }
}

/// The reason why the cluster can't be reached, or read.
fn away_words(error: &Error) -> String {
    let reason = error.reason.as_ref().map_or_else(|| error.to_string(), Clone::clone);
    match (error.kind, &error.hint) {
        (ErrorKind::ClusterUnavailable, _) if reason != NOT_REACHED => {
            format!("it can't be reached: {reason}")
        }
        (ErrorKind::ClusterDenied, _) => format!("etcd does not let this node read: {reason}"),
        (ErrorKind::Unusable, Some(hint)) => format!("what stands in etcd can't be used: {error}; {hint}"),
        _ => reason,
    }
}

/// Why a node does not run what it should.
fn failed(words: impl Into<String>) -> Error {
    Error::new(ErrorKind::EngineFailed, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_burst_is_one_look_and_later_ones_are_another() {
        let wake = Wake::default();
        (0..100).for_each(|_| _ = wake.ask());
        let turn = wake.next(LONG).expect("it goes on");
        let late = wake.ask();
        wake.finish(turn);
        assert!(!wake.wait_for(late, Duration::ZERO), "that look had begun before");
        wake.ask();
        let turn = wake.next(LONG).expect("it goes on");
        wake.finish(turn);
        assert!(wake.wait_for(late, Duration::ZERO));
        assert!(wake.next(Duration::ZERO).is_some());
        wake.end();
        assert!(wake.next(LONG).is_none());
    }
}
