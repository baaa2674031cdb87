//! The side effects of a change that its patch does not show.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json_pointer::Pointer;
use super::surroundings::count_lines;
use super::sync::Sync;
use crate::schema::Parameter;
use crate::syntax::Entry;

/// A side effect of a change, which its patch does not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// `url: false` took extras with it.
    ExtrasDropped {
        /// The auth they belonged to.
        at: Pointer,
        /// The keys of the extras.
        keys: Vec<String>,
    },
    /// Comment lines above a removed entry were kept.
    CommentsKept {
        /// The first words of the removed entry.
        above: String,
        /// The number of comment lines.
        lines: usize,
    },
    /// A port of `http` was removed together with its block.
    PortOptionsDropped {
        /// The port, as it stands in the text.
        port: String,
    },
    /// The number of settings that a desired state lacks in the entries that it names; they stay.
    SettingsLacking(usize),
}

impl Note {
    /// The number of settings that a desired state lacks, if it is about that.
    pub fn settings_lacking(&self) -> usize {
        if let Self::SettingsLacking(count) = self { *count } else { 0 }
    }
}

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
