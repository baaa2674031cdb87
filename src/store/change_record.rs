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
    /// The id of the change; of one that goes back by itself, that of the change that it rolls back.
    pub id: Option<&'a str>,
    /// The id of the change that it undoes.
    pub undoes: Option<&'a str>,
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
        Self { operation, by, id: None, undoes: None, message: None, keep: None, paths: None, from: None }
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
    /// The id of the change; of one that goes back by itself, that of the change that it rolls back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The id of the change that it undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
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

/// The entry of a change in a history, which has the last change first; `None` if it is not there, or went back by
/// itself.
pub fn change_made<'h>(history: &'h [HistoryEntry], id: &str) -> Option<&'h HistoryEntry> {
    history.iter().find(|entry| entry.is_of(id)).filter(|entry| !entry.goes_back())
}

impl HistoryEntry {
    /// True if it is of the change with this id: it made it, or took it back by itself.
    pub fn is_of(&self, id: &str) -> bool {
        !self.is_aside && self.id.as_deref() == Some(id)
    }

    /// True if it rolls back the change before it, which was not confirmed, or not loaded.
    pub fn goes_back(&self) -> bool {
        [REVERT, TAKE_BACK].contains(&&*self.operation)
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
            id: None,
            undoes: None,
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

    #[test]
    fn a_change_that_went_back_is_not_made() {
        let entry = |operation: &str, id: &str| HistoryEntry {
            id: Some(id.to_owned()),
            operation: operation.to_owned(),
            ..HistoryEntry::unreadable((Some(1), 1), String::new())
        };
        let made = |changes: &[(&str, &str)]| {
            let history: Vec<_> = changes.iter().rev().map(|(operation, id)| entry(operation, id)).collect();
            change_made(&history, "a").is_some()
        };
        assert!(!made(&[]) && !made(&[("modify", "b")]));
        assert!(made(&[("modify", "a"), ("rollback", "b")]));
        assert!(!made(&[("modify", "a"), ("modify", "b"), (REVERT, "a")]));
        assert!(!made(&[("modify", "a"), (TAKE_BACK, "a")]));
        assert!(made(&[("modify", "a"), (REVERT, "a"), ("modify", "a"), (REVERT, "b")]));
    }
}
