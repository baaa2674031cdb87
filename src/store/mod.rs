//! The place of a configuration: its text, the history of its changes, and a change that has to be
//! confirmed.
//!
//! [`Store`] and [`Writer`] are the port that the engine works with. Two stores are behind it: a file on
//! disk ([`mod@file`]), and etcd, which many machines share ([`mod@etcd`]). A store does not know the meaning of
//! a text, has no notion of a terminal, and prints nothing: what users should know comes back as an [`Error`] or a [`Warning`].
//!
//! A change takes these steps, and a failure at any of them leaves the old text:
//!
//! ```text
//! writer → load → reconcile → prepare(old, new, record) → commit → done, `Conflict` or `Overtaken`
//! ```

pub mod clock;
mod error;
pub mod etcd;
pub mod file;
mod pending;
mod record;
mod watched;

use std::any::Any;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::error::{Error, ErrorKind};

pub use clock::{fresh_id, jittered};
pub(crate) use error::{READ_AGAIN, reason};
pub use pending::*;
pub use record::*;
pub use watched::*;

/// A failure that did not stop a change, in words.
pub type Warning = String;

/// A file with a new text, which hooks can read before the change; removed when this is dropped.
pub type Candidate = NamedTempFile;

/// The version under which a store knows a text; only the store that made it looks inside.
pub type Version = Arc<dyn Any + Send + Sync>;

/// A text and its version.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The text, byte for byte.
    pub bytes: Bytes,
    pub version: Version,
    /// The change that made it, if that has to be confirmed and the store sees to it.
    pub open: Option<PendingInfo>,
    hash: OnceLock<Revision>,
}

impl Loaded {
    /// The revision of the text.
    pub fn revision(&self) -> Revision {
        *self.hash.get_or_init(|| Revision::from_text(&self.bytes))
    }
}

/// A text as a file of gzip.
fn gzip(text: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("a vector takes all bytes")
}

/// The text in the first member of such a file, of which at most so many bytes are read; `None` if it is damaged.
fn gunzip(bytes: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).take(most).read_to_end(&mut text).is_ok().then_some(text)
}

/// Writes a candidate outside of any store: into the folder of temporary files, readable by its owner alone.
///
/// # Errors
/// `Failed`.
pub fn candidate_elsewhere(text: &[u8]) -> Result<Candidate, Error> {
    let path = std::env::temp_dir();
    let failed = || Error::io("make a temporary file in", &path);
    let mut file = NamedTempFile::new().map_err(failed())?;
    file.write_all(text).map_err(failed())?;
    Ok(file)
}

/// The text of a file that a configuration includes.
#[derive(Debug, Clone)]
pub struct IncludedText {
    /// The name in messages.
    pub name: String,
    /// The file at the end of all links.
    pub target: PathBuf,
    /// `None` if it is not opened: it is outside of the folder of the configuration, or a hard link of another owner. It may
    /// be no configuration, and readers of the messages may have no right to read it.
    pub bytes: Option<Bytes>,
}

/// The limits of the included files that are still to be read: how many, and how large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncludeLimits {
    pub files: usize,
    /// The most bytes of all of them.
    pub bytes: usize,
}

impl IncludeLimits {
    /// All that can be read.
    pub const ALL: Self = Self { files: 10_000, bytes: 256 << 20 };

    /// Returns the limits that remain after a file of this size.
    pub fn after(self, bytes: u64) -> Result<Self, Error> {
        let rest = usize::try_from(bytes).ok().and_then(|bytes| self.bytes.checked_sub(bytes));
        match (self.files.checked_sub(1), rest) {
            (Some(files), Some(bytes)) => Ok(Self { files, bytes }),
            _ => Err(Error::new(ErrorKind::FileTooLarge, "too many files, or too large ones, are included")),
        }
    }
}

