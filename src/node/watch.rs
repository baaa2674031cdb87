//! Watching etcd: each change of a key that matters to a node wakes it up.

use std::time::Duration;

use super::member::Node;
use crate::engine::Pulse;
use crate::store::cluster::KeyRange;
use crate::store::jittered;

/// The length of a watch, so that one whose connection is dead is replaced.
const WATCH_TIME: Duration = Duration::from_secs(120);

/// The pause before the next watch.
const PAUSE: Duration = Duration::from_millis(500);

impl Node {
    /// Watches until the node ends. Nothing is missed between two watches, because the start of a watch
    /// wakes the node up, too.
    pub(super) fn watch(&self, pulse: &Pulse) {
        let keys = self.store.keys();
        let own = [&keys.head, &keys.pending].map(|key| KeyRange::one(key));
        let ranges: Vec<KeyRange> = own.into_iter().chain(self.settings.name.ranges(keys)).collect();
        let from_now = 0;
        loop {
            pulse.turn();
            let watch = self.store.gateway().watch(&ranges, from_now, WATCH_TIME);
            pulse.rest();
            if let Ok(mut watch) = watch {
                while watch.next_keys().is_ok() {
                    self.wake.ask();
                }
            }
            if !self.wake.sleep(jittered(PAUSE)) {
                return;
            }
        }
    }
}
