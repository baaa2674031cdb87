//! Following: a node looks at the newest change, goes there, and says so in its record in the cluster, on a lease that ends
//! with the node.

use std::time::{Duration, SystemTime};

use rustix::system::uname;

use super::{Backoff, LONGEST_DENIAL, LastReport, NOT_REACHED, Node, away_words, failed};
use crate::engine::{LogLevel, hook_output};
use crate::error::{Error, ErrorKind};
use crate::store::clock::{self, boot_time};
use crate::store::etcd::{KeyRange, KeyValue, MemberRecord, Seen};
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

/// The most times that a node looks again at once because something changed while it worked.
const LOOKS: usize = 20;

/// The length of a watch, so that one whose connection is dead is replaced.
const WATCH_TIME: Duration = Duration::from_secs(120);

/// The pause before the next watch.
const WATCH_PAUSE: Duration = Duration::from_millis(500);

/// The pause between two runs of the health command while the node takes a change before the others, or is not healthy.
const HEALTH_PAUSE: Duration = Duration::from_secs(5);

/// The time in seconds after which the record of a node that has ended is removed.
const LEASE: u64 = 30;

/// The age at which the record that stays is written anew: it tells when the node was heard of.
const STALE: Duration = Duration::from_secs(10 * 60);

/// The time for which another process that put the record of this node is told of.
const TWIN: Duration = Duration::from_secs(30);

/// The pause between two signs of life on the lease.
const BEAT: Duration = Duration::from_secs(LEASE / 3);

