//! The history: the earlier texts of the file, and the author of each change.
//!
//! Before a text is replaced it is kept as `history/SERIAL.conf`: the old file itself under a second
//! name, so that it costs nothing, and so that a program which still has it open and writes into it
//! writes into what is kept; else a copy. A line of JSON in `history/journal` says when, who, why,
//! and which revision came in its place. Both are durable before the change. Older texts are compressed (`archive`).
//!
//! A writer first reconciles the history with the file ([`LockedFile::reconcile`]): the line of a change
//! that was never made is withdrawn, and a hand edit gets a line of its own. `@N` counts back: `@1` is
//! the text before the last change. Serial numbers never change.
//!
//! A reader takes no lock ([`ConfFile::history`]).

mod archive;
mod aside;
mod delta;
mod forget;
mod keep;
mod kept;
mod reconcile;
mod staged_entry;
mod stray_writes;

use std::fs;
use std::io::{self, Write};
use std::time::SystemTime;

use super::file_stamp::LastWrite;
use super::history_journal::{HistoryJournal, JournalLine, ReadJournal, damage_in_words};
use super::lock::LockedFile;
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::bounded_time::{from_seconds, seconds};
use crate::store::change_record::{ChangeRecord, HistoryEntry};
use crate::store::error::StoreError;
use archive::kept_name;
pub(super) use staged_entry::StagedEntry;

/// Name of the folder in the state folder.
const FOLDER: &str = "history";

/// The name under which a text is copied first.
const NEW_COPY: &str = "copy.new";

impl ConfFile {
    /// Returns the changes in the history, the last one first, without the oldest ones, whose texts are not kept any
    /// more. Takes no lock.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, StoreError> {
        let Some(folder) = self.history_folder()? else { return Ok(Vec::new()) };
        let ReadJournal { mut lines, is_damaged } = HistoryJournal::read_lines(&folder)?;
        lines.pop_if(|last| is_unmade(self, &folder, last));
        // The journal is shortened later than texts are removed.
        let oldest = lines.last().map_or(0, |last| last.serial).saturating_sub(keep::number_kept(&folder));
        lines.retain(|line| line.serial > oldest);
        let damage = is_damaged.then(|| HistoryEntry::unreadable((None, 0), damage_in_words(&folder)));
        Ok(numbered(lines).into_iter().chain(damage).collect())
    }

    /// True if a change with this serial number is in the history. Takes no lock.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn has_change(&self, serial: u64) -> Result<bool, StoreError> {
        let Some(folder) = self.history_folder()? else { return Ok(false) };
        let journal = HistoryJournal::open_existing(folder)?;
        Ok(journal.is_some_and(|journal| {
            let line = journal.line(serial);
            let is_last = serial == journal.last_serial();
            line.is_some_and(|line| !(is_last && is_unmade(self, &journal.folder, &line)))
        }))
    }

    /// The folder of the history; `None` if the file was never changed.
    fn history_folder(&self) -> Result<Option<StateDir>, StoreError> {
        match StateDir::find(self)? {
            Some(state) => state.find_in(FOLDER),
            None => Ok(None),
        }
    }
}

impl LockedFile<'_> {
    /// The journal, which is opened once as long as the lock is held, and made where it is missing.
    fn journal(&self) -> Result<HistoryJournal, StoreError> {
        match self.journal.take() {
            Some(journal) => Ok(journal),
            None => HistoryJournal::open(self.state.folder_in(FOLDER)?),
        }
    }
}

/// True if the last change is only being made, or was cut short: then it is not in the history.
fn is_unmade(conf: &ConfFile, folder: &StateDir, last: &JournalLine) -> bool {
    let file = fs::symlink_metadata(conf.target()).ok().map(|found| LastWrite::from_metadata(&found));
    last.is_unmade(file, delta::is_marked_made(folder, last.serial))
}

fn failed<E: Into<io::Error>>(folder: &StateDir) -> impl FnOnce(E) -> StoreError {
    StoreError::state_folder(folder.path())
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

fn entry(number: Option<usize>, line: JournalLine) -> HistoryEntry {
    HistoryEntry {
        number,
        serial: line.serial,
        at: from_seconds(line.at),
        operation: line.operation,
        by: (!line.by.is_empty()).then_some(line.by),
        message: line.message,
        id: line.id,
        undoes: line.undoes,
        before: line.before,
        after: line.after,
        is_aside: line.aside,
        paths: None,
        from: line.from,
    }
}

fn new_line(journal: &HistoryJournal, record: &ChangeRecord<'_>) -> JournalLine {
    JournalLine {
        serial: journal.last_serial() + 1,
        at: seconds(SystemTime::now()),
        operation: record.operation.to_owned(),
        by: record.by.to_owned(),
        message: record.message.map(str::to_owned),
        id: record.id.map(str::to_owned),
        undoes: record.undoes.map(str::to_owned),
        from: record.from,
        ..JournalLine::default()
    }
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
