//! The text of a cluster that the file holds, as a node remembers it.
//!
//! The file `followed` in the state folder is JSON. What a node is about to write is noted before it writes
//! it, so that a node which was killed meanwhile makes the media server load the file when it starts
//! again, and does not take the text for a hand edit.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::error::StoreError;
use crate::store::revision::Revision;

/// Its name in the state folder.
const NAME: &str = "followed";

/// The name under which it is written first.
const NEW_NAME: &str = "followed.new";

/// The text of the way back, and the name under which it is written first.
const BACK_NAME: &str = "back";
const NEW_BACK_NAME: &str = "back.new";

/// The text of a cluster that a node runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// The text that the media server has loaded.
    pub runs: Option<FollowedText>,
    /// The text that is being written and loaded.
    pub takes: Option<FollowedText>,
    /// The way back from a change that is not confirmed yet; it is noted before the change is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<WayBack>,
    /// The reason why it takes no text, until the cluster is adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}

/// The way back from a change of a cluster: its text is in the file `back` of the state folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayBack {
    /// The id of the change that has to be confirmed.
    pub change: String,
    /// The text that comes back.
    pub text: FollowedText,
    /// The time since the start of the machine at which the node first saw the change, in milliseconds.
    pub seen: u64,
    /// The id of that start of the machine.
    pub boot: String,
}

/// A text of a cluster, as one node has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedText {
    /// The serial in the cluster.
    pub serial: u64,
    /// The epoch of that serial.
    #[serde(default)]
    pub epoch: String,
    /// The id of the change with that serial; none of a text that came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The revision of the text.
    pub revision: Revision,
}

impl ConfFile {
    /// Reads what a node noted last. A note that can't be read is as good as none.
    ///
    /// # Errors
    /// `Untrusted`, `PermissionDenied`, `Io`.
    pub fn followed(&self) -> Result<Followed, StoreError> {
        let Some(state) = StateDir::find(self)? else { return Ok(Followed::default()) };
        let note = state.read(NAME)?;
        Ok(note.and_then(|note| serde_json::from_slice(&note).ok()).unwrap_or_default())
    }

    /// Notes durably which text the file holds. Only the server of the file calls this.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn note_followed(&self, followed: &Followed) -> Result<(), StoreError> {
        let note = serde_json::to_vec(followed).expect("it has only strings and numbers");
        self.write_durably(NEW_NAME, NAME, &note)
    }

    /// Reads the text of the way back; `None` if there is none.
    ///
    /// # Errors
    /// `Untrusted`, `PermissionDenied`, `Io`.
    pub fn text_back(&self) -> Result<Option<Vec<u8>>, StoreError> {
        StateDir::find(self)?.map_or(Ok(None), |state| state.read(BACK_NAME))
    }

    /// Writes the text of the way back durably, before the way back is noted.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn write_text_back(&self, text: &[u8]) -> Result<(), StoreError> {
        self.write_durably(NEW_BACK_NAME, BACK_NAME, text)
    }

    fn write_durably(&self, new_name: &str, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let state = StateDir::make(self)?;
        let mut file = state.open(new_name)?;
        let mut write = || -> io::Result<()> {
            file.set_len(0)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            state.rename(new_name, name)?;
            state.sync()
        };
        write().map_err(StoreError::state_folder(&state.path_of(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_back_and_a_damaged_one_is_none() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = ConfFile::resolve(&folder.path().join("media.conf")).expect("the folder is there");
        std::fs::write(file.target(), "http 80;\n").expect("a file can be made");
        assert_eq!(file.followed().expect("there is none"), Followed::default());
        let revision = Revision::from_text(b"http 80;\n");
        let text = FollowedText { serial: 7, epoch: "e".to_owned(), id: Some("ab".to_owned()), revision };
        let followed = Followed { takes: Some(text), ..Followed::default() };
        file.note_followed(&followed).expect("it can be noted");
        assert_eq!(file.followed().expect("it can be read"), followed);
        std::fs::write(file.state_dir().join(NAME), "{\"runs\":").expect("it can be cut short");
        assert_eq!(file.followed().expect("it can be read"), Followed::default());
    }
}
