//! What a node runs: a function of what it last saw, and of how long ago that was.
//!
//! Nothing has to be written for a node to be safe: one that hears nothing any more goes back by itself. No clock on a
//! wall decides anything; all times are by [`boot_time`](crate::store::clock::boot_time).

use std::time::Duration;

use crate::store::etcd::HeadRecord;

/// The state of a cluster that a node read.
pub(super) struct LastSeen {
    pub head: HeadRecord,
    /// True if the change could still be confirmed.
    pub has_pending: bool,
    /// The time at which the request was sent.
    pub read: Duration,
    /// The rest of the lease of `pending` then.
    pub lease_left: Duration,
}

impl LastSeen {
    /// True if the node `name` runs the last change, which it saw first at `first_seen`, and not the text before.
    pub fn is_run_by(&self, name: &str, first_seen: Duration, now: Duration) -> bool {
        let Some(change) = &self.head.unconfirmed else { return true };
        let ttl = change.ttl_s.map_or(Duration::MAX, Duration::from_secs);
        let goes_first = change.canary.is_empty() || change.goes_first_on(name);
        let is_permitted = now < first_seen.saturating_add(ttl) && now <= self.read + self.lease_left;
        self.has_pending && goes_first && is_permitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::etcd::Unconfirmed;

    const SECOND: Duration = Duration::from_secs(1);
    const TTL: u64 = 4;

    fn head(canary: &[&str], is_open: bool) -> HeadRecord {
        let unconfirmed = is_open.then(|| Unconfirmed {
            id: "c".to_owned(),
            deadline: 0,
            ttl_s: Some(TTL),
            canary: canary.iter().map(|name| (*name).to_owned()).collect(),
            soak_s: None,
            back: None,
        });
        HeadRecord { unconfirmed, ..HeadRecord::example("e", 2, "h") }
    }

    /// For all times up to twice the longest one:
    ///
    /// | last change | `pending` | node | it runs |
    /// |---|---|---|---|
    /// | confirmed | any | any | the change |
    /// | not confirmed | there, and seen first less than its time ago | one of `--canary`, or there is none | the change |
    /// | not confirmed | there | not one of `--canary` | the text before |
    /// | not confirmed | gone, its time is over, or no contact for longer than its lease had left | any | the text before |
    #[test]
    fn the_table_holds_for_all_times() {
        for canary in [&[][..], &["a"], &["b"]] {
            for (has_pending, is_open) in [(true, true), (false, true), (true, false), (false, false)] {
                for times in 0..9 * 9 * 9 {
                    let [first_seen, read, lease_left] =
                        [times % 9, times / 9 % 9, times / 81].map(|seconds| SECOND * seconds);
                    let now = SECOND * 9;
                    let last =
                        LastSeen { head: head(canary, is_open), has_pending, read: now - read, lease_left };
                    let is_permitted = has_pending && first_seen < SECOND * 4 && read <= lease_left;
                    let expected = !is_open || (is_permitted && canary != ["b"]);
                    assert_eq!(last.is_run_by("a", now - first_seen, now), expected, "{times}");
                }
            }
        }
    }

    /// What a node read last, and when it first saw the change; times in seconds since the change was made.
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    struct Read {
        at: u64,
        first_seen: u64,
        is_confirmed: bool,
        /// The time at which the lease ended for all it was told; 0 where it was told that it had.
        lease_end: u64,
    }

    /// A change, and a node; other nodes have no part in what it runs.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct World {
        now: u64,
        is_confirmed: bool,
        /// A lease may last longer than it was asked for: etcd counts anew when it has another leader.
        lease_end: u64,
        node: Option<Read>,
    }

    impl World {
        fn has_pending(&self) -> bool {
            !self.is_confirmed && self.now < self.lease_end
        }

        /// True if the node runs the change; before it has read anything, it is the state before.
        fn is_run(&self, canary: &[&str]) -> bool {
            let Some(read) = self.node else { return false };
            let last = LastSeen {
                head: head(canary, !read.is_confirmed),
                has_pending: read.lease_end > read.at,
                read: Duration::from_secs(read.at),
                lease_left: Duration::from_secs(read.lease_end.saturating_sub(read.at)),
            };
            last.is_run_by("a", Duration::from_secs(read.first_seen), Duration::from_secs(self.now))
        }

        /// All worlds a second later: the node may read or not, somebody may confirm the change, and the lease may last longer.
        fn next(&self) -> impl Iterator<Item = Self> {
            (0..8).map(|choice| {
                let [reads, confirms, lasts] = [1, 2, 4].map(|bit| choice & bit != 0);
                let mut world = Self { now: self.now + 1, ..self.clone() };
                world.lease_end += u64::from(lasts);
                world.is_confirmed |= confirms && world.has_pending();
                if reads {
                    let first_seen = self.node.map_or(world.now, |read| read.first_seen);
                    let lease_end = if world.has_pending() { world.lease_end } else { 0 };
                    let (at, is_confirmed) = (world.now, world.is_confirmed);
                    world.node = Some(Read { at, first_seen, is_confirmed, lease_end });
                }
                world
            })
        }

        /// The promises to whoever made the change.
        fn check(&self, canary: &[&str]) {
            let (runs_it, Some(read)) = (self.is_run(canary), self.node) else { return };
            let goes_first = canary != ["b"];
            assert!(
                goes_first || !runs_it || self.is_confirmed,
                "one that waits has it before it is confirmed"
            );
            let is_permitted = self.now <= read.lease_end && self.now < read.first_seen + TTL;
            assert!(
                read.is_confirmed || !runs_it || is_permitted,
                "it outlives the permission that was seen"
            );
            if read.at == self.now {
                assert!(!read.is_confirmed || runs_it, "one that hears of the confirmation runs it");
                assert!(read.is_confirmed || self.has_pending() || !runs_it, "what is over goes back");
            }
        }
    }

    /// Every course of a change over all times up to three times its own: whether and when the node hears, whether it is
    /// confirmed, and how long its lease lasts.
    #[test]
    fn whatever_a_node_hears_and_when_the_promises_hold() {
        for canary in [&[][..], &["a"], &["b"]] {
            let first = World { now: 0, is_confirmed: false, lease_end: TTL, node: None };
            let (mut seen, mut open) = (std::collections::HashSet::from([first.clone()]), vec![first]);
            while let Some(world) = open.pop() {
                world.check(canary);
                let next = world.next().filter(|world| world.now <= 3 * TTL);
                open.extend(next.filter(|world| seen.insert(world.clone())));
            }
            assert!(seen.len() > 5_000, "{}", seen.len());
        }
    }
}
