//! Following: a node looks at the newest change, goes there, and says so in its record in the cluster, on a lease that ends
//! with the node.

use std::time::Duration;

use rustix::system::uname;

use super::{NOT_REACHED, Node, away_words, failed};
use crate::engine::{LogLevel, hook_output};
use crate::error::{Error, ErrorKind};
use crate::store::clock::boot_time;
use crate::store::etcd::{KeyRange, KeyValue, Seen};
use crate::store::{NodeRecord, NodeState, Store, jittered};

/// After this long a node looks without being woken up.
const POLL: Duration = Duration::from_secs(5);

/// The same while something has to be decided soon, or went wrong on this node.
const CLOSE_POLL: Duration = Duration::from_secs(1);

/// After this long it tries again to reach the cluster; longer each time up to `LONGEST_RETRY`, so that
/// it is back two seconds after the cluster at the latest.
const RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_millis(800);

/// The pause after a look, in which a burst of changes becomes one.
const REST: Duration = Duration::from_millis(100);

/// The length of a watch, so that one whose connection is dead is replaced.
const WATCH_TIME: Duration = Duration::from_secs(120);

/// The pause before the next watch.
const WATCH_PAUSE: Duration = Duration::from_millis(500);

/// The pause between two runs of the health command while the node takes a change before the others, or is not healthy.
const HEALTH_PAUSE: Duration = Duration::from_secs(5);

/// The time in seconds after which the record of a node that has ended is removed.
const LEASE: u64 = 5;

/// The age at which the record that stays is written anew: it tells when the node was heard of.
const STALE: Duration = Duration::from_secs(10 * 60);

/// The pause between two signs of life on the lease.
const BEAT: Duration = Duration::from_millis(LEASE * 1000 / 3);

impl Node {
    /// Follows until the node ends.
    pub(super) fn follow(&self) {
        let (mut pause, mut retry) = (Duration::ZERO, RETRY);
        while let Some(turn) = self.wake.next(pause) {
            pause = match self.look() {
                Ok(pause) => {
                    retry = RETRY;
                    pause
                }
                Err(error) => {
                    self.note_away(error);
                    self.go_back_alone();
                    retry = (retry * 2).min(LONGEST_RETRY);
                    retry
                }
            };
            pause = jittered(pause);
            self.wake.finish(turn);
            if !self.wake.sleep(REST) {
                return;
            }
        }
    }

    /// Looks, and does the work that the look finds; returns the latest time of the next look.
    fn look(&self) -> Result<Duration, Error> {
        let keys = &self.store.keys;
        // The change that the node ran last.
        let last_run = self.standing.lock().serial().map(|serial| keys.change(serial));
        let others = [keys.node(&self.name)].into_iter().chain(last_run);
        let sent = boot_time();
        let mut seen = self.store.seen_with(others.map(|key| KeyRange::one(&key)).collect())?;
        let mut others = std::mem::take(&mut seen.others).into_iter().map(|mut found| found.pop());
        let [own_record, last_run] = [(); 2].map(|()| others.next().flatten());
        self.note_own_record(own_record.as_ref());
        self.note_contact(&seen, sent)?;
        if self.is_held(&seen, last_run.as_ref()) {
            self.report();
            return Ok(POLL);
        }
        match self.go_to(&seen) {
            // Another one was faster: what there is now decides.
            Err(error) if error.kind == ErrorKind::Overtaken => return Ok(REST),
            gone => gone?,
        }
        self.forget_way_back(&seen);
        self.check_health();
        self.report();
        // Whoever makes the next change does it, too, where this node has no right to.
        let is_taken_back = seen.has_run_out() && self.store.take_back(&seen).is_ok();
        Ok(if is_taken_back { REST } else { self.pause(&seen) })
    }

    fn pause(&self, seen: &Seen) -> Duration {
        let standing = self.standing.lock();
        // What was not taken is not tried again soon.
        let is_settled = standing.serial() == standing.wanted || standing.not_taken.is_some();
        // The permission to run an unconfirmed change is asked for again and again.
        if !is_settled || seen.has_pending { CLOSE_POLL } else { POLL }
    }

    /// Tries what the node did not take again, at once; returns the turn of the look.
    pub fn try_again(&self) -> u64 {
        self.standing.lock().not_taken = None;
        self.wake.ask()
    }

    /// Notes why a look failed. What can't be read in a cluster that answers is a failure of this node: its record says so,
    /// and it goes on with what it runs.
    fn note_away(&self, error: Error) {
        let (kind, why) = (error.kind, away_words(&error));
        let mut standing = self.standing.lock();
        if kind == ErrorKind::Unusable && standing.state != NodeState::CutOff {
            standing.turn(NodeState::Failed, Some(failed(why.clone())));
        }
        let before = standing.away.replace(error);
        drop(standing);
        if before.is_none_or(|before| before.kind != kind || before.reason.as_deref() == Some(NOT_REACHED)) {
            let (level, what) = match kind {
                ErrorKind::ClusterDenied => (LogLevel::Error, "denied: "),
                ErrorKind::Unusable => (LogLevel::Error, "failed: "),
                _ => (LogLevel::Warning, ""),
            };
            let name = self.texts.name();
            self.local.tell(level, &format!("{what}this node goes on without `{name}`: {why}"));
        }
        if kind == ErrorKind::Unusable {
            self.report();
        }
    }

