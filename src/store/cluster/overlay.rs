//! What differs on one node, or on a group of nodes.

use serde_json::{Map, Value};

use super::cluster_store::ClusterStore;
use super::messages::{KeyOperation, KeyRange};
use crate::store::error::StoreError;

/// What differs on a node or a group: a patch (RFC 7396) of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// The name of the node, or of the group behind an `@`.
    pub name: String,
    pub patch: Map<String, Value>,
}

impl ClusterStore {
    /// Reads all overlays, in the order of their names.
    ///
    /// # Errors
    /// `Unreachable`, `Refused`, `Remote`.
    pub fn overlays(&self) -> Result<Vec<Overlay>, StoreError> {
        let prefix = self.keys().overlays();
        let found = self.gateway().range(KeyRange::below(&prefix)).map_err(self.reading())?;
        let overlay = |key: &[u8], value: &[u8]| {
            let key = String::from_utf8_lossy(key).into_owned();
            let patch = serde_json::from_slice(value).map_err(|_| self.damaged(format!("`{key}`")))?;
            Ok(Overlay { name: key.trim_start_matches(&prefix).to_owned(), patch })
        };
        found.iter().map(|found| overlay(&found.key, &found.value)).collect()
    }

    /// Changes an overlay; without a member, it is removed. Returns it as it is then.
    ///
    /// # Errors
    /// `Overtaken` if another writer was faster.
    pub fn change_overlay(
        &self,
        name: &str,
        change: impl FnOnce(&mut Map<String, Value>),
    ) -> Result<Map<String, Value>, StoreError> {
        let key = self.keys().overlay(name);
        let found = self.gateway().range(KeyRange::one(&key)).map_err(self.reading())?.pop();
        let mod_revision = found.as_ref().map_or(0, |found| found.mod_revision);
        let mut patch: Map<String, Value> = match &found {
            Some(found) => {
                serde_json::from_slice(&found.value).map_err(|_| self.damaged(format!("`{key}`")))?
            }
            None => Map::new(),
        };
        change(&mut patch);
        let value = serde_json::to_vec(&patch).expect("it has only strings and numbers");
        let put = match patch.is_empty() {
            true => KeyOperation::Delete(KeyRange::one(&key)),
            false => KeyOperation::put(&key, value.clone()),
        };
        self.put_if_unchanged(&key, mod_revision, put, |now| match now {
            Some(now) => now == value,
            None => patch.is_empty(),
        })?;
        Ok(patch)
    }
}
