//! An assignment of the command line, and the edits that it becomes.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::edit::fault::Fault;
use crate::edit::path::Path;
use crate::edit::schema_path::{Place, with_key_of_sources};
use crate::edit::substitution::Substitution;
use crate::edit::typed::{NULL, no_string, removal, string, typed};

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
        match self {
            Self::Remove => true,
            Self::Typed(text) => text == NULL,
            Self::Text(_) | Self::File(_) | Self::Replace(_) => false,
        }
    }

    /// Returns its JSON value at `place`; null removes the value there.
    pub(super) fn at(&self, place: Place) -> Result<Value, Fault> {
        match self {
            Self::Remove => removal(place),
            Self::Replace(_) => Err(no_string()),
            Self::Text(text) => string(place, text),
            Self::File(text) => match without_newline(text) {
                text if place.is_text() || matches!(place, Place::BackendUrl) => string(place, text),
                text => typed(place, text),
            },
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

impl Assignment {
    /// The same, where it sets the only source by the keyword of the text, with the key of the sources.
    pub(super) fn with_key_of_sources(&self) -> Self {
        let sets = !self.value.removes() && !matches!(self.value, AssignedValue::Replace(_));
        let path = if sets { with_key_of_sources(&self.path).into_owned() } else { self.path.clone() };
        Self { path, value: self.value.clone() }
    }

    /// True if it is `--unset`.
    pub fn is_unset(&self) -> bool {
        matches!(self.value, AssignedValue::Remove)
    }
}

impl PathEdit {
    pub fn removes(&self) -> bool {
        self.value.is_null()
    }
}

/// Drops the edits that have a fault; each becomes a fault.
pub(super) fn without_misfits(
    edits: Vec<PathEdit>,
    faults_of_edits: Vec<Option<Fault>>,
    faults: &mut Vec<Fault>,
) -> Vec<PathEdit> {
    let mut kept = Vec::new();
    for (edit, fault) in edits.into_iter().zip(faults_of_edits) {
        match fault {
            Some(fault) => faults.push(fault.at(&edit.path)),
            None => kept.push(edit),
        }
    }
    kept
}

fn without_newline(text: &str) -> &str {
    text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text)
}
