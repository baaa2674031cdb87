//! The texts that a person works on in a text editor (`mediactl edit`), kept until they are in the configuration.
//!
//! A draft is two files, `draft-XXXXXX.conf` with the text and `draft-XXXXXX.base` with the text that it
//! was made of. Both have mode 0600 and belong to the user who edits.

use crate::error::Error;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rustix::fs::OFlags;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

const PREFIX: &str = "draft-";
const TEXT: &str = ".conf";
const BASE: &str = "base";

/// The mode of a draft.
const MODE: u32 = 0o600;

/// The folder of a user for unfinished work.
const USER_FOLDER: &str = "mediactl";

/// A text that is worked on.
#[derive(Debug)]
pub struct KeptDraft {
    path: PathBuf,
    pub origin: DraftOrigin,
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

impl DraftOrigin {
    /// Reads the text that the draft at a path was made of.
    fn of(text: &Path) -> io::Result<Self> {
        let path = text.with_extension(BASE);
        let bytes = read(&path)?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is no such text");
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
        let head = serde_json::from_slice(&bytes[..end]).map_err(|_| damaged())?;
        Ok(Self { head, base: bytes.slice(end + 1..) })
    }

    fn write(&self, text: &Path) -> io::Result<()> {
        replace(&text.with_extension(BASE), &[&serde_json::to_vec(&self.head)?, b"\n", &self.base])
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

/// The text of the draft whose base is at a path; `None` if the path does not name a base.
pub fn text_of_base(base: &Path) -> Option<PathBuf> {
    (base.extension()? == BASE).then(|| base.with_extension(&TEXT[1..]))
}

/// The subject of the draft whose text is at a path; `None` if it is no draft of this user.
pub fn draft_head(text: &Path) -> Option<DraftHead> {
    text.file_name()?.to_str().filter(|name| name.starts_with(PREFIX) && name.ends_with(TEXT))?;
    DraftOrigin::of(text).ok().map(|origin| origin.head)
}

impl KeptDraft {
    /// Makes a draft in `state_home` (`$XDG_STATE_HOME`).
    ///
    /// # Errors
    /// `NoStateFolder`, `BrokenStateFolder`; nothing is left behind then.
    pub fn create(state_home: &Path, origin: DraftOrigin) -> Result<Self, Error> {
        let folder = user_folder(state_home)?;
        let failed = |error| Error::state_folder(&folder)(error);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(TEXT).permissions(Permissions::from_mode(MODE));
        let mut file = builder.tempfile_in(&folder).map_err(failed)?;
        file.write_all(origin.original()).map_err(failed)?;
        origin.write(file.path()).map_err(failed)?;
        let path = file.into_temp_path().keep().map_err(|error| failed(error.error))?;
        Ok(Self { path, origin })
    }

    /// The draft whose text is in a file of this user, with the text that it was made of beside it. The base of a draft
    /// is no draft ([`text_of_base`]).
    ///
    /// # Errors
    /// `NoConfiguration` for a missing file, `Denied`, `Failed`.
    pub fn open(path: PathBuf) -> Result<Self, Error> {
        open_own(&path, OpenOptions::new().read(true)).map_err(Error::opening("open", &path))?;
        let base = path.with_extension(BASE);
        let origin = DraftOrigin::of(&path).map_err(Error::opening("open", &base))?;
        Ok(Self { path, origin })
    }

    /// The file that the editor opens.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the text as the editor left it.
    ///
    /// # Errors
    /// As [`KeptDraft::open`].
    pub fn read(&self) -> Result<Bytes, Error> {
        read(&self.path).map_err(Error::opening("open", &self.path))
    }

    /// Replaces the text; the old one stays if that fails.
    ///
    /// # Errors
    /// `Failed`.
    pub fn write(&self, text: &[u8]) -> Result<(), Error> {
        replace(&self.path, &[text]).map_err(Error::io("write", &self.path))
    }

    /// Replaces the text and what it was made of. If the process is killed between the two, the new text
    /// is merged once more, which changes nothing.
    ///
    /// # Errors
    /// `Failed`.
    pub fn rebase(&mut self, origin: DraftOrigin, text: &[u8]) -> Result<(), Error> {
        self.write(text)?;
        origin.write(&self.path).map_err(Error::io("write", &self.path))?;
        self.origin = origin;
        Ok(())
    }

    /// Removes the draft, and what the editor left beside it, such as a backup: the names have that of the draft in
    /// them.
    pub fn remove(&self) {
        let _ = fs::remove_file(self.path.with_extension(BASE));
        let _ = fs::remove_file(&self.path);
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_stem()) else { return };
        let name = name.to_string_lossy();
        // Elsewhere, names may have this one in them by chance.
        let entries = fs::read_dir(folder).into_iter().filter(|_| name.starts_with(PREFIX)).flatten();
        for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().contains(&*name)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Reads a file of this user, and leaves it to no other: an editor may have written another one in its place.
fn read(path: &Path) -> io::Result<Bytes> {
    let mut file = open_own(path, OpenOptions::new().read(true))?;
    let _ = file.set_permissions(Permissions::from_mode(MODE));
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// Writes a file that only this user can read in the place of another.
fn replace(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new()
        .prefix(path.file_stem().unwrap_or_default())
        .permissions(Permissions::from_mode(MODE))
        .tempfile_in(folder)?;
    pieces.iter().try_for_each(|piece| new.write_all(piece))?;
    new.persist(path)?;
    Ok(())
}

/// The folder of the user in `state_home` (`$XDG_STATE_HOME`), which is made where it is missing.
///
/// # Errors
/// `NoStateFolder`, `BrokenStateFolder`; the first also where others may write it.
fn user_folder(state_home: &Path) -> Result<PathBuf, Error> {
    let path = state_home.join(USER_FOLDER);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.map_err(Error::state_folder(&path))?;
    let is_private = |found: fs::Metadata| found.is_dir() && is_ours(&found) && found.mode() & 0o022 == 0;
    match fs::symlink_metadata(&path).is_ok_and(is_private) {
        true => Ok(path),
        false => Err(Error::state_folder(&path)(io::Error::other("other users may write it"))),
    }
}

/// Opens a file of this user as `options` say; no link is followed, and no pipe waits for its other end.
///
/// # Errors
/// `InvalidInput` if it is no regular file, `PermissionDenied` if it belongs to somebody else.
fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    let opened = options.custom_flags(flags.bits() as i32).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP | Errno::ISDIR) => not_regular(),
        _ => error,
    })?;
    let found = file.metadata()?;
    match (found.is_file(), is_ours(&found)) {
        (true, true) => Ok(file),
        (false, _) => Err(not_regular()),
        (true, false) => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user")),
    }
}

fn is_ours(found: &fs::Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}
