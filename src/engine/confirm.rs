//! Commit-confirm: a change that is rolled back unless it is confirmed in time.
//!
//! The record that a rollback needs is durable before the change is made. Then a thread waits. On
//! timeout, running configuration and file are rolled back, the file only if it still holds what the
//! change wrote. A server that was killed meanwhile rolls back when it starts again, before it answers
//! anything.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::activity::PendingEnd;
use super::error::{Aftermath, EngineError};
use super::local::Engine;
use super::operation::UNSAVED;
use super::pending::PendingChange;
use super::running::LastChange;
use super::snapshot::Snapshot;
use super::trouble::Trouble;
use crate::store::{ChangeRecord, OpenChange, PendingRecord, REVERT, StoreError, StoredPending, Writer};

/// Why a change is rolled back on timeout.
const NOT_CONFIRMED: &str = "not confirmed in time";

/// Why a change is rolled back when its server ends.
const SERVER_ENDED: &str = "not confirmed before the server ended";

/// The author of a rollback on timeout, or when a server ends: no user.
const NO_USER: &str = "";

/// How long to wait between two attempts to roll back.
const RETRY: Duration = Duration::from_secs(5);

impl Engine {
    /// Arms the automatic rollback of a change that is about to be made; `written` are the pieces that
    /// it writes into the file.
    pub(super) fn arm_rollback(
        &self,
        pending: &Arc<PendingChange>,
        writer: &dyn Writer,
        written: Option<&[&[u8]]>,
    ) -> Result<(), EngineError> {
        writer.set_pending(&PendingRecord {
            id: &pending.id,
            deadline: SystemTime::now() + pending.time,
            operation: pending.operation,
            by: &pending.by,
            running: pending.before.ran().map_or(&[], |running| running.bytes()),
            file: pending.before.file.as_ref().map(|file| file.bytes()),
            written,
            canary: &pending.canary,
        })?;
        if self.running.is_none() {
            return Ok(());
        }
        let (engine, watched) = (self.clone(), pending.clone());
        if let Err(source) = std::thread::Builder::new().spawn(move || engine.watch(&watched)) {
            writer.clear_pending()?;
            let path = self.store.path().to_owned();
            return Err(StoreError::Io { operation: "spawn a thread for", path, source }.into());
        }
        Ok(())
    }

    /// Rolls a change back when its time is over.
    fn watch(&self, pending: &PendingChange) {
        if pending.is_decided_in_time() {
            return;
        }
        loop {
            match self.roll_back_pending(&pending.id, NO_USER, NOT_CONFIRMED) {
                Ok(_) => return self.count_pending_end(PendingEnd::Expired),
                Err(EngineError::NothingPending | EngineError::OtherPending) => return,
                Err(error) => (self.on_trouble)(&format!("a change could not be rolled back: {error}")),
            }
            if pending.is_decided_within(RETRY) {
                return;
            }
        }
    }

    /// Confirms the pending change.
    ///
    /// # Errors
    /// `NothingPending`, `OtherPending`, `Busy`; `Store`, after which the change is still pending.
    pub fn confirm(&self, id: &str) -> Result<(), EngineError> {
        let _turn = self.take_turn()?;
        if self.running.is_none() {
            let writer = self.lock()?;
            self.refuse_other(self.store.open_change()?.as_ref(), id)?;
            return Ok(writer.clear_pending()?);
        }
        let pending = self.pending_with(id)?;
        if !pending.can_be_confirmed() {
            return Err(EngineError::NothingPending);
        }
        self.lock()?.clear_pending()?;
        self.release_pending(&pending);
        self.count_pending_end(PendingEnd::Confirmed);
        Ok(())
    }

