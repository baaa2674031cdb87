//! Finds the state folder for whoever reads or writes, and makes it out of that of version 0.1, or out of that of an
//! earlier owner of the file.
//!
//! Version 0.1 had it in `.mediactl/FILE/`. Its history kept the text *before* each change, as a file of its own, or as
//! a link to an archive of gzip members, and beside the newest ones a delta that gives the text after the change. The
//! first writer makes the new folder as `.FILE.mediactl-new`, renames it to `.FILE.mediactl`, and removes the old one.
//! A reader reads either. This file goes when nobody has such a folder any more.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use flate2::read::GzDecoder;
use memchr::memmem;
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use serde::Deserialize;

use super::find::{ConfFile, read_whole};
use super::history::{FIRST, FOLDER, History, JOURNAL, KEEP, number_kept, plain, read_lines};
use super::in_place::{self, MARK as IN_PLACE};
use super::replace::{CANDIDATE, sync_folder};
use super::state::{LOCK, PROBE_WAIT, SERVE_LOCK, StateDir, UNFINISHED};
use crate::error::{Error, ErrorKind};
use crate::store::error::LockHolder;
use crate::store::record::{HistoryEntry, Revision};
use crate::store::watched::LastWrite;

/// The end of the name of a folder that is being made, and of one that is being removed.
pub(super) const NEW: &str = "-new";

/// The file that has the number of the folder of version 0.1 until that is removed.
const CONVERTED: &str = "converted";

/// The name in the new folder of a history of which a text could not be read.
const FORMER_HISTORY: &str = "history.0.1";

/// The locks of the state folder of version 0.1. As long as they are held, no program of that version writes.
pub(super) type FormerLocks = [File; 2];

/// The state folder for a reader: that of version 0.1 where no other is there.
pub(super) fn find_state(conf: &ConfFile) -> Result<Option<StateDir>, Error> {
    StateDir::find(conf)?.map_or_else(|| StateDir::find_former(conf), |state| Ok(Some(state)))
}

/// The history for a reader: that of version 0.1 as the next writer converts it, where no other is there.
pub(super) fn find_history(conf: &ConfFile) -> Result<Option<History>, Error> {
    if let Some(state) = StateDir::find(conf)? {
        return History::find(&state);
    }
    let Some(former) = StateDir::find_former(conf)? else { return Ok(None) };
    let Some(history) = FormerHistory::find(conf, &former)? else { return Ok(None) };
    let (files, _) = history.converted()?;
    History::read_from(history.folder, Some(files)).map(Some)
}

/// The state folder for a writer, made where it is missing; and the locks of that of version 0.1, where it is there.
pub(super) fn make_state(
    conf: &ConfFile,
    wait: Duration,
    on_wait: &mut dyn FnMut(&LockHolder),
) -> Result<(StateDir, Option<FormerLocks>), Error> {
    loop {
        let mut locks = None;
        if let Some(state) = StateDir::find_former(conf)? {
            let Some(lock) = state.take_lock(conf, LOCK, wait, on_wait)? else { continue };
            let Some(serve) = state.take_lock(conf, SERVE_LOCK, PROBE_WAIT, &mut |_| ())? else { continue };
            if fs::symlink_metadata(conf.state_dir()).is_err() {
                convert(conf, &state)?;
            }
            locks = Some([lock, serve]);
        }
        let (state, is_of_other_owner) = StateDir::enter(conf)?;
        if is_of_other_owner && take_over(conf, &state, wait, on_wait)? {
            continue;
        }
        if state.has(CONVERTED) {
            // Where a writer is killed before the last step, the next one does them again.
            let (path, former) = (conf.beside(NEW), conf.former_state_dir());
            let _ = fs::remove_dir_all(&path);
            // Another folder was made by version 0.1 since.
            let inode = fs::symlink_metadata(&former).map(|found| found.ino().to_string().into_bytes());
            if inode.ok() == state.read(CONVERTED)? {
                let _ = fs::rename(&former, &path);
            }
            let _ = former.parent().map(fs::remove_dir);
            let _ = state.remove(CONVERTED);
            let _ = fs::remove_dir_all(&path);
        }
        return Ok((state, locks));
    }
}

/// Makes the state folder out of that of version 0.1.
fn convert(conf: &ConfFile, former: &StateDir) -> Result<(), Error> {
    if former.has(IN_PLACE) {
        let message = format!("a write of `{}` by version 0.1 was cut short", conf.target().display());
        return Err(
            Error::new(ErrorKind::Failed, message).hint("any change by that version puts the text back")
        );
    }
    let path = conf.beside(NEW);
    let filled = make_new(conf, path.clone(), former).and_then(|new| {
        copy_files(former, &new)?;
        if let Some(history) = FormerHistory::find(conf, former)? {
            let folder = new.folder_in(FOLDER)?;
            let (files, is_whole) = history.converted()?;
            files.iter().try_for_each(|(name, bytes)| folder.put(name, &[bytes]))?;
            if !is_whole {
                copy_files(&history.folder, &new.folder_in(FORMER_HISTORY)?)?;
            }
            folder.sync().map_err(Error::state_folder(folder.path()))?;
        }
        new.put_durably(CONVERTED, &[former.metadata()?.ino().to_string().as_bytes()])?;
        fs::rename(&path, conf.state_dir()).map_err(Error::state_folder(&conf.state_dir()))
    });
    // A folder that can't be synced is legal; after a power failure the one or the other is there.
    let _ = sync_folder(conf);
    filled.inspect_err(|_| _ = fs::remove_dir_all(&path))
}

