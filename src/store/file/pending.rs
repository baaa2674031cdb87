//! The record of a change that has to be confirmed, durable before the change is made.
//!
//! The file `pending` in the state folder is a line of JSON, followed by the texts that a rollback
//! needs. It is there until the change is confirmed or rolled back, so a server that was killed
//! meanwhile finds it when it starts again.

use std::fs::File;
use std::io::{self, Write};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::lock::LockedFile;
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::bounded_time::{from_milliseconds, milliseconds};
use crate::store::error::StoreError;
use crate::store::pending::{OpenChange, PendingRecord, StoredPending};

/// Its name in the state folder.
const NAME: &str = "pending";

/// The name under which it is written first.
const NEW_NAME: &str = "pending.new";

/// The line of JSON in front of the texts.
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
    /// The xxh3-128 of the texts: a record that was cut short has another.
    hash: String,
}

impl ConfFile {
    /// The change that has to be confirmed; none, too, for a record that was cut short, whose change
    /// was never made. Takes no lock.
    ///
    /// # Errors
    /// `Untrusted`, `PermissionDenied`, `Io`.
    pub fn pending(&self) -> Result<Option<StoredPending>, StoreError> {
        let Some(state) = StateDir::find(self)? else { return Ok(None) };
        Ok(state.read(NAME)?.and_then(|bytes| parse(bytes.into())))
    }

    /// True if there seems to be a record; costs next to nothing.
    pub fn has_pending(&self) -> bool {
        StateDir::find(self).is_ok_and(|state| state.is_some_and(|state| state.last_write(NAME).is_some()))
    }
}

/// Parses the file `pending`; `None` if it is not whole.
fn parse(bytes: Bytes) -> Option<StoredPending> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let head: PendingHeader = serde_json::from_slice(&bytes[..end]).ok()?;
    let mut rest = bytes.slice(end + 1..);
    if format!("{:032x}", xxh3_128(&rest)) != head.hash {
        return None;
    }
    let mut text = |length: u64| {
        let length = usize::try_from(length).ok().filter(|length| *length <= rest.len())?;
        Some(rest.split_to(length))
    };
    let mut optional = |length: Option<u64>| match length {
        Some(length) => text(length).map(Some),
        None => Some(None),
    };
    Some(StoredPending {
        running: optional(Some(head.running))??,
        file: optional(head.file)?,
        written: optional(head.written)?,
        open: OpenChange {
            id: head.id,
            deadline: from_milliseconds(head.deadline),
            operation: head.operation,
            by: head.by,
            canary: Vec::new(),
            is_over: false,
        },
    })
}

impl LockedFile<'_> {
    /// Records a change that is about to be made, durably.
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

    /// Removes the record durably.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn clear_pending(&self) -> Result<(), StoreError> {
        let cleared = match self.state.remove(NAME) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| self.state.sync()),
        };
        cleared.map_err(StoreError::state_folder(&self.state.path_of(NAME)))
    }
}

/// Removes the file of a writer that was killed before its change was made.
pub(super) fn clean(state: &StateDir) {
    let _ = state.remove(NEW_NAME);
}

fn write(file: &mut File, pending: &PendingRecord<'_>) -> io::Result<()> {
    let written = pending.written.unwrap_or_default();
    let pieces: Vec<&[u8]> =
        [pending.running].into_iter().chain(pending.file).chain(written.iter().copied()).collect();
    let mut hash = Xxh3Default::new();
    pieces.iter().for_each(|piece| hash.update(piece));
    let head = PendingHeader {
        id: pending.id.to_owned(),
        deadline: milliseconds(pending.deadline),
        operation: pending.operation.to_owned(),
        by: pending.by.to_owned(),
        running: pending.running.len() as u64,
        file: pending.file.map(|text| text.len() as u64),
        written: pending.written.map(|pieces| pieces.iter().map(|piece| piece.len() as u64).sum()),
        hash: format!("{:032x}", hash.digest128()),
    };
    let mut line = serde_json::to_vec(&head)?;
    line.push(b'\n');
    file.set_len(0)?;
    [line.as_slice()].into_iter().chain(pieces).try_for_each(|piece| file.write_all(piece))
}
