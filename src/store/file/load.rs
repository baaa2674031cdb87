//! Reading the file whole, in one read of its exact size.

use std::fs::{File, Metadata};
use std::path::Path;

use super::file_stamp::FileStamp;
use super::open::open_regular;
use super::pages::read_text;
use super::state_dir::StateDir;
use super::target::ConfFile;
use super::undo_journal::UndoJournal;
use crate::store::error::StoreError;
use crate::store::version::{Loaded, Version};

/// The most attempts to read a file that changes while it is read.
const READ_ATTEMPTS: usize = 100;

impl ConfFile {
    /// Loads the file without a lock, making and writing nothing. It never blocks on a pipe.
    ///
    /// While an in-place write is under way, or after one was cut short, this returns the text before
    /// that write: the next writer puts it back.
    ///
    /// # Errors
    /// `NotFound`, `PermissionDenied`, `NotAFile`, `Io`; `ChangedMeanwhile` when the file never
    /// stands still, or became a link since it was resolved.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        self.load_with_metadata().map(|(loaded, _)| loaded)
    }

    /// Loads it, and says which file it was.
    pub(super) fn load_with_metadata(&self) -> Result<(Loaded, Metadata), StoreError> {
        for _ in 0..READ_ATTEMPTS {
            // Read before the file: if a journal appears later, the stamp of the file has changed, too.
            let journal = self.journal();
            let (file, found) = open_regular(self.target())?;
            let stamp = FileStamp::from_metadata(&found);
            let bytes = read_text(&file, found.len(), self.target())?;
            if !stamp.same_writing_as(&stamp_now(&file, self.target())?) {
                continue;
            }
            let loaded = match journal {
                Some(journal) if journal.is_torn(&found, &bytes) => Loaded {
                    bytes: journal.into_old().into(),
                    version: Version::new(stamp.unsettled()),
                    open: None,
                },
                _ => Loaded { bytes, version: Version::new(stamp), open: None },
            };
            return Ok((loaded, found));
        }
        Err(StoreError::ChangedMeanwhile { path: self.target().to_owned() })
    }

    /// The journal of an in-place write. A reader ignores a journal that it cannot read or trust, and
    /// returns the text of the file.
    fn journal(&self) -> Option<UndoJournal> {
        let state = StateDir::find(self).ok().flatten()?;
        UndoJournal::read(&state).ok().flatten()
    }
}

fn stamp_now(file: &File, path: &Path) -> Result<FileStamp, StoreError> {
    let found = file.metadata().map_err(StoreError::io("look at", path))?;
    Ok(FileStamp::from_metadata(&found))
}
