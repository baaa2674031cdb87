//! The history: every text that was in the file, and who put what in its place.
//!
//! Before a text is replaced it is kept as `history/SERIAL.conf`: the old file itself under a second
//! name, so that it costs nothing, and so that a program which still has it open and writes into it
//! writes into what is kept; else a copy. A line of JSON in `history/journal` says when, who, why,
//! and which revision came in its place. Both are durable before the change.
//!
//! Who writes looks first ([`LockedFile::reconcile`]): a line whose change never came about is taken out, and
//! what somebody did to the file by hand becomes a line of its own. `@N` counts back: `@1` is the
//! text before the last change. Serial numbers never change.
//!
//! Whoever only reads takes no lock ([`ConfFile::history`]).

mod delta;
mod history_journal;
mod reconcile;
mod staged_entry;

use std::fs;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::file_stamp::LastWrite;
use super::lock::LockedFile;
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::change_record::{ChangeRecord, DEFAULT_KEEP, HistoryEntry};
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use history_journal::{HistoryJournal, JournalLine};
pub(super) use staged_entry::StagedEntry;

/// Name of the folder in the state folder.
const FOLDER: &str = "history";

/// Under this name a text is copied, before it gets the one that it is kept under.
const NEW_COPY: &str = "copy.new";

/// Holds how many texts are kept, where somebody said so.
const KEEP: &str = "keep";

impl ConfFile {
    /// The changes of the file that are remembered, the last one first. Takes no lock.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, StoreError> {
        let Some(folder) = self.history_folder()? else { return Ok(Vec::new()) };
        let Some(bytes) = folder.read(history_journal::NAME)? else { return Ok(Vec::new()) };
        let mut lines = history_journal::lines(&bytes);
        let file = fs::symlink_metadata(self.target()).ok().map(|found| LastWrite::of(&found));
        // What is just being made, or was cut short, is not made.
        lines.pop_if(|last| last.is_unmade(file, delta::stands(&folder, last.serial)));
        Ok(numbered(lines))
    }

    /// The text that is kept with an entry; none where there was none, or where it is kept no more.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, StoreError> {
        match self.history_folder()? {
            Some(folder) => folder.read_kept(&kept_name(serial)),
            None => Ok(None),
        }
    }

    /// The folder of the history; none where nothing was ever changed.
    fn history_folder(&self) -> Result<Option<StateDir>, StoreError> {
        match StateDir::find(self)? {
            Some(state) => state.find_in(FOLDER),
            None => Ok(None),
        }
    }
}

impl LockedFile<'_> {
    /// Keeps a text that is in no file, durably.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn keep_aside(&self, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), StoreError> {
        let (folder, mut journal) = open(&self.state)?;
        let mut line = new_line(&journal, record);
        line.before = Some(Revision::of(text));
        line.after = journal.revision();
        line.aside = true;
        keep_copy(&folder, line.serial, text)?;
        journal.append(line).and_then(|()| folder.sync()).map_err(StoreError::state_folder(folder.path()))?;
        forget_the_oldest(&folder, &journal, kept_from_now_on(&folder, record.keep));
        Ok(())
    }
}

/// The last one first; what stands aside is not counted.
fn numbered(lines: Vec<JournalLine>) -> Vec<HistoryEntry> {
    let mut count = 0;
    let number = |line: JournalLine| {
        count += usize::from(!line.aside);
        let number = (!line.aside).then_some(count);
        entry(number, line)
    };
    lines.into_iter().rev().map(number).collect()
}

/// The end of the year 9999: what is shown of times has four digits for the year.
const LAST_SECOND: u64 = 253_402_300_799;

fn entry(number: Option<usize>, line: JournalLine) -> HistoryEntry {
    HistoryEntry {
        number,
        serial: line.serial,
        at: UNIX_EPOCH + Duration::from_secs(line.at.min(LAST_SECOND)),
        operation: line.operation,
        by: (!line.by.is_empty()).then_some(line.by),
        message: line.message,
        before: line.before,
        after: line.after,
        is_aside: line.aside,
    }
}

fn kept_name(serial: u64) -> String {
    format!("{serial}.conf")
}

/// The folder and its journal, made where they are missing.
fn open(state: &StateDir) -> Result<(StateDir, HistoryJournal), StoreError> {
    let folder = state.folder_in(FOLDER)?;
    let journal = HistoryJournal::open(&folder)?;
    Ok((folder, journal))
}

fn new_line(journal: &HistoryJournal, record: &ChangeRecord<'_>) -> JournalLine {
    JournalLine {
        serial: journal.last_serial() + 1,
        at: seconds(SystemTime::now()),
        operation: record.operation.to_owned(),
        by: record.by.to_owned(),
        message: record.message.map(str::to_owned),
        before: None,
        after: None,
        aside: false,
        replaced: None,
        linked: false,
    }
}

/// How many texts are kept: as many as somebody said last, whoever changes the file.
fn kept_from_now_on(folder: &StateDir, said: Option<usize>) -> usize {
    let before = fs::read_to_string(folder.path_of(KEEP)).ok().and_then(|text| text.trim().parse().ok());
    let keep = said.or(before).unwrap_or(DEFAULT_KEEP).max(1);
    if said.is_some() && before != Some(keep) {
        // Who can't be told keeps the default, which is more than most ask for.
        let _ = folder
            .open(KEEP)
            .map(|mut file| file.set_len(0).and_then(|()| file.write_all(format!("{keep}\n").as_bytes())));
    }
    keep
}

/// So many names in a row that are not there mean that the older ones are not, either.
const MISSES: usize = 8;

/// Only so many texts are kept, and not many more lines.
fn forget_the_oldest(folder: &StateDir, journal: &HistoryJournal, keep: usize) {
    let too_many = journal.lines().len().saturating_sub(keep);
    let mut misses = 0;
    for line in journal.lines()[..too_many].iter().rev() {
        delta::forget(folder, line.serial);
        misses = if folder.remove(&kept_name(line.serial)).is_ok() { 0 } else { misses + 1 };
        if misses == MISSES {
            break;
        }
    }
    // A journal that stays long is no harm.
    let _ = journal.shorten(folder, keep);
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A text as a file of its own; on return it is durable, its name is not yet.
///
/// It gets its name when it is whole: half a text would look like an edit, and what has the name
/// already may be the configuration itself, which must not be written into.
fn keep_copy(folder: &StateDir, serial: u64, text: &[u8]) -> Result<(), StoreError> {
    let kept = write_copy(folder, text).and_then(|()| {
        let name = kept_name(serial);
        folder.rename(NEW_COPY, &name).map_err(StoreError::state_folder(&folder.path_of(&name)))
    });
    if kept.is_err() {
        let _ = folder.remove(NEW_COPY);
    }
    kept
}

fn write_copy(folder: &StateDir, text: &[u8]) -> Result<(), StoreError> {
    let mut copy = folder.open(NEW_COPY)?;
    copy.set_len(0)
        .and_then(|()| copy.write_all(text))
        .and_then(|()| copy.sync_all())
        .map_err(StoreError::state_folder(&folder.path_of(NEW_COPY)))
}
