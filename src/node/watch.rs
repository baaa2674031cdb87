//! Watching etcd: each change of a key that matters to a node wakes it up.

use std::time::Duration;

use super::member::Node;
use crate::store::cluster::KeyRange;
use crate::store::jittered;

/// The length of a watch, so that one whose connection is dead is replaced.
const WATCH_TIME: Duration = Duration::from_secs(120);

/// The pause before the next watch.
const PAUSE: Duration = Duration::from_millis(500);

impl Node {
    /// Watches until the node ends. Nothing is missed between two watches, because the start of a watch
    /// wakes the node up, too.
    pub(super) fn watch(&self) {
        let keys = self.store.keys();
        let own = [&keys.head, &keys.pending].map(|key| KeyRange::one(key));
        let asked = KeyRange::one(&keys.retry(&self.settings.name));
        let ranges: Vec<KeyRange> = own.into_iter().chain([asked]).collect();
        loop {
            // While the node has no right to read, the looks find out when it has.
            if self.standing().denied.reading.is_none() {
                let watch = self.store.gateway().watch(&ranges, WATCH_TIME);
                if let Ok(mut watch) = watch {
                    while watch.goes_on() {
                        self.wake.ask();
                    }
                }
            }
            if !self.wake.sleep(jittered(PAUSE)) {
                return;
            }
        }
    }
}
