//! The count of guesses, with a clock that the test moves.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, Instant};

use super::{
    FAILURE_LIFE, Guesses, LOOK_INTERVAL, MAX_FAILURES, MAX_FAILURES_WIDER, MAX_NETWORKS, RequestStage,
    SUCCESS_LIFE,
};
use crate::http::server::network::Network;

/// The value of a client that is right.
const RIGHT: u64 = u64::MAX;

struct Clock {
    guesses: Guesses,
    now: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { guesses: Guesses::default(), now: Instant::now() }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
    }

    /// True if a wrong value is looked at; it counts then.
    fn guess(&mut self, from: impl Into<IpAddr>, value: u64) -> bool {
        let from = Network::from_address(from.into());
        let is_looked_at = self.guesses.look(from, value, RequestStage::Answer, self.now).is_none();
        if is_looked_at {
            self.guesses.failed(from, value, self.now);
        }
        is_looked_at
    }

    fn is_let_in(&mut self, from: impl Into<IpAddr>) -> bool {
        let from = Network::from_address(from.into());
        let is_looked_at = self.guesses.look(from, RIGHT, RequestStage::Answer, self.now).is_none();
        if is_looked_at {
            self.guesses.succeeded(from, RIGHT, self.now);
        }
        is_looked_at
    }
}

fn ipv4(number: u32) -> Ipv4Addr {
    Ipv4Addr::from(0x0a00_0000 + number)
}

/// Address `host` in network `network` of customer `customer` of one provider.
fn ipv6(customer: u16, network: u16, host: u16) -> Ipv6Addr {
    Ipv6Addr::new(0x2001, 0xdb8, customer, network, 0, 0, 0, host)
}

#[test]
fn one_value_counts_once_and_for_a_minute() {
    let mut clock = Clock::start();
    assert!((0..100).all(|_| clock.guess(ipv4(1), 7)));
    assert!((1..10).all(|value| clock.guess(ipv4(1), 100 + value)));
    assert!(!clock.guess(ipv4(1), 200) && !clock.is_let_in(ipv4(1)));
    assert!(clock.is_let_in(ipv4(2)), "another address is another client");
    clock.pass(FAILURE_LIFE);
    assert!(clock.guess(ipv4(1), 200) && clock.is_let_in(ipv4(1)));
}

#[test]
fn guesses_from_one_64_meet_a_wait() {
    let mut clock = Clock::start();
    let looked_at = (0..3000).filter(|host| clock.guess(ipv6(1, 1, *host), u64::from(*host))).count();
    assert_eq!(looked_at, MAX_FAILURES);
}

#[test]
fn guesses_from_many_64_of_one_48_meet_a_wait() {
    let mut clock = Clock::start();
    let looked_at =
        (0..3000).filter(|network| clock.guess(ipv6(1, *network, 1), u64::from(*network))).count();
    assert_eq!(looked_at, MAX_FAILURES_WIDER[0]);
    assert!(clock.is_let_in(ipv6(2, 1, 1)), "another customer is let in");
    let looked_at =
        (0..9000).filter(|customer| clock.guess(ipv6(*customer, 1, 1), u64::from(*customer) << 20));
    assert!(looked_at.count() < MAX_FAILURES_WIDER[1]);
}

#[test]
fn an_ipv4_address_in_ipv6_is_the_ipv4_address() {
    let mut clock = Clock::start();
    let looked_at = (0..20).filter(|value| match value % 2 {
        0 => clock.guess(ipv4(1), *value),
        _ => clock.guess(ipv4(1).to_ipv6_mapped(), *value),
    });
    assert_eq!(looked_at.count(), MAX_FAILURES);
}

#[test]
fn strangers_do_not_evict_the_standing_of_a_good_client() {
    let mut clock = Clock::start();
    assert!(clock.is_let_in(ipv4(1)));
    for stranger in 0..5000 {
        clock.guess(ipv4(100 + stranger), u64::from(stranger));
    }
    (0..12).for_each(|value| {
        clock.guess(ipv4(1), value);
    });
    assert!(!clock.guess(ipv4(1), 99));
    assert!(clock.is_let_in(ipv4(1)), "it was right before");
    assert!(clock.guesses.wrong.len() <= MAX_NETWORKS && clock.guesses.right.len() <= MAX_NETWORKS);
}

#[test]
fn strangers_do_not_end_the_wait_of_a_guesser() {
    let mut clock = Clock::start();
    assert_eq!((0..20).filter(|value| clock.guess(ipv4(1), *value)).count(), MAX_FAILURES);
    for stranger in 0..5000 {
        clock.guess(ipv4(100 + stranger), u64::from(stranger));
    }
    assert!(!clock.guess(ipv4(1), 99));
}

#[test]
fn a_standing_ends_after_an_hour_without_success() {
    let mut clock = Clock::start();
    assert!(clock.is_let_in(ipv4(1)));
    clock.pass(SUCCESS_LIFE);
    (0..10).for_each(|value| {
        clock.guess(ipv4(1), value);
    });
    assert!(!clock.is_let_in(ipv4(1)));
}

#[test]
fn so_many_good_clients_forget_the_oldest_and_no_more() {
    let mut clock = Clock::start();
    for client in 0..=MAX_NETWORKS as u32 {
        clock.pass(Duration::from_millis(1));
        assert!(clock.is_let_in(ipv4(client)));
    }
    assert_eq!(clock.guesses.right.len(), MAX_NETWORKS);
    assert!(!clock.guesses.right.contains_key(&Network::from_address(ipv4(0).into())));
}

#[test]
fn a_locked_network_has_one_look_in_two_seconds_and_the_right_value_gets_in() {
    let mut clock = Clock::start();
    assert!((0..10).all(|value| clock.guess(ipv4(1), value)));
    let mut looked_at = 0;
    // Ten minutes of a guess each tenth of a second.
    for value in 10..6010 {
        clock.pass(Duration::from_millis(100));
        looked_at += usize::from(clock.guess(ipv4(1), value));
    }
    assert_eq!(looked_at, 300, "30 a minute");
    assert!(!clock.is_let_in(ipv4(1)));
    clock.pass(LOOK_INTERVAL);
    assert!(clock.is_let_in(ipv4(1)) && clock.is_let_in(ipv4(1)));
    assert!(!clock.guess(ipv4(1), 7), "its look was that of the right one");
    clock.pass(SUCCESS_LIFE);
    assert!(clock.guesses.looks.len() <= 1);
}

#[test]
fn one_attempt_is_looked_at_when_it_begins_and_when_it_is_answered() {
    let mut clock = Clock::start();
    let from = Network::from_address(ipv4(1).into());
    assert!((0..10).all(|value| clock.guess(ipv4(1), value)));
    clock.pass(LOOK_INTERVAL);
    let now = clock.now;
    let mut looks = |value, step| clock.guesses.look(from, value, step, now).is_none();
    assert!(
        looks(77, RequestStage::Head) && !looks(78, RequestStage::Head) && !looks(78, RequestStage::Answer)
    );
    assert!(looks(77, RequestStage::Answer));
    assert!(!looks(77, RequestStage::Head) && !looks(77, RequestStage::Answer), "again is another attempt");
}

#[test]
fn looks_have_bounded_memory() {
    let mut clock = Clock::start();
    for number in 0..2 * MAX_NETWORKS as u32 {
        for value in 0..12 {
            clock.guess(ipv4(number), value);
        }
    }
    assert!(clock.guesses.looks.len() <= MAX_NETWORKS);
}
