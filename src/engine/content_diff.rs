//! The unified diff of two configurations, secrets masked.
//!
//! Texts are compared by their lines. Where one of the two is only known as JSON, both are compared as
//! indented JSON.

use mediaconf::{Kind, Masker, unified_diff};
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::content::Content;
use super::snapshot::Snapshot;

/// The difference between two configurations.
#[derive(Debug, Default)]
pub struct ContentDiff {
    /// The lines of a unified diff, from the first `@@` on; the first character of each says what it is.
    pub lines: Vec<String>,
    /// True if the configurations were compared as JSON, which users have to know.
    pub is_of_json: bool,
}

impl ContentDiff {
    /// Compares two configurations; without a masker secrets are shown.
    pub fn between(old: &Content, new: &Content, masker: Option<Masker>) -> Self {
        match (old, new) {
            (Content::Text(old), Content::Text(new)) => Self::between_texts([old, new], masker),
            _ => Self::between_json(&old.to_json(), &new.to_json(), masker),
        }
    }

    /// Compares two texts.
    pub fn between_texts([old, new]: [&Arc<Snapshot>; 2], masker: Option<Masker>) -> Self {
        let lines = old.document().unified_diff(new.document(), masker.as_ref());
        Self { lines, is_of_json: false }
    }

    /// Compares the streams of these names in two configurations.
    pub fn of_streams(old: &Content, new: &Content, names: &HashSet<String>, masker: Option<Masker>) -> Self {
        if let (Content::Text(old), Content::Text(new)) = (old, new) {
            let lines = old.document().unified_diff_of_streams(new.document(), names, masker.as_ref());
            return Self { lines, is_of_json: false };
        }
        let [old, new] = [old, new].map(|side| {
            let mut whole = side.to_json();
            let mut streams = whole[Kind::Streams.key()].take();
            if let Some(streams) = streams.as_object_mut() {
                streams.retain(|name, _| names.contains(name));
            }
            json!({ Kind::Streams.key(): streams })
        });
        Self::between_json(&old, &new, masker)
    }

    /// Compares two values, secrets masked already.
    pub fn between_values(old: &Value, new: &Value) -> Self {
        Self::between_json(old, new, None)
    }

    fn between_json(old: &Value, new: &Value, masker: Option<Masker>) -> Self {
        let text = |value: &Value| match &masker {
            Some(masker) => format!("{:#}\n", masker.json(value)),
            None => format!("{value:#}\n"),
        };
        Self { lines: unified_diff(&text(old), &text(&in_order_of(new, old))), is_of_json: true }
    }

    /// Returns the number of lines that only the new side has, and of those that only the old side has.
    pub fn added_and_removed(&self) -> [usize; 2] {
        ['+', '-'].map(|sign| self.lines.iter().filter(|line| line.starts_with(sign)).count())
    }
}

/// Returns the value with its members in the order of another value: servers differ in the order,
/// which means nothing.
fn in_order_of(value: &Value, like: &Value) -> Value {
    let (Value::Object(members), Value::Object(order)) = (value, like) else { return value.clone() };
    let known =
        order.iter().filter_map(|(key, like)| Some((key.clone(), in_order_of(members.get(key)?, like))));
    let others = members.iter().filter(|(key, _)| !order.contains_key(*key));
    Value::Object(Map::from_iter(known.chain(others.map(|(key, value)| (key.clone(), value.clone())))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ContentDiff;

    #[test]
    fn the_order_of_members_is_no_difference() {
        let old = json!({"a": 1, "b": {"x": 1, "y": 2}});
        let diff = ContentDiff::between_json(&old, &json!({"b": {"y": 2, "x": 1}, "a": 1}), None);
        assert!(diff.lines.is_empty());
        let diff = ContentDiff::between_json(&old, &json!({"c": 3, "b": {"y": 2, "x": 5}, "a": 1}), None);
        assert_eq!(diff.added_and_removed(), [3, 2]);
    }
}
