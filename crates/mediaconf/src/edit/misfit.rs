//! Why a path, or the value given for it, does not fit the schema or the configuration.

use thiserror::Error;

use super::fault::Fault;
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
    /// Whether the path is right and only the value is missing; otherwise the path is wrong or
    /// ambiguous, or the value is wrong.
    pub is_absent: bool,
}

impl Misfit {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_absent: false }
    }

    pub fn absent(message: impl Into<String>) -> Self {
        Self { is_absent: true, ..Self::new(message) }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Fault> for Misfit {
    fn from(fault: Fault) -> Self {
        Self { hint: fault.hint, ..Self::new(fault.message) }
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
        self.misfit.is_absent
    }
}
