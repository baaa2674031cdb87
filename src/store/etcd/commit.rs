//! etcd as the engine sees it: the port of [`crate::store`]. A change is one transaction, and so is a decision on one that
//! has to be confirmed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;

use super::messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn};
use super::nodes::{MemberRecord, verdict};
use super::read::{ClusterStore, NOT_CONFIRMED, Seen};
use super::records::{CHUNK, HeadRecord, MIN_RECORDS, TextRef, Unconfirmed};
use crate::error::{Error, ErrorKind};
use crate::store::clock::milliseconds;
use crate::store::{
    ChangedPaths, EXPIRED, HistoryEntry, IncludeLimits, IncludedText, Loaded, NodeRecord, NodeState,
    PendingInfo, PendingRecord, PreparedChange, Reconciled, Revision, RunBy, Store, Warning, Writer,
};

/// The most records of the history that one request reads. At least `MIN_RECORDS` are read, as one may be missing.
const PAGE: u64 = 200;

impl Store for ClusterStore {
    fn name(&self) -> String {
        self.gateway.url().to_string()
    }

    fn path(&self) -> &Path {
        &self.given_path
    }

    fn load(&self) -> Result<Loaded, Error> {
        self.read_text()
    }

    /// The included files are on the nodes.
    fn included(&self, _pattern: &str, _rest: IncludeLimits) -> Result<Vec<IncludedText>, Error> {
        Ok(Vec::new())
    }

    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        let seen = self.seen()?;
        let mut entries = Vec::new();
        let mut end = seen.head.map_or(0, |head| head.serial) + 1;
        let page = (wanted as u64).clamp(MIN_RECORDS, PAGE);
        while end > 1 && entries.len() < wanted {
            let first = end.saturating_sub(page).max(1);
            let range = KeyRange::between(&self.keys.change(first), &self.keys.change(end));
            let found = self.gateway.range(range)?;
            // Older ones are not there.
            if found.is_empty() {
                break;
            }
            entries.extend(found.iter().rev().filter_map(|found| self.entry(found)));
            end = first;
        }
        entries.truncate(wanted);
        Ok(entries)
    }

    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, Error> {
        let before = serial.checked_sub(1).map(|serial| self.change(serial)).transpose()?.flatten();
        let text = before.and_then(|change| change.text);
        Ok(text.map(|text| self.text_of(&text)).transpose()?.flatten().map(Vec::from))
    }

    fn has_pending(&self) -> bool {
        self.seen().is_ok_and(|seen| seen.has_pending)
    }

    fn pending(&self) -> Result<Option<PendingRecord>, Error> {
        let seen = self.seen()?;
        let (Some(info), Some(head)) = (seen.open().filter(|open| !open.is_over), seen.head) else {
            return Ok(None);
        };
        let text = |text: Option<TextRef>| text.map_or(Ok(None), |text| self.text_of(&text));
        let (file, written) = (text(head.unconfirmed.and_then(|change| change.back))?, text(head.text)?);
        Ok(Some(PendingRecord { info, running: file.clone().unwrap_or_default(), file, written }))
    }

    fn open_change(&self) -> Result<Option<PendingInfo>, Error> {
        Ok(self.seen()?.open())
    }

    fn run_by(&self) -> RunBy {
        RunBy::Nodes
    }

    fn canaries(
        &self,
        id: &str,
        waves: &[Vec<String>],
        back: Option<&str>,
    ) -> Result<Option<Vec<String>>, Error> {
        let seen = self.seen_with(vec![KeyRange::below(&self.keys.node(""))])?;
        let is_it = |head: &&HeadRecord| head.unconfirmed.as_ref().is_some_and(|change| change.id == id);
        let Some(head) = seen.head.as_ref().filter(is_it).filter(|_| seen.has_pending) else {
            return Ok(None);
        };
        let next = head.with_next(waves);
        let found =
            back.map_or_else(|| verdict(head, &seen.others.concat(), &self.keys), |why| Err(why.to_owned()));
        let decided = match found {
            Ok((conditions, whys)) if whys.is_empty() => {
                self.decide(&seen, conditions, next.clone().unwrap_or_else(|| head.confirmed()))
            }
            Ok((_, whys)) => return Ok(Some(whys)),
            Err(why) => {
                let back = head.taken_back(EXPIRED, "", &why).ok_or_else(|| self.overtaken());
                back.and_then(|back| self.put_head(&seen, back, &[], None))
            }
        };
        match decided {
            Ok(()) if next.is_none() => Ok(None),
            Ok(()) => Ok(Some(Vec::new())),
            // What another one decided meanwhile is looked at again.
            Err(error) if error.kind == ErrorKind::Overtaken => Ok(Some(Vec::new())),
            Err(error) => Err(error),
        }
    }

    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, Error> {
        let prefixes = [self.keys.node(""), self.keys.member("")];
        let seen = self.seen_with(prefixes.iter().map(|prefix| KeyRange::below(prefix)).collect())?;
        let forms = [|value: &[u8]| serde_json::from_slice(value).ok(), gone];
        let mut rows = BTreeMap::new();
        for ((found, prefix), parse) in seen.others.iter().zip(&prefixes).zip(forms) {
            for KeyValue { key, value, .. } in found {
                let key = String::from_utf8_lossy(key);
                let node = key.trim_start_matches(prefix).to_owned();
                let why = Some(format!("`{key}` can't be read"));
                let unreadable = || NodeRecord { why, ..NodeRecord::absent(NodeState::Gone) };
                rows.entry(node.clone())
                    .or_insert_with(|| NodeRecord { node, ..parse(value).unwrap_or_else(unreadable) });
            }
        }
        Ok(Some(rows.into_values().collect()))
    }

    fn alarms(&self) -> Vec<String> {
        self.gateway.alarms().unwrap_or_else(|error| vec![format!("not known: {error}")])
    }

    /// Takes no lock: a change compares what it was computed on with what is there.
    fn writer(&self, wait: Duration, _on_wait: &mut dyn FnMut(&str)) -> Result<Box<dyn Writer + '_>, Error> {
        let begin = Instant::now();
        let warnings = RefCell::<Vec<Warning>>::default();
        loop {
            let look = self.seen()?;
            if !look.has_run_out() {
                return Ok(Box::new(ClusterWriter { store: self, warnings, pending: RefCell::default() }));
            }
            match self.take_back(&look) {
                Ok(()) => {
                    let serial = look.head.as_ref().map_or(0, |head| head.serial);
                    let words =
                        format!("change {serial} was not confirmed in time; it was rolled back first");
                    warnings.borrow_mut().push(words);
                }
                // Another one was faster.
                Err(error) if error.kind == ErrorKind::Overtaken && begin.elapsed() < wait => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The row of a node of which only the record that stays is there.
fn gone(record: &[u8]) -> Option<NodeRecord> {
    let MemberRecord { heard, version, serial, .. } = serde_json::from_slice(record).ok()?;
    let ends = "or up to ten minutes later: stopped, cut off, or without the right to write it";
    let why = Some(format!("no record since {heard}, {ends}"));
    Some(NodeRecord { serial, version, why, since: heard, ..NodeRecord::absent(NodeState::Gone) })
}

/// A writer of the configuration in etcd, one of many.
struct ClusterWriter<'s> {
    store: &'s ClusterStore,
    warnings: RefCell<Vec<Warning>>,
    /// The change that is made next has to be confirmed: its id, until when, and by which nodes.
    pending: RefCell<Option<PendingInfo>>,
}

impl Writer for ClusterWriter<'_> {
    fn load(&self, _known: Option<(&Bytes, Revision)>) -> Result<Loaded, Error> {
        self.store.read_text()
    }

    /// Nothing writes past the history.
    fn reconcile(
        &self,
        _current: Option<&Loaded>,
        _paths: &dyn Fn([&[u8]; 2]) -> Option<ChangedPaths>,
    ) -> Result<Reconciled, Error> {
        Ok(Reconciled { warnings: self.warnings.take(), edited_from: None })
    }

    fn prepare<'w>(
        &'w self,
        old: Option<&'w Loaded>,
        new: Option<&'w [u8]>,
        record: &HistoryEntry,
    ) -> Result<PreparedChange<'w>, Error> {
        let store = self.store;
        let known = old.and_then(|text| text.version.downcast_ref::<Seen>().cloned());
        let seen = known.map_or_else(|| store.seen(), Ok)?;
        let last = seen.head.as_ref();
        let waits = last.is_some_and(|last| last.unconfirmed.is_some());
        if seen.text().is_some() != old.is_some() || waits {
            return Err(store.overtaken());
        }
        let by = record.by.as_deref().unwrap_or_default();
        let next = HeadRecord::following(last, &record.operation, by);
        let packed = new.map(|text| TextRef::pack(text, next.serial).ok_or_else(|| store.too_large()));
        let (text, packed) = packed.transpose()?.unzip();
        let unconfirmed =
            self.pending.borrow().clone().map(|PendingInfo { id, deadline, canary, soak_s, .. }| {
                let left = deadline.duration_since(SystemTime::now()).unwrap_or_default();
                let (deadline, ttl_s) = (milliseconds(deadline), Some(left.as_secs() + 1));
                Unconfirmed { id, deadline, ttl_s, canary, soak_s, back: seen.text().cloned() }
            });
        let head = HeadRecord {
            text,
            message: record.message.clone(),
            change: record.id.clone(),
            undoes: record.undoes.clone(),
            keep: record.keep.unwrap_or(next.keep).max(1),
            unconfirmed,
            paths: record.paths.clone(),
            ..next
        };
        Ok(Box::new(move || {
            store.put_head(&seen, head, &packed.unwrap_or_default(), None)?;
            self.pending.take();
            Ok(Vec::new())
        }))
    }

    fn revert(&self, record: &HistoryEntry) -> Result<bool, Error> {
        let seen = self.store.seen()?;
        let [by, because] = [&record.by, &record.message].map(|text| text.as_deref().unwrap_or_default());
        let back = seen.head.as_ref().and_then(|head| head.taken_back(&record.operation, by, because));
        back.map_or(Ok(false), |back| self.store.put_head(&seen, back, &[], None).map(|()| true))
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
            true => self.store.confirm(&seen),
            false => Ok(()),
        }
    }
}

