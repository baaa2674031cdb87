//! The changes of one value.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::HistoryEntry;

/// A change that set a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blamed {
    #[serde(flatten)]
    pub entry: HistoryEntry,
    /// The value before; null if there was none.
    pub from: Option<Value>,
    /// The value afterwards; null if there is none.
    pub to: Option<Value>,
}

/// The history of a value, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueHistory {
    /// The changes of the value, the last one first.
    pub changes: Vec<Blamed>,
    /// True if the file was edited by hand since the last change.
    pub is_edited: bool,
    /// True if there may be more, because a text of the history is not kept or has errors.
    pub is_cut: bool,
}
