//! The unified diff of two configurations, secrets masked.
//!
//! Texts are compared by their lines. Where one of the two is only known as JSON, both are compared as
//! indented JSON.

use mediaconf::plumbing::schema::media::STREAMS;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::content::Content;
use super::snapshot::Snapshot;
use mediaconf::plumbing::model::{MaskedText, Masker};
use mediaconf::plumbing::show::{Hunk, hunks_of_splices, hunks_of_streams, hunks_of_texts, printed};
use mediaconf::plumbing::syntax::{Document, Splice};

/// The difference between two configurations.
#[derive(Debug)]
pub struct ContentDiff {
    old: DiffSide,
    new: DiffSide,
    hunks: Vec<Hunk>,
    masker: Option<Masker>,
}

/// The source of the lines of one side.
#[derive(Debug)]
enum DiffSide {
    Text(Arc<Snapshot>),
    /// Indented JSON, masked already.
    Json(String),
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
    pub fn between_texts(texts: [&Arc<Snapshot>; 2], masker: Option<Masker>) -> Self {
        Self::of_texts(texts, masker, |old, new| hunks_of_texts(old.text(), new.text()))
    }

    fn of_texts(
        [old, new]: [&Arc<Snapshot>; 2],
        masker: Option<Masker>,
        hunks: impl FnOnce(&Document, &Document) -> Vec<Hunk>,
    ) -> Self {
        let hunks = hunks(old.document(), new.document());
        let [old, new] = [old, new].map(|text| DiffSide::Text(text.clone()));
        Self { old, new, hunks, masker }
    }

    /// Compares the streams of these names in two configurations.
    pub fn of_streams(old: &Content, new: &Content, names: &HashSet<String>, masker: Option<Masker>) -> Self {
        if let (Content::Text(old), Content::Text(new)) = (old, new) {
            return Self::of_texts([old, new], masker, |old, new| hunks_of_streams(old, new, names));
        }
        let [old, new] = [old, new].map(|side| {
            let mut whole = side.to_json();
            let mut streams = whole[STREAMS.key()].take();
            if let Some(streams) = streams.as_object_mut() {
                streams.retain(|name, _| names.contains(name));
            }
            json!({ STREAMS.key(): streams })
        });
        Self::between_json(&old, &new, masker)
    }

    /// The difference that an edit makes; the texts as a whole are not compared.
    pub fn of_edit(texts: [&Arc<Snapshot>; 2], splices: &[Splice], masker: Option<Masker>) -> Self {
        Self::of_texts(texts, masker, |old, new| hunks_of_splices(old.text(), new.text(), splices))
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
        let (old, new) = (text(old), text(&in_order_of(new, old)));
        let hunks = hunks_of_texts(&old, &new);
        Self { old: DiffSide::Json(old), new: DiffSide::Json(new), hunks, masker }
    }

    /// True if the configurations were compared as JSON, which users have to know.
    pub fn is_of_json(&self) -> bool {
        matches!(self.old, DiffSide::Json(_))
    }

    /// True if no line differs.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Returns the number of lines that only the new side has, and of those that only the old side has.
    pub fn added_and_removed(&self) -> [usize; 2] {
        let counts = self.hunks.iter().map(Hunk::added_and_removed);
        counts.fold([0, 0], |[added, removed], [more, less]| [added + more, removed + less])
    }

    /// Gives each line of a unified diff to `take`, from the first `@@` on, and keeps none: together they can be larger
    /// than both texts. The first character of a line says what it is.
    ///
    /// # Errors
    /// The first of `take`.
    pub fn each_line<E>(&self, take: &mut dyn FnMut(String) -> Result<(), E>) -> Result<(), E> {
        let windows =
            |of: fn(&Hunk) -> &Range<usize>| self.hunks.iter().map(|hunk| of(hunk).clone()).collect();
        let old = self.old.shown_line(windows(|hunk| &hunk.old), self.masker.as_ref());
        let new = self.new.shown_line(windows(|hunk| &hunk.new), self.masker.as_ref());
        printed(&self.hunks, [self.old.text(), self.new.text()], &old, &new).try_for_each(take)
    }
}

impl DiffSide {
    fn text(&self) -> &str {
        match self {
            Self::Text(snapshot) => snapshot.document().text(),
            Self::Json(text) => text,
        }
    }

    /// Returns a function that renders a line of this side; all that it will get are in `windows`.
    fn shown_line<'s>(
        &'s self,
        windows: Vec<Range<usize>>,
        masker: Option<&Masker>,
    ) -> Box<dyn Fn(Range<usize>) -> String + 's> {
        match self {
            Self::Json(text) => Box::new(|line| text[line].to_owned()),
            Self::Text(snapshot) => {
                let text = MaskedText::new(snapshot.document(), masker.cloned(), windows);
                Box::new(move |line| text.line(line))
            }
        }
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
        assert!(diff.is_empty());
        let diff = ContentDiff::between_json(&old, &json!({"c": 3, "b": {"y": 2, "x": 5}, "a": 1}), None);
        assert_eq!(diff.added_and_removed(), [3, 2]);
    }
}
