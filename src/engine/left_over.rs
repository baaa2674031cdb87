//! An unconfirmed change that the file still holds after it was to go back.
//!
//! When a change goes back, the file may hold another text than the one that the change wrote: somebody
//! edited it meanwhile. Then the inverse of the change is merged into the edited text. A text with errors is
//! left, and the record of the change with it, until somebody loads or changes the file: that merges the
//! inverse first. A file that is away leaves the record, too, because it may come back. After a server was
//! killed, the next process that loads or changes the file does the same.

use std::sync::Arc;

use super::aftermath::Aftermath;
use super::content::Content;
use super::local::Engine;
use super::log_line::LogLevel;
use super::operation::UNSAVED;
use super::options::Expected;
use super::outcome::OutcomeNote;
use super::refusal::Refusal;
use super::snapshot::Snapshot;
use super::status::differing;
use super::trouble::Trouble;
use crate::store::{
    ChangeRecord, HAND_EDIT, Loaded, PendingInfo, PendingRecord, REVERT, Revision, RunBy, StoreError, Writer,
};
use mediaconf::plumbing::edit::take_back;

/// The author of an automatic rollback: no user.
pub(super) const NO_USER: &str = "";

/// The message of a change that is rolled back on timeout.
pub(super) const NOT_CONFIRMED: &str = "not confirmed in time";

/// The message of a change that is rolled back because it was pending when its server ended.
pub(super) const SERVER_ENDED: &str = "not confirmed before the server ended";

/// A change that was not confirmed, as the file knows it.
#[derive(Clone)]
pub(super) struct LeftOver {
    /// The text before it; `None` if there was no file.
    pub old: Option<Arc<Snapshot>>,
    /// The configuration that ran before it.
    pub ran: Option<Arc<Snapshot>>,
    /// The text that it wrote.
    pub written: Arc<Snapshot>,
}

/// The file without an unconfirmed change.
enum Without {
    /// It has no part of the change.
    Same(Aftermath),
    /// The old text; `None` if there was no file.
    Old(Option<Arc<Snapshot>>),
    /// The edited text without the change.
    Merged(Arc<Snapshot>),
    /// The file has errors, or is away, so it is unknown what belongs to the change.
    Unknown(Aftermath),
}

/// A file out of which an unconfirmed change was taken.
pub(super) struct WithoutChange {
    pub aftermath: Aftermath,
    change: Option<LeftOver>,
    from: Option<Arc<Snapshot>>,
    to: Option<Arc<Snapshot>>,
}

impl LeftOver {
    pub fn from_stored(stored: &PendingRecord) -> Option<Self> {
        let snapshot = |text: &bytes::Bytes| Arc::new(Snapshot::from_bytes(text.clone()));
        let written = snapshot(stored.written.as_ref()?);
        Some(Self { old: stored.file.as_ref().map(snapshot), ran: Some(snapshot(&stored.running)), written })
    }

    /// Looks at the text that is in the file now.
    fn without(&self, now: Option<&Arc<Snapshot>>) -> Without {
        match (now, &self.old) {
            (None, None) => Without::Same(Aftermath::Removed),
            (None, Some(_)) => Without::Unknown(Aftermath::ChangedMeanwhile),
            (Some(now), Some(old)) if now.is_same_text(old) => Without::Same(Aftermath::Restored),
            (Some(now), old) if now.is_same_text(&self.written) => Without::Old(old.clone()),
            (Some(now), _) if !now.is_valid() => Without::Unknown(Aftermath::Broken),
            (Some(now), _) => {
                let merged = take_back(self.base().document(), self.written.document(), now.document());
                let merged = Arc::new(Snapshot::from_bytes(merged));
                match merged.is_same_text(now) {
                    true => Without::Same(Aftermath::Merged),
                    false => Without::Merged(merged),
                }
            }
        }
    }

    /// The text to whose values it goes back: if the old text has errors, the one that ran.
    fn base(&self) -> Arc<Snapshot> {
        let valid = [&self.old, &self.ran].into_iter().flatten().find(|text| text.is_valid());
        valid.cloned().unwrap_or_else(|| Arc::new(Snapshot::from_bytes("")))
    }

    /// The paths of its values.
    fn paths(&self) -> Vec<String> {
        paths_between(&self.base(), &self.written)
    }

    /// The paths of its values that were edited and stay so in a text.
    fn paths_in(&self, text: &Arc<Snapshot>) -> Vec<String> {
        let edited = paths_between(&self.base(), text);
        self.paths().into_iter().filter(|path| edited.contains(path)).collect()
    }
}

impl WithoutChange {
    /// The text in which the change was, if it was in this one: without the change.
    pub fn instead_of(&self, text: &[u8]) -> Option<&Arc<Snapshot>> {
        self.to.as_ref().filter(|_| self.from.as_ref().is_some_and(|from| from.bytes() == text))
    }

    /// An edited text that still held the change, without the change.
    pub fn instead_of_edited(&self, text: &[u8]) -> Option<Arc<Snapshot>> {
        let text = Arc::new(Snapshot::from_bytes(text.to_vec()));
        match self.change.as_ref()?.without(Some(&text)) {
            Without::Merged(merged) => Some(merged),
            Without::Old(old) => old,
            Without::Same(_) | Without::Unknown(_) => None,
        }
    }

