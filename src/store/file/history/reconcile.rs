//! Reconciles the history with the file: withdraws changes that were never made, and records hand edits.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::super::file_stamp::LastWrite;
use super::super::lock::LockedFile;
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::history_journal::{HistoryJournal, JournalLine};
use super::{FOLDER, NEW_COPY, delta, forget_the_oldest, keep_copy, kept_from_now_on, kept_name, seconds};
use crate::store::change_record::HAND_EDIT;
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use crate::store::version::BaseText;
use crate::store::warning::Warning;

impl LockedFile<'_> {
    /// Reconciles the history with the file, which holds `now`, or is missing.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn reconcile(&self, now: Option<BaseText<'_>>) -> Result<Vec<Warning>, StoreError> {
        // Without a change there is no history to reconcile.
        if !self.state.path_of(FOLDER).exists() {
            return Ok(Vec::new());
        }
        let (folder, mut journal) = super::open(&self.state)?;
        withdraw_unmade(self.conf, &folder, &mut journal, now).map_err(failed(&folder))?;
        let known = journal.lines().len();
        let mut warnings = Vec::new();
        let newest = journal.lines().iter().rev().take(MAX_CHECKED).map(|line| line.serial);
        for serial in newest.collect::<Vec<_>>() {
            warnings.extend(record_stray_writes(self.conf, &folder, &mut journal, serial)?);
        }
        record_hand_edit(self.conf, &folder, &mut journal, now)?;
        if journal.lines().len() > known {
            forget_the_oldest(&folder, &journal, kept_from_now_on(&folder, None));
        }
        Ok(warnings)
    }
}

/// How many of the newest kept texts are checked for writes by programs that still have them open.
const MAX_CHECKED: usize = 256;

fn failed<E: Into<io::Error>>(folder: &StateDir) -> impl FnOnce(E) -> StoreError {
    StoreError::state_folder(folder.path())
}

/// Withdraws the entry of a writer that was killed before it made its change: the file that it was to
/// replace is still there, and no delta says that the change was made.
fn withdraw_unmade(
    conf: &ConfFile,
    folder: &StateDir,
    journal: &mut HistoryJournal,
    now: Option<BaseText<'_>>,
) -> io::Result<()> {
    // Removes names without a line in the journal. They are never written to: the file may be the
    // configuration itself under a second name.
    let next = journal.last_serial() + 1;
    let _ = folder.remove(&kept_name(next));
    delta::remove(folder, next);
    HistoryJournal::clean(folder);
    let _ = folder.remove(NEW_COPY);
    let Some(last) = journal.lines().last().filter(|line| !line.aside) else { return Ok(()) };
    let file = std::fs::symlink_metadata(conf.target()).ok().map(|found| LastWrite::of(&found));
    let serial = last.serial;
    if last.is_unmade(file, delta::is_marked_made(folder, serial))
        && last.before == now.map(|now| now.revision)
    {
        journal.withdraw()?;
        let _ = folder.remove(&kept_name(serial));
        delta::remove(folder, serial);
    } else {
        // The change was made; its writer may have been killed just before it renamed the delta.
        delta::mark_made(folder, serial);
    }
    Ok(())
}

/// Records a hand edit for text that a program wrote into the old file, which it had open when the file
/// was replaced.
pub(super) fn record_stray_writes(
    conf: &ConfFile,
    folder: &StateDir,
    journal: &mut HistoryJournal,
    serial: u64,
) -> Result<Option<Warning>, StoreError> {
    let line = journal.lines().iter().find(|line| line.serial == serial).filter(|line| line.linked);
    let Some((written, before)) = line.and_then(|line| Some((line.replaced?, line.before?))) else {
        return Ok(None);
    };
    let name = kept_name(serial);
    let found = folder.metadata_of(&name);
    if found.is_none_or(|found| LastWrite::of(&found).same_time_as(&written)) {
        return Ok(None);
    }
    let Some(text) = folder.read_kept(&name)? else { return Ok(None) };
    if Revision::of(&text) == before {
        return Ok(None);
    }
    let own = journal.last_serial() + 1;
    folder.rename(&name, &kept_name(own)).map_err(failed(folder))?;
    // Most programs append, so the original text is still at the start.
    let original = usize::try_from(written.size).ok().and_then(|size| text.get(..size));
    let original = original.filter(|original| Revision::of(original) == before).map(<[u8]>::to_vec);
    if let Some(original) = original.or_else(|| made_by_the_change_before(folder, journal, serial, before)) {
        keep_copy(folder, serial, &original)?;
        // Later writers see the old time, and do not compare the text again.
        let _ = folder.date(&name, written);
    }
    record_aside(conf, folder, journal, serial, own).map(Some)
}

/// Rebuilds the text with this revision from the delta of the change before.
fn made_by_the_change_before(
    folder: &StateDir,
    journal: &HistoryJournal,
    serial: u64,
    revision: Revision,
) -> Option<Vec<u8>> {
    let change = journal.change_before(serial)?;
    delta::made_of(folder, change.serial, &kept_with(folder, change), revision)
}

/// The text that is kept with a change; empty where there is none.
fn kept_with(folder: &StateDir, change: &JournalLine) -> Vec<u8> {
    match change.before {
        Some(_) => folder.read_kept(&kept_name(change.serial)).ok().flatten().unwrap_or_default(),
        None => Vec::new(),
    }
}

/// Records the kept text `own`, which was written while the change `serial` replaced the file.
fn record_aside(
    conf: &ConfFile,
    folder: &StateDir,
    journal: &mut HistoryJournal,
    serial: u64,
    own: u64,
) -> Result<Warning, StoreError> {
    let name = kept_name(own);
    let found = folder.metadata_of(&name);
    let line = JournalLine {
        serial: own,
        at: found.as_ref().and_then(|found| found.modified().ok()).map_or(0, seconds),
        operation: HAND_EDIT.to_owned(),
        message: Some(format!("written by another program while change #{serial} replaced the file")),
        before: folder.read_kept(&name)?.map(|text| Revision::of(&text)),
        after: journal.revision(),
        aside: true,
        replaced: found.as_ref().map(LastWrite::of),
        linked: true,
        ..JournalLine::default()
    };
    journal.append(line).and_then(|()| folder.sync()).map_err(failed(folder))?;
    Ok(Warning::HandEditKept { path: conf.target().to_owned(), serial: own })
}

/// Records a hand edit: the file does not hold the text of the last change.
fn record_hand_edit(
    conf: &ConfFile,
    folder: &StateDir,
    journal: &mut HistoryJournal,
    now: Option<BaseText<'_>>,
) -> Result<(), StoreError> {
    let after = now.map(|now| now.revision);
    let Some(last) = journal.last_change().filter(|last| last.after != after).cloned() else { return Ok(()) };
    let serial = journal.last_serial() + 1;
    let made = last
        .after
        .and_then(|revision| delta::made_of(folder, last.serial, &kept_with(folder, &last), revision));
    if let Some(text) = &made {
        keep_copy(folder, serial, text)?;
    }
    if let Some(now) = now {
        // The next hand edit may overwrite this text in place; the delta keeps it.
        let _ = delta::write(folder, serial, &made.unwrap_or_default(), &[now.text]);
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
    journal.append(line).and_then(|()| folder.sync()).map_err(failed(folder))
}

fn written_at(path: &Path) -> u64 {
    let written = std::fs::symlink_metadata(path).and_then(|found| found.modified());
    let now = SystemTime::now();
    seconds(written.map_or(now, |written| written.min(now)))
}
