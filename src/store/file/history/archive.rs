//! Archives: the texts of older changes, compressed.
//!
//! Programs that still have an old file open may write into it, so the newest [`LOOKED_AT`] texts stay as they
//! are. An older one goes into an archive, and its name becomes a link to that:
//!
//! ```text
//! 12.conf -> 12.conf.gz      a large text, alone: `gunzip -c 12.conf.gz` shows it
//! 13.conf -> 13.pack.gz      small texts share an archive, and so the blocks of the disk
//! ```
//!
//! An archive is a row of members of gzip. Each has the name of its text in its header, and a checksum, and none
//! needs another; so what is damaged is told, and costs that text alone. A link leads to an archive once that is
//! durable: until then the text has its name.
//!
//! The programs before this one do not follow the links, and say so.

use std::io::{self, Read, Write};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use memchr::memmem;

use super::super::file_stamp::LastWrite;
use super::super::history_journal::{HistoryJournal, JournalLine};
use super::super::state_dir::StateDir;
use crate::store::error::StoreError;
use crate::store::revision::Revision;

/// The number of the newest texts that each change examines for writes by programs that still have them open. They
/// are not archived.
pub(super) const LOOKED_AT: u64 = 8;

/// The end of the name of a kept text.
pub(super) const KEPT: &str = ".conf";

/// The size from which a text has an archive of its own.
const LARGE: u64 = 64 * 1024;

/// The number of small texts that are archived at once. Fewer wait for others.
const BATCH: usize = 8;

/// The number of large texts that are archived by one change; it makes one, so that old folders get smaller.
const LARGE_AT_ONCE: usize = 2;

/// The number of lines of the journal that one change looks at.
const WINDOW: usize = 64;

/// The size from which no more texts are added to an archive.
const FULL: u64 = 64 * 1024;

/// The ends of the names of archives.
const ALONE: &str = ".conf.gz";
const PACK: &str = ".pack.gz";

/// The names under which an archive is written, and a link made, first.
const NEW_ARCHIVE: &str = "archive.new";
const NEW_LINK: &str = "link.new";

/// The file that holds the number up to which all texts are archived.
const MARK: &str = "archived";

/// The header of a member: gzip, deflate, with a name; its time, and how it was made, follow in six bytes.
const HEADER: &[u8] = &[0x1f, 0x8b, 8, 8];
const BEFORE_NAME: usize = 10;

/// The texts that one change archives.
pub(super) struct Batch {
    pub lines: Vec<JournalLine>,
    is_large: bool,
    /// The number up to which nothing is left to be archived then.
    up_to: u64,
}

/// An archive that is durable, and the texts that were written to it, as they were then.
pub(super) struct Archive {
    name: String,
    texts: Vec<(u64, LastWrite)>,
}

impl Batch {
    /// The texts that the change `serial` archives; none as long as a few small ones wait for others.
    pub fn due(journal: &HistoryJournal, serial: u64) -> Option<Self> {
        let newest = serial.saturating_sub(LOOKED_AT);
        let begin = mark(&journal.folder).filter(|mark| *mark <= newest).unwrap_or(0);
        let window: Vec<_> =
            journal.behind(begin).take_while(|line| line.serial <= newest).take(WINDOW).collect();
        let (is_full, up_to) = (window.len() == WINDOW, window.last()?.serial);
        let size = |line: &JournalLine| Some(journal.folder.last_write(&kept_name(line.serial))?.size);
        let mut loose = window.into_iter().filter_map(|line| Some((size(&line)? >= LARGE, line))).peekable();
        let Some(&(is_large, _)) = loose.peek() else {
            return is_full.then_some(Self { lines: Vec::new(), is_large: false, up_to });
        };
        let most = if is_large { LARGE_AT_ONCE } else { WINDOW };
        let same = std::iter::from_fn(|| loose.next_if(|(other, _)| *other == is_large));
        let lines: Vec<_> = same.take(most).map(|(_, line)| line).collect();
        let waits = !is_large && !is_full && lines.len() < BATCH && loose.peek().is_none();
        (!waits).then_some(Self { is_large, up_to: lines.last()?.serial, lines })
    }

    /// Writes the archives, durably. The texts keep their names.
    pub fn write(&self, folder: &StateDir) -> io::Result<Vec<Archive>> {
        let share = if self.is_large { 1 } else { WINDOW };
        let archives: io::Result<Vec<_>> =
            self.lines.chunks(share).map(|lines| self.write_one(folder, lines)).collect();
        if archives.is_err() {
            let _ = folder.remove(NEW_ARCHIVE);
        }
        folder.sync()?;
        archives
    }

    fn write_one(&self, folder: &StateDir, lines: &[JournalLine]) -> io::Result<Archive> {
        let serial = lines.first().map_or(0, |line| line.serial);
        let grown = if self.is_large { None } else { unfilled(folder) };
        let name = grown.unwrap_or_else(|| format!("{serial}{}", if self.is_large { ALONE } else { PACK }));
        // Some file systems have no links: there, texts stay as they are.
        folder.symlink(&name, NEW_LINK)?;
        folder.remove(NEW_LINK)?;
        let mut file = folder.open(NEW_ARCHIVE).map_err(io::Error::other)?;
        file.set_len(0)?;
        if !self.is_large {
            let before = folder.read(&name).map_err(io::Error::other)?;
            file.write_all(&before.unwrap_or_default())?;
        }
        let mut texts = Vec::new();
        for line in lines {
            texts.extend(add(folder, &mut file, line)?.map(|found| (line.serial, found)));
        }
        file.sync_all()?;
        folder.rename(NEW_ARCHIVE, &name)?;
        Ok(Archive { name, texts })
    }

