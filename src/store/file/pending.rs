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
use crate::store::pending::{PendingInfo, PendingRecord};

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
    pub fn pending(&self) -> Result<Option<PendingRecord>, StoreError> {
        let Some(state) = StateDir::find(self)? else { return Ok(None) };
        Ok(state.read(NAME)?.and_then(|bytes| parse(bytes.into())))
    }

    /// True if there seems to be a record; costs next to nothing.
    pub fn has_pending(&self) -> bool {
        StateDir::find(self).is_ok_and(|state| state.is_some_and(|state| state.last_write(NAME).is_some()))
    }
}

/// Parses the file `pending`; `None` if it is not whole.
fn parse(bytes: Bytes) -> Option<PendingRecord> {
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
    Some(PendingRecord {
        running: optional(Some(head.running))??,
        file: optional(head.file)?,
        written: optional(head.written)?,
        info: PendingInfo::new(head.id, head.operation, head.by, from_milliseconds(head.deadline)),
    })
}

impl LockedFile<'_> {
    /// Records a change that is about to be made, durably.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn set_pending(&self, pending: &PendingRecord) -> Result<(), StoreError> {
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

fn write(file: &mut File, pending: &PendingRecord) -> io::Result<()> {
    let texts =
        || [Some(&pending.running), pending.file.as_ref(), pending.written.as_ref()].into_iter().flatten();
    let mut hash = Xxh3Default::new();
    texts().for_each(|text| hash.update(text));
    let (info, length) = (&pending.info, |text: &Bytes| text.len() as u64);
    let head = PendingHeader {
        id: info.id.clone(),
        deadline: milliseconds(info.deadline),
        operation: info.operation.clone(),
        by: info.by.clone(),
        running: length(&pending.running),
        file: pending.file.as_ref().map(length),
        written: pending.written.as_ref().map(length),
        hash: format!("{:032x}", hash.digest128()),
    };
    let mut line = serde_json::to_vec(&head)?;
    line.push(b'\n');
    file.set_len(0)?;
    file.write_all(&line)?;
    texts().try_for_each(|text| file.write_all(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 0.1 writes it.
    const STORED: &[u8] =
        b"{\"id\":\"77\",\"deadline\":1795356245123,\"operation\":\"modify\",\"by\":\"olga\",\
        \"running\":4,\"file\":4,\"written\":5,\"hash\":\"HASH\"}\none\none\nthree";

    #[test]
    fn a_record_that_was_stored_is_read() {
        let stored = String::from_utf8_lossy(STORED).replace("HASH", "2545d161bffb2e4946e0f0d6bd4cc96b");
        let record = parse(stored.into_bytes().into()).expect("it is whole");
        let info = &record.info;
        assert_eq!((&*info.id, &*info.operation, &*info.by), ("77", "modify", "olga"));
        assert_eq!(milliseconds(info.deadline), 1_795_356_245_123);
        assert_eq!((&record.running[..], record.file.as_deref()), (&b"one\n"[..], Some(&b"one\n"[..])));
        assert_eq!(record.written.as_deref(), Some(&b"three"[..]));
        assert_eq!(parse(Bytes::from_static(STORED)), None, "the hash differs");
    }

    #[test]
    fn what_clients_are_sent_is_read() {
        let sent = "{\"id\":\"77\",\"operation\":\"modify\",\"by\":\"olga\",\"deadline\":\"2026-11-22T17:24:05Z\",\
                    \"seconds_left\":59}";
        let info: PendingInfo = serde_json::from_str(sent).expect("it is whole");
        assert_eq!((info.seconds_left, info.is_over), (59, false));
        assert_eq!(serde_json::to_string(&info).expect("it is JSON"), sent);
    }
}
