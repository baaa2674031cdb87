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
        self.entry(number).and_then(|entry| self.text_before(&entry))
    }

    fn entry(&self, number: usize) -> Result<Entry, EngineError> {
        let mut entries = self.history()?;
        let known = entries.len();
        match number.checked_sub(1).filter(|at| *at < known) {
            Some(at) => Ok(entries.swap_remove(at)),
            None => Err(EngineError::NoSuchChange { number, known }),
        }
    }

    fn text_before(&self, entry: &Entry) -> Result<Arc<Snapshot>, EngineError> {
        let kept = self.conf.kept(entry.serial)?;
        kept.map(|text| Arc::new(Snapshot::of(text))).ok_or(EngineError::NotKept { number: entry.number })
    }

    /// Makes the text before a change the configuration again, as a new change.
    ///
    /// # Errors
    /// As `save`, and as [`Engine::kept`].
    pub fn rollback(&self, request: &Request, number: usize) -> Result<Change, EngineError> {
        // Looked up before anything is noted that was done by hand, which would count: the number is
        // the one that was shown.
        let entry = self.entry(number)?;
        let text = self.text_before(&entry)?;
        let mut request = request.clone();
        request.message.get_or_insert_with(|| format!("back to the text before #{}", entry.serial));
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
