use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{ConnectionTable, NewConnection, Phase, Rules, Settled, Slot, Socket, Turn};
use crate::http::server::message::{PeerAddress, Rank};

const LONG: Duration = Duration::from_secs(3600);

fn slots(most: usize) -> Arc<ConnectionTable> {
    let none = Duration::ZERO;
    let rules = Rules {
        most,
        most_per_address: most,
        most_waiting: 8,
        waiting_time: LONG,
        least_grace: none,
        grace: none,
    };
    Arc::new(ConnectionTable::new(rules, Vec::new()))
}

fn arrive(slots: &ConnectionTable) -> UnixStream {
    let (client, server) = UnixStream::pair().expect("a pair needs only two files");
    let peer = PeerAddress::parse("127.0.0.1").expect("it is an address");
    slots.arrive(NewConnection { socket: Arc::new(Socket(server.into())), peer, secured: false });
    client
}

fn enter(slots: &Arc<ConnectionTable>) -> (Slot, UnixStream) {
    let client = arrive(slots);
    let Settled { mut admitted, .. } = ConnectionTable::settle(slots);
    (admitted.pop().expect("there is room").0, client)
}

#[test]
fn the_socket_of_one_who_makes_room_is_shut_and_its_slot_is_gone() {
    let slots = slots(2);
    let (old, mut client) = enter(&slots);
    assert!(old.enter(Phase::Busy));
    let (new, _client) = enter(&slots);
    assert!(
        old.made_room() && !old.enter(Phase::Busy) && old.judge(Rank::Editor, Instant::now()) == Turn::Lost
    );
    assert!(!new.made_room());
    assert_eq!(client.read(&mut [0]).expect("it was shut"), 0);
    assert_eq!(slots.alive(), 2);
    drop(old);
    assert_eq!(slots.alive(), 1);
}

#[test]
fn an_end_of_a_connection_wakes_who_looks_after_those_who_wait() {
    let slots = slots(1);
    let (busy, _client) = enter(&slots);
    assert!(busy.judge(Rank::Editor, Instant::now()) == Turn::Now && busy.enter(Phase::Busy));
    let _waits = arrive(&slots);
    assert!(ConnectionTable::settle(&slots).admitted.is_empty());
    drop(busy);
    assert!(slots.wait_for_change(None));
    assert_eq!(ConnectionTable::settle(&slots).admitted.len(), 1);
}

#[test]
fn nobody_waits_for_a_request_or_a_slot_after_the_end_has_begun() {
    let slots = slots(1);
    let (slot, _client) = enter(&slots);
    assert!(
        slot.judge(Rank::Editor, Instant::now()) == Turn::Now && slot.enter(Phase::Busy) && slot.may_stay()
    );
    let mut waits = arrive(&slots);
    slots.stop();
    assert!(slot.enter(Phase::Busy) && !slot.may_stay() && !slot.enter(Phase::Idle));
    assert_eq!(waits.read(&mut [0]).expect("it was shut"), 0);
    assert!(!slots.wait_for_change(None) && ConnectionTable::settle(&slots).admitted.is_empty());
    drop(slot);
    slots.wait_for_all(LONG);
}
