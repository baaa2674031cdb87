//! The undo journal of an in-place write: both texts, durable before the first byte of the file changes.
//!
//! Layout, numbers little endian: [`MAGIC`], inode of the file (u64), length of the old text (u64),
//! length of the new one (u64), old text, new text, xxh3-128 of all before it (u128).

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::state_dir::StateDir;
use crate::store::error::StoreError;

/// Name of the journal in the state folder.
pub(super) const JOURNAL: &str = "in-place";

/// Name of a journal that no longer fits the file.
pub(super) const KEPT_JOURNAL: &str = "in-place.kept";

const MAGIC: &[u8; 20] = b"mediactl in-place 1\n";
const HEADER: usize = MAGIC.len() + 3 * size_of::<u64>();
const CHECKSUM: usize = size_of::<u128>();

/// A whole journal.
pub(super) struct UndoJournal {
    /// The journal without its checksum.
    body: Vec<u8>,
    inode: u64,
    old_length: usize,
}

/// The content of a file, compared with the two texts of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileState {
    /// The old text or the new one, complete.
    Complete,
    /// The rest of a write that was cut short: each byte is that of the old or of the new text at its
    /// place, or one of the zeros that a disk has where its power failed; the end may be missing.
    Mixture,
    /// Neither: the file was edited or replaced.
    Edited,
}

impl UndoJournal {
    /// Writes the journal of a write that makes `pieces` out of `old`; it is durable on return.
    pub(super) fn write(
        state: &StateDir,
        inode: u64,
        old: &[u8],
        pieces: &[&[u8]],
    ) -> Result<(), StoreError> {
        let file = state.open(JOURNAL)?;
        write_to(&file, inode, old, pieces)
            .and_then(|()| file.sync_all())
            .and_then(|()| state.sync_path())
            .map_err(StoreError::io("write", &state.path_of(JOURNAL)))
    }

    /// Reads the journal in the state folder; `None` when there is none, or when writing it was cut short
    /// before the file was touched.
    pub(super) fn read(state: &StateDir) -> Result<Option<UndoJournal>, StoreError> {
        Ok(state.read(JOURNAL)?.and_then(UndoJournal::parse))
    }

    /// True if the file described by `found`, which holds `bytes`, is partly written.
    pub(super) fn is_torn(&self, found: &Metadata, bytes: &[u8]) -> bool {
        self.compare(found, bytes) == FileState::Mixture
    }

    /// Compares the file described by `found`, which holds `bytes`, with the two texts.
    pub(super) fn compare(&self, found: &Metadata, bytes: &[u8]) -> FileState {
        let (old, new) = (self.old(), self.new_text());
        if bytes == old || bytes == new {
            FileState::Complete
        } else if found.ino() == self.inode && is_mixture(bytes, old, new) {
            FileState::Mixture
        } else {
            FileState::Edited
        }
    }

    /// The text before the write.
    pub(super) fn old(&self) -> &[u8] {
        &self.body[HEADER..HEADER + self.old_length]
    }

    /// The text before the write, in the buffer that the journal was read into.
    pub(super) fn into_old(mut self) -> Vec<u8> {
        self.body.truncate(HEADER + self.old_length);
        self.body.drain(..HEADER);
        self.body
    }

    fn new_text(&self) -> &[u8] {
        &self.body[HEADER + self.old_length..]
    }

    fn parse(mut body: Vec<u8>) -> Option<UndoJournal> {
        let checksum = body.split_off(body.len().checked_sub(CHECKSUM)?);
        if !body.starts_with(MAGIC) || checksum != xxh3_128(&body).to_le_bytes() {
            return None;
        }
        let number = |index: usize| {
            let start = MAGIC.len() + index * size_of::<u64>();
            let bytes = body.get(start..start + size_of::<u64>())?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let (inode, old, new) = (number(0)?, number(1)?, number(2)?);
        let old_length = usize::try_from(old).ok()?;
        let texts = (body.len() - HEADER) as u64;
        let fits = old.checked_add(new) == Some(texts);
        fits.then_some(UndoJournal { body, inode, old_length })
    }
}

fn write_to(mut file: &File, inode: u64, old: &[u8], pieces: &[&[u8]]) -> io::Result<()> {
    let new_length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut header = MAGIC.to_vec();
    for number in [inode, old.len() as u64, new_length as u64] {
        header.extend(number.to_le_bytes());
    }
    let mut hasher = Xxh3Default::new();
    file.set_len(0)?;
    for part in [&header, old].into_iter().chain(pieces.iter().copied()) {
        hasher.update(part);
        file.write_all(part)?;
    }
    file.write_all(&hasher.digest128().to_le_bytes())
}

/// A file that is shorter than both texts did not reach the disk whole.
fn is_mixture(bytes: &[u8], old: &[u8], new: &[u8]) -> bool {
    let could_be =
        |(at, byte): (usize, &u8)| *byte == 0 || [old, new].iter().any(|text| text.get(at) == Some(byte));
    bytes.len() <= old.len().max(new.len()) && bytes.iter().enumerate().all(could_be)
}
