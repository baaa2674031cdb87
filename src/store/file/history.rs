//! The history: the earlier texts of the file, and the author of each change.
//!
//! `history/NUMBER.conf.gz` is the text after the change NUMBER, and the first change keeps the text before it, too, as
//! `0.conf`. A line of JSON in `history/journal`, a [`HistoryEntry`], says when, who, why, and which revisions were before
//! and after. Both are durable before the change is made, so that nothing has to be noted after it.
//!
//! The next writer compares the file with the last line ([`History::reconcile`]): if the file is still the
//! one that the change was to replace, untouched, the change was not made, and its line goes. Else, if
//! it does not hold the text of the change, somebody edited it by hand, which gets a line of its own. The
//! text of the change is there, whatever happened in between.
//!
//! A change keeps its number.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::mem::replace;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::thread;
use std::time::SystemTime;

use flate2::Compression;
use memchr::memmem;

use super::state::{StateDir, UNFINISHED};
use crate::error::Error;
use crate::store::{
    ChangedPaths, DEFAULT_KEEP, FileStamp, HAND_EDIT, HistoryEntry, Loaded, Reconciled, Revision, gunzip,
    gzip,
};

/// Name of the folder in the state folder.
pub(super) const FOLDER: &str = "history";

/// Name of the journal in the folder.
pub(super) const JOURNAL: &str = "journal";

/// The file that holds how many changes are kept, if the user ever chose.
pub(super) const KEEP: &str = "keep";

/// The number of the text before the first change, unless another text has it.
pub(super) const FIRST: u64 = 0;

/// A file that is in the folder while a new configuration is being made. If the configuration is missing later, this says
/// that it was never made.
const MAKING: &str = "making";

/// The end of the name of a text that is not compressed.
pub(super) const TEXT: &str = ".conf";

/// The bytes from which on a new file is made by a thread of its own: for smaller ones a thread takes longer.
const LARGE: usize = 256 << 10;

impl FileStamp {
    pub(super) fn of(found: &Metadata) -> Self {
        Self { inode: found.ino(), changed: (found.ctime(), found.ctime_nsec()) }
    }

    /// That of the file at a path; `None` if there is none.
    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|found| Self::of(&found))
    }
}

/// The lines of a journal, the last one first, each with its beginning. One that can't be read, such as one that a crash cut
/// short, is taken to be none.
pub(super) fn lines_back(journal: &[u8]) -> impl Iterator<Item = (usize, HistoryEntry)> {
    let mut start = journal.len();
    journal.split_inclusive(|&byte| byte == b'\n').rev().filter_map(move |line| {
        start -= line.len();
        Some((start, serde_json::from_slice::<HistoryEntry>(line).ok()?.renamed()))
    })
}

/// The number of changes that a history keeps: what the user chose last.
pub(super) fn number_kept(chosen: Option<Vec<u8>>) -> u64 {
    let chosen = chosen.and_then(|text| str::from_utf8(&text).ok()?.trim().parse().ok());
    chosen.unwrap_or(DEFAULT_KEEP as u64).max(1)
}

/// The history, with its journal read whole.
#[derive(Debug)]
pub(super) struct History {
    folder: StateDir,
    journal: Vec<u8>,
    /// The files as they would be in the folder, which is one of version 0.1.
    converted: Option<BTreeMap<String, Vec<u8>>>,
}

impl History {
    /// The history in a state folder; `None` if the file was never changed.
    pub fn find(state: &StateDir) -> Result<Option<Self>, Error> {
        state.find_in(FOLDER)?.map(|folder| Self::read_from(folder, None)).transpose()
    }

    /// The history for the holder of the lock, made where it is missing.
    pub fn make(state: &StateDir) -> Result<Self, Error> {
        Self::read_from(state.folder_in(FOLDER)?, None)
    }

    /// The history in a folder, or in the files that the writer who converts it puts there.
    pub fn read_from(folder: StateDir, converted: Option<BTreeMap<String, Vec<u8>>>) -> Result<Self, Error> {
        let mut history = Self { folder, journal: Vec::new(), converted };
        history.journal = history.read(JOURNAL)?.unwrap_or_default();
        Ok(history)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        if let Some(files) = &self.converted { Ok(files.get(name).cloned()) } else { self.folder.read(name) }
    }

