//! The features that a server may offer beside the four operations that every server of this API has.

use crate::error::{Error, ErrorKind};

/// A feature of a server, beside the four operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// `dry_run=true` changes nothing.
    DryRun,
    /// `If-Match` is obeyed.
    IfMatch,
    /// `source=saved` reads the file.
    Saved,
    /// `format=conf` gives text instead of JSON.
    Conf,
    /// `force=true` accepts guards and conflicts.
    Force,
    /// `accept=NAME,…` accepts single guards.
    Accept,
    /// `command=NAME` goes into the history.
    Command,
    /// `message=TEXT` goes into the history.
    Message,
    /// `history` lists earlier texts, and `rollback_config` goes back to one.
    History,
    /// `change=ID` makes a change once, and the history has the id of each.
    ChangeIds,
    /// `confirm=SECONDS` makes a change that has to be confirmed.
    Confirm,
    /// `strict=true` refuses a change that brings warnings.
    Strict,
    /// `included` gives the files that the configuration includes.
    Included,
    /// `change` evaluates a request and answers with what it did.
    Change,
    /// `check_config` finds the faults of a text, an entry or a patch.
    Check,
    /// `save_entry` replaces the text of one entry, and `path` reads one.
    Entry,
    /// `change` replaces the texts of several entries, and changes values with them.
    Entries,
    /// `status` shows the state of the configuration, and waits for another one.
    Status,
    /// `diff` compares two texts, and `format=diff` shows what a change changes.
    Diff,
    /// `openapi.json` describes the API.
    OpenApi,
    /// `blame` finds the changes of a value.
    Blame,
    /// `base=REVISION` merges a change with what others made of that text meanwhile.
    Base,
    /// `secrets=masked` masks secrets.
    Secrets,
}

/// All features, in the order of the header.
pub const FEATURES: &[Feature] = &[
    Feature::DryRun,
    Feature::IfMatch,
    Feature::Saved,
    Feature::Conf,
    Feature::Force,
    Feature::Accept,
    Feature::Message,
    Feature::Command,
    Feature::History,
    Feature::ChangeIds,
    Feature::Confirm,
    Feature::Strict,
    Feature::Included,
    Feature::Change,
    Feature::Check,
    Feature::Entry,
    Feature::Entries,
    Feature::Status,
    Feature::Diff,
    Feature::OpenApi,
    Feature::Blame,
    Feature::Base,
    Feature::Secrets,
];

impl Feature {
    /// The word in the header that lists the features.
    pub fn word(self) -> &'static str {
        self.words().0
    }

    /// The feature in a sentence.
    pub fn noun(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::DryRun => ("dry-run", "dry runs"),
            Self::IfMatch => ("if-match", "conditional changes"),
            Self::Saved => ("saved", "the saved configuration"),
            Self::Conf => ("conf", "the text of the configuration"),
            Self::Force => ("force", "forced changes"),
            Self::Accept => ("accept", "accepting single guards"),
            Self::Command => ("command", "the names of commands"),
            Self::Message => ("message", "messages"),
            Self::History => ("history", "a history"),
            Self::ChangeIds => ("change-ids", "ids of changes"),
            Self::Confirm => ("confirm", "changes that have to be confirmed"),
            Self::Strict => ("strict", "refusing new warnings"),
            Self::Included => ("included", "the files that it includes"),
            Self::Change => ("change", "requests that it evaluates itself"),
            Self::Check => ("check", "checks of texts"),
            Self::Entry => ("entry", "the text of single entries"),
            Self::Entries => ("entries", "the texts of several entries at once"),
            Self::Status => ("status", "its state"),
            Self::Diff => ("diff", "differences"),
            Self::OpenApi => ("openapi", "a description of its API"),
            Self::Blame => ("blame", "the changes of a value"),
            Self::Base => ("base", "merging a change with those of others"),
            Self::Secrets => ("secrets", "masked secrets"),
        }
    }
}

impl Error {
    /// The server lacks a feature; nothing was sent that relies on it.
    pub fn not_offered(service: &str, feature: Feature) -> Self {
        let message = format!("the server at `{service}` does not offer {}", feature.noun());
        Self::new(ErrorKind::NotOffered, message).hint("nothing that needs it was sent to this server")
    }
}
