//! Writing: a change is one transaction, and so is a decision on one that has to be confirmed.

use std::cell::RefCell;
use std::time::SystemTime;

use super::messages::{Compare, KeyOperation, KeyRange, Txn};
use super::read::{ClusterStore, NOT_CONFIRMED, Seen};
use super::records::{CHUNK, HeadRecord, MIN_RECORDS, TextRef, Unconfirmed};
use crate::error::Error;
use crate::store::clock::milliseconds;
use crate::store::pending::{PendingInfo, PendingRecord};
use crate::store::record::ChangeRecord;
use crate::store::{
    BaseText, Candidate, Loaded, PreparedChange, Reconciled, Warning, Writer, candidate_elsewhere,
};

/// A writer of the configuration in etcd, one of many.
pub(super) struct ClusterWriter<'s> {
    pub store: &'s ClusterStore,
    pub warnings: Vec<Warning>,
    /// The keys that were read when the writer began, until they are loaded.
    pub look: RefCell<Option<Seen>>,
    /// The change that is made next has to be confirmed: its id, until when, and by which nodes.
    pub pending: RefCell<Option<PendingInfo>>,
    /// The id of the change that the writer made last, and the state before it.
    pub made: RefCell<Option<(String, Option<TextRef>)>>,
}

/// A change that is ready to be made in etcd.
struct ClusterChange<'w> {
    writer: &'w ClusterWriter<'w>,
    seen: Seen,
    head: HeadRecord,
    /// Its text, compressed.
    packed: Vec<u8>,
}

impl Writer for ClusterWriter<'_> {
    /// Reads nothing again that was read when the writer began.
    fn load(&self) -> Result<Loaded, Error> {
        match self.look.take().map(|look| self.store.loaded(look)).transpose()?.flatten() {
            Some(loaded) => Ok(loaded),
            None => self.store.read_text(),
        }
    }

    fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Nothing writes past the history.
    fn reconcile(&self, _current: Option<BaseText<'_>>) -> Result<Reconciled, Error> {
        Ok(Reconciled::default())
    }

    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, Error> {
        candidate_elsewhere(pieces)
    }

    fn prepare<'w>(
        &'w self,
        old: Option<BaseText<'w>>,
        new: Option<&'w [&'w [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Box<dyn PreparedChange + 'w>, Error> {
        let store = self.store;
        let known = old.and_then(|text| text.version.downcast_ref::<Seen>().cloned());
        let seen = known.map_or_else(|| store.seen(), Ok)?;
        let last = seen.head.as_ref();
        let waits = last.is_some_and(|last| last.unconfirmed.is_some());
        if seen.text().is_some() != old.is_some() || waits {
            return Err(store.overtaken());
        }
        let next = HeadRecord::following(last, record.operation, record.by);
        let packed = new.map(|pieces| TextRef::pack(pieces, next.serial).ok_or_else(|| store.too_large()));
        let (text, packed) = packed.transpose()?.unzip();
        let unconfirmed =
            self.pending.borrow().clone().map(|PendingInfo { id, deadline, canary, soak_s, .. }| {
                let left = deadline.duration_since(SystemTime::now()).unwrap_or_default();
                let (deadline, ttl_s) = (milliseconds(deadline), Some(left.as_secs() + 1));
                Unconfirmed { id, deadline, ttl_s, canary, soak_s, back: seen.text().cloned() }
            });
        let head = HeadRecord {
            text,
            by: store.gateway().login_used(),
            message: record.message.map(str::to_owned),
            change: record.id.map(str::to_owned),
            undoes: record.undoes.map(str::to_owned),
            keep: record.keep.unwrap_or(next.keep).max(1),
            unconfirmed,
            paths: record.paths.cloned(),
            ..next
        };
        Ok(Box::new(ClusterChange { writer: self, seen, head, packed: packed.unwrap_or_default() }))
    }

    fn revert(&self, record: &ChangeRecord<'_>) -> Result<bool, Error> {
        let seen = self.store.seen()?;
        let Some(head) = &seen.head else { return Ok(false) };
        let made = self.made.take().filter(|(id, _)| *id == head.id).map(|(_, before)| before);
        let Some(back) = head.unconfirmed.as_ref().map(|change| change.back.clone()).or(made) else {
            return Ok(false);
        };
        let because = (record.by, record.message.unwrap_or_default());
        self.store.put_back(&seen, head.back_at(back, record.operation, because), None).map(|()| true)
    }

    /// There is no text but those of changes.
    fn keep_aside(&self, _text: &[u8], _record: &ChangeRecord<'_>) -> Result<(), Error> {
        Err(self.store.damaged("a text that was never the configuration"))
    }

    fn set_pending(&self, pending: &PendingRecord) -> Result<(), Error> {
        self.pending.replace(Some(pending.info.clone()));
        Ok(())
    }

    fn clear_pending(&self) -> Result<(), Error> {
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
    fn commit(self: Box<Self>) -> Result<Vec<Warning>, Error> {
        self.writer.store.put_head(&self.seen, &self.head, &self.packed, None)?;
        self.writer.pending.take();
        self.writer.made.replace(Some((self.head.id.clone(), self.seen.text().cloned())));
        Ok(Vec::new())
    }
}

