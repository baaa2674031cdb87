//! A change as `-o change-json` prints it, for programs. The shape is stable.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::engine::{Content, Outcome, PendingInfo};
use crate::http::protocol::notes::word_of;
use mediaconf::edit::Pointer;
use mediaconf::edit::effects::Effects;
use mediaconf::edit::json_diff::{ChangedValue, changed_values};
use mediaconf::model::Masker;
use mediaconf::model::redact::{masked_below, masked_keys};

/// A change that was made or rehearsed.
#[derive(Debug, Serialize)]
pub struct ChangeJson<'a> {
    /// Whether something changed, or would change.
    changed: bool,
    /// The name of the command.
    operation: &'static str,
    /// The path of the file, or the URL of the server.
    target: &'a str,
    /// The revision of the text afterwards; none where the text is not known.
    revision: Option<String>,
    paths: Vec<ChangedPath>,
    lines_added: usize,
    lines_removed: usize,
    effects: EffectsJson,
    /// The words of `Mediactl-Note`.
    notes: Vec<String>,
    /// What went wrong without stopping the change, and the warnings of `check` that it brings.
    warnings: Vec<String>,
    /// The change, if it has to be confirmed.
    pending: Option<&'a PendingInfo>,
}

/// What the change does to streams.
#[derive(Debug, Serialize)]
struct EffectsJson {
    /// In words; `null` for none.
    summary: Option<String>,
    #[serde(flatten)]
    counts: Effects,
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
    /// The change that a command made of a target; `lines` is how many were added and removed. Without
    /// a masker secrets are shown.
    pub fn new(
        (operation, target): (&'static str, &'a str),
        outcome: &'a Outcome,
        [lines_added, lines_removed]: [usize; 2],
        masker: Option<&Masker>,
    ) -> Self {
        let (after, effects) = (outcome.after(), outcome.effects());
        let changed = match outcome.is_change() {
            true => changed_values(&view(outcome.before.as_ref()), &view(after)),
            false => Vec::new(),
        };
        let masked = |text: String| masker.map_or(text.clone(), |masker| masker.prose(&text).into_owned());
        let new_warnings = outcome.new_warnings.iter().map(|warning| masked(warning.to_string()));
        Self {
            changed: outcome.is_change(),
            operation,
            target,
            revision: after.and_then(Content::snapshot).map(|after| after.revision().to_string()),
            paths: changed.into_iter().map(|changed| ChangedPath::new(changed, masker)).collect(),
            lines_added,
            lines_removed,
            effects: EffectsJson { summary: effects.in_words(), counts: effects },
            notes: outcome.notes.iter().map(word_of).collect(),
            warnings: outcome.warnings.iter().cloned().chain(new_warnings).collect(),
            pending: outcome.pending.as_ref(),
        }
    }
}

impl ChangedPath {
    fn new(ChangedValue { keys, before, after }: ChangedValue, masker: Option<&Masker>) -> Self {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let Some(masker) = masker else {
            return Self { pointer: Pointer::of(keys).as_str().to_owned(), before, after };
        };
        let masked = |value: Option<Value>| value.map(|value| masked_below(&keys, &value, masker));
        let pointer = Pointer::of(masked_keys(&keys, masker)).as_str().to_owned();
        Self { pointer, before: masked(before), after: masked(after) }
    }
}

/// A configuration as JSON; empty where there is none, or one with errors.
fn view(content: Option<&Content>) -> Value {
    content.filter(|content| content.is_valid()).map_or(Value::Object(Map::new()), Content::to_json)
}
