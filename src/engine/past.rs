//! What the file was: its history, and the way back.

use std::sync::Arc;

use super::change::Change;
use super::error::EngineError;
use super::request::Request;
use super::snapshot::Snapshot;
use super::work::Operation;
use super::{Engine, blame};
use crate::edit::path::Path;
use crate::model::Lens;
use crate::store::Entry;

impl Engine {
    /// The changes of the file, the last one first. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// `Store`.
    pub fn history(&self) -> Result<Vec<Entry>, EngineError> {
        Ok(self.conf.history()?)
    }

    /// The text before a change: of `@1` that before the last one.
    ///
    /// # Errors
    /// `NoSuchChange`, `NotKept`, `Store`.
    pub fn kept(&self, number: usize) -> Result<Arc<Snapshot>, EngineError> {
        let entries = self.history()?;
        let entry = number.checked_sub(1).and_then(|at| entries.get(at));
        let entry = entry.ok_or(EngineError::NoSuchChange { number, known: entries.len() })?;
        let kept = self.conf.kept(entry.serial)?.ok_or(EngineError::NotKept { number })?;
        Ok(Arc::new(Snapshot::of(kept)))
    }

    /// Makes the text before a change the configuration again, as a new change.
    ///
    /// # Errors
    /// As `save`, and as [`Engine::kept`].
    pub fn rollback(&self, request: &Request, number: usize) -> Result<Change, EngineError> {
        // Looked up before anything is noted that was done by hand, which would count: the number is
        // the one that was shown.
        let text = self.kept(number)?;
        let mut request = request.clone();
        request.message.get_or_insert_with(|| format!("back to @{number}"));
        self.replace(Operation::Rollback, &request, text.bytes())
    }

    /// What became of the value at a path, the last change first, as `lens` shows it.
    ///
    /// # Errors
    /// `Store`; those of the path.
    pub fn blame(&self, path: &Path, lens: &Lens) -> Result<Vec<blame::Blamed>, EngineError> {
        let entries = self.history()?;
        let mut kept = |number: usize| match self.kept(number) {
            Err(EngineError::NotKept { .. }) => Ok(None),
            found => found.map(Some),
        };
        let now = self.read()?;
        blame::blame(&entries, &now, &mut kept, path, lens)
    }
}
