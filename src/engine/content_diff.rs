//! The unified diff of two configurations, secrets masked.
//!
//! Texts are compared by their lines. Where one of the two is only known as JSON, both are compared as
//! indented JSON.

use mediaconf::plumbing::schema::media::STREAMS;
use std::collections::HashSet;
use std::convert::Infallible;
use std::ops::Range;

use serde_json::{Map, Value, json};

use super::content::Content;
use mediaconf::plumbing::edit::{
    DiffLine, Hunk, hunks_of_splices, hunks_of_streams, hunks_of_texts, printed,
};
use mediaconf::plumbing::model::{MaskedText, Masker, masked_json};
use mediaconf::plumbing::syntax::{ChangedRun, Document, Splice};

/// The difference between two configurations.
pub struct ContentDiff<'c> {
    old: DiffSide<'c>,
    new: DiffSide<'c>,
    hunks: Vec<Hunk>,
    masker: Option<Masker>,
}

/// The source of the lines of one side.
enum DiffSide<'c> {
    Text(&'c Document),
    /// The parts of a text that an edit touches: all lines that it adds are in them.
    Runs(Vec<ChangedRun>),
    /// Indented JSON, masked already.
    Json(String),
}

impl<'c> ContentDiff<'c> {
    /// Compares two configurations; without a masker secrets are shown.
    pub fn between(old: &'c Content, new: &'c Content, masker: Option<Masker>) -> Self {
        match (old, new) {
            (Content::Text(old), Content::Text(new)) => {
                Self::between_texts(old.document(), new.document(), masker)
            }
            _ => Self::between_json(&old.to_json(), &new.to_json(), masker),
        }
    }

    /// Compares two texts.
    pub fn between_texts(old: &'c Document, new: &'c Document, masker: Option<Masker>) -> Self {
        let hunks = hunks_of_texts(old.text(), new.text());
        Self { old: DiffSide::Text(old), new: DiffSide::Text(new), hunks, masker }
    }

    /// Compares the streams of these names in two configurations.
    pub fn of_streams(
        old: &'c Content,
        new: &'c Content,
        names: &HashSet<String>,
        masker: Option<Masker>,
    ) -> Self {
        if let (Content::Text(old), Content::Text(new)) = (old, new) {
            let (old, new) = (old.document(), new.document());
            let hunks = hunks_of_streams(old, new, names);
            return Self { old: DiffSide::Text(old), new: DiffSide::Text(new), hunks, masker };
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

    /// The difference that an edit makes; the text as a whole is not compared.
    pub fn of_edit(old: &'c Document, splices: &[Splice], masker: Option<Masker>) -> Self {
        let hunks = hunks_of_splices(old.text(), splices);
        let new = DiffSide::Runs(old.changed_runs(splices));
        Self { old: DiffSide::Text(old), new, hunks, masker }
    }

    /// Compares two values, secrets masked already.
    pub fn between_values(old: &Value, new: &Value) -> Self {
        Self::between_json(old, new, None)
    }

    fn between_json(old: &Value, new: &Value, masker: Option<Masker>) -> Self {
        let text = |value: &Value| match &masker {
            Some(masker) => format!("{:#}\n", masked_json(value, masker)),
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
        let count = |is: fn(&DiffLine) -> bool| self.lines().filter(|line| is(line)).count();
        [count(|line| matches!(line, DiffLine::Added(_))), count(|line| matches!(line, DiffLine::Removed(_)))]
    }

    /// The lines of a unified diff, from the first `@@` on; the first character of a line says what it
    /// is.
    pub fn printed(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let taken: Result<(), Infallible> = self.each_line(&mut |line| {
            lines.push(line);
            Ok(())
        });
        let Ok(()) = taken;
        lines
    }

    /// Gives each of these lines to `take`, and keeps none: together they can be larger than both texts.
    ///
    /// # Errors
    /// The first of `take`.
    pub fn each_line<E>(&self, take: &mut dyn FnMut(String) -> Result<(), E>) -> Result<(), E> {
        let old_lines = self.lines().filter_map(|line| match line {
            DiffLine::Context { old, .. } | DiffLine::Removed(old) => Some(old.clone()),
            DiffLine::Added(_) => None,
        });
        let new_lines = self.lines().filter_map(|line| match line {
            DiffLine::Added(new) => Some(new.clone()),
            DiffLine::Context { .. } | DiffLine::Removed(_) => None,
        });
        let old = self.old.shown_line(old_lines.collect(), self.masker.as_ref());
        let new = self.new.shown_line(new_lines.collect(), self.masker.as_ref());
        printed(&self.hunks, &old, &new).try_for_each(take)
    }

    fn lines(&self) -> impl Iterator<Item = &DiffLine> {
        self.hunks.iter().flat_map(|hunk| &hunk.lines)
    }
}

impl DiffSide<'_> {
    /// Returns a function that renders a line of this side; `lines` are those that it will get, in order.
    fn shown_line<'s>(
        &'s self,
        lines: Vec<Range<usize>>,
        masker: Option<&Masker>,
    ) -> Box<dyn Fn(Range<usize>) -> String + 's> {
        match self {
            Self::Json(text) => Box::new(|line| text[line].to_owned()),
            Self::Text(document) => {
                let text = MaskedText::new(document, masker.cloned(), lines);
                Box::new(move |line| text.line(line))
            }
            Self::Runs(runs) => {
                let mut lines = lines.into_iter().peekable();
                let mut texts = Vec::new();
                for ChangedRun { start, document, .. } in runs {
                    let end = start + document.text().len();
                    let inside = std::iter::from_fn(|| lines.next_if(|line| line.end <= end));
                    let windows = inside.map(|line| line.start - start..line.end - start).collect();
                    texts.push((*start, MaskedText::new(document, masker.cloned(), windows)));
                }
                Box::new(move |line| {
                    let run = texts.partition_point(|(start, _)| *start <= line.start) - 1;
                    let (start, text) = &texts[run];
                    text.line(line.start - start..line.end - start)
                })
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
