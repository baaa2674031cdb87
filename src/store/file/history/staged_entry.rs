//! A staged history entry: it is recorded before its change is made in the file.

use std::fs::File;

use super::super::at_once::at_once;
use super::super::file_stamp::LastWrite;
use super::super::history_journal::HistoryJournal;
use super::super::lock::LockedFile;
use super::super::open_target::OpenTarget;
use super::super::target::ConfFile;
use super::archive::{Archive, Batch, kept_name};
use super::forget::forget_the_oldest;
use super::keep::{Keep, kept_from_now_on};
use super::stray_writes::record_stray_writes;
use super::{delta, failed, keep_copy, new_line};
use crate::store::change_record::ChangeRecord;
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use crate::store::version::BaseText;
use crate::store::warning::Warning;

/// The number of changes that keep their delta.
const KEPT_DELTAS: u64 = 8;

/// The history entry of a change that is about to be made; dropped before
/// [`finish`](StagedEntry::finish), it is withdrawn.
pub(in super::super) struct StagedEntry {
    journal: HistoryJournal,
    serial: u64,
    /// The old file, where the kept text is that file itself.
    linked: Option<LastWrite>,
    keep: Keep,
    /// The older texts that this change archives.
    archived: Option<(Batch, Vec<Archive>)>,
    is_made: bool,
}

impl StagedEntry {
    /// Keeps `old` and records the change to the pieces of `new`; both are durable after [`StagedEntry::sync`].
    /// `current` is the open file that holds `old`.
    pub fn stage(
        locked: &LockedFile<'_>,
        old: Option<(BaseText<'_>, &mut OpenTarget)>,
        new: Option<(&[&[u8]], Revision)>,
        record: &ChangeRecord<'_>,
    ) -> Result<Self, StoreError> {
        let journal = locked.journal()?;
        let serial = journal.last_serial() + 1;
        let keep = kept_from_now_on(&journal.folder, record.keep);
        let mut staged = Self { journal, serial, linked: None, keep, archived: None, is_made: false };
        staged.enter(locked.conf, old, new, record)?;
        Ok(staged)
    }

    fn enter(
        &mut self,
        conf: &ConfFile,
        old: Option<(BaseText<'_>, &mut OpenTarget)>,
        new: Option<(&[&[u8]], Revision)>,
        record: &ChangeRecord<'_>,
    ) -> Result<(), StoreError> {
        let mut line = new_line(&self.journal, record);
        line.after = new.map(|(_, revision)| revision);
        let text = old.as_ref().map_or(&[][..], |(old, _)| old.text);
        if let Some((old, current)) = old {
            line.before = Some(old.revision);
            line.replaced = Some(current.writing());
            line.linked = self.link(conf, current)?;
            match line.linked {
                true => self.linked = line.replaced,
                false => keep_copy(&self.journal.folder, self.serial, old.text)?,
            }
        }
        // If this fails, the text of this change is lost only if an editor then writes the file in
        // place.
        let pieces = new.map_or(&[][..], |(pieces, _)| pieces);
        let _ = delta::write(&self.journal.folder, self.serial, text, pieces);
        self.journal.append(line).map_err(failed(&self.journal.folder))
    }

    /// Makes the entry durable. The change may be made afterwards, and not before. Older texts are compressed
    /// meanwhile.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        let (journal, due) = (&self.journal, Batch::due(&self.journal, self.serial));
        let synced = match due {
            None => journal.sync(),
            Some(batch) => {
                let (synced, archives) = at_once(|| journal.sync(), || batch.write(&journal.folder));
                // If this fails, a later change tries again.
                self.archived = archives.ok().map(|archives| (batch, archives));
                synced
            }
        };
        synced.map_err(failed(&self.journal.folder))
    }

    /// Gives the old file a second name. Returns false if that fails, or if the file has other hard
    /// links, through which programs would go on writing into it.
    fn link(&self, conf: &ConfFile, current: &mut OpenTarget) -> Result<bool, StoreError> {
        let name = kept_name(self.serial);
        let _ = self.journal.folder.remove(&name);
        if current.has_other_names() || self.journal.folder.link(conf.target(), &name).is_err() {
            return Ok(false);
        }
        // A second name changes the times by which the file is recognised.
        current.renew(conf)?;
        Ok(true)
    }

    /// Copies the old text, because the file is going to be written in place.
    pub fn copy(&mut self, text: &[u8]) -> Result<(), StoreError> {
        let Some(linked) = self.linked.take() else { return Ok(()) };
        keep_copy(&self.journal.folder, self.serial, text)?;
        let _ = self.journal.folder.date(&kept_name(self.serial), linked);
        Ok(())
    }

    /// Completes the entry of a change that was made. `old` is the replaced file, into which another
    /// program may just have written.
    pub fn finish(mut self, conf: &ConfFile, old: Option<&File>) -> Vec<Warning> {
        self.is_made = true;
        delta::mark_made(&self.journal.folder, self.serial);
        let mut warnings = Vec::new();
        if let Some(old) = old.filter(|_| self.linked.is_some()) {
            self.journal.folder.adopt(old);
            let line = self.journal.line(self.serial);
            // If this fails, the next writer tries again.
            let found = line.and_then(|line| record_stray_writes(conf, &mut self.journal, &line).ok()?);
            warnings.extend(found);
        }
        // Only the newest deltas stay: programs may still write into the newest kept texts, which a
        // delta can rebuild.
        if let Some(earlier) = self.serial.checked_sub(KEPT_DELTAS) {
            delta::remove(&self.journal.folder, earlier);
        }
        if let Some((batch, archives)) = &self.archived {
            batch.finish(&self.journal.folder, archives);
        }
        warnings.extend(forget_the_oldest(conf, &mut self.journal, self.keep));
        warnings
    }
}

impl Drop for StagedEntry {
    fn drop(&mut self) {
        if self.is_made {
            return;
        }
        // If this fails, the next writer withdraws the entry.
        if self.journal.last_serial() == self.serial {
            let _ = self.journal.withdraw();
        }
        let _ = self.journal.folder.remove(&kept_name(self.serial));
        delta::remove(&self.journal.folder, self.serial);
    }
}
