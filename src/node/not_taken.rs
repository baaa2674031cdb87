//! Texts that a node does not take, or not yet.

use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

/// The pause before something that failed is tried again; it doubles up to the longest one.
pub const RETRY: Duration = Duration::from_secs(5);

/// The longest pause before a text whose reload failed is tried again.
pub const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);

/// The longest pause before the node tries again what etcd does not let it do. A login is costly for etcd.
pub const LONGEST_DENIAL: Duration = Duration::from_secs(60);

/// A time to try something again, since the start of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    pub until: Duration,
    pause: Duration,
}

impl Backoff {
    /// The time after a failure now; `before` is that after the failure before.
    pub fn after(before: Option<Self>, longest: Duration, now: Duration) -> Self {
        let pause = before.map_or(RETRY, |before| (before.pause * 2).min(longest));
        Self { until: now + pause, pause }
    }
}

/// A text that a node does not take, or not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotTaken {
    /// Stands for the text and the overlays.
    source: String,
    until: TriedAgain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TriedAgain {
    /// It was refused; it is tried only if somebody asks for it.
    Never,
    /// It failed.
    After(Backoff),
    /// The reloads of one change are spread over a time.
    InItsTurn(Duration),
}

impl NotTaken {
    /// A text that the check, or an overlay, stops.
    pub fn refused(source: String) -> Self {
        Self { source, until: TriedAgain::Never }
    }

    /// A text that could not be written or loaded; `before` is what was not taken before.
    pub fn failed(source: String, before: Option<Self>, now: Duration) -> Self {
        let before = before.filter(|before| before.source == source).and_then(|before| match before.until {
            TriedAgain::After(backoff) => Some(backoff),
            TriedAgain::Never | TriedAgain::InItsTurn(_) => None,
        });
        Self { source, until: TriedAgain::After(Backoff::after(before, LONGEST_RETRY, now)) }
    }

    /// A text that the node takes in its turn: each node of a cluster has another part of `splay`.
    pub fn in_its_turn(source: String, node: &str, splay: Duration, now: Duration) -> Self {
        // The upper 32 bits are the part.
        let part = xxh3_64(format!("{node} {source}").as_bytes()) >> 32;
        let turn = splay.mul_f64(part as f64 / f64::from(u32::MAX));
        Self { source, until: TriedAgain::InItsTurn(now + turn) }
    }

    pub fn is_of(&self, source: &str) -> bool {
        self.source == source
    }

    /// True if the text of this source is not tried now.
    pub fn holds(&self, source: &str, now: Duration) -> bool {
        self.source == source && self.next().is_none_or(|at| now < at)
    }

    /// The time at which it is tried again.
    pub fn next(&self) -> Option<Duration> {
        match self.until {
            TriedAgain::Never => None,
            TriedAgain::After(backoff) => Some(backoff.until),
            TriedAgain::InItsTurn(at) => Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_failed_is_tried_after_five_seconds_and_after_ever_longer_pauses() {
        let (mut now, mut last) = (SECOND * 100, None);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            let failed = NotTaken::failed("a".to_owned(), last, now);
            let next = failed.next().expect("it is tried again");
            assert!(failed.holds("a", next - SECOND) && !failed.holds("a", next) && !failed.holds("b", now));
            pauses.push((next - now).as_secs());
            (now, last) = (next, Some(failed));
        }
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
        let other = NotTaken::failed("b".to_owned(), last, now);
        assert_eq!(other.next(), Some(now + RETRY), "another text begins anew");
        let refused = NotTaken::refused("b".to_owned());
        assert!(refused.holds("b", now * 1000) && refused.next().is_none());
    }

    #[test]
    fn the_turns_of_many_nodes_are_spread_over_the_time() {
        let turn = |node: usize, source: &str| {
            let waits =
                NotTaken::in_its_turn(source.to_owned(), &format!("edge{node}"), SECOND * 100, SECOND);
            waits.next().expect("it has a turn") - SECOND
        };
        let mut tenths = [0; 10];
        for node in 0..1000 {
            let at = turn(node, "a");
            assert!(at <= SECOND * 100);
            tenths[usize::try_from(at.as_secs() / 10).expect("it is small").min(9)] += 1;
        }
        assert!(tenths.iter().all(|nodes| (60..150).contains(nodes)), "{tenths:?}");
        assert_ne!(turn(7, "a"), turn(7, "b"), "no node is always the first");
        assert_eq!(turn(7, "a"), turn(7, "a"), "a node that looks again has the same turn");
        let waits = NotTaken::in_its_turn("a".to_owned(), "edge7", SECOND * 100, SECOND);
        let failed = NotTaken::failed("a".to_owned(), Some(waits), SECOND);
        assert_eq!(failed.next(), Some(SECOND + RETRY), "waiting is no failure");
    }
}
