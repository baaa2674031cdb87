//! Texts that a node does not take, or not yet.

use std::time::Duration;

use crate::store::Revision;

/// The pause before something that failed is tried again; it doubles up to the longest one.
pub const RETRY: Duration = Duration::from_secs(5);

/// The longest pause before a text that the node did not take is tried again.
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

/// A text that a check or reload command refused, or that could not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotTaken {
    text: Revision,
    again: Backoff,
}

impl NotTaken {
    /// A text that was not taken now; `before` is what was not taken before.
    pub fn now(text: Revision, before: Option<Self>, now: Duration) -> Self {
        let before = before.filter(|before| before.text == text).map(|before| before.again);
        Self { text, again: Backoff::after(before, LONGEST_RETRY, now) }
    }

    /// True if this text is not tried now.
    pub fn holds(&self, text: Revision, now: Duration) -> bool {
        self.text == text && now < self.next()
    }

    /// The time at which it is tried again.
    pub fn next(&self) -> Duration {
        self.again.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_was_not_taken_is_tried_after_five_seconds_and_after_ever_longer_pauses() {
        let [a, b] = [b"a", b"b"].map(|text| Revision::from_text(text));
        let (mut now, mut last) = (SECOND * 100, None);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            let failed = NotTaken::now(a, last, now);
            let next = failed.next();
            assert!(failed.holds(a, next - SECOND) && !failed.holds(a, next) && !failed.holds(b, now));
            pauses.push((next - now).as_secs());
            (now, last) = (next, Some(failed));
        }
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
        let other = NotTaken::now(b, last, now);
        assert_eq!(other.next(), now + RETRY, "another text begins anew");
    }
}
