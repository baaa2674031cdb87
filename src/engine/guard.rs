//! Guards refuse changes that are rarely intended.

use std::collections::{HashMap, HashSet};
use std::fmt;

use mediaconf::{Document, Entry, FaultKind, Kind};
use serde::{Deserialize, Serialize};

use super::snapshot::Snapshot;

/// This many streams may be deleted at once without a question, however few there are.
pub const MAX_DELETE_FLOOR: usize = 4;

/// Of more streams, one in this many may be deleted without a question.
pub const MAX_DELETE_SHARE: usize = 10;

/// More streams than this are never deleted without a question.
pub const MAX_DELETE_CEILING: usize = 20;

/// The number of users of a block that are named.
const SHOWN_USERS: usize = 3;

/// A change that is rarely intended; it is refused unless it is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// The change would remove the last usable `edit_auth`: the API could not be reached any more.
    WouldRemoveCredentials,
    /// The new text has no directive, or it lacks every stream, live and plugin.
    EmptyReplacement,
    /// An unknown directive would get another form.
    FormChange,
    /// A new keyword is nearly a known one.
    NearMiss,
    /// The new text has lost its line ends, and a comment hides directives.
    OneLine,
    /// A block goes whose name others use; the text says which.
    Dangling(#[serde(skip)] String),
    /// Many streams would be deleted at once.
    WouldDeleteStreams {
        deleted: usize,
        /// The number of streams before.
        of: usize,
    },
}

/// The guards that can be accepted, by the names that `accept=` and `--accept` take.
pub const GUARD_NAMES: &[(&str, Guard)] = &[
    ("would-remove-credentials", Guard::WouldRemoveCredentials),
    ("empty-replacement", Guard::EmptyReplacement),
    ("form-change", Guard::FormChange),
    ("near-miss", Guard::NearMiss),
    ("one-line", Guard::OneLine),
    ("dangling", Guard::Dangling(String::new())),
];

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WouldRemoveCredentials => f.write_str("the change removes the last usable `edit_auth`"),
            Self::EmptyReplacement => {
                f.write_str("the new configuration has no stream, live or plugin at all")
            }
            Self::FormChange => f.write_str("an unknown directive would get another form"),
            Self::NearMiss => f.write_str("a new name or value is nearly a known one"),
            Self::OneLine => f.write_str("the new configuration is one line, and a comment hides directives"),
            Self::Dangling(users) => f.write_str(users),
            Self::WouldDeleteStreams { deleted, of } => {
                write!(f, "{deleted} of {of} streams would be deleted")
            }
        }
    }
}

impl Guard {
    /// The guard of this name.
    pub fn named(name: &str) -> Option<Self> {
        GUARD_NAMES.iter().find(|(known, _)| *known == name).map(|(_, guard)| guard.clone())
    }

    /// The name under which it is accepted; `None` if a number is.
    pub fn name(&self) -> Option<&'static str> {
        GUARD_NAMES.iter().find(|(_, known)| known.is_like(self)).map(|(name, _)| *name)
    }

    /// True if both are accepted by the same name or number.
    pub fn is_like(&self, other: &Self) -> bool {
        self == other || matches!((self, other), (Self::Dangling(_), Self::Dangling(_)))
    }

    /// The guard that a fault of a patch belongs to; `None` if the fault can't be accepted.
    pub fn of_fault(kind: FaultKind) -> Option<Self> {
        match kind {
            FaultKind::FormChange => Some(Self::FormChange),
            FaultKind::NearMiss => Some(Self::NearMiss),
            _ => None,
        }
    }

    /// True if the user is asked to accept the change. Other guards refuse without a question: the
    /// request itself is wrong.
    pub fn is_question(&self) -> bool {
        !matches!(self, Self::FormChange | Self::NearMiss | Self::OneLine)
    }

    /// Returns the advice for the command line.
    pub fn hint(&self) -> String {
        let why = match self {
            Self::WouldDeleteStreams { deleted, .. } => {
                return format!("`--max-delete {deleted}` deletes them");
            }
            Self::WouldRemoveCredentials => "without it the API can't be used; ",
            Self::EmptyReplacement => "was the file sent with its line ends stripped (`curl -d @FILE`)? ",
            Self::OneLine => {
                "were its line ends stripped? `curl --data-binary @FILE` sends a file as it is; "
            }
            Self::FormChange | Self::NearMiss | Self::Dangling(_) => "",
        };
        let name = self.name().unwrap_or_default();
        format!("{why}`--accept {name}` (over HTTP `accept={name}`) makes the change anyway")
    }
}

/// The guard that refuses a whole new text, if any.
pub fn before_replacement(old: Option<&Snapshot>, new: &Snapshot) -> Option<Guard> {
    if new.document().is_empty() && old.is_none_or(|old| !old.document().is_empty()) {
        return Some(Guard::EmptyReplacement);
    }
    before_lost_account(old?, new)
}