impl ClusterStore {
    /// The entry of a change in the history; one whose record can't be read is a row that names its key.
    fn entry(&self, KeyValue { key, value, .. }: &KeyValue) -> Option<HistoryEntry> {
        let serial = self.keys.serial_of(key)?;
        let unreadable =
            |why| HistoryEntry::unreadable(serial, format!("`{}` {why}", self.keys.change(serial)));
        Some(HeadRecord::parse(value).map_or_else(unreadable, HeadRecord::entry))
    }

    /// Carries a change out where the compared keys are as they were seen. `is_own` knows the record that stands at `key`
    /// then: if it was sent twice, it may have been carried out the first time.
    ///
    /// # Errors
    /// `Overtaken`; those of the cluster.
    fn commit(
        &self,
        compare: Vec<Compare>,
        success: Vec<KeyOperation>,
        key: &str,
        is_own: impl Fn(HeadRecord) -> bool,
    ) -> Result<(), Error> {
        let failure = vec![KeyOperation::Read(KeyRange::one(key))];
        let reply = self.gateway.txn(&Txn { compare, success, failure, is_change: true })?;
        let is_made = reply.succeeded
            || reply.into_first().map(|found| self.record(&found)).transpose()?.is_some_and(is_own);
        is_made.then_some(()).ok_or_else(|| self.overtaken())
    }

