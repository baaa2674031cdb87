//! Counts connections that were closed for lack of slots: a flood makes one log line a second for each
//! reason, not one for each connection.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::http::server::message::PeerAddress;

/// The time between the first counted connection and the log line.
const SPAN: Duration = Duration::from_secs(1);

/// Counts of the current second.
#[derive(Debug, Default)]
pub struct ClosedCount(Mutex<Vec<ReasonCount>>);

#[derive(Debug)]
struct ReasonCount {
    reason: &'static str,
    since: Instant,
    peer: Option<PeerAddress>,
    number: usize,
}

impl ClosedCount {
    /// Counts a closed connection.
    pub fn add(&self, reason: &'static str, peer: PeerAddress, now: Instant) {
        let mut counts = self.lock();
        match counts.iter_mut().find(|count| count.reason == reason) {
            Some(count) => {
                count.number += 1;
                count.peer = count.peer.filter(|known| *known == peer);
            }
            None => counts.push(ReasonCount { reason, since: now, peer: Some(peer), number: 1 }),
        }
    }

    /// The time of the next line.
    pub fn due(&self) -> Option<Instant> {
        self.lock().iter().map(|count| count.since + SPAN).min()
    }

    /// Takes the lines that are due.
    pub fn take_due(&self, now: Instant) -> Vec<String> {
        let mut counts = self.lock();
        counts.extract_if(.., |count| now >= count.since + SPAN).map(line).collect()
    }

    /// Takes all lines, when the server stops.
    pub fn take_all(&self) -> Vec<String> {
        self.lock().drain(..).map(line).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ReasonCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of connections, their peer if it was one, and the reason.
fn line(ReasonCount { reason, peer, number, .. }: ReasonCount) -> String {
    let connections = if number == 1 { "connection" } else { "connections" };
    let of = peer.map_or_else(String::new, |peer| format!(" of {peer}"));
    format!("{number} {connections}{of} closed: {reason}")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::ClosedCount;
    use crate::http::server::message::PeerAddress;

    #[test]
    fn a_second_makes_one_line_for_each_reason() {
        let (tally, start) = (ClosedCount::default(), Instant::now());
        let [one, other] = [1, 2].map(PeerAddress::Uid);
        for peer in [one, one, other] {
            tally.add("a", peer, start);
        }
        tally.add("b", one, start + Duration::from_millis(500));
        assert!(tally.take_due(start + Duration::from_millis(999)).is_empty());
        assert_eq!(tally.take_due(start + Duration::from_secs(1)), ["3 connections closed: a"]);
        assert_eq!(tally.due(), Some(start + Duration::from_millis(1500)));
        assert_eq!(tally.take_all(), ["1 connection of uid:1 closed: b"]);
        assert_eq!(tally.due(), None);
    }
}