    /// The texts, whether or not they are compressed or finished: the number and the name of each.
    fn texts(&self) -> Result<Vec<(u64, String)>, Error> {
        let named = |name: String| Some((name.split_once(TEXT)?.0.parse().ok()?, name));
        let names = self.converted.as_ref().map(|files| files.keys().cloned().collect());
        Ok(names.map_or_else(|| self.folder.names(), Ok)?.into_iter().filter_map(named).collect())
    }

    /// True if the change is only being made, or was cut short; `file` is the present file.
    fn is_unmade(&self, line: &HistoryEntry, file: Option<FileStamp>) -> bool {
        let is_being_made = || line.before.is_none() && self.folder.path_of(MAKING).exists();
        line.file == file && (file.is_some() || is_being_made())
    }

    /// The number after that of the last line; where the journal is damaged, one that no text in the folder has. A killed
    /// writer leaves one text without a line.
    fn next_number(&self, texts: &[(u64, String)]) -> u64 {
        let last = lines_back(&self.journal).next().map_or(0, |(_, line)| line.number);
        let newest = texts.iter().map(|(number, _)| *number).max().unwrap_or_default();
        if newest > last + 1 { newest + 1 } else { last + 1 }
    }

    /// The last change of the file in front of a place of the journal.
    fn change_before(&self, end: usize) -> Option<HistoryEntry> {
        lines_back(&self.journal[..end]).map(|(_, line)| line).find(|line| !line.is_aside)
    }

    /// The line with a number, and its beginning. Only that one is parsed.
    fn line(&self, number: u64) -> Option<(usize, HistoryEntry)> {
        let begins = format!("{{\"number\":{number},");
        memmem::rfind_iter(&self.journal, begins.as_bytes()).find_map(|start| {
            let is_start = start == 0 || self.journal[start - 1] == b'\n';
            let line = self.journal[start..].split(|&byte| byte == b'\n').next().filter(|_| is_start)?;
            Some((start, serde_json::from_slice(line).ok()?))
        })
    }

    /// The changes, the last one first, without the oldest ones, whose texts are not kept any more: the last `wanted`, and
    /// more up to one of the file. `file` is the present file.
    pub fn entries(&self, file: Option<FileStamp>, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        let oldest = self.texts()?.into_iter().map(|(number, _)| number).min().unwrap_or_default();
        let mut lines = lines_back(&self.journal).map(|(_, line)| line).peekable();
        lines.next_if(|last| self.is_unmade(last, file));
        // The journal is shortened later than texts are removed.
        let is_made_then = |line: &HistoryEntry| line.number == oldest && line.before.is_none();
        let kept = lines.filter(|line| line.number > oldest || is_made_then(line));
        let mut is_enough = false;
        let is_last = |count, line: &HistoryEntry| count >= wanted && !line.is_aside;
        let shown = kept.zip(1..).take_while(|(line, count)| !replace(&mut is_enough, is_last(*count, line)));
        let by = |by: Option<String>| by.filter(|by| !by.is_empty());
        Ok(shown.map(|(line, _)| HistoryEntry { by: by(line.by), file: None, ..line }).collect())
    }

    /// The text before a change, or that of an entry that is no change of the file; `None` if there was none, or if it is
    /// not kept any more.
    pub fn text_before(&self, number: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some((start, line)) = self.line(number) else { return Ok(None) };
        let Some(before) = line.before else { return Ok(None) };
        let [one, other] = match self.change_before(start) {
            _ if line.is_aside => [number; 2],
            Some(change) => [change.number; 2],
            None => [FIRST, number.saturating_sub(1)],
        };
        self.text(one, before)?.map_or_else(|| self.text(other, before), |text| Ok(Some(text)))
    }

    /// The texts before and after a change, and the inode of the file that it was to replace.
    pub fn texts_of(&self, number: u64) -> Option<([Vec<u8>; 2], u64)> {
        let (_, line) = self.line(number)?;
        let texts = [self.text_before(number).ok()??, self.text(number, line.after?).ok()??];
        Some((texts, line.file?.inode))
    }