    /// Confirms the last change.
    ///
    /// # Errors
    /// As [`ClusterStore::decide`].
    pub(super) fn confirm(&self, seen: &Seen) -> Result<(), Error> {
        let confirmed = seen.head.as_ref().map(HeadRecord::confirmed).ok_or_else(|| self.overtaken())?;
        self.decide(seen, Vec::new(), confirmed)
    }

    /// Writes the last change anew, confirmed or for more nodes, if it is the seen one still, its time is not over, and all
    /// `conditions` hold.
    ///
    /// # Errors
    /// `Overtaken`, as well, where nothing is there to be confirmed.
    fn decide(&self, seen: &Seen, mut conditions: Vec<Compare>, head: HeadRecord) -> Result<(), Error> {
        let keys = &self.keys;
        if !seen.has_pending {
            return Err(self.overtaken());
        }
        conditions.push(Compare::unchanged(&keys.head, seen.mod_revision));
        conditions.push(Compare::unchanged(&keys.pending, seen.pending_revision));
        let mut success = vec![KeyOperation::put(&keys.head, head.to_json())];
        if head.unconfirmed.is_none() {
            success.push(KeyOperation::Delete(KeyRange::one(&keys.pending)));
        }
        // Nothing else decides on a change and keeps its id.
        let is_it = |found: HeadRecord| found.id == head.id && found.unconfirmed == head.unconfirmed;
        self.commit(conditions, success, &keys.head, is_it)
    }

