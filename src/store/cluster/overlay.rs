//! The overlays: values of one node, or of a group of nodes.

use serde_json::{Map, Value};

use super::cluster_store::ClusterStore;
use super::messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn};
use crate::store::error::StoreError;

/// The values of a node or a group: a patch (RFC 7396) of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// The name of the node, or of the group behind an `@`.
    pub name: String,
    pub patch: Map<String, Value>,
    /// The revision of etcd at which it was written last; 0 where there is none.
    pub mod_revision: i64,
}

impl ClusterStore {
    /// Reads all overlays, in the order of their names.
    ///
    /// # Errors
    /// `Unreachable`, `Refused`, `Remote`.
    pub fn overlays(&self) -> Result<Vec<Overlay>, StoreError> {
        let found = self.gateway().range(KeyRange::below(&self.keys().overlays())).map_err(self.reading())?;
        found.iter().map(|found| self.as_overlay(found)).collect()
    }

    /// Reads an overlay; without values where there is none.
    ///
    /// # Errors
    /// `Unreachable`, `Refused`, `Remote`.
    pub fn overlay(&self, name: &str) -> Result<Overlay, StoreError> {
        let range = KeyRange::one(&self.keys().overlay(name));
        match self.gateway().range(range).map_err(self.reading())?.first() {
            Some(found) => self.as_overlay(found),
            None => Ok(Overlay { name: name.to_owned(), patch: Map::new(), mod_revision: 0 }),
        }
    }

    fn as_overlay(&self, found: &KeyValue) -> Result<Overlay, StoreError> {
        let key = String::from_utf8_lossy(&found.key).into_owned();
        let patch = serde_json::from_slice(&found.value).map_err(|_| self.damaged(format!("`{key}`")))?;
        let name = key.trim_start_matches(&self.keys().overlays()).to_owned();
        Ok(Overlay { name, patch, mod_revision: found.mod_revision })
    }

    /// Puts an overlay, if it was not changed since it was read. One without values is removed.
    ///
    /// # Errors
    /// `Overtaken`; `OutcomeUnknown`; `Unreachable`, `Refused`, `Remote`.
    pub fn put_overlay(&self, overlay: &Overlay) -> Result<(), StoreError> {
        let key = self.keys().overlay(&overlay.name);
        let value = serde_json::to_vec(&overlay.patch).expect("it has only strings and numbers");
        let put = match overlay.patch.is_empty() {
            true => KeyOperation::Delete(KeyRange::one(&key)),
            false => KeyOperation::put(&key, value.clone()),
        };
        let txn = Txn {
            compare: vec![Compare::unchanged(&key, overlay.mod_revision)],
            success: vec![put],
            failure: vec![KeyOperation::Read(KeyRange::one(&key))],
        };
        let reply = self.gateway().txn(&txn).map_err(self.changing())?;
        let succeeded = reply.succeeded;
        let found = reply.into_read().into_iter().flatten().next();
        // What was to be put is there: it was sent twice, or another one put the same.
        let is_there = found.map_or(overlay.patch.is_empty(), |found| found.value == value);
        if succeeded || is_there { Ok(()) } else { Err(self.overtaken()) }
    }
}