    /// True if the expected text is the one that held the change.
    pub fn is_expected(&self, expected: &Expected) -> bool {
        let is_from = |from: &Arc<Snapshot>| expected.names(from.revision());
        self.note().is_some() && self.from.as_ref().is_some_and(is_from)
    }

    /// The text in which the change was.
    pub fn from(&self) -> Option<&Arc<Snapshot>> {
        self.from.as_ref()
    }

    /// Returns the note for users.
    pub fn note(&self) -> Option<OutcomeNote> {
        let (from, to) = (self.from.as_ref()?, self.to.as_ref()?);
        (!from.is_same_text(to)).then(|| OutcomeNote::TookOutUnconfirmed(paths_between(from, to)))
    }
}

/// The paths of the values in which two texts differ, masked.
fn paths_between(from: &Arc<Snapshot>, to: &Arc<Snapshot>) -> Vec<String> {
    differing(&Content::Text(from.clone()), &Content::Text(to.clone()))
}

impl Engine {
    /// Takes an unconfirmed change out of the file, as a change of its own; without a writer, only says what
    /// that would make of the file.
    pub(super) fn take_out(
        &self,
        writer: Option<&dyn Writer>,
        change: &LeftOver,
        (by, why): (&str, &str),
    ) -> Result<WithoutChange, Refusal> {
        let loaded = match writer {
            Some(writer) => self.reconcile(writer)?,
            None => self.store.load().map(Some).or_else(missing)?,
        };
        let now = loaded.as_ref().map(|loaded| Arc::new(Snapshot::from_bytes(loaded.bytes.clone())));
        let (to, why, aftermath) = match change.without(now.as_ref()) {
            Without::Same(aftermath) | Without::Unknown(aftermath) => {
                (now.clone(), why.to_owned(), aftermath)
            }
            Without::Old(None) => (None, why.to_owned(), Aftermath::Removed),
            Without::Old(old) => (old, why.to_owned(), Aftermath::Restored),
            Without::Merged(text) => {
                (Some(text), format!("{why}: taken out of a hand edit"), Aftermath::Merged)
            }
        };
        let taken = WithoutChange { aftermath, change: Some(change.clone()), from: now, to };
        let Some(writer) = writer else { return Ok(taken) };
        if taken.note().is_some() || taken.to.is_none() && taken.from.is_some() {
            let record =
                ChangeRecord { message: Some(&why), keep: self.keep, ..ChangeRecord::new(REVERT, by) };
            let pieces = taken.to.as_ref().map(|to| [to.bytes()]);
            let old = loaded.as_ref().map(Loaded::as_base);
            writer.prepare(old, pieces.as_ref().map(|all| &all[..]), &record)?.commit()?;
        }
        self.tell_of_hand_edit(change, &taken);
        Ok(taken)
    }

    fn tell_of_hand_edit(&self, change: &LeftOver, taken: &WithoutChange) {
        let edited = "the file was edited by hand while a change waited to be confirmed";
        let left = |file: &str| {
            let paths = change.paths().join(", ");
            format!(
                "{file} may hold what was not confirmed ({paths}), which the next load or change takes out"
            )
        };
        let words = match (taken.aftermath, &taken.from, &taken.to) {
            (Aftermath::ChangedMeanwhile, ..) => left(
                "the file was removed by hand while a change waited to be confirmed: if it comes back, it",
            ),
            (Aftermath::Broken, ..) => left(&format!("{edited} and has errors: it is left as it is and")),
            (Aftermath::Merged, Some(from), Some(to)) => {
                let part = |paths: Vec<String>, what: &str| match paths.is_empty() {
                    true => String::new(),
                    false => format!("; {what}: {}", paths.join(", ")),
                };
                let gone = paths_between(from, to);
                let mut kept = change.paths_in(to);
                kept.retain(|path| !gone.contains(path));
                format!("{edited}{}{}", part(gone, "taken out of it"), part(kept, "kept as edited"))
            }
            _ => return,
        };
        self.remember_trouble(Trouble::new(&words));
        self.tell(LogLevel::Warning, &words);
    }

    /// True if a record is left of a change that is not pending any more.
    pub(super) fn has_left_over(&self) -> bool {
        match &self.running {
            Some(running) => running.has_left_over(),
            None => self.store.run_by() == RunBy::Nobody && self.store.has_pending(),
        }
    }

    /// The change of a record that is left; `None` if another change of this program came after it.
    fn left_over(&self) -> Result<Option<PendingRecord>, StoreError> {
        let Some(stored) = self.store.pending()? else { return Ok(None) };
        let Some(written) = stored.written.as_deref().map(Revision::from_text) else {
            return Ok(Some(stored));
        };
        let entries = self.store.history(usize::MAX)?;
        let mut since = entries.iter().filter(|entry| !entry.is_aside);
        let last = since.find(|entry| entry.after == Some(written) || entry.operation != HAND_EDIT);
        Ok(last.is_none_or(|last| last.after == Some(written)).then_some(stored))
    }