    /// Rolls the pending change back; returns the state of the file.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel(&self, id: &str, by: &str) -> Result<Aftermath, EngineError> {
        let aftermath = self.roll_back_pending(id, by, "rolled back before it was confirmed")?;
        self.count_pending_end(PendingEnd::Cancelled);
        Ok(aftermath)
    }

    /// Rolls whatever is pending back, when the server ends; `None` if nothing is.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel_any(&self) -> Result<Option<Aftermath>, EngineError> {
        self.pending().map(|pending| self.roll_back_pending(&pending.id, NO_USER, SERVER_ENDED)).transpose()
    }

    fn count_pending_end(&self, end: PendingEnd) {
        self.activity().into_iter().for_each(|activity| activity.count_pending_end(end));
    }

    fn pending_with(&self, id: &str) -> Result<Arc<PendingChange>, EngineError> {
        let pending = self.pending().ok_or(EngineError::NothingPending)?;
        if pending.id == id { Ok(pending) } else { Err(EngineError::OtherPending) }
    }

    /// Refuses a decision on another change than the one that the store keeps by itself.
    fn refuse_other(&self, open: Option<&OpenChange>, id: &str) -> Result<(), EngineError> {
        match open.filter(|_| self.store.keeps_pending()) {
            None => Err(EngineError::NothingPending),
            Some(open) if open.id == id => Ok(()),
            Some(_) => Err(EngineError::OtherPending),
        }
    }

    fn roll_back_pending(&self, id: &str, by: &str, why: &str) -> Result<Aftermath, EngineError> {
        let _turn = self.take_turn()?;
        if self.running.is_none() {
            let writer = self.lock()?;
            let stored = self.store.pending()?;
            self.refuse_other(stored.as_ref().map(|stored| &stored.open), id)?;
            let stored = stored.ok_or(EngineError::NothingPending)?;
            return self.restore_stored(&*writer, &stored, &self.record(REVERT, by, why));
        }
        let pending = self.pending_with(id)?;
        pending.start_rollback();
        let writer = self.lock()?;
        let aftermath = match &pending.written {
            Some(written) => {
                let record = self.record(REVERT, by, why);
                self.restore_file(&*writer, pending.before.file.as_deref(), &[written.bytes()], &record)
            }
            None => Ok(Aftermath::Restored),
        };
        // The running configuration is restored, even if the file could not be.
        let is_file_back = matches!(aftermath, Ok(Aftermath::Restored | Aftermath::Removed));
        let last_change = LastChange { at: SystemTime::now(), by: by.to_owned(), operation: REVERT };
        self.restore_running(&pending.before, is_file_back, Some(last_change));
        let aftermath = aftermath?;
        self.tell_of_hand_edit(aftermath);
        self.reload_after_rollback(&*writer, by);
        writer.clear_pending()?;
        self.release_pending(&pending);
        Ok(aftermath)
    }

    fn record<'r>(&self, operation: &'r str, by: &'r str, message: &'r str) -> ChangeRecord<'r> {
        ChangeRecord { operation, by, message: Some(message), keep: self.keep }
    }

    fn tell_of_hand_edit(&self, aftermath: Aftermath) {
        if aftermath == Aftermath::ChangedMeanwhile {
            let trouble = "the file was edited by hand while a change waited to be confirmed: the file is left as it is";
            self.remember_trouble(Trouble::of(trouble));
            (self.on_trouble)(trouble);
        }
    }

    /// Reloads the running configuration, or without a server the one in the file.
    fn reload_after_rollback(&self, writer: &dyn Writer, by: &str) {
        if let Err(error) = self.reload_present(writer, REVERT, by) {
            (self.on_trouble)(&format!("{REVERT}: {}", error.without_output()));
            self.remember_trouble(Trouble::from(&error));
        }
    }

    /// Rolls back the change of a server that was killed before the change was confirmed.
    ///
    /// # Errors
    /// `Store`: the server must not answer anything then.
    pub(super) fn roll_back_left_over(&self) -> Result<(), EngineError> {
        if !self.store.has_pending() {
            return Ok(());
        }
        let writer = self.lock()?;
        // An incomplete record belongs to a change that was never made.
        if let Some(stored) = self.store.pending()? {
            self.reconcile(&*writer)?;
            match self.restore_left_over(&*writer, &stored)? {
                Aftermath::ChangedMeanwhile => self.tell_of_hand_edit(Aftermath::ChangedMeanwhile),
                _ => (self.on_trouble)(
                    "a change was not confirmed before the server ended: it was rolled back",
                ),
            }
            self.reload_after_rollback(&*writer, NO_USER);
        }
        Ok(writer.clear_pending()?)
    }

    fn restore_left_over(
        &self,
        writer: &dyn Writer,
        stored: &StoredPending,
    ) -> Result<Aftermath, EngineError> {
        if stored.file.as_ref() != Some(&stored.running) {
            let record =
                self.record(UNSAVED, NO_USER, "the running configuration was unsaved when the server ended");
            writer.keep_aside(&stored.running, &record)?;
        }
        self.restore_stored(writer, stored, &self.record(REVERT, NO_USER, SERVER_ENDED))
    }

    fn restore_stored(
        &self,
        writer: &dyn Writer,
        stored: &StoredPending,
        record: &ChangeRecord<'_>,
    ) -> Result<Aftermath, EngineError> {
        let Some(written) = &stored.written else { return Ok(Aftermath::Restored) };
        let file = stored.file.clone().map(Snapshot::of);
        self.restore_file(writer, file.as_ref(), &[written], record)
    }
}
