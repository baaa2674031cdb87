//! The journal of the history: one JSON object a line, the oldest first.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use super::super::file_stamp::LastWrite;
use super::super::state_dir::StateDir;
use crate::store::error::StoreError;
use crate::store::revision::Revision;

/// Its name in the folder of the history.
pub(super) const NAME: &str = "journal";

/// The name under which a shorter journal is written first.
const NEW_NAME: &str = "journal.new";

/// A line of the journal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct JournalLine {
    pub serial: u64,
    /// Seconds since 1970.
    pub at: u64,
    pub operation: String,
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The revision of the text that is kept as `SERIAL.conf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Revision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Revision>,
    /// Whether the text was never the text of the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// The file that was to be replaced, and when it was written last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<LastWrite>,
    /// Whether the kept text is that file itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linked: bool,
}

impl JournalLine {
    /// Whether the change was cut short before it was made: `file` describes the present file, and
    /// `is_made` says that the change is known to have been made.
    pub fn is_unmade(&self, file: Option<LastWrite>, is_made: bool) -> bool {
        !self.aside && !is_made && self.replaced.is_some() && self.replaced == file
    }
}

/// The lines, in order. One that a crash cut short is skipped.
pub(super) fn lines(bytes: &[u8]) -> Vec<JournalLine> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The journal, open for the holder of the lock.
pub(super) struct HistoryJournal {
    file: File,
    lines: Vec<JournalLine>,
    /// Where the file ended before the last line was appended.
    last_start: u64,
}

impl HistoryJournal {
    /// Opens the journal, making it where it is missing.
    pub fn open(folder: &StateDir) -> Result<Self, StoreError> {
        let mut file = folder.open(NAME)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(StoreError::state_folder(&folder.path_of(NAME)))?;
        let last = bytes.trim_ascii_end();
        let last_start = last.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end as u64 + 1);
        Ok(Self { file, lines: lines(&bytes), last_start })
    }

    /// Removes the file of a writer that was killed while it shortened the journal.
    pub fn clean(folder: &StateDir) {
        let _ = folder.remove(NEW_NAME);
    }

    pub fn lines(&self) -> &[JournalLine] {
        &self.lines
    }

    /// The number of the last line; 0 if there is none.
    pub fn last_serial(&self) -> u64 {
        self.lines.iter().map(|line| line.serial).max().unwrap_or(0)
    }

    /// The last change of the file.
    pub fn last_change(&self) -> Option<&JournalLine> {
        self.lines.iter().rfind(|line| !line.aside)
    }

    /// The revision of the file, as far as the journal knows.
    pub fn revision(&self) -> Option<Revision> {
        self.last_change()?.after
    }

    /// Adds a line, durably. If a crash cut the last line short, a line end goes first, so that only that
    /// line is lost.
    pub fn append(&mut self, line: JournalLine) -> io::Result<()> {
        let end = self.file.seek(SeekFrom::End(0))?;
        let mut text = Vec::new();
        if end > 0 {
            self.file.seek(SeekFrom::Start(end - 1))?;
            let mut last = [0];
            self.file.read_exact(&mut last)?;
            text.extend((last != *b"\n").then_some(b'\n'));
        }
        serde_json::to_writer(&mut text, &line)?;
        text.push(b'\n');
        self.last_start = end;
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_all());
        if written.is_err() {
            // Removes a line that was written in part.
            let _ = self.file.set_len(end);
        }
        written?;
        self.lines.push(line);
        Ok(())
    }

    /// The last change of the file before the change `serial`.
    pub fn change_before(&self, serial: u64) -> Option<&JournalLine> {
        self.lines.iter().rfind(|line| !line.aside && line.serial < serial)
    }

    pub fn withdraw(&mut self) -> io::Result<()> {
        self.file.set_len(self.last_start)?;
        self.lines.pop();
        Ok(())
    }

    /// Removes all lines but the newest `keep`, once there are twice as many.
    pub fn shorten(&self, folder: &StateDir, keep: usize) -> io::Result<()> {
        if self.lines.len() < keep.saturating_mul(2) {
            return Ok(());
        }
        let mut text = Vec::new();
        for line in &self.lines[self.lines.len() - keep..] {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        let mut file = folder.open(NEW_NAME).map_err(io::Error::other)?;
        file.set_len(0)?;
        file.write_all(&text)?;
        file.sync_all()?;
        folder.rename(NEW_NAME, NAME)
    }
}
