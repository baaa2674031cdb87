//! etcd as the engine sees it: the port of [`crate::store`].

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Map;

use super::cluster_store::{ClusterStore, FirstRead, Seen};
use super::commit::{PackedText, PendingKey};
use super::head_record::{FORMAT, HeadRecord, TextRef, Unconfirmed, VERSION};
use crate::store::bounded_time::milliseconds;
use crate::store::candidate::Candidate;
use crate::store::chance::fresh_id;
use crate::store::change_record::{ChangeRecord, DEFAULT_KEEP, HistoryEntry};
use crate::store::error::{LockHolder, StoreError};
use crate::store::included::{Follow, IncludeError, IncludedText};
use crate::store::node_record::NodeRecord;
use crate::store::pending::{CanaryStep, CanaryWish, PendingInfo, PendingRecord};
use crate::store::version::{BaseText, Loaded};
use crate::store::warning::Warning;
use crate::store::{PreparedChange, Reconciled, RunBy, Store, Writer};

impl Store for ClusterStore {
    fn name(&self) -> String {
        self.given_name().to_owned()
    }

    fn path(&self) -> &Path {
        self.given_path()
    }

    fn load(&self) -> Result<Loaded, StoreError> {
        self.read_text()
    }

    /// The included files are on the nodes.
    fn included(&self, _pattern: &str, _follow: Follow) -> Result<Vec<IncludedText>, IncludeError> {
        Ok(Vec::new())
    }

    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, StoreError> {
        self.changes(wanted)
    }

