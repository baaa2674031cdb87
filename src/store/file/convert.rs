//! Finds the state folder for whoever reads or writes, and makes it out of that of version 0.1, or out of that of an
//! earlier owner of the file.
//!
//! Version 0.1 had it in `.mediactl/FILE/`. Its history kept the text *before* each change, as a file of its own, or as
//! a link to an archive of gzip members, and beside the newest ones a delta that gives the text after the change. The
//! first writer makes the new folder as `.FILE.mediactl-new`, renames it to `.FILE.mediactl`, and moves the old one into
//! it. A reader reads either. This file goes when nobody has such a folder any more.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use memchr::memmem;
use rustix::fs::{CWD, RenameFlags};
use serde::Deserialize;

use super::find::{ConfFile, read_whole};
use super::history::{
    FIRST, FOLDER, History, JOURNAL, KEEP, TEXT, compressed, lines_back, number_kept, plain,
};
use super::in_place;
use super::replace::sync_folder;
use super::state::{LOCK, PROBE_WAIT, SERVE_LOCK, StateDir};
use crate::error::{Error, ErrorKind};
use crate::store::{HistoryEntry, Revision, gunzip};

/// The end of the name of a folder that is being made, and of one that is being removed.
const NEW: &str = "-new";

/// The name in the state folder of that of version 0.1.
const FORMER: &str = "0.1";

/// The files that come along, beside the history. All others are made anew.
const FILES: [&str; 6] = [in_place::MARK, "pending", "followed", "back", "tls-cert.pem", "tls-key.pem"];

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
    let files = history.converted()?;
    History::read_from(history.folder, Some(files)).map(Some)
}

/// The state folder for a writer, made where it is missing; and the locks of that of version 0.1, where it is there.
pub(super) fn make_state(
    conf: &ConfFile,
    wait: Duration,
    on_wait: &mut dyn FnMut(&str),
) -> Result<(StateDir, Option<FormerLocks>), Error> {
    loop {
        let former = StateDir::find_former(conf)?;
        let mut locks = None;
        if let Some(former) = &former {
            let Some(lock) = former.take_lock(conf, LOCK, wait, on_wait)? else { continue };
            let Some(serve) = former.take_lock(conf, SERVE_LOCK, PROBE_WAIT, &mut |_| ())? else { continue };
            if fs::symlink_metadata(conf.state_dir()).is_err() {
                convert(conf, former)?;
            }
            locks = Some([lock, serve]);
        }
        let (mut state, is_of_other_owner) = StateDir::enter(conf)?;
        if is_of_other_owner && take_over(conf, &state, wait, on_wait)? {
            state = StateDir::enter(conf)?.0;
        }
        if let Some(former) = former {
            // Where one is there already, version 0.1 made another one since; that stays.
            let _ = fs::rename(&former.path, state.path_of(FORMER));
            let _ = former.path.parent().map(fs::remove_dir);
        }
        return Ok((state, locks));
    }
}

/// Makes the state folder out of that of version 0.1.
fn convert(conf: &ConfFile, former: &StateDir) -> Result<(), Error> {
    let new = make_new(conf, former)?;
    let fill = || {
        copy_files(former, &new, FILES)?;
        if let Some(history) = FormerHistory::find(conf, former)? {
            let folder = new.folder_in(FOLDER)?;
            for (name, bytes) in history.converted()? {
                match name.ends_with(TEXT) {
                    true => folder.put(&format!("{name}.gz"), &[&compressed(&bytes)])?,
                    false => folder.put(&name, &[&bytes])?,
                }
            }
            folder.sync().map_err(Error::state_folder(&folder.path))?;
        }
        let whole = new.sync_path().and_then(|()| fs::rename(&new.path, conf.state_dir()));
        whole.map_err(Error::state_folder(&new.path))
    };
    let filled = fill().inspect_err(|_| _ = fs::remove_dir_all(&new.path));
    // A folder that can't be synced is legal; after a power failure the one or the other is there.
    let _ = sync_folder(conf);
    filled
}

/// Makes the state folder out of that of an earlier owner of the file: his files are copied, and no link is
/// followed. False if a server runs over it, which goes on with the folder; the first change without one copies it.
fn take_over(
    conf: &ConfFile,
    state: &StateDir,
    wait: Duration,
    on_wait: &mut dyn FnMut(&str),
) -> Result<bool, Error> {
    let earlier = state.of_earlier_owner()?;
    let Some(_lock) = earlier.take_lock(conf, LOCK, wait, on_wait)? else { return Ok(true) };
    let _serve_lock = match earlier.take_lock(conf, SERVE_LOCK, Duration::ZERO, &mut |_| ()) {
        Err(error) if error.kind == ErrorKind::Locked => {
            return state.refuse_of_stranger().map(|_| false);
        }
        taken => taken?,
    };
    let new = make_new(conf, state)?;
    copy_files(&earlier, &new, FILES)?;
    if let Some(history) = earlier.find_in(FOLDER)? {
        copy_files(&history, &new.folder_in(FOLDER)?, history.names()?)?;
    }
    let exchanged = rustix::fs::renameat_with(CWD, &new.path, CWD, conf.state_dir(), RenameFlags::EXCHANGE);
    let _ = fs::remove_dir_all(&new.path);
    exchanged.map_err(Error::state_folder(&state.path))?;
    let _ = sync_folder(conf);
    Ok(true)
}

