//! What is asked for beside the change itself.

use std::time::{Duration, Instant};

use super::error::EngineError;
use super::guard::Guard;
use crate::edit::Faults;
use crate::store::{ChangeRecord, Revision};

/// What is asked for beside the change itself.
#[derive(Debug, Clone, Default)]
pub struct ChangeOptions {
    /// Do everything but write, swap and reload.
    pub dry_run: bool,
    /// Answer every guard and every conflict with yes.
    pub force: bool,
    /// The guards that were answered with yes, by name or when asked.
    pub accepted: Vec<Guard>,
    /// How many streams may be deleted without asking; `None` is the default of the command line.
    pub max_delete: Option<usize>,
    /// Who asks, for hooks and the history.
    pub by: String,
    /// Why, in their words.
    pub message: Option<String>,
    /// The running configuration that the change was made for; `None` is any.
    pub expected: Option<Expected>,
    /// Take the change back unless it is confirmed in time.
    pub confirm: Option<Duration>,
    /// Do not wait for the reload command.
    pub reload_later: bool,
    /// The time after which the change is not written: its request has timed out by then.
    pub until: Option<Instant>,
}

impl ChangeOptions {
    /// Whether this guard was accepted.
    pub fn accepts(&self, guard: &Guard) -> bool {
        self.force || self.accepted.contains(guard)
    }

    /// What of the faults of a patch is not accepted.
    pub fn refused(&self, guarded: Faults) -> Faults {
        let is_open = |kind| Guard::of_fault(kind).is_none_or(|guard| !self.accepts(&guard));
        Faults(guarded.0.into_iter().filter(|fault| is_open(fault.kind)).collect())
    }

    /// Asked between the steps of a change, up to its write.
    ///
    /// # Errors
    /// `TooLate`.
    pub(super) fn refuse_late(&self) -> Result<(), EngineError> {
        match self.until {
            Some(until) if Instant::now() >= until => Err(EngineError::TooLate),
            _ => Ok(()),
        }
    }

    /// How long a step may take that may take `most`.
    pub(super) fn at_most(&self, most: Duration) -> Duration {
        self.until.map_or(most, |until| most.min(until.saturating_duration_since(Instant::now())))
    }

    /// What the history says of it, which keeps so many texts from now on.
    pub(super) fn record<'a>(&'a self, operation: &'a str, keep: Option<usize>) -> ChangeRecord<'a> {
        ChangeRecord { operation, by: &self.by, message: self.message.as_deref(), keep }
    }
}

/// A condition on the running configuration (`If-Match`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Any that is there.
    Any,
    /// One of these; an empty list is none.
    OneOf(Vec<Revision>),
}

impl Expected {
    /// Whether a running configuration with this revision is meant.
    pub fn allows(&self, running: Revision) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(revisions) => revisions.contains(&running),
        }
    }
}
