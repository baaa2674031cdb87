//! The state of the file after a change was rolled back.

/// The state of the file after a change was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aftermath {
    /// The old text is back.
    Restored,
    /// The file is removed again: it did not exist before.
    Removed,
    /// Another program changed or removed it meanwhile, and it stays so.
    ChangedMeanwhile,
    /// Another program changed it meanwhile: the change was rolled back, and the edit stays.
    Merged,
    /// The new text stays: the old one could not be put back.
    NotRestored,
}

impl Aftermath {
    /// True if an edit by another program stays in the file.
    pub fn is_hand_edit(self) -> bool {
        matches!(self, Self::ChangedMeanwhile | Self::Merged)
    }

    /// The addition to a message if the reload command failed.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Restored => "the old configuration is back",
            Self::Removed => "there was no configuration before the change, so the file was removed",
            Self::ChangedMeanwhile | Self::Merged => {
                "another program changed the file meanwhile, so it is left as it is"
            }
            Self::NotRestored => "the old configuration could not be put back, so the new one stays",
        }
    }

    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Restored | Self::Removed => "the change was rolled back",
            Self::ChangedMeanwhile => "the file was changed meanwhile and is left as it is",
            Self::Merged => "the change was rolled back in a file that was changed meanwhile",
            Self::NotRestored => "the change stands, as the old configuration could not be put back",
        }
    }
}