    /// Makes links of the names of the texts. A text into which a program wrote meanwhile stays as it is.
    pub fn finish(&self, folder: &StateDir, archives: &[Archive]) {
        for Archive { name, texts } in archives {
            for (serial, found) in texts {
                let text = kept_name(*serial);
                if folder.last_write(&text) == Some(*found) {
                    let _ = folder.symlink(name, NEW_LINK).and_then(|()| folder.rename(NEW_LINK, &text));
                }
            }
        }
        let is_loose = |line: &&JournalLine| folder.last_write(&kept_name(line.serial)).is_some();
        let up_to = self.lines.iter().find(is_loose).map_or(self.up_to, |left| left.serial - 1);
        // If this fails, a later change looks at these texts again.
        let mark = format!("{up_to}\n");
        let _ =
            folder.open(MARK).map(|mut file| file.set_len(0).and_then(|()| file.write_all(mark.as_bytes())));
    }
}

/// The name of a kept text.
pub(super) fn kept_name(serial: u64) -> String {
    format!("{serial}{KEPT}")
}

/// Removes what a writer that was killed has left.
pub(super) fn clean(folder: &StateDir) {
    let _ = folder.remove(NEW_ARCHIVE);
    let _ = folder.remove(NEW_LINK);
}

/// Returns the text that is kept with a change, whether it is archived or not; `None` if it is not kept.
pub(super) fn kept_text(folder: &StateDir, serial: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let name = kept_name(serial);
    let found = folder.read_kept(&name);
    match folder.link_of(&name).filter(|target| found.is_err() && is_archive(target)) {
        Some(archive) => unpack(folder, &archive, &name),
        None => found,
    }
}

/// Removes the name of a text, and the archive that is its own. Returns false if there is no such text.
pub(super) fn remove_text(folder: &StateDir, serial: u64) -> bool {
    let name = kept_name(serial);
    let target = folder.link_of(&name);
    let is_removed = folder.remove(&name).is_ok();
    if let Some(archive) = target.filter(|target| is_removed && target.ends_with(ALONE) && is_archive(target))
    {
        let _ = folder.remove(&archive);
    }
    is_removed
}

/// Removes the archives to which no text leads any more.
pub(super) fn remove_unused(folder: &StateDir) {
    let names = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
    let names: Vec<_> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let texts = names.iter().filter(|name| name.ends_with(KEPT));
    let used: Vec<_> = texts.filter_map(|name| folder.link_of(name)).collect();
    for archive in names.iter().filter(|name| is_archive(name) && !used.contains(name)) {
        let _ = folder.remove(archive);
    }
}

/// The number up to which all texts are archived, as far as is known.
fn mark(folder: &StateDir) -> Option<u64> {
    std::str::from_utf8(&folder.read(MARK).ok()??).ok()?.trim().parse().ok()
}

/// The archive to which small texts were added last, if there is room.
fn unfilled(folder: &StateDir) -> Option<String> {
    let last = folder.link_of(&kept_name(mark(folder)?))?;
    let has_room = folder.last_write(&last).is_some_and(|found| found.size < FULL);
    (has_room && last.ends_with(PACK) && is_archive(&last)).then_some(last)
}

/// True for the name of an archive, and not for any other path.
fn is_archive(name: &str) -> bool {
    let serial = name.strip_suffix(ALONE).or_else(|| name.strip_suffix(PACK));
    serial.is_some_and(|serial| serial.parse::<u64>().is_ok_and(|number| number.to_string() == serial))
}

/// Adds a text to an archive. `None` if it is not there, or is another than the one that was replaced: the next change
/// looks at that.
fn add(folder: &StateDir, archive: &mut impl Write, line: &JournalLine) -> io::Result<Option<LastWrite>> {
    let name = kept_name(line.serial);
    let Some(found) = folder.last_write(&name) else { return Ok(None) };
    let is_as_replaced = line.replaced.is_some_and(|written| found.same_time_as(&written));
    if line.linked && !is_as_replaced && !is_of_revision(folder, line)? {
        return Ok(None);
    }
    let Some(mut text) = folder.open_kept(&name).map_err(io::Error::other)? else { return Ok(None) };
    let member = GzBuilder::new().filename(name).mtime(line.at.try_into().unwrap_or_default());
    let mut member = member.write(archive, Compression::fast());
    io::copy(&mut text, &mut member)?;
    member.finish()?;
    Ok(Some(found))
}

/// True if the text has the revision that the journal knows: a copy of the folder may have other times.
fn is_of_revision(folder: &StateDir, line: &JournalLine) -> io::Result<bool> {
    let text = folder.read_kept(&kept_name(line.serial)).map_err(io::Error::other)?;
    Ok(text.is_some_and(|text| line.before == Some(Revision::from_text(&text))))
}

fn unpack(folder: &StateDir, archive: &str, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(bytes) = folder.read(archive)? else { return Ok(None) };
    let mut text = Vec::new();
    let read = member(&bytes, name).and_then(|member| GzDecoder::new(member).read_to_end(&mut text));
    match read {
        Ok(_) => Ok(Some(text)),
        Err(error) => {
            let damaged = io::Error::other(format!("`{name}` is damaged in it: {error}"));
            Err(StoreError::io("read", &folder.path_of(archive))(damaged))
        }
    }
}

/// The bytes from the member with this name on. The last one of a name holds: a writer that was killed may have
/// added a text that is added again.
fn member<'a>(archive: &'a [u8], name: &str) -> io::Result<&'a [u8]> {
    let header = [name.as_bytes(), b"\0"].concat();
    let begins = |end: usize| end.checked_sub(BEFORE_NAME).filter(|at| archive[*at..].starts_with(HEADER));
    let found = memmem::rfind_iter(archive, &header).find_map(begins);
    found.map(|at| &archive[at..]).ok_or_else(|| io::Error::other("it is not there"))
}
