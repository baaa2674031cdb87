//! Restores the state before a change that failed, or that was not confirmed.
//!
//! If the file was edited by hand meanwhile, the edit is merged with the text before the change, once, as a change with
//! `base` is. If that clashes, the edit stays, and the log and `status` say so. After a server was killed, the next
//! server, or the next change, does the same first.

use std::sync::Arc;

use bytes::Bytes;

use super::{Engine, LogLevel, Snapshot, conflicts, differing, first_paths_between, paths_of_texts};
use crate::error::{Error, ErrorKind};
use crate::store::{
    EXPIRED, HAND_EDIT, HistoryEntry, Loaded, PendingInfo, PendingRecord, Revision, RunBy, WHOLE_HISTORY,
    Writer,
};

/// The author of an automatic rollback: no user.
pub(super) const NO_USER: &str = "";

/// The message of a change that is rolled back because it was pending when its server ended.
pub(super) const SERVER_ENDED: &str = "not confirmed before the server ended";

/// The state before a change, which a rollback restores, and the text that the change wrote.
#[derive(Debug, Clone)]
pub(super) struct RollbackPoint {
    /// The id of the change.
    pub id: String,
    /// The text of the file before; `None` if there was no file.
    pub file: Option<Arc<Snapshot>>,
    /// The running and the saved configuration of a server before; none without one.
    pub server: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
    /// The text that the change wrote into the file; `None` if it left the file alone.
    pub written: Option<Arc<Snapshot>>,
}

/// The state of the file after a rollback, and its text; `None` if there is no file.
pub(super) type RolledBack = (Aftermath, Option<Arc<Snapshot>>);

impl RollbackPoint {
    /// The configuration that ran before; without a server that of the file.
    pub fn ran(&self) -> Option<&Arc<Snapshot>> {
        self.server.as_ref().map(|(running, _)| running).or(self.file.as_ref())
    }

    pub fn from_stored(stored: &PendingRecord) -> Self {
        let snapshot = |text: &Option<Bytes>| Some(Arc::new(Snapshot::from_bytes(text.clone()?)));
        let (file, written) = (snapshot(&stored.file), snapshot(&stored.written));
        Self { id: stored.info.id.clone(), file, server: None, written }
    }

    /// Returns the text of the file without the change, and what that is.
    pub fn without(&self, now: Option<&Arc<Snapshot>>) -> RolledBack {
        let back = if self.file.is_some() { Aftermath::Restored } else { Aftermath::Removed };
        let Some(written) = &self.written else { return (Aftermath::Restored, now.cloned()) };
        match (now, &self.file) {
            (None, None) => (back, None),
            (Some(now), Some(old)) if now.is_same_text(old) => (back, Some(now.clone())),
            (Some(now), old) if now.is_same_text(written) => (back, old.clone()),
            (Some(now), Some(old)) => match merged_change([old, written, now]) {
                Some(merged) => (Aftermath::Merged, Some(merged)),
                None => (Aftermath::ChangedMeanwhile, Some(now.clone())),
            },
            (now, _) => (Aftermath::ChangedMeanwhile, now.cloned()),
        }
    }
}

/// Merges the change that leads from the second text to the first into the third text, which others made of the second. `None`
/// if both changes clash, or if a text has errors.
pub fn merged_change(texts: [&Arc<Snapshot>; 3]) -> Option<Arc<Snapshot>> {
    if !texts.iter().all(|text| text.is_valid()) {
        return None;
    }
    let [old, written, edited] = texts.map(|text| text.document());
    let patch = written.patch_to(old);
    if !conflicts(written, edited, &patch.clone().into()).is_empty() {
        return None;
    }
    Some(Arc::new(Snapshot::from_bytes(written.three_way(old, edited, Some(patch)).ok()?.bytes().clone())))
}

