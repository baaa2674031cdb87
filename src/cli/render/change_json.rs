//! A change as `-o change-json` prints it, for programs. The shape is stable.

use serde::Serialize;
use serde_json::Value;

use crate::engine::ChangeReport;
use crate::http::notes::word_of;
use crate::store::{PendingInfo, Revision};
use mediaconf::plumbing::edit::Pointer;
use mediaconf::plumbing::merge::ChangedValue;
use mediaconf::plumbing::model::Masker;
use mediaconf::plumbing::show::Effects;

/// A change that was made or rehearsed.
#[derive(Debug, Serialize)]
pub struct ChangeJson<'a> {
    /// True if something changed, or would change.
    changed: bool,
    /// The name of the command.
    operation: &'static str,
    /// The path of the file, or the URL of the server.
    target: &'a str,
    /// The revision of the text afterwards; `None` if the text is not known.
    revision: Option<Revision>,
    paths: Vec<ChangedPath>,
    lines_added: usize,
    lines_removed: usize,
    effects: EffectsJson<'a>,
    /// The words of `Mediactl-Note`.
    notes: Vec<String>,
    /// The failures that did not stop the change, and the warnings of `check` that it brings.
    warnings: Vec<String>,
    /// The change, if it has to be confirmed.
    pending: Option<&'a PendingInfo>,
}

/// The effects of the change on streams.
#[derive(Debug, Serialize)]
struct EffectsJson<'a> {
    /// In words; `null` for none.
    summary: Option<String>,
    #[serde(flatten)]
    counts: &'a Effects,
}

/// One value that changed.
#[derive(Debug, Serialize)]
struct ChangedPath {
    /// Its place (RFC 6901).
    pointer: String,
    /// The value before; `null` for none.
    before: Option<Value>,
    /// The value afterwards; `null` for none.
    after: Option<Value>,
}

impl<'a> ChangeJson<'a> {
    /// The change that a command made of a target. Without a masker secrets are shown.
    pub fn new(
        (operation, target): (&'static str, &'a str),
        change: &'a ChangeReport,
        masker: Option<&Masker>,
    ) -> Self {
        let masked = |text: String| masker.map_or(text.clone(), |masker| masker.prose(&text).into_owned());
        let new_warnings = change.new_warnings.iter().map(|warning| masked(warning.to_string()));
        Self {
            changed: change.changed,
            operation,
            target,
            revision: change.after,
            paths: change.values.iter().map(|value| ChangedPath::new(value.clone(), masker)).collect(),
            lines_added: change.lines_added,
            lines_removed: change.lines_removed,
            effects: EffectsJson { summary: change.effects.in_words(), counts: &change.effects },
            notes: change.notes.iter().map(word_of).collect(),
            warnings: change.warnings.iter().cloned().chain(new_warnings).collect(),
            pending: change.pending.as_ref(),
        }
    }
}

impl ChangedPath {
    fn new(changed: ChangedValue, masker: Option<&Masker>) -> Self {
        let ChangedValue { keys, before, after } = match masker {
            Some(masker) => changed.masked(masker),
            None => changed,
        };
        Self { pointer: Pointer::from_keys(keys).as_str().to_owned(), before, after }
    }
}
