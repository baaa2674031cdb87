//! A change as data: what a command asks a service for, what is sent to a server, how it is made, and the report of it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Guard, NewWarning, Snapshot, UndoneChange, added_and_removed, as_texts, changed, diff_lines};
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeId, ChangeRef, PendingInfo, REVERT, Reverted, Revision};
use mediaconf::{ChangedValue, Document, Effects, Faults, Masker, Path, Request};

/// An operation that changes a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Merges a patch into the running configuration, and saves.
    Modify,
    /// Replaces the running configuration and the file.
    Save,
    /// Replaces the running configuration alone.
    Update,
    /// Makes an earlier text the configuration again.
    Rollback,
    /// Runs the text of the file.
    Load,
}

impl Operation {
    /// All of them, each at the place of its number.
    pub const ALL: &[Self] = &[Self::Modify, Self::Save, Self::Update, Self::Rollback, Self::Load];

    /// The operation of a change that the history calls so: its own name, or that of the command that made it; `None` for
    /// a name that is neither.
    pub fn of_change(name: &str) -> Option<Self> {
        let by_command = match name {
            "add" | "apply" | "cp" | "mv" | "rm" => Some(Self::Modify),
            "edit" | "fmt" | REVERT => Some(Self::Save),
            _ => None,
        };
        by_command.or_else(|| Self::ALL.iter().copied().find(|operation| operation.name() == name))
    }

    /// The name for hooks and the history.
    pub fn name(self) -> &'static str {
        match self {
            Self::Modify => "modify",
            Self::Save => "save",
            Self::Update => "update",
            Self::Rollback => "rollback",
            Self::Load => "load",
        }
    }

    /// True if the file is written, too.
    pub fn writes(self) -> bool {
        matches!(self, Self::Modify | Self::Save | Self::Rollback)
    }
}

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
    /// Corrects the faults of the file that have one possible fix, as `check --fix` does.
    #[serde(deserialize_with = "no_members")]
    Fix {},
    /// Replaces the texts of entries: all of them, in this order, or none.
    Entries { texts: Vec<EntryEdit> },
    /// Makes the text before a change the configuration again.
    Rollback(ChangeRef),
    /// Undoes exactly these changes, and keeps what was changed since.
    Revert(Reverted),
    /// The same, by the texts of the changes, the last one first.
    #[serde(skip)]
    Undo(Arc<[UndoneChange]>),
    /// Runs the text of the file, as a server does at a signal.
    #[serde(skip)]
    Load,
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

/// The names of all changes, as requests have them.
pub const CHANGE_NAMES: [&str; 8] =
    ["modify", "save", "update", "format", "fix", "entries", "rollback", "revert"];

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
    pub even_if_made: bool,
    /// The changes that it undoes, for the history.
    #[serde(skip)]
    pub undoes: Option<String>,
    /// The reason of the change, for the history.
    pub message: Option<String>,
    /// The command that makes it, one of [`COMMANDS`], for the history; of a node, what made it in the cluster. `None` is
    /// the operation.
    #[serde(deserialize_with = "known_command")]
    pub command: Option<Cow<'static, str>>,
    /// The running configuration, or the file where no server runs, that the change was made for; `None` is any.
    #[serde(rename = "only_if", deserialize_with = "condition")]
    pub expected: Option<Expected>,
    /// The text that the change was made of: it is merged with what others made of that meanwhile.
    pub base: Option<Revision>,
    /// Roll the change back unless it is confirmed within this time.
    #[serde(serialize_with = "seconds", deserialize_with = "within_a_day")]
    pub confirm: Option<Duration>,
    /// The nodes of a cluster that take the change first, while the others wait until it is confirmed.
    pub canary: Vec<String>,
    /// The time for which these nodes have to run the change before the others follow; `None` is none.
    #[serde(rename = "canary_time", serialize_with = "seconds", deserialize_with = "within_a_day")]
    pub soak: Option<Duration>,
    /// Do not wait for the reload command.
    #[serde(rename = "async")]
    pub reload_later: bool,
    /// Refuse the change if it brings warnings of `check`.
    pub strict: bool,
    /// Only report errors that the configuration has together with what it includes: a rollback is never
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
        self.force || self.accepted.iter().any(|accepted| accepted.is_like(guard))
    }

    /// Refuses the first guard that is not accepted.
    pub fn refuse(&self, guards: impl IntoIterator<Item = Option<Guard>>) -> Result<(), Error> {
        let open = guards.into_iter().flatten().find(|guard| !self.accepts(guard));
        open.map_or(Ok(()), |guard| Err(guard.into()))
    }

    /// True if it is the change that waits to be confirmed.
    pub(super) fn is_of(&self, pending: &PendingInfo) -> bool {
        self.id.as_ref().is_some_and(|id| id.as_str() == pending.id)
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
}

