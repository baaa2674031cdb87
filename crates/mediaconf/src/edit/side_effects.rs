//! Finds the notes of a change while its operations are collected.

use std::collections::HashSet;

use serde_json::Value;

use super::notes::Note;
use super::surroundings::count_lines;
use super::sync::Sync;
use crate::schema::Parameter;
use crate::schema::json_pointer::Pointer;
use crate::syntax::Entry;

impl<'d> Sync<'_, 'd> {
    pub(super) fn note_kept_comments(&mut self, entry: Entry<'d>) {
        let around = &self.around;
        if !around.begins_line(entry.start()) {
            return;
        }
        let own = around.own_comments(entry);
        let comments = around.attached_comments(own);
        if comments < own {
            let lines = count_lines(&self.document.text()[comments..own]);
            let above =
                entry.words().take(2).map(|word| word.value().into_owned()).collect::<Vec<_>>().join(" ");
            self.notes.push(Note::CommentsKept { above, lines });
        }
    }

    /// Notes the options that go because `false` takes the place of the address.
    pub(super) fn note_options_dropped(
        &mut self,
        row: &Parameter,
        current: Option<&Value>,
        target: Option<&Value>,
        pointer: &Pointer,
    ) {
        let (Some(shape), Some(current), Some(target)) = (row.codec.facts().address, current, target) else {
            return;
        };
        if target.get(shape.address) != Some(&Value::Bool(false)) {
            return;
        }
        let kept: HashSet<&String> = shape.options_of(target).map(|(key, _)| key).collect();
        let keys = shape.options_of(current).map(|(key, _)| key);
        let dropped: Vec<String> = keys.filter(|key| !kept.contains(key)).cloned().collect();
        if !dropped.is_empty() {
            self.notes.push(Note::ExtrasDropped { at: pointer.clone(), keys: dropped });
        }
    }
}