impl Node {
    /// Follows until the node ends.
    pub(super) fn follow(&self) {
        let (mut pause, mut retry) = (Duration::ZERO, RETRY);
        while let Some(turn) = self.wake.next(pause) {
            // While etcd says that the node has no right to look, it is not asked again.
            let may_look = self.store.gateway().has_other_access()
                || !self.standing.lock().denied_reading.as_ref().is_some_and(Backoff::holds);
            pause = match may_look.then(|| self.look()) {
                Some(Ok(pause)) => {
                    retry = RETRY;
                    pause
                }
                failed => {
                    if let Some(Err(error)) = failed {
                        self.note_away(error);
                        retry = (retry * 2).min(LONGEST_RETRY);
                    }
                    self.go_back_alone();
                    if may_look { retry } else { CLOSE_POLL }
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
        for _ in 0..LOOKS {
            let (keys, name) = (self.store.keys(), &self.settings.name);
            // What the node ran last, and what became of it.
            let last_run = self.standing.lock().serial().map(|serial| [serial, serial + 1]);
            let changes = last_run.into_iter().flatten().map(|serial| keys.change(serial));
            let others = [keys.node(name), keys.retry(name)].into_iter().chain(changes);
            let others = others.map(|key| KeyRange::one(&key)).collect();
            let sent = boot_time();
            let mut seen = self.store.seen_with(others)?;
            let mut others = std::mem::take(&mut seen.others).into_iter().map(|mut found| found.pop());
            let [own_record, asked, last_run, next] = [(); 4].map(|()| others.next().flatten());
            self.note_own_record(own_record.as_ref());
            self.note_contact(&seen, sent)?;
            if let Some(asked) = asked {
                // Somebody asked this node to try again.
                let mut standing = self.standing.lock();
                if std::mem::replace(&mut standing.asked_to_retry, asked.mod_revision) != asked.mod_revision {
                    standing.not_taken = None;
                }
            }
            if self.is_held(&seen, last_run.as_ref()) {
                self.report();
                return Ok(POLL);
            }
            let gone = self.go_to(&seen);
            if let Some(head) = &seen.head {
                self.leave_what_was_taken_back(head, next.as_ref());
            }
            let done = gone.map(|()| {
                self.forget_way_back(&seen);
                self.check_health();
                self.report();
                // Whoever makes the next change does it, too, where this node has no right to.
                !seen.has_run_out() || self.store.take_back(&seen).is_err()
            });
            match done {
                Ok(true) => return Ok(self.pause(&seen)),
                // Another one was faster: what there is now decides.
                Ok(false) => {}
                Err(error) if error.kind == ErrorKind::Overtaken => {}
                Err(error) => return Err(error),
            }
        }
        Ok(CLOSE_POLL)
    }

    fn pause(&self, seen: &Seen) -> Duration {
        let standing = self.standing.lock();
        // What was not taken is not tried again soon.
        let is_settled = standing.serial() == standing.wanted || standing.not_taken.is_some();
        // The permission to run an unconfirmed change is asked for again and again.
        let pause = if !is_settled || seen.has_pending { CLOSE_POLL } else { POLL };
        let next = standing.not_taken.as_ref().map(|failed| failed.until.saturating_sub(boot_time()));
        next.map_or(pause, |next| next.min(pause))
    }

    /// Tries what the node did not take again, at once; returns the turn of the look.
    pub fn try_again(&self) -> u64 {
        let standing = &mut *self.standing.lock();
        standing.not_taken = None;
        for denied in [&mut standing.denied_reading, &mut standing.denied_record].into_iter().flatten() {
            (denied.until, denied.pause) = (Duration::ZERO, Duration::ZERO);
        }
        self.wake.ask()
    }

    /// Notes why a look failed. What can't be read in a cluster that answers is a failure of this node: its record says so,
    /// and it goes on with what it runs.
    fn note_away(&self, error: Error) {
        let (kind, why) = (error.kind, away_words(&error));
        let is_unusable = kind == ErrorKind::Unusable;
        let name = self.texts.name();
        let (level, what) = match kind {
            ErrorKind::ClusterUnavailable => (LogLevel::Warning, format!("`{name}` can't be reached")),
            ErrorKind::ClusterDenied => {
                (LogLevel::Error, format!("denied: `{name}` does not let this node read"))
            }
            _ if is_unusable => (LogLevel::Error, format!("failed: `{name}` has no text for this node")),
            _ => (LogLevel::Warning, format!("`{name}` can't be read")),
        };
        let reason = error.reason.clone().unwrap_or_else(|| why.clone());
        let mut standing = self.standing.lock();
        let denied = standing.denied_reading.take();
        if kind == ErrorKind::ClusterDenied {
            let why = format!("etcd does not let this node read: {reason}");
            standing.denied_reading = Some(Backoff::after(denied, why, LONGEST_DENIAL));
        }
        if is_unusable && standing.state != NodeState::CutOff {
            standing.turn(NodeState::Failed, Some(failed(why.clone())));
        }
        let before = standing.away.replace(error);
        drop(standing);
        let is_known = before.is_some_and(|before| {
            before.reason.as_deref() != Some(NOT_REACHED)
                && before.kind == kind
                && (!is_unusable || away_words(&before) == why)
        });
        if !is_known {
            self.local.tell(level, &format!("{what}, and this node goes on: {reason}"));
            if is_unusable {
                self.report();
            }
        }
    }

    /// Watches etcd until the node ends: each change of a key that matters wakes the node up. Nothing is missed between two
    /// watches, because the start of a watch wakes it up, too.
    pub(super) fn watch(&self) {
        let keys = self.store.keys();
        let watched = [&keys.head, &keys.pending, &keys.retry(&self.settings.name)];
        let ranges = watched.map(|key| KeyRange::one(key));
        loop {
            // While the node has no right to read, the looks find out when it has.
            if self.standing.lock().denied_reading.is_none() {
                let wake = || _ = self.wake.ask();
                // Where it fails, the looks say so.
                let _ = self.store.gateway().watch(&ranges, WATCH_TIME, wake);
            }
            if !self.wake.sleep(jittered(WATCH_PAUSE)) {
                return;
            }
        }
    }

    /// Runs the health command after a reload, and again and again where that is needed; notes how it went.
    fn check_health(&self) {
        let Some(command) = &self.settings.health else { return };
        let standing = self.standing.lock();
        let Some(runs) = standing.followed.runs.as_ref().map(|runs| runs.revision) else { return };
        let is_watched = standing.soaks.is_some() || standing.unhealthy.is_some();
        let is_over = |at| is_watched && boot_time() >= at + HEALTH_PAUSE;
        let is_due = standing.checked.is_none_or(|(of, at)| of != runs || is_over(at));
        drop(standing);
        if !is_due {
            return;
        }
        let name = &[("MEDIACTL_NODE", &*self.settings.name)];
        let found = hook_output(command, name, self.local.hooks().timeout);
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
        let mut last = self.report.lock();
        let is_known = last.record.as_ref() == Some(&record) && last.lease.is_some();
        if is_known || self.standing.lock().denied_record.as_ref().is_some_and(Backoff::holds) {
            return;
        }
        last.record = None;
        let put = self.put(&record, &mut last);
        let mut standing = self.standing.lock();
        let denied = standing.denied_record.take();
        match put {
            Ok(Some(revision)) => (last.record, last.revision) = (Some(record), revision),
            // Another one was faster: the next look, which comes at once, reads what it put.
            Ok(None) => _ = self.wake.ask(),
            Err(error) => {
                last.lease = None;
                if error.kind == ErrorKind::ClusterDenied {
                    let reason = error.reason.unwrap_or(error.message);
                    let why = format!("etcd does not let this node put its record: {reason}");
                    if denied.as_ref().is_none_or(|denied| denied.of != why) {
                        self.local.tell(LogLevel::Error, &format!("denied: {why}"));
                    }
                    standing.denied_record = Some(Backoff::after(denied, why, LONGEST_DENIAL));
                }
            }
        }
    }

    /// Puts the record, if nobody has changed it since the last one; returns its new revision.
    fn put(&self, record: &NodeRecord, last: &mut LastReport) -> Result<Option<i64>, Error> {
        let lease = match last.lease {
            Some(lease) => lease,
            None => *last.lease.insert(self.store.gateway().grant(LEASE)?),
        };
        let heard = clock::rfc3339(SystemTime::now());
        if last.first.is_none() {
            let range = KeyRange::one(&self.store.keys().member(&self.settings.name));
            let found = self.store.gateway().range(range)?.pop();
            let member = found.and_then(|found| serde_json::from_slice::<MemberRecord>(&found.value).ok());
            last.first = Some(member.map_or_else(|| heard.clone(), |member| member.since));
        }
        let (since, version) = (last.first.clone().unwrap_or_default(), record.version.clone());
        let member = MemberRecord { since, heard, version, serial: record.serial };
        let revision = self.store.put_node(record, &member, lease, last.revision)?;
        last.put = boot_time();
        Ok(revision)
    }

    /// Notes the record of this node in the cluster. If this process did not put it, it is put again.
    pub(super) fn note_own_record(&self, found: Option<&KeyValue>) {
        let mut last = self.report.lock();
        last.revision = found.map_or(0, |found| found.mod_revision);
        let found = found.and_then(|found| serde_json::from_slice::<NodeRecord>(&found.value).ok());
        let is_own = found.as_ref().is_some_and(|found| found.instance == last.instance);
        let had_put = !is_own && last.record.take().is_some();
        let mut standing = self.standing.lock();
        let Some(NodeRecord { node, host, pid, .. }) = found.filter(|_| had_put) else {
            standing.twin.take_if(|(_, until)| boot_time() >= *until);
            return;
        };
        // Each put compares the record that was read, so no late request of a process that ended did this.
        let words = format!("process {pid} on {host} has the node name {node}, too");
        if standing.twin.replace((words.clone(), boot_time() + TWIN)).is_none() {
            let words = format!("{words}, and the cluster shows one of them alone");
            self.local.tell(LogLevel::Warning, &format!("{words}: end one, or give it another name"));
        }
        standing.soaks = None;
    }

    pub(super) fn record(&self) -> NodeRecord {
        let instance = self.report.lock().instance.clone();
        let standing = self.standing.lock();
        let runs = standing.followed.runs.as_ref();
        NodeRecord {
            node: self.settings.name.clone(),
            serial: standing.serial(),
            epoch: runs.map(|runs| runs.epoch.clone()),
            wanted: standing.wanted,
            state: standing.state(),
            why: standing.why().map(|why| why.message),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: standing.since.clone(),
            revision: runs.map(|runs| runs.revision),
            instance,
            host: uname().nodename().to_string_lossy().into_owned(),
            pid: std::process::id(),
            change: standing.soaks.as_ref().map(|(change, _)| change.clone()),
            has_soaked: standing.has_soaked(),
            skew: standing.skew,
        }
    }

    /// Keeps the lease alive until the node ends.
    pub(super) fn keep(&self) {
        while self.wake.sleep(jittered(BEAT)) {
            let lease = self.report.lock().lease;
            let has_ended =
                lease.is_some_and(|lease| self.store.gateway().keep_alive(lease).is_ok_and(|lives| !lives));
            let mut last = self.report.lock();
            if has_ended {
                last.lease = None;
            } else if last.record.is_none() || boot_time() < last.put + STALE {
                continue;
            }
            last.record = None;
            self.wake.ask();
        }
    }

    /// Ends the node: it follows no longer, and its record goes.
    pub fn stop(&self) {
        self.wake.end();
        let record = self.record();
        let mut last = self.report.lock();
        if let Some(lease) = last.lease {
            // If that fails, it ends by itself.
            let _ = self.put(&record, &mut last);
            let _ = self.store.gateway().revoke(lease);
        }
    }
}
