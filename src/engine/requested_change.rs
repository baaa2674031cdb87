//! Any change, as data: what a command asks a service for, what is sent to a server, and what the journal of a fleet
//! keeps.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::change_report::ChangeReport;
use super::new_text::NewText;
use super::options::ChangeOptions;
use super::refusal::Refusal;
use super::service::ConfigService;
use crate::store::{ChangeRef, HistoryEntry, Revision};
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
    /// The same change by the serial number of what it goes back to, because another change would shift the number
    /// that counts back; also returns that entry of the history.
    ///
    /// # Errors
    /// As the service.
    pub fn pinned(
        &self,
        service: &dyn ConfigService,
    ) -> Result<Option<(RequestedChange<'static>, HistoryEntry)>, Refusal> {
        let Self::Rollback(which) = self else { return Ok(None) };
        let entry = service.history(which.entries())?.into_iter().find(|entry| entry.is(*which));
        Ok(entry.map(|entry| (RequestedChange::Rollback(ChangeRef::Serial(entry.serial)), entry)))
    }

    /// Makes the change, or rehearses it.
    ///
    /// # Errors
    /// As the service.
    pub fn make(
        &self,
        service: &dyn ConfigService,
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Refusal> {
        match self {
            Self::Modify(request) => service.modify(request, options),
            Self::Save(text) => service.save(&NewText::Whole(Cow::Borrowed(text)), options),
            Self::Update(text) => service.update(text, options),
            Self::Format {} => service.save(&NewText::Formatted, options),
            Self::Edit { base, text, merge } => {
                let text = Cow::Borrowed(&**text);
                service.save(&NewText::Edited { base: *base, text, merges: *merge }, options)
            }
            Self::Rollback(to) => service.rollback(*to, options),
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
