//! Questions that stand before a change which is seldom meant.

use std::fmt;

use crate::model::shape::usable_account;
use crate::model::top_members;
use crate::syntax::{Document, Word};

/// Below this number of deleted streams nobody is asked.
pub const MAX_DELETE_FLOOR: usize = 5;

/// What a change would do that is seldom meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    /// No usable `edit_auth` would remain where there was one: the API could not be reached any more.
    WouldRemoveCredentials,
    /// The new text has no directive at all.
    EmptyReplacement,
    /// Most of the streams, or all of several, would be deleted at once.
    WouldDeleteStreams {
        /// How many.
        deleted: usize,
        /// Of how many.
        of: usize,
    },
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WouldRemoveCredentials => f.write_str("no usable `edit_auth` would remain"),
            Self::EmptyReplacement => f.write_str("the new configuration has no directive at all"),
            Self::WouldDeleteStreams { deleted, of } => {
                write!(f, "{deleted} of {of} streams would be deleted")
            }
        }
    }
}

impl Guard {
    /// Why one is asked, and how to go on without.
    pub fn hint(&self) -> String {
        match self {
            Self::WouldRemoveCredentials => "without it nobody can use the API; `--force` does it all the same",
            Self::EmptyReplacement => {
                "was the file sent with its line ends stripped (`curl -d @FILE`)? `--force` does it all the same"
            }
            Self::WouldDeleteStreams { .. } => "`--max-delete N` allows that many, `--force` any number",
        }
        .to_owned()
    }
}

/// The guard that stands before a whole new text, if any.
pub fn before_replacement(old: Option<&Document>, new: &Document) -> Option<Guard> {
    if new.is_empty() && old.is_none_or(|old| !old.is_empty()) {
        return Some(Guard::EmptyReplacement);
    }
    let is_lost = old.and_then(account).is_some() && account(new).is_none();
    is_lost.then_some(Guard::WouldRemoveCredentials)
}

/// The guard of the command line: more than half of the streams, or all of several.
pub fn before_deletion(deleted: usize, of: usize, max_delete: Option<usize>) -> Option<Guard> {
    let guarded = match max_delete {
        Some(most) => deleted > most,
        None => deleted >= MAX_DELETE_FLOOR && deleted * 2 > of,
    };
    guarded.then_some(Guard::WouldDeleteStreams { deleted, of })
}

/// Login and password of the account that may use the API; none where that is unusable.
pub fn account(document: &Document) -> Option<[Word<'_>; 2]> {
    let entries: Vec<_> = document.entries().filter(|entry| entry.keyword() == "edit_auth").collect();
    usable_account(&entries)
}

/// How many streams there are, for a guard over a whole replacement.
pub fn deleted_streams(old: &Document, new: &Document) -> (usize, usize) {
    let name =
        |entry: &crate::syntax::Entry<'_>| crate::model::shape::group_name(*entry).value().into_owned();
    let (old, new) = (top_members(old), top_members(new));
    let kept: std::collections::HashSet<String> = new.own_by_key("streams").iter().map(name).collect();
    let before = old.own_by_key("streams");
    (before.iter().filter(|entry| !kept.contains(&name(entry))).count(), before.len())
}