    fn has_change(&self, serial: u64) -> Result<bool, StoreError> {
        Ok(self.change(serial)?.is_some())
    }

    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.text_before(serial)?.map(Vec::from))
    }

    fn has_pending(&self) -> bool {
        self.seen().is_ok_and(|seen| seen.may_be_confirmed())
    }

    fn pending(&self) -> Result<Option<PendingRecord>, StoreError> {
        self.unconfirmed()
    }

    fn open_change(&self) -> Result<Option<PendingInfo>, StoreError> {
        Ok(self.seen()?.open())
    }

    fn run_by(&self) -> RunBy {
        RunBy::Nodes
    }

    fn canaries(&self, id: &str, wish: &CanaryWish) -> Result<CanaryStep, StoreError> {
        self.canaries(id, wish)
    }

    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, StoreError> {
        self.node_records().map(Some)
    }

    /// Takes no lock: a change compares what it was computed on with what is there.
    fn writer(
        &self,
        wait: Duration,
        _on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<Box<dyn Writer + '_>, StoreError> {
        let deadline = Instant::now() + wait;
        let mut warnings = Vec::new();
        loop {
            let look = self.look()?;
            if !look.seen.has_run_out() {
                return Ok(Box::new(ClusterWriter::new(self, look, warnings)));
            }
            match self.take_back(&look.seen) {
                Ok(()) => {
                    let serial = look.seen.head.as_ref().map_or(0, |head| head.serial);
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
    /// The keys that were read when the writer began, until they are loaded.
    look: RefCell<Option<FirstRead>>,
    /// The change that is made next has to be confirmed: its id, until when, and by which nodes.
    pending: RefCell<Option<PendingInfo>>,
    /// The id of the change that the writer made last, and the state before it.
    made: RefCell<Option<(String, Option<TextRef>)>>,
}

/// A change that is ready to be made in etcd.
struct ClusterChange<'w> {
    writer: &'w ClusterWriter<'w>,
    seen: Seen,
    head: HeadRecord,
    packed: Option<PackedText>,
    /// True if a head names the chunks, or may do so.
    is_named: Cell<bool>,
}

impl ClusterStore {
    /// The last change as it was read with a text; read now where it was not.
    fn seen_in(&self, text: Option<BaseText<'_>>) -> Result<Seen, StoreError> {
        text.and_then(|text| text.version.known::<Seen>().cloned()).map_or_else(|| self.seen(), Ok)
    }
}

fn next_serial(seen: &Seen) -> u64 {
    seen.head.as_ref().map_or(0, |last| last.serial) + 1
}

impl<'s> ClusterWriter<'s> {
    fn new(store: &'s ClusterStore, look: FirstRead, warnings: Vec<Warning>) -> Self {
        let look = RefCell::new(Some(look));
        Self { store, warnings, look, pending: RefCell::default(), made: RefCell::default() }
    }
}

impl Writer for ClusterWriter<'_> {
    /// Reads nothing again that was read when the writer began.
    fn load(&self) -> Result<Loaded, StoreError> {
        match self.look.take().map(|look| self.store.loaded(look)).transpose()?.flatten() {
            Some(loaded) => Ok(loaded),
            None => self.store.read_text(),
        }
    }

    fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Nothing writes past the history.
    fn reconcile(&self, _current: Option<BaseText<'_>>) -> Result<Reconciled, StoreError> {
        Ok(Reconciled::default())
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
        let seen = store.seen_in(old)?;
        let last = seen.head.as_ref();
        let waits = last.is_some_and(|last| last.unconfirmed.is_some());
        if seen.text().is_some() != old.is_some() || waits {
            return Err(store.overtaken());
        }
        let serial = next_serial(&seen);
        let packed = |pieces| PackedText::new(pieces, serial).ok_or_else(|| store.too_large());
        let packed = new.map(packed).transpose()?;
        let pending = self.pending.borrow().clone();
        let unconfirmed = pending.map(|PendingInfo { id, deadline, canary, soak_s, .. }| {
            let back = seen.text().cloned();
            let left = deadline.duration_since(SystemTime::now()).unwrap_or_default();
            let ttl_s = Some(left.as_secs() + 1);
            Unconfirmed { id, deadline: milliseconds(deadline), ttl_s, canary, soak_s, back }
        });
        let head = HeadRecord {
            format: FORMAT,
            version: VERSION.to_owned(),
            epoch: last.map_or_else(fresh_id, |last| last.epoch.clone()),
            adopts: last.map(|last| last.adopts.clone()).unwrap_or_default(),
            serial,
            id: fresh_id(),
            text: packed.as_ref().map(|packed| packed.text.clone()),
            before: seen.text().map(|text| text.revision),
            by: store.gateway().login_used(),
            says: record.by.to_owned(),
            at: SystemTime::now(),
            operation: record.operation.to_owned(),
            message: record.message.map(str::to_owned),
            change: record.id.map(str::to_owned),
            undoes: record.undoes.map(str::to_owned),
            keep: record.keep.or(last.map(|last| last.keep)).unwrap_or(DEFAULT_KEEP).max(1),
            unconfirmed,
            paths: record.paths.cloned(),
            rest: Map::new(),
        };
        let change = ClusterChange { writer: self, seen, head, packed, is_named: Cell::new(false) };
        if let Some(packed) = change.packed.as_ref().filter(|packed| packed.is_large()) {
            store.put_chunks(packed)?;
        }
        Ok(Box::new(change))
    }

    fn revert(&self, record: &ChangeRecord<'_>) -> Result<bool, StoreError> {
        let seen = self.store.seen()?;
        let Some(head) = &seen.head else { return Ok(false) };
        let made = self.made.take().filter(|(id, _)| *id == head.id).map(|(_, before)| before);
        let Some(back) = head.unconfirmed.as_ref().map(|change| change.back.clone()).or(made) else {
            return Ok(false);
        };
        let because = (record.by, record.message.unwrap_or_default());
        let back = self.store.written_by(head.back_at(back, record.operation, because));
        self.store.put_head(&seen, &back, None, PendingKey::Removed, None).map(|()| true)
    }

    /// There is no text but those of changes.
    fn keep_aside(&self, _text: &[u8], _record: &ChangeRecord<'_>) -> Result<(), StoreError> {
        Err(self.store.damaged("a text that was never the configuration"))
    }

    fn set_pending(&self, pending: &PendingRecord) -> Result<(), StoreError> {
        self.pending.replace(Some(pending.info.clone()));
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
        let head = &self.head;
        let pending = match &head.unconfirmed {
            Some(change) => {
                let lease = store.lease(change.ttl_s.unwrap_or_default())?;
                PendingKey::Put { value: change.id.clone().into_bytes(), lease }
            }
            None => PendingKey::Removed,
        };
        let done = store.put_head(&self.seen, &self.head, self.packed.as_ref(), pending, None);
        self.is_named.set(matches!(done, Ok(()) | Err(StoreError::OutcomeUnknown { .. })));
        if done.is_ok() {
            self.writer.pending.take();
            self.writer.made.replace(Some((self.head.id.clone(), self.seen.text().cloned())));
        }
        done.map(|()| Vec::new())
    }
}

impl Drop for ClusterChange<'_> {
    fn drop(&mut self) {
        if let Some(packed) = self.packed.as_ref().filter(|packed| packed.is_large() && !self.is_named.get())
        {
            self.writer.store.remove_chunks(&packed.text);
        }
    }
}