    /// The change that was pending when its server was killed, or is in a file with errors.
    pub(super) fn open_left_over(&self) -> Result<Option<PendingInfo>, StoreError> {
        if !self.store.has_pending() {
            return Ok(None);
        }
        let is_over = self.store.run_by() != RunBy::Server;
        Ok(self.left_over()?.map(|stored| PendingInfo { is_over, ..stored.info }))
    }

    /// The paths of the unconfirmed values that the file still holds, masked; of a file with errors, or one that is
    /// away, of those that it may hold.
    pub fn unconfirmed(&self) -> Vec<String> {
        let left_over = self.has_left_over().then(|| self.left_over().ok().flatten()).flatten();
        let Some(change) = left_over.as_ref().and_then(LeftOver::from_stored) else { return Vec::new() };
        let now = self.read().ok();
        match (change.without(now.as_ref()), now) {
            (Without::Same(_), _) | (Without::Merged(_), None) => Vec::new(),
            (Without::Old(_) | Without::Unknown(_), _) => change.paths(),
            (Without::Merged(text), Some(now)) => paths_between(&now, &text),
        }
    }

    /// Takes an unconfirmed change out of the file before that is changed; `None` if there is none in it.
    pub(super) fn settle_left_over(
        &self,
        writer: Option<&dyn Writer>,
    ) -> Result<Option<WithoutChange>, Refusal> {
        if !self.has_left_over() {
            return Ok(None);
        }
        let why = if self.running.is_some() { NOT_CONFIRMED } else { SERVER_ENDED };
        let taken = self.settle_found(writer, (NO_USER, why))?;
        let note = taken.as_ref().and_then(WithoutChange::note);
        if let (Some(OutcomeNote::TookOutUnconfirmed(paths)), Some(_)) = (note, writer) {
            let paths = paths.join(", ");
            self.tell(
                LogLevel::Warning,
                &format!("a change that was never confirmed was taken out of the file: {paths}"),
            );
        }
        Ok(taken)
    }

    /// The same, if it is known that no other process does it.
    pub(super) fn settle_found(
        &self,
        writer: Option<&dyn Writer>,
        because: (&str, &str),
    ) -> Result<Option<WithoutChange>, Refusal> {
        if let Some(writer) = writer {
            // Withdraws the entry of a change that was never made.
            self.reconcile(writer)?;
        }
        let stored = self.left_over()?;
        let taken = match &stored {
            Some(stored) => Some(self.settle_stored(writer, stored, because)?),
            None => None,
        };
        let is_left = taken.as_ref().is_some_and(|taken| taken.aftermath.may_leave_change());
        if let Some(writer) = writer.filter(|_| !is_left) {
            self.forget_left_over(writer)?;
        }
        Ok(taken)
    }

    fn settle_stored(
        &self,
        writer: Option<&dyn Writer>,
        stored: &PendingRecord,
        because: (&str, &str),
    ) -> Result<WithoutChange, Refusal> {
        let change = LeftOver::from_stored(stored);
        let is_dead = self.running.is_none();
        if let Some(writer) = writer.filter(|_| is_dead && stored.file.as_ref() != Some(&stored.running)) {
            self.keep_unsaved_of(writer, stored, change.as_ref())?;
        }
        let Some(change) = change else {
            return Ok(WithoutChange { aftermath: Aftermath::Restored, change: None, from: None, to: None });
        };
        let taken = self.take_out(writer, &change, because)?;
        if let Some(writer) = writer.filter(|_| is_dead && !taken.aftermath.may_leave_change()) {
            self.reload_after_rollback(writer, because.0);
        }
        Ok(taken)
    }

    /// Keeps the configuration that ran unsaved before the change, and that ends with its server; once, also
    /// where the file has errors, or is away, each time that it is looked at.
    fn keep_unsaved_of(
        &self,
        writer: &dyn Writer,
        stored: &PendingRecord,
        change: Option<&LeftOver>,
    ) -> Result<(), Refusal> {
        let now = self.read().ok();
        if change.is_some_and(|change| matches!(change.without(now.as_ref()), Without::Unknown(_))) {
            return Ok(());
        }
        let message = Some("the running configuration was unsaved when the server ended");
        let record = ChangeRecord { message, keep: self.keep, ..ChangeRecord::new(UNSAVED, NO_USER) };
        Ok(writer.keep_aside(&stored.running, &record)?)
    }

    /// Forgets a change of which nothing is in the file any more.
    pub(super) fn forget_left_over(&self, writer: &dyn Writer) -> Result<(), StoreError> {
        writer.clear_pending()?;
        self.note_left_over(false);
        Ok(())
    }

    /// Notes whether something that was not confirmed may be in the file.
    pub(super) fn note_left_over(&self, is_left: bool) {
        if let Some(running) = &self.running {
            running.exchange(|state| state.has_left_over = is_left);
        }
    }
}

fn missing(error: StoreError) -> Result<Option<Loaded>, StoreError> {
    match error {
        StoreError::NotFound { .. } => Ok(None),
        error => Err(error),
    }
}