    /// The text of the last change and its revision, if the file, which is `file` and has the revision `now`, was
    /// edited by hand since, and that text is known.
    pub fn edited_from(&self, file: Option<FileStamp>, now: Revision) -> Option<Vec<u8>> {
        let mut lines = lines_back(&self.journal).map(|(_, line)| line).peekable();
        lines.next_if(|last| self.is_unmade(last, file));
        let last = lines.find(|line| !line.is_aside)?;
        self.text(last.number, last.after.filter(|after| *after != now)?).ok()?
    }

    /// The text with this number and this revision.
    fn text(&self, number: u64, revision: Revision) -> Result<Option<Vec<u8>>, Error> {
        let packed = self.read(&packed(number))?.and_then(|bytes| gunzip(&bytes, u64::MAX));
        let texts = [packed, self.read(&plain(number))?];
        Ok(texts.into_iter().flatten().find(|text| Revision::from_text(text) == revision))
    }

    /// Reconciles the history with the file at `path`, which holds `now`, or is missing.
    pub fn reconcile(
        &mut self,
        path: &Path,
        now: Option<&Loaded>,
        paths: &dyn Fn([&[u8]; 2]) -> Option<ChangedPaths>,
    ) -> Result<Reconciled, Error> {
        let revision = now.map(Loaded::revision);
        let last = lines_back(&self.journal).next().filter(|(_, last)| last.before == revision);
        if let Some((start, last)) = last.filter(|(_, last)| self.is_unmade(last, FileStamp::at(path))) {
            self.withdraw(start, last.number)?;
        }
        let last = self.change_before(self.journal.len()).filter(|last| last.after != revision);
        let Some(last) = last else { return Ok(Reconciled::default()) };
        let written = fs::symlink_metadata(path).and_then(|found| found.modified());
        let now_time = SystemTime::now();
        let edited_from = last.after.and_then(|after| self.text(last.number, after).ok()?);
        let texts = edited_from.as_deref().zip(now);
        let line = HistoryEntry {
            at: written.map_or(now_time, |written| written.min(now_time)).max(last.at),
            before: last.after,
            after: revision,
            paths: texts.and_then(|(old, now)| paths([old, &now.bytes])),
            ..HistoryEntry::new(self.next_number(&self.texts()?), HAND_EDIT)
        };
        self.record(&line, now.map(|now| &now.bytes[..]))?;
        self.forget(None);
        Ok(Reconciled { warnings: Vec::new(), edited_from })
    }

    /// Keeps the text after a change, and adds the line; makes both durable. If a crash cut the last line short, a line end
    /// goes first, so that only that line is lost.
    fn record(&mut self, line: &HistoryEntry, after: Option<&[u8]>) -> Result<(), Error> {
        after.map_or(Ok(()), |after| self.folder.put(&packed(line.number), &[&compressed(after)]))?;
        let mut text = Vec::new();
        text.extend(self.journal.last().filter(|&&last| last != b'\n').map(|_| b'\n'));
        let (file, _) = self.folder.open(JOURNAL)?;
        let length = self.journal.len() as u64;
        let mut write = || -> io::Result<()> {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
            file.write_all_at(&text, length)?;
            file.sync_data()?;
            self.folder.sync()
        };
        let written = write().map_err(|error| {
            // Removes a line that was written in part.
            let _ = file.set_len(length);
            Error::state_folder(&self.folder.path)(error)
        });
        written.map(|()| self.journal.extend(text))
    }

    /// Removes the last line, which begins at `start`, its text, and the mark of a new configuration.
    fn withdraw(&mut self, start: usize, number: u64) -> Result<(), Error> {
        let (file, _) = self.folder.open(JOURNAL)?;
        file.set_len(start as u64).map_err(Error::state_folder(&self.folder.path))?;
        self.journal.truncate(start);
        let _ = self.folder.remove(&packed(number));
        let _ = self.folder.remove(MAKING);
        Ok(())
    }

