//! Batches: a change goes to some servers after the others, and stops where too many of them fail.

use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::interrupt::HeldSignals;

/// The longest time for which a signal is not looked for.
const LOOK: Duration = Duration::from_millis(100);

/// A number of servers, or a share of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerCount {
    Count(usize),
    /// From 0 to 100.
    Percent(usize),
}

impl FromStr for ServerCount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = "it is a number of servers, such as `3`, or a share of them, such as `10%`";
        match text.strip_suffix('%') {
            Some(share) => match share.parse() {
                Ok(share @ 0..=100) => Ok(Self::Percent(share)),
                _ => Err(bad),
            },
            None => text.parse().map(Self::Count).map_err(|_| bad),
        }
    }
}

/// Parses the size of a batch, which is not empty.
pub fn batch_size(text: &str) -> Result<ServerCount, &'static str> {
    match text.parse()? {
        ServerCount::Count(0) | ServerCount::Percent(0) => Err("a batch has one server at least"),
        size => Ok(size),
    }
}

impl ServerCount {
    /// At most this many of `all` servers.
    pub fn most(self, all: usize) -> usize {
        match self {
            Self::Count(count) => count,
            Self::Percent(share) => all * share / 100,
        }
    }

    /// The size of a batch of `all` servers: a share is rounded up.
    fn size(self, all: usize) -> usize {
        match self {
            Self::Count(count) => count,
            Self::Percent(share) => (all * share).div_ceil(100),
        }
    }
}

/// The batches of some servers, in their order. The last size holds for all further batches; without one, all servers
/// are one batch.
pub fn batches<'s, T>(mut servers: &'s [T], sizes: &[ServerCount]) -> Vec<&'s [T]> {
    let all = servers.len();
    let mut found = Vec::new();
    while !servers.is_empty() {
        let size = sizes.get(found.len()).or(sizes.last()).map_or(all, |size| size.size(all));
        let (batch, rest) = servers.split_at(size.min(servers.len()));
        found.push(batch);
        servers = rest;
    }
    found
}

/// Does `work` on one batch after the other, and `between` in between, as long as both say that it goes on.
pub fn in_batches<T>(
    servers: &[T],
    sizes: &[ServerCount],
    between: impl Fn() -> bool,
    mut work: impl FnMut(&[T]) -> bool,
) {
    for (number, batch) in batches(servers, sizes).into_iter().enumerate() {
        if number > 0 && !between() || !work(batch) {
            return;
        }
    }
}

/// Says that a change was not tried on all servers, because it failed on too many.
pub fn why_stopped(failed: usize, all: usize, left: usize) -> String {
    format!("it failed on {failed} of {all} servers, so {left} were not tried")
}

/// Waits between two batches; false if a signal came.
pub fn pause(time: Duration, held: &HeldSignals) -> bool {
    let begin = Instant::now();
    while held.received().is_none() {
        let left = time.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(LOOK));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_the_given_sizes_and_the_last_one_repeats() {
        for (all, sizes, expected) in [
            (40, "1,10%,100%", &[1, 4, 35][..]),
            (9, "1,10%,100%", &[1, 1, 7]),
            (10, "4", &[4, 4, 2]),
            (3, "1,2,9", &[1, 2]),
            (5, "1%", &[1, 1, 1, 1, 1]),
            (5, "100%", &[5]),
            (7, "", &[7]),
            (0, "1", &[]),
        ] {
            let sizes: Vec<ServerCount> = sizes
                .split(',')
                .filter(|size| !size.is_empty())
                .map(|size| batch_size(size).expect(size))
                .collect();
            let servers: Vec<usize> = (0..all).collect();
            let found = batches(&servers, &sizes);
            assert_eq!(found.iter().map(|batch| batch.len()).collect::<Vec<_>>(), expected);
            assert_eq!(found.concat(), servers);
        }
    }

    #[test]
    fn a_count_is_a_number_or_a_share() {
        for (text, of_nine) in [("0", 0), ("3", 3), ("10%", 0), ("12%", 1), ("100%", 9)] {
            assert_eq!(text.parse::<ServerCount>().expect(text).most(9), of_nine);
        }
        for text in ["", "%", "-1", "101%", "1.5", "a", "10 %"] {
            assert!(text.parse::<ServerCount>().is_err(), "{text}");
        }
        assert!(["0", "00", "0%"].iter().all(|size| batch_size(size).is_err()));
    }
}
