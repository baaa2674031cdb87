//! The text that a node should run: the one of the last change, or the one before while other nodes
//! take that first.

use super::runs::{BackReason, Runs};
use crate::engine::Operation;
use crate::store::ChangeId;
use crate::store::REVERT;
use crate::store::cluster::{HeadRecord, Seen, TextRef};
use crate::store::file::FollowedText;

/// A text that a node should run.
#[derive(Debug)]
pub struct LocalText<'s> {
    /// The serial of the configuration.
    pub serial: u64,
    /// The id of the change with that serial, if it is the last one.
    pub id: Option<&'s str>,
    pub text: &'s TextRef,
    /// The id of the unconfirmed change that the node takes before the others.
    pub first_of: Option<&'s str>,
    /// The change that made it the configuration.
    pub head: &'s HeadRecord,
}

impl LocalText<'_> {
    /// The note of this text.
    pub fn followed(&self) -> FollowedText {
        FollowedText {
            serial: self.serial,
            epoch: self.head.epoch.clone(),
            id: self.id.map(str::to_owned),
            revision: self.text.revision,
        }
    }
}

/// The text that a node should run, of what was read; `None` if there is none.
pub fn wanted<'s>(seen: &'s Seen, node: &str, runs: Runs) -> Option<LocalText<'s>> {
    let head = seen.head.as_ref()?;
    let change = head.unconfirmed.as_ref();
    if let Some(change) = change.filter(|_| runs != Runs::Head) {
        let (serial, text) = (head.serial.saturating_sub(1), change.back.as_ref()?);
        return Some(LocalText { serial, id: None, text, first_of: None, head });
    }
    let first = change.filter(|change| change.canary.iter().any(|first| first == node));
    let (id, first_of) = (Some(&*head.id), first.map(|change| &*change.id));
    Some(LocalText { serial: head.serial, id, text: head.text.as_ref()?, first_of, head })
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
    /// The id of the change, unless the node runs the text before it.
    pub id: Option<ChangeId>,
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
        let id = head.change.as_deref().filter(|_| runs == Runs::Head || name == REVERT);
        let id = id.and_then(|id| id.parse().ok());
        Self { name, operation: operation.unwrap_or(Operation::Rollback), by, message, id }
    }
}
