//! A change that has to be confirmed, with the texts that are needed to roll it back.

use std::time::SystemTime;

use bytes::Bytes;

/// A change that has to be confirmed, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRecord<'a> {
    /// The name by which it is confirmed.
    pub id: &'a str,
    /// The time at which it is rolled back; recorded in whole milliseconds.
    pub deadline: SystemTime,
    /// `modify`, `save`, `update` or `rollback`.
    pub operation: &'a str,
    pub by: &'a str,
    /// The running configuration before.
    pub running: &'a [u8],
    /// The stored text before, if there was one.
    pub file: Option<&'a [u8]>,
    /// The pieces of the text that the change stores; `None` if it stores nothing.
    pub written: Option<&'a [&'a [u8]]>,
    /// The nodes that take the change first, and confirm it by running it; empty if users confirm it.
    pub canary: &'a [String],
}

/// A change that has to be confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenChange {
    /// The name by which it is confirmed.
    pub id: String,
    pub deadline: SystemTime,
    /// `modify`, `save`, `update` or `rollback`.
    pub operation: String,
    pub by: String,
    /// As in [`PendingRecord`].
    pub canary: Vec<String>,
    /// True if its time is over, and it is not rolled back yet.
    pub is_over: bool,
}

/// A change that has to be confirmed, as it is read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPending {
    pub open: OpenChange,
    /// The running configuration before.
    pub running: Bytes,
    /// The stored text before, if there was one.
    pub file: Option<Bytes>,
    /// The text that the change stores; `None` if it stores nothing.
    pub written: Option<Bytes>,
}
