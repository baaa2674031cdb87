//! What a node runs: a function of what it last saw, and of how long ago that was.
//!
//! Nothing has to be written for a node to be safe: one that hears nothing any more goes back by itself. No clock on a
//! wall decides anything; all times are by [`boot_time`](crate::store::boot_time::boot_time).

use std::time::Duration;

use crate::store::cluster::HeadRecord;

/// The configuration that a node runs, of the two that a change which is not confirmed yet leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// The one of the last change.
    Head,
    /// The one before it.
    Back(BackReason),
}

/// The reason why a node runs the configuration before the last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackReason {
    /// Other nodes take the change first.
    OthersFirst,
    /// It was not confirmed in time.
    RanOut,
    /// The node had no contact for longer than the permission to run the change lasted.
    CutOff,
}

/// The times that have passed for a node.
#[derive(Debug, Clone, Copy, Default)]
pub struct Contact {
    /// Since it first saw the last change.
    pub first_seen: Duration,
    /// Since the last read that succeeded was sent.
    pub read: Duration,
    /// The rest that the lease of `pending` had at that read.
    pub lease_left: Duration,
}

/// The configuration that the node `name` runs, where `head` was seen last, and `pending` with it.
pub fn runs(head: &HeadRecord, has_pending: bool, name: &str, contact: &Contact) -> Runs {
    let Some(change) = &head.unconfirmed else { return Runs::Head };
    let ttl = change.ttl_s.map_or(Duration::MAX, Duration::from_secs);
    let goes_first = change.canaries.is_empty() || change.canaries.iter().any(|first| first == name);
    match () {
        () if !has_pending || contact.first_seen >= ttl => Runs::Back(BackReason::RanOut),
        () if contact.read > contact.lease_left => Runs::Back(BackReason::CutOff),
        () if !goes_first => Runs::Back(BackReason::OthersFirst),
        () => Runs::Head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cluster::Unconfirmed;

    const SECOND: Duration = Duration::from_secs(1);
    const TTL: u64 = 4;

    fn head(canaries: &[&str], is_open: bool) -> HeadRecord {
        let unconfirmed = is_open.then(|| Unconfirmed {
            id: "c".to_owned(),
            deadline: 0,
            ttl_s: Some(TTL),
            canaries: canaries.iter().map(|name| (*name).to_owned()).collect(),
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
        assert_eq!(found.len(), 4, "each reason was brought about: {found:?}");
    }

    /// Two nodes that last read the same are never on different sides because of their clocks, but for the one that
    /// heard nothing: it is back, never ahead.
    #[test]
    fn a_node_that_hears_nothing_is_back_before_the_lease_can_have_ended_for_long() {
        for left in 0..9 {
            for silence in 0..20 {
                let contact =
                    Contact { first_seen: Duration::ZERO, read: SECOND * silence, lease_left: SECOND * left };
                let runs = runs(&head(&[], true), true, "a", &contact);
                assert_eq!(runs == Runs::Back(BackReason::CutOff), silence > left);
            }
        }
    }
}