    /// Removes the texts that are older than the changes that are kept: as many as `chosen`, else as before. What fails
    /// here is tried again by the next change.
    fn forget(&mut self, chosen: Option<usize>) {
        let Ok(before) = self.read(KEEP).map(number_kept) else { return };
        let keep = chosen.map_or(before, |chosen| chosen.max(1) as u64);
        if keep != before {
            let _ = self.folder.put(KEEP, &[format!("{keep}\n").as_bytes()]);
        }
        let newest = lines_back(&self.journal).next().map_or(0, |(_, line)| line.number);
        let Some(last) = newest.checked_sub(keep) else { return };
        let end = self.line(last + 1).map_or(self.journal.len(), |(start, _)| start);
        // Its text is that before the oldest change that is kept.
        let oldest = lines_back(&self.journal[..end]).find(|(_, line)| line.number <= last && !line.is_aside);
        let Some((start, oldest)) = oldest else { return };
        for (_, name) in self.texts().iter().flatten().filter(|(number, _)| *number < oldest.number) {
            let _ = self.folder.remove(name);
        }
        let dropped = self.journal[..start].iter().filter(|&&byte| byte == b'\n').count() as u64;
        if dropped > keep && self.folder.put(JOURNAL, &[&self.journal[start..]]).is_ok() {
            self.journal.drain(..start);
        }
    }
}

/// The history entry of a change that is about to be made; dropped before [`Staged::finish`], it is withdrawn.
pub(super) struct Staged {
    history: History,
    pub number: u64,
    keep: Option<usize>,
    /// True if the change makes the file.
    is_new: bool,
    /// True if the line stays.
    pub stays: bool,
}

impl Staged {
    /// Keeps the new text and records the change, durably: from `old`, the text of the file at `path`, which is as `found`,
    /// to `new`. Meanwhile `make_file` makes the new file.
    pub fn stage<T: Send>(
        mut history: History,
        path: &Path,
        old: Option<(&Loaded, &Metadata)>,
        new: Option<&[u8]>,
        record: &HistoryEntry,
        make_file: impl Fn() -> Result<T, Error> + Sync,
    ) -> Result<(Self, T), Error> {
        let text = old.map(|(old, _)| &old.bytes[..]);
        history.reconcile(path, old.map(|(old, _)| old), &|_| None)?;
        let texts = history.texts()?;
        for (_, name) in texts.iter().filter(|(_, name)| name.ends_with(UNFINISHED)) {
            // A killed writer left it.
            let _ = history.folder.remove(name);
        }
        let mut number = history.next_number(&texts);
        if let (None, Some(text)) = (history.change_before(history.journal.len()), text) {
            let is_taken = number > 1 && texts.iter().any(|(taken, _)| *taken == FIRST);
            let first = if is_taken { number } else { FIRST };
            history.folder.put(&plain(first), &[text])?;
            number = number.max(first + 1);
        }
        let line = HistoryEntry {
            number,
            at: SystemTime::now(),
            before: old.map(|(old, _)| old.revision()),
            after: record.after.or_else(|| new.map(Revision::from_text)),
            file: old.map(|(_, found)| FileStamp::of(found)),
            ..record.clone()
        };
        let mut staged = Self { history, number, keep: record.keep, is_new: old.is_none(), stays: false };
        if staged.is_new {
            staged.history.folder.open(MAKING)?;
        }
        let (recorded, made) = thread::scope(|scope| {
            let is_large = new.is_some_and(|new| new.len() >= LARGE);
            let spawn = || thread::Builder::new().spawn_scoped(scope, &make_file).ok();
            let making = is_large.then(spawn).flatten();
            let recorded = staged.history.record(&line, new);
            (recorded, making.map_or_else(&make_file, |thread| thread.join().expect("it does not panic")))
        });
        let made = made?;
        recorded.map(|()| (staged, made))
    }

    /// Completes the entry of a change that was made.
    pub fn finish(mut self) {
        self.stays = true;
        if self.is_new {
            let _ = self.history.folder.remove(MAKING);
        }
        self.history.forget(self.keep);
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        // If this fails, the next writer withdraws the entry.
        let last = lines_back(&self.history.journal).next().filter(|(_, last)| last.number == self.number);
        let start = last.map_or(self.history.journal.len(), |(start, _)| start);
        let _ = self.history.withdraw(start, self.number);
    }
}

/// The name of a text that is not compressed.
pub(super) fn plain(number: u64) -> String {
    format!("{number}{TEXT}")
}

/// The name of a text that is compressed.
fn packed(number: u64) -> String {
    format!("{number}{TEXT}.gz")
}

pub(super) fn compressed(text: &[u8]) -> Vec<u8> {
    gzip(text, Compression::fast())
}
