//! The states that owners applied: a gzipped JSON array of merge patches for each owner.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cluster_store::ClusterStore;
use super::compression::{GZIP, compress, decompress};
use super::messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn};
use crate::store::error::StoreError;
use crate::store::owner_name::OwnerName;

impl ClusterStore {
    /// Reads what each owner applied.
    pub(super) fn applied_by_owners(&self) -> Result<BTreeMap<OwnerName, Vec<Value>>, StoreError> {
        let prefix = self.keys().all_applied();
        let found = self.gateway().range(KeyRange::below(&prefix)).map_err(self.reading())?;
        let owner = |key: &[u8]| str::from_utf8(key).ok()?.strip_prefix(&prefix)?.parse().ok();
        let known = found.iter().filter_map(|found| Some((owner(&found.key)?, found)));
        known.map(|(owner, found)| Ok((owner, self.states(found)?))).collect()
    }

    /// Records what an owner applied, if the record is still `known`.
    ///
    /// # Errors
    /// `Overtaken` if it is not; `Unreachable`, `Refused`, `Remote`.
    pub(super) fn replace_applied(
        &self,
        owner: &OwnerName,
        known: &[Value],
        states: &[Value],
    ) -> Result<(), StoreError> {
        let key = self.keys().applied(owner);
        let found = self.one(&key)?;
        let now = found.as_ref().map_or(Ok(Vec::new()), |found| self.states(found))?;
        if now == states {
            return Ok(());
        }
        if now != known {
            return Err(self.overtaken());
        }
        let value = compress(&[&serde_json::to_vec(states).expect("it was JSON")]);
        let value = value.ok_or_else(|| self.too_large())?;
        let txn = Txn {
            compare: vec![Compare::unchanged(&key, found.map_or(0, |found| found.mod_revision))],
            success: vec![KeyOperation::put(&key, value.clone())],
            failure: vec![KeyOperation::Read(KeyRange::one(&key))],
        };
        let reply = self.gateway().txn(&txn).map_err(self.reading())?;
        let succeeded = reply.succeeded;
        // It was sent twice, and carried out the first time.
        let is_there = |found: KeyValue| found.value == value;
        match succeeded || reply.into_read().into_iter().flatten().next().is_some_and(is_there) {
            true => Ok(()),
            false => Err(self.overtaken()),
        }
    }

    fn states(&self, found: &KeyValue) -> Result<Vec<Value>, StoreError> {
        // The last word of what gzip writes is the size (RFC 1952).
        let size = found.value.last_chunk().map_or(0, |size| u32::from_le_bytes(*size));
        let states = decompress(GZIP, &found.value, size.into());
        states
            .and_then(|states| serde_json::from_slice(&states).ok())
            .ok_or_else(|| self.damaged(format!("`{}`", String::from_utf8_lossy(&found.key))))
    }
}
