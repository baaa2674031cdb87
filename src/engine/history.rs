//! The history of a configuration, and going back to an earlier text.

use std::sync::Arc;

use super::change::{ChangeOptions, ChangeReport, Operation};
use super::local::Engine;
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeId, ChangeRef, HistoryEntry, PendingInfo, WHOLE_HISTORY};

/// The hint for a change that the history does not have.
const IN_HISTORY: &str = "`mediactl history` shows what is kept";

/// Returns the entry of a change.
///
/// # Errors
/// `NotFound`.
pub fn find(entries: &[HistoryEntry], which: ChangeRef) -> Result<&HistoryEntry, Error> {
    let known = entries.iter().filter_map(|entry| entry.number).count();
    entries.iter().find(|entry| entry.is(which)).ok_or_else(|| {
        let reach = match known {
            0 => "has no changes".to_owned(),
            known => format!("goes back to `@{known}`"),
        };
        Error::new(ErrorKind::NotFound, format!("there is no `{which}`: the history {reach}"))
            .hint(IN_HISTORY)
    })
}

/// The refusal to take back a change where others have changed the same lines since.
fn stale_change(change: &ChangeId) -> Error {
    let message = format!(
        "what change `{change}` did can't be taken back: the same lines, or lines beside them, were changed since"
    );
    Error::new(ErrorKind::Conflict, message).hint("`mediactl history -p` shows what was changed")
}

impl Engine {
    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// `Store`.
    pub fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        self.store.history(wanted)
    }

    /// Returns the text before a change: of `@1` that before the last one.
    ///
    /// # Errors
    /// `NoSuchChange`, `NotKept`, `Store`.
    pub fn kept(&self, which: ChangeRef) -> Result<Arc<Snapshot>, Error> {
        Ok(self.serial_and_text(which)?.1)
    }

    /// Makes the text before a change the configuration again, as a new change.
    ///
    /// # Errors
    /// As [`Engine::save`] and [`Engine::kept`].
    pub fn rollback(&self, which: ChangeRef, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        // Looked up before a hand edit is recorded: its entry would shift the number that the user saw.
        let (serial, text) = self.serial_and_text(which)?;
        let mut options = ChangeOptions { takes_faults: true, ..options.clone() };
        // The numbers of a node's own history are others.
        let what = match self.is_run_by_nodes() {
            true => format!("back to the text before change {serial} of the cluster"),
            false => format!("back to the text before #{serial}"),
        };
        options.message.get_or_insert(what);
        self.replace_as(Operation::Rollback, text.shared_bytes(), &options)
    }

    /// Takes the change with this id back, and keeps what was changed since.
    ///
    /// # Errors
    /// `NoSuchChange`, `NotKept`; `Conflict` if what it changed was changed since; as [`Engine::save`].
    pub fn take_back(&self, change: &ChangeId, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        let history = self.history(WHOLE_HISTORY)?;
        let is_made = |entry: &&HistoryEntry| entry.is_of(change.as_str()) && !entry.goes_back();
        let made = history.iter().find(is_made).ok_or_else(|| {
            Error::new(ErrorKind::NoSuchChange, format!("the history has no change `{change}`"))
                .hint("`mediactl history -o json` shows the id of each change")
        })?;
        let before = self.kept(ChangeRef::Serial(made.serial))?;
        if Some(before.revision()) != made.before {
            // Another program wrote into it late: that is no part of the change.
            return Err(stale_change(change));
        }
        let base = made.after.ok_or_else(|| stale_change(change))?;
        let mut options = ChangeOptions { base: Some(base), ..options.clone() };
        let what = format!("take-back of change {change}");
        options.message = Some(match options.message.take() {
            Some(why) => format!("{what}: {why}"),
            None => what,
        });
        options.undoes = Some(change.clone());
        options.command.get_or_insert(Operation::Rollback.name().into());
        self.save(before.shared_bytes(), &options).map_err(|error| match error.kind {
            ErrorKind::Stale | ErrorKind::Conflict => stale_change(change),
            _ => error,
        })
    }

    /// Returns the change that has to be confirmed: of the server, of the store, or the one that a server left
    /// unconfirmed when it ended. Takes no lock.
    ///
    /// # Errors
    /// `Store`.
    pub fn pending_info(&self) -> Result<Option<PendingInfo>, Error> {
        if let Some(running) = &self.running {
            return Ok(running.pending().map(|pending| pending.info()));
        }
        Ok(match self.is_run_by_nodes() {
            true => self.store.open_change()?,
            false => self.open_left_over()?,
        })
    }

    /// Returns the serial number of a change.
    ///
    /// # Errors
    /// `NoSuchChange`, `Store`.
    pub(super) fn serial(&self, which: ChangeRef) -> Result<u64, Error> {
        match which {
            // `blame` asks for one text after the other, and does not need all entries for each.
            ChangeRef::Serial(serial) if self.store.has_change(serial)? => Ok(serial),
            _ => Ok(find(&self.history(which.entries())?, which)?.serial),
        }
    }

    fn serial_and_text(&self, which: ChangeRef) -> Result<(u64, Arc<Snapshot>), Error> {
        let serial = self.serial(which)?;
        let which = ChangeRef::Serial(serial);
        let text = self.store.kept(serial)?.ok_or_else(|| {
            Error::new(ErrorKind::NotKept, format!("the text before `{which}` is not kept")).hint(IN_HISTORY)
        })?;
        Ok((serial, Arc::new(Snapshot::from_bytes(text))))
    }
}