/// A place where a configuration is kept. Reading takes no lock and writes nothing.
///
/// Both traits below belong to it. A test holds each guarantee over every store (`tests/suite/cluster/contract.rs`).
///
/// | operation | what a store guarantees |
/// |---|---|
/// | `name`, `path` | are what messages and hooks call the configuration, and stay the same |
/// | `leads_elsewhere` | is false as long as the name leads to this configuration |
/// | `load` | is `NoConfiguration` until there is a text, then exactly the bytes that were committed last |
/// | `stamp` | is the same as long as nothing was written |
/// | `included` | has the texts that a pattern names in the order of their names; none where the store has no files |
/// | `history` | has each commit once, the last one first, with its number, author, message and revisions |
/// | `kept` | knows each entry by its number; the text is that before the change, byte for byte |
/// | `edited_from` | is `None` as long as every text was committed here |
/// | `candidate` | is a file with the text until it is dropped; the configuration stays |
/// | `refuse_missing` | fails only where `load` would be `NoConfiguration`, and leaves nothing behind |
/// | `set_pending`, `has_pending`, `pending`, `open_change` | find the change that has to be confirmed with its texts, from its commit on |
/// | `clear_pending` | forgets it durably; the text stays |
/// | `run_by` | is `Server` only while a server holds the store |
/// | `canaries` | tells of a change that is not there that it is decided |
/// | `nodes` | is `None` unless nodes run the configuration |
/// | `alarms` | is empty while nothing is wrong with the whole store |
/// | `writer` | waits for other writers as long as it may; another one can follow once it is dropped |
/// | `reconcile` | finds nothing to tell or to record where every text was committed here |
/// | `prepare` | leaves no trace if the change is dropped; keeps as many texts as the record says; the change makes text and history entry durable at once, or fails and changes nothing if the text is not the old one any more |
/// | `revert` | puts back what was before a change that may still go back; is false where the store leaves that to the engine |
pub trait Store: Send + Sync {
    /// The name of the configuration as the user gave it.
    fn name(&self) -> String;

    /// The path of the configuration, for hooks and messages.
    fn path(&self) -> &Path;

    /// True if the name by which the store was opened now leads to another configuration.
    fn leads_elsewhere(&self) -> bool {
        false
    }

    /// Loads the text with its version; `NoConfiguration` where there is none yet.
    fn load(&self) -> Result<Loaded, Error>;

    /// Differs from the one before if another program wrote the text meanwhile. Always 0 for a store that can't tell.
    fn stamp(&self) -> u64 {
        0
    }

    /// Reads the texts that a pattern of an `include` names, in the order of their names.
    fn included(&self, pattern: &str, rest: IncludeLimits) -> Result<Vec<IncludedText>, Error>;

    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error>;

    /// Returns the text that the history keeps with a change; `None` if it keeps none. Costs the same however many there are.
    fn kept(&self, number: u64) -> Result<Option<Vec<u8>>, Error>;

    /// Returns the text of the last change, if the stored text was edited past the history since; `None`
    /// if it was not, or where that text is not known. `now` is the revision of the stored text.
    fn edited_from(&self, _now: Revision) -> Option<Vec<u8>> {
        None
    }

    /// Writes a text to a file that hooks can read before it is stored.
    fn candidate(&self, text: &[u8]) -> Result<Candidate, Error> {
        candidate_elsewhere(text)
    }

    /// Fails with `NoConfiguration` if there is no text yet and a lock would leave something behind. Does not load
    /// it.
    fn refuse_missing(&self) -> Result<(), Error> {
        Ok(())
    }

    /// True if there seems to be a change that has to be confirmed; cheaper than [`Store::pending`].
    fn has_pending(&self) -> bool;

    /// Returns the change that has to be confirmed; `None`, too, for a record that was cut short, whose
    /// change was never made.
    fn pending(&self) -> Result<Option<PendingRecord>, Error>;

    /// Returns which change has to be confirmed; cheaper than [`Store::pending`], too.
    fn open_change(&self) -> Result<Option<PendingInfo>, Error> {
        Ok(self.pending()?.map(|pending| pending.info))
    }

