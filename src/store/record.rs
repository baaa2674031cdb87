//! A change in the history, and how it is named: the revision of a text, the id of a change, a reference to one.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::clock::{as_rfc3339, fresh_id};

/// Types that are strings in JSON: as they are shown, and parsed.
macro_rules! are_strings {
    ($($name:ident),*) => {
        $(
            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    to.collect_str(self)
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    String::deserialize(from)?.parse().map_err(D::Error::custom)
                }
            }
        )*
    };
}

are_strings!(Revision, ChangeId, ChangeRef);

/// The xxh3-128 hash of a text, shown as 32 lower case hex digits.
///
/// It tells texts apart; it does not authenticate them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(u128);

impl Revision {
    pub fn from_text(text: &[u8]) -> Revision {
        Revision(xxh3_128(text))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Revision {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Revision, &'static str> {
        // `from_str_radix` alone would take a sign and fewer digits.
        let is_plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = u128::from_str_radix(text, 16).ok().filter(|_| is_plain);
        hash.map(Revision).ok_or("a revision has 32 hex digits")
    }
}

/// The id of a change, as its line in the history has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeId(String);

impl ChangeId {
    /// An id that no other change has.
    pub fn random() -> Self {
        Self(fresh_id()[..8].to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ChangeId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let is_id = begins && text.len() <= 64 && text.bytes().all(is_known);
        is_id
            .then(|| Self(text.to_owned()))
            .ok_or("it takes up to 64 letters, digits, `-`, `_` and `.`, the first one a letter or a digit")
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// As many entries of the history as there are.
pub const WHOLE_HISTORY: usize = usize::MAX;

/// A reference to a change in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeRef {
    /// The newest change: `last`.
    Last,
    /// By its number: `17`, `#17`, or `change:17` where a number means something else.
    Number(u64),
}

/// What is said of `@N`, which counted back from the last change, and of `serial:N`.
pub const NEW_FORM: &str = "a change has one number, as `mediactl history` shows it: `5`, or `change:5` in the place of a file; the newest is `last`. `@N` and `serial:N` are no longer read";

/// The word for the newest change.
pub const LAST: &str = "last";

/// Changes in the history by their numbers: one, or a range `N..M` with both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "String")]
pub struct ChangeRange(pub [ChangeRef; 2]);

impl TryFrom<Value> for ChangeRange {
    type Error = &'static str;

    fn try_from(sent: Value) -> Result<Self, &'static str> {
        sent.as_str().map_or_else(|| sent.to_string().parse(), str::parse)
    }
}

impl FromStr for ChangeRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        Ok(Self([first.parse()?, last.parse()?]))
    }
}

impl From<ChangeRange> for String {
    fn from(ChangeRange([first, last]): ChangeRange) -> Self {
        format!("{first}..{last}")
    }
}

/// The changes that a revert undoes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reverted {
    /// The one with this id.
    Change(ChangeId),
    /// Those with these numbers, at least one.
    Numbers(#[serde(deserialize_with = "at_least_one")] Vec<ChangeRange>),
}

fn at_least_one<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ChangeRange>, D::Error> {
    let all = Vec::deserialize(from)?;
    if all.is_empty() { Err(D::Error::custom("it names no change")) } else { Ok(all) }
}

impl FromStr for ChangeRef {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let prefixes = ["change:", "#"];
        let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            Ok(number) if is_plain && number >= 1 => Ok(Self::Number(number)),
            _ if digits == LAST && !text.starts_with('#') => Ok(Self::Last),
            _ if ["@", "serial:"].iter().any(|former| text.starts_with(former)) => Err(NEW_FORM),
            _ => Err("it takes the number of a change, which `mediactl history` shows, or `last`"),
        }
    }
}

impl ChangeRef {
    /// A hand edit that no change has recorded yet: its entry has this number.
    pub const NOT_RECORDED: Self = Self::Number(0);

    /// The entry of the change in a history, which has the last one first.
    pub fn find(self, entries: &[HistoryEntry]) -> Option<usize> {
        entries.iter().position(|entry| match self {
            Self::Last => !entry.is_aside,
            Self::Number(number) => entry.number == number,
        })
    }
}

