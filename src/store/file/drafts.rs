//! The drafts of edits: texts that a person works on in a text editor, kept until they are in the
//! configuration.
//!
//! A draft is two files, `draft-XXXXXX.conf` with the text and `draft-XXXXXX.base` with the text that it
//! was made of. Both have mode 0600 and belong to the user who edits. The second one is locked as long as
//! the edit is under way, so that nobody resumes it.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::own_file::{is_private_folder, open_own};
use super::pages::read_text;
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::error::StoreError;

const PREFIX: &str = "draft-";
const TEXT: &str = ".conf";
const BASE: &str = ".base";
const NEW: &str = ".new";

/// The mode of a draft.
const MODE: u32 = 0o600;

/// The folder of the drafts of a user for texts on servers.
const USER_FOLDER: &str = "mediactl";

/// A folder with drafts.
#[derive(Debug)]
pub struct DraftFolder(PathBuf);

/// A draft that is worked on, until it is dropped.
#[derive(Debug)]
pub struct KeptDraft {
    text: PathBuf,
    base: PathBuf,
    pub origin: DraftOrigin,
    /// Closing it gives the draft free.
    lock: File,
}

/// The text that a draft was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftOrigin {
    pub head: DraftHead,
    /// The whole configuration that the draft was made of.
    pub base: Bytes,
}

/// The subject of a draft: the first line of its base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftHead {
    /// The absolute path of the file, or the URL of the server.
    pub target: String,
    /// The bytes of the base that are edited; `None` for all of it.
    pub range: Option<(usize, usize)>,
    /// The path of the entry that is edited; `None` for all.
    #[serde(default)]
    pub path: Option<String>,
}

/// A file that a text editor left beside a draft when something ended it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    pub path: PathBuf,
    /// True if it is the text; if not, the editor alone can read it.
    pub is_text: bool,
}

impl DraftOrigin {
    fn from_bytes(bytes: Bytes) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: DraftHead = serde_json::from_slice(&bytes[..end]).ok()?;
        Some(Self { head, base: bytes.slice(end + 1..) })
    }

    /// The part of the configuration that the draft was made of.
    pub fn original(&self) -> &[u8] {
        self.head.range.and_then(|(start, end)| self.base.get(start..end)).unwrap_or(&self.base)
    }

    /// The whole configuration with `text` in the place of that part.
    pub fn spliced(&self, text: Bytes) -> Bytes {
        let parts = |(start, end)| Some((self.base.get(..start)?, self.base.get(end..)?));
        match self.head.range.and_then(parts) {
            Some((before, behind)) => [before, &text, behind].concat().into(),
            None => text,
        }
    }
}

/// The subject of the draft whose text is at a path, also while it is worked on; `None` if it is no draft of this user.
pub fn draft_head(text: &Path) -> Option<DraftHead> {
    let base = text.with_extension(&BASE[1..]);
    text.file_name()?.to_str().filter(|name| is_draft(name))?;
    let bytes = read(&read_own(&base).ok()?, &base).ok()?;
    DraftOrigin::from_bytes(bytes).map(|origin| origin.head)
}

fn is_draft(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(TEXT)
}

impl DraftFolder {
    /// The state folder of a configuration file, which is made where it is missing. `None` if it is not
    /// private to this user: another user could replace a draft by a link.
    ///
    /// # Errors
    /// `StateFolder`, `Untrusted`.
    pub fn of_file(conf: &ConfFile) -> Result<Option<Self>, StoreError> {
        let path = StateDir::make(conf)?.path().to_owned();
        Ok(is_private_folder(&path).then_some(Self(path)))
    }

    /// The folder of the user in `state_home` (`$XDG_STATE_HOME`), which is made where it is missing.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn of_user(state_home: &Path) -> Result<Self, StoreError> {
        user_folder(state_home).map(Self)
    }

    /// Makes a draft with this text.
    ///
    /// # Errors
    /// `StateFolder`; nothing is left behind then.
    pub fn create(&self, origin: DraftOrigin, text: &[u8]) -> Result<KeptDraft, StoreError> {
        let failed = |error| StoreError::state_folder(&self.0)(error);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(TEXT).permissions(Permissions::from_mode(MODE));
        let mut file = builder.tempfile_in(&self.0).map_err(failed)?;
        file.write_all(text).map_err(failed)?;
        let base = file.path().with_extension(&BASE[1..]);
        let lock = write_locked(&base, &origin).map_err(failed)?;
        let text = file.into_temp_path().keep().map_err(|error| failed(error.error))?;
        Ok(KeptDraft { text, base, origin, lock })
    }

    /// The drafts for a target on which nobody works now, the newest first.
    ///
    /// # Errors
    /// `Io`, where the folder can't be listed.
    pub fn waiting(&self, target: &str) -> Result<Vec<KeptDraft>, StoreError> {
        let entries = fs::read_dir(&self.0).map_err(StoreError::io("list", &self.0))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let drafts =
            names.filter(|name| is_draft(name)).filter_map(|name| KeptDraft::open(self.0.join(name)));
        let mut drafts: Vec<KeptDraft> = drafts.filter(|draft| draft.origin.head.target == target).collect();
        drafts.sort_by_key(|draft| std::cmp::Reverse(draft.written()));
        Ok(drafts)
    }
}

impl KeptDraft {
    /// The draft whose text is at this path; `None` if it is not one of this user, or is worked on.
    fn open(text: PathBuf) -> Option<Self> {
        let base = text.with_extension(&BASE[1..]);
        let lock = read_own(&base).ok()?;
        lock.try_lock().ok()?;
        let origin = DraftOrigin::from_bytes(read(&lock, &base).ok()?)?;
        read_own(&text).ok()?;
        Some(Self { text, base, origin, lock })
    }

