//! Finds the state folder for whoever reads or writes, and makes it out of that of version 0.1, or out of that of an
//! earlier owner of the file.
//!
//! Version 0.1 had it in `.mediactl/FILE/`. Its history kept the text *before* each change, as a file of its own, or as
//! a link to an archive of gzip members, and beside the newest ones a delta that gives the text after the change. The
//! first writer makes the new folder as `.FILE.mediactl-new`, renames it to `.FILE.mediactl`, and removes the old one.
//! A reader reads either. This file goes when nobody has such a folder any more.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use flate2::read::GzDecoder;
use memchr::memmem;
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use serde::Deserialize;

use super::find::{ConfFile, read_whole};
use super::history::{
    FIRST, FOLDER, JOURNAL, JournalLine, KEEP, compressed, damage_in_words, entries, number_kept, packed,
    plain, read_lines,
};
use super::lock::{LOCK, LockAttempt, PROBE_WAIT, SERVE_LOCK};
use super::state::{Entered, StateDir, UNFINISHED};
use crate::error::{Error, ErrorKind};
use crate::store::change_record::HistoryEntry;
use crate::store::error::LockHolder;
use crate::store::replaceable_file::LastWrite;
use crate::store::revision::Revision;

/// The file that has the number of the folder of version 0.1 until that is removed.
const CONVERTED: &str = "converted";

/// The end of the name of a folder that is being made, and of one that is being removed.
const NEW: &str = "-new";

/// The name in the new folder of a history of which a text could not be read.
const FORMER_HISTORY: &str = "history.0.1";

/// The locks of the state folder of version 0.1. As long as they are held, no program of that version writes.
#[derive(Debug)]
pub(super) struct FormerLocks {
    state: StateDir,
    _lock: File,
    _serve_lock: File,
}

/// The name of the folder that a writer leaves which is killed while it makes the state folder.
pub(super) fn unfinished(conf: &ConfFile) -> OsString {
    conf.beside(NEW).file_name().unwrap_or_default().to_owned()
}

/// The state folder for a reader: that of version 0.1 where no other is there.
pub(super) fn find_state(conf: &ConfFile) -> Result<Option<StateDir>, Error> {
    match StateDir::find(conf)? {
        Some(state) => Ok(Some(state)),
        None => StateDir::find_former(conf),
    }
}

/// The state folder for a writer, made where it is missing; and the locks of that of version 0.1, where it is there.
pub(super) fn make_state(
    conf: &ConfFile,
    wait: Duration,
    on_wait: &mut dyn FnMut(&LockHolder),
) -> Result<(StateDir, Option<FormerLocks>), Error> {
    loop {
        let locks = match StateDir::find_former(conf)? {
            Some(former) => match lock_former(conf, former, wait, on_wait)? {
                None => continue,
                locks => locks,
            },
            None => None,
        };
        if let Some(locks) = &locks
            && fs::symlink_metadata(conf.state_dir()).is_err()
        {
            convert(conf, &locks.state)?;
        }
        let state = match StateDir::enter(conf)? {
            Entered::Usable(state) => state,
            Entered::OfOtherOwner(state) => match take_over(conf, state, wait, on_wait)? {
                Some(state) => state,
                None => continue,
            },
        };
        if state.has(CONVERTED) {
            remove_converted(conf, &state, locks.as_ref());
        }
        return Ok((state, locks));
    }
}

/// Takes the locks of version 0.1; `None` if its folder is gone by then.
fn lock_former(
    conf: &ConfFile,
    state: StateDir,
    wait: Duration,
    on_wait: &mut dyn FnMut(&LockHolder),
) -> Result<Option<FormerLocks>, Error> {
    let path = || conf.target().to_owned();
    let lock = match state.take_lock(LOCK, wait, on_wait)? {
        LockAttempt::Taken(lock) => lock,
        LockAttempt::HeldBy(holder) => return Err(Error::locked(&path(), holder)),
        LockAttempt::Moved => return Ok(None),
    };
    match state.take_lock(SERVE_LOCK, PROBE_WAIT, &mut |_| ())? {
        LockAttempt::Taken(serve) => Ok(Some(FormerLocks { state, _lock: lock, _serve_lock: serve })),
        LockAttempt::HeldBy(holder) => Err(Error::already_served(&path(), holder)),
        LockAttempt::Moved => Ok(None),
    }
}

