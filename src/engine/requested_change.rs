//! Any change, as data: what a command asks a service for, and what is sent to a server.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use super::options::ChangeOptions;
use crate::store::{ChangeId, ChangeRef};
use mediaconf::Request;
use mediaconf::plumbing::edit::Path;

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
