//! The history: the earlier texts of the file, and the author of each change.
//!
//! Before a text is replaced it is kept as `history/SERIAL.conf`: the old file itself under a second
//! name, so that it costs nothing, and so that a program which still has it open and writes into it
//! writes into what is kept; else a copy. A line of JSON in `history/journal` says when, who, why,
//! and which revision came in its place. Both are durable before the change.
//!
//! A writer first reconciles the history with the file ([`LockedFile::reconcile`]): the line of a change
//! that was never made is withdrawn, and a hand edit gets a line of its own. `@N` counts back: `@1` is
//! the text before the last change. Serial numbers never change.
//!
//! A reader takes no lock ([`ConfFile::history`]).

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

/// The name under which a text is copied first.
const NEW_COPY: &str = "copy.new";

/// The file that holds how many texts are kept, if the user ever chose.
const KEEP: &str = "keep";

impl ConfFile {
    /// Returns the changes in the history, the last one first. Takes no lock.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, StoreError> {
        let Some(folder) = self.history_folder()? else { return Ok(Vec::new()) };
        let Some(bytes) = folder.read(history_journal::NAME)? else { return Ok(Vec::new()) };
        let mut lines = history_journal::lines(&bytes);
        let file = fs::symlink_metadata(self.target()).ok().map(|found| LastWrite::of(&found));
        // A change that is being made, or was cut short, is not in the history.
        lines.pop_if(|last| last.is_unmade(file, delta::is_marked_made(&folder, last.serial)));
        Ok(numbered(lines))
    }

    /// Returns the text that is kept with an entry; none where there was no file, or where it is not kept
    /// any more.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, StoreError> {
        match self.history_folder()? {
            Some(folder) => folder.read_kept(&kept_name(serial)),
            None => Ok(None),
        }
    }

    /// The folder of the history; none if the file was never changed.
    fn history_folder(&self) -> Result<Option<StateDir>, StoreError> {
        match StateDir::find(self)? {
            Some(state) => state.find_in(FOLDER),
            None => Ok(None),
        }
    }
}

impl LockedFile<'_> {
    /// Keeps a text in the history that was never in the file, durably.
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

/// The entries, the last one first. An entry with `is_aside` gets no number.
fn numbered(lines: Vec<JournalLine>) -> Vec<HistoryEntry> {
    let mut count = 0;
    let number = |line: JournalLine| {
        count += usize::from(!line.aside);
        let number = (!line.aside).then_some(count);
        entry(number, line)
    };
    lines.into_iter().rev().map(number).collect()
}

/// The end of the year 9999: times are shown with four digits for the year.
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

/// Opens the folder and its journal, making them where they are missing.
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
        ..JournalLine::default()
    }
}

/// Returns how many texts are kept from now on: `chosen`, else the number that was chosen last.
fn kept_from_now_on(folder: &StateDir, chosen: Option<usize>) -> usize {
    let before = fs::read_to_string(folder.path_of(KEEP)).ok().and_then(|text| text.trim().parse().ok());
    let keep = chosen.or(before).unwrap_or(DEFAULT_KEEP).max(1);
    if chosen.is_some() && before != Some(keep) {
        // If this fails, later writers keep the previous number of texts.
        let _ = folder
            .open(KEEP)
            .map(|mut file| file.set_len(0).and_then(|()| file.write_all(format!("{keep}\n").as_bytes())));
    }
    keep
}

/// After this many missing texts in a row, all older ones are taken to be missing, too.
const MAX_MISSES: usize = 8;

/// Removes all but the newest `keep` texts, and shortens the journal.
fn forget_the_oldest(folder: &StateDir, journal: &HistoryJournal, keep: usize) {
    let too_many = journal.lines().len().saturating_sub(keep);
    let mut misses = 0;
    for line in journal.lines()[..too_many].iter().rev() {
        delta::remove(folder, line.serial);
        misses = if folder.remove(&kept_name(line.serial)).is_ok() { 0 } else { misses + 1 };
        if misses == MAX_MISSES {
            break;
        }
    }
    // If this fails, the journal is longer than needed, which does no harm.
    let _ = journal.shorten(folder, keep);
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Copies a text into a file of its own; on return the text is durable, its name is not yet.
///
/// The file gets its name when it is whole: half a text would look like an edit, and the file that has
/// the name already may be the configuration itself, which must not be written.
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
