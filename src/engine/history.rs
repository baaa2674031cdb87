//! What the file was: its history, and the way back.

use std::sync::Arc;
use std::time::SystemTime;

use super::Engine;
use super::error::EngineError;
use super::options::ChangeOptions;
use super::outcome::{Outcome, PendingInfo};
use super::snapshot::Snapshot;
use super::transaction::Operation;
use crate::store::{ChangeRef, HistoryEntry};

/// The change that is meant.
///
/// # Errors
/// `NoSuchChange`.
pub fn find(entries: &[HistoryEntry], which: ChangeRef) -> Result<&HistoryEntry, EngineError> {
    let known = entries.iter().filter_map(|entry| entry.number).count();
    entries.iter().find(|entry| entry.is(which)).ok_or(EngineError::NoSuchChange { which, known })
}

impl Engine {
    /// The changes of the file, the last one first. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// `Store`.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, EngineError> {
        Ok(self.conf.history()?)
    }

    /// The change that a server left unconfirmed when it ended. Takes no lock.
    ///
    /// # Errors
    /// `Store`.
    pub fn stored_pending(&self) -> Result<Option<PendingInfo>, EngineError> {
        let stored = self.conf.pending()?;
        Ok(stored.as_ref().and_then(|stored| stored.read()).map(|pending| {
            let (id, operation, by) = (pending.id, pending.operation, pending.by);
            PendingInfo::new(id, operation, by, pending.deadline, SystemTime::now())
        }))
    }

    /// The text before a change: of `@1` that before the last one.
    ///
    /// # Errors
    /// `NoSuchChange`, `NotKept`, `Store`.
    pub fn kept(&self, which: ChangeRef) -> Result<Arc<Snapshot>, EngineError> {
        self.entry(which).and_then(|entry| self.text_before(&entry))
    }

    fn entry(&self, which: ChangeRef) -> Result<HistoryEntry, EngineError> {
        find(&self.history()?, which).cloned()
    }

    fn text_before(&self, entry: &HistoryEntry) -> Result<Arc<Snapshot>, EngineError> {
        let kept = self.conf.kept(entry.serial)?;
        let which = ChangeRef::Serial(entry.serial);
        kept.map(|text| Arc::new(Snapshot::of(text))).ok_or(EngineError::NotKept { which })
    }

    /// Makes the text before a change the configuration again, as a new change.
    ///
    /// # Errors
    /// As `save`, and as [`Engine::kept`].
    pub fn rollback(&self, request: &ChangeOptions, which: ChangeRef) -> Result<Outcome, EngineError> {
        // Looked up before anything is noted that was done by hand, which would count: the number is
        // the one that was shown.
        let entry = self.entry(which)?;
        let text = self.text_before(&entry)?;
        let mut request = request.clone();
        request.message.get_or_insert_with(|| format!("back to the text before #{}", entry.serial));
        self.replace(Operation::Rollback, &request, text.bytes())
    }
}
