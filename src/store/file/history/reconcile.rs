//! Reconciles the history with the file: withdraws changes that were never made, and records hand edits.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::super::history_journal::{HistoryJournal, JournalLine};
use super::super::lock::LockedFile;
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::archive::kept_name;
use super::forget::forget_the_oldest;
use super::keep::kept_from_now_on;
use super::stray_writes::{kept_with, looked_at, record_stray_writes};
use super::{FOLDER, NEW_COPY, archive, delta, failed, is_unmade, keep_copy};
use crate::store::Reconciled;
use crate::store::bounded_time::seconds;
use crate::store::change_record::HAND_EDIT;
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use crate::store::version::BaseText;
use crate::store::warning::Warning;

impl ConfFile {
    /// Returns the text of the last change, if the file, which has the revision `now`, was edited by hand since, and
    /// that text is known. Takes no lock and writes nothing.
    pub fn edited_from(&self, now: Revision) -> Option<Vec<u8>> {
        let journal = HistoryJournal::open_existing(self.history_folder().ok()??).ok()??;
        let cut_short = journal.last().filter(|last| is_unmade(self, &journal.folder, last));
        let newest = cut_short.map_or(u64::MAX, |last| last.serial.saturating_sub(1));
        let last = journal.back_from(newest).find(|line| !line.aside)?;
        (last.after != Some(now)).then(|| made_by(&journal.folder, &last))?
    }
}

impl LockedFile<'_> {
    /// Reconciles the history with the file, which holds `now`, or is missing.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn reconcile(&self, now: Option<BaseText<'_>>) -> Result<Reconciled, StoreError> {
        // Without a change there is no history to reconcile.
        if !self.state.path_of(FOLDER).exists() {
            return Ok(Reconciled::default());
        }
        let mut journal = self.journal()?;
        let mut warnings: Vec<Warning> = journal.damage().map(Warning::HistoryDamaged).into_iter().collect();
        withdraw_unmade(self.conf, &mut journal, now).map_err(failed(&journal.folder))?;
        let known = journal.last_serial();
        for line in looked_at(&journal) {
            warnings.extend(record_stray_writes(self.conf, &mut journal, &line)?);
        }
        let edited_from = record_hand_edit(self.conf, &mut journal, now)?;
        if journal.last_serial() > known {
            let keep = kept_from_now_on(&journal.folder, None);
            warnings.extend(forget_the_oldest(self.conf, &mut journal, keep));
        }
        self.journal.replace(Some(journal));
        Ok(Reconciled { warnings, edited_from })
    }
}

/// Withdraws the entry of a writer that was killed before it made its change: the file that it was to
/// replace is still there, and no delta says that the change was made.
fn withdraw_unmade(
    conf: &ConfFile,
    journal: &mut HistoryJournal,
    now: Option<BaseText<'_>>,
) -> io::Result<()> {
    let folder = &journal.folder;
    // Removes names without a line in the journal. They are never written to: the file may be the
    // configuration itself under a second name.
    let next = journal.last_serial() + 1;
    let _ = folder.remove(&kept_name(next));
    delta::remove(folder, next);
    journal.clean();
    let _ = folder.remove(NEW_COPY);
    archive::clean(folder);
    let Some(last) = journal.last().filter(|line| !line.aside) else { return Ok(()) };
    let serial = last.serial;
    if is_unmade(conf, folder, last) && last.before == now.map(|now| now.revision) {
        journal.withdraw()?;
        let _ = journal.folder.remove(&kept_name(serial));
        delta::remove(&journal.folder, serial);
    } else {
        // The change was made; its writer may have been killed just before it renamed the delta.
        delta::mark_made(folder, serial);
    }
    Ok(())
}

/// Records a hand edit: the file does not hold the text of the last change. Returns that text, if it is known.
fn record_hand_edit(
    conf: &ConfFile,
    journal: &mut HistoryJournal,
    now: Option<BaseText<'_>>,
) -> Result<Option<Vec<u8>>, StoreError> {
    let after = now.map(|now| now.revision);
    let Some(last) = journal.last_change().filter(|last| last.after != after) else { return Ok(None) };
    let folder = &journal.folder;
    let serial = journal.last_serial() + 1;
    let made = made_by(folder, &last);
    if let Some(text) = &made {
        keep_copy(folder, serial, text)?;
    }
    if let Some(now) = now {
        // The next hand edit may overwrite this text in place; the delta keeps it.
        let _ = delta::write(folder, serial, made.as_deref().unwrap_or_default(), &[now.text]);
        delta::mark_made(folder, serial);
    }
    let line = JournalLine {
        serial,
        at: written_at(conf.target()).max(last.at),
        operation: HAND_EDIT.to_owned(),
        before: last.after,
        after,
        ..JournalLine::default()
    };
    journal.append(line).and_then(|()| journal.sync()).map_err(failed(&journal.folder))?;
    Ok(made)
}

/// Rebuilds the text that a change made.
fn made_by(folder: &StateDir, change: &JournalLine) -> Option<Vec<u8>> {
    delta::made_of(folder, change.serial, &kept_with(folder, change), change.after?)
}

fn written_at(path: &Path) -> u64 {
    let written = std::fs::symlink_metadata(path).and_then(|found| found.modified());
    let now = SystemTime::now();
    seconds(written.map_or(now, |written| written.min(now)))
}
