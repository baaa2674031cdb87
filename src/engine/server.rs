//! The start and the end of a server over the engine.

use std::sync::Arc;

use super::change::UNSAVED;
use super::local::Engine;
use super::log_line::LogLine;
use super::running::Running;
use super::snapshot::Snapshot;
use crate::error::Error;
use crate::store::ChangeRecord;

impl Engine {
    /// The same engine, running the text of the file. Calls `log` with each line for its log: what
    /// no response can report any more.
    ///
    /// # Errors
    /// `BadConfig`, `Store`.
    pub fn start(self, log: impl Fn(&LogLine<'_>) + Send + Sync + 'static) -> Result<Self, Error> {
        let engine = Self { log: Arc::new(log), ..self };
        let trouble = engine.roll_back_at_start()?;
        engine.reconcile_alone();
        let loaded = engine.read()?;
        if !loaded.is_valid() {
            return Err(Error::bad_config(loaded));
        }
        let composed = engine.composed_revision(&loaded);
        let running = Arc::new(Running::new(loaded, composed));
        running.exchange(|state| state.last_error = trouble);
        Ok(Self { running: Some(running), ..engine })
    }

    /// Keeps an unsaved running configuration in the history when the server ends; returns whether there
    /// was one.
    ///
    /// # Errors
    /// `Store`.
    pub fn keep_unsaved(&self) -> Result<bool, Error> {
        let is_stored = |running: &Snapshot| self.read().is_ok_and(|file| file.is_same_text(running));
        let Some(state) = self.state().filter(|state| !is_stored(&state.running)) else { return Ok(false) };
        let by = state.last_change.as_ref().map_or("", |change| &change.by);
        let writer = self.writer()?;
        self.reconcile(&*writer)?;
        let record = ChangeRecord { keep: self.keep, ..ChangeRecord::new(UNSAVED, by) };
        writer.keep_aside(state.running.bytes(), &record)?;
        Ok(true)
    }
}