/// A condition, or the one revision that meets it.
fn condition<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Expected>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Revision(Revision),
        Condition(Expected),
    }
    Ok(Option::<Given>::deserialize(from)?.map(|given| match given {
        Given::Revision(revision) => Expected::OneOf(vec![revision]),
        Given::Condition(expected) => expected,
    }))
}

/// One of [`COMMANDS`].
fn known_command<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'static, str>>, D::Error> {
    let Some(given) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let known = COMMANDS.iter().find(|name| **name == given).map(|name| Cow::Borrowed(*name));
    known.map(Some).ok_or_else(|| D::Error::custom("there is no such command"))
}

fn seconds<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs()).serialize(to)
}

/// A time within a day, as a number of seconds.
fn within_a_day<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    match Option::<u64>::deserialize(from)? {
        Some(seconds) if !(1..=MAX_CONFIRM).contains(&seconds) => {
            Err(D::Error::custom("a time has from 1 second to a day"))
        }
        seconds => Ok(seconds.map(Duration::from_secs)),
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
        matches!(self, Self::Any) || self.names(running)
    }

    /// Both conditions.
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

/// The parts of a report that are requested: those that cost time and room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportParts {
    /// The lines of the difference.
    pub diff: bool,
    /// The values that differ.
    pub values: bool,
    /// The configuration afterwards as JSON.
    pub configuration: bool,
    /// True if the difference shows secrets.
    pub secrets: bool,
    /// The key of the masks of secrets, so that those of several servers can be compared.
    pub mask_key: Option<u128>,
    /// True if nothing is compared, because nobody sees what differs.
    #[serde(skip)]
    pub is_bare: bool,
}

impl ReportParts {
    /// The parts of a report in which secrets are masked so, or shown.
    pub fn masked_by(masker: Masker) -> Self {
        Self { secrets: masker == Masker::Off, mask_key: masker.key(), ..Self::default() }
    }
}

/// A side effect of a change that the user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeNote {
    /// An earlier update that was not saved went into the file, too.
    SavedEarlierUpdate,
    /// A hand edit of the file became part of the new configuration: the paths of what it changed, in words; empty
    /// where no value of the file did.
    FoundHandEdit(String),
    /// A hand edit of the file was overwritten; its text is kept in the history.
    OverwroteHandEdit,
    /// A hand edit of the file was kept, while a change that was not confirmed was rolled back.
    KeptHandEdit,
    /// The replacement text lacks this many streams.
    DeletedStreams(usize),
    /// This many streams stand inside the blocks that were removed, and went with them.
    InnerStreams(usize),
    /// This many places refer to the blocks that got other names, and name them by those now.
    RenamedUses(usize),
    /// The history has the change with this id already, so it was not made again.
    HasChange,
    /// Of a rehearsal: another change has to be confirmed before this one can be made.
    #[serde(rename = "other-change-pending")]
    OtherPending,
}

