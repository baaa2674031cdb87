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
}

impl HistoryEntry {
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