/// An empty folder beside the file, for the users who are trusted by another one.
fn make_new(conf: &ConfFile, like: &StateDir) -> Result<StateDir, Error> {
    let path = conf.beside(NEW);
    let _ = fs::remove_dir_all(&path);
    let (new, _) = StateDir::make_at(conf, path, like.trust)?;
    new.claim()?;
    Ok(new)
}

/// Copies the regular files of these names. Of an earlier owner, those are left out that have another name: one that he made
/// may be that of another user.
fn copy_files<N: AsRef<str>>(
    from: &StateDir,
    to: &StateDir,
    names: impl IntoIterator<Item = N>,
) -> Result<(), Error> {
    for name in names {
        let (name, path) = (name.as_ref(), from.path_of(name.as_ref()));
        let is_own = |found: &Metadata| found.nlink() == 1 || from.trust.earlier.is_none();
        if fs::symlink_metadata(&path).is_ok_and(|found| !(found.is_file() && is_own(&found))) {
            continue;
        }
        if let Some((file, found)) = from.open_existing(name)?.filter(|(_, found)| is_own(found)) {
            to.put(name, &[&read_whole(&file, found.len(), &path)?])?;
        }
    }
    to.sync().map_err(Error::state_folder(&to.path))
}

/// The history of version 0.1.
struct FormerHistory {
    folder: StateDir,
    /// The oldest first.
    lines: Vec<HistoryEntry>,
    /// The text of the configuration.
    present: Option<Vec<u8>>,
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
        let mut lines: Vec<_> = lines_back(&journal).map(|(_, line)| line).collect();
        lines.reverse();
        let newest = lines.last().map_or(0, |last| last.number);
        let oldest = newest.saturating_sub(number_kept(folder.read(KEEP)?));
        lines.retain(|line| line.number > oldest);
        let present = match in_place::load(conf, None, None) {
            Err(error) if error.kind == ErrorKind::NoConfiguration => None,
            loaded => Some(loaded?.0.bytes.to_vec()),
        };
        Ok(Some(Self { folder, lines, present }))
    }

    /// The files of the history of today, whose texts are not compressed.
    fn converted(&self) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let (mut files, mut journal) = (BTreeMap::new(), Vec::new());
        if let Some(first) = self.lines.iter().find(|line| !line.is_aside && line.before.is_some()) {
            files.extend(self.text_before(first)?.map(|text| (plain(FIRST), text)));
        }
        for (place, line) in self.lines.iter().enumerate() {
            let text = if line.is_aside { self.text_before(line)? } else { self.text_after(place)? };
            files.extend(text.map(|text| (plain(line.number), text)));
            serde_json::to_writer(&mut journal, line).map_err(Error::io("write", &self.folder.path))?;
            journal.push(b'\n');
        }
        files.insert(JOURNAL.to_owned(), journal);
        files.extend(self.folder.read(KEEP)?.map(|keep| (KEEP.to_owned(), keep)));
        Ok(files)
    }

    /// The text before a change; `None` if there was none, or if it is damaged, or not kept any more.
    fn text_before(&self, line: &HistoryEntry) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.kept(line.number)?.filter(|text| Some(Revision::from_text(text)) == line.before))
    }

    /// The text that is kept with an entry, whether it is in an archive or not; `None` if it is damaged, and not if it just
    /// can't be read now.
    fn kept(&self, number: u64) -> Result<Option<Vec<u8>>, Error> {
        let name = plain(number);
        let link = fs::read_link(self.folder.path_of(&name)).ok();
        let link = link.and_then(|to| to.into_os_string().into_string().ok());
        let Some(archive) = link.filter(|to| !to.contains('/') && to.ends_with(".gz")) else {
            return self.folder.read(&name);
        };
        let Some(bytes) = self.folder.read(&archive)? else { return Ok(None) };
        // The last member of a name holds.
        let header = [name.as_bytes(), b"\0"].concat();
        let begins = |end: usize| {
            Some(&bytes[end.checked_sub(10)?..]).filter(|at| at.starts_with(&[0x1f, 0x8b, 8, 8]))
        };
        Ok(gunzip(memmem::rfind_iter(&bytes, &header).find_map(begins).unwrap_or_default(), u64::MAX))
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
        Ok(self.folder.read(&format!("{}.next", line.number))?.and_then(made).filter(is_it))
    }
}