/// Makes the state folder out of that of an earlier owner of the file: its own files are copied, and no link is
/// followed. False if it goes on with the folder: a server runs over it, root may not give files away here, or the file
/// system can't exchange two folders. True if the folder has to be entered again.
fn take_over(
    conf: &ConfFile,
    state: &StateDir,
    wait: Duration,
    on_wait: &mut dyn FnMut(&LockHolder),
) -> Result<bool, Error> {
    let earlier = state.of_earlier_owner()?;
    let Some(_lock) = earlier.take_lock(conf, LOCK, wait, on_wait)? else { return Ok(true) };
    let _serve_lock = match earlier.take_lock(conf, SERVE_LOCK, Duration::ZERO, &mut |_| ()) {
        Err(error) if error.kind == ErrorKind::Locked => {
            // The first change without a server copies it.
            return state.refuse_of_stranger().map(|_| false);
        }
        taken => taken?,
    };
    // If something is not copied, it stays there for whoever looks for it.
    let left = conf.beside(&format!("-left-{}", state.metadata()?.ino()));
    let new = make_new(conf, left.clone(), state)?;
    let exchange = || {
        let mut is_whole = copy_files(&earlier, &new)?;
        if let Some(history) = earlier.find_in(FOLDER)? {
            is_whole &= copy_files(&history, &new.folder_in(FOLDER)?)?;
        }
        let exchanged = rustix::fs::renameat_with(CWD, &left, CWD, conf.state_dir(), RenameFlags::EXCHANGE);
        match exchanged {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok((false, true)),
            exchanged => exchanged.map(|()| (true, is_whole)).map_err(Error::state_folder(&left)),
        }
    };
    let may_give = state.trust().has_given(&new.metadata()?);
    let taken = if may_give { exchange() } else { Ok((false, true)) };
    if !matches!(taken, Ok((true, false))) {
        let _ = fs::remove_dir_all(&left);
    }
    let (is_taken, _) = taken?;
    let _ = sync_folder(conf);
    if !is_taken {
        state.claim()?;
    }
    Ok(is_taken)
}

/// An empty folder beside the file, for the users who are trusted by another one.
fn make_new(conf: &ConfFile, path: PathBuf, like: &StateDir) -> Result<StateDir, Error> {
    let _ = fs::remove_dir_all(&path);
    let (new, _) = StateDir::make_at(conf, path, like.trust())?;
    new.claim()?;
    Ok(new)
}

/// Copies the regular files; false if some were left out. What each process makes anew is not copied. Of the folder of an
/// earlier owner, those are left out that have another name: one that he made may be that of another user.
fn copy_files(from: &StateDir, to: &StateDir) -> Result<bool, Error> {
    let is_foreign = from.trust().is_for_earlier_owner();
    let mut is_whole = true;
    for name in from.names()? {
        let is_made_anew = [LOCK, SERVE_LOCK, ".gitignore", CONVERTED].contains(&&*name)
            || name.ends_with(UNFINISHED)
            || name.starts_with(CANDIDATE);
        let path = from.path_of(&name);
        let found = fs::symlink_metadata(&path).map_err(Error::opening("look at", &path))?;
        if is_made_anew || !(found.is_file() || found.is_symlink()) {
            continue;
        }
        let file = match from.open_existing(&name) {
            Err(error) if !is_foreign && found.is_file() => return Err(error),
            opened => opened.ok().flatten(),
        };
        match file.filter(|(_, found)| !is_foreign || found.nlink() == 1) {
            Some((file, found)) => {
                let bytes = read_whole(&file, found.len(), &path)?;
                to.put(&name, &[&bytes])?;
            }
            None => is_whole = false,
        }
    }
    to.sync().map_err(Error::state_folder(to.path()))?;
    Ok(is_whole)
}

/// The history of version 0.1.
struct FormerHistory {
    folder: StateDir,
    /// The oldest first.
    lines: Vec<HistoryEntry>,
    is_damaged: bool,
    /// The text of the configuration.
    present: Option<Vec<u8>>,
}

