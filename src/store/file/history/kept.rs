//! The text that is kept with an entry.

use super::super::history_journal::HistoryJournal;
use super::super::target::ConfFile;
use super::archive::{kept_name, kept_text};
use super::stray_writes::original;
use crate::store::error::StoreError;
use crate::store::revision::Revision;

impl ConfFile {
    /// Returns the text that is kept with an entry; `None` if there was no file, or if the text is no
    /// longer kept.
    ///
    /// # Errors
    /// `Altered` if another program wrote into it, and what it was is not known; `PermissionDenied`, `Io`.
    pub fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(folder) = self.history_folder()? else { return Ok(None) };
        let Some(text) = kept_text(&folder, serial)? else { return Ok(None) };
        let name = kept_name(serial);
        // An archive has sums of its own.
        let is_plain = folder.link_of(&name).is_none();
        let path = folder.path_of(&name);
        let journal = HistoryJournal::open_existing(folder)?.filter(|_| is_plain);
        let line = journal.as_ref().and_then(|journal| journal.line(serial));
        let (Some(journal), Some(line)) = (journal, line) else { return Ok(Some(text)) };
        match line.before.is_none_or(|before| Revision::from_text(&text) == before) {
            true => Ok(Some(text)),
            false => original(&journal, &line, &text).map(Some).ok_or(StoreError::Altered { path }),
        }
    }
}