impl Engine {
    /// Takes a change out of the file, as a change of its own.
    pub(super) fn roll_back_file(
        &self,
        writer: &dyn Writer,
        change: &RollbackPoint,
        record: &HistoryEntry,
    ) -> Result<RolledBack, Error> {
        if change.written.is_some() && writer.revert(record)? {
            return Ok((Aftermath::Restored, change.file.clone()));
        }
        let loaded = self.stored()?;
        let old = loaded.as_ref();
        writer.reconcile(old, &paths_of_texts)?;
        let now = loaded.as_ref().map(|loaded| Arc::new(Snapshot::from_bytes(loaded.bytes.clone())));
        let (aftermath, text) = change.without(now.as_ref());
        if now.as_ref().map(|now| now.bytes()) != text.as_ref().map(|text| text.bytes()) {
            let paths = first_paths_between(now.as_deref(), text.as_deref());
            let record = HistoryEntry { paths, ..record.clone() };
            writer.prepare(old, text.as_ref().map(|text| &text.bytes()[..]), &record)?()?;
        }
        Ok((aftermath, text))
    }

    /// The same of a change that was not confirmed.
    pub(super) fn revert_file(
        &self,
        writer: &dyn Writer,
        change: &RollbackPoint,
        (by, why): (&str, &str),
    ) -> Result<RolledBack, Error> {
        let (id, message) = (Some(change.id.clone()), Some(why.to_owned()));
        let record = HistoryEntry { id, message, keep: self.keep, ..HistoryEntry::of(EXPIRED, by) };
        self.roll_back_file(writer, change, &record)
    }

    /// Describes what became of a change that was not confirmed, with the paths of its values, masked.
    pub(super) fn describe(&self, change: &RollbackPoint, (aftermath, text): &RolledBack) -> String {
        let old = change.file.clone().unwrap_or_default();
        let paths = change.written.as_ref().map_or(Vec::new(), |written| differing(&old, written));
        let paths = if paths.is_empty() { String::new() } else { format!(": {}", paths.join(", ")) };
        let edited = "the file was edited by hand while a change waited to be confirmed";
        match aftermath {
            Aftermath::Merged => format!("{edited}: the edit stays, and the change is rolled back{paths}"),
            Aftermath::ChangedMeanwhile if text.is_none() => {
                format!("the file was removed by hand while a change waited to be confirmed{paths}")
            }
            Aftermath::ChangedMeanwhile => {
                let after = change.written.as_ref().map(|written| written.revision());
                let entries = self.store.history(WHOLE_HISTORY).unwrap_or_default();
                let made = entries.iter().find(|entry| !entry.is_aside && entry.after == after);
                let number = made.map_or("N".to_owned(), |made| made.number.to_string());
                format!(
                    "{edited}, so that it was not rolled back in the file{paths}; where a server runs, `mediactl diff` \
                     shows how the file differs from it; `mediactl rollback {number}` goes back to the text before it"
                )
            }
            _ => format!("a change that was never confirmed is rolled back{paths}"),
        }
    }

    /// Rolls back the change that was pending when its server was killed, and describes that; `None` if there is none.
    pub(super) fn roll_back_left_over(
        &self,
        writer: &dyn Writer,
        because: (&str, &str),
    ) -> Result<Option<(RolledBack, String)>, Error> {
        if self.running.is_some() || !self.store.has_pending() {
            return Ok(None);
        }
        // Withdraws the entry of a change that was never made.
        self.reconcile(writer)?;
        let Some(stored) = self.left_over()? else { return writer.clear_pending().map(|()| None) };
        let change = RollbackPoint::from_stored(&stored);
        let rolled_back = self.revert_file(writer, &change, because)?;
        let words = self.describe(&change, &rolled_back);
        if change.written.is_some() && rolled_back.0 != Aftermath::ChangedMeanwhile {
            self.reload_after_rollback(because.0);
        }
        writer.clear_pending()?;
        Ok(Some((rolled_back, words)))
    }

