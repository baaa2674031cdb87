//! A change in the history.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::change_ref::ChangeRef;
use super::revision::Revision;
use super::version::Overlays;

/// The number of texts that the history keeps by default.
pub const DEFAULT_KEEP: usize = 100;

/// The operation of a hand edit: a change that another program made.
pub const HAND_EDIT: &str = "hand-edit";

/// The operation of a rollback of a change that was not confirmed.
pub const REVERT: &str = "revert";

/// The operation of a rollback after a failed reload.
pub const TAKE_BACK: &str = "take-back";

/// The record of a change in the history, as the writer makes it.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRecord<'a> {
    /// `modify`, `save`, `rollback`, …
    pub operation: &'a str,
    pub by: &'a str,
    pub message: Option<&'a str>,
    /// The number of texts that are kept from now on; `None` for as many as before.
    pub keep: Option<usize>,
    /// The paths of what the change does, for a store that keeps them.
    pub paths: Option<&'a ChangedPaths>,
    /// True if nothing of the state before need be in the new one: the text was given as a whole, and no overlays are
    /// there, or they may go.
    pub is_whole: bool,
    /// What differs on single nodes from then on; `None` if that stays as it is.
    pub overlays: Option<&'a Overlays>,
    /// Of a node: the state of its cluster that the text before was made of, if it was.
    pub from: Option<ClusterState>,
}

impl<'a> ChangeRecord<'a> {
    /// A record of an operation and its author alone.
    pub const fn new(operation: &'a str, by: &'a str) -> Self {
        Self {
            operation,
            by,
            message: None,
            keep: None,
            paths: None,
            is_whole: false,
            overlays: None,
            from: None,
        }
    }
}

/// A state of a cluster, as the history of a node notes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterState {
    pub serial: u64,
    /// The revision of the text, without overlays.
    pub revision: Revision,
}

/// The paths of the values that a change changed, with the secrets in them masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedPaths {
    /// The first of them, at most [`ChangedPaths::MOST`].
    pub first: Vec<String>,
    /// The number of all.
    pub count: usize,
}

impl ChangedPaths {
    /// The most paths that a record names.
    pub const MOST: usize = 20;
}

/// A change in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Counts back: 1 is the last change. `None` if `is_aside`.
    pub number: Option<usize>,
    /// The serial number, which never changes; 0, and not in JSON, of an `update`, which is in no history.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub serial: u64,
    /// The time of the change; for a hand edit, of the last write of the file. In JSON as RFC 3339.
    #[serde(with = "rfc3339")]
    pub at: SystemTime,
    /// `modify`, `save`, …, `hand-edit`.
    pub operation: String,
    /// The author; unknown for a hand edit.
    pub by: Option<String>,
    pub message: Option<String>,
    /// The revision of the text before, which is kept; `None` if there was no file.
    pub before: Option<Revision>,
    /// The revision of the text afterwards; `None` if the file is gone.
    pub after: Option<Revision>,
    /// True if the kept text was never the text of the file: it ran and was not saved, or was written
    /// into a file that was just being replaced.
    #[serde(rename = "aside", default)]
    pub is_aside: bool,
    /// The paths that it changed, if the record of the change names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<ChangedPaths>,
    /// Of a node: the state of its cluster that the text before was made of, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ClusterState>,
}

/// The message of a change of several servers, with the name that it has on each of them and who makes it, as one word.
pub fn message_of_change(message: Option<&str>, change: &str, by: &str) -> String {
    match message {
        Some(message) => format!("{message} (change {change} by {by})"),
        None => format!("change {change} by {by}"),
    }
}

/// The change of several servers that a message is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedChange<'m> {
    /// It may be empty.
    pub reason: &'m str,
    pub name: &'m str,
    /// Who made it, and where.
    pub by: &'m str,
}

impl<'m> NamedChange<'m> {
    /// `None` if it is another message.
    pub fn of(message: &'m str) -> Option<Self> {
        let (reason, change) = match message.strip_prefix("change ") {
            Some(change) if change.split(' ').count() == 3 => ("", change),
            _ => message.strip_suffix(')')?.rsplit_once("(change ")?,
        };
        let (name, by) = change.split_once(" by ")?;
        let is_named = is_change_name(name) && !by.is_empty() && !by.contains(' ');
        is_named.then_some(Self { reason: reason.trim_end(), name, by })
    }
}

