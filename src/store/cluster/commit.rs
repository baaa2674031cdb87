//! A change of the configuration in etcd: one transaction.

use super::cluster_store::{ClusterStore, Seen};
use super::compression::{CHUNK, GZIP, compress, sha256};
use super::head_record::{HeadRecord, TextRef};
use super::messages::{Compare, KeyOperation, KeyRange, Txn};
use crate::store::chance::fresh_id;
use crate::store::error::StoreError;
use crate::store::revision::Revision;

/// The least number of records in the history: a writer finds its own after a broken connection.
pub const MIN_RECORDS: u64 = 20;

/// A text that is going to etcd.
pub struct PackedText {
    pub text: TextRef,
    /// The text, compressed.
    bytes: Vec<u8>,
}

/// The relation of the new head to the key `pending`.
pub enum PendingKey {
    /// It is put on this lease.
    Put { value: Vec<u8>, lease: i64 },
    /// There is none, or it is removed.
    Removed,
}

impl PackedText {
    /// Compresses the pieces of a text, which the change with this serial puts; `None` if it is too large.
    pub fn new(pieces: &[&[u8]], serial: u64) -> Option<Self> {
        let bytes = compress(pieces)?;
        let text = TextRef {
            serial,
            id: fresh_id(),
            revision: Revision::of_pieces(pieces.iter().copied()),
            codec: GZIP.to_owned(),
            size: pieces.iter().map(|piece| piece.len() as u64).sum(),
            chunks: bytes.chunks(CHUNK).count(),
            sha256: sha256(pieces.iter().copied()),
            has_overlays: false,
        };
        Some(Self { text, bytes })
    }

    /// True if the chunks have to be put before the transaction.
    pub fn is_large(&self) -> bool {
        self.bytes.len() > CHUNK
    }
}

impl ClusterStore {
    /// Puts the chunks of a text that no head names yet.
    pub(super) fn put_chunks(&self, packed: &PackedText) -> Result<(), StoreError> {
        for put in self.chunks(packed) {
            let txn = Txn { success: vec![put], ..Txn::default() };
            self.gateway().txn(&txn).map_err(self.reading())?;
        }
        Ok(())
    }

    /// Removes the chunks of a text that no head ever named. If that fails, they go with the others of the
    /// same serial.
    pub(super) fn remove_chunks(&self, text: &TextRef) {
        let success = vec![KeyOperation::Delete(KeyRange::below(&self.keys().text(text)))];
        let _ = self.gateway().txn(&Txn { success, ..Txn::default() });
    }

    fn chunks<'t>(&'t self, packed: &'t PackedText) -> impl Iterator<Item = KeyOperation> + 't {
        let key = |number| self.keys().chunk(&packed.text, number);
        let chunks = packed.bytes.chunks(CHUNK).enumerate();
        chunks.map(move |(number, chunk)| KeyOperation::put(&key(number), chunk))
    }

    /// Makes `head` the last change, if the seen one is that still. A text is put with it. `condition` has
    /// to hold, too.
    ///
    /// # Errors
    /// `Overtaken`; `OutcomeUnknown`; `Unreachable`, `Refused`, `Remote`.
    pub(super) fn put_head(
        &self,
        seen: &Seen,
        head: &HeadRecord,
        text: Option<&PackedText>,
        pending: PendingKey,
        condition: Option<Compare>,
    ) -> Result<(), StoreError> {
        let keys = self.keys();
        let unchanged = Compare::unchanged(&keys.head, seen.mod_revision);
        let own_record = keys.change(head.serial);
        let small = text.filter(|text| !text.is_large());
        let mut success: Vec<KeyOperation> = small.into_iter().flat_map(|text| self.chunks(text)).collect();
        success.push(KeyOperation::put(&keys.head, head.to_json()));
        success.push(KeyOperation::put(&own_record, head.confirmed().to_json()));
        success.push(match pending {
            PendingKey::Put { value, lease } => KeyOperation::put_leased(&keys.pending, value, lease),
            PendingKey::Removed => KeyOperation::Delete(KeyRange::one(&keys.pending)),
        });
        success.extend(self.forgotten(seen, head));
        let txn = Txn {
            compare: std::iter::once(unchanged).chain(condition).collect(),
            success,
            failure: vec![KeyOperation::Read(KeyRange::one(&own_record))],
        };
        let reply = self.gateway().txn(&txn).map_err(self.changing())?;
        if reply.succeeded {
            return Ok(());
        }
        // It was sent twice, and carried out the first time.
        let found = reply.into_read().into_iter().flatten().next();
        let is_own =
            found.map(|found| self.record(&found)).transpose()?.is_some_and(|found| found.id == head.id);
        if is_own { Ok(()) } else { Err(self.overtaken()) }
    }

    /// The texts that go from the history: those beyond the kept ones, except for the last two.
    fn forgotten(&self, seen: &Seen, head: &HeadRecord) -> Vec<KeyOperation> {
        let keys = self.keys();
        let oldest = [Some(head), seen.head.as_ref()].into_iter().flatten().map(HeadRecord::oldest_text);
        let beyond = head.serial.saturating_sub(head.keep as u64);
        let texts = oldest.fold(beyond, u64::min);
        let records = head.serial.saturating_sub(MIN_RECORDS).min(texts);
        let older = [(texts, keys.older_texts(texts)), (records, keys.older_changes(records))];
        let older = older.into_iter().filter(|(first, _)| *first > 1).map(|(_, range)| range);
        // Format 2 kept overlays, and nothing reads them any more.
        let is_other_format = seen.head.as_ref().is_some_and(|seen| seen.format < head.format);
        older.chain(is_other_format.then(|| keys.overlays())).map(KeyOperation::Delete).collect()
    }

    /// Makes a lease for `pending`.
    pub(super) fn lease(&self, seconds: u64) -> Result<i64, StoreError> {
        self.gateway().grant(seconds).map_err(self.reading())
    }
}
