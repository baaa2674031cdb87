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
    /// Another program changed it meanwhile: the change was taken out of it, and the rest stays.
    Merged,
    /// Another program changed it meanwhile, so that it has errors now; it stays, with the unconfirmed
    /// change.
    Broken,
    /// The new text stays: the old one could not be put back.
    NotRestored,
}

impl Aftermath {
    /// True if an edit by another program stays in the file.
    pub fn is_hand_edit(self) -> bool {
        matches!(self, Self::ChangedMeanwhile | Self::Merged | Self::Broken)
    }

    /// True if it is unknown whether the change is still in it, because it has errors or is away.
    pub(super) fn may_leave_change(self) -> bool {
        matches!(self, Self::ChangedMeanwhile | Self::Broken)
    }

    /// The addition to a message if the reload command failed.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Restored => "the old configuration is back",
            Self::Removed => "there was no configuration before the change, so the file was removed",
            Self::ChangedMeanwhile | Self::Merged | Self::Broken => {
                "another program changed the file meanwhile, so it is left as it is"
            }
            Self::NotRestored => "the old configuration could not be put back, so the new one stays",
        }
    }

    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Restored | Self::Removed => "the change was rolled back",
            Self::ChangedMeanwhile | Self::Broken => "the file was changed meanwhile and is left as it is",
            Self::Merged => "the change was taken out of a file that was changed meanwhile",
            Self::NotRestored => "the change stands, as the old configuration could not be put back",
        }
    }
}