/// The guard that refuses a text without the account for the API that was there.
pub fn before_lost_account(old: &Snapshot, new: &Snapshot) -> Option<Guard> {
    (old.account().is_some() && new.account().is_none()).then_some(Guard::WouldRemoveCredentials)
}

/// The guard that refuses a whole new configuration without any stream, live and plugin, where some were there; both
/// sides have the texts that they include.
pub fn before_emptying(old: &Snapshot, new: &Snapshot) -> Option<Guard> {
    let holds = |text: &Snapshot| {
        let members = text.document().members();
        Kind::ALL.iter().any(|kind| !members.own_by_key(kind.key()).is_empty())
    };
    (old.is_valid() && holds(old) && !holds(new)).then_some(Guard::EmptyReplacement)
}

/// The guard that refuses to delete many streams at once, if it does.
///
/// Without `max_delete`, users may delete [`MAX_DELETE_FLOOR`] streams, or one in
/// [`MAX_DELETE_SHARE`] up to [`MAX_DELETE_CEILING`], whichever is more.
pub fn before_deletion(deleted: usize, of: usize, max_delete: Option<usize>) -> Option<Guard> {
    let share = (of / MAX_DELETE_SHARE).min(MAX_DELETE_CEILING);
    let most = max_delete.unwrap_or(share.max(MAX_DELETE_FLOOR));
    (deleted > most).then_some(Guard::WouldDeleteStreams { deleted, of })
}

/// The guard that refuses to remove blocks that others use by their names; both sides have the texts that they include.
pub fn before_dangling(old: &Document, new: &Document) -> Option<Guard> {
    let (gone, users) = old.dangling_in(new)?;
    let shown: Vec<String> = users.iter().take(SHOWN_USERS).map(|user| format!("`{user}`")).collect();
    let (shown, count) = (shown.join(", "), users.len());
    let more = if count > SHOWN_USERS { ", …" } else { "" };
    let used = if count == 1 { "1 block uses" } else { &format!("{count} blocks use") };
    Some(Guard::Dangling(format!("{used} `{gone}`, which the change removes: {shown}{more}")))
}

/// Returns the number of streams that `old` has and `new` lacks, and the number of all streams of `old`. A stream that `new`
/// has under another name, with the same values, is not lacking.
pub fn deleted_streams(old: &Document, new: &Document) -> (usize, usize) {
    let (old, new) = (old.members(), new.members());
    let [before, after] = [&old, &new].map(|side| side.own_by_key(Kind::Streams.key()));
    let mut gone = only_in(before, after);
    let added = if gone.is_empty() { Vec::new() } else { only_in(after, before) };
    let values = |entry: &Entry<'_>| serde_json::Value::from(Kind::Streams.read(*entry)).to_string();
    let mut named: HashMap<String, usize> = HashMap::new();
    added.iter().for_each(|entry| *named.entry(values(entry)).or_default() += 1);
    gone.retain(|entry| {
        let same = if named.is_empty() { None } else { named.get_mut(&values(entry)) };
        same.filter(|same| **same > 0).map(|same| *same -= 1).is_none()
    });
    let inside: usize = gone.iter().map(|entry| entry.inner_streams()).sum();
    (gone.len() + inside, before.len() + inside)
}

/// The streams whose names the other side lacks.
fn only_in<'d>(these: &[Entry<'d>], others: &[Entry<'_>]) -> Vec<Entry<'d>> {
    let name = |entry: &Entry<'_>| entry.group_name().value().into_owned();
    let names: HashSet<String> = others.iter().map(name).collect();
    these.iter().filter(|entry| !names.contains(&name(entry))).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_streams_may_go_or_a_tenth_up_to_twenty() {
        for (of, most) in [(1, 4), (8, 4), (49, 4), (50, 5), (100, 10), (200, 20), (1000, 20), (100_000, 20)]
        {
            assert_eq!(before_deletion(most, of, None), None, "{of}");
            assert!(before_deletion(most + 1, of, None).is_some(), "{of}");
        }
        assert_eq!(before_deletion(900, 1000, Some(900)), None);
        assert!(before_deletion(1, 1000, Some(0)).is_some());
    }

    #[test]
    fn every_name_leads_to_its_guard_and_back() {
        for (name, guard) in GUARD_NAMES {
            assert_eq!(Guard::named(name).as_ref(), Some(guard));
            assert_eq!(guard.name(), Some(*name));
            assert_eq!(serde_json::to_value(guard).expect("it is JSON"), *name);
            assert_eq!(serde_json::from_value::<Guard>((*name).into()).expect("it is read"), *guard);
        }
        assert_eq!(Guard::named("would-delete-streams"), None);
    }
}
