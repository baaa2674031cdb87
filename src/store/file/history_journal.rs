//! The journal of the history: one JSON object a line, the oldest first.
//!
//! Serial numbers grow from line to line. So a writer reads the end of the journal, where the newest lines
//! are, and finds an older one by bisection: a change costs the same however long the journal is.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::iter;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};

use super::at_once::at_once;
use super::file_stamp::LastWrite;
use super::state_dir::StateDir;
use crate::store::change_record::ClusterState;
use crate::store::error::StoreError;
use crate::store::revision::Revision;

/// Its name in the folder of the history.
const NAME: &str = "journal";

/// The name under which a shorter journal is written first.
const NEW_NAME: &str = "journal.new";

/// The number of bytes of the journal that are read at once: a dozen lines.
const BLOCK: u64 = 4096;

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
    /// The id of the change; of one that goes back by itself, that of the change that it rolls back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The id of the change that it undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The revision of the text that is kept as `SERIAL.conf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Revision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Revision>,
    /// True if the text was never the text of the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// The file that was to be replaced, and when it was written last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<LastWrite>,
    /// True if the kept text is that file itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linked: bool,
    /// Of a node: the state of its cluster that the text before was made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ClusterState>,
}

impl JournalLine {
    /// True if the change was cut short before it was made: `file` describes the present file, and
    /// `is_made` says that the change is known to have been made.
    pub fn is_unmade(&self, file: Option<LastWrite>, is_made: bool) -> bool {
        !self.aside && !is_made && self.replaced.is_some() && self.replaced == file
    }
}

/// The journal, open.
#[derive(Debug)]
pub(super) struct HistoryJournal {
    pub folder: StateDir,
    file: File,
    /// The length of the file.
    end: u64,
    /// The newest lines, the last one last, and where each begins.
    newest: Vec<(u64, JournalLine)>,
    /// True if a crash cut the last line short.
    is_cut_short: bool,
    /// True if something else than a writer of the history wrote into the file.
    is_damaged: bool,
    /// The number of the newest text in the folder, where the journal is damaged: no new text takes its place.
    beyond: u64,
}

/// What a reader finds in a journal.
pub(super) struct ReadJournal {
    pub lines: Vec<JournalLine>,
    pub is_damaged: bool,
}

impl HistoryJournal {
    /// Opens the journal for the holder of the lock, making it where it is missing.
    pub fn open(folder: StateDir) -> Result<Self, StoreError> {
        let file = folder.open(NAME)?;
        Self::new(folder, file)
    }

    /// Opens the journal for a reader, if it is there.
    pub fn open_existing(folder: StateDir) -> Result<Option<Self>, StoreError> {
        folder.open_existing(NAME)?.map(|file| Self::new(folder, file)).transpose()
    }

    /// Reads all lines without opening the journal.
    pub fn read_lines(folder: &StateDir) -> Result<ReadJournal, StoreError> {
        let bytes = folder.read(NAME)?.unwrap_or_default();
        let lines: Vec<_> = with_places(&bytes, 0).into_iter().map(|(_, line)| line).collect();
        let is_damaged = bytes.split_inclusive(|&byte| byte == b'\n').any(is_no_line)
            || has_lost_all(folder, lines.is_empty());
        Ok(ReadJournal { lines, is_damaged })
    }

    /// The journal in words, if it is damaged.
    pub fn damage(&self) -> Option<String> {
        self.is_damaged.then(|| damage_in_words(&self.folder))
    }

    fn new(folder: StateDir, file: File) -> Result<Self, StoreError> {
        let path = folder.path_of(NAME);
        let (newest, is_cut_short, is_damaged) = (Vec::new(), false, false);
        let mut journal = Self { folder, file, end: 0, newest, is_cut_short, is_damaged, beyond: 0 };
        journal.read_newest().map_err(StoreError::state_folder(&path))?;
        Ok(journal)
    }

    /// Reads the newest lines: those at the end of the file, and at least one if there is any.
    fn read_newest(&mut self) -> io::Result<()> {
        self.end = self.file.metadata()?.len();
        let mut length = BLOCK.min(self.end);
        loop {
            let start = self.end - length;
            let mut bytes = vec![0; length as usize];
            self.file.read_exact_at(&mut bytes, start)?;
            self.is_cut_short = bytes.last().is_some_and(|&last| last != b'\n');
            // The first line may begin before the bytes that were read; then it is none.
            self.newest = with_places(&bytes, start);
            if length == self.end || !self.newest.is_empty() {
                let last = bytes.split_inclusive(|&byte| byte == b'\n').next_back();
                self.is_damaged =
                    last.is_some_and(is_no_line) || has_lost_all(&self.folder, self.newest.is_empty());
                self.beyond = if self.is_damaged { newest_text(&self.folder) } else { 0 };
                return Ok(());
            }
            length = length.saturating_mul(2).min(self.end);
        }
    }

