//! The records of the nodes of a cluster: one on a lease while a node lives, and one that stays.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cluster_store::ClusterStore;
use super::keys::Keys;
use super::messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn};
use crate::store::error::StoreError;
use crate::store::node_record::{NodeRecord, NodeState};

/// The time in seconds for which nodes are asked to try again.
const RETRY_LEASE: u64 = 60;

/// The most operations of a transaction that etcd takes, with some to spare.
const MAX_PUTS: usize = 100;

/// The record of a node that stays when the node is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRecord {
    /// The first report of the node (RFC 3339).
    pub since: String,
    /// A report of the node; there may have been later ones.
    pub heard: String,
    /// Its version of this program.
    pub version: String,
    /// The serial that it ran then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<u64>,
}

impl ClusterStore {
    /// Reads one row for each node that lives, or that is gone. A record that can't be read is a row that says so.
    pub(super) fn node_records(&self) -> Result<Vec<NodeRecord>, StoreError> {
        let keys = self.keys();
        let (nodes, members) = (keys.nodes(), keys.members());
        let ranges = vec![KeyRange::below(&nodes), KeyRange::below(&members)];
        let seen = self.seen_with(ranges)?;
        let read = |at: usize| seen.others.get(at).into_iter().flatten();
        let name = |found: &KeyValue, prefix: &str| {
            String::from_utf8_lossy(&found.key).trim_start_matches(prefix).to_owned()
        };
        let mut rows = BTreeMap::new();
        for found in read(0) {
            let name = name(found, &nodes);
            let unreadable = || NodeRecord::unreadable(&keys.node(&name));
            let record = serde_json::from_slice(&found.value).unwrap_or_else(|_| unreadable());
            rows.insert(name, record);
        }
        for found in read(1) {
            let name = name(found, &members);
            let record = || match serde_json::from_slice::<MemberRecord>(&found.value) {
                Ok(member) => gone(member),
                Err(_) => NodeRecord::unreadable(&keys.member(&name)),
            };
            rows.entry(name.clone()).or_insert_with(record);
        }
        Ok(rows.into_iter().map(|(node, row)| NodeRecord { node, ..row }).collect())
    }

    /// Asks nodes to try again what they did not take.
    ///
    /// # Errors
    /// Those of the cluster.
    pub fn ask_to_retry(&self, names: &[&str]) -> Result<(), StoreError> {
        let lease = self.gateway().grant(RETRY_LEASE).map_err(self.changing())?;
        for names in names.chunks(MAX_PUTS) {
            let put = |name: &&str| KeyOperation::put_leased(&self.keys().retry(name), "", lease);
            let txn = Txn { success: names.iter().map(put).collect(), ..Txn::default() };
            self.gateway().txn(&txn).map_err(self.changing())?;
        }
        Ok(())
    }

    /// Removes the records of a node that is gone, or whose record can't be read.
    ///
    /// # Errors
    /// `Overtaken` if the node lives; those of the cluster.
    pub fn forget_node(&self, name: &str) -> Result<ForgottenNode, StoreError> {
        let (node, member) = (self.keys().node(name), self.keys().member(name));
        let found = self.one(&node)?;
        if found.as_ref().is_some_and(|found| serde_json::from_slice::<NodeRecord>(&found.value).is_ok()) {
            return Err(self.overtaken());
        }
        let both = || [&node, &member].map(|key| KeyRange::one(key)).into_iter();
        let known = found.as_ref().map_or(0, |found| found.mod_revision);
        let txn = Txn {
            compare: vec![Compare::unchanged(&node, known)],
            success: both().map(KeyOperation::Read).chain(both().map(KeyOperation::Delete)).collect(),
            failure: Vec::new(),
        };
        let reply = self.gateway().txn(&txn).map_err(self.changing())?;
        if !reply.succeeded {
            return Err(self.overtaken());
        }
        Ok(match (found, reply.into_read().into_iter().flatten().next()) {
            (Some(_), _) => ForgottenNode::Unreadable,
            (None, Some(_)) => ForgottenNode::Gone,
            (None, None) => ForgottenNode::Unknown,
        })
    }
}

/// What was known of a node that was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgottenNode {
    /// It was gone.
    Gone,
    /// Its record could not be read, so it may live: then it puts another one.
    Unreadable,
    /// There was no record of it.
    Unknown,
}

/// The transaction that puts the records of a node, if nobody has changed the one that lives on the lease since this
/// revision of etcd.
pub fn put_records(keys: &Keys, node: &NodeRecord, member: &MemberRecord, (lease, known): (i64, i64)) -> Txn {
    let json = "it has only strings and numbers";
    let key = keys.node(&node.node);
    let value = serde_json::to_vec(node).expect(json);
    let put_member = KeyOperation::put(&keys.member(&node.node), serde_json::to_vec(member).expect(json));
    Txn {
        compare: vec![Compare::unchanged(&key, known)],
        success: vec![KeyOperation::put_leased(&key, value, lease), put_member],
        failure: Vec::new(),
    }
}

fn gone(member: MemberRecord) -> NodeRecord {
    NodeRecord {
        serial: member.serial,
        version: member.version,
        why: Some(format!("last heard of at {}, or up to ten minutes later", member.heard)),
        since: member.heard,
        ..NodeRecord::absent(NodeState::Gone)
    }
}
