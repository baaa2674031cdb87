//! What an assignment is, what it asks for at one place, and what can be wrong with it.

use std::fmt;

use serde_json::Value;

use crate::edit::path::Path;

/// One assignment: a place, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The place, or with `*` several.
    pub path: Path,
    /// What is to be there.
    pub value: AssignedValue,
}

/// What an assignment makes of its place.
#[derive(Clone, PartialEq, Eq)]
pub enum AssignedValue {
    /// `--set PATH=VALUE`: the text, typed by the schema.
    Typed(String),
    /// `--set-string PATH=VALUE`: always a string.
    Text(String),
    /// `--set-file PATH=FILE`: the content of a file, of which one line end at the end is left out;
    /// a string where the place takes strings, else typed.
    File(String),
    /// `--unset PATH`: nothing.
    Remove,
}

/// Shows no value, which may be a secret.
impl fmt::Debug for AssignedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Typed(_) => "Typed(…)",
            Self::Text(_) => "Text(…)",
            Self::File(_) => "File(…)",
            Self::Remove => "Remove",
        })
    }
}

/// What assignments may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssignOptions {
    /// `--create`: below a stream, live or plugin that is not there yet, which makes it.
    pub create: bool,
    /// `--ignore-missing`: remove what is not there, which comes to nothing.
    pub ignore_missing: bool,
    /// `--accept form-change`: write one quoted word where a directive has several.
    pub one_word: bool,
}

/// One value for one place.
#[derive(Debug, Clone)]
pub struct PathEdit {
    /// The place, without `*`.
    pub path: Path,
    /// What is to be there; null for nothing.
    pub value: Value,
    /// Whether nothing there is a fault: `--unset`, not `--set PATH=null`.
    pub is_unset: bool,
}

impl PathEdit {
    /// Whether it removes.
    pub fn removes(&self) -> bool {
        self.value.is_null()
    }
}