    /// Removes the file of a writer that was killed while it shortened the journal.
    pub fn clean(&self) {
        let _ = self.folder.remove(NEW_NAME);
    }

    pub fn last(&self) -> Option<&JournalLine> {
        self.newest.last().map(|(_, line)| line)
    }

    /// The number of the last line; 0 if there is none. Of a damaged journal, no text has a greater one.
    pub fn last_serial(&self) -> u64 {
        self.last().map_or(0, |line| line.serial).max(self.beyond)
    }

    /// The lines up to a serial number, the last one first.
    pub fn back_from(&self, serial: u64) -> impl Iterator<Item = JournalLine> {
        iter::successors(self.up_to(serial), |line| self.up_to(line.serial.checked_sub(1)?))
    }

    /// The line with a serial number.
    pub fn line(&self, serial: u64) -> Option<JournalLine> {
        self.up_to(serial).filter(|line| line.serial == serial)
    }

    /// The last change of the file.
    pub fn last_change(&self) -> Option<JournalLine> {
        self.back_from(u64::MAX).find(|line| !line.aside)
    }

    /// The revision of the file, as far as the journal knows.
    pub fn revision(&self) -> Option<Revision> {
        self.last_change()?.after
    }

    /// The last line up to a serial number.
    fn up_to(&self, serial: u64) -> Option<JournalLine> {
        let known = self.newest.iter().rfind(|(_, line)| line.serial <= serial);
        known.map(|(_, line)| line.clone()).or_else(|| self.split_behind(serial).0)
    }

    /// The lines behind a serial number, the last one last.
    pub fn behind(&self, serial: u64) -> impl Iterator<Item = JournalLine> {
        self.lines_from(self.split_behind(serial).1).map(|(line, _)| line)
    }

    /// The last line up to a serial number, and where the lines behind it begin.
    fn split_behind(&self, serial: u64) -> (Option<JournalLine>, u64) {
        let (mut low, mut high, mut found) = (0, self.end, None);
        while high.saturating_sub(low) > BLOCK {
            let middle = low + (high - low) / 2;
            match self.lines_from(middle).next() {
                Some((line, end)) if line.serial <= serial => (low, found) = (end, Some(line)),
                _ => high = middle,
            }
        }
        for (line, end) in self.lines_from(low).take_while(|(line, _)| line.serial <= serial) {
            (low, found) = (end, Some(line));
        }
        (found, low)
    }

    /// The lines that begin at `place` or behind it, and where each ends.
    fn lines_from(&self, place: u64) -> LinesFrom<'_> {
        // A line begins at `place` if the byte before is a line end.
        let before = place.saturating_sub(1);
        let file = ReadFrom { file: &self.file, place: before };
        let mut lines = LinesFrom { reader: BufReader::with_capacity(BLOCK as usize, file), end: before };
        if place > 0 {
            lines.end += lines.reader.skip_until(b'\n').map_or(0, |length| length as u64);
        }
        lines
    }

    /// Adds a line, which is durable after [`HistoryJournal::sync`]. If a crash cut the last line short, a
    /// line end goes first, so that only that line is lost.
    pub fn append(&mut self, line: JournalLine) -> io::Result<()> {
        let mut text = Vec::new();
        text.extend(self.is_cut_short.then_some(b'\n'));
        let start = self.end + text.len() as u64;
        serde_json::to_writer(&mut text, &line)?;
        text.push(b'\n');
        self.file.write_all_at(&text, self.end).inspect_err(|_| {
            // Removes a line that was written in part.
            let _ = self.file.set_len(self.end);
        })?;
        self.end += text.len() as u64;
        self.is_cut_short = false;
        self.newest.push((start, line));
        Ok(())
    }

    /// Makes the lines durable, and the names in the folder.
    pub fn sync(&self) -> io::Result<()> {
        let (folder, file) = at_once(|| self.folder.sync(), || self.file.sync_data());
        folder.and(file)
    }

    /// Removes the last line.
    pub fn withdraw(&mut self) -> io::Result<()> {
        let Some((start, _)) = self.newest.last() else { return Ok(()) };
        self.file.set_len(*start)?;
        self.read_newest()
    }

    /// Removes the lines up to a serial number.
    pub fn shorten(&mut self, serial: u64) -> io::Result<()> {
        let (_, start) = self.split_behind(serial);
        let mut text = vec![0; (self.end - start) as usize];
        self.file.read_exact_at(&mut text, start)?;
        let mut file = self.folder.open(NEW_NAME).map_err(io::Error::other)?;
        file.set_len(0)?;
        file.write_all(&text)?;
        file.sync_all()?;
        self.folder.rename(NEW_NAME, NAME)?;
        self.file = file;
        self.end -= start;
        self.newest.retain_mut(|(place, line)| {
            *place = place.saturating_sub(start);
            line.serial > serial
        });
        Ok(())
    }
}

