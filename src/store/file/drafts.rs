//! The texts that a person works on in a text editor (`mediactl edit`), kept until they are in the configuration.
//!
//! A draft is two files, `draft-XXXXXX.conf` with the text and `draft-XXXXXX.base` with the text that it
//! was made of, in a folder that only the user who edits can enter.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::find::read_file;
use crate::error::Error;

const PREFIX: &str = "draft-";
const BASE: &str = "base";

/// The folder of a user for unfinished work.
const USER_FOLDER: &str = "mediactl";

/// A text that is worked on.
#[derive(Debug)]
pub struct KeptDraft {
    /// The file that the editor opens.
    pub path: PathBuf,
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

impl KeptDraft {
    /// Makes a draft in `state_home` (`$XDG_STATE_HOME`).
    ///
    /// # Errors
    /// `NoStateFolder`, `Failed`; the first also where others may write the folder of the user.
    pub fn create(state_home: &Path, head: DraftHead, base: Bytes) -> Result<Self, Error> {
        let folder = state_home.join(USER_FOLDER);
        let failed = |error| Error::state_folder(&folder)(error);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let is_private = |found: Metadata| {
            found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o022 == 0
        };
        if !fs::symlink_metadata(&folder).is_ok_and(is_private) {
            return Err(failed(io::Error::other("other users may write it")));
        }
        let mut builder = tempfile::Builder::new();
        let file = builder.prefix(PREFIX).suffix(".conf").tempfile_in(&folder).map_err(failed)?;
        let draft = Self { path: file.path().to_owned(), head, base };
        draft.write(draft.original())?;
        draft.write_base()?;
        file.into_temp_path().keep().map_err(|error| failed(error.error))?;
        Ok(draft)
    }

    /// The draft whose text is in a file, with the text that it was made of beside it.
    ///
    /// # Errors
    /// The file or the base is missing, is no draft, or can't be read.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let no_draft = || io::Error::new(io::ErrorKind::InvalidData, "it is not the text of an edit");
        let is_text = path.extension().is_some_and(|end| end == "conf") && path.exists();
        let bytes = Bytes::from(read_file(&path.with_extension(BASE)).map_err(|_| no_draft())?);
        let end = bytes.iter().position(|byte| *byte == b'\n').filter(|_| is_text).ok_or_else(no_draft)?;
        let head = serde_json::from_slice(&bytes[..end]).map_err(|_| no_draft())?;
        Ok(Self { path, head, base: bytes.slice(end + 1..) })
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

    /// Reads the text as the editor left it.
    ///
    /// # Errors
    /// `NoConfiguration` for a missing file, `Denied`, `Failed`.
    pub fn read(&self) -> Result<Bytes, Error> {
        read_file(&self.path).map(Bytes::from).map_err(Error::opening("open", &self.path))
    }

    /// Replaces the text; the old one stays if that fails.
    ///
    /// # Errors
    /// `Failed`.
    pub fn write(&self, text: &[u8]) -> Result<(), Error> {
        replace(&self.path, &[text])
    }

    fn write_base(&self) -> Result<(), Error> {
        let head = serde_json::to_vec(&self.head).expect("it has only strings and numbers");
        replace(&self.path.with_extension(BASE), &[&head, b"\n", &self.base])
    }

    /// Replaces the text by one of the whole configuration, and what it was made of. If the process is killed between the
    /// two, the new text is merged once more, which changes nothing.
    ///
    /// # Errors
    /// `Failed`.
    pub fn rebase(&mut self, base: Bytes, text: &[u8]) -> Result<(), Error> {
        self.write(text)?;
        (self.head.range, self.head.path, self.base) = (None, None, base);
        self.write_base()
    }

    /// Removes the draft, and what the editor left beside it, such as a backup: the names have that of the draft in
    /// them.
    pub fn remove(&self) {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let entries = self.path.parent().and_then(|folder| fs::read_dir(folder).ok());
        for entry in entries.into_iter().flatten().flatten() {
            if name.starts_with(PREFIX) && entry.file_name().to_string_lossy().contains(&*name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Writes a file that only this user can read in the place of another.
fn replace(path: &Path, pieces: &[&[u8]]) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        let mut new = NamedTempFile::new_in(path.parent().unwrap_or(path))?;
        pieces.iter().try_for_each(|piece| new.write_all(piece))?;
        new.persist(path)?;
        Ok(())
    };
    write().map_err(Error::io("write", path))
}
