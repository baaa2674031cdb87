//! What the history says of a change.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::change_ref::ChangeRef;
use super::revision::Revision;

/// How many texts are kept, unless somebody says otherwise.
pub const DEFAULT_KEEP: usize = 100;

/// What stands in the history for a change that no program of ours made.
pub const HAND_EDIT: &str = "hand-edit";

/// What the history says of a change.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRecord<'a> {
    /// What is done: `modify`, `save`, `rollback`, …
    pub operation: &'a str,
    /// Who does it.
    pub by: &'a str,
    /// Why, in their words.
    pub message: Option<&'a str>,
    /// How many texts are kept from now on; `None` for as many as before.
    pub keep: Option<usize>,
}

/// A change in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// How far back: 1 is the last one. None for what stands aside.
    pub number: Option<usize>,
    /// The number that it keeps.
    pub serial: u64,
    /// When it was made; of a hand edit, when the file was written. As JSON, in RFC 3339.
    #[serde(with = "rfc3339")]
    pub at: SystemTime,
    /// What was done.
    pub operation: String,
    /// Who did it; nobody knows that of a hand edit.
    pub by: Option<String>,
    /// Why, in their words.
    pub message: Option<String>,
    /// The text before, which is the one that is kept; none where there was no file.
    pub before: Option<Revision>,
    /// The text afterwards; none where there is no file any more.
    pub after: Option<Revision>,
    /// Whether the text was never what this change replaced in the file: it ran and was not saved, or
    /// was written into a file that was just being replaced.
    #[serde(rename = "aside", default)]
    pub is_aside: bool,
}

impl HistoryEntry {
    /// Whether it is the one that is meant.
    pub fn is(&self, which: ChangeRef) -> bool {
        match which {
            ChangeRef::Back(number) => self.number == Some(number),
            ChangeRef::Serial(serial) => self.serial == serial,
        }
    }
}

/// A time as the API has it.
mod rfc3339 {
    use std::time::SystemTime;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&humantime::format_rfc3339_seconds(*time))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
        let text = String::deserialize(from)?;
        humantime::parse_rfc3339(&text).map_err(D::Error::custom)
    }
}