    /// The change that was pending when its server was killed, for users.
    pub(super) fn open_left_over(&self) -> Result<Option<PendingInfo>, Error> {
        if !self.store.has_pending() {
            return Ok(None);
        }
        let is_over = self.store.run_by() != RunBy::Server;
        Ok(self.left_over()?.map(|stored| PendingInfo { is_over, ..stored.info }))
    }

    /// The record of a change that is pending; `None` if another change of this program came after it.
    pub(super) fn left_over(&self) -> Result<Option<PendingRecord>, Error> {
        let Some(stored) = self.store.pending()? else { return Ok(None) };
        let written = stored.written.as_deref().map(Revision::from_text);
        if written.is_none() {
            return Ok(Some(stored));
        }
        let entries = self.store.history(WHOLE_HISTORY)?;
        let mut since = entries.iter().filter(|entry| !entry.is_aside);
        let last = since.find(|entry| entry.after == written || entry.operation != HAND_EDIT);
        Ok(last.is_none_or(|last| last.after == written).then_some(stored))
    }

    /// Reloads the running configuration, or without a server the one in the file.
    pub(super) fn reload_after_rollback(&self, by: &str) {
        if let Err(error) = self.reload_present(EXPIRED, by) {
            self.tell_failure(EXPIRED, error);
        }
    }

    /// Restores the running configuration from before the change. `is_file_back` says that the file is
    /// restored, too.
    pub(super) fn restore_running(
        &self,
        before: &RollbackPoint,
        is_file_back: bool,
        last_change: Option<HistoryEntry>,
    ) {
        let (Some(running), Some((old, saved))) = (&self.running, &before.server) else { return };
        running.exchange(|state| {
            state.running = old.clone();
            if is_file_back {
                // A hand edit that is restored in the file is not loaded.
                state.saved = saved.clone();
            }
            state.last_change = last_change.or(state.last_change.take());
        });
    }

    /// Forgets a pending change that was not made after all.
    pub(super) fn forget_pending(&self, writer: Option<&dyn Writer>) {
        if let Some(Err(error)) = writer.map(|writer| writer.clear_pending()) {
            let kept = "the history keeps an entry for a change that was not made";
            self.tell(LogLevel::Error, &format!("{kept}: {error}"));
        }
        self.running.iter().for_each(|running| running.exchange(|state| state.pending = None));
    }

    /// Records a failure that came after the response.
    pub(super) fn remember_trouble(&self, trouble: Error) {
        let Some(running) = &self.running else { return };
        running.exchange(|state| state.last_error = Some(trouble));
    }

    /// The same, and tells the log of it.
    pub(super) fn tell_failure(&self, operation: &str, error: Error) {
        self.tell(LogLevel::Error, &format!("{operation}: {}", error.brief()));
        self.remember_trouble(error);
    }

    /// The stored text; `None` if there is none.
    pub(super) fn stored(&self) -> Result<Option<Loaded>, Error> {
        match self.store.load() {
            Err(error) if error.kind == ErrorKind::NoConfiguration => Ok(None),
            loaded => loaded.map(Some),
        }
    }
}

/// The state of the file after a change was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aftermath {
    /// The old text is back.
    Restored,
    /// The file is removed again: it did not exist before.
    Removed,
    /// Another program changed or removed it meanwhile, and it stays so.
    ChangedMeanwhile,
    /// Another program changed it meanwhile: the change was rolled back, and the edit stays.
    Merged,
    /// The new text stays: the old one could not be put back.
    NotRestored,
}

impl Aftermath {
    /// True if an edit by another program stays in the file.
    pub fn is_hand_edit(self) -> bool {
        matches!(self, Self::ChangedMeanwhile | Self::Merged)
    }

    /// Describes it, where the reload command failed.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Restored => "the old configuration is back",
            Self::Removed => "there was no configuration before the change, so the file was removed",
            Self::ChangedMeanwhile => "another program changed the file meanwhile, so it is left as it is",
            Self::Merged => "another program changed the file meanwhile: its edit stays without the change",
            Self::NotRestored => "the old configuration could not be put back, so the new one stays",
        }
    }
}
