//! The history of a configuration, and going back to an earlier text.

use std::sync::Arc;

use super::local::Engine;
use super::operation::Operation;
use super::options::ChangeOptions;
use super::outcome::Outcome;
use super::refusal::Refusal;
use super::refusal_kind::RefusalKind;
use super::snapshot::Snapshot;
use crate::store::{ChangeRef, HistoryEntry, PendingInfo};

/// The hint for a change that the history does not have.
const IN_HISTORY: &str = "`mediactl history` shows what is kept";

/// Returns the entry of a change.
///
/// # Errors
/// `NotFound`.
pub fn find(entries: &[HistoryEntry], which: ChangeRef) -> Result<&HistoryEntry, Refusal> {
    let known = entries.iter().filter_map(|entry| entry.number).count();
    entries.iter().find(|entry| entry.is(which)).ok_or_else(|| {
        let reach = match known {
            0 => "has no changes".to_owned(),
            known => format!("goes back to `@{known}`"),
        };
        Refusal::new(RefusalKind::NotFound, format!("there is no `{which}`: the history {reach}"))
            .hint(IN_HISTORY)
    })
}

impl Engine {
    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// `Store`.
    pub fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Refusal> {
        Ok(self.store.history(wanted)?)
    }

    /// Returns the text before a change: of `@1` that before the last one.
    ///
    /// # Errors
    /// `NoSuchChange`, `NotKept`, `Store`.
    pub fn kept(&self, which: ChangeRef) -> Result<Arc<Snapshot>, Refusal> {
        Ok(self.serial_and_text(which)?.1)
    }

    /// Makes the text before a change the configuration again, as a new change.
    ///
    /// # Errors
    /// As [`Engine::save`] and [`Engine::kept`].
    pub fn rollback(&self, which: ChangeRef, options: &ChangeOptions) -> Result<Outcome, Refusal> {
        // Looked up before a hand edit is recorded: its entry would shift the number that the user saw.
        let (serial, text) = self.serial_and_text(which)?;
        let mut options = ChangeOptions { takes_faults: true, ..options.clone() };
        options.message.get_or_insert_with(|| format!("back to the text before #{serial}"));
        self.replace_as(Operation::Rollback, text.bytes(), &options)
    }

    /// Returns the change that has to be confirmed: of the server, of the store, or the one that a server left
    /// unconfirmed when it ended. Takes no lock.
    ///
    /// # Errors
    /// `Store`.
    pub fn pending_info(&self) -> Result<Option<PendingInfo>, Refusal> {
        if let Some(running) = &self.running {
            return Ok(running.pending().map(|pending| pending.info()));
        }
        Ok(match self.is_run_by_nodes() {
            true => self.store.open_change()?,
            false => self.open_left_over()?,
        })
    }

    fn serial_and_text(&self, which: ChangeRef) -> Result<(u64, Arc<Snapshot>), Refusal> {
        let serial = match which {
            // `blame` asks for one text after the other, and does not need all entries for each.
            ChangeRef::Serial(serial) if self.store.has_change(serial)? => serial,
            _ => find(&self.history(which.entries())?, which)?.serial,
        };
        let which = ChangeRef::Serial(serial);
        let text = self.store.kept(serial)?.ok_or_else(|| {
            Refusal::new(RefusalKind::NotKept, format!("the text before `{which}` is not kept"))
                .hint(IN_HISTORY)
        })?;
        Ok((serial, Arc::new(Snapshot::from_bytes(text))))
    }
}
