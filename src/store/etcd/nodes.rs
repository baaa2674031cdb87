//! The records of the nodes of a cluster: one on a lease while a node lives, and one that stays.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Keys;
use super::messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn};
use super::read::ClusterStore;
use super::records::HeadRecord;
use crate::error::{Error, ErrorKind};
use crate::store::{NodeRecord, NodeState, clock};

/// The record of a node that stays when the node is gone.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MemberRecord {
    /// A report of the node (RFC 3339); there may have been later ones.
    pub heard: String,
    /// Its version of this program.
    pub version: String,
    /// The serial that it ran then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<u64>,
}

impl ClusterStore {
    /// Removes the records of a node that is gone, or whose record can't be read.
    ///
    /// # Errors
    /// `Conflict` if the node lives, `NotFound` if there is no record of it; those of the cluster.
    pub fn forget_node(&self, name: &str) -> Result<(), Error> {
        let (node, member) = (self.keys.node(name), self.keys.member(name));
        let found = self.one(&node)?;
        if found.is_some_and(|found| serde_json::from_slice::<NodeRecord>(&found.value).is_ok()) {
            let lives = Error::new(ErrorKind::Conflict, format!("the node `{name}` is running"));
            return Err(lives.hint("stop it first; within 5 seconds of a crash its record is gone"));
        }
        let both = || [&node, &member].map(|key| KeyRange::one(key)).into_iter();
        let success = both().map(KeyOperation::Read).chain(both().map(KeyOperation::Delete)).collect();
        let reply = self.gateway.txn(&Txn { success, is_change: true, ..Txn::default() })?;
        let none = || {
            let message = format!("there is no record of the node `{name}`");
            Error::new(ErrorKind::NotFound, message).hint("`mediactl status` shows the nodes")
        };
        reply.into_first().map(drop).ok_or_else(none)
    }

    /// Puts the records of a node; the one that lives is on the `lease`.
    ///
    /// # Errors
    /// Those of the cluster.
    pub fn put_node(&self, node: &NodeRecord, lease: i64) -> Result<(), Error> {
        let (heard, version) = (clock::rfc3339(SystemTime::now()), node.version.clone());
        let member = serde_json::to_vec(&MemberRecord { heard, version, serial: node.serial });
        let [node_json, member] =
            [serde_json::to_vec(node), member].map(|json| json.expect("it has only strings and numbers"));
        let put = KeyOperation::put_leased(&self.keys.node(&node.node), node_json, lease);
        let success = vec![put, KeyOperation::put(&self.keys.member(&node.node), member)];
        self.gateway.txn(&Txn { success, ..Txn::default() }).map(drop)
    }
}

/// The most records of nodes that one transaction compares: etcd takes 128 conditions.
const MOST_COMPARED: usize = 100;

