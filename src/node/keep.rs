//! The record of a node in the cluster, on a lease that ends with the node.

use std::time::Duration;

use rustix::system::uname;

use super::member::Node;
use super::report::LastRecord;
use crate::engine::Pulse;
use crate::store::NodeRecord;
use crate::store::bounded_time;
use crate::store::cluster::{GatewayFault, KeyOperation, Txn};
use crate::store::jittered;

/// The time in seconds after which the record of a node that has ended is removed.
const LEASE: u64 = 30;

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
        last.record = None;
        let lease = match last.lease {
            Some(lease) => Ok(lease),
            None => self.store.gateway().grant(LEASE),
        };
        match lease.and_then(|lease| self.put(&record, lease).map(|()| lease)) {
            Ok(lease) => *last = LastRecord { lease: Some(lease), record: Some(record) },
            Err(_) => last.lease = None,
        }
    }

    fn put(&self, record: &NodeRecord, lease: i64) -> Result<(), GatewayFault> {
        let key = self.store.keys().node(&self.settings.name.name);
        let value = serde_json::to_vec(record).expect("it has only strings and numbers");
        let put = KeyOperation::put_leased(&key, value, lease);
        self.store.gateway().txn(&Txn { success: vec![put], ..Txn::default() }).map(drop)
    }

    fn record(&self) -> NodeRecord {
        let standing = self.standing();
        NodeRecord {
            node: self.settings.name.name.clone(),
            serial: standing.serial(),
            wanted: standing.wanted,
            state: standing.state,
            why: standing.why().map(|why| why.whole),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: bounded_time::rfc3339(standing.since),
            revision: standing.followed.runs.as_ref().map(|runs| runs.revision),
            group: self.settings.name.group.clone(),
            instance: self.report.instance().to_owned(),
            host: uname().nodename().to_string_lossy().into_owned(),
            pid: std::process::id(),
        }
    }

    /// Keeps the lease alive until the node ends; then the record goes.
    pub(super) fn keep(&self, pulse: &Pulse) {
        pulse.rest();
        while self.wake.sleep(jittered(BEAT)) {
            pulse.turn();
            let lease = self.report.last().lease;
            let has_ended = lease.is_some_and(|lease| self.store.gateway().keep_alive(lease) == Ok(false));
            if has_ended {
                self.report.last().lease = None;
                self.wake.ask();
            }
            pulse.rest();
        }
    }

    /// Ends the node: it follows no longer, and its record goes.
    pub fn stop(&self) {
        self.wake.end();
        if let Some(lease) = self.report.last().lease {
            // If that fails, it ends by itself.
            let _ = self.store.gateway().revoke(lease);
        }
    }
}
