//! Counts wrong credentials by network. Pure: the time is passed in.
//!
//! A wrong value counts for a minute, once in its network and once in each wider network around it;
//! each has its own limit. Right values are in another table: only clients that know the password add
//! to it, so strangers cannot push anything out of it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::http::server::network::Network;

/// The number of different wrong values that one address (IPv6: one /64) may send.
pub const MAX_FAILURES: usize = 10;

/// The same for a whole /48, and for a whole /32.
const MAX_FAILURES_WIDER: [usize; 2] = [40, 1000];

/// How long a wrong value counts.
pub const FAILURE_LIFE: Duration = Duration::from_secs(60);

/// How long a right value passes, however many wrong ones there are.
pub const SUCCESS_LIFE: Duration = Duration::from_secs(60 * 60);

/// The number of remembered networks with wrong values, and with right values.
pub const MAX_NETWORKS: usize = 4096;

/// The number of remembered right values of one network.
const MAX_SUCCESSES: usize = 8;

/// The shortest time that a client is told to wait.
const MIN_WAIT: Duration = Duration::from_secs(1);

/// The values from each network, as hashes.
#[derive(Debug, Default)]
pub struct Guesses {
    wrong: ValuesByNetwork,
    right: ValuesByNetwork,
    /// How often a network was locked out.
    lock_outs: u64,
}

type ValuesByNetwork = HashMap<Network, Vec<SeenValue>>;

#[derive(Debug, Clone, Copy)]
struct SeenValue {
    value: u64,
    at: Instant,
}

impl SeenValue {
    fn left(&self, life: Duration, now: Instant) -> Duration {
        (self.at + life).saturating_duration_since(now)
    }

    fn counts(&self, life: Duration, now: Instant) -> bool {
        !self.left(life, now).is_zero()
    }
}

impl Guesses {
    /// How long a value from this network has to wait; `None` if it may be checked now.
    pub fn wait(&self, from: Network, value: u64, now: Instant) -> Option<Duration> {
        let was_right = |seen: &SeenValue| seen.value == value && seen.counts(SUCCESS_LIFE, now);
        if self.right.get(&from).is_some_and(|values| values.iter().any(was_right)) {
            return None;
        }
        from.with_wider().filter_map(|network| self.locked(network, now)).max()
    }

    /// Counts a wrong value.
    pub fn failed(&mut self, from: Network, value: u64, now: Instant) {
        for network in from.with_wider() {
            let was_locked = self.locked(network, now).is_some();
            remember(&mut self.wrong, network, value, limit(network), FAILURE_LIFE, now);
            let is_locked = self.locked(network, now).is_some();
            self.lock_outs += u64::from(is_locked && !was_locked);
        }
    }

    /// How often a network was locked out, and how many networks are locked out now.
    pub fn lock_outs(&self, now: Instant) -> (u64, usize) {
        let locked = self.wrong.keys().filter(|network| self.locked(**network, now).is_some());
        (self.lock_outs, locked.count())
    }

    /// Remembers a right value.
    pub fn succeeded(&mut self, from: Network, value: u64, now: Instant) {
        remember(&mut self.right, from, value, MAX_SUCCESSES, SUCCESS_LIFE, now);
    }

    /// How long a network has to wait, if it has reached its limit of wrong values.
    fn locked(&self, network: Network, now: Instant) -> Option<Duration> {
        let values = self.wrong.get(&network)?.iter().filter(|seen| seen.counts(FAILURE_LIFE, now));
        let ends = values.clone().map(|seen| seen.left(FAILURE_LIFE, now)).min()?;
        (values.count() >= limit(network)).then(|| ends.max(MIN_WAIT))
    }
}

fn limit(network: Network) -> usize {
    match network.level() {
        0 => MAX_FAILURES,
        wider => MAX_FAILURES_WIDER[wider - 1],
    }
}

/// Adds a value once; removes the oldest one if there are `most` already.
fn remember(
    table: &mut ValuesByNetwork,
    from: Network,
    value: u64,
    most: usize,
    life: Duration,
    now: Instant,
) {
    if !table.contains_key(&from) {
        make_room(table, life, now);
    }
    let values = table.entry(from).or_default();
    values.retain(|seen| seen.value != value && seen.counts(life, now));
    if values.len() == most {
        values.remove(0);
    }
    values.push(SeenValue { value, at: now });
}

/// In a full table, removes the expired networks, or else the one that was silent the longest. A locked
/// network is removed last: otherwise requests from other addresses could end its lock.
fn make_room(table: &mut ValuesByNetwork, life: Duration, now: Instant) {
    if table.len() < MAX_NETWORKS {
        return;
    }
    table.retain(|_, values| values.last().is_some_and(|last| last.counts(life, now)));
    if table.len() < MAX_NETWORKS {
        return;
    }
    let last_heard = |network: &Network, values: &[SeenValue]| {
        (values.len() >= limit(*network), values.last().map(|last| last.at))
    };
    let oldest = table.iter().min_by_key(|(network, values)| last_heard(network, values));
    if let Some(oldest) = oldest.map(|(network, _)| *network) {
        table.remove(&oldest);
    }
}

#[cfg(test)]
mod tests;
