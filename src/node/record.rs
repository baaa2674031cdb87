//! The record of a node in the cluster, on a lease that ends with the node.

use std::time::{Duration, SystemTime};

use rustix::system::uname;

use super::{Backoff, LONGEST_DENIAL, LastReport, Node};
use crate::engine::LogLevel;
use crate::error::{Error, ErrorKind};
use crate::store::clock::boot_time;
use crate::store::etcd::{KeyRange, KeyValue, MemberRecord};
use crate::store::{NodeRecord, clock, jittered};

/// The time in seconds after which the record of a node that has ended is removed.
const LEASE: u64 = 30;

/// The age at which the record that stays is written anew: it tells when the node was heard of.
const STALE: Duration = Duration::from_secs(10 * 60);

/// The time for which another process that put the record of this node is told of.
const TWIN: Duration = Duration::from_secs(30);

/// The pause between two signs of life on the lease.
const BEAT: Duration = Duration::from_secs(LEASE / 3);

impl Node {
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

    fn record(&self) -> NodeRecord {
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
