//! The text that a node should run: the one of the last change, or the one before while a rollout begins
//! on other nodes, with what differs on the node.

use serde_json::Value;

use super::overlays::NamedPatch;
use crate::engine::Operation;
use crate::store::cluster::{HeadRecord, KeyRange, Keys, Seen, TextRef};

/// The name of a node, and of its group.
#[derive(Debug, Clone)]
pub struct NodeName {
    pub name: String,
    /// The group whose overlay it takes before its own.
    pub group: Option<String>,
}

/// A text that a node should run.
#[derive(Debug)]
pub struct LocalText<'s> {
    /// The serial of the configuration.
    pub serial: u64,
    /// The text without overlays.
    pub text: &'s TextRef,
    pub overlays: Vec<NamedPatch>,
    /// Stands for the text and the overlays: equal sources are equal texts.
    pub source: String,
    /// The change that made it the configuration.
    pub head: &'s HeadRecord,
}

impl NodeName {
    /// The keys of the overlays, in the order in which they are merged.
    pub fn overlay_keys(&self, keys: &Keys) -> Vec<String> {
        let group = self.group.iter().map(|group| format!("@{group}"));
        group.chain([self.name.clone()]).map(|name| keys.overlay(&name)).collect()
    }

    /// The keys that have to be read beside the last change.
    pub fn ranges(&self, keys: &Keys) -> Vec<KeyRange> {
        self.overlay_keys(keys).iter().map(|key| KeyRange::one(key)).collect()
    }
}

/// The text that a node should run, by what was read; `None` if there is none. An overlay that can't be
/// read is an error in one line, with the source of the text that it belongs to.
pub fn wanted<'s>(seen: &'s Seen, node: &NodeName) -> Option<Result<LocalText<'s>, (String, String)>> {
    let head = seen.head.as_ref()?;
    let waits = !head.canary.is_empty() && !head.canary.contains(&node.name);
    let (serial, text) = match head.unconfirmed.as_ref().filter(|_| waits) {
        Some(change) => (head.serial - 1, change.back.as_ref()?),
        None => (head.serial, head.text.as_ref()?),
    };
    let mut source = text.id.clone();
    let mut overlays = Vec::new();
    let mut faults = Vec::new();
    for found in seen.others.iter().flatten() {
        let key = String::from_utf8_lossy(&found.key).into_owned();
        let name = key.rsplit('/').next().unwrap_or_default().to_owned();
        source += &format!("+{name}@{}", found.mod_revision);
        match serde_json::from_slice::<Value>(&found.value) {
            Ok(patch) => overlays.push((name, patch)),
            Err(error) => faults.push(format!("the overlay `{name}` is no JSON: {error}")),
        }
    }
    Some(match faults.into_iter().next() {
        Some(fault) => Err((source, fault)),
        None => Ok(LocalText { serial, text, overlays, source, head }),
    })
}

/// The operation of a change in the history of the node. What the cluster undid by itself is a rollback.
pub fn operation(head: &HeadRecord) -> Operation {
    let named =
        Operation::ALL.iter().find(|operation| operation.writes() && operation.name() == head.operation);
    named.copied().unwrap_or(Operation::Rollback)
}
