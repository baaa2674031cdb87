//! The records of the nodes of a cluster: one on a lease while a node lives, and one that stays.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn};
use super::read::ClusterStore;
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

impl ClusterStore {
    /// Reads one row for each node that lives, or that is gone. A record that can't be read is a row that says so.
    pub(super) fn node_records(&self) -> Result<Vec<NodeRecord>, StoreError> {
        let prefixes = [self.keys().node(""), self.keys().member("")];
        let seen = self.seen_with(prefixes.iter().map(|prefix| KeyRange::below(prefix)).collect())?;
        let forms = [|value: &[u8]| serde_json::from_slice(value).ok(), gone];
        let mut rows = BTreeMap::new();
        for ((found, prefix), parse) in seen.others.iter().zip(&prefixes).zip(forms) {
            for KeyValue { key, value, .. } in found {
                let key = String::from_utf8_lossy(key);
                let unreadable = || NodeRecord {
                    why: Some(format!("`{key}` can't be read")),
                    ..NodeRecord::absent(NodeState::Gone)
                };
                let node = key.trim_start_matches(prefix).to_owned();
                let row = || NodeRecord { node: node.clone(), ..parse(value).unwrap_or_else(unreadable) };
                rows.entry(node.clone()).or_insert_with(row);
            }
        }
        Ok(rows.into_values().collect())
    }

    /// Asks nodes to try again what they did not take.
    ///
    /// # Errors
    /// Those of the cluster.
    pub fn ask_to_retry(&self, names: &[&str]) -> Result<(), StoreError> {
        let lease = self.gateway().grant(RETRY_LEASE)?;
        names.chunks(MAX_PUTS).try_for_each(|names| {
            let put = |name: &&str| KeyOperation::put_leased(&self.keys().retry(name), "", lease);
            let success = names.iter().map(put).collect();
            self.gateway().txn(&Txn { success, is_change: true, ..Txn::default() }).map(drop)
        })
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
        let reply = self.gateway().txn(&Txn {
            compare: vec![Compare::unchanged(&node, found.as_ref().map_or(0, |found| found.mod_revision))],
            success: both().map(KeyOperation::Read).chain(both().map(KeyOperation::Delete)).collect(),
            is_change: true,
            ..Txn::default()
        })?;
        match (reply.succeeded, found, reply.into_first()) {
            (false, ..) => Err(self.overtaken()),
            (_, Some(_), _) => Ok(ForgottenNode::Unreadable),
            (_, None, Some(_)) => Ok(ForgottenNode::Gone),
            (_, None, None) => Ok(ForgottenNode::Unknown),
        }
    }

    /// Puts the records of a node, if nobody has changed the one that lives on the `lease` since the revision `known`;
    /// returns the revision of etcd that has them.
    ///
    /// # Errors
    /// Those of the cluster.
    pub fn put_node(
        &self,
        node: &NodeRecord,
        member: &MemberRecord,
        lease: i64,
        known: i64,
    ) -> Result<Option<i64>, StoreError> {
        let json = "it has only strings and numbers";
        let (node_key, member_key) = (self.keys().node(&node.node), self.keys().member(&node.node));
        let value = serde_json::to_vec(node).expect(json);
        let put_member = KeyOperation::put(&member_key, serde_json::to_vec(member).expect(json));
        let reply = self.gateway().txn(&Txn {
            compare: vec![Compare::unchanged(&node_key, known)],
            success: vec![KeyOperation::put_leased(&node_key, value, lease), put_member],
            ..Txn::default()
        })?;
        Ok(reply.succeeded.then_some(reply.revision))
    }
}

/// The row of a node of which only the record that stays is there.
fn gone(record: &[u8]) -> Option<NodeRecord> {
    let MemberRecord { heard, version, serial, .. } = serde_json::from_slice(record).ok()?;
    let why = Some(format!("last heard of at {heard}, or up to ten minutes later"));
    Some(NodeRecord { serial, version, why, since: heard, ..NodeRecord::absent(NodeState::Gone) })
}