/// The message of what is done because of another change: `what`, and the reason and the name of the message that it was
/// given.
pub fn message_because(what: &str, message: Option<&str>) -> String {
    let with = |reason: &str| if reason.is_empty() { what.to_owned() } else { format!("{what}: {reason}") };
    let message = message.unwrap_or_default();
    match NamedChange::of(message) {
        Some(NamedChange { reason, name, by }) => message_of_change(Some(&with(reason)), name, by),
        None => with(message),
    }
}

/// The part of a change of several servers in a history, which has the last change first: the oldest one, because a later
/// message may quote the name.
pub fn part_of<'h>(history: &'h [HistoryEntry], change: &str) -> Option<&'h HistoryEntry> {
    history.iter().rev().find(|entry| entry.change() == Some(change))
}

/// True if a text can be the name of a change of several servers.
pub fn is_change_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl HistoryEntry {
    /// The name of the change of several servers that this is one server's part of.
    pub fn change(&self) -> Option<&str> {
        NamedChange::of(self.message.as_deref()?).map(|change| change.name)
    }

    /// True if it is a part of this change, or was made because of it, such as what takes it back.
    pub fn is_about(&self, change: &str) -> bool {
        let words = self.message.as_deref().unwrap_or_default().split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.collect();
        words.windows(2).any(|pair| pair == ["change", change])
    }

    /// The entry with what users wrote in it, the author and the message, as `shown` shows a text.
    #[must_use]
    pub fn shown_by(self, shown: impl Fn(&str) -> String) -> Self {
        let shown = |text: Option<String>| text.as_deref().map(&shown);
        Self { by: shown(self.by), message: shown(self.message), ..self }
    }

    /// True if `which` refers to this change.
    pub fn is(&self, which: ChangeRef) -> bool {
        match which {
            ChangeRef::Back(number) => self.number == Some(number),
            ChangeRef::Serial(serial) => self.serial == serial,
        }
    }
}

fn is_zero(serial: &u64) -> bool {
    *serial == 0
}

/// A time as the API has it.
pub(super) mod rfc3339 {
    use std::time::SystemTime;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::store::bounded_time;

    pub fn serialize<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&bounded_time::rfc3339(*time))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
        let text = String::deserialize(from)?;
        humantime::parse_rfc3339(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(message: Option<&str>) -> HistoryEntry {
        HistoryEntry {
            number: Some(1),
            serial: 1,
            at: SystemTime::UNIX_EPOCH,
            operation: "modify".to_owned(),
            by: None,
            message: message.map(str::to_owned),
            before: None,
            after: None,
            is_aside: false,
            paths: None,
            from: None,
        }
    }

    #[test]
    fn a_change_of_several_servers_is_known_by_the_message_of_each() {
        for message in [None, Some("why"), Some("a (change 1111 by b) b"), Some("why (so)")] {
            let text = message_of_change(message, "7f3a", "ana@desk");
            let made = entry(Some(&text));
            assert!(made.change() == Some("7f3a") && made.is_about("7f3a"), "{text}");
            let named = NamedChange { reason: message.unwrap_or_default(), name: "7f3a", by: "ana@desk" };
            assert_eq!(NamedChange::of(&text), Some(named));
        }
        for message in [
            None,
            Some(""),
            Some("change"),
            Some("change a"),
            Some("(change )"),
            Some("change a b"),
            Some("change a by b c"),
            Some("exchange 7f3a90 by b"),
        ] {
            let other = entry(message);
            assert!(other.change().is_none() && !other.is_about("7f3a"), "{message:?}");
        }
        let made = message_because("take-back", Some("change 99 by b"));
        assert_eq!(made, "take-back (change 99 by b)");
        assert_eq!(message_because("take-back", Some("why")), "take-back: why");
        assert_eq!(message_because("take-back", None), "take-back");
        let first = entry(Some("change 7f3a by b"));
        let quoted = HistoryEntry { serial: 2, ..entry(Some("since (change 7f3a by b)")) };
        assert_eq!(part_of(&[quoted, first], "7f3a").map(|entry| entry.serial), Some(1));
        let taken_back = entry(Some("take-back of change 7f3a: why (change 99 by b)"));
        assert_eq!((taken_back.change(), taken_back.is_about("7f3a")), (Some("99"), true));
    }
}
