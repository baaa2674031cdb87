//! The operations that change a configuration.

/// The name in the history of a running configuration that was never saved.
pub(super) const UNSAVED: &str = "unsaved";

/// An operation that changes a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Merges a patch into the running configuration, and saves.
    Modify,
    /// Replaces the running configuration and the file.
    Save,
    /// Replaces the running configuration alone.
    Update,
    /// Makes an earlier text the configuration again.
    Rollback,
    /// Runs the text of the file.
    Load,
}

impl Operation {
    /// All of them, each at the place of its number.
    pub const ALL: &[Self] = &[Self::Modify, Self::Save, Self::Update, Self::Rollback, Self::Load];

    /// The name for hooks and the history.
    pub fn name(self) -> &'static str {
        match self {
            Self::Modify => "modify",
            Self::Save => "save",
            Self::Update => "update",
            Self::Rollback => "rollback",
            Self::Load => "load",
        }
    }

    /// True if the file is written, too.
    pub fn writes(self) -> bool {
        matches!(self, Self::Modify | Self::Save | Self::Rollback)
    }
}
