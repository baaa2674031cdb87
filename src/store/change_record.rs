//! A change in the history.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::change_ref::ChangeRef;
use super::revision::Revision;

/// The number of texts that the history keeps by default.
pub const DEFAULT_KEEP: usize = 100;

/// The operation of a hand edit: a change that another program made.
pub const HAND_EDIT: &str = "hand-edit";

/// The operation of a rollback of a change that was not confirmed.
pub const REVERT: &str = "revert";

/// The operation in the place of a change whose record can't be read.
pub const UNREADABLE: &str = "unreadable";

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
    /// Of a node: the state of its cluster that the text before was made of, if it was.
    pub from: Option<ClusterState>,
}

impl<'a> ChangeRecord<'a> {
    /// A record of an operation and its author alone.
    pub const fn new(operation: &'a str, by: &'a str) -> Self {
        Self { operation, by, message: None, keep: None, paths: None, from: None }
    }
}

/// A state of a cluster, as the history of a node notes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterState {
    pub serial: u64,
    /// The revision of the text.
    pub revision: Revision,
}

/// The paths of the values that a change changed, with the secrets in them masked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// The change of several servers that a message is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedChange<'m> {
    /// It may be empty.
    pub reason: &'m str,
    /// The name that it has on each server.
    pub name: &'m str,
    /// The number of servers that it is for, if it says so.
    pub servers: Option<usize>,
    /// Who made it, and where, as one word.
    pub by: &'m str,
}

impl<'m> NamedChange<'m> {
    /// `None` if it is another message.
    pub fn of(message: &'m str) -> Option<Self> {
        let alone = message.strip_prefix("change ").and_then(|change| Self::because("", change));
        alone.or_else(|| {
            let (reason, change) = message.strip_suffix(')')?.rsplit_once("(change ")?;
            Self::because(reason.trim_end(), change)
        })
    }

    /// Reads what stands behind `change`.
    fn because(reason: &'m str, change: &'m str) -> Option<Self> {
        let (name, by) = change.split_once(" by ")?;
        let (name, servers) = match name.split_once(" of ") {
            Some((name, servers)) => {
                let count = servers.strip_suffix(" servers").or_else(|| servers.strip_suffix(" server"))?;
                (name, Some(count.parse().ok()?))
            }
            None => (name, None),
        };
        let is_named = is_change_name(name) && !by.is_empty() && !by.contains(' ');
        is_named.then_some(Self { reason, name, servers, by })
    }

    /// The message on each server.
    pub fn message(&self) -> String {
        let Self { reason, name, by, .. } = self;
        let servers = match self.servers {
            Some(1) => " of 1 server".to_owned(),
            Some(count) => format!(" of {count} servers"),
            None => String::new(),
        };
        let change = format!("change {name}{servers} by {by}");
        if reason.is_empty() { change } else { format!("{reason} ({change})") }
    }
}

/// The message of what is done because of another change: `what`, and the reason and the name of the message that it was
/// given.
pub fn message_because(what: &str, message: Option<&str>) -> String {
    let with = |reason: &str| if reason.is_empty() { what.to_owned() } else { format!("{what}: {reason}") };
    let message = message.unwrap_or_default();
    match NamedChange::of(message) {
        Some(change) => NamedChange { reason: &with(change.reason), ..change }.message(),
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

    /// The row of a record that can't be read; `why` names it, and `serial` is 0 where its name has none.
    pub fn unreadable((number, serial): (Option<usize>, u64), why: String) -> Self {
        Self {
            number,
            serial,
            at: SystemTime::UNIX_EPOCH,
            operation: UNREADABLE.to_owned(),
            by: None,
            message: Some(why),
            before: None,
            after: None,
            is_aside: number.is_none(),
            paths: None,
            from: None,
        }
    }

    /// True if what its record says is not known.
    pub fn is_unknown(&self) -> bool {
        self.operation == UNREADABLE
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
        for reason in ["", "why", "a (change 1111 by b) b", "why (so)", "change of mind", "change a by b c"] {
            for servers in [None, Some(1), Some(40)] {
                let named = NamedChange { reason, name: "7f3a", servers, by: "ana@desk" };
                let text = named.message();
                let made = entry(Some(&text));
                assert!(made.change() == Some("7f3a") && made.is_about("7f3a"), "{text}");
                assert_eq!(NamedChange::of(&text), Some(named), "{text}");
            }
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
            Some("change a of x servers by b"),
            Some("change a of 3 by b"),
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