/// Makes the state folder out of that of version 0.1.
fn convert(conf: &ConfFile, former: &StateDir) -> Result<(), Error> {
    let path = conf.beside(NEW);
    let filled = make_new(conf, former).and_then(|new| {
        copy_files(former, &new, Copied::All)?;
        if let Some(history) = FormerHistory::find(conf, former)? {
            let folder = new.folder_in(FOLDER)?;
            if !history.write_to(&folder)? {
                copy_files(&history.folder, &new.folder_in(FORMER_HISTORY)?, Copied::All)?;
            }
            folder.sync().map_err(Error::state_folder(folder.path()))?;
        }
        new.put(CONVERTED, &[former.metadata()?.ino().to_string().as_bytes()])?;
        new.sync().map_err(Error::state_folder(&path))?;
        fs::rename(&path, conf.state_dir()).map_err(Error::state_folder(&conf.state_dir()))
    });
    sync_folder(conf);
    filled.inspect_err(|_| remove_tree(&path))
}

/// Removes the folder of version 0.1 out of which `state` was made.
fn remove_converted(conf: &ConfFile, state: &StateDir, locks: Option<&FormerLocks>) {
    let (path, former) = (conf.beside(NEW), conf.former_state_dir());
    let number = |locks: &FormerLocks| Some(locks.state.metadata().ok()?.ino().to_string().into_bytes());
    if let Some(locks) = locks
        && number(locks).is_some_and(|number| state.read(CONVERTED).is_ok_and(|read| read == Some(number)))
    {
        remove_tree(&path);
        if fs::rename(&former, &path).is_err() {
            // The next writer tries again.
            return;
        }
    }
    let _ = former.parent().map(fs::remove_dir);
    // As long as the folder is there, no other one has its number.
    let _ = state.remove(CONVERTED);
    remove_tree(&path);
}

/// Makes the state folder out of that of an earlier owner of the file: its own files are copied, and no link is
/// followed. `None` if another process was faster, or the folder has to be entered again.
fn take_over(
    conf: &ConfFile,
    state: StateDir,
    wait: Duration,
    on_wait: &mut dyn FnMut(&LockHolder),
) -> Result<Option<StateDir>, Error> {
    let earlier = state.of_earlier_owner()?;
    let _lock = match earlier.take_lock(LOCK, wait, on_wait)? {
        LockAttempt::Taken(lock) => lock,
        LockAttempt::HeldBy(holder) => {
            return Err(Error::locked(conf.target(), holder));
        }
        LockAttempt::Moved => return Ok(None),
    };
    let LockAttempt::Taken(_serve_lock) = earlier.take_lock(SERVE_LOCK, Duration::ZERO, &mut |_| ())? else {
        // A server runs over it, and goes on with it. The first change without a server copies it.
        state.refuse_of_stranger(&state.metadata()?)?;
        return Ok(Some(state));
    };
    let path = conf.beside(NEW);
    let new = make_new(conf, &state)?;
    let taken = match state.trust().has_given(&new.metadata()?) {
        true => copy_and_exchange(conf, &earlier, &new),
        // A root that may not give files away goes on with what it finds.
        false => Ok(false),
    };
    remove_tree(&path);
    if taken? {
        return Ok(None);
    }
    state.claim(&state.metadata()?)?;
    Ok(Some(state))
}