    /// The file that the editor opens.
    pub fn path(&self) -> &Path {
        &self.text
    }

    /// Reads the text as the editor left it.
    ///
    /// # Errors
    /// `Io`, `NotFound`.
    pub fn read(&self) -> Result<Bytes, StoreError> {
        let file = read_own(&self.text).map_err(StoreError::opening("open", &self.text))?;
        // An editor may have written another file in its place.
        let _ = file.set_permissions(Permissions::from_mode(MODE));
        read(&file, &self.text)
    }

    /// Frees the text that it was made of, which is in its file, too: whoever goes on with the draft reads it again.
    pub fn free_base(&mut self) {
        self.origin.base = Bytes::new();
    }

    /// Reads the text again that it was made of.
    ///
    /// # Errors
    /// `Io`.
    pub fn read_base(&mut self) -> Result<(), StoreError> {
        let file = read_own(&self.base).map_err(StoreError::opening("open", &self.base))?;
        let damaged = || StoreError::io("read", &self.base)(io::Error::from(io::ErrorKind::InvalidData));
        self.origin = DraftOrigin::from_bytes(read(&file, &self.base)?).ok_or_else(damaged)?;
        Ok(())
    }

    /// Replaces the text; the old one stays if that fails.
    ///
    /// # Errors
    /// `Io`.
    pub fn write(&self, text: &[u8]) -> Result<(), StoreError> {
        let new = with_end(&self.text, NEW);
        let written = write_own(&new, &[text]).and_then(|_| fs::rename(&new, &self.text));
        written.map_err(StoreError::io("write", &self.text))
    }

    /// Replaces the text and what it was made of. If the process is killed between the two, the new text
    /// is merged once more, which changes nothing.
    ///
    /// # Errors
    /// `Io`.
    pub fn rebase(&mut self, origin: DraftOrigin, text: &[u8]) -> Result<(), StoreError> {
        self.write(text)?;
        let new = with_end(&self.base, NEW);
        let written = write_locked(&new, &origin).and_then(|lock| {
            fs::rename(&new, &self.base)?;
            Ok(lock)
        });
        self.lock = written.map_err(StoreError::io("write", &self.base))?;
        self.origin = origin;
        Ok(())
    }

    /// The files that the editor left beside the draft, in the order of the names.
    pub fn rescues(&self) -> Vec<Rescue> {
        let mut found: Vec<Rescue> = self.beside().into_iter().filter_map(Rescue::from_path).collect();
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found
    }

    /// Goes on with the text of a rescue, which goes.
    ///
    /// # Errors
    /// `Io`, `NotFound`.
    pub fn take(&self, rescue: &Rescue) -> Result<(), StoreError> {
        let path = &rescue.path;
        let file = read_own(path).map_err(StoreError::opening("open", path))?;
        self.write(&read(&file, path)?)?;
        fs::remove_file(path).map_err(StoreError::io("remove", path))
    }

    /// Removes the draft, and the files that the editor left beside it: the text is in the configuration,
    /// or discarded.
    pub fn discard(self) {
        for path in [&self.text, &self.base].into_iter().chain(&self.beside()) {
            let _ = fs::remove_file(path);
        }
    }

    /// The time of the last write of the text.
    pub fn written(&self) -> Option<SystemTime> {
        fs::metadata(&self.text).and_then(|found| found.modified()).ok()
    }

    /// The files that the editor made beside the draft: their names have that of the draft in them.
    fn beside(&self) -> Vec<PathBuf> {
        let (Some(folder), Some(name)) = (self.text.parent(), self.text.file_name()) else {
            return Vec::new();
        };
        let name = name.to_string_lossy();
        let is_beside = |found: &str| found != name && found.contains(&*name);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|found| is_beside(found)).map(|found| folder.join(found)).collect()
    }
}

impl Rescue {
    /// `NAME.save` of nano, `#NAME#` of emacs, and `.NAME.swp` of vi; `None` for a backup or a lock.
    fn from_path(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let end = name.rsplit_once(TEXT)?.1;
        let is_text =
            end == ".save" || end.starts_with(".save.") || (name.starts_with('#') && end.starts_with('#'));
        let is_swap = name.starts_with('.') && end.starts_with(".sw");
        (is_text || is_swap).then_some(Self { path, is_text })
    }
}

fn read_own(path: &Path) -> io::Result<File> {
    open_own(path, OpenOptions::new().read(true))
}

fn read(file: &File, path: &Path) -> Result<Bytes, StoreError> {
    read_text(file, file.metadata().map_err(StoreError::io("read", path))?.len(), path)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn write_locked(path: &Path, origin: &DraftOrigin) -> io::Result<File> {
    let file = write_own(path, &[&serde_json::to_vec(&origin.head)?, b"\n", &origin.base])?;
    file.try_lock()?;
    Ok(file)
}

/// Makes a file that only this user can read, in place of one that a killed process left.
fn write_own(path: &Path, pieces: &[&[u8]]) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(MODE).open(path)?;
    match pieces.iter().try_for_each(|piece| file.write_all(piece)) {
        Ok(()) => Ok(file),
        Err(error) => {
            let _ = fs::remove_file(path);
            Err(error)
        }
    }
}

/// The folder of the user in `state_home` (`$XDG_STATE_HOME`), which is made where it is missing.
///
/// # Errors
/// `StateFolder`; also where others may write it.
pub fn user_folder(state_home: &Path) -> Result<PathBuf, StoreError> {
    let path = state_home.join(USER_FOLDER);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.map_err(StoreError::state_folder(&path))?;
    match is_private_folder(&path) {
        true => Ok(path),
        false => {
            let source = io::Error::other("other users may write it");
            Err(StoreError::StateFolder { path, source })
        }
    }
}
