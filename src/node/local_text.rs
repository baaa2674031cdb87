//! The text that a node should run: the one of the last change, or the one before while other nodes
//! take that first, with what differs on the node.

use super::runs::{BackReason, Runs};
use crate::engine::Operation;
use crate::store::cluster::{ClusterStore, HeadRecord, Seen, TextRef};
use crate::store::file::FollowedText;
use crate::store::{NamedPatch, Overlays, REVERT, Revision, Store, StoreError};

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
    /// The id of the change with that serial, if it is the last one.
    pub id: Option<&'s str>,
    /// The text without overlays.
    pub text: &'s TextRef,
    pub overlays: Vec<NamedPatch>,
    /// Stands for the text and the overlays: equal sources are equal texts.
    pub source: String,
    /// The id of the unconfirmed change that the node takes before the others.
    pub first_of: Option<&'s str>,
    /// The change that made it the configuration.
    pub head: &'s HeadRecord,
}

impl NodeName {
    /// The overlays that it takes, in the order in which they are merged.
    fn of(&self, overlays: &Overlays) -> Vec<NamedPatch> {
        let group = self.group.iter().map(|group| format!("@{group}"));
        let names = group.chain([self.name.clone()]);
        names.filter_map(|name| overlays.iter().find(|(other, _)| *other == name).cloned()).collect()
    }
}

impl LocalText<'_> {
    /// The note of this text, once its overlays are merged into it.
    pub fn followed(&self, revision: Revision) -> FollowedText {
        FollowedText {
            serial: self.serial,
            epoch: self.head.epoch.clone(),
            id: self.id.map(str::to_owned),
            source: self.source.clone(),
            original: self.text.revision,
            revision,
        }
    }
}

/// The state that a node should run, of what was read; `None` if there is none.
fn chosen(seen: &Seen, runs: Runs) -> Option<(&HeadRecord, u64, Option<&str>, &TextRef)> {
    let head = seen.head.as_ref()?;
    match head.unconfirmed.as_ref().filter(|_| runs != Runs::Head) {
        Some(change) => Some((head, head.serial.saturating_sub(1), None, change.back.as_ref()?)),
        None => Some((head, head.serial, Some(&*head.id), head.text.as_ref()?)),
    }
}

/// The text that a node should run, of what was read; `None` if there is none.
///
/// # Errors
/// Those of the cluster; `Overtaken` if the state was removed meanwhile.
pub fn wanted<'s>(
    seen: &'s Seen,
    node: &NodeName,
    runs: Runs,
    store: &ClusterStore,
) -> Result<Option<LocalText<'s>>, StoreError> {
    let Some((head, serial, id, text)) = chosen(seen, runs) else { return Ok(None) };
    let overlays = store.overlays_of(text)?;
    let overlays = node.of(&overlays.ok_or_else(|| StoreError::Overtaken { name: store.name() })?);
    let first =
        head.unconfirmed.as_ref().filter(|change| runs == Runs::Head && change.canary.contains(&node.name));
    let first_of = first.map(|change| &*change.id);
    let mut source = text.revision.to_string();
    for (name, patch) in &overlays {
        source += &format!("+{name}@{}", Revision::from_text(patch.to_string().as_bytes()));
    }
    Ok(Some(LocalText { serial, id, text, overlays, source, first_of, head }))
}

/// What the node notes of a text in its history.
#[derive(Debug)]
pub struct Noted<'h> {
    /// The name in the history.
    pub name: &'h str,
    /// The operation for hooks and figures. What the cluster did by itself is a rollback.
    pub operation: Operation,
    pub by: String,
    pub message: Option<String>,
}

impl<'h> Noted<'h> {
    /// The last change as it is in the history of the cluster; or that the node goes back before it, or waits there.
    pub fn of(head: &'h HeadRecord, runs: Runs) -> Self {
        let (name, by, message) = match runs {
            Runs::Head => (&*head.operation, head.author(), head.message.clone()),
            Runs::Back(why) => {
                let serial = head.serial;
                let (name, message) = match why {
                    BackReason::OthersFirst => (
                        Operation::Save.name(),
                        format!("the text before change {serial}, which is not confirmed"),
                    ),
                    BackReason::RanOut => (REVERT, format!("change {serial} was not confirmed in time")),
                    BackReason::CutOff => (REVERT, "no contact with the cluster".to_owned()),
                };
                (name, String::new(), Some(message))
            }
        };
        let operation = Operation::of_change(name).filter(|operation| operation.writes());
        Self { name, operation: operation.unwrap_or(Operation::Rollback), by, message }
    }
}
