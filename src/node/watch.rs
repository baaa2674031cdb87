//! Watching etcd: each change of a key that matters to a node wakes it up.
//!
//! A member that is stopped, or cut off from the node, keeps its watch and is silent. So a node watches at two members,
//! where there are several.

use std::thread;
use std::time::Duration;

use super::member::Node;
use crate::store::cluster::KeyRange;
use crate::store::jittered;

/// The length of a watch, so that one whose connection is dead is replaced.
const WATCH_TIME: Duration = Duration::from_secs(120);

/// The pause before the next watch.
const PAUSE: Duration = Duration::from_millis(500);

/// The time that the first watch has to wake the node up before the second one does.
const SECOND: Duration = Duration::from_millis(100);

impl Node {
    /// Watches until the node ends. Nothing is missed between two watches, because the start of a watch
    /// wakes the node up, too.
    pub(super) fn watch(&self) {
        self.watch_at(0, |_| {
            self.wake.ask();
        });
    }

    /// The same at another member, for the case that the first one is silent.
    pub(super) fn watch_elsewhere(&self) {
        if self.store.gateway().url().endpoints.len() == 1 {
            return;
        }
        self.watch_at(1, |change| {
            let Some(revision) = change else { return };
            thread::sleep(SECOND);
            if self.standing().revision < revision {
                self.wake.ask();
            }
        });
    }

    fn watch_at(&self, behind: usize, wake: impl Fn(Option<i64>)) {
        let keys = self.store.keys();
        let own = [&keys.head, &keys.pending].map(|key| KeyRange::one(key));
        let asked = KeyRange::one(&keys.retry(&self.settings.name.name));
        let ranges: Vec<KeyRange> = own.into_iter().chain([asked]).collect();
        let from_now = 0;
        loop {
            // While the node has no right to read, the looks find out when it has.
            if self.standing().denied.reading.is_none() {
                let watch = self.store.gateway().watch(&ranges, from_now, (behind, WATCH_TIME));
                if let Ok(mut watch) = watch {
                    while let Ok(change) = watch.next_change() {
                        wake(change);
                    }
                }
            }
            if !self.wake.sleep(jittered(PAUSE)) {
                return;
            }
        }
    }
}
