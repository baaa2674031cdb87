//! The open target of a write, checked to be the file that was loaded.
//!
//! Editors take no lock of this program, so a writer checks before it starts and again before the
//! rename.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::Advice;

use super::file_stamp::{FileStamp, LastWrite};
use super::open::open_regular;
use super::target::ConfFile;
use crate::store::error::StoreError;
use crate::store::version::BaseText;

/// The number of bytes of the file that are compared at a time.
const CHUNK: usize = 256 * 1024;

/// The open file, which holds the loaded text.
pub(super) struct OpenTarget {
    /// Open for reading.
    pub(super) file: File,
    /// Owner, mode and names.
    pub(super) metadata: Metadata,
    stamp: FileStamp,
}

impl OpenTarget {
    /// Opens the file and makes sure that it holds `old`, by its stamp or else by its bytes.
    pub(super) fn expect(conf: &ConfFile, old: BaseText<'_>) -> Result<OpenTarget, StoreError> {
        OpenTarget::open(conf, old.text, old.version.known())
    }

    fn open(conf: &ConfFile, text: &[u8], loaded: Option<&FileStamp>) -> Result<OpenTarget, StoreError> {
        let path = conf.target();
        let (file, metadata) = open_regular(path).map_err(gone_is_changed)?;
        let stamp = FileStamp::from_metadata(&metadata);
        if !loaded.is_some_and(|loaded| loaded.proves(&stamp)) {
            let same = holds(&file, text).map_err(StoreError::io("read", path))?;
            refuse_unless(same, path)?;
        }
        Ok(OpenTarget { file, metadata, stamp })
    }

    /// True if the file is the one at `path`.
    pub(super) fn is_at(&self, path: &Path) -> io::Result<bool> {
        let identity = |found: &Metadata| (found.dev(), found.ino());
        Ok(identity(&fs::symlink_metadata(path)?) == identity(&self.metadata))
    }

    /// True if the file has further names (hard links).
    pub(super) fn has_other_names(&self) -> bool {
        self.metadata.nlink() > 1
    }

    /// Frees the pages in which the system caches the old text, which is not read again. The new text
    /// then gets these pages, which is faster than fresh ones, above all on a virtual machine.
    pub(super) fn free_cache(&self) {
        // The system may ignore the call, which costs only time.
        let _ = rustix::fs::fadvise(&self.file, 0, None, Advice::DontNeed);
    }

    /// The time of the last write of the file, and its length then.
    pub(super) fn writing(&self) -> LastWrite {
        LastWrite::from_metadata(&self.metadata)
    }

    /// Updates the stamp after this program gave the file one more name.
    pub(super) fn renew(&mut self, conf: &ConfFile) -> Result<(), StoreError> {
        let path = conf.target();
        let found = self.file.metadata().map_err(StoreError::io("look at", path))?;
        let renewed = self.stamp.with_another_name(FileStamp::from_metadata(&found));
        self.stamp = renewed.ok_or_else(|| StoreError::ChangedMeanwhile { path: path.to_owned() })?;
        Ok(())
    }

    /// Makes sure that text, owner and mode have not changed since.
    pub(super) fn recheck(&self, conf: &ConfFile, text: &[u8]) -> Result<(), StoreError> {
        let now = OpenTarget::open(conf, text, Some(&self.stamp))?;
        refuse_unless(rights(&now.metadata) == rights(&self.metadata), conf.target())
    }
}

fn refuse_unless(same: bool, path: &Path) -> Result<(), StoreError> {
    if same { Ok(()) } else { Err(StoreError::ChangedMeanwhile { path: path.to_owned() }) }
}

fn gone_is_changed(error: StoreError) -> StoreError {
    match error {
        StoreError::NotFound { path } => StoreError::ChangedMeanwhile { path },
        other => other,
    }
}

fn rights(found: &Metadata) -> (u32, u32, u32) {
    (found.uid(), found.gid(), found.mode())
}

/// True if `file`, from its current position, holds exactly `text`.
pub(super) fn holds(mut file: &File, text: &[u8]) -> io::Result<bool> {
    if file.metadata()?.size() != text.len() as u64 {
        return Ok(false);
    }
    let mut chunk = vec![0; CHUNK];
    let mut rest = text;
    loop {
        let count = match file.read(&mut chunk) {
            Ok(0) => return Ok(rest.is_empty()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        match rest.strip_prefix(&chunk[..count]) {
            Some(after) => rest = after,
            None => return Ok(false),
        }
    }
}
