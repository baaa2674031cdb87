//! Any change, as data: what a command asks a service for, what is sent to a server, and what the journal of a fleet
//! keeps.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::store::{ChangeRef, Revision};
use mediaconf::edit::request::ChangeRequest;

/// Any change, as data.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RequestedChange<'a> {
    /// Changes what is there.
    Modify(Cow<'a, ChangeRequest>),
    /// Replaces the running configuration and the file by a text.
    Save(#[serde(with = "as_text")] Cow<'a, [u8]>),
    /// Replaces the running configuration alone.
    Update(#[serde(with = "as_text")] Cow<'a, [u8]>),
    /// Formats the text.
    Format {},
    /// Makes an edit of a text that was read.
    Edit {
        /// The revision of the text that was edited.
        base: Revision,
        /// The edited text.
        #[serde(with = "as_text")]
        text: Cow<'a, [u8]>,
        /// True if it is merged with the changes of others meanwhile.
        #[serde(default)]
        merge: bool,
    },
    /// Makes the text before a change the configuration again.
    Rollback(ChangeRef),
}

impl From<ChangeRequest> for RequestedChange<'_> {
    fn from(request: ChangeRequest) -> Self {
        Self::Modify(Cow::Owned(request))
    }
}

impl RequestedChange<'_> {
    /// The request that is evaluated on what is there; `None` for a whole text.
    pub fn request(&self) -> Option<&ChangeRequest> {
        match self {
            Self::Modify(request) => Some(request),
            _ => None,
        }
    }
}

/// A text as a string of JSON. What is no UTF-8 has errors, wherever it is read.
mod as_text {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(text: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&String::from_utf8_lossy(text))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, [u8]>, D::Error> {
        Ok(String::deserialize(from)?.into_bytes().into())
    }
}
