//! Restores the state before a change that failed, or that was not confirmed.

use super::aftermath::Aftermath;
use super::local::Engine;
use super::log_line::LogLevel;
use super::pending::{PendingChange, RollbackPoint};
use super::running::LastChange;
use super::snapshot::Snapshot;
use crate::error::Error;
use crate::store::{ChangeRecord, Writer};

impl Engine {
    /// Puts the old text back into the file, if the file still holds the text that was `written`.
    pub(super) fn restore_file(
        &self,
        writer: &dyn Writer,
        old: Option<&Snapshot>,
        written: &Snapshot,
        record: &ChangeRecord<'_>,
    ) -> Result<Aftermath, Error> {
        let now = self.reconcile(writer)?;
        let old = old.map(Snapshot::bytes);
        let restored = if old.is_some() { Aftermath::Restored } else { Aftermath::Removed };
        match &now {
            now if now.as_ref().map(|now| &now.bytes[..]) == old => Ok(restored),
            Some(now) if now.bytes == written.shared_bytes() => {
                let pieces = old.map(|old| [old]);
                writer.prepare(Some(now.as_base()), pieces.as_ref().map(|all| &all[..]), record)?.commit()?;
                Ok(restored)
            }
            _ => Ok(Aftermath::ChangedMeanwhile),
        }
    }

    /// Restores the running configuration from before the change. `is_file_back` says that the file is
    /// restored, too.
    pub(super) fn restore_running(
        &self,
        before: &RollbackPoint,
        is_file_back: bool,
        last_change: Option<LastChange>,
    ) {
        let (Some(running), Some((old, saved))) = (&self.running, &before.server) else { return };
        running.exchange(|state| {
            state.running = old.clone();
            if is_file_back {
                // A hand edit that is restored in the file is not loaded.
                state.saved = saved.clone();
            }
            state.generation += 1;
            state.last_change = last_change.or(state.last_change.take());
        });
    }

    /// Forgets a pending change that was not made after all.
    pub(super) fn forget_pending(&self, pending: &PendingChange, writer: Option<&dyn Writer>) {
        if let Some(Err(error)) = writer.map(|writer| writer.clear_pending()) {
            self.tell(
                LogLevel::Error,
                &format!("the history keeps an entry for a change that was not made: {error}"),
            );
        }
        self.release_pending(pending);
    }

    /// Ends the waiting of a pending change that was decided.
    pub(super) fn release_pending(&self, pending: &PendingChange) {
        if let Some(running) = &self.running {
            running.exchange(|state| {
                state.pending.take_if(|other| other.info.id == pending.info.id);
            });
        }
        pending.decide();
    }

    /// Records a failure that came after the response.
    pub(super) fn remember_trouble(&self, trouble: Error) {
        if let Some(running) = &self.running {
            running.exchange(|state| state.last_error = Some(trouble));
        }
    }
}