impl fmt::Display for ChangeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str(LAST),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// The number of texts that the history keeps by default.
pub const DEFAULT_KEEP: usize = 100;

/// The operation of a hand edit: a change that another program made.
pub const HAND_EDIT: &str = "hand-edit";

/// The operation of a rollback of a change that was not confirmed.
pub const EXPIRED: &str = "expired";

/// The operation in the place of a change whose record can't be read.
pub const UNREADABLE: &str = "unreadable";

/// The operation of a rollback after a failed reload.
pub const RELOAD_FAILED: &str = "reload-failed";

/// The operation of a change that undoes others and keeps the later ones.
pub const REVERT: &str = "revert";

/// The paths of the values that a change changed, with the secrets in them masked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedPaths {
    /// The first of them, at most [`ChangedPaths::MOST`].
    pub first: Vec<String>,
    /// The number of all.
    pub count: usize,
}

impl ChangedPaths {
    /// The most paths that a record names.
    pub const MOST: usize = 20;
}

/// A file that nobody has touched since: neither written, nor renamed, nor given another owner or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    pub inode: u64,
    /// The time of the last change of the file itself: seconds since 1970, and nanoseconds.
    pub changed: (i64, i64),
}

/// A change in the history: a line of JSON, in the journal of a file as in an answer of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The number, which never changes; 0, and not in JSON, of an `update`, which is in no history. Version 0.1 called it
    /// `serial` in its journal.
    #[serde(default, alias = "serial", skip_serializing_if = "is_zero")]
    pub number: u64,
    /// The time of the change; for a hand edit, of the last write of the file. In JSON as RFC 3339.
    #[serde(with = "as_rfc3339")]
    pub at: SystemTime,
    /// `modify`, `save`, …, `hand-edit`.
    pub operation: String,
    /// The author; unknown for a hand edit.
    pub by: Option<String>,
    pub message: Option<String>,
    /// The id of the change. An automatic rollback has the id of the change that it rolls back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The changes that it undoes, between commas: each by its id, or as `change:N` where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The revision of the text before, which is kept; `None` if there was no file.
    pub before: Option<Revision>,
    /// The revision of the text afterwards; `None` if the file is gone.
    pub after: Option<Revision>,
    /// True if the entry is no change of the file: its text ran and was not saved, or the reload command failed for the text
    /// to which a change went back. Version 0.1 also kept what was written into a file that was just being replaced.
    #[serde(rename = "unsaved", alias = "aside", default)]
    pub is_aside: bool,
    /// The paths that it changed, if the record of the change names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<ChangedPaths>,
    /// In a journal: the file that the change was to replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileStamp>,
    /// Of a change that is about to be made: the number of texts that are kept from now on; `None` for as many as before.
    #[serde(skip)]
    pub keep: Option<usize>,
}

/// The entry of a change in a history, which has the last change first; `None` if it is not there, or went back by
/// itself.
pub fn change_made<'h>(history: &'h [HistoryEntry], id: &str) -> Option<&'h HistoryEntry> {
    history.iter().find(|entry| entry.is_of(id)).filter(|entry| !entry.goes_back())
}

impl HistoryEntry {
    /// True if it is of the change with this id: it made it, or took it back by itself.
    pub fn is_of(&self, id: &str) -> bool {
        !self.is_aside && self.id.as_deref() == Some(id)
    }

    /// True if it rolls back the change before it, which was not confirmed, or not loaded.
    pub fn goes_back(&self) -> bool {
        [EXPIRED, RELOAD_FAILED].contains(&&*self.operation)
    }

    /// The entry under the present name of its operation, where that was recorded under another one.
    pub fn renamed(self) -> Self {
        let operation = match &*self.operation {
            REVERT if self.undoes.is_none() => EXPIRED.to_owned(),
            "take-back" => RELOAD_FAILED.to_owned(),
            _ => self.operation,
        };
        Self { operation, ..self }
    }

