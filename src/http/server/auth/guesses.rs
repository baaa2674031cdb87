//! Counts wrong credentials by address. Pure: the time is passed in.
//!
//! A wrong value counts for a minute. An address that has reached the limit is locked out: one value in two seconds is
//! looked at, right or wrong, so that whoever knows the password gets in. A value that was right passes for an hour.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::http::server::message::counted_address;

/// The number of different wrong values that one address (IPv6: one /64) may send.
pub const MAX_FAILURES: usize = 10;

/// The time for which a wrong value counts.
pub const FAILURE_LIFE: Duration = Duration::from_secs(60);

/// The time for which a right value passes, however many wrong ones there are.
pub const SUCCESS_LIFE: Duration = Duration::from_secs(60 * 60);

/// The number of remembered addresses.
pub const MAX_ADDRESSES: usize = 4096;

/// The number of remembered right values of one address.
const MAX_SUCCESSES: usize = 8;

/// The time in which one value of a locked-out address is looked at.
pub const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// What came from each address.
#[derive(Debug, Default)]
pub struct Guesses {
    addresses: HashMap<IpAddr, SentValues>,
    /// The number of times that an address was locked out.
    lock_outs: u64,
}

/// The values from an address, as hashes, with the time of each.
#[derive(Debug, Default)]
struct SentValues {
    wrong: Vec<(u64, Instant)>,
    right: Vec<(u64, Instant)>,
    /// The last value that was looked at while the address was locked out.
    looked_at: Option<(u64, Instant)>,
}

impl SentValues {
    fn forget_old(&mut self, now: Instant) {
        self.wrong.retain(|(_, at)| now < *at + FAILURE_LIFE);
        self.right.retain(|(_, at)| now < *at + SUCCESS_LIFE);
    }

    fn is_locked(&self, now: Instant) -> bool {
        self.wrong.iter().filter(|(_, at)| now < *at + FAILURE_LIFE).count() >= MAX_FAILURES
    }

    /// The later, the longer it is remembered. Only who knows the password has a right value, so strangers push nobody
    /// out who has one, nor any lock.
    fn worth(&self, now: Instant) -> (bool, bool, Option<Instant>) {
        let last = self.wrong.iter().chain(&self.right).map(|(_, at)| *at).max();
        (!self.right.is_empty(), self.is_locked(now), last)
    }
}

impl Guesses {
    /// Looks at a value from this address; if that has to wait, returns how long. A request is looked at when its head is
    /// there, and when it is answered: the same value is the same look.
    pub fn look(&mut self, from: IpAddr, value: u64, now: Instant) -> Option<Duration> {
        let values = self.addresses.get_mut(&counted_address(from))?;
        values.forget_old(now);
        if values.right.iter().any(|(right, _)| *right == value) || !values.is_locked(now) {
            return None;
        }
        let waiting = values.looked_at.filter(|(_, at)| now < *at + LOOK_INTERVAL);
        match waiting {
            Some((looked_at, _)) if looked_at == value => None,
            Some((_, at)) => Some(at + LOOK_INTERVAL - now),
            None => {
                values.looked_at = Some((value, now));
                None
            }
        }
    }

    /// Counts a wrong value.
    pub fn failed(&mut self, from: IpAddr, value: u64, now: Instant) {
        let values = self.values_of(from, now);
        let was_locked = values.is_locked(now);
        put(&mut values.wrong, value, MAX_FAILURES, now);
        if values.is_locked(now) && !was_locked {
            values.looked_at = Some((value, now));
            self.lock_outs += 1;
        }
    }

    /// Remembers a right value.
    pub fn succeeded(&mut self, from: IpAddr, value: u64, now: Instant) {
        put(&mut self.values_of(from, now).right, value, MAX_SUCCESSES, now);
    }

    /// Returns how often an address was locked out, and how many are locked out now.
    pub fn lock_outs(&self, now: Instant) -> (u64, usize) {
        (self.lock_outs, self.addresses.values().filter(|values| values.is_locked(now)).count())
    }

    /// The values of an address; where there is no room for another one, that of the least worth goes.
    fn values_of(&mut self, from: IpAddr, now: Instant) -> &mut SentValues {
        let from = counted_address(from);
        if !self.addresses.contains_key(&from) && self.addresses.len() >= MAX_ADDRESSES {
            self.addresses.values_mut().for_each(|values| values.forget_old(now));
            let least = self.addresses.iter().min_by_key(|(_, values)| values.worth(now));
            if let Some(least) = least.map(|(address, _)| *address) {
                self.addresses.remove(&least);
            }
        }
        let values = self.addresses.entry(from).or_default();
        values.forget_old(now);
        values
    }
}

/// Adds a value once; removes the oldest one if there are `most` already.
fn put(values: &mut Vec<(u64, Instant)>, value: u64, most: usize, now: Instant) {
    values.retain(|(known, _)| *known != value);
    if values.len() == most {
        values.remove(0);
    }
    values.push((value, now));
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn address(text: &str) -> IpAddr {
        text.parse().expect("it is an address")
    }

    fn locked_out(guesses: &mut Guesses, from: IpAddr, now: Instant) {
        (0..MAX_FAILURES as u64).for_each(|value| guesses.failed(from, value, now));
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a clock that the test moves has to begin somewhere")]
    fn one_value_in_two_seconds_is_looked_at_and_a_right_one_passes() {
        let (mut guesses, start, from) = (Guesses::default(), Instant::now(), address("192.0.2.1"));
        guesses.succeeded(from, 99, start);
        (0..MAX_FAILURES as u64 - 1).for_each(|value| guesses.failed(from, value, start));
        (0..30).for_each(|_| guesses.failed(from, 3, start));
        assert_eq!(guesses.look(from, 50, start), None, "the same value counts once");
        guesses.failed(from, 50, start);
        assert_eq!(guesses.lock_outs(start), (1, 1));
        assert_eq!(guesses.look(from, 51, start + SECOND), Some(SECOND));
        assert_eq!(guesses.look(from, 99, start + SECOND), None, "it was right");
        assert_eq!(guesses.look(from, 51, start + 2 * SECOND), None);
        assert_eq!(guesses.look(from, 51, start + 3 * SECOND), None, "it is the same request");
        assert_eq!(guesses.look(from, 52, start + 3 * SECOND), Some(SECOND));
        assert_eq!(guesses.look(address("192.0.2.2"), 52, start), None, "others are not concerned");
        let later = start + FAILURE_LIFE;
        assert_eq!((guesses.look(from, 53, later), guesses.look(from, 54, later)), (None, None));
        assert_eq!(guesses.lock_outs(later), (1, 0));
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a clock that the test moves has to begin somewhere")]
    fn strangers_push_no_right_value_and_no_lock_out() {
        let (mut guesses, start) = (Guesses::default(), Instant::now());
        let [known, locked] = ["192.0.2.1", "2001:db8::1"].map(address);
        guesses.succeeded(known, 99, start);
        locked_out(&mut guesses, known, start);
        locked_out(&mut guesses, locked, start);
        for number in 0..2 * MAX_ADDRESSES as u32 {
            guesses.failed(IpAddr::from((0x0a00_0000 + number).to_be_bytes()), 1, start + SECOND);
        }
        assert_eq!(guesses.addresses.len(), MAX_ADDRESSES);
        assert_eq!(guesses.look(known, 99, start + SECOND), None);
        assert_eq!(guesses.look(address("2001:db8::2"), 5, start + SECOND), Some(SECOND), "it is one /64");
        assert_eq!(guesses.look(address("2001:db8:0:1::1"), 5, start + SECOND), None);
    }
}