/// Copies the folder of an earlier owner to the new one, which takes its place; false where the file system can't exchange
/// the two. The old one then has the name of the new one, unless something was not copied.
fn copy_and_exchange(conf: &ConfFile, earlier: &StateDir, new: &StateDir) -> Result<bool, Error> {
    let mut is_whole = copy_files(earlier, new, Copied::OfOneName)?;
    if let Some(history) = earlier.find_in(FOLDER)? {
        is_whole &= copy_files(&history, &new.folder_in(FOLDER)?, Copied::OfOneName)?;
    }
    let left = conf.beside(&format!("-left-{}", earlier.metadata()?.ino()));
    let from = if is_whole { new.path() } else { &left };
    if !is_whole {
        // It stays there for whoever looks for what was not copied.
        fs::rename(new.path(), &left).map_err(Error::state_folder(new.path()))?;
    }
    match rustix::fs::renameat_with(CWD, from, CWD, conf.state_dir(), RenameFlags::EXCHANGE) {
        Ok(()) => {
            sync_folder(conf);
            Ok(true)
        }
        Err(error) => {
            remove_tree(from);
            match error {
                Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => Ok(false),
                error => Err(Error::state_folder(new.path())(error)),
            }
        }
    }
}

/// An empty folder of that name beside the file, for the users who are trusted by another one.
fn make_new(conf: &ConfFile, like: &StateDir) -> Result<StateDir, Error> {
    let path = conf.beside(NEW);
    remove_tree(&path);
    let (new, _) = StateDir::make_at(conf, path, like.trust())?;
    new.claim(&new.metadata()?)?;
    Ok(new)
}

fn remove_tree(path: &Path) {
    // If something stays, the next writer removes it, or says why it can't.
    let _ = fs::remove_dir_all(path);
}

fn sync_folder(conf: &ConfFile) {
    // A folder that can't be synced is legal; after a power failure the one or the other is there.
    let _ = File::open(conf.folder()).and_then(|folder| folder.sync_all());
}

/// The files of a folder that are copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// All regular files.
    All,
    /// Those that have no other name: one that an earlier owner made may be that of another user.
    OfOneName,
}

/// Copies files; false if some were left out. What each process makes anew is not copied.
fn copy_files(from: &StateDir, to: &StateDir, which: Copied) -> Result<bool, Error> {
    let mut is_whole = true;
    for name in from.names()? {
        let is_made_anew = [LOCK, SERVE_LOCK, ".gitignore", CONVERTED].contains(&&*name)
            || name.ends_with(UNFINISHED)
            || name.starts_with("candidate-");
        let path = from.path_of(&name);
        let found = fs::symlink_metadata(&path).map_err(Error::opening("look at", &path))?;
        if is_made_anew || !(found.is_file() || found.is_symlink()) {
            continue;
        }
        let file = match from.open_existing(&name) {
            Err(error) if which == Copied::All && found.is_file() => return Err(error),
            opened => opened.ok().flatten(),
        };
        match file.filter(|(_, found)| which == Copied::All || found.nlink() == 1) {
            Some((file, found)) => {
                let bytes = read_whole(&file, found.len(), &path)?;
                to.put_with_mode(&name, &[&bytes], found.mode() & 0o7777)?;
            }
            None => is_whole = false,
        }
    }
    to.sync().map_err(Error::state_folder(to.path()))?;
    Ok(is_whole)
}

/// A text; `None` if it is damaged, and not if it just can't be read now.
fn readable(read: Result<Option<Vec<u8>>, Error>) -> Result<Option<Vec<u8>>, Error> {
    match read {
        Err(error) if matches!(error.kind, ErrorKind::NotKept | ErrorKind::Untrusted) => Ok(None),
        read => read,
    }
}

/// The history of version 0.1.
pub(super) struct FormerHistory {
    folder: StateDir,
    /// The oldest first, each with the file that it was to replace.
    lines: Vec<(JournalLine, Option<LastWrite>)>,
    is_damaged: bool,
    /// The text of the configuration.
    present: Option<Vec<u8>>,
}

/// What a line of version 0.1 has besides.
#[derive(Deserialize)]
struct FormerLine {
    serial: u64,
    #[serde(default)]
    replaced: Option<LastWrite>,
}

