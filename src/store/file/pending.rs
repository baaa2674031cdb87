//! A change that waits to be confirmed: all that taking it back needs, durable before it is made.
//!
//! The file `pending` in the state folder is a line of JSON and behind it the texts, one after the
//! other. It is there as long as the change is neither confirmed nor taken back, so a server that
//! was killed meanwhile finds it when it starts again.

use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::lock::LockedFile;
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::error::StoreError;

/// Its name in the state folder.
const NAME: &str = "pending";

/// Under this name it is written, before it gets its own.
const NEW_NAME: &str = "pending.new";

/// A change that waits to be confirmed, with what it replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRecord<'a> {
    /// What a confirmation names.
    pub id: String,
    /// When it is taken back; in whole milliseconds.
    pub deadline: SystemTime,
    /// What was done.
    pub operation: String,
    /// Who did it.
    pub by: String,
    /// What ran before.
    pub running: Vec<&'a [u8]>,
    /// What was in the file before; none if there was no file.
    pub file: Option<Vec<&'a [u8]>>,
    /// What the change writes into the file; none if it leaves that alone.
    pub written: Option<Vec<&'a [u8]>>,
}

/// What stands in front of the texts.
#[derive(Serialize, Deserialize)]
struct PendingHeader {
    id: String,
    /// Milliseconds since 1970.
    deadline: u64,
    operation: String,
    by: String,
    running: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<u64>,
    /// The xxh3-128 of the texts, so that a record which was cut short is told from a whole one.
    hash: String,
}

/// The bytes of the file `pending`.
#[derive(Debug)]
pub struct StoredPending(Vec<u8>);

impl ConfFile {
    /// The change that waits to be confirmed; none, too, for a record that was cut short, whose change
    /// was never made. Takes no lock.
    ///
    /// # Errors
    /// `Untrusted`, `PermissionDenied`, `Io`.
    pub fn pending(&self) -> Result<Option<StoredPending>, StoreError> {
        let Some(state) = StateDir::find(self)? else { return Ok(None) };
        let record = state.read(NAME)?.map(StoredPending);
        Ok(record.filter(|record| record.read().is_some()))
    }

    /// Whether there seems to be one; costs next to nothing.
    pub fn has_pending(&self) -> bool {
        StateDir::find(self).is_ok_and(|state| state.is_some_and(|state| state.look_at(NAME).is_some()))
    }
}

impl StoredPending {
    /// What it says; none if it is not whole.
    pub fn read(&self) -> Option<PendingRecord<'_>> {
        let end = self.0.iter().position(|&byte| byte == b'\n')?;
        let head: PendingHeader = serde_json::from_slice(&self.0[..end]).ok()?;
        let mut rest = &self.0[end + 1..];
        if format!("{:032x}", xxh3_128(rest)) != head.hash {
            return None;
        }
        let mut text = |length: u64| {
            let (text, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            rest = behind;
            Some(vec![text])
        };
        Some(PendingRecord {
            running: text(head.running)?,
            file: head.file.map(&mut text).map_or(Some(None), |text| text.map(Some))?,
            written: head.written.map(&mut text).map_or(Some(None), |text| text.map(Some))?,
            id: head.id,
            deadline: UNIX_EPOCH + Duration::from_millis(head.deadline),
            operation: head.operation,
            by: head.by,
        })
    }
}

impl LockedFile<'_> {
    /// Notes a change that is about to be made, durably.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn set_pending(&self, pending: &PendingRecord<'_>) -> Result<(), StoreError> {
        let mut file = self.state.open(NEW_NAME)?;
        let written = write(&mut file, pending)
            .and_then(|()| file.sync_all())
            .and_then(|()| self.state.rename(NEW_NAME, NAME))
            .and_then(|()| self.state.sync_path());
        written.map_err(|error| {
            let _ = self.state.remove(NEW_NAME);
            let _ = self.state.remove(NAME);
            StoreError::state_folder(&self.state.path_of(NAME))(error)
        })
    }

    /// The change is confirmed, or taken back, durably.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn clear_pending(&self) -> Result<(), StoreError> {
        let gone = match self.state.remove(NAME) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| self.state.sync()),
        };
        gone.map_err(StoreError::state_folder(&self.state.path_of(NAME)))
    }
}

/// Removes what a writer left that was killed before its change was made.
pub(super) fn clean(state: &StateDir) {
    let _ = state.remove(NEW_NAME);
}

fn write(file: &mut std::fs::File, pending: &PendingRecord<'_>) -> io::Result<()> {
    let texts = [Some(&pending.running), pending.file.as_ref(), pending.written.as_ref()];
    let pieces: Vec<&[u8]> = texts.into_iter().flatten().flatten().copied().collect();
    let mut hash = Xxh3Default::new();
    pieces.iter().for_each(|piece| hash.update(piece));
    let length = |text: &Vec<&[u8]>| text.iter().map(|piece| piece.len() as u64).sum();
    let since = pending.deadline.duration_since(UNIX_EPOCH).unwrap_or_default();
    let head = PendingHeader {
        id: pending.id.clone(),
        deadline: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        operation: pending.operation.clone(),
        by: pending.by.clone(),
        running: length(&pending.running),
        file: pending.file.as_ref().map(length),
        written: pending.written.as_ref().map(length),
        hash: format!("{:032x}", hash.digest128()),
    };
    let mut line = serde_json::to_vec(&head)?;
    line.push(b'\n');
    file.set_len(0)?;
    [line.as_slice()].into_iter().chain(pieces).try_for_each(|piece| file.write_all(piece))
}
