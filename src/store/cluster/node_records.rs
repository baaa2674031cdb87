//! The records of the nodes of a cluster.

use super::cluster_store::ClusterStore;
use super::messages::KeyRange;
use crate::store::error::StoreError;
use crate::store::node_record::NodeRecord;

impl ClusterStore {
    pub(super) fn node_records(&self) -> Result<Vec<NodeRecord>, StoreError> {
        let prefix = self.keys().nodes();
        let seen = self.seen_with(vec![KeyRange::below(&prefix)])?;
        let records = seen.others.iter().flatten().map(|found| {
            let key = String::from_utf8_lossy(&found.key).into_owned();
            let record: NodeRecord =
                serde_json::from_slice(&found.value).map_err(|_| self.damaged(format!("`{key}`")))?;
            Ok(NodeRecord { node: key.trim_start_matches(&prefix).to_owned(), ..record })
        });
        records.collect()
    }
}
