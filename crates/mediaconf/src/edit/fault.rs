//! The faults of a patch: their places, messages and hints.

use thiserror::Error;

use super::json_pointer::Pointer;

/// The kinds of faults, named like the problem types of the HTTP API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Not JSON, a repeated key, too deep, not an object.
    NotJson,
    /// The patch needs more memory than a merge may take.
    TooLarge,
    /// A value does not fit its parameter, or a part is missing.
    WrongType,
    /// A member that a patch can't set.
    ReadOnly,
    /// A mask in the place of a secret.
    MaskedValue,
    /// An unknown directive would change its form; refused unless it is accepted.
    FormChange,
    /// A new keyword is similar to a known one; refused unless it is accepted.
    NearMiss,
}

/// One fault of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{pointer}: {message}")]
pub struct Fault {
    pub kind: FaultKind,
    pub pointer: Pointer,
    /// Lower case, no full stop.
    pub message: String,
    /// Advice, where there is any.
    pub hint: Option<String>,
}

impl Fault {
    pub fn new(kind: FaultKind, pointer: Pointer, message: impl Into<String>) -> Self {
        Self { kind, pointer, message: message.into(), hint: None }
    }

    pub fn wrong_type(pointer: &Pointer, message: impl Into<String>) -> Self {
        Self::new(FaultKind::WrongType, pointer.clone(), message)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// All faults of one patch, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    pub fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub fn add(&mut self, others: Faults) {
        self.0.extend(others.0);
    }

    /// Returns the value of a result, or keeps its faults.
    pub fn take<T>(&mut self, result: Result<T, Faults>) -> Option<T> {
        result.map_err(|faults| self.add(faults)).ok()
    }

    /// Returns `value` if there are no faults.
    pub fn into_result<T>(self, value: T) -> Result<T, Faults> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}
