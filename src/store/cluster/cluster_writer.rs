//! etcd as the engine sees it: the port of [`crate::store`].

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::cluster_store::{ClusterStore, Seen};
use super::commit::{PackedText, PendingKey};
use super::head_record::{HeadRecord, Unconfirmed, milliseconds};
use crate::store::candidate::Candidate;
use crate::store::change_record::{ChangeRecord, DEFAULT_KEEP, HistoryEntry, REVERT, TAKE_BACK};
use crate::store::error::{LockHolder, StoreError};
use crate::store::fresh_id::fresh_id;
use crate::store::included::{Follow, IncludeError, IncludedText};
use crate::store::node_record::NodeRecord;
use crate::store::pending::{PendingRecord, StoredPending};
use crate::store::version::{BaseText, Loaded};
use crate::store::warning::Warning;
use crate::store::{PreparedChange, Store, Writer};

impl Store for ClusterStore {
    fn name(&self) -> String {
        self.given_name().to_owned()
    }

    fn path(&self) -> &Path {
        self.given_path()
    }

    fn has_moved(&self) -> bool {
        false
    }

    fn load(&self) -> Result<Loaded, StoreError> {
        self.read_text()
    }

    /// The included files are on the nodes.
    fn included(&self, _pattern: &str, _follow: Follow) -> Result<Vec<IncludedText>, IncludeError> {
        Ok(Vec::new())
    }

    fn history(&self) -> Result<Vec<HistoryEntry>, StoreError> {
        self.changes()
    }

