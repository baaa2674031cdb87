//! A rollout: some nodes take a change first. When all of them run it, the others follow; when one of
//! them does not take it, it goes back.

use crate::store::cluster::{Compare, HeadRecord, KeyValue, Keys};
use crate::store::{NodeRecord, NodeState};

/// The decision about a rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolloutVerdict {
    /// Some of the nodes have not said yet how it went.
    Wait,
    /// All of them run it, as long as these conditions hold.
    Promote(Vec<Compare>),
    /// One of them does not; in one line.
    GoBack(String),
}

/// Decides by the records of the nodes that go first; one list of `found` for each of them.
pub fn verdict(head: &HeadRecord, found: &[Vec<KeyValue>], keys: &Keys) -> RolloutVerdict {
    let mut conditions = Vec::new();
    for (name, found) in head.canary.iter().zip(found) {
        let Some((record, mod_revision)) = found.first().and_then(parsed) else { continue };
        let is_of_it = record.wanted == Some(head.serial);
        match record.state {
            NodeState::Refused | NodeState::Failed if is_of_it => {
                let why = record.why.map_or_else(String::new, |why| format!(": {why}"));
                return RolloutVerdict::GoBack(format!("`{name}` did not take it{why}"));
            }
            NodeState::Running if record.serial == Some(head.serial) => {
                conditions.push(Compare::unchanged(&keys.node(name), mod_revision));
            }
            _ => {}
        }
    }
    match conditions.len() == head.canary.len() {
        true => RolloutVerdict::Promote(conditions),
        false => RolloutVerdict::Wait,
    }
}

fn parsed(found: &KeyValue) -> Option<(NodeRecord, i64)> {
    Some((serde_json::from_slice(&found.value).ok()?, found.mod_revision))
}
