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

    /// The operation of a change that the history calls so: its own name, or that of the command that made it; `None` for
    /// a name that is neither.
    pub fn of_change(name: &str) -> Option<Self> {
        let by_command = match name {
            "add" | "apply" | "cp" | "mv" | "rm" => Some(Self::Modify),
            "edit" | "fmt" => Some(Self::Save),
            _ => None,
        };
        by_command.or_else(|| Self::ALL.iter().copied().find(|operation| operation.name() == name))
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::change::COMMANDS;

    #[test]
    fn each_name_in_the_history_is_that_of_an_operation() {
        let named = COMMANDS.iter().copied().chain(Operation::ALL.iter().map(|operation| operation.name()));
        assert_eq!(named.filter(|name| Operation::of_change(name).is_none()).count(), 0);
        assert_eq!(Operation::of_change("adopt"), None);
    }
}