/// Says what a user can do with a damaged journal.
pub(super) fn damage_in_words(folder: &StateDir) -> String {
    let (journal, folder) = (folder.path_of(NAME), folder.path());
    format!(
        "a part of the history can't be read: `{}` is damaged; earlier texts stand in `{}`",
        journal.display(),
        folder.display()
    )
}

/// True if a line is neither one of the journal nor the beginning of one that a crash cut short.
fn is_no_line(line: &[u8]) -> bool {
    // The next writer ends a line that was cut short: its line feed is no part of it.
    serde_json::from_slice::<JournalLine>(line.trim_ascii_end()).is_err_and(|error| !error.is_eof())
}

/// True if there are texts of several changes and no line. That of the first one may be there before its line.
fn has_lost_all(folder: &StateDir, has_no_line: bool) -> bool {
    has_no_line && newest_text(folder) > 1
}

/// The greatest number of a text in the folder of the history, whether or not it is compressed; 0 if there is none.
fn newest_text(folder: &StateDir) -> u64 {
    let names = fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let serial = |name: OsString| name.to_str()?.split_once('.')?.0.parse().ok();
    names.filter_map(serial).max().unwrap_or_default()
}

/// The lines of `bytes`, which begin at `start` in the file, with their places. One that a crash cut short
/// is skipped.
fn with_places(bytes: &[u8], start: u64) -> Vec<(u64, JournalLine)> {
    let mut place = start;
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').filter_map(|line| {
        let here = place;
        place += line.len() as u64;
        Some((here, serde_json::from_slice(line).ok()?))
    });
    lines.collect()
}

/// The lines of a journal from a place on, and where each ends.
struct LinesFrom<'a> {
    reader: BufReader<ReadFrom<'a>>,
    end: u64,
}

impl Iterator for LinesFrom<'_> {
    type Item = (JournalLine, u64);

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            // An older line that can't be read is taken to be none.
            match self.reader.read_until(b'\n', &mut bytes).ok()? {
                0 => return None,
                length => self.end += length as u64,
            }
            if let Ok(line) = serde_json::from_slice(&bytes) {
                return Some((line, self.end));
            }
        }
    }
}

/// Reads a file from a place on, and leaves its own position alone.
struct ReadFrom<'a> {
    file: &'a File,
    place: u64,
}

impl Read for ReadFrom<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(bytes, self.place)?;
        self.place += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::ConfFile;
    use super::*;

    /// A journal with lines of many lengths; after some comes one that was cut short.
    fn journal(place: &tempfile::TempDir, count: u64) -> HistoryJournal {
        let conf = ConfFile::resolve(&place.path().join("media.conf")).expect("the folder is there");
        let folder = StateDir::make(&conf).expect("the folder is ours").folder_in("history");
        let mut journal = HistoryJournal::open(folder.expect("it can be made")).expect("it is empty");
        for serial in 1..=count {
            let message = Some("m".repeat((serial * serial * 37 % 5000) as usize));
            let line = JournalLine { serial, message, aside: serial % 3 == 0, ..JournalLine::default() };
            journal.append(line).expect("there is room");
            if serial % 5 == 0 {
                journal.file.write_all_at(b"{\"serial\":", journal.end).expect("there is room");
                journal.read_newest().expect("it is there");
            }
        }
        journal
    }

    fn serials(journal: &HistoryJournal) -> Vec<u64> {
        journal.back_from(u64::MAX).map(|line| line.serial).collect()
    }

    #[test]
    fn every_line_is_found_wherever_it_is() {
        for count in [0, 1, 2, 60] {
            let place = tempfile::tempdir().expect("there is room");
            let mut journal = journal(&place, count);
            for from in [0, count / 3, count / 2, count] {
                journal.shorten(from).expect("there is room");
                let expected: Vec<u64> = (from + 1..=count).rev().collect();
                assert_eq!(serials(&journal), expected);
                journal = HistoryJournal::open(journal.folder).expect("it is ours");
                assert_eq!(serials(&journal), expected);
                let read = HistoryJournal::read_lines(&journal.folder).expect("it is ours");
                assert!(read.lines.iter().map(|line| line.serial).eq(expected.into_iter().rev()));
                assert!(!read.is_damaged && journal.damage().is_none(), "a crash is no damage");
                for serial in 0..=count + 1 {
                    let known = journal.line(serial).map(|line| line.serial);
                    assert_eq!(known, Some(serial).filter(|serial| (from + 1..=count).contains(serial)));
                }
            }
        }
    }

    #[test]
    fn a_line_that_is_withdrawn_is_gone_whatever_is_behind_it() {
        let place = tempfile::tempdir().expect("there is room");
        let mut journal = journal(&place, 10);
        for last in (0..10).rev() {
            journal.withdraw().expect("there is room");
            assert_eq!((journal.last_serial(), serials(&journal).len()), (last, last as usize));
        }
        journal.append(JournalLine { serial: 1, ..JournalLine::default() }).expect("there is room");
        assert_eq!(serials(&HistoryJournal::open(journal.folder).expect("it is ours")), [1]);
    }
}
