//! The overlays: what differs on single nodes, or on groups of nodes. They belong to a state as its text does.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::cluster_store::ClusterStore;
use super::head_record::TextRef;
use super::keys::StatePart;
use super::messages::KeyValue;
use crate::store::error::StoreError;
use crate::store::version::Overlays;

impl ClusterStore {
    /// Reads the overlays of a state; `None` if they were removed from the history.
    ///
    /// # Errors
    /// `Unreachable`, `Refused`, `Remote`, `Damaged`.
    pub fn overlays_of(&self, text: &TextRef) -> Result<Option<Overlays>, StoreError> {
        self.overlays_with(text, None)
    }

    /// The same, with a chunk that was read already, which may be their first one.
    pub(super) fn overlays_with(
        &self,
        text: &TextRef,
        read: Option<KeyValue>,
    ) -> Result<Option<Overlays>, StoreError> {
        let Some(packed) = &text.overlays else { return Ok(Some(Overlays::default())) };
        if let Some((last, overlays)) = &*self.last_overlays()
            && last == packed
        {
            return Ok(Some(overlays.clone()));
        }
        let Some(bytes) = self.unpacked(StatePart::Overlays, text, read)? else { return Ok(None) };
        let parsed: Result<BTreeMap<String, Map<String, Value>>, _> = serde_json::from_slice(&bytes);
        let key = self.keys().part(StatePart::Overlays, text);
        let parsed = parsed.map_err(|error| {
            self.damaged(format!("{} in `{key}` ({error})", StatePart::Overlays.in_words()))
        })?;
        let overlays: Overlays =
            parsed.into_iter().map(|(name, patch)| (name, Value::Object(patch))).collect();
        *self.last_overlays() = Some((packed.clone(), overlays.clone()));
        Ok(Some(overlays))
    }
}

/// Overlays as they stand in etcd: one JSON object with the patch of each name.
pub(super) fn to_json(overlays: &Overlays) -> Vec<u8> {
    let members: BTreeMap<&str, &Value> =
        overlays.iter().map(|(name, patch)| (name.as_str(), patch)).collect();
    serde_json::to_vec(&members).expect("it was JSON")
}
