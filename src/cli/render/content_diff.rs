//! A configuration as a command got it: with its text, or from another server as JSON alone.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::cli::render::text_diff::{Counts, TextDiff};
use crate::cli::ui::Ui;
use crate::edit::text_diff::{Hunk, hunks_of_texts, printed};
use crate::engine::Snapshot;
use crate::model::redact::masked_json;
use crate::model::{Lens, Masker, View, top_members};

/// A configuration.
#[derive(Debug)]
pub enum Content {
    /// With its text.
    Text(Arc<Snapshot>),
    /// As the answer to `read_config`.
    Json(Value),
}

impl Content {
    /// The answer to `read_config`, nothing masked.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Text(snapshot) => {
                let members = top_members(snapshot.document());
                let lens = Lens::default();
                serde_json::to_value(View::new(&members, &lens)).expect("a view is JSON")
            }
        }
    }
}

/// How two configurations differ, ready to be printed.
pub enum ContentDiff<'c> {
    /// By their text.
    Text(TextDiff<'c>),
    /// By their JSON, since one of them has no text.
    Json(JsonDiff),
}

impl<'c> ContentDiff<'c> {
    /// The diff; of JSON the secrets are masked here already.
    pub fn of(old: &'c Content, new: &'c Content, masker: Option<&Masker>) -> Self {
        match (old, new) {
            (Content::Text(old), Content::Text(new)) => {
                Self::Text(TextDiff::of_texts(old.document(), new.document()))
            }
            _ => Self::Json(JsonDiff::of(&old.to_json(), &new.to_json(), masker)),
        }
    }

    /// Whether it is of the JSON, which is to be said.
    pub fn is_of_json(&self) -> bool {
        matches!(self, Self::Json(_))
    }

    /// Whether there is no difference.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(diff) => diff.is_empty(),
            Self::Json(diff) => diff.hunks.is_empty(),
        }
    }

    /// How many lines differ.
    pub fn counts(&self) -> Counts {
        match self {
            Self::Text(diff) => diff.counts(),
            Self::Json(diff) => Counts::of(&diff.hunks),
        }
    }

    /// Prints the diff.
    pub fn print(
        &self,
        names: [&str; 2],
        masker: Option<Masker>,
        ui: Ui,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self {
            Self::Text(diff) => diff.print(names, masker, ui, out),
            Self::Json(diff) => diff.print(names, ui, out),
        }
    }
}

/// The unified diff of two configurations as indented JSON.
pub struct JsonDiff {
    old: String,
    new: String,
    hunks: Vec<Hunk>,
}

impl JsonDiff {
    fn of(old: &Value, new: &Value, masker: Option<&Masker>) -> Self {
        let new = arranged(new, old);
        let text = |value: &Value| match masker {
            Some(masker) => format!("{:#}\n", masked_json(value, masker)),
            None => format!("{value:#}\n"),
        };
        let (old, new) = (text(old), text(&new));
        let hunks = hunks_of_texts(&old, &new);
        Self { old, new, hunks }
    }

    fn print(&self, names: [&str; 2], ui: Ui, out: &mut impl Write) -> io::Result<()> {
        let old = |line: std::ops::Range<usize>| self.old[line].to_owned();
        let new = |line: std::ops::Range<usize>| self.new[line].to_owned();
        printed(&self.hunks, names[0], names[1], &old, &new)
            .into_iter()
            .try_for_each(|(tag, line)| writeln!(out, "{}", ui.diff_line(tag, &line)))
    }
}

/// The value with its members in the order of another: servers differ in it, and it means nothing.
fn arranged(value: &Value, like: &Value) -> Value {
    let (Value::Object(members), Value::Object(order)) = (value, like) else { return value.clone() };
    let known = order.iter().filter_map(|(key, like)| Some((key.clone(), arranged(members.get(key)?, like))));
    let others = members.iter().filter(|(key, _)| !order.contains_key(*key));
    Value::Object(Map::from_iter(known.chain(others.map(|(key, value)| (key.clone(), value.clone())))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Counts, JsonDiff};

    #[test]
    fn the_order_of_members_is_no_difference() {
        let old = json!({"a": 1, "b": {"x": 1, "y": 2}});
        let diff = JsonDiff::of(&old, &json!({"b": {"y": 2, "x": 1}, "a": 1}), None);
        assert!(diff.hunks.is_empty());
        let diff = JsonDiff::of(&old, &json!({"c": 3, "b": {"y": 2, "x": 5}, "a": 1}), None);
        assert_eq!(Counts::of(&diff.hunks), Counts { added: 3, removed: 2 });
    }
}