impl ClusterStore {
    /// Confirms the last change, if it is the seen one still, its time is not over, and all `conditions`
    /// hold.
    ///
    /// # Errors
    /// `Overtaken`, as well, where nothing is there to be confirmed.
    pub(super) fn confirm(&self, seen: &Seen, conditions: Vec<Compare>) -> Result<(), Error> {
        let (true, Some(head)) = (seen.has_pending, &seen.head) else { return Err(self.overtaken()) };
        let keys = self.keys();
        let own = [
            Compare::unchanged(&keys.head, seen.mod_revision),
            Compare::unchanged(&keys.pending, seen.pending_revision),
        ];
        let reply = self.gateway().txn(&Txn {
            compare: own.into_iter().chain(conditions).collect(),
            success: vec![
                KeyOperation::put(&keys.head, head.confirmed().to_json()),
                KeyOperation::Delete(KeyRange::one(&keys.pending)),
            ],
            failure: vec![KeyOperation::Read(KeyRange::one(&keys.head))],
            is_change: true,
        })?;
        // If it was sent twice, it may have been carried out the first time: nothing else confirms a change and keeps its id.
        let is_it = |found: HeadRecord| found.id == head.id && found.unconfirmed.is_none();
        let is_confirmed = reply.succeeded
            || reply.into_first().map(|found| self.record(&found)).transpose()?.is_some_and(is_it);
        if is_confirmed { Ok(()) } else { Err(self.overtaken()) }
    }

    /// Puts the text back that was there before the last change, if that is the seen one still and has run
    /// out.
    ///
    /// # Errors
    /// `Overtaken` if another was faster: the change is confirmed, or taken back already.
    pub fn take_back(&self, seen: &Seen) -> Result<(), Error> {
        let head = seen.head.as_ref().filter(|_| seen.has_run_out());
        let back =
            head.and_then(|head| head.taken_back("", NOT_CONFIRMED)).ok_or_else(|| self.overtaken())?;
        self.put_back(seen, back, Some(Compare::unchanged(&self.keys().pending, seen.pending_revision)))
    }

    /// Begins a new epoch, which continues the seen one as it is, and the epochs of what nodes run.
    ///
    /// # Errors
    /// `Overtaken` if there is no change, or one that is not confirmed, or another one was made meanwhile.
    pub fn adopt(&self, seen: &Seen, run: &[&str], by: &str) -> Result<(), Error> {
        let head = seen.head.as_ref().filter(|head| head.unconfirmed.is_none());
        self.put_back(seen, head.ok_or_else(|| self.overtaken())?.adopted(run, by), None)
    }

    /// Makes a head without a new text the last change, as the login of this writer.
    pub(super) fn put_back(
        &self,
        seen: &Seen,
        head: HeadRecord,
        condition: Option<Compare>,
    ) -> Result<(), Error> {
        self.put_head(seen, &HeadRecord { by: self.gateway().login_used(), ..head }, &[], condition)
    }

    /// Makes `head` the last change, if the seen one is that still, and the `condition` holds, too. Its text is put with it,
    /// compressed; where it has to be confirmed, there is a lease for that.
    ///
    /// # Errors
    /// `Overtaken`; `OutcomeUnknown`; `Unreachable`, `Refused`, `Remote`.
    fn put_head(
        &self,
        seen: &Seen,
        head: &HeadRecord,
        packed: &[u8],
        condition: Option<Compare>,
    ) -> Result<(), Error> {
        let (keys, gateway) = (self.keys(), self.gateway());
        let chunks = head.text.iter().flat_map(|text| {
            let put = |(number, chunk): (usize, &[u8])| KeyOperation::put(&keys.chunk(text, number), chunk);
            packed.chunks(CHUNK).enumerate().map(put).collect::<Vec<_>>()
        });
        let mut success: Vec<KeyOperation> = chunks.collect();
        if success.len() > 1 {
            // They do not fit into one request. If another writer is faster, they go with the texts of this time.
            for put in success.drain(..) {
                gateway.txn(&Txn { success: vec![put], ..Txn::default() })?;
            }
        }
        let own_record = keys.change(head.serial);
        success.push(KeyOperation::put(&keys.head, head.to_json()));
        success.push(KeyOperation::put(&own_record, head.confirmed().to_json()));
        success.push(match &head.unconfirmed {
            Some(change) => {
                let lease = gateway.grant(change.ttl_s.unwrap_or_default())?;
                KeyOperation::put_leased(&keys.pending, change.id.as_bytes(), lease)
            }
            None => KeyOperation::Delete(KeyRange::one(&keys.pending)),
        });
        success.extend(self.forgotten(seen, head));
        let unchanged = Compare::unchanged(&keys.head, seen.mod_revision);
        let reply = gateway.txn(&Txn {
            compare: std::iter::once(unchanged).chain(condition).collect(),
            success,
            failure: vec![KeyOperation::Read(KeyRange::one(&own_record))],
            is_change: true,
        })?;
        // If it was sent twice, it may have been carried out the first time.
        let is_own = |found: HeadRecord| found.id == head.id;
        let is_made = reply.succeeded
            || reply.into_first().map(|found| self.record(&found)).transpose()?.is_some_and(is_own);
        if is_made { Ok(()) } else { Err(self.overtaken()) }
    }

    /// The texts that go from the history: those beyond the kept ones, except for the last two.
    fn forgotten(&self, seen: &Seen, head: &HeadRecord) -> Vec<KeyOperation> {
        let keys = self.keys();
        let oldest = [Some(head), seen.head.as_ref()].into_iter().flatten().map(HeadRecord::oldest_text);
        let texts = oldest.fold(head.serial.saturating_sub(head.keep as u64), u64::min);
        let records = head.serial.saturating_sub(MIN_RECORDS).min(texts);
        // Format 2 kept overlays, and nothing reads them any more.
        let is_other_format = seen.head.as_ref().is_some_and(|seen| seen.format < head.format);
        let gone = [
            (texts > 1).then(|| keys.older_texts(texts)),
            (records > 1).then(|| keys.older_changes(records)),
            is_other_format.then(|| keys.overlays()),
        ];
        gone.into_iter().flatten().map(KeyOperation::Delete).collect()
    }
}
