//! Limits the log lines per second for each address that is not let in. Further lines are counted, and
//! the count is one line at the end of the second. Pure: the time is passed in.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::{Duration, Instant};

use crate::http::server::network::Network;

/// The lines a second for one address (IPv6: one /64).
pub const LINES: u64 = 10;

/// The number of addresses with lines of their own in a second; others are counted together.
pub const ADDRESSES: usize = 64;

/// The period of counting.
pub const PERIOD: Duration = Duration::from_secs(1);

/// The source of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogSource {
    /// A network, over TCP.
    Network(Network),
    /// A user of the Unix socket.
    Uid(u32),
    /// All further addresses beyond [`ADDRESSES`].
    Others,
}

impl fmt::Display for LogSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(network) => network.fmt(f),
            Self::Uid(uid) => write!(f, "uid:{uid}"),
            Self::Others => f.write_str("other addresses"),
        }
    }
}

/// The lines of one source that were counted in a second, by status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedLines {
    pub source: LogSource,
    /// The number of lines that were not written, by status.
    pub statuses: BTreeMap<u16, u64>,
}

impl RepeatedLines {
    /// The number of lines that were not written.
    pub fn more(&self) -> u64 {
        self.statuses.values().sum()
    }
}

/// The decision whether a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFate {
    /// It is written.
    Written,
    /// It is counted; it is the first of its second if nothing was counted before it.
    Counted {
        /// True if the caller has to call [`Repeats::ended`] when the second is over.
        first: bool,
    },
}

/// The lines of the current second.
#[derive(Debug, Default)]
pub struct Repeats {
    since: Option<Instant>,
    sources: HashMap<LogSource, LineCounts>,
}

#[derive(Debug, Default)]
struct LineCounts {
    written: u64,
    counted: BTreeMap<u16, u64>,
}

impl Repeats {
    /// Returns what to do with a line. Call [`Self::ended`] before it.
    pub fn add(&mut self, source: LogSource, status: u16, now: Instant) -> LineFate {
        self.since.get_or_insert(now);
        let has_room = self.sources.contains_key(&source) || self.sources.len() < ADDRESSES;
        let source = if has_room { source } else { LogSource::Others };
        let first = self.sources.values().all(|lines| lines.counted.is_empty());
        let lines = self.sources.entry(source).or_default();
        if source != LogSource::Others && lines.written < LINES {
            lines.written += 1;
            return LineFate::Written;
        }
        *lines.counted.entry(status).or_default() += 1;
        LineFate::Counted { first }
    }

    /// The counts of the second that is over; empty until then.
    pub fn ended(&mut self, now: Instant) -> Vec<RepeatedLines> {
        match self.since {
            Some(since) if now.saturating_duration_since(since) >= PERIOD => self.take(),
            _ => Vec::new(),
        }
    }

    /// The counts until now, the highest first.
    pub fn take(&mut self) -> Vec<RepeatedLines> {
        self.since = None;
        let counted = self.sources.drain().filter(|(_, lines)| !lines.counted.is_empty());
        let mut counted: Vec<RepeatedLines> =
            counted.map(|(source, lines)| RepeatedLines { source, statuses: lines.counted }).collect();
        counted.sort_by_key(|repeated| std::cmp::Reverse(repeated.more()));
        counted
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a clock that the test moves has to begin somewhere")]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(number: u32) -> LogSource {
        LogSource::Network(Network::from_address(Ipv4Addr::from(0x0a00_0000 + number).into()))
    }

    #[test]
    fn repeats_of_one_address_are_counted_a_second() {
        let (mut repeats, start) = (Repeats::default(), Instant::now());
        let mut add = |status| repeats.add(address(1), status, start);
        assert!((0..LINES).all(|_| add(401) == LineFate::Written));
        assert_eq!(add(429), LineFate::Counted { first: true });
        assert!((0..4310).all(|_| add(429) == LineFate::Counted { first: false }));
        add(503);
        assert_eq!(repeats.add(address(2), 401, start), LineFate::Written, "others are not concerned");
        assert_eq!(repeats.ended(start + PERIOD / 2), []);
        let ended = repeats.ended(start + PERIOD);
        assert_eq!(ended, [RepeatedLines { source: address(1), statuses: [(429, 4311), (503, 1)].into() }]);
        assert_eq!(ended[0].more(), 4312);
        assert_eq!(repeats.add(address(1), 401, start + PERIOD), LineFate::Written, "a new second begins");
        assert_eq!(repeats.ended(start + PERIOD * 3), []);
    }

    #[test]
    fn many_addresses_are_counted_together() {
        let (mut repeats, start) = (Repeats::default(), Instant::now());
        let written =
            (0..5000).filter(|number| repeats.add(address(*number), 401, start) == LineFate::Written);
        assert_eq!(written.count(), ADDRESSES);
        assert!(repeats.sources.len() <= ADDRESSES + 1);
        let counted = 5000 - ADDRESSES as u64;
        assert_eq!(
            repeats.ended(start + PERIOD),
            [RepeatedLines { source: LogSource::Others, statuses: [(401, counted)].into() }]
        );
    }
}
