//! A change that some nodes take first, as whoever started it carries it on.

use std::time::Duration;

/// A look at a rollout by whoever decides it.
#[derive(Debug)]
pub struct RolloutTurn<'a> {
    /// The id of the change.
    pub id: &'a str,
    /// Since the change was made.
    pub age: Duration,
    /// True if the others may follow as soon as the first nodes run it.
    pub may_promote: bool,
    /// The reason for which it goes back, in one line.
    pub failed: Option<&'a str>,
}

/// The state of a rollout after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolloutStep {
    /// Another process decides it: the node that was asked for the change.
    Elsewhere,
    /// The first nodes have not said yet that they run it.
    Waits,
    /// They run it, and have for as long as they have to.
    Ready,
    /// It is confirmed, or it went back.
    Decided,
}
