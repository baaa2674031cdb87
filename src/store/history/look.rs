//! What who comes next finds: changes that never came about, and what was done by hand.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use super::super::error::StoreError;
use super::super::lock::Locked;
use super::super::revision::Revision;
use super::super::stamp::Writing;
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::super::warning::Warning;
use super::journal::{Journal, Line};
use super::{FOLDER, HAND_EDIT, NEW_COPY, keep_copy, kept_name, next_text, seconds};

impl Locked<'_> {
    /// Brings the history up to date with the file, which holds `now`, or is missing.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn look(&self, now: Option<Revision>) -> Result<Vec<Warning>, StoreError> {
        // Where nothing was ever changed there is nothing to compare with.
        if !self.state.path_of(FOLDER).exists() {
            return Ok(Vec::new());
        }
        let (folder, mut journal) = super::open(&self.state)?;
        withdraw_unmade(self.conf, &folder, &mut journal, now).map_err(failed(&folder))?;
        let mut warnings = Vec::new();
        for serial in journal.lines().iter().map(|line| line.serial).collect::<Vec<_>>() {
            warnings.extend(strays(self.conf, &folder, &mut journal, serial)?);
        }
        note_hand_edit(self.conf, &folder, &mut journal, now)?;
        Ok(warnings)
    }
}

fn failed<E: Into<io::Error>>(folder: &StateDir) -> impl FnOnce(E) -> StoreError {
    StoreError::state_folder(folder.path())
}

/// A writer that was killed before its change may have left a line: what it says is kept is still
/// the file itself, or is not there.
fn withdraw_unmade(
    conf: &ConfFile,
    folder: &StateDir,
    journal: &mut Journal,
    now: Option<Revision>,
) -> io::Result<()> {
    // Names without a line: what is behind them may be the file itself.
    let next = journal.last_serial() + 1;
    let _ = folder.remove(&kept_name(next));
    next_text::forget(folder, next);
    Journal::clean(folder);
    let _ = folder.remove(NEW_COPY);
    let Some(last) = journal.lines().last().filter(|line| !line.aside) else { return Ok(()) };
    let name = kept_name(last.serial);
    let is_the_file = match (folder.look_at(&name), std::fs::symlink_metadata(conf.target())) {
        (Some(kept), Ok(file)) => (kept.dev(), kept.ino()) == (file.dev(), file.ino()),
        (None, _) => last.before.is_some() && last.before == now && last.after != now,
        (Some(_), Err(_)) => false,
    };
    if is_the_file {
        let serial = last.serial;
        journal.withdraw()?;
        let _ = folder.remove(&name);
        next_text::forget(folder, serial);
    }
    Ok(())
}

/// Somebody had the old file open when it was replaced, and wrote into it: that is kept as a hand edit
/// of its own.
pub(super) fn strays(
    conf: &ConfFile,
    folder: &StateDir,
    journal: &mut Journal,
    serial: u64,
) -> Result<Option<Warning>, StoreError> {
    let line = journal.lines().iter().find(|line| line.serial == serial);
    let Some((linked, before)) = line.and_then(|line| Some((line.linked?, line.before?))) else {
        return Ok(None);
    };
    let name = kept_name(serial);
    let Some(found) = folder.look_at(&name).filter(|found| Writing::of(found) != linked) else {
        return Ok(None);
    };
    let text = read(folder, &name).map_err(failed(folder))?;
    if Revision::of(&text) == before {
        return Ok(None);
    }
    let own = journal.last_serial() + 1;
    folder.rename(&name, &kept_name(own)).map_err(failed(folder))?;
    // Mostly it was added to the end, so the text before is there still.
    let original = usize::try_from(linked.size).ok().and_then(|size| text.get(..size));
    if let Some(original) = original.filter(|original| Revision::of(original) == before) {
        keep_copy(folder, serial, original)?;
        // So that nobody has to look into it again.
        let _ = folder.date(&name, linked);
    }
    let line = Line {
        serial: own,
        at: found.modified().map_or(0, seconds),
        operation: HAND_EDIT.to_owned(),
        by: String::new(),
        message: Some(format!("written into the text that change {serial} was just replacing")),
        before: Some(Revision::of(&text)),
        after: journal.revision(),
        aside: true,
        linked: Some(Writing::of(&found)),
    };
    journal.append(line).and_then(|()| folder.sync()).map_err(failed(folder))?;
    Ok(Some(Warning::HandEditKept { path: conf.target().to_owned(), serial: own }))
}

/// The file is not what we wrote last: somebody edited it, made it, or removed it.
fn note_hand_edit(
    conf: &ConfFile,
    folder: &StateDir,
    journal: &mut Journal,
    now: Option<Revision>,
) -> Result<(), StoreError> {
    let Some(last) = journal.last_change().filter(|last| last.after != now).cloned() else { return Ok(()) };
    let serial = journal.last_serial() + 1;
    if let Some(revision) = last.after {
        let old = match last.before {
            Some(_) => read(folder, &kept_name(last.serial)).unwrap_or_default(),
            None => Vec::new(),
        };
        if let Some(text) = next_text::made_of(folder, last.serial, &old, revision) {
            keep_copy(folder, serial, &text)?;
        }
    }
    let line = Line {
        serial,
        at: written_at(conf.target()).max(last.at),
        operation: HAND_EDIT.to_owned(),
        by: String::new(),
        message: None,
        before: last.after,
        after: now,
        aside: false,
        linked: None,
    };
    journal.append(line).and_then(|()| folder.sync()).map_err(failed(folder))
}

fn written_at(path: &Path) -> u64 {
    let written = std::fs::symlink_metadata(path).and_then(|found| found.modified());
    let now = SystemTime::now();
    seconds(written.map_or(now, |written| written.min(now)))
}

fn read(folder: &StateDir, name: &str) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    folder.open_existing(name)?.read_to_end(&mut text)?;
    Ok(text)
}
