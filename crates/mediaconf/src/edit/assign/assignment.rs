//! Assignments, and the edits that they become.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::edit::config_lookup::ConfigLookup;
use crate::edit::path::Path;
use crate::edit::schema_path::Place;
use crate::edit::select::Expansion;
use crate::edit::substitution::Substitution;
use crate::edit::typed::{NULL, no_string, removal, string, typed};
use crate::schema::fault::Fault;

/// One `--set`, `--set-string`, `--set-file`, `--unset` or `--replace`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// One place, or with a pattern several.
    pub path: Path,
    /// The value, or its removal.
    pub value: AssignedValue,
}

/// The value that an assignment sets.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AssignedValue {
    /// `--set PATH=VALUE`: the text, typed by the schema; `null` removes.
    Typed(String),
    /// `--set-string PATH=VALUE`: always a string.
    Text(String),
    /// `--set-file PATH=FILE`: the content of a file without one line end at its end; a string where
    /// the place takes strings, else typed.
    File(String),
    /// `--unset PATH`: no value.
    Remove,
    /// `--replace PATH s/OLD/NEW/`: the present strings, with a part replaced.
    Replace(Substitution),
}

impl AssignedValue {
    /// True if it is `--unset PATH` or `--set PATH=null`.
    pub fn removes(&self) -> bool {
        matches!(self, Self::Remove) || matches!(self, Self::Typed(text) if text == NULL)
    }

    /// The text, where it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Typed(text) | Self::Text(text) | Self::File(text) => Some(text),
            Self::Remove | Self::Replace(_) => None,
        }
    }

    /// Returns its JSON value at `place`; null removes the value there.
    pub(super) fn at(&self, place: Place) -> Result<Value, Fault> {
        match self {
            Self::Remove => removal(place),
            Self::Replace(_) => Err(no_string()),
            Self::Text(text) => string(place, text),
            Self::File(text) => {
                let text = text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text);
                let is_text = place.is_text() || matches!(place, Place::BackendUrl);
                if is_text { string(place, text) } else { typed(place, text) }
            }
            Self::Typed(text) => typed(place, text),
        }
    }
}

/// Shows no value, which may be a secret.
impl fmt::Debug for AssignedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Typed(_) => "Typed(…)",
            Self::Text(_) => "Text(…)",
            Self::File(_) => "File(…)",
            Self::Remove => "Remove",
            Self::Replace(_) => "Replace(…)",
        })
    }
}

/// The permissions of assignments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssignOptions {
    /// `--create`: set values in streams, lives and plugins that do not exist yet, which makes them.
    pub create: bool,
    /// `--ignore-missing`: remove values that are not set, which changes nothing.
    pub ignore_missing: bool,
    /// `--accept form-change`: write one quoted word for a directive that has several words.
    pub one_word: bool,
    /// `--accept near-miss`: remove a value whose name looks misspelt.
    pub near_misses: bool,
}

/// One new value for one place.
#[derive(Debug, Clone)]
pub struct PathEdit {
    /// The place, without `*`.
    pub path: Path,
    /// The new value; null removes the value.
    pub value: Value,
    /// True if it is a fault if there is no value: for `--unset`, not for `--set PATH=null`.
    pub is_unset: bool,
}

/// The edits of one call, and their faults.
pub struct Assigner<'c> {
    pub current: &'c dyn ConfigLookup,
    pub expansion: Expansion<'c>,
    pub options: AssignOptions,
    pub faults: Vec<Fault>,
}

impl Assigner<'_> {
    /// Drops the edits that `refusal` has a fault for.
    pub fn refuse(&mut self, edits: &mut Vec<PathEdit>, mut refusal: impl FnMut(&PathEdit) -> Option<Fault>) {
        edits.retain(|edit| {
            let fault = refusal(edit);
            self.faults.extend(fault.iter().map(|fault| fault.clone().at(&edit.path)));
            fault.is_none()
        });
    }
}
