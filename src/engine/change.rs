//! A change as data: what a command asks a service for, what is sent to a server, and how it is made.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use super::change_report::ReportParts;
use super::guard::Guard;
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeId, ChangeRef, ClusterState, PendingInfo, Revision};
use mediaconf::{Faults, Path, Request};

/// A change, and how it is made.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRequest<'a> {
    pub operation: RequestedChange<'a>,
    #[serde(default)]
    pub options: ChangeOptions,
}

/// Any change, as data.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RequestedChange<'a> {
    /// Changes what is there.
    Modify(Cow<'a, Request>),
    /// Replaces the running configuration and the file by a text.
    Save(#[serde(with = "as_text")] Bytes),
    /// Replaces the running configuration alone.
    Update(#[serde(with = "as_text")] Bytes),
    /// Formats the text.
    #[serde(deserialize_with = "no_members")]
    Format {},
    /// Replaces the texts of entries, and then changes values.
    Entries(EntryEdits),
    /// Makes the text before a change the configuration again.
    Rollback(ChangeRef),
    /// Takes exactly the change with this id back, and keeps what was changed since.
    TakeBack(ChangeId),
}

/// Other texts of entries, and a change of values that is made after them: all of it, or nothing.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryEdits {
    /// In the order in which they are put in.
    pub texts: Vec<EntryEdit>,
    /// The change of values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Request>,
}

/// Another text of one entry.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryEdit {
    pub path: Path,
    #[serde(with = "as_text")]
    pub text: Bytes,
    /// True if the entry is added at the end of the text where it is not there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub create: bool,
}

impl From<Request> for RequestedChange<'_> {
    fn from(request: Request) -> Self {
        Self::Modify(Cow::Owned(request))
    }
}

impl<'a> RequestedChange<'a> {
    /// The request, if it has conditions. Else nothing of it is needed to report the change: a text that was applied is freed
    /// before the new one is put together.
    pub fn into_conditional(self) -> Option<Cow<'a, Request>> {
        match self {
            Self::Modify(request) if !request.conditions().is_empty() => Some(request),
            _ => None,
        }
    }

    /// The same change, for a service that may be asked again.
    pub fn by_ref(&self) -> RequestedChange<'_> {
        match self {
            Self::Modify(request) => RequestedChange::Modify(Cow::Borrowed(request)),
            other => other.clone(),
        }
    }

    /// The request that is evaluated on what is there; `None` for a whole text.
    pub fn request(&self) -> Option<&Request> {
        match self {
            Self::Modify(request) => Some(request),
            Self::Entries(entries) => entries.then.as_ref(),
            _ => None,
        }
    }

    /// The same, with a limit of the memory of a patch, in bytes.
    #[must_use]
    pub fn within(self, most: usize) -> Self {
        match self {
            Self::Modify(request) => request.into_owned().within(most).into(),
            Self::Entries(EntryEdits { texts, then }) => {
                Self::Entries(EntryEdits { texts, then: then.map(|request| request.within(most)) })
            }
            other => other,
        }
    }
}

/// The names of all changes, as requests have them.
pub const CHANGE_NAMES: [&str; 7] =
    ["modify", "save", "update", "format", "entries", "rollback", "take-back"];

/// An object without members; derived code would take an empty list, too.
fn no_members<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    match BTreeMap::<String, IgnoredAny>::deserialize(from)?.is_empty() {
        true => Ok(()),
        false => Err(D::Error::custom("it has no members")),
    }
}

/// A text as a string of JSON. What is no UTF-8 has errors, wherever it is read.
mod as_text {
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(text: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&String::from_utf8_lossy(text))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        Ok(String::deserialize(from)?.into_bytes().into())
    }
}

/// The commands that the history names, because their operation says less.
pub const COMMANDS: &[&str] = &["add", "apply", "cp", "edit", "fmt", "mv", "rm"];

/// The longest time to confirm a change in, in seconds: a day.
pub const MAX_CONFIRM: u64 = 24 * 60 * 60;

/// The options of a change: who makes it, why, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangeOptions {
    /// Rehearse: do everything but write, swap and reload.
    pub dry_run: bool,
    /// Of a rehearsal: it is a step of a change, and waits for its turn as that does.
    #[serde(skip)]
    pub for_change: bool,
    /// Accept every guard and every conflict.
    pub force: bool,
    /// The guards that were accepted, by `--accept` or in answer to a question.
    #[serde(rename = "accept")]
    pub accepted: Vec<Guard>,
    /// The number of streams that may be deleted without a question; `None` is the default.
    pub max_delete: Option<usize>,
    /// The author of the change, for hooks and the history.
    #[serde(skip)]
    pub by: String,
    /// The id of the change: it is made only if the history has none with it; `None` makes one.
    pub id: Option<ChangeId>,
    /// Of a node, which takes the change with that id from its cluster: it is made whatever its own history has.
    #[serde(skip)]
    pub again: bool,
    /// The id of the change that it undoes, for the history.
    #[serde(skip)]
    pub undoes: Option<ChangeId>,
    /// The reason of the change, for the history.
    pub message: Option<String>,
    /// The command that makes it, one of [`COMMANDS`], for the history; of a node, what made it in the cluster. `None` is
    /// the operation.
    #[serde(deserialize_with = "known_command")]
    pub command: Option<Cow<'static, str>>,
    /// Of a node: the state of its cluster that the present text was made of, for the history.
    #[serde(skip)]
    pub from: Option<ClusterState>,
    /// The running configuration, or the file where no server runs, that the change was made for; `None` is any.
    #[serde(rename = "only_if")]
    pub expected: Option<Expected>,
    /// The text that the change was made of: it is merged with what others made of that meanwhile.
    pub base: Option<Revision>,
    /// Roll the change back unless it is confirmed within this time.
    #[serde(with = "seconds")]
    pub confirm: Option<Duration>,
    /// The nodes of a cluster that take the change first, while the others wait until it is confirmed.
    pub canary: Vec<String>,
    /// The time for which these nodes have to run the change before the others follow; `None` is none.
    #[serde(rename = "canary_time", with = "seconds")]
    pub soak: Option<Duration>,
    /// Do not wait for the reload command.
    #[serde(rename = "async")]
    pub reload_later: bool,
    /// Refuse the change if it brings warnings of `check`.
    pub strict: bool,
    /// Only report errors that the configuration has together with what it includes: a take-back is never
    /// refused for them.
    #[serde(skip)]
    pub takes_faults: bool,
    /// The time at which the request times out: after that the change is not written.
    #[serde(skip)]
    pub until: Option<Instant>,
    /// The parts of the change that the report has.
    #[serde(rename = "tell")]
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

/// One of [`COMMANDS`].
fn known_command<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'static, str>>, D::Error> {
    let Some(given) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let known = COMMANDS.iter().find(|name| **name == given).map(|name| Cow::Borrowed(*name));
    known.map(Some).ok_or_else(|| D::Error::custom("there is no such command"))
}

/// A time within a day, as a number of seconds.
mod seconds {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::MAX_CONFIRM;

    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        time.map(|time| time.as_secs()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        match Option::<u64>::deserialize(from)? {
            Some(seconds) if !(1..=MAX_CONFIRM).contains(&seconds) => {
                Err(D::Error::custom("a time has from 1 second to a day"))
            }
            seconds => Ok(seconds.map(Duration::from_secs)),
        }
    }
}

/// A condition on the running configuration (`If-Match`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// Any configuration.
    Any,
    /// One of these revisions; an empty list allows none.
    OneOf(Vec<Revision>),
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