/// Decides by the records of the nodes that go first, which are among those that were `found`: the conditions under which
/// the change is confirmed, and the reasons why some of the nodes do not run it yet. A record counts if it says that the node
/// has run this change for as long as it has to.
///
/// # Errors
/// One of the nodes does not take it; in one line.
pub(super) fn verdict(
    head: &HeadRecord,
    found: &[KeyValue],
    keys: &Keys,
) -> Result<(Vec<Compare>, Vec<String>), String> {
    let (mut conditions, mut whys) = (Vec::new(), Vec::new());
    let Some(change) = &head.unconfirmed else { return Ok((conditions, whys)) };
    for name in &change.canary {
        let key = keys.node(name);
        let found = found.iter().find(|found| found.key == key.as_bytes());
        let record = found.and_then(|found| serde_json::from_slice::<NodeRecord>(&found.value).ok());
        let (Some(record), Some(found)) = (record, found) else {
            whys.push(format!("`{name}` has no record"));
            continue;
        };
        let runs_it = record.state == NodeState::Canary && record.change.as_ref() == Some(&change.id);
        if record.state == NodeState::Failed && record.wanted == Some(head.serial) {
            let why = record.why.map_or_else(String::new, |why| format!(": {why}"));
            return Err(format!("`{name}` did not take it{why}"));
        }
        match change.soak_s {
            _ if !runs_it => whys.push(format!("`{name}` does not run it")),
            Some(soak) if !record.has_soaked => whys.push(format!("`{name}` has not run it for {soak} s")),
            _ => conditions.push(Compare::unchanged(&key, found.mod_revision)),
        }
    }
    // The others are not compared: they count by what they said when all were read.
    conditions.truncate(MOST_COMPARED);
    Ok((conditions, whys))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::etcd::records::Unconfirmed;

    /// A change 2, `u`, that nodes take first.
    fn head_with(canary: &[String]) -> HeadRecord {
        let unconfirmed = Unconfirmed {
            id: "u".to_owned(),
            deadline: 0,
            ttl_s: Some(60),
            canary: canary.to_vec(),
            soak_s: Some(9),
            back: None,
        };
        HeadRecord { unconfirmed: Some(unconfirmed), ..HeadRecord::example("e", 2, "h") }
    }

    /// The record of a node that runs it.
    fn runs() -> NodeRecord {
        NodeRecord {
            wanted: Some(2),
            change: Some("u".to_owned()),
            has_soaked: true,
            ..NodeRecord::absent(NodeState::Canary)
        }
    }

    fn kept(keys: &Keys, name: &str, record: NodeRecord, mod_revision: i64) -> KeyValue {
        KeyValue {
            key: keys.node(name).into_bytes(),
            value: serde_json::to_vec(&record).expect("it is JSON"),
            mod_revision,
            ..KeyValue::default()
        }
    }

    /// `b` runs it, and `a` says what a row of the table says.
    #[test]
    fn a_change_is_confirmed_by_records_that_say_it_runs_and_by_nothing_else() {
        let head = head_with(&["a".to_owned(), "b".to_owned()]);
        let failed = || NodeRecord { wanted: Some(2), ..NodeRecord::absent(NodeState::Failed) };
        let keys = Keys::below("/p/");
        for (what, record, expected) in [
            ("it runs the change", Some(runs()), "confirmed"),
            (
                "it has not soaked",
                Some(NodeRecord { has_soaked: false, ..runs() }),
                "`a` has not run it for 9 s",
            ),
            (
                "it runs another change",
                Some(NodeRecord { change: Some("t".to_owned()), ..runs() }),
                "`a` does not run it",
            ),
            (
                "it does not go first",
                Some(NodeRecord { state: NodeState::Running, ..runs() }),
                "`a` does not run it",
            ),
            ("it has no record", None, "`a` has no record"),
            ("it failed", Some(failed()), "goes back"),
            ("it failed before", Some(NodeRecord { wanted: Some(1), ..failed() }), "`a` does not run it"),
        ] {
            let record = record.map(|record| kept(&keys, "a", record, 7));
            let found: Vec<KeyValue> = record.into_iter().chain([kept(&keys, "b", runs(), 8)]).collect();
            let decided = match verdict(&head, &found, &keys) {
                Ok((conditions, whys)) if whys.is_empty() => {
                    let unchanged =
                        [("a", 7), ("b", 8)].map(|(name, at)| Compare::unchanged(&keys.node(name), at));
                    assert_eq!(conditions, unchanged);
                    "confirmed".to_owned()
                }
                Ok((_, whys)) => whys.join("; "),
                Err(_) => "goes back".to_owned(),
            };
            assert_eq!(decided, expected, "{what}");
        }
    }

    #[test]
    fn a_wave_may_be_of_more_nodes_than_a_transaction_compares() {
        let names: Vec<String> = (0..150).map(|number| format!("n{number}")).collect();
        let (head, keys) = (head_with(&names), Keys::below("/p/"));
        let found: Vec<KeyValue> = names.iter().map(|name| kept(&keys, name, runs(), 7)).collect();
        let (conditions, whys) = verdict(&head, &found, &keys).expect("none failed");
        assert_eq!((conditions.len(), whys.len()), (MOST_COMPARED, 0));
        let (_, whys) = verdict(&head, &found[..149], &keys).expect("none failed");
        assert_eq!(whys, ["`n149` has no record"]);
    }
}
