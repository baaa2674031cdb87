//! What is wrong with a patch: where, what, what to do.

use std::fmt;

use super::json_pointer::Pointer;

/// The kinds of refusal; the names are those of the HTTP problem types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Not JSON, a repeated key, too deep, not an object.
    NotJson,
    /// More values than there is memory for.
    TooLarge,
    /// A value that does not fit its parameter, or a part that is missing.
    WrongType,
    /// A member that a patch may not set.
    ReadOnly,
    /// A mask where the secret itself should be.
    MaskedValue,
    /// An unknown directive would get another form; refused unless it is accepted.
    FormChange,
    /// A new keyword is nearly a known one; refused unless it is accepted.
    NearMiss,
}

/// One thing wrong with a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of refusal it is.
    pub kind: FaultKind,
    /// Where in the patch.
    pub pointer: Pointer,
    /// Lower case, no full stop.
    pub message: String,
    /// Advice, where there is any.
    pub hint: Option<String>,
}

impl Fault {
    /// A fault of this kind.
    pub fn new(kind: FaultKind, pointer: Pointer, message: impl Into<String>) -> Self {
        Self { kind, pointer, message: message.into(), hint: None }
    }

    /// A value that does not fit.
    pub fn wrong_type(pointer: &Pointer, message: impl Into<String>) -> Self {
        Self::new(FaultKind::WrongType, pointer.clone(), message)
    }

    /// The same fault with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

/// All faults of one patch, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// Adds one.
    pub fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// `value` if nothing is wrong.
    pub fn into_result<T>(self, value: T) -> Result<T, Faults> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}