    fn has_change(&self, serial: u64) -> Result<bool, StoreError> {
        Ok(self.change(serial)?.is_some())
    }

    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.text_before(serial)?.map(Vec::from))
    }

    fn refuse_missing(&self) -> Result<(), StoreError> {
        match self.seen()?.text() {
            Some(_) => Ok(()),
            None => Err(StoreError::NotFound { path: self.given_path().to_owned() }),
        }
    }

    fn has_pending(&self) -> bool {
        self.seen().is_ok_and(|seen| seen.may_be_confirmed())
    }

    fn pending(&self) -> Result<Option<StoredPending>, StoreError> {
        self.unconfirmed()
    }

    fn keeps_pending(&self) -> bool {
        true
    }

    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, StoreError> {
        self.node_records().map(Some)
    }

    /// Takes no lock: a change compares what it was computed on with what is there.
    fn lock(
        &self,
        wait: Duration,
        _on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<Box<dyn Writer + '_>, StoreError> {
        let deadline = Instant::now() + wait;
        let mut warnings = Vec::new();
        loop {
            let seen = self.seen()?;
            if !seen.has_run_out() {
                return Ok(Box::new(ClusterWriter { store: self, warnings, pending: RefCell::default() }));
            }
            match self.take_back(&seen) {
                Ok(()) => {
                    let serial = seen.head.as_ref().map_or(0, |head| head.serial);
                    warnings.push(Warning::RolledBack { serial });
                }
                // Another one was faster.
                Err(StoreError::Overtaken { .. }) if Instant::now() < deadline => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A writer of the configuration in etcd, one of many.
struct ClusterWriter<'s> {
    store: &'s ClusterStore,
    warnings: Vec<Warning>,
    /// The change that is made next has to be confirmed: its id, until when, and by which nodes.
    pending: RefCell<Option<(String, SystemTime, Vec<String>)>>,
}

/// A change that is ready to be made in etcd.
struct ClusterChange<'w> {
    writer: &'w ClusterWriter<'w>,
    seen: Seen,
    head: HeadRecord,
    text: Option<PackedText>,
    /// Whether a head names the chunks, or may do so.
    is_named: Cell<bool>,
}

impl Writer for ClusterWriter<'_> {
    fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Nothing writes past the history.
    fn reconcile(&self, _current: Option<BaseText<'_>>) -> Result<Vec<Warning>, StoreError> {
        Ok(Vec::new())
    }

    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, StoreError> {
        Candidate::elsewhere(pieces)
    }

    fn prepare<'w>(
        &'w self,
        old: Option<BaseText<'w>>,
        new: Option<&'w [&'w [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Box<dyn PreparedChange + 'w>, StoreError> {
        let store = self.store;
        let seen = match old.and_then(|old| old.version.known::<Seen>().cloned()) {
            Some(seen) => seen,
            None => store.seen()?,
        };
        let last = seen.head.as_ref();
        let is_rollback = [REVERT, TAKE_BACK].contains(&record.operation);
        let is_unconfirmed = last.is_some_and(|last| last.unconfirmed.is_some());
        if seen.text().is_some() != old.is_some() || (is_unconfirmed && !is_rollback) {
            return Err(store.overtaken());
        }
        let serial = last.map_or(0, |last| last.serial) + 1;
        let text = new.map(|pieces| PackedText::new(pieces, serial));
        let pending = self.pending.borrow().clone();
        let (unconfirmed, canary) = match pending {
            Some((id, deadline, canary)) => {
                let back = seen.text().cloned();
                (Some(Unconfirmed { id, deadline: milliseconds(deadline), back }), canary)
            }
            None => (None, Vec::new()),
        };
        let head = HeadRecord {
            serial,
            id: fresh_id(),
            text: text.as_ref().map(|text| text.text.clone()),
            before: seen.text().map(|text| text.revision),
            by: record.by.to_owned(),
            at: SystemTime::now(),
            operation: record.operation.to_owned(),
            message: record.message.map(str::to_owned),
            keep: record.keep.or(last.map(|last| last.keep)).unwrap_or(DEFAULT_KEEP).max(1),
            unconfirmed,
            canary,
        };
        let change = ClusterChange { writer: self, seen, head, text, is_named: Cell::new(false) };
        if let Some(text) = change.text.as_ref().filter(|text| text.is_large()) {
            store.put_chunks(text)?;
        }
        Ok(Box::new(change))
    }

    /// There is no text but those of changes.
    fn keep_aside(&self, _text: &[u8], _record: &ChangeRecord<'_>) -> Result<(), StoreError> {
        Err(self.store.damaged("a text that was never the configuration"))
    }

    fn set_pending(&self, pending: &PendingRecord<'_>) -> Result<(), StoreError> {
        self.pending.replace(Some((pending.id.to_owned(), pending.deadline, pending.canary.to_vec())));
        Ok(())
    }

    fn clear_pending(&self) -> Result<(), StoreError> {
        if self.pending.take().is_some() {
            return Ok(());
        }
        let seen = self.store.seen()?;
        match seen.head.as_ref().is_some_and(|head| head.unconfirmed.is_some()) {
            true => self.store.confirm(&seen, Vec::new()),
            false => Ok(()),
        }
    }
}

impl PreparedChange for ClusterChange<'_> {
    fn commit(self: Box<Self>) -> Result<Vec<Warning>, StoreError> {
        let store = self.writer.store;
        let pending = match &self.head.unconfirmed {
            Some(change) => {
                let left = change.until().duration_since(SystemTime::now()).unwrap_or_default();
                let lease = store.lease(left.as_secs() + 1)?;
                PendingKey::Put { value: change.id.clone().into_bytes(), lease }
            }
            None => PendingKey::Removed,
        };
        let done = store.put_head(&self.seen, &self.head, self.text.as_ref(), pending, None);
        self.is_named.set(matches!(done, Ok(()) | Err(StoreError::OutcomeUnknown { .. })));
        if done.is_ok() {
            self.writer.pending.take();
        }
        done.map(|()| Vec::new())
    }
}

impl Drop for ClusterChange<'_> {
    fn drop(&mut self) {
        if let Some(text) = self.text.as_ref().filter(|text| text.is_large() && !self.is_named.get()) {
            self.writer.store.remove_chunks(&text.text);
        }
    }
}
