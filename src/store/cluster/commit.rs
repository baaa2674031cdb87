//! A change of the configuration in etcd: one transaction.

use super::cluster_store::{ClusterStore, Seen};
use super::compression::{CHUNK, GZIP, compress, sha256};
use super::head_record::{HeadRecord, Packed, TextRef};
use super::keys::StatePart;
use super::messages::{Compare, KeyOperation, KeyRange, Txn};
use super::overlay;
use crate::store::chance::fresh_id;
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use crate::store::version::Overlays;

/// The least number of records in the history: a writer finds its own after a broken connection.
pub const MIN_RECORDS: u64 = 20;

/// A state that is going to etcd.
pub struct PackedState {
    pub text: TextRef,
    /// The compressed bytes of each part that it has.
    parts: Vec<(StatePart, Vec<u8>)>,
}

/// The relation of the new head to the key `pending`.
pub enum PendingKey {
    /// It is put on this lease.
    Put { value: Vec<u8>, lease: i64 },
    /// There is none, or it is removed.
    Removed,
}

impl PackedState {
    /// Compresses the pieces of a text, and the overlays, which the change with this serial puts; `None` if they are too
    /// large.
    pub fn new(pieces: &[&[u8]], overlays: &Overlays, serial: u64) -> Option<Self> {
        let (text, bytes) = packed(pieces)?;
        let mut parts = vec![(StatePart::Text, bytes)];
        let overlays = match overlays.is_empty() {
            true => None,
            false => {
                let (packed, bytes) = packed(&[&overlay::to_json(overlays)])?;
                parts.push((StatePart::Overlays, bytes));
                Some(packed)
            }
        };
        let Packed { revision, codec, size, chunks, sha256 } = text;
        Some(Self {
            text: TextRef { serial, id: fresh_id(), revision, codec, size, chunks, sha256, overlays },
            parts,
        })
    }

    /// True if the chunks have to be put before the transaction.
    pub fn is_large(&self) -> bool {
        self.parts.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > CHUNK
    }
}

/// Compresses the pieces of a part of a state, and describes it; `None` if it is too large.
fn packed(pieces: &[&[u8]]) -> Option<(Packed, Vec<u8>)> {
    let bytes = compress(pieces)?;
    let packed = Packed {
        revision: Revision::of_pieces(pieces.iter().copied()),
        codec: GZIP.to_owned(),
        size: pieces.iter().map(|piece| piece.len() as u64).sum(),
        chunks: bytes.chunks(CHUNK).count(),
        sha256: sha256(pieces.iter().copied()),
    };
    Some((packed, bytes))
}

impl ClusterStore {
    /// Puts the chunks of a state that no head names yet.
    pub(super) fn put_chunks(&self, state: &PackedState) -> Result<(), StoreError> {
        for put in self.chunks(state) {
            let txn = Txn { success: vec![put], ..Txn::default() };
            self.gateway().txn(&txn).map_err(self.reading())?;
        }
        Ok(())
    }

    /// Removes the chunks of a state that no head ever named. If that fails, they go with the others of the
    /// same serial.
    pub(super) fn remove_chunks(&self, text: &TextRef) {
        let range = |part| KeyOperation::Delete(KeyRange::below(&self.keys().part(part, text)));
        let success = StatePart::ALL.into_iter().map(range).collect();
        let _ = self.gateway().txn(&Txn { success, ..Txn::default() });
    }

    fn chunks<'t>(&'t self, state: &'t PackedState) -> impl Iterator<Item = KeyOperation> + 't {
        state.parts.iter().flat_map(|(part, bytes)| {
            let chunks = bytes.chunks(CHUNK).enumerate();
            let key = |number| self.keys().chunk(*part, &state.text, number);
            chunks.map(move |(number, chunk)| KeyOperation::put(&key(number), chunk))
        })
    }

    /// Makes `head` the last change, if the seen one is that still. `state` is put with it. `condition` has
    /// to hold, too.
    ///
    /// # Errors
    /// `Overtaken`; `OutcomeUnknown`; `Unreachable`, `Refused`, `Remote`.
    pub(super) fn put_head(
        &self,
        seen: &Seen,
        head: &HeadRecord,
        state: Option<&PackedState>,
        pending: PendingKey,
        condition: Option<Compare>,
    ) -> Result<(), StoreError> {
        let keys = self.keys();
        let unchanged = Compare::unchanged(&keys.head, seen.mod_revision);
        let own_record = keys.change(head.serial);
        let mut success: Vec<KeyOperation> = state
            .filter(|state| !state.is_large())
            .into_iter()
            .flat_map(|state| self.chunks(state))
            .collect();
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
        let parts = StatePart::ALL.map(|part| (texts, keys.older_parts(part, texts)));
        parts
            .into_iter()
            .chain([(records, keys.older_changes(records))])
            .filter(|(first, _)| *first > 1)
            .map(|(_, range)| KeyOperation::Delete(range))
            .collect()
    }

    /// Makes a lease for `pending`.
    pub(super) fn lease(&self, seconds: u64) -> Result<i64, StoreError> {
        self.gateway().grant(seconds).map_err(self.reading())
    }
}
