//! A change that has to be confirmed, with the texts that are needed to roll it back.

use std::time::SystemTime;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::bounded_time;

/// A change that has to be confirmed, as everybody hears of it: users, clients and nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingInfo {
    /// The name by which it is confirmed.
    pub id: String,
    /// `modify`, `save`, `update` or `rollback`, or the command that made it, such as `edit`.
    pub operation: String,
    pub by: String,
    /// The time at which it is rolled back; RFC 3339 in whole seconds, where it is sent.
    #[serde(with = "bounded_time::as_rfc3339")]
    pub deadline: SystemTime,
    /// The number of seconds until then, by the clock of whoever says so.
    pub seconds_left: u64,
    /// The nodes of a cluster that take it first, while the others wait until it is confirmed; empty if all take it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub canary: Vec<String>,
    /// The time in seconds for which these nodes have to run it without a break.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soak_s: Option<u64>,
    /// True if its time is over, and it is not rolled back yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_over: bool,
}

impl PendingInfo {
    /// A change that users confirm before `deadline`.
    pub fn new(id: String, operation: String, by: String, deadline: SystemTime) -> Self {
        let info = Self {
            id,
            operation,
            by,
            deadline,
            seconds_left: 0,
            canary: Vec::new(),
            soak_s: None,
            is_over: false,
        };
        info.until(deadline)
    }

    /// The same with another deadline.
    #[must_use]
    pub fn until(self, deadline: SystemTime) -> Self {
        let left = deadline.duration_since(SystemTime::now());
        Self { deadline, seconds_left: left.map_or(0, |left| left.as_secs()), ..self }
    }

    /// Describes the condition that the change waits for.
    pub fn in_words(&self) -> String {
        let by = if self.by.is_empty() { "an unknown user" } else { &self.by };
        match self.canary.is_empty() {
            true => format!("a change by {by} waits to be confirmed: {} s left", self.seconds_left),
            false => {
                let nodes = self.canary.join(", ");
                format!("a change by {by} waits until it runs on {nodes}: {} s left", self.seconds_left)
            }
        }
    }
}

/// What whoever made a change wants of it while some nodes take it first.
#[derive(Debug)]
pub enum CanaryWish {
    /// To know whether these nodes run it.
    Look,
    /// The others follow once these nodes run it.
    Confirm,
    /// It goes back, for this reason in one line.
    GoBack(String),
}

/// The state of such a change after a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryStep {
    /// The first nodes do not all run it yet, for these reasons.
    Waits(Vec<String>),
    /// They run it, and have for as long as they have to.
    Ready,
    /// It is confirmed, or it went back.
    Decided,
}

/// A change that has to be confirmed, as a store keeps it: with the texts that a rollback needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRecord {
    pub info: PendingInfo,
    /// The running configuration before.
    pub running: Bytes,
    /// The stored text before, if there was one.
    pub file: Option<Bytes>,
    /// The text that the change stores; `None` if it stores nothing.
    pub written: Option<Bytes>,
}
