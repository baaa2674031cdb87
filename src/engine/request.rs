//! What is asked for beside the change itself.

use std::time::Duration;

use super::guard::Guard;
use crate::store::{Record, Revision};

/// What is asked for beside the change itself.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Do everything but write, swap and reload.
    pub dry_run: bool,
    /// Answer every guard and every conflict with yes.
    pub force: bool,
    /// The guards that were asked about, and answered with yes.
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
}

impl Request {
    /// What the history says of it, which keeps so many texts from now on.
    pub(super) fn record<'a>(&'a self, operation: &'a str, keep: Option<usize>) -> Record<'a> {
        Record { operation, by: &self.by, message: self.message.as_deref(), keep }
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
