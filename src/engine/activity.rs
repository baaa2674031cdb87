//! The counts of a server since its start, for its metrics. Nobody waits for a count: it is one atomic
//! addition.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::change::{ChangeReport, Operation, OutcomeNote};
use crate::error::{Error, ErrorKind, Exit};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them, each at the place of its number.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The value of the label.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// The result of a change.
    ChangeResult {
        Changed "changed",
        /// The configuration was like that already.
        Unchanged "unchanged",
        /// It was a dry run.
        Rehearsed "rehearsed",
        Invalid "invalid",
        Conflict "conflict",
        /// A guard refused it.
        Guarded "guarded",
        Failed "failed",
    }
}

words! {
    /// The fate of a hand edit of the file.
    HandEdit {
        PickedUp "picked-up",
        Overwritten "overwritten",
        /// A change was refused because of it.
        Conflict "conflict",
    }
}

words! {
    /// The end of a change that had to be confirmed.
    PendingEnd {
        Confirmed "confirmed",
        Cancelled "cancelled",
        /// It was not confirmed in time.
        Expired "expired",
    }
}

/// The last time that a configuration was put into effect: it was loaded, and the reload command, if
/// there is one, ran.
#[derive(Debug, Clone)]
pub struct LastReload {
    pub at: SystemTime,
    pub succeeded: bool,
    pub run: ReloadRun,
}

/// One run of the reload command.
#[derive(Debug, Clone, Default)]
pub struct ReloadRun {
    /// Who made the change.
    pub by: String,
    /// `None` without a command, or if it did not come to its end.
    pub exit_code: Option<i32>,
    /// `None` without a command.
    pub took: Option<Duration>,
    /// What it wrote to standard error, with secrets masked.
    pub output: String,
}

/// The counts of a server since its start.
#[derive(Debug)]
pub struct Activity {
    changes: [[AtomicU64; ChangeResult::ALL.len()]; Operation::ALL.len()],
    hand_edits: [AtomicU64; HandEdit::ALL.len()],
    pending_ends: [AtomicU64; PendingEnd::ALL.len()],
    /// Failed ones, and those that succeeded.
    reloads: [AtomicU64; 2],
    last_reload: Mutex<LastReload>,
}

impl Default for Activity {
    /// The server has just loaded its configuration.
    fn default() -> Self {
        Self {
            changes: Default::default(),
            hand_edits: Default::default(),
            pending_ends: Default::default(),
            reloads: Default::default(),
            last_reload: Mutex::new(LastReload {
                at: SystemTime::now(),
                succeeded: true,
                run: ReloadRun::default(),
            }),
        }
    }
}

impl Activity {
    /// The number of changes of an operation that ended so.
    pub fn changes(&self, operation: Operation, result: ChangeResult) -> u64 {
        read(&self.changes[operation as usize][result as usize])
    }

    /// The number of hand edits that changes found.
    pub fn hand_edits(&self, fate: HandEdit) -> u64 {
        read(&self.hand_edits[fate as usize])
    }

    /// The number of changes that had to be confirmed and ended so.
    pub fn pending_ends(&self, end: PendingEnd) -> u64 {
        read(&self.pending_ends[end as usize])
    }

    /// The number of reloads since the start that succeeded, or that failed.
    pub fn reloads(&self, succeeded: bool) -> u64 {
        read(&self.reloads[usize::from(succeeded)])
    }

    /// True if a configuration was put into effect since the one that the server started with.
    pub fn has_reloaded(&self) -> bool {
        self.reloads(true) + self.reloads(false) > 0
    }

    pub fn last_reload(&self) -> LastReload {
        self.last_reload.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn count_change(
        &self,
        operation: Operation,
        dry_run: bool,
        made: &Result<ChangeReport, Error>,
    ) {
        let result = match made {
            Ok(_) if dry_run => ChangeResult::Rehearsed,
            Ok(report) if report.changed => ChangeResult::Changed,
            Ok(_) => ChangeResult::Unchanged,
            Err(error) => failure(error),
        };
        add(&self.changes[operation as usize][result as usize]);
        if let Some(fate) = hand_edit(made).filter(|_| !dry_run) {
            add(&self.hand_edits[fate as usize]);
        }
    }

    pub(super) fn count_pending_end(&self, end: PendingEnd) {
        add(&self.pending_ends[end as usize]);
    }

    pub(super) fn note_reload(&self, succeeded: bool, run: ReloadRun) {
        add(&self.reloads[usize::from(succeeded)]);
        let last = LastReload { at: SystemTime::now(), succeeded, run };
        *self.last_reload.lock().unwrap_or_else(PoisonError::into_inner) = last;
    }
}

fn failure(error: &Error) -> ChangeResult {
    match error.exit() {
        Exit::Invalid | Exit::Usage => ChangeResult::Invalid,
        Exit::Conflict => ChangeResult::Conflict,
        Exit::Guarded => ChangeResult::Guarded,
        _ => ChangeResult::Failed,
    }
}

fn hand_edit(made: &Result<ChangeReport, Error>) -> Option<HandEdit> {
    match made {
        Ok(report) => report.notes.iter().find_map(|note| match note {
            OutcomeNote::PickedUpHandEdit(_) => Some(HandEdit::PickedUp),
            OutcomeNote::OverwroteHandEdit => Some(HandEdit::Overwritten),
            _ => None,
        }),
        Err(refusal) => match refusal.kind {
            ErrorKind::HandEdited | ErrorKind::HandEditedSince => Some(HandEdit::Conflict),
            _ => None,
        },
    }
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}