    /// Puts the text back that was there before the last change, if that is the seen one still and has run
    /// out.
    ///
    /// # Errors
    /// `Overtaken` if another was faster: the change is confirmed, or taken back already.
    pub fn take_back(&self, seen: &Seen) -> Result<(), Error> {
        let head = seen.head.as_ref().filter(|_| seen.has_run_out());
        let back = head
            .and_then(|head| head.taken_back(EXPIRED, "", NOT_CONFIRMED))
            .ok_or_else(|| self.overtaken())?;
        let as_seen = Compare::unchanged(&self.keys.pending, seen.pending_revision);
        self.put_head(seen, back, &[], Some(as_seen))
    }

    /// Begins a new epoch, which continues the seen one as it is, and the epochs of what nodes run.
    ///
    /// # Errors
    /// `Overtaken` if there is no change, or one that is not confirmed, or another one was made meanwhile.
    pub fn adopt(&self, seen: &Seen, run: &[&str], by: &str) -> Result<(), Error> {
        let head = seen.head.as_ref().filter(|head| head.unconfirmed.is_none());
        self.put_head(seen, head.ok_or_else(|| self.overtaken())?.adopted(run, by), &[], None)
    }

    /// Makes `head` the last change, as the login of this writer, if the seen one is that still, and the `condition` holds,
    /// too. Its text is put with it, compressed; where it has to be confirmed, there is a lease for that.
    ///
    /// # Errors
    /// `Overtaken`; those of the cluster.
    fn put_head(
        &self,
        seen: &Seen,
        head: HeadRecord,
        packed: &[u8],
        condition: Option<Compare>,
    ) -> Result<(), Error> {
        let (keys, gateway) = (&self.keys, &self.gateway);
        let head = HeadRecord { by: gateway.login_used(), ..head };
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
        success.extend(self.forgotten(seen, &head));
        let unchanged = Compare::unchanged(&keys.head, seen.mod_revision);
        let compare = std::iter::once(unchanged).chain(condition).collect();
        self.commit(compare, success, &own_record, |found| found.id == head.id)
    }

    /// The texts that go from the history: those beyond the kept ones, except for the last two.
    fn forgotten(&self, seen: &Seen, head: &HeadRecord) -> Vec<KeyOperation> {
        let keys = &self.keys;
        let oldest = [Some(head), seen.head.as_ref()].into_iter().flatten().map(HeadRecord::oldest_text);
        let texts = oldest.fold(head.serial.saturating_sub(head.keep as u64), u64::min);
        let records = head.serial.saturating_sub(MIN_RECORDS).min(texts);
        let gone = [
            (texts > 1).then(|| keys.older_texts(texts)),
            (records > 1).then(|| keys.older_changes(records)),
        ];
        gone.into_iter().flatten().map(KeyOperation::Delete).collect()
    }
}