/// What a line of version 0.1 has besides: the file that the change was to replace.
#[derive(Deserialize)]
struct FormerLine {
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
    fn find(conf: &ConfFile, former: &StateDir) -> Result<Option<Self>, Error> {
        let Some(folder) = former.find_in(FOLDER)? else { return Ok(None) };
        let journal = folder.read(JOURNAL)?.unwrap_or_default();
        let (mut lines, is_damaged) = read_lines(&journal);
        let last = journal.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
        let replaced = last.and_then(|line| serde_json::from_slice::<FormerLine>(line).ok()?.replaced);
        lines.pop_if(|last| {
            let is_marked = folder.has(&format!("{}.next", last.number));
            !last.is_aside && replaced.is_some() && replaced == LastWrite::of(conf.target()) && !is_marked
        });
        let newest = lines.last().map_or(0, |last| last.number);
        let oldest = newest.saturating_sub(number_kept(folder.read(KEEP)?));
        lines.retain(|line| line.number > oldest);
        let present = match in_place::load(conf, None) {
            Err(error) if error.kind == ErrorKind::NoConfiguration => None,
            loaded => Some(loaded?.0.bytes.to_vec()),
        };
        Ok(Some(Self { folder, lines, is_damaged, present }))
    }

    /// The files of the history of today, whose texts the next change compresses; false if a text that is kept can't be
    /// read, or has no place there.
    fn converted(&self) -> Result<(BTreeMap<String, Vec<u8>>, bool), Error> {
        let mut is_whole = !self.is_damaged;
        let (mut files, mut journal) = (BTreeMap::new(), Vec::new());
        let changes = || self.lines.iter().filter(|line| !line.is_aside);
        if let Some(first) = changes().find(|line| line.before.is_some()) {
            let text = self.text_before(first)?;
            is_whole &= text.is_some();
            files.extend(text.map(|text| (plain(FIRST), text)));
        }
        let mut known = changes().next().and_then(|first| first.before);
        for (place, line) in self.lines.iter().enumerate() {
            let text = if line.is_aside { self.text_before(line)? } else { self.text_after(place)? };
            is_whole &= text.is_some() || (line.after.is_none() && !line.is_aside);
            files.extend(text.map(|text| (plain(line.number), text)));
            if !line.is_aside {
                is_whole &= line.before == known;
                known = line.after;
            }
            serde_json::to_writer(&mut journal, line).map_err(Error::io("write", self.folder.path()))?;
            journal.push(b'\n');
        }
        files.insert(JOURNAL.to_owned(), journal);
        files.extend(self.folder.read(KEEP)?.map(|keep| (KEEP.to_owned(), keep)));
        Ok((files, is_whole))
    }

    /// The text before a change; `None` if there was none, or if it is damaged, or not kept any more.
    fn text_before(&self, line: &HistoryEntry) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.kept(line.number)?.filter(|text| Some(Revision::from_text(text)) == line.before))
    }

    /// The text that is kept with an entry, whether it is in an archive or not; `None` if it is damaged, and not if it just
    /// can't be read now.
    fn kept(&self, number: u64) -> Result<Option<Vec<u8>>, Error> {
        let read = |name: &str| match self.folder.read(name) {
            Err(error) if error.kind == ErrorKind::Untrusted => Ok(None),
            read => read,
        };
        let name = plain(number);
        let link = fs::read_link(self.folder.path_of(&name)).ok();
        let link = link.and_then(|to| to.into_os_string().into_string().ok());
        let Some(archive) = link.filter(|to| !to.contains('/') && to.ends_with(".gz")) else {
            return read(&name);
        };
        let Some(bytes) = read(&archive)? else { return Ok(None) };
        let mut text = Vec::new();
        // The last member of a name holds.
        let header = [name.as_bytes(), b"\0"].concat();
        let begins = |end: usize| {
            Some(&bytes[end.checked_sub(10)?..]).filter(|at| at.starts_with(&[0x1f, 0x8b, 8, 8]))
        };
        let member = memmem::rfind_iter(&bytes, &header).find_map(begins).unwrap_or_default();
        Ok(GzDecoder::new(member).read_to_end(&mut text).is_ok().then_some(text))
    }

    /// The text that a change made, if it is known.
    fn text_after(&self, place: usize) -> Result<Option<Vec<u8>>, Error> {
        let line = &self.lines[place];
        let Some(after) = line.after else { return Ok(None) };
        let is_it = |text: &Vec<u8>| Revision::from_text(text) == after;
        let later = self.lines[place + 1..].iter().find(|line| !line.is_aside);
        let kept = later.map_or(Ok(None), |later| self.text_before(later))?;
        if let Some(text) = kept.filter(is_it).or_else(|| self.present.clone().filter(is_it)) {
            return Ok(Some(text));
        }
        let old = line.before.map_or(Ok(None), |_| self.kept(line.number))?.unwrap_or_default();
        let made = |delta: Vec<u8>| {
            let end_of_line = delta.iter().position(|&byte| byte == b'\n')?;
            let head: DeltaHeader = serde_json::from_slice(&delta[..end_of_line]).ok()?;
            let end = old.len().checked_sub(head.end).filter(|end| head.start <= *end)?;
            Some([&old[..head.start], &delta[end_of_line + 1..], &old[end..]].concat())
        };
        let read = |end: &str| self.folder.read(&format!("{}{end}", line.number));
        let delta = read(".next")?.map_or_else(|| read(".next.new"), |delta| Ok(Some(delta)))?;
        Ok(delta.and_then(made).filter(is_it))
    }
}
