//! Records in the state folder that a process which was killed finds when it starts again.
//!
//! The file `pending` is the record of a change that has to be confirmed, durable before the change is made: a line of JSON,
//! followed by the texts that a rollback needs. It is there until the change is confirmed or rolled back.
//!
//! The file `followed` is JSON: which text of a cluster the file of a node holds. What a node is about to write is
//! noted before it writes it, so that a node which was killed meanwhile makes the media server load the file
//! when it starts again, and does not take the text for a hand edit.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::convert::{find_state, make_state};
use super::find::ConfFile;
use super::state::StateDir;
use crate::error::Error;
use crate::store::clock::{from_milliseconds, milliseconds};
use crate::store::{PendingInfo, PendingRecord, Revision};

/// The name of the record of a change that has to be confirmed, in the state folder.
pub(super) const PENDING: &str = "pending";

/// The name of the note of a node.
const FOLLOWED: &str = "followed";

/// The name of the text of the way back.
const BACK: &str = "back";

/// The line of JSON in front of the texts.
#[derive(Serialize, Deserialize)]
struct PendingHeader {
    id: String,
    /// Milliseconds since 1970.
    deadline: u64,
    operation: String,
    by: String,
    running: usize,
    file: Option<usize>,
    written: Option<usize>,
}

/// Parses the file `pending`; `None` if it is not whole.
pub(super) fn parse(bytes: Bytes) -> Option<PendingRecord> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let head: PendingHeader = serde_json::from_slice(&bytes[..end]).ok()?;
    let mut rest = bytes.slice(end + 1..);
    let lengths = [Some(head.running), head.file, head.written];
    let whole = lengths.iter().flatten().try_fold(0_usize, |sum, length| sum.checked_add(*length));
    if whole != Some(rest.len()) {
        return None;
    }
    let [running, file, written] = lengths.map(|length| length.map(|length| rest.split_to(length)));
    let info = PendingInfo::new(head.id, head.operation, head.by, from_milliseconds(head.deadline));
    Some(PendingRecord { info, running: running?, file, written })
}

/// Records a change that is about to be made, durably.
///
/// # Errors
/// `NoStateFolder`, `Failed`.
pub(super) fn write(state: &StateDir, pending: &PendingRecord) -> Result<(), Error> {
    let PendingRecord { info, running, file, written } = pending;
    let texts = || [Some(running), file.as_ref(), written.as_ref()].into_iter().flatten();
    let head = PendingHeader {
        id: info.id.clone(),
        deadline: milliseconds(info.deadline),
        operation: info.operation.clone(),
        by: info.by.clone(),
        running: running.len(),
        file: file.as_ref().map(Bytes::len),
        written: written.as_ref().map(Bytes::len),
    };
    let head = serde_json::to_string(&head).expect("it has only strings and numbers") + "\n";
    let pieces: Vec<&[u8]> = [head.as_bytes()].into_iter().chain(texts().map(|text| &text[..])).collect();
    state.put_durably(PENDING, &pieces).inspect_err(|_| _ = state.remove(PENDING))
}

/// Removes the record durably.
///
/// # Errors
/// `NoStateFolder`, `Failed`.
pub(super) fn remove(state: &StateDir) -> Result<(), Error> {
    let removed = match state.remove(PENDING) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| state.sync()),
    };
    removed.map_err(Error::state_folder(&state.path_of(PENDING)))
}

/// The text of a cluster that a node runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// The text that the media server has loaded.
    pub runs: Option<FollowedText>,
    /// The text that is being written and loaded.
    pub takes: Option<FollowedText>,
    /// The way back from a change that is not confirmed yet; it is noted before the change is taken.
    pub back: Option<WayBack>,
    /// The reason why it takes no text, until the cluster is adopted.
    pub held: Option<String>,
}

/// The way back from a change of a cluster: its text is in the file `back` of the state folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayBack {
    /// The id of the change that has to be confirmed.
    pub change: String,
    /// The text that comes back.
    pub text: FollowedText,
}

