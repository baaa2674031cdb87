//! The history of a configuration, and going back to an earlier text.

use std::sync::Arc;
use std::time::SystemTime;

use super::error::EngineError;
use super::local::Engine;
use super::operation::Operation;
use super::options::ChangeOptions;
use super::outcome::{Outcome, PendingInfo};
use super::snapshot::Snapshot;
use crate::store::{ChangeRef, HistoryEntry};

/// Returns the entry of a change.
///
/// # Errors
/// `NoSuchChange`.
pub fn find(entries: &[HistoryEntry], which: ChangeRef) -> Result<&HistoryEntry, EngineError> {
    let known = entries.iter().filter_map(|entry| entry.number).count();
    entries.iter().find(|entry| entry.is(which)).ok_or(EngineError::NoSuchChange { which, known })
}

impl Engine {
    /// Returns the changes in the history, the last one first. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// `Store`.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, EngineError> {
        Ok(self.store.history()?)
    }

    /// Returns the text before a change: of `@1` that before the last one.
    ///
    /// # Errors
    /// `NoSuchChange`, `NotKept`, `Store`.
    pub fn kept(&self, which: ChangeRef) -> Result<Arc<Snapshot>, EngineError> {
        Ok(self.entry_and_text(which)?.1)
    }

    /// Makes the text before a change the configuration again, as a new change.
    ///
    /// # Errors
    /// As [`Engine::save`] and [`Engine::kept`].
    pub fn rollback(&self, which: ChangeRef, options: &ChangeOptions) -> Result<Outcome, EngineError> {
        // Looked up before a hand edit is recorded: its entry would shift the number that the user saw.
        let (entry, text) = self.entry_and_text(which)?;
        let mut options = options.clone();
        options.message.get_or_insert_with(|| format!("back to the text before #{}", entry.serial));
        self.replace(Operation::Rollback, text.bytes(), &options)
    }

    /// Returns the change that a server left unconfirmed when it ended. Takes no lock.
    ///
    /// # Errors
    /// `Store`.
    pub fn stored_pending(&self) -> Result<Option<PendingInfo>, EngineError> {
        let stored = self.store.pending()?;
        Ok(stored.map(|pending| {
            let now = SystemTime::now();
            PendingInfo::new(pending.id, pending.operation, pending.by, pending.deadline, now)
        }))
    }

    fn entry_and_text(&self, which: ChangeRef) -> Result<(HistoryEntry, Arc<Snapshot>), EngineError> {
        let entry = find(&self.history()?, which)?.clone();
        let which = ChangeRef::Serial(entry.serial);
        let text = self.store.kept(entry.serial)?.ok_or(EngineError::NotKept { which })?;
        Ok((entry, Arc::new(Snapshot::of(text))))
    }
}
