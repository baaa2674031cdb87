//! Why a path, or the value given for it, does not fit the schema or the configuration.

use thiserror::Error;

use super::path::Path;
use super::shown_path::shown;

/// Why a path, or the value given for it, does not fit; holds nothing of the value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Misfit {
    /// Lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    pub kind: MisfitKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MisfitKind {
    /// The path is wrong or ambiguous, or the value is wrong.
    Unfit,
    /// The path is right, and the configuration has nothing there.
    Absent,
}

impl Misfit {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, kind: MisfitKind::Unfit }
    }

    pub fn absent(message: impl Into<String>) -> Self {
        Self { kind: MisfitKind::Absent, ..Self::new(message) }
    }

    /// Makes an absence an error also where absences are accepted.
    #[must_use]
    pub fn unfit(self) -> Self {
        Self { kind: MisfitKind::Unfit, ..self }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A misfit, and the path that has it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{path}`: {misfit}")]
pub struct PathFault {
    /// The path without the secrets in it, and without a value.
    pub path: String,
    pub misfit: Misfit,
}

impl PathFault {
    pub fn new(path: &Path, misfit: Misfit) -> Self {
        Self { path: shown(path), misfit }
    }

    pub fn is_absent(&self) -> bool {
        self.misfit.kind == MisfitKind::Absent
    }
}
