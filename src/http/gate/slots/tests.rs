use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::{NoSlot, Phase, Slot, Slots, Socket};
use crate::http::message::Peer;

const LONG: Duration = Duration::from_secs(3600);

fn take(slots: &Arc<Slots>, address: &str) -> Result<Slot, NoSlot> {
    let (socket, _) = UnixStream::pair().expect("a pair needs only two files");
    let peer: Peer = address.parse().expect("the tests name addresses");
    Slots::take(slots, &Arc::new(Socket::Unix(socket)), peer)
}

fn took(slots: &Arc<Slots>, address: &str) -> Slot {
    take(slots, address).expect("there is room")
}

#[test]
fn who_has_waited_longest_makes_room() {
    let slots = Arc::new(Slots::new(2, 2, LONG));
    let (busy, idle) = (took(&slots, "127.0.0.1"), took(&slots, "127.0.0.1"));
    assert!(busy.enter(Phase::Busy));
    let new = took(&slots, "127.0.0.1");
    assert!(idle.thrown_out() && !idle.enter(Phase::Busy));
    assert!(!busy.thrown_out() && !new.thrown_out());
    assert_eq!(slots.alive(), 3);
    drop(idle);
    assert_eq!(slots.alive(), 2);
}

#[test]
fn requests_are_not_thrown_out_and_heads_only_without_patience() {
    for (patience, makes_room) in [(LONG, false), (Duration::ZERO, true)] {
        let slots = Arc::new(Slots::new(2, 2, patience));
        let (busy, arriving) = (took(&slots, "127.0.0.1"), took(&slots, "127.0.0.1"));
        assert!(busy.enter(Phase::Busy) && arriving.enter(Phase::Arriving));
        assert_eq!(take(&slots, "127.0.0.1").err(), (!makes_room).then_some(NoSlot::Full));
        assert_eq!(arriving.thrown_out(), makes_room);
    }
}

#[test]
fn an_address_has_its_share_and_throws_out_only_its_own() {
    let slots = Arc::new(Slots::new(8, 2, LONG));
    let other = took(&slots, "192.0.2.9");
    let (one, two) = (took(&slots, "192.0.2.1"), took(&slots, "192.0.2.1"));
    assert!(one.enter(Phase::Busy) && two.enter(Phase::Busy));
    assert_eq!(take(&slots, "192.0.2.1").err(), Some(NoSlot::AddressFull));
    assert!(two.enter(Phase::Idle));
    let three = took(&slots, "192.0.2.1");
    assert!(two.thrown_out() && !other.thrown_out() && !three.thrown_out());
}

#[test]
fn an_ipv6_network_is_one_address_and_people_of_this_machine_are_not_counted() {
    let slots = Arc::new(Slots::new(8, 1, LONG));
    let one = took(&slots, "2001:db8::1");
    assert!(one.enter(Phase::Busy));
    assert_eq!(take(&slots, "2001:db8::ffff:2").err(), Some(NoSlot::AddressFull));
    let others: Vec<Slot> =
        ["2001:db8:0:1::1", "::1", "::1", "uid:1", "uid:1"].map(|peer| took(&slots, peer)).into();
    assert!(others.iter().all(|slot| !slot.thrown_out()));
}

#[test]
fn nobody_waits_for_a_request_after_the_end_has_begun() {
    let slots = Arc::new(Slots::new(2, 2, LONG));
    let slot = took(&slots, "127.0.0.1");
    assert!(slot.enter(Phase::Busy));
    slots.stop();
    assert!(slot.enter(Phase::Busy) && !slot.enter(Phase::Idle));
    drop(slot);
    slots.wait_for_all(LONG);
}