/// The report of a change that was made, or rehearsed: commands show it, and servers send it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangeReport {
    /// True if something changed.
    pub changed: bool,
    /// The id of the change, if it is in the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ChangeId>,
    /// The revision of the text that the change is made of, if there was one and it is known.
    pub before: Option<Revision>,
    /// The revision of the text of the file, where that is another one than `before`.
    pub file: Option<Revision>,
    /// The revision of the text afterwards.
    pub after: Option<Revision>,
    /// The text that the new one is compared with: the text of `file`, else that of `before`. `None` if another process made
    /// the change.
    #[serde(skip)]
    pub old: Option<Arc<Snapshot>>,
    /// The configuration afterwards. `None` if another process made the change, or nothing changed and there was no file.
    #[serde(skip)]
    pub snapshot: Option<Arc<Snapshot>>,
    pub lines_added: usize,
    pub lines_removed: usize,
    /// The lines of a unified diff.
    pub diff: Vec<String>,
    /// The values that differ, with their secrets; none where the text before has errors.
    pub values: Vec<ChangedValue>,
    /// True if the text before has errors, so that nobody knows which values differ.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_of_broken: bool,
    /// The same values, where they are known before it is asked for them.
    #[serde(skip)]
    pub compared: Option<Vec<ChangedValue>>,
    /// The configuration afterwards as JSON, with its secrets.
    pub configuration: Option<Value>,
    pub effects: Effects,
    /// True if the account of the API differs.
    pub changes_account: bool,
    /// The login and the password of that account afterwards, if they differ and can be used.
    pub account: Option<[String; 2]>,
    /// Side effects that the user should know.
    pub notes: Vec<OutcomeNote>,
    /// The failures that did not stop the change.
    pub warnings: Vec<String>,
    /// The warnings of `check` that the change brings.
    pub new_warnings: Vec<NewWarning>,
    /// The change, if it still has to be confirmed.
    pub pending: Option<PendingInfo>,
}

impl ChangeReport {
    /// The values that differ, as far as they can be known.
    pub fn known_values(&self) -> Option<&[ChangedValue]> {
        (!self.is_of_broken).then_some(&*self.values)
    }

    /// The report of a change of a text, if there was one, to another one; nothing is compared yet.
    pub fn of_change(old: Option<Arc<Snapshot>>, new: Arc<Snapshot>) -> Self {
        let (before, after) = (old.as_ref().and_then(|old| old.known_revision()), new.known_revision());
        Self { changed: true, before, after, old, snapshot: Some(new), ..Self::default() }
    }

    /// The report of a change to what is there, if anything is.
    pub fn unchanged(present: Option<Arc<Snapshot>>) -> Self {
        let before = present.as_ref().and_then(|present| present.known_revision());
        Self { before, after: before, old: present.clone(), snapshot: present, ..Self::default() }
    }

    /// The same of a change that may change nothing.
    pub fn between(old: Option<Arc<Snapshot>>, new: Arc<Snapshot>, changes: bool) -> Self {
        if changes { Self::of_change(old, new) } else { Self::unchanged(old) }
    }

    /// The same with what follows from comparing both texts, as far as it is requested.
    pub fn with_parts(mut self, parts: ReportParts) -> Self {
        let (true, Some(new)) = (self.changed, self.snapshot.as_deref()) else {
            let present = self.snapshot.as_ref().filter(|_| parts.configuration);
            self.configuration = present.map(|present| present.config().to_json());
            return self;
        };
        self.configuration = parts.configuration.then(|| new.config().to_json());
        if parts.is_bare {
            return self;
        }
        let nothing = Snapshot::default();
        let old = self.old.as_deref();
        let sides = [old.unwrap_or(&nothing), new];
        if parts.diff {
            let keyed = || parts.mask_key.map(Masker::Keyed).unwrap_or_default();
            self.diff = diff_lines(sides, if parts.secrets { Masker::Off } else { keyed() });
            [self.lines_added, self.lines_removed] = added_and_removed(&self.diff);
        } else {
            [self.lines_added, self.lines_removed] = as_texts(sides, Document::changed_lines);
        }
        self.is_of_broken = !sides[0].is_valid();
        if let Some(values) = self.compared.take().or_else(|| changed(sides[0], new)) {
            self.effects = Effects::of(&values, sides.map(Snapshot::config).each_ref());
            self.values = if parts.values { values } else { Vec::new() };
        }
        let account = new.account();
        self.changes_account = old.and_then(Snapshot::account) != account;
        self.account = account.filter(|_| self.changes_account).cloned();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_in_the_history_is_that_of_an_operation() {
        let named = COMMANDS.iter().copied().chain(Operation::ALL.iter().map(|operation| operation.name()));
        assert_eq!(named.filter(|name| Operation::of_change(name).is_none()).count(), 0);
        assert_eq!(Operation::of_change("adopt"), None);
    }
}
