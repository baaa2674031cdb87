//! The options of a change.

use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, Instant};

use super::change_report::ReportParts;
use super::guard::Guard;
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeId, ClusterState, PendingInfo, Revision};
use mediaconf::plumbing::edit::Faults;

/// The commands that the history names, because their operation says less.
pub const COMMANDS: &[&str] = &["add", "apply", "cp", "edit", "fmt", "mv", "rm"];

/// The options of a change: who makes it, why, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeOptions {
    /// Rehearse: do everything but write, swap and reload.
    pub dry_run: bool,
    /// Of a rehearsal: it is a step of a change, and waits for its turn as that does.
    pub for_change: bool,
    /// Accept every guard and every conflict.
    pub force: bool,
    /// The guards that were accepted, by `--accept` or in answer to a question.
    pub accepted: Vec<Guard>,
    /// The number of streams that may be deleted without a question; `None` is the default.
    pub max_delete: Option<usize>,
    /// The author of the change, for hooks and the history.
    pub by: String,
    /// The id of the change: it is made only if the history has none with it; `None` makes one.
    pub id: Option<ChangeId>,
    /// Of a node, which takes the change with that id from its cluster: it is made whatever its own history has.
    pub again: bool,
    /// The id of the change that it undoes, for the history.
    pub undoes: Option<ChangeId>,
    /// The reason of the change, for the history.
    pub message: Option<String>,
    /// The command that makes it, one of [`COMMANDS`], for the history; of a node, what made it in the cluster. `None` is
    /// the operation.
    pub command: Option<Cow<'static, str>>,
    /// Of a node: the state of its cluster that the present text was made of, for the history.
    pub from: Option<ClusterState>,
    /// The running configuration, or the file where no server runs, that the change was made for; `None` is any.
    pub expected: Option<Expected>,
    /// The text that the change was made of: it is merged with what others made of that meanwhile.
    pub base: Option<Revision>,
    /// Roll the change back unless it is confirmed within this time.
    pub confirm: Option<Duration>,
    /// The nodes of a cluster that take the change first, while the others wait until it is confirmed.
    pub canary: Vec<String>,
    /// The time for which these nodes have to run the change before the others follow; `None` is none.
    pub soak: Option<Duration>,
    /// Do not wait for the reload command.
    pub reload_later: bool,
    /// Refuse the change if it brings warnings of `check`.
    pub strict: bool,
    /// Only report errors that the configuration has together with what it includes: a take-back is never
    /// refused for them.
    pub takes_faults: bool,
    /// The time at which the request times out: after that the change is not written.
    pub until: Option<Instant>,
    /// The parts of the change that the report has.
    pub told: ReportParts,
}

impl ChangeOptions {
    /// True if this guard was accepted.
    pub fn accepts(&self, guard: &Guard) -> bool {
        self.force || self.accepted.contains(guard)
    }

    /// True if it is the change that waits to be confirmed.
    pub(super) fn is_of(&self, pending: &PendingInfo) -> bool {
        self.id.as_ref().is_some_and(|id| id.as_str() == pending.id)
    }

    /// True if it waits for its turn and takes the lock. A rehearsal does neither, so that it delays no
    /// change.
    pub(super) fn takes_turn(&self) -> bool {
        !self.dry_run || self.for_change
    }

    /// The faults of a patch that are not accepted.
    pub fn refused(&self, guarded: Faults) -> Faults {
        let is_open = |kind| Guard::of_fault(kind).is_none_or(|guard| !self.accepts(&guard));
        Faults(guarded.0.into_iter().filter(|fault| is_open(fault.kind)).collect())
    }

    /// Refuses to go on after the request timed out; called between the steps up to the write.
    ///
    /// # Errors
    /// `TooLate`.
    pub(super) fn refuse_late(&self) -> Result<(), Error> {
        match self.until {
            Some(until) if Instant::now() >= until => {
                let message = "the change took longer than a request may take, and was aborted";
                Err(Error::new(ErrorKind::TooLate, message)
                    .hint("nothing was written; make smaller changes, or a faster check command"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the time for a step: at most `most`, and not longer than the request.
    pub(super) fn at_most(&self, most: Duration) -> Duration {
        self.until.map_or(most, |until| most.min(until.saturating_duration_since(Instant::now())))
    }
}

/// A condition on the running configuration (`If-Match`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Any configuration.
    Any,
    /// One of these revisions; an empty list allows none.
    OneOf(Vec<Revision>),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::OneOf(revisions) => {
                f.write_str(&revisions.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl Expected {
    /// True if a running configuration with this revision meets the condition.
    pub fn allows(&self, running: Revision) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(_) => self.names(running),
        }
    }

    /// Both conditions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Any, one) | (one, Self::Any) => one,
            (Self::OneOf(revisions), other) => {
                Self::OneOf(revisions.into_iter().filter(|revision| other.allows(*revision)).collect())
            }
        }
    }

    /// True if the condition was made for this revision.
    pub(super) fn names(&self, revision: Revision) -> bool {
        matches!(self, Self::OneOf(revisions) if revisions.contains(&revision))
    }
}
