//! A configuration for those who may see no secret.

use std::sync::{Arc, OnceLock};

use super::snapshot::Snapshot;
use mediaconf::{Config, Document, Lens, Masker, SecretValues};

impl Snapshot {
    /// The text with masks in the place of its secrets. Its JSON and its values are those of the masked text.
    #[must_use]
    pub fn masked(&self, masker: &Masker) -> Self {
        Self::from_document(Document::parse(masker.document(self.document())))
    }
}

/// A masked configuration with the answers that are made of it, each when it is first asked for.
#[derive(Debug)]
pub struct MaskedConfig {
    /// The masked text.
    pub snapshot: Snapshot,
    text: OnceLock<Arc<Vec<u8>>>,
    json_of_others: OnceLock<Arc<Vec<u8>>>,
}

impl MaskedConfig {
    /// Masks a configuration.
    pub fn new(snapshot: &Snapshot, masker: &Masker) -> Self {
        Self { snapshot: snapshot.masked(masker), text: OnceLock::new(), json_of_others: OnceLock::new() }
    }

    /// The text.
    pub fn text(&self) -> Arc<Vec<u8>> {
        self.text.get_or_init(|| Arc::new(self.snapshot.bytes().to_vec())).clone()
    }

    /// The whole configuration on one line of JSON; only of a text without errors.
    pub fn json(&self, skip_static_streams: bool) -> Arc<Vec<u8>> {
        if !skip_static_streams {
            return self.snapshot.json().clone();
        }
        self.json_of_others.get_or_init(|| Arc::new(json_of_others(&self.snapshot))).clone()
    }
}

/// The configuration without its static streams, on one line of JSON.
pub fn json_of_others(snapshot: &Snapshot) -> Vec<u8> {
    let lens = Lens { skip_static_streams: true, ..Lens::default() };
    let config = Config::from_members(snapshot.members(), lens);
    serde_json::to_vec(&config.view()).expect("a view is JSON")
}

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
