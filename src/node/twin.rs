//! Two processes that have the same node name.
//!
//! A node reads its own record with each look. Once it has put it, another one there is from another process
//! that is alive: not from one that was killed, whose record a node overwrites when it starts.

use std::time::Duration;

use super::member::Node;
use super::standing::Twin;
use crate::store::NodeRecord;
use crate::store::cluster::KeyValue;

/// The time after its last sign of life at which another process is taken to have ended. Each of them
/// looks every few seconds.
const GONE: Duration = Duration::from_secs(20);

impl Node {
    /// Notes the record of this node in the cluster. If this process did not put it, it is put again.
    pub(super) fn note_own_record(&self, found: Option<&KeyValue>) {
        let found = found.and_then(|found| serde_json::from_slice::<NodeRecord>(&found.value).ok());
        let is_own = found.as_ref().is_some_and(|found| found.instance == self.report.instance());
        let had_put = !is_own && self.report.last().record.take().is_some();
        let twin = found.filter(|_| had_put).map(|found| Twin::from_record(&found));
        let mut standing = self.standing();
        let Some(twin) = twin else {
            standing.twin.take_if(|twin| twin.seen.elapsed() > GONE);
            return;
        };
        let words = twin.words.clone();
        let known = standing.twin.replace(twin);
        drop(standing);
        if known.is_none_or(|known| known.words != words) {
            self.local.tell(&format!(
                "{words}, and the cluster shows one of them alone: end one, or give it another name"
            ));
        }
    }
}
