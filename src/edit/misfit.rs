//! Why a path, or the value given for it, does not fit the schema.

/// Why a path, or the value given for it, does not fit the schema; holds nothing of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// Whether the path is fine, and just nothing is there.
    pub kind: MisfitKind,
}

/// The kinds of [`Misfit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MisfitKind {
    /// What is asked for can't be.
    Unfit,
    /// What is to be removed is not there.
    Absent,
}

impl Misfit {
    /// A misfit without advice.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, kind: MisfitKind::Unfit }
    }

    /// The misfit of a path to something that is not there.
    pub fn absent(message: impl Into<String>) -> Self {
        Self { kind: MisfitKind::Absent, ..Self::new(message) }
    }

    /// The same of something that is to be set, not removed.
    #[must_use]
    pub fn unfit(self) -> Self {
        Self { kind: MisfitKind::Unfit, ..self }
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
