//! The records of changes.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::store::bounded_time::from_milliseconds;
use crate::store::change_record::{HistoryEntry, rfc3339};
use crate::store::revision::Revision;

/// The last change, and which text is the configuration; also the record of each change in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadRecord {
    /// Grows by one with each change.
    pub serial: u64,
    /// No other change has it, so it tells who was first where two wrote the same serial.
    pub id: String,
    /// The configuration; none after the first text was taken back.
    pub text: Option<TextRef>,
    /// The revision of the text before.
    pub before: Option<Revision>,
    pub by: String,
    #[serde(with = "rfc3339")]
    pub at: SystemTime,
    /// `modify`, `save`, …
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The number of texts that the history keeps.
    pub keep: usize,
    /// While the change may still be rolled back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<Unconfirmed>,
    /// The nodes that take the change first, while the others wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub canary: Vec<String>,
}

/// A text in etcd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRef {
    /// The change that put it there.
    pub serial: u64,
    /// The id of that change.
    pub id: String,
    pub revision: Revision,
    /// The name of its compression.
    pub codec: String,
    /// Its length, not compressed.
    pub size: u64,
    /// In how many chunks it is.
    pub chunks: usize,
}

/// The data that roll a change back that was not confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unconfirmed {
    /// The name by which it is confirmed.
    pub id: String,
    /// The time at which it is rolled back, in milliseconds since 1970.
    pub deadline: u64,
    /// The text before, if there was one.
    pub back: Option<TextRef>,
}

impl Unconfirmed {
    /// Returns the time at which it is rolled back.
    pub fn until(&self) -> SystemTime {
        from_milliseconds(self.deadline)
    }
}

impl HeadRecord {
    pub fn parse(value: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(value)
    }

    /// The record as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("it has only strings and numbers")
    }

    /// The record without the possibility to roll back.
    #[must_use]
    pub fn confirmed(&self) -> Self {
        Self { unconfirmed: None, canary: Vec::new(), ..self.clone() }
    }

    /// The oldest serial whose text the head needs.
    pub fn oldest_text(&self) -> u64 {
        let back = self.unconfirmed.as_ref().and_then(|unconfirmed| unconfirmed.back.as_ref());
        [self.text.as_ref(), back]
            .into_iter()
            .flatten()
            .fold(self.serial, |oldest, text| oldest.min(text.serial))
    }

    /// The entry of the history; `number` counts back.
    pub fn entry(self, number: usize) -> HistoryEntry {
        HistoryEntry {
            number: Some(number),
            serial: self.serial,
            at: self.at,
            operation: self.operation,
            by: Some(self.by).filter(|by| !by.is_empty()),
            message: self.message,
            before: self.before,
            after: self.text.map(|text| text.revision),
            is_aside: false,
        }
    }
}