/// A text of a cluster, as one node has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedText {
    /// The serial in the cluster.
    pub serial: u64,
    /// The epoch of that serial.
    #[serde(default)]
    pub epoch: String,
    /// The revision of the text.
    pub revision: Revision,
}

impl ConfFile {
    /// Reads what a node noted last. A note that can't be read is as good as none.
    ///
    /// # Errors
    /// `Untrusted`, `Denied`, `Failed`.
    pub fn followed(&self) -> Result<Followed, Error> {
        let Some(state) = find_state(self)? else { return Ok(Followed::default()) };
        let note = state.read(FOLLOWED)?;
        Ok(note.and_then(|note| serde_json::from_slice(&note).ok()).unwrap_or_default())
    }

    /// Notes durably which text the file holds. Only the server of the file calls this.
    ///
    /// # Errors
    /// `NoStateFolder`, `Failed`.
    pub fn note_followed(&self, followed: &Followed) -> Result<(), Error> {
        let note = serde_json::to_vec(followed).expect("it has only strings and numbers");
        self.make_state()?.put_durably(FOLLOWED, &[&note])
    }

    /// Reads the text of the way back; `None` if there is none.
    ///
    /// # Errors
    /// `Untrusted`, `Denied`, `Failed`.
    pub fn text_back(&self) -> Result<Option<Vec<u8>>, Error> {
        find_state(self)?.map_or(Ok(None), |state| state.read(BACK))
    }

    /// Writes the text of the way back durably, before the way back is noted.
    ///
    /// # Errors
    /// `NoStateFolder`, `Failed`.
    pub fn write_text_back(&self, text: &[u8]) -> Result<(), Error> {
        self.make_state()?.put_durably(BACK, &[text])
    }

    fn make_state(&self) -> Result<StateDir, Error> {
        Ok(make_state(self, Duration::ZERO, &mut |_| ())?.0)
    }
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
        let record = parse(Bytes::from_static(STORED)).expect("it is whole");
        let info = &record.info;
        assert_eq!((&*info.id, &*info.operation, &*info.by), ("77", "modify", "olga"));
        assert_eq!(milliseconds(info.deadline), 1_795_356_245_123);
        assert_eq!((&record.running[..], record.file.as_deref()), (&b"one\n"[..], Some(&b"one\n"[..])));
        assert_eq!(record.written.as_deref(), Some(&b"three"[..]));
        assert_eq!(parse(STORED[..STORED.len() - 1].into()), None, "it is cut short");
    }

    #[test]
    fn what_clients_are_sent_is_read() {
        let sent = "{\"id\":\"77\",\"operation\":\"modify\",\"by\":\"olga\",\"deadline\":\"2026-11-22T17:24:05Z\",\
                    \"seconds_left\":59}";
        let info: PendingInfo = serde_json::from_str(sent).expect("it is whole");
        assert_eq!((info.seconds_left, info.is_over), (59, false));
        assert_eq!(serde_json::to_string(&info).expect("it is JSON"), sent);
    }

    #[test]
    fn a_note_is_read_back_and_a_damaged_one_is_none() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = ConfFile::resolve(&folder.path().join("media.conf")).expect("the folder is there");
        std::fs::write(&file.target, "http 80;\n").expect("a file can be made");
        assert_eq!(file.followed().expect("there is none"), Followed::default());
        let revision = Revision::from_text(b"http 80;\n");
        let text = FollowedText { serial: 7, epoch: "e".to_owned(), revision };
        let followed = Followed { takes: Some(text), ..Followed::default() };
        file.note_followed(&followed).expect("it can be noted");
        assert_eq!(file.followed().expect("it can be read"), followed);
        std::fs::write(file.state_dir().join(FOLLOWED), "{\"runs\":").expect("it can be cut short");
        assert_eq!(file.followed().expect("it can be read"), Followed::default());
    }
}