    /// Watches etcd until the node ends: each change of a key that matters wakes the node up. Nothing is missed between two
    /// watches, because the start of a watch wakes it up, too.
    pub(super) fn watch(&self) {
        let keys = &self.store.keys;
        let ranges = [&keys.head, &keys.pending].map(|key| KeyRange::one(key));
        loop {
            // While the cluster is away, or the node may not read it, the looks find out when that is over.
            if self.standing.lock().away.is_none() {
                let wake = || _ = self.wake.ask();
                // Where it fails, the looks say so.
                let _ = self.store.gateway.watch(&ranges, WATCH_TIME, wake);
            }
            if !self.wake.sleep(jittered(WATCH_PAUSE)) {
                return;
            }
        }
    }

    /// Runs the health command after a reload, and again and again where that is needed; notes how it went.
    fn check_health(&self) {
        let Some(command) = &self.health else { return };
        let standing = self.standing.lock();
        let Some(runs) = standing.followed.runs.as_ref().map(|runs| runs.revision) else { return };
        let is_watched = standing.soaks.is_some() || standing.unhealthy.is_some();
        let is_over = |at| is_watched && boot_time() >= at + HEALTH_PAUSE;
        let is_due = standing.checked.is_none_or(|(of, at)| of != runs || is_over(at));
        drop(standing);
        if !is_due {
            return;
        }
        let name = &[("MEDIACTL_NODE", &*self.name)];
        let found = hook_output(command, name, self.local.hooks.timeout);
        let mut standing = self.standing.lock();
        standing.checked = Some((runs, boot_time()));
        let unhealthy = found.err().map(|failure| failed(format!("the health command {failure}")));
        let before = std::mem::replace(&mut standing.unhealthy, unhealthy);
        match &standing.unhealthy {
            Some(why) if before.is_none() => {
                self.local.tell(LogLevel::Error, &format!("this node is not healthy: {}", why.brief()));
            }
            None if before.is_none() => return,
            _ => {}
        }
        standing.turn_running(None);
    }

    /// Puts the record of the node, if it differs from the last one. A failure is made good by the next
    /// look.
    pub(super) fn report(&self) {
        let record = self.record();
        let standing = self.standing.lock();
        let lease = standing.lease;
        if lease.is_some() && standing.reported.as_ref() == Some(&record) {
            return;
        }
        drop(standing);
        let lease = lease.map_or_else(|| self.store.gateway.grant(LEASE), Ok);
        let put = lease.and_then(|lease| self.store.put_node(&record, lease).map(|()| lease));
        let mut standing = self.standing.lock();
        let denied = standing.denied.take();
        (standing.lease, standing.reported, standing.put) = (None, None, boot_time());
        match put {
            Ok(lease) => (standing.lease, standing.reported) = (Some(lease), Some(record)),
            Err(error) if error.kind == ErrorKind::ClusterDenied => {
                let reason = error.reason.unwrap_or(error.message);
                let why = format!("etcd does not let this node put its record: {reason}");
                if denied.as_ref() != Some(&why) {
                    self.local.tell(LogLevel::Error, &format!("denied: {why}"));
                }
                standing.denied = Some(why);
            }
            Err(_) => {}
        }
    }

    /// Notes the record of this node in the cluster. One that this process did not put last is put again.
    pub(super) fn note_own_record(&self, found: Option<&KeyValue>) {
        let found = found.and_then(|found| serde_json::from_slice::<NodeRecord>(&found.value).ok());
        let mut standing = self.standing.lock();
        if found == standing.reported {
            return;
        }
        let (had_put, own) = (standing.reported.take().is_some(), (host(), std::process::id()));
        if let Some(NodeRecord { node, host, pid, .. }) = found
            && had_put
            && (&host, pid) != (&own.0, own.1)
            && !std::mem::replace(&mut standing.has_twin, true)
        {
            let words = format!("process {pid} on {host} has the node name {node}, too");
            let advice = "the cluster shows only one of them: end one, or give it another name";
            self.local.tell(LogLevel::Warning, &format!("{words}; {advice}"));
        }
    }

    pub(super) fn record(&self) -> NodeRecord {
        let standing = self.standing.lock();
        let runs = standing.followed.runs.as_ref();
        NodeRecord {
            node: self.name.clone(),
            serial: standing.serial(),
            epoch: runs.map(|runs| runs.epoch.clone()),
            wanted: standing.wanted,
            state: standing.state(),
            why: standing.why().map(|why| why.message),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: standing.since.clone(),
            revision: runs.map(|runs| runs.revision),
            host: host(),
            pid: std::process::id(),
            change: standing.soaks.as_ref().map(|(change, _)| change.clone()),
            has_soaked: standing.has_soaked(),
        }
    }

    /// Keeps the lease alive until the node ends.
    pub(super) fn keep(&self) {
        while self.wake.sleep(jittered(BEAT)) {
            let lease = self.standing.lock().lease;
            let has_ended =
                lease.is_some_and(|lease| self.store.gateway.keep_alive(lease).is_ok_and(|lives| !lives));
            let mut standing = self.standing.lock();
            if has_ended || boot_time() >= standing.put + STALE {
                standing.reported = None;
                standing.lease.take_if(|_| has_ended);
                self.wake.ask();
            }
        }
    }

    /// Ends the node: it follows no longer, and its record goes.
    pub fn stop(&self) {
        self.wake.end();
        let lease = self.standing.lock().lease;
        if let Some(lease) = lease {
            // The record that stays tells what ran last. If that fails, the lease ends by itself.
            let _ = self.store.put_node(&self.record(), lease);
            let _ = self.store.gateway.revoke(lease);
        }
    }
}

fn host() -> String {
    uname().nodename().to_string_lossy().into_owned()
}
