//! Secrets are kept from messages.

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
