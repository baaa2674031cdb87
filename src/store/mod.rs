//! The place of a configuration: its text, the history of its changes, and a change that has to be
//! confirmed.
//!
//! [`Store`] and [`Writer`] are the port that the engine works with. Two stores are behind it: a file on
//! disk ([`mod@file`]), and etcd, which many machines share ([`mod@etcd`]). A store does not know the meaning of a text, has no notion of a terminal, and
//! prints nothing: what users should know comes back as a [`Error`] or a [`Warning`].
//!
//! A change takes these steps, and a failure at any of them leaves the old text:
//!
//! ```text
//! writer → load → reconcile → prepare(old, new, record) → commit → done, `ChangedMeanwhile` or `Overtaken`
//! ```

pub mod boot_time;
pub mod bounded_time;
mod candidate;
mod certificate;
mod chance;
mod change_id;
mod change_record;
mod change_ref;
mod error;
pub mod etcd;
pub mod file;
mod file_watch;
mod included;
mod node_record;
mod pending;
mod replaceable_file;
mod revision;
mod version;
mod warning;

use crate::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use candidate::Candidate;
pub use certificate::{certificate_expiry, seconds_until};
pub use chance::{fresh_id, jittered};
pub use change_id::{ChangeId, NotAChangeId};
pub use change_record::{
    ChangeRecord, ChangedPaths, ClusterState, DEFAULT_KEEP, HAND_EDIT, HistoryEntry, REVERT, TAKE_BACK,
    UNREADABLE, change_made,
};
pub use change_ref::{ChangeRef, NotAChangeRef, WHOLE_HISTORY};
pub use error::LockHolder;
pub(crate) use error::reason;
pub use file_watch::FileWatch;
pub use included::{Follow, IncludeError, IncludedText};
pub use node_record::{NodeRecord, NodeState};
pub use pending::{CanaryStep, CanaryWish, PendingInfo, PendingRecord};
pub use replaceable_file::{LastWrite, ReplaceableFile};
pub use revision::{NotARevision, Revision};
pub use version::{BaseText, Loaded, Version, is_concatenation};
pub use warning::Warning;

/// A place where a configuration is kept. Reading takes no lock and writes nothing.
///
/// Both traits below belong to it. A test holds each guarantee over every store (`tests/suite/cluster/contract.rs`).
///
/// | operation | what a store guarantees |
/// |---|---|
/// | `name`, `path` | are what messages and hooks call the configuration, and stay the same |
/// | `leads_elsewhere` | is false as long as the name leads to this configuration |
/// | `load` | is `NotFound` until there is a text, then exactly the bytes that were committed last |
/// | `stamp` | is the same as long as nothing was written |
/// | `included` | has the texts that a pattern names in the order of their names; none where the store has no files |
/// | `history` | has each commit once, the last one first, with its number, author, message and revisions |
/// | `has_change`, `kept` | know each entry by its serial number; the text is that before the change, byte for byte |
/// | `edited_from` | is `None` as long as every text was committed here |
/// | `refuse_missing` | fails only where `load` would be `NotFound`, and leaves nothing behind |
/// | `set_pending`, `has_pending`, `pending`, `open_change` | find the change that has to be confirmed with its texts, from its commit on |
/// | `clear_pending` | forgets it durably; the text stays |
/// | `run_by` | is `Server` only while a server holds the store |
/// | `canaries` | tells of a change that is not there that it is decided |
/// | `nodes` | is `None` unless nodes run the configuration |
/// | `candidate` | is a file with the text until it is dropped; the configuration stays |
/// | `writer` | waits for other writers as long as it may; another one can follow once it is dropped |
/// | `take_warnings`, `reconcile` | find nothing to tell or to record where every text was committed here |
/// | `prepare` | leaves no trace if the change is dropped; keeps as many texts as the record says |
/// | `commit` | makes text and history entry durable at once, or fails and changes nothing if the text is not the old one any more |
/// | `revert` | puts back what was before a change that may still go back; is false where the store leaves that to the engine |
/// | `keep_aside` | puts a text into the history alone; only where a server may run over the store |
pub trait Store: Send + Sync {
    /// The name of the configuration as the user gave it.
    fn name(&self) -> String;

