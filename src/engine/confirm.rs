//! Commit-confirm: a change that is rolled back unless it is confirmed in time.
//!
//! The record that a rollback needs is durable before the change is made. Then a thread waits. On
//! timeout, running configuration and file are rolled back; where the file was edited meanwhile, the edit
//! stays. A server that was killed meanwhile rolls back when it starts again,
//! before it answers anything.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use super::activity::PendingEnd;
use super::aftermath::Aftermath;
use super::local::Engine;
use super::log_line::LogLevel;
use super::pending::{PendingChange, RollbackPoint};
use super::roll_back::{NO_USER, NOT_CONFIRMED, RolledBack, SERVER_ENDED, UnconfirmedChange};
use super::running::LastChange;
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeRecord, PendingInfo, PendingRecord, REVERT, RunBy, Writer};

/// The pause between two attempts to roll back.
const RETRY: Duration = Duration::from_secs(5);

impl Engine {
    /// Arms the automatic rollback of a change that is about to be made.
    pub(super) fn arm_rollback(
        &self,
        pending: &Arc<PendingChange>,
        writer: &dyn Writer,
    ) -> Result<(), Error> {
        let text = |snapshot: &Arc<Snapshot>| snapshot.shared_bytes().clone();
        writer.set_pending(&PendingRecord {
            info: pending.info.clone().until(SystemTime::now() + pending.time),
            running: pending.before.ran().map(text).unwrap_or_default(),
            file: pending.before.file.as_ref().map(text),
            written: pending.written.as_ref().map(text),
        })?;
        if self.running.is_none() {
            return Ok(());
        }
        let (engine, watched) = (self.clone(), pending.clone());
        let thread = thread::Builder::new().name("confirm".to_owned());
        if let Err(source) = thread.spawn(move || engine.watch(&watched)) {
            writer.clear_pending()?;
            return Err(Error::io("spawn a thread for", self.store.path())(source));
        }
        Ok(())
    }