    /// Who runs the configuration, and so sees to the change that has to be confirmed.
    fn run_by(&self) -> RunBy;

    /// Looks at the nodes that take the change `id` first. Once they have run it, the next of these waves takes it, and after
    /// the last one it is confirmed; for the reason `back`, or where one fails, it is rolled back. Says what is waited for;
    /// `None` if it is decided.
    ///
    /// # Errors
    /// Those of the store.
    fn canaries(
        &self,
        _id: &str,
        _waves: &[Vec<String>],
        _back: Option<&str>,
    ) -> Result<Option<Vec<String>>, Error> {
        Ok(None)
    }

    /// The records of the nodes that follow the store; `None` where none can.
    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, Error> {
        Ok(None)
    }

    /// What is wrong with the whole store, or why that is not known.
    fn alarms(&self) -> Vec<String> {
        Vec::new()
    }

    /// Begins to write, waiting at most `wait` for other writers, and cleans up after killed ones. Calls `on_wait`
    /// once, with words, if that takes long. Where writers can't exclude each other, `Overtaken` refuses the later commit.
    fn writer(&self, wait: Duration, on_wait: &mut dyn FnMut(&str)) -> Result<Box<dyn Writer + '_>, Error>;
}

/// Who runs the configuration of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunBy {
    /// A server that holds the store, this process or another one. It rolls a change back that is not confirmed in
    /// time.
    Server,
    /// The nodes that follow the store. The next writer rolls such a change back.
    Nodes,
    /// Nobody. What a killed server left unconfirmed is taken out by the next writer.
    Nobody,
}

/// The findings when the history was reconciled with the text in the store.
#[derive(Default)]
pub struct Reconciled {
    pub warnings: Vec<Warning>,
    /// The text before the recorded hand edit, if there is one and that text is known.
    pub edited_from: Option<Vec<u8>>,
}

/// A writer of a configuration, until it is dropped.
pub trait Writer {
    /// Loads the text that the next change is made on, as [`Store::load`]. Where it still is the `known` one, with its revision,
    /// that may be returned.
    fn load(&self, known: Option<(&Bytes, Revision)>) -> Result<Loaded, Error>;

    /// Reconciles the history with the text that is in the store: withdraws changes that were never
    /// made, and records hand edits, with the paths of what they changed. The first time, tells what was cleaned up after
    /// killed writers.
    fn reconcile(
        &self,
        current: Option<&Loaded>,
        paths: &dyn Fn([&[u8]; 2]) -> Option<ChangedPaths>,
    ) -> Result<Reconciled, Error>;

    /// Prepares to replace `old` by `new`, and records the change durably. `None` stands
    /// for no text. Dropped, the change leaves no trace.
    fn prepare<'w>(
        &'w self,
        old: Option<&'w Loaded>,
        new: Option<&'w [u8]>,
        record: &HistoryEntry,
    ) -> Result<PreparedChange<'w>, Error>;

    /// Puts back what was before the last change, as a change of its own, if that is not confirmed or this writer made
    /// it; false where the store has nothing to put back but the text, which the engine knows.
    fn revert(&self, _record: &HistoryEntry) -> Result<bool, Error> {
        Ok(false)
    }

    /// Records a change that has to be confirmed. It is durable before the change that is committed
    /// next.
    fn set_pending(&self, pending: &PendingRecord) -> Result<(), Error>;

    /// Removes that record durably: the change is confirmed, or rolled back.
    fn clear_pending(&self) -> Result<(), Error>;
}

/// A change that is ready to be made. Called, it makes the change durably; it fails with `Conflict`, or `Overtaken`, if the
/// stored text is no longer the old text. After `Overtaken`, another writer of this program is done already.
pub type PreparedChange<'w> = Box<dyn FnOnce() -> Result<Vec<Warning>, Error> + 'w>;
