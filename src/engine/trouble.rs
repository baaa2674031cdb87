//! The message of a failure, by reader: secrets and the output of hooks are kept from those who may not
//! see them.

use std::sync::Arc;

use super::snapshot::Snapshot;
use mediaconf::plumbing::model::{Masker, SecretValues};

/// Returns free text, such as the output of a hook, without the secrets of configurations.
pub fn without_secrets<'s>(text: &str, of: impl IntoIterator<Item = &'s Arc<Snapshot>>) -> String {
    let secrets = SecretValues::collect(of.into_iter().map(|text| text.document()));
    secrets.masked(text, &Masker::default()).into_owned()
}

/// Returns the message of a change without the secrets of configurations. Secrets that only their form
/// shows are masked when the message is shown.
pub fn message_without_secrets<'s>(message: &str, of: impl IntoIterator<Item = &'s Arc<Snapshot>>) -> String {
    let secrets = SecretValues::collect(of.into_iter().map(|text| text.document()));
    secrets.masked_values(message, &Masker::default()).into_owned()
}

/// A failure that came after the response, in words for each role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// For those who may change the configuration.
    pub whole: String,
    /// For those who may only look: without what hooks printed.
    pub brief: String,
}

impl Trouble {
    /// A failure in words of this program.
    pub fn new(words: impl Into<String>) -> Self {
        let whole = words.into();
        Self { brief: whole.clone(), whole }
    }

    /// Both in other words.
    #[must_use]
    pub fn map(&self, words: impl Fn(&str) -> String) -> Self {
        Self { whole: words(&self.whole), brief: words(&self.brief) }
    }
}
