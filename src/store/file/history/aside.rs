//! Keeping a text in the history that was never in the file.

use super::super::lock::LockedFile;
use super::forget::forget_the_oldest;
use super::keep::kept_from_now_on;
use super::{failed, keep_copy, new_line};
use crate::store::change_record::ChangeRecord;
use crate::store::error::StoreError;
use crate::store::revision::Revision;

impl LockedFile<'_> {
    /// Keeps a text in the history that was never in the file, durably.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn keep_aside(&self, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), StoreError> {
        let mut journal = self.journal()?;
        let mut line = new_line(&journal, record);
        line.before = Some(Revision::from_text(text));
        line.after = journal.revision();
        line.aside = true;
        keep_copy(&journal.folder, line.serial, text)?;
        journal.append(line).and_then(|()| journal.sync()).map_err(failed(&journal.folder))?;
        let keep = kept_from_now_on(&journal.folder, record.keep);
        // A text that another program wrote is then in the history, whether or not a warning says so.
        forget_the_oldest(self.conf, &mut journal, keep);
        self.journal.replace(Some(journal));
        Ok(())
    }
}
