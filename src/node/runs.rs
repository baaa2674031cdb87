//! What a node runs: a function of what it last saw, and of how long ago that was.
//!
//! Nothing has to be written for a node to be safe: one that hears nothing any more goes back by itself. No clock on a
//! wall decides anything; all times are by [`boot_time`](crate::store::clock::boot_time).

use std::time::Duration;

use crate::store::etcd::HeadRecord;

/// The configuration that a node runs, of the two that a change which is not confirmed yet leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// The one of the last change.
    Head,
    /// The one before it, as other nodes take the change first.
    Waits,
    /// The one before it: the change was not confirmed in time, or the node had no contact for longer than the permission
    /// to run it lasted.
    Back,
}

/// The times that have passed for a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Contact {
    /// Since it first saw the last change.
    pub first_seen: Duration,
    /// Since the last read that succeeded was sent.
    pub read: Duration,
    /// The rest that the lease of `pending` had at that read.
    pub lease_left: Duration,
}

/// The configuration that the node `name` runs, where `head` was seen last, and `pending` with it.
pub(super) fn runs(head: &HeadRecord, has_pending: bool, name: &str, contact: &Contact) -> Runs {
    let Some(change) = &head.unconfirmed else { return Runs::Head };
    let ttl = change.ttl_s.map_or(Duration::MAX, Duration::from_secs);
    let goes_first = change.canary.is_empty() || change.canary.iter().any(|first| first == name);
    match () {
        () if !has_pending || contact.first_seen >= ttl || contact.read > contact.lease_left => Runs::Back,
        () if !goes_first => Runs::Waits,
        () => Runs::Head,
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

    /// Each row of the table in `docs/cluster.md`, for all times up to twice the longest one.
    #[test]
    fn the_table_holds_for_all_times() {
        let mut found = std::collections::HashMap::new();
        let mut count = |runs: Runs| *found.entry(format!("{runs:?}")).or_insert(0) += 1;
        for canary in [&[][..], &["a"], &["b"]] {
            for (has_pending, is_open) in [(true, true), (false, true), (true, false), (false, false)] {
                for times in 0..9 * 9 * 9 {
                    let [first_seen, read, lease_left] =
                        [times % 9, times / 9 % 9, times / 81].map(|seconds| SECOND * seconds);
                    let contact = Contact { first_seen, read, lease_left };
                    let runs = runs(&head(canary, is_open), has_pending, "a", &contact);
                    let is_permitted = has_pending && first_seen < SECOND * 4 && read <= lease_left;
                    let goes_first = canary != ["b"];
                    assert_eq!(runs == Runs::Head, !is_open || (is_permitted && goes_first), "{contact:?}");
                    count(runs);
                }
            }
        }
        assert_eq!(found.len(), 3, "each was brought about: {found:?}");
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

        /// What the node runs; before it has read anything, it is the state before.
        fn runs(&self, canary: &[&str]) -> Runs {
            let Some(read) = self.node else { return Runs::Waits };
            let seconds = |from: u64, to: u64| Duration::from_secs(to.saturating_sub(from));
            let contact = Contact {
                first_seen: seconds(read.first_seen, self.now),
                read: seconds(read.at, self.now),
                lease_left: seconds(read.at, read.lease_end),
            };
            let has_pending = read.lease_end > read.at;
            runs(&head(canary, !read.is_confirmed), has_pending, "a", &contact)
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
            let (runs_it, Some(read)) = (self.runs(canary) == Runs::Head, self.node) else { return };
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