    /// The path of the configuration, for hooks and messages.
    fn path(&self) -> &Path;

    /// True if the name by which the store was opened now leads to another configuration.
    fn leads_elsewhere(&self) -> bool {
        false
    }

    /// Loads the text with its version; `NotFound` where there is none yet.
    fn load(&self) -> Result<Loaded, Error>;

    /// Differs from the one before if another program wrote the text meanwhile, or one of these files and folders; none of
    /// them is read. Always 0 for a store that can't tell.
    fn stamp(&self, _others: &[PathBuf]) -> u64 {
        0
    }

    /// Reads the texts that a pattern of an `include` names, in the order of their names.
    fn included(&self, pattern: &str, follow: Follow) -> Result<Vec<IncludedText>, IncludeError>;

    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error>;

    /// True if the change with a serial number is in the history; costs the same however many there are.
    fn has_change(&self, serial: u64) -> Result<bool, Error>;

    /// Returns the text that the history keeps with a change; `None` if it keeps none.
    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, Error>;

    /// Returns the text of the last change, if the stored text was edited past the history since; `None`
    /// if it was not, or where that text is not known. `now` is the revision of the stored text.
    fn edited_from(&self, _now: Revision) -> Option<Vec<u8>> {
        None
    }

    /// Fails with `NotFound` if there is no text yet and a lock would leave something behind. Does not load
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

    /// Looks at the nodes that take the change `id` first, and decides it if it can be, as `wish` says.
    ///
    /// # Errors
    /// Those of the store.
    fn canaries(&self, _id: &str, _wish: &CanaryWish) -> Result<CanaryStep, Error> {
        Ok(CanaryStep::Decided)
    }

    /// The records of the nodes that follow the store; `None` where none can.
    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, Error> {
        Ok(None)
    }

    /// Writes a text that is not going to be stored to a file that hooks can read, without a lock.
    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, Error> {
        Candidate::elsewhere(pieces)
    }

    /// Begins to write, waiting at most `wait` for other writers, and cleans up after killed ones. Calls `on_wait`
    /// once if that takes long. Where writers can't exclude each other, `Overtaken` refuses the later commit.
    fn writer(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<Box<dyn Writer + '_>, Error>;
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
    /// Takes the warnings from cleaning up after killed writers.
    fn take_warnings(&mut self) -> Vec<Warning>;

    /// Loads the text that the next change is made on, as [`Store::load`].
    fn load(&self) -> Result<Loaded, Error>;

    /// Reconciles the history with the text that is in the store: withdraws changes that were never
    /// made, and records hand edits.
    fn reconcile(&self, current: Option<BaseText<'_>>) -> Result<Reconciled, Error>;

    /// Writes a new text to a file that hooks can read before the change is made.
    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, Error>;

    /// Prepares to replace `old` by the pieces of `new`, and records the change durably. `None` stands
    /// for no text.
    fn prepare<'w>(
        &'w self,
        old: Option<BaseText<'w>>,
        new: Option<&'w [&'w [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Box<dyn PreparedChange + 'w>, Error>;

    /// Puts back what was before the last change, as a change of its own, if that is not confirmed or this writer made
    /// it; false where the store has nothing to put back but the text, which the engine knows.
    fn revert(&self, _record: &ChangeRecord<'_>) -> Result<bool, Error> {
        Ok(false)
    }

    /// Keeps a text in the history that was never stored, durably.
    fn keep_aside(&self, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), Error>;

    /// Records a change that has to be confirmed. It is durable before the change that is committed
    /// next.
    fn set_pending(&self, pending: &PendingRecord) -> Result<(), Error>;

    /// Removes that record durably: the change is confirmed, or rolled back.
    fn clear_pending(&self) -> Result<(), Error>;
}

/// A change that is ready to be made. Dropped, it leaves no trace.
#[must_use = "the old text stays until this is committed"]
pub trait PreparedChange {
    /// Makes the change durably; fails with `ChangedMeanwhile`, or `Overtaken`, if the stored text is no
    /// longer the old text. After `Overtaken`, another writer of this program is done already.
    fn commit(self: Box<Self>) -> Result<Vec<Warning>, Error>;
}