    /// Rolls a change back when its time is over.
    fn watch(&self, pending: &PendingChange) {
        if pending.is_decided_in_time() {
            return;
        }
        loop {
            match self.roll_back_pending(&pending.info.id, NO_USER, NOT_CONFIRMED) {
                Ok(_) => return self.count_pending_end(PendingEnd::Expired),
                Err(refusal)
                    if matches!(refusal.kind, ErrorKind::NothingPending | ErrorKind::OtherPending) =>
                {
                    return;
                }
                Err(error) => {
                    self.tell(LogLevel::Error, &format!("a change could not be rolled back: {error}"))
                }
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
    pub fn confirm(&self, id: &str) -> Result<(), Error> {
        let _turn = self.take_turn()?;
        if self.running.is_none() {
            let writer = self.writer()?;
            self.refuse_other(self.store.open_change()?.as_ref(), id)?;
            return writer.clear_pending();
        }
        let pending = self.pending_with(id)?;
        if !pending.can_be_confirmed() {
            return Err(Error::nothing_pending());
        }
        self.writer()?.clear_pending()?;
        self.release_pending(&pending);
        self.count_pending_end(PendingEnd::Confirmed);
        Ok(())
    }

    /// Rolls the pending change back; returns the state of the file.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel(&self, id: &str, by: &str) -> Result<Aftermath, Error> {
        let aftermath = self.roll_back_pending(id, by, "rolled back before it was confirmed")?;
        self.count_pending_end(PendingEnd::Cancelled);
        Ok(aftermath)
    }

    /// Rolls the pending change back when the server ends; `None` if nothing is pending.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel_any(&self) -> Result<Option<Aftermath>, Error> {
        self.pending()
            .map(|pending| self.roll_back_pending(&pending.info.id, NO_USER, SERVER_ENDED))
            .transpose()
    }

    fn count_pending_end(&self, end: PendingEnd) {
        self.activity().into_iter().for_each(|activity| activity.count_pending_end(end));
    }

    fn pending_with(&self, id: &str) -> Result<Arc<PendingChange>, Error> {
        let pending = self.pending().ok_or_else(Error::nothing_pending)?;
        if pending.info.id == id { Ok(pending) } else { Err(Error::other_pending()) }
    }

    /// Refuses a decision on another change than the one that the store keeps by itself.
    fn refuse_other(&self, open: Option<&PendingInfo>, id: &str) -> Result<(), Error> {
        match open.filter(|open| self.is_run_by_nodes() && !open.is_over) {
            None => Err(Error::nothing_pending()),
            Some(open) if open.id == id => Ok(()),
            Some(_) => Err(Error::other_pending()),
        }
    }

    fn roll_back_pending(&self, id: &str, by: &str, why: &str) -> Result<Aftermath, Error> {
        let _turn = self.take_turn()?;
        if self.running.is_none() {
            return self.roll_back_stored(id, (by, why));
        }
        let pending = self.pending_with(id)?;
        pending.start_rollback();
        let writer = self.writer()?;
        let RollbackPoint { file, .. } = &pending.before;
        let (id, written) = (pending.info.id.clone(), pending.written.clone());
        let change = UnconfirmedChange { id, old: file.clone(), written };
        let rolled_back = self.roll_back_file(Some(&*writer), &change, (by, why));
        // The running configuration is restored, even if the file could not be.
        let last_change =
            LastChange { at: SystemTime::now(), by: by.to_owned(), operation: REVERT.to_owned() };
        self.restore_running(&pending.before, rolled_back.is_ok(), Some(last_change));
        let RolledBack { aftermath, words, .. } = rolled_back?;
        if aftermath.is_hand_edit() {
            self.remember_trouble(Error::new(ErrorKind::EngineFailed, &words));
            self.tell(LogLevel::Warning, &words);
        }
        self.reload_after_rollback(&*writer, by);
        writer.clear_pending()?;
        self.release_pending(&pending);
        Ok(aftermath)
    }

    /// Rolls back the pending change that the store keeps, or that a killed server left.
    fn roll_back_stored(&self, id: &str, because: (&str, &str)) -> Result<Aftermath, Error> {
        let writer = self.writer()?;
        if self.is_run_by_nodes() {
            self.refuse_other(self.store.open_change()?.as_ref(), id)?;
            let (by, message) = (because.0, Some(because.1));
            let record = ChangeRecord { message, keep: self.keep, ..ChangeRecord::new(REVERT, by) };
            return match writer.revert(&record)? {
                true => Ok(Aftermath::Restored),
                false => Err(Error::nothing_pending()),
            };
        }
        let rolled_back = match self.store.run_by() {
            RunBy::Nobody => self.roll_back_left_over(Some(&*writer), because)?,
            RunBy::Server | RunBy::Nodes => None,
        };
        rolled_back.map(|rolled_back| rolled_back.aftermath).ok_or_else(Error::nothing_pending)
    }

    /// Reloads the running configuration, or without a server the one in the file.
    pub(super) fn reload_after_rollback(&self, writer: &dyn Writer, by: &str) {
        if let Err(error) = self.reload_present(writer, REVERT, by) {
            self.tell(LogLevel::Error, &format!("{REVERT}: {}", error.brief()));
            self.remember_trouble(error.clone());
        }
    }

    /// Rolls back the change of a server that was killed before the change was confirmed; returns what there is to
    /// say of a hand edit.
    ///
    /// # Errors
    /// `Store`: the server must not answer anything then.
    pub(super) fn roll_back_at_start(&self) -> Result<Option<Error>, Error> {
        if !self.store.has_pending() {
            return Ok(None);
        }
        let writer = self.writer()?;
        let Some(rolled_back) = self.roll_back_left_over(Some(&*writer), (NO_USER, SERVER_ENDED))? else {
            return Ok(None);
        };
        self.tell(LogLevel::Warning, &rolled_back.words);
        Ok(rolled_back
            .aftermath
            .is_hand_edit()
            .then(|| Error::new(ErrorKind::EngineFailed, &rolled_back.words)))
    }
}
