//! The record of a node in the cluster, on a lease that ends with the node.

use std::time::{Duration, SystemTime};

use rustix::system::uname;

use super::member::Node;
use super::not_taken::{Backoff, LONGEST_DENIAL};
use super::report::LastRecord;
use crate::engine::LogLevel;
use crate::store::NodeRecord;
use crate::store::boot_time::boot_time;
use crate::store::bounded_time;
use crate::store::cluster::{GatewayFault, GatewayRefusal, KeyRange, KeyValue, MemberRecord, put_records};
use crate::store::jittered;

/// The time in seconds after which the record of a node that has ended is removed.
const LEASE: u64 = 30;

/// The age at which the record that stays is written anew.
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
        let mut last = self.report.last();
        if last.record.as_ref() == Some(&record) && last.lease.is_some() {
            return;
        }
        if self.standing().denied.record.as_ref().is_some_and(|(_, backoff)| boot_time() < backoff.until) {
            return;
        }
        last.record = None;
        let lease = match last.lease {
            Some(lease) => Ok(lease),
            None => self.store.gateway().grant(LEASE),
        };
        let put = lease.and_then(|lease| Ok((lease, self.put(&record, (lease, last.revision))?)));
        self.note_denied_record(put.as_ref().err());
        match put {
            Ok((lease, Some(revision))) => {
                *last = LastRecord { lease: Some(lease), record: Some(record), revision };
            }
            // Another one was faster: the next look, which comes at once, reads what it put.
            Ok((lease, None)) => {
                last.lease = Some(lease);
                drop(last);
                self.wake.ask();
            }
            Err(_) => last.lease = None,
        }
    }

    /// Notes the record of this node in the cluster. If this process did not put it, it is put again.
    pub(super) fn note_own_record(&self, found: Option<&KeyValue>) {
        let revision = found.map_or(0, |found| found.mod_revision);
        let found = found.and_then(|found| serde_json::from_slice::<NodeRecord>(&found.value).ok());
        let is_own = found.as_ref().is_some_and(|found| found.instance == self.report.instance());
        let had_put = {
            let mut last = self.report.last();
            last.revision = revision;
            !is_own && last.record.take().is_some()
        };
        let mut standing = self.standing();
        let Some(NodeRecord { node, host, pid, .. }) = found.filter(|_| had_put) else {
            standing.twin.take_if(|(_, until)| boot_time() >= *until);
            return;
        };
        // Each put compares the record that was read, so no late request of a process that ended did this.
        let words = format!("process {pid} on {host} has the node name {node}, too");
        let is_new = standing.twin.replace((words.clone(), boot_time() + TWIN)).is_none();
        standing.soaks = None;
        drop(standing);
        if is_new {
            let words = format!("{words}, and the cluster shows one of them alone");
            self.local.tell(LogLevel::Warning, &format!("{words}: end one, or give it another name"));
        }
    }

    /// Notes whether etcd lets the node put its record.
    fn note_denied_record(&self, fault: Option<&GatewayFault>) {
        let mut standing = self.standing();
        let before = standing.denied.record.take();
        let Some(GatewayFault::Refused(GatewayRefusal::Denied(why) | GatewayRefusal::Unauthenticated(why))) =
            fault
        else {
            return;
        };
        let words = format!("etcd does not let this node put its record: {why}");
        let is_known = before.as_ref().is_some_and(|(known, _)| *known == words);
        let backoff = Backoff::after(before.map(|(_, backoff)| backoff), LONGEST_DENIAL, boot_time());
        standing.denied.record = Some((words.clone(), backoff));
        drop(standing);
        if !is_known {
            self.local.tell(LogLevel::Error, &format!("denied: {words}"));
        }
    }

    /// Puts the record, if nobody has changed it since `known`; returns its new revision.
    fn put(&self, record: &NodeRecord, (lease, known): (i64, i64)) -> Result<Option<i64>, GatewayFault> {
        let now = bounded_time::rfc3339(SystemTime::now());
        let since = match self.report.first() {
            Some(first) => first,
            None => self.first_report()?.unwrap_or_else(|| now.clone()),
        };
        let member = MemberRecord {
            since: since.clone(),
            heard: now,
            version: record.version.clone(),
            serial: record.serial,
        };
        let reply =
            self.store.gateway().txn(&put_records(self.store.keys(), record, &member, (lease, known)))?;
        if reply.succeeded {
            self.report.note_first(since);
        }
        Ok(reply.succeeded.then_some(reply.header.revision))
    }

    /// The time of the first report of this node, by the record that stays.
    fn first_report(&self) -> Result<Option<String>, GatewayFault> {
        let range = KeyRange::one(&self.store.keys().member(&self.settings.name));
        let found = self.store.gateway().range(range)?.pop();
        let member = found.and_then(|found| serde_json::from_slice::<MemberRecord>(&found.value).ok());
        Ok(member.map(|member| member.since))
    }

    fn record(&self) -> NodeRecord {
        let standing = self.standing();
        NodeRecord {
            node: self.settings.name.clone(),
            serial: standing.serial(),
            epoch: standing.followed.runs.as_ref().map(|runs| runs.epoch.clone()),
            wanted: standing.wanted,
            state: standing.state(),
            why: standing.why().map(|why| why.whole),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: bounded_time::rfc3339(standing.since),
            revision: standing.followed.runs.as_ref().map(|runs| runs.revision),
            instance: self.report.instance().to_owned(),
            host: uname().nodename().to_string_lossy().into_owned(),
            pid: std::process::id(),
            change: standing.soaks.as_ref().map(|(change, _)| change.clone()),
            has_soaked: standing.has_soaked(),
            skew: standing.skew,
        }
    }

    /// Keeps the lease alive until the node ends; then the record goes.
    pub(super) fn keep(&self) {
        while self.wake.sleep(jittered(BEAT)) {
            let lease = self.report.last().lease;
            let has_ended = lease.is_some_and(|lease| self.store.gateway().keep_alive(lease) == Ok(false));
            if has_ended {
                self.report.last().lease = None;
                self.wake.ask();
            } else if self.report.is_old(STALE) {
                // The record that stays tells when the node was heard of.
                self.report.last().record = None;
                self.wake.ask();
            }
        }
    }

    /// Ends the node: it follows no longer, and its record goes.
    pub fn stop(&self) {
        self.wake.end();
        let (lease, revision) = {
            let last = self.report.last();
            (last.lease, last.revision)
        };
        if let Some(lease) = lease {
            // If that fails, it ends by itself.
            let _ = self.put(&self.record(), (lease, revision));
            let _ = self.store.gateway().revoke(lease);
        }
    }
}
