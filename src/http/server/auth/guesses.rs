//! Counts wrong credentials by network. Pure: the time is passed in.
//!
//! A wrong value counts for a minute, once in its network and once in each wider network around it;
//! each has its own limit. A network that has reached its limit is locked out: one attempt in two seconds is
//! looked at, right or wrong, so that whoever knows the password gets in. Right values are in another table: only clients that know the password add
//! to it, so strangers cannot push anything out of it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::http::server::network::Network;

/// The number of different wrong values that one address (IPv6: one /64) may send.
pub const MAX_FAILURES: usize = 10;

/// The same for a whole /48, and for a whole /32.
const MAX_FAILURES_WIDER: [usize; 2] = [40, 1000];

/// The time for which a wrong value counts.
pub const FAILURE_LIFE: Duration = Duration::from_secs(60);

/// The time for which a right value passes, however many wrong ones there are.
pub const SUCCESS_LIFE: Duration = Duration::from_secs(60 * 60);

/// The number of remembered networks with wrong values, and with right values.
pub const MAX_NETWORKS: usize = 4096;

/// The number of remembered right values of one network.
const MAX_SUCCESSES: usize = 8;

/// The time in which one attempt of a locked-out network is examined.
pub const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// The values from each network, as hashes.
#[derive(Debug, Default)]
pub struct Guesses {
    wrong: ValuesByNetwork,
    right: ValuesByNetwork,
    /// The last attempt of each locked network that was looked at.
    looks: HashMap<Network, LookedAt>,
    /// The number of times that a network was locked out.
    lock_outs: u64,
}

type ValuesByNetwork = HashMap<Network, Vec<SeenValue>>;

#[derive(Debug, Clone, Copy)]
struct SeenValue {
    value: u64,
    at: Instant,
}

impl SeenValue {
    fn counts(&self, life: Duration, now: Instant) -> bool {
        now < self.at + life
    }
}

/// An attempt of a locked network that was looked at.
#[derive(Debug, Clone, Copy)]
struct LookedAt {
    at: Instant,
    /// The value whose request is still to be answered.
    unanswered: Option<u64>,
}

/// The moment at which a request is examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestStage {
    /// The time at which its head is there. The same value is examined again when it is answered.
    Head,
    /// The time at which it is answered.
    Answer,
}

impl Guesses {
    /// Takes a look at a value from this network; if that has to wait, returns how long.
    pub fn look(&mut self, from: Network, value: u64, stage: RequestStage, now: Instant) -> Option<Duration> {
        let was_right = |seen: &SeenValue| seen.value == value && seen.counts(SUCCESS_LIFE, now);
        if self.right.get(&from).is_some_and(|values| values.iter().any(was_right)) {
            return None;
        }
        let locked: Vec<Network> =
            from.with_wider().filter(|network| self.is_locked(*network, now)).collect();
        let is_begun = |look: &LookedAt| stage == RequestStage::Answer && look.unanswered == Some(value);
        if locked.iter().any(|network| self.looks.get(network).is_some_and(is_begun)) {
            self.note_look(&locked, None, now);
            return None;
        }
        let left = |network| {
            let last: Option<&LookedAt> = self.looks.get(network);
            last.map(|look| (look.at + LOOK_INTERVAL).saturating_duration_since(now))
        };
        if let Some(wait) = locked.iter().filter_map(left).max().filter(|left| !left.is_zero()) {
            return Some(wait);
        }
        let is_noted = self.note_look(&locked, Some(value).filter(|_| stage == RequestStage::Head), now);
        (!is_noted).then_some(LOOK_INTERVAL)
    }

    /// Notes that a value of locked networks is looked at; false if there is no room.
    fn note_look(&mut self, locked: &[Network], unanswered: Option<u64>, now: Instant) -> bool {
        if self.looks.len() + locked.len() > MAX_NETWORKS {
            self.looks.retain(|_, look| now < look.at + LOOK_INTERVAL);
        }
        let has_room = self.looks.len() + locked.len() <= MAX_NETWORKS;
        let noted = locked.iter().filter(|network| has_room || self.looks.contains_key(network));
        let noted: Vec<Network> = noted.copied().collect();
        self.looks.extend(noted.iter().map(|network| (*network, LookedAt { at: now, unanswered })));
        noted.len() == locked.len()
    }

    /// Counts a wrong value.
    pub fn failed(&mut self, from: Network, value: u64, now: Instant) {
        for network in from.with_wider() {
            let was_locked = self.is_locked(network, now);
            remember(&mut self.wrong, network, value, limit(network), FAILURE_LIFE, now);
            if self.is_locked(network, now) && !was_locked {
                self.lock_outs += 1;
                self.note_look(&[network], None, now);
            }
        }
    }

    /// Returns how often a network was locked out, and how many networks are locked out now.
    pub fn lock_outs(&self, now: Instant) -> (u64, usize) {
        let locked = self.wrong.keys().filter(|network| self.is_locked(**network, now));
        (self.lock_outs, locked.count())
    }

    /// Remembers a right value.
    pub fn succeeded(&mut self, from: Network, value: u64, now: Instant) {
        remember(&mut self.right, from, value, MAX_SUCCESSES, SUCCESS_LIFE, now);
    }

    /// True if a network has reached its limit of wrong values.
    fn is_locked(&self, network: Network, now: Instant) -> bool {
        let counts = |seen: &&SeenValue| seen.counts(FAILURE_LIFE, now);
        let values = self.wrong.get(&network).map_or(&[][..], Vec::as_slice);
        values.iter().filter(counts).count() >= limit(network)
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