    /// What `undoes` of another change calls it.
    pub fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| format!("change:{}", self.number))
    }

    /// True if it is of the change with this id, or undid it.
    pub fn concerns(&self, id: &str) -> bool {
        self.is_of(id) || self.undoes.as_deref().is_some_and(|undone| undone.split(',').any(|one| one == id))
    }

    /// The entry with what users wrote in it, the author and the message, as `shown` shows a text.
    pub fn shown_by(self, shown: impl Fn(&str) -> String) -> Self {
        let shown = |text: Option<String>| text.as_deref().map(&shown);
        Self { by: shown(self.by), message: shown(self.message), ..self }
    }

    /// An entry of which only this is known.
    pub fn new(number: u64, operation: &str) -> Self {
        let (at, operation) = (SystemTime::UNIX_EPOCH, operation.to_owned());
        let (by, message, id, undoes, before, after, is_aside, paths) = Default::default();
        let (file, keep) = (None, None);
        Self { number, at, operation, by, message, id, undoes, before, after, is_aside, paths, file, keep }
    }

    /// The entry of a change that is about to be made: the store gives it its number and its time.
    pub fn of(operation: &str, by: &str) -> Self {
        Self { by: Some(by.to_owned()), ..Self::new(0, operation) }
    }

    /// The row of a record that can't be read; `why` names it, and `number` is 0 where its name has none.
    pub fn unreadable(number: u64, why: String) -> Self {
        Self { message: Some(why), is_aside: number == 0, ..Self::new(number, UNREADABLE) }
    }

    /// True if what its record says is not known.
    pub fn is_unknown(&self) -> bool {
        self.operation == UNREADABLE
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_plain_word() {
        let longest = "x".repeat(64);
        for text in ["7", "7f3a90c2", "deploy-42", "a_b.c", &longest] {
            assert_eq!(text.parse::<ChangeId>().as_ref().map(ChangeId::as_str), Ok(text));
        }
        for text in ["", "-x", ".x", "a b", "a/b", "ü", "a\n", &format!("{longest}x")] {
            assert!(text.parse::<ChangeId>().is_err(), "{text}");
        }
        assert!(ChangeId::random().as_str().parse::<ChangeId>().is_ok());
    }

    #[test]
    fn a_change_has_one_number() {
        for text in ["12", "#12", "change:12"] {
            assert_eq!(text.parse(), Ok(ChangeRef::Number(12)), "{text}");
        }
        for which in [ChangeRef::Number(12), ChangeRef::Last] {
            assert_eq!(which.to_string().parse(), Ok(which));
        }
        assert_eq!("change:last".parse(), Ok(ChangeRef::Last));
        for text in
            ["", "0", "@2", "serial:12", "#", "#0", "-1", "+1", "1.0", "x", "change:", "99999999999999999999"]
        {
            let refused = text.parse::<ChangeRef>().expect_err(text).to_string();
            assert_eq!(
                refused.contains("`change:5`"),
                ["@2", "serial:12"].contains(&text),
                "{text}: {refused}"
            );
        }
    }

    #[test]
    fn a_change_that_went_back_is_not_made() {
        let entry = |operation: &str, id: &str| HistoryEntry {
            id: Some(id.to_owned()),
            operation: operation.to_owned(),
            ..HistoryEntry::unreadable(1, String::new())
        };
        let made = |changes: &[(&str, &str)]| {
            let history: Vec<_> = changes.iter().rev().map(|(operation, id)| entry(operation, id)).collect();
            change_made(&history, "a").is_some()
        };
        assert!(!made(&[]) && !made(&[("modify", "b")]));
        assert!(made(&[("modify", "a"), ("rollback", "b")]));
        assert!(!made(&[("modify", "a"), ("modify", "b"), (EXPIRED, "a")]));
        assert!(!made(&[("modify", "a"), (RELOAD_FAILED, "a")]));
        assert!(made(&[("modify", "a"), (EXPIRED, "a"), ("modify", "a"), (EXPIRED, "b")]));
    }
}
