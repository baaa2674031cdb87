//! The place of a configuration: its text, the history of its changes, and a change that has to be
//! confirmed.
//!
//! [`Store`] and [`Writer`] are the port that the engine works with. Two stores are behind it: a file on
//! disk ([`mod@file`]), and etcd, which many machines share ([`mod@cluster`]). A store does not know the meaning of a text, has no notion of a terminal, and
//! prints nothing: what users should know comes back as a [`StoreError`] or a [`Warning`].
//!
//! A change takes these steps, and a failure at any of them leaves the old text:
//!
//! ```text
//! lock → load → reconcile → prepare(old, new, record) → commit → done, `ChangedMeanwhile` or `Overtaken`
//! ```

pub mod bounded_time;
mod candidate;
mod change_record;
mod change_ref;
pub mod cluster;
mod error;
pub mod file;
mod fresh_id;
mod included;
mod jitter;
mod node_record;
mod owner_name;
mod pending;
mod revision;
mod version;
mod warning;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

pub use candidate::Candidate;
pub use change_record::{ChangeRecord, DEFAULT_KEEP, HAND_EDIT, HistoryEntry, REVERT, TAKE_BACK};
pub use change_ref::{ChangeRef, NotAChangeRef, WHOLE_HISTORY};
pub(crate) use error::reason;
pub use error::{Distrust, FileKind, LockHolder, StoreError};
pub use fresh_id::fresh_id;
pub use included::{Follow, IncludeError, IncludedText, Told};
pub use jitter::jittered;
pub use node_record::{ClusterState, NodeRecord, NodeState};
pub use owner_name::{NotAnOwnerName, OwnerName};
pub use pending::{OpenChange, PendingRecord, StoredPending};
pub use revision::{NotARevision, Revision};
pub use version::{BaseText, Loaded, Version, is_concatenation};
pub use warning::Warning;

/// A place where a configuration is kept. Reading takes no lock and writes nothing.
pub trait Store: Send + Sync {
    /// The name of the configuration as the user gave it.
    fn name(&self) -> String;

    /// The path of the configuration, for hooks and messages.
    fn path(&self) -> &Path;

    /// True if the name by which the store was opened now leads to another configuration.
    fn has_moved(&self) -> bool;

    /// Loads the text with its version; `NotFound` where there is none yet.
    fn load(&self) -> Result<Loaded, StoreError>;

    /// Reads the texts that a pattern of an `include` names, in the order of their names.
    fn included(&self, pattern: &str, follow: Follow) -> Result<Vec<IncludedText>, IncludeError>;

    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, StoreError>;

    /// True if the change with a serial number is in the history; costs the same however many there are.
    fn has_change(&self, serial: u64) -> Result<bool, StoreError>;

    /// Returns the text that the history keeps with a change; `None` if it keeps none.
    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the text of the last change, if the stored text was edited past the history since; `None`
    /// if it was not, or where that text is not known. `now` is the revision of the stored text.
    fn edited_from(&self, _now: Revision) -> Option<Vec<u8>> {
        None
    }

    /// Returns what each owner applied: the last state, and those before it that may be in effect still.
    fn applied(&self) -> Result<BTreeMap<OwnerName, Vec<Value>>, StoreError>;

    /// Fails with `NotFound` if there is no text yet and a lock would leave something behind. Does not load
    /// it.
    fn refuse_missing(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// True if there seems to be a change that has to be confirmed; cheaper than [`Store::pending`].
    fn has_pending(&self) -> bool;

    /// Returns the change that has to be confirmed; `None`, too, for a record that was cut short, whose
    /// change was never made.
    fn pending(&self) -> Result<Option<StoredPending>, StoreError>;

    /// Returns which change has to be confirmed; cheaper than [`Store::pending`], too.
    fn open_change(&self) -> Result<Option<OpenChange>, StoreError> {
        Ok(self.pending()?.map(|pending| pending.open))
    }

    /// True if the store rolls a change back by itself that is not confirmed in time. Otherwise that
    /// takes a server.
    fn keeps_pending(&self) -> bool {
        false
    }

    /// True if a server, also this process, holds the store, and sees to the change that has to be
    /// confirmed.
    fn is_served(&self) -> bool {
        false
    }

    /// The cluster that the store is; `None` if it is none.
    fn cluster(&self) -> Result<Option<ClusterState>, StoreError> {
        Ok(None)
    }

    /// Writes a text that is not going to be stored to a file that hooks can read, without a lock.
    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, StoreError> {
        Candidate::elsewhere(pieces)
    }

    /// Becomes the only writer, waiting at most `wait`, and cleans up after killed writers. Calls
    /// `on_wait` once if that takes long.
    fn lock(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<Box<dyn Writer + '_>, StoreError>;
}

/// The findings when the history was reconciled with the text in the store.
#[derive(Default)]
pub struct Reconciled {
    pub warnings: Vec<Warning>,
    /// The text before the recorded hand edit, if there is one and that text is known.
    pub edited_from: Option<Vec<u8>>,
}

/// The only writer of a configuration, until it is dropped.
pub trait Writer {
    /// Takes the warnings from cleaning up after killed writers.
    fn take_warnings(&mut self) -> Vec<Warning>;

    /// Loads the text that the next change is made on, as [`Store::load`].
    fn load(&self) -> Result<Loaded, StoreError>;

    /// Reconciles the history with the text that is in the store: withdraws changes that were never
    /// made, and records hand edits.
    fn reconcile(&self, current: Option<BaseText<'_>>) -> Result<Reconciled, StoreError>;

    /// Writes a new text to a file that hooks can read before the change is made.
    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, StoreError>;

    /// Prepares to replace `old` by the pieces of `new`, and records the change durably. `None` stands
    /// for no text.
    fn prepare<'w>(
        &'w self,
        old: Option<BaseText<'w>>,
        new: Option<&'w [&'w [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Box<dyn PreparedChange + 'w>, StoreError>;

    /// Keeps a text in the history that was never stored, durably.
    fn keep_aside(&self, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), StoreError>;

    /// Records durably what an owner applied, in place of `known`; fails with `Overtaken` if another writer
    /// has recorded something else.
    fn set_applied(&self, owner: &OwnerName, known: &[Value], states: &[Value]) -> Result<(), StoreError>;

    /// Records a change that has to be confirmed. It is durable before the change that is committed
    /// next.
    fn set_pending(&self, pending: &PendingRecord<'_>) -> Result<(), StoreError>;

    /// Removes that record durably: the change is confirmed, or rolled back.
    fn clear_pending(&self) -> Result<(), StoreError>;
}

/// A change that is ready to be made. Dropped, it leaves no trace.
#[must_use = "the old text stays until this is committed"]
pub trait PreparedChange {
    /// Makes the change durably; fails with `ChangedMeanwhile`, or `Overtaken`, if the stored text is no
    /// longer the old text. After `Overtaken`, another writer of this program is done already.
    fn commit(self: Box<Self>) -> Result<Vec<Warning>, StoreError>;
}