/// The first line of a delta; the text between the two common ends follows.
#[derive(Deserialize)]
struct DeltaHeader {
    /// The number of bytes at the start that both texts share.
    start: usize,
    /// The number of bytes at the end that both texts share.
    end: usize,
}

impl FormerHistory {
    /// The history in a state folder of version 0.1, if there is one.
    pub fn find(conf: &ConfFile, former: &StateDir) -> Result<Option<Self>, Error> {
        let Some(folder) = former.find_in(FOLDER)? else { return Ok(None) };
        let journal = folder.read(JOURNAL)?.unwrap_or_default();
        let (lines, is_damaged) = read_lines(&journal);
        let parts: Vec<FormerLine> = journal
            .split(|&byte| byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        let replaced = |serial: u64| parts.iter().rfind(|part| part.serial == serial)?.replaced;
        let mut lines: Vec<_> = lines.into_iter().map(|line| (replaced(line.serial), line)).collect();
        let now = LastWrite::of(conf.target());
        let is_unmade = |(replaced, line): &mut (Option<LastWrite>, JournalLine)| {
            let is_marked = folder.has(&format!("{}.next", line.serial));
            !line.aside && replaced.is_some() && *replaced == now && !is_marked
        };
        lines.pop_if(is_unmade);
        let oldest = lines.last().map_or(0, |(_, last)| last.serial).saturating_sub(number_kept(&folder)?);
        lines.retain(|(_, line)| line.serial > oldest);
        let lines = lines.into_iter().map(|(replaced, line)| (line, replaced)).collect();
        let present = match fs::read(conf.target()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some(read.map_err(Error::opening("read", conf.target()))?),
        };
        Ok(Some(Self { folder, lines, is_damaged, present }))
    }

    /// The changes, the last one first.
    pub fn entries(&self) -> Vec<HistoryEntry> {
        let damage = || HistoryEntry::unreadable((None, 0), damage_in_words(&self.folder));
        let lines = self.lines.iter().map(|(line, _)| line.clone()).collect();
        entries(lines).into_iter().chain(self.is_damaged.then(damage)).collect()
    }

    pub fn has(&self, serial: u64) -> bool {
        self.place(serial).is_some()
    }

    /// The text of the last change, if the file was edited by hand since, and that text is known.
    pub fn edited_from(&self, now: Revision) -> Option<Vec<u8>> {
        let last = self.lines.iter().rposition(|(line, _)| !line.aside)?;
        (self.lines[last].0.after != Some(now)).then(|| self.text_after(last).ok()?)?
    }

    /// The text before a change; `None` if there was none, or if it is not kept any more.
    pub fn text_before(&self, serial: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some(place) = self.place(serial) else { return Ok(None) };
        let (line, replaced) = &self.lines[place];
        let Some(before) = line.before else { return Ok(None) };
        let Some(text) = self.kept(serial)? else { return Ok(None) };
        if Revision::from_text(&text) == before {
            return Ok(Some(text));
        }
        // A program that still had the old file open wrote into it. Most append.
        let start = replaced.and_then(|written| text.get(..usize::try_from(written.size).ok()?));
        let start = start.filter(|start| Revision::from_text(start) == before).map(<[u8]>::to_vec);
        let earlier = self.lines[..place].iter().rposition(|(line, _)| !line.aside);
        let text = match (start, earlier) {
            (Some(start), _) => Some(start),
            (None, Some(earlier)) => self.made_by(earlier, before)?,
            (None, None) => None,
        };
        text.map(Some).ok_or(Error::altered(&self.folder.path_of(&plain(serial))))
    }

    fn place(&self, serial: u64) -> Option<usize> {
        self.lines.iter().position(|(line, _)| line.serial == serial)
    }

    /// The text that is kept with an entry, whether it is in an archive or not.
    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, Error> {
        let name = plain(serial);
        let link = fs::read_link(self.folder.path_of(&name))
            .ok()
            .and_then(|to| to.into_os_string().into_string().ok());
        let Some(archive) = link.filter(|to| !to.contains('/') && to.ends_with(".gz")) else {
            return self.folder.read(&name);
        };
        let Some(bytes) = self.folder.read(&archive)? else { return Ok(None) };
        let mut text = Vec::new();
        // The last member of a name holds.
        let header = [name.as_bytes(), b"\0"].concat();
        let begins = |end: usize| {
            Some(&bytes[end.checked_sub(10)?..]).filter(|at| at.starts_with(&[0x1f, 0x8b, 8, 8]))
        };
        let member = memmem::rfind_iter(&bytes, &header).find_map(begins).unwrap_or_default();
        match GzDecoder::new(member).read_to_end(&mut text) {
            Ok(_) => Ok(Some(text)),
            Err(_) => Err(Error::altered(&self.folder.path_of(&archive))),
        }
    }

    /// The text that a change made, if it is known.
    fn text_after(&self, place: usize) -> Result<Option<Vec<u8>>, Error> {
        let Some(after) = self.lines[place].0.after else { return Ok(None) };
        let is_it = |text: &Vec<u8>| Revision::from_text(text) == after;
        let later = self.lines[place + 1..].iter().find(|(line, _)| !line.aside);
        let kept = later.map_or(Ok(None), |(later, _)| readable(self.text_before(later.serial)))?;
        match kept.filter(is_it).or_else(|| self.present.clone().filter(is_it)) {
            Some(text) => Ok(Some(text)),
            None => self.made_by(place, after),
        }
    }

    /// The text that a change made, by its delta.
    fn made_by(&self, place: usize, revision: Revision) -> Result<Option<Vec<u8>>, Error> {
        let line = &self.lines[place].0;
        let old = line.before.map_or(Ok(None), |_| readable(self.kept(line.serial)))?.unwrap_or_default();
        let read = |end: &str| self.folder.read(&format!("{}{end}", line.serial));
        let made = |delta: Vec<u8>| {
            let end_of_line = delta.iter().position(|&byte| byte == b'\n')?;
            let head: DeltaHeader = serde_json::from_slice(&delta[..end_of_line]).ok()?;
            let end = old.len().checked_sub(head.end).filter(|end| head.start <= *end)?;
            Some([&old[..head.start], &delta[end_of_line + 1..], &old[end..]].concat())
        };
        let delta = read(".next")?.map_or_else(|| read(".next.new"), |delta| Ok(Some(delta)))?;
        Ok(delta.and_then(made).filter(|text| Revision::from_text(text) == revision))
    }

    /// Writes the history into a new folder; false if a text that is kept can't be read, or has no place there.
    fn write_to(&self, folder: &StateDir) -> Result<bool, Error> {
        let mut is_whole = !self.is_damaged;
        let mut journal = Vec::new();
        let last = self.lines.len().saturating_sub(1);
        let mut known = self.lines.iter().find(|(line, _)| !line.aside).and_then(|(first, _)| first.before);
        if let Some(first) = self.lines.iter().find(|(line, _)| line.before.is_some() && !line.aside) {
            match readable(self.text_before(first.0.serial))? {
                Some(text) => folder.put(&packed(FIRST), &[&compressed(&text)])?,
                None => is_whole = false,
            }
        }
        for (place, (line, _)) in self.lines.iter().enumerate() {
            let text = match line.aside {
                true => readable(self.text_before(line.serial))?,
                false => self.text_after(place)?,
            };
            is_whole &= text.is_some() || (line.after.is_none() && !line.aside);
            match text {
                Some(text) if place == last => folder.put(&plain(line.serial), &[&text])?,
                Some(text) => folder.put(&packed(line.serial), &[&compressed(&text)])?,
                None => {}
            }
            if !line.aside {
                is_whole &= line.before == known;
                known = line.after;
            }
            serde_json::to_writer(&mut journal, line).map_err(Error::io("write", folder.path()))?;
            journal.push(b'\n');
        }
        folder.put(JOURNAL, &[&journal])?;
        if let Some(keep) = self.folder.read(KEEP)? {
            folder.put(KEEP, &[&keep])?;
        }
        Ok(is_whole)
    }
}
