//! Where a configuration is kept: its text, the history of its changes, and the change that waits to
//! be confirmed.

mod change_record;
mod change_ref;
mod error;
mod file;
mod revision;
mod warning;

pub use change_record::{ChangeRecord, DEFAULT_KEEP, HAND_EDIT, HistoryEntry};
pub use change_ref::{ChangeRef, NotAChangeRef};
pub(crate) use error::reason;
pub use error::{Distrust, FileKind, LockHolder, StoreError};
pub use file::{
    AllowedPeers, Candidate, ConfFile, CurrentText, FileStamp, Loaded, LoadedText, LockedFile, PendingRecord,
    Prepared, ServeLock, Serving, SocketPeer, StoredPending, WriteOutcome, is_concatenation,
};
pub use revision::{NotARevision, Revision};
pub use warning::Warning;
