//! A staged history entry: it is recorded before its change is made in the file.

use std::fs::File;

use super::super::file_stamp::LastWrite;
use super::super::lock::LockedFile;
use super::super::open_target::OpenTarget;
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::history_journal::HistoryJournal;
use super::{delta, forget_the_oldest, keep_copy, kept_from_now_on, kept_name, new_line, open, reconcile};
use crate::store::change_record::ChangeRecord;
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use crate::store::version::BaseText;
use crate::store::warning::Warning;

/// How many changes keep their delta.
const KEPT_DELTAS: usize = 8;

/// The history entry of a change that is about to be made; dropped before
/// [`finish`](StagedEntry::finish), it is withdrawn.
pub(in super::super) struct StagedEntry {
    folder: StateDir,
    journal: HistoryJournal,
    serial: u64,
    /// The old file, where the kept text is that file itself.
    linked: Option<LastWrite>,
    keep: usize,
    is_made: bool,
}

impl StagedEntry {
    /// Keeps `old` and records the change, durably. `current` is the open file that holds `old`.
    pub fn of(
        locked: &LockedFile<'_>,
        old: Option<(BaseText<'_>, &mut OpenTarget)>,
        pieces: Option<&[&[u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Self, StoreError> {
        let (folder, journal) = open(&locked.state)?;
        let serial = journal.last_serial() + 1;
        let keep = kept_from_now_on(&folder, record.keep);
        let mut entered = Self { folder, journal, serial, linked: None, keep, is_made: false };
        entered.enter(locked.conf, old, pieces, record)?;
        Ok(entered)
    }

    fn enter(
        &mut self,
        conf: &ConfFile,
        old: Option<(BaseText<'_>, &mut OpenTarget)>,
        pieces: Option<&[&[u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<(), StoreError> {
        let mut line = new_line(&self.journal, record);
        line.after = pieces.map(|pieces| Revision::of_pieces(pieces.iter().copied()));
        let text = old.as_ref().map_or(&[][..], |(old, _)| old.text);
        if let Some((old, current)) = old {
            line.before = Some(old.revision);
            line.replaced = Some(current.writing());
            line.linked = self.link(conf, current)?;
            match line.linked {
                true => self.linked = line.replaced,
                false => keep_copy(&self.folder, self.serial, old.text)?,
            }
        }
        // If this fails, the text of this change is lost only if an editor then writes the file in
        // place.
        let _ = delta::write(&self.folder, self.serial, text, pieces.unwrap_or_default());
        let failed = || StoreError::state_folder(self.folder.path());
        self.journal.append(line).map_err(failed())?;
        self.folder.sync().map_err(failed())
    }

    /// Gives the old file a second name. Returns false if that fails, or if the file has other hard
    /// links, through which programs would go on writing into it.
    fn link(&self, conf: &ConfFile, current: &mut OpenTarget) -> Result<bool, StoreError> {
        let name = kept_name(self.serial);
        let _ = self.folder.remove(&name);
        if current.has_other_names() || self.folder.link(conf.target(), &name).is_err() {
            return Ok(false);
        }
        // A second name changes the times by which the file is recognised.
        current.renew(conf)?;
        Ok(true)
    }

    /// Copies the old text, because the file is going to be written in place.
    pub fn copy(&mut self, text: &[u8]) -> Result<(), StoreError> {
        let Some(linked) = self.linked.take() else { return Ok(()) };
        keep_copy(&self.folder, self.serial, text)?;
        let _ = self.folder.date(&kept_name(self.serial), linked);
        Ok(())
    }

    /// Completes the entry of a change that was made. `old` is the replaced file, into which another
    /// program may just have written.
    pub fn finish(mut self, conf: &ConfFile, old: Option<&File>) -> Vec<Warning> {
        self.is_made = true;
        delta::mark_made(&self.folder, self.serial);
        let mut warnings = Vec::new();
        if let Some(old) = old.filter(|_| self.linked.is_some()) {
            self.folder.adopt(old);
            // If this fails, the next writer tries again.
            let found = reconcile::record_stray_writes(conf, &self.folder, &mut self.journal, self.serial);
            warnings.extend(found.ok().flatten());
        }
        // Only the newest deltas stay: programs may still write into the newest kept texts, which a
        // delta can rebuild.
        let earlier = self.journal.lines().iter().rev().skip(KEPT_DELTAS).take(KEPT_DELTAS);
        earlier.for_each(|line| delta::remove(&self.folder, line.serial));
        forget_the_oldest(&self.folder, &self.journal, self.keep);
        warnings
    }
}

impl Drop for StagedEntry {
    fn drop(&mut self) {
        if self.is_made {
            return;
        }
        // If this fails, the next writer withdraws the entry.
        let is_in_journal = self.journal.lines().last().is_some_and(|line| line.serial == self.serial);
        if is_in_journal {
            let _ = self.journal.withdraw();
        }
        let _ = self.folder.remove(&kept_name(self.serial));
        delta::remove(&self.folder, self.serial);
    }
}
