//! Two processes that have the same node name.
//!
//! A put of the record compares the revision that was read, and a node reads its own record with each look. Once it has
//! put it, another one there is from another process. A process that was killed may have had a request on its way: only
//! one that changes the record twice is there.

use std::time::Duration;

use crate::store::NodeRecord;

/// The time without a change of the record by another process after which this one is alone.
const ALONE: Duration = Duration::from_secs(30);

/// The number of changes by another process after which it is there for certain.
const CERTAIN: u32 = 2;

/// Another process that changed the record of this node.
#[derive(Debug)]
pub struct Twin {
    instance: String,
    /// The warning: which process it is, and where it runs.
    pub words: String,
    changes: u32,
    /// The time of the last change that was seen, since the start of the machine.
    seen: Duration,
}

impl Twin {
    /// Counts one more change of the record.
    pub fn after(before: Option<Self>, record: &NodeRecord, seen: Duration) -> Self {
        let NodeRecord { node, host, pid, instance, .. } = record;
        let before = before.filter(|before| before.instance == *instance).map_or(0, |before| before.changes);
        let words = format!("process {pid} on {host} has the node name {node}, too");
        Self { instance: instance.clone(), words, changes: before + 1, seen }
    }

    /// True if it is no late request of a process that has ended.
    pub fn is_certain(&self) -> bool {
        self.changes >= CERTAIN
    }

    /// The time from which this process is alone, unless the other one is seen again, since the start of the machine.
    pub fn gone_at(&self) -> Duration {
        self.seen + ALONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::NodeState;

    #[test]
    fn one_that_changes_the_record_twice_is_a_twin_until_it_is_silent() {
        let record = |instance: &str| NodeRecord {
            instance: instance.to_owned(),
            node: "a".to_owned(),
            ..NodeRecord::absent(NodeState::Running)
        };
        let second = Duration::from_secs(1);
        let once = Twin::after(None, &record("x"), second);
        assert!(!once.is_certain() && once.gone_at() == second * 31);
        let other = Twin::after(Some(once), &record("y"), second * 2);
        assert!(!other.is_certain(), "another one that may have ended, too");
        let twice = Twin::after(Some(other), &record("y"), second * 9);
        assert!(twice.is_certain() && twice.gone_at() == second * 39);
    }
}
