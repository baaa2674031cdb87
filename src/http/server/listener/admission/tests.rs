use std::time::{Duration, Instant};

use super::{Admission, AdmissionChanges, NoSlot, Phase, Rules, Turn};
use crate::http::server::listener::origin::ConnectionOrigin;
use crate::http::server::message::{PeerAddress, Rank};

const GRACE: Duration = Duration::from_millis(500);
const LEAST: Duration = Duration::from_millis(50);
const WAITING_TIME: Duration = Duration::from_secs(5);

/// The rules over a clock that stands until it is moved.
struct Case {
    admission: Admission,
    now: Instant,
}

impl Case {
    fn new(most: usize, most_per_address: usize, most_waiting: usize) -> Self {
        let rules = Rules {
            most,
            most_per_address,
            most_waiting,
            waiting_time: WAITING_TIME,
            least_grace: LEAST,
            grace: GRACE,
        };
        Self { admission: Admission::new(rules), now: Instant::now() }
    }

    fn arrive(&mut self, peer: &str) -> u64 {
        let peer = PeerAddress::parse(peer).expect("the tests name peers");
        self.admission.arrive(ConnectionOrigin::from_peer(peer, &[]), self.now)
    }

    fn settle(&mut self) -> AdmissionChanges {
        self.admission.settle(self.now, |_| false)
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
    }

    /// Arrives and has a slot.
    fn enter(&mut self, peer: &str) -> u64 {
        let id = self.arrive(peer);
        assert_eq!(self.settle().admitted, [id], "there is room");
        id
    }

    /// Arrives, has a slot and an authenticated request.
    fn enter_busy(&mut self, peer: &str) -> u64 {
        let id = self.enter(peer);
        self.request(id);
        id
    }

    fn request(&mut self, id: u64) {
        assert!(self.admission.judge(id, Rank::Editor, self.now) && self.phase(id, Phase::Busy));
    }

    fn phase(&mut self, id: u64, phase: Phase) -> bool {
        self.admission.enter(id, phase, self.now)
    }

    /// The connections that made room and are closed.
    fn evicted(&mut self) -> Vec<u64> {
        let evicted: Vec<u64> = self.settle().evicted.into_iter().map(|(id, _)| id).collect();
        evicted.iter().for_each(|id| self.admission.leave(*id));
        evicted
    }
}

#[test]
fn unauthenticated_connections_hold_at_most_half_and_the_oldest_makes_room_whatever_it_does() {
    for phase in [Phase::Idle, Phase::Arriving, Phase::Busy] {
        let mut case = Case::new(8, 8, 8);
        let strangers: Vec<u64> = (0..4).map(|_| case.enter("127.0.0.1")).collect();
        for stranger in &strangers {
            case.pass(Duration::from_millis(1));
            assert!(
                case.phase(*stranger, phase) && case.admission.judge(*stranger, Rank::Stranger, case.now)
            );
        }
        let new = case.arrive("127.0.0.1");
        assert!(case.settle().admitted.is_empty(), "the oldest has its time of grace");
        case.pass(GRACE);
        let outcome = case.settle();
        assert_eq!((outcome.admitted, outcome.evicted), (vec![new], vec![(strangers[0], phase)]));
        assert!(!case.phase(strangers[0], Phase::Busy));
    }
}

#[test]
fn viewers_have_a_share_of_their_own_and_one_slot_is_left_for_an_editor() {
    let mut case = Case::new(8, 8, 8);
    let look = |case: &mut Case| {
        let id = case.enter("127.0.0.1");
        assert!(case.admission.judge(id, Rank::Viewer, case.now));
        (id, case.admission.take_turn(id))
    };
    let viewers: Vec<u64> = (0..3)
        .map(|_| {
            let (id, turn) = look(&mut case);
            assert_eq!(turn, Turn::Now);
            id
        })
        .collect();
    let (waits, turn) = look(&mut case);
    assert_eq!(turn, Turn::Later);
    let strangers: Vec<u64> = (0..4).map(|_| case.enter("127.0.0.1")).collect();
    case.pass(GRACE);
    let editor = case.arrive("127.0.0.1");
    let outcome = case.settle();
    assert_eq!((outcome.admitted, outcome.evicted), (vec![editor], vec![(strangers[0], Phase::Idle)]));
    case.request(editor);
    assert_eq!(case.admission.take_turn(editor), Turn::Now);
    case.admission.leave(strangers[0]);
    strangers[1..].iter().for_each(|id| case.request(*id));
    // Nobody but the viewer that waits can make room: it is behind the editors.
    let other = case.arrive("127.0.0.1");
    assert_eq!(case.settle().evicted, [(waits, Phase::Idle)]);
    assert!(case.admission.holds(other) && case.admission.holds(editor));
    assert_eq!(case.admission.take_turn(waits), Turn::Lost);
    assert!(viewers.iter().all(|id| case.admission.holds(*id)), "who is answered stays");
    assert!(case.admission.judge(other, Rank::Viewer, case.now));
    assert_eq!(case.admission.take_turn(other), Turn::Later);
    assert!(case.phase(viewers[0], Phase::Idle));
    assert_eq!(case.admission.take_turn(other), Turn::Now);
}

#[test]
fn an_authenticated_request_is_never_thrown_out_and_makes_room_among_the_others() {
    let mut case = Case::new(8, 8, 8);
    for _ in 0..8 {
        case.enter_busy("127.0.0.1");
    }
    let ninth = case.arrive("127.0.0.1");
    for _ in 0..4 {
        case.pass(GRACE);
        let outcome = case.settle();
        assert_eq!((outcome.admitted, outcome.evicted), (vec![], vec![]));
    }
    case.pass(WAITING_TIME);
    assert_eq!(case.settle().refused, [(ninth, NoSlot::Full)]);
}

#[test]
fn the_longest_without_a_request_makes_room_when_the_authenticated_hold_over_half() {
    let mut case = Case::new(4, 4, 8);
    let ids: Vec<u64> = (0..4).map(|_| case.enter_busy("127.0.0.1")).collect();
    for id in [ids[2], ids[1]] {
        assert!(case.phase(id, Phase::Idle));
        case.pass(LEAST);
    }
    let new = case.arrive("127.0.0.1");
    assert!(case.evicted().is_empty(), "clients ask again at once, or not soon");
    assert!(case.admission.blocks_others(ids[0]));
    case.pass(GRACE);
    let outcome = case.settle();
    assert_eq!((outcome.admitted, outcome.evicted), (vec![new], vec![(ids[2], Phase::Idle)]));
    assert!(!case.admission.blocks_others(ids[0]));
}

#[test]
fn a_request_without_authentication_ends_what_an_earlier_one_had() {
    let mut case = Case::new(4, 4, 8);
    let (was, is) = (case.enter_busy("127.0.0.1"), case.enter_busy("127.0.0.1"));
    case.pass(GRACE);
    assert!(case.admission.judge(was, Rank::Stranger, case.now));
    let other = case.enter("127.0.0.1");
    case.arrive("127.0.0.1");
    case.pass(Duration::from_millis(1));
    assert_eq!(case.evicted(), [was]);
    assert!(case.admission.holds(is) && case.admission.holds(other));
}

#[test]
fn the_grace_shrinks_in_a_flood_and_grows_with_those_who_authenticate() {
    let mut case = Case::new(64, 64, 256);
    for _ in 0..32 {
        case.enter("127.0.0.1");
    }
    case.pass(GRACE);
    for _ in 0..200 {
        case.arrive("127.0.0.1");
        case.pass(Duration::from_millis(5));
        case.evicted();
    }
    let good = case.arrive("127.0.0.1");
    case.pass(LEAST);
    case.evicted();
    assert!(case.admission.holds(good), "nobody waits in a flood of 200 a second");
    for _ in 0..20 {
        case.arrive("127.0.0.1");
        case.pass(Duration::from_millis(5));
        assert!(case.evicted().iter().all(|id| *id != good), "it has 100 ms for its request");
    }
    for _ in 0..8 {
        let again = case.admission.open().map(|(id, _)| id).last().expect("there are some");
        case.request(again);
        assert!(case.admission.judge(again, Rank::Stranger, case.now));
    }
    assert_eq!(case.admission.grace, GRACE);
}

#[test]
fn beyond_those_who_may_wait_nobody_has_grace_and_the_last_is_refused() {
    let mut case = Case::new(4, 4, 2);
    let strangers = [case.enter("127.0.0.1"), case.enter("127.0.0.1")];
    case.pass(Duration::from_millis(1));
    let waiting = [case.arrive("127.0.0.1"), case.arrive("127.0.0.1")];
    assert!(case.settle().admitted.is_empty());
    case.arrive("127.0.0.1");
    let outcome = case.settle();
    assert_eq!(outcome.admitted, [waiting[0]]);
    assert_eq!(outcome.evicted, [(strangers[0], Phase::Idle)]);
    let mut case = Case::new(1, 1, 1);
    case.enter_busy("127.0.0.1");
    case.arrive("127.0.0.1");
    let last = case.arrive("127.0.0.1");
    assert_eq!(case.settle().refused, [(last, NoSlot::Full)]);
}

#[test]
fn a_handshake_that_comes_on_has_its_grace_in_a_flood_and_of_those_who_wait_the_silent_go_first() {
    let mut case = Case::new(4, 4, 2);
    let (talks, stalls) = (case.enter("127.0.0.1"), case.enter("127.0.0.1"));
    case.pass(Duration::from_millis(1));
    case.admission.come_on(talks, case.now);
    let waiting = [case.arrive("127.0.0.1"), case.arrive("127.0.0.1")];
    case.settle();
    case.arrive("127.0.0.1");
    case.pass(Duration::from_millis(1));
    assert_eq!(case.evicted(), [stalls]);
    assert!(case.admission.holds(talks) && case.admission.holds(waiting[0]));
    case.admission.come_on(waiting[0], case.now);
    let last = case.arrive("127.0.0.1");
    let outcome = case.admission.settle(case.now, |id| id == waiting[1]);
    assert_eq!((outcome.evicted, outcome.refused), (vec![], vec![(waiting[1], NoSlot::Full)]));
    case.pass(GRACE);
    assert_eq!(case.evicted().len(), 2);
    assert!(case.admission.holds(last));
}

#[test]
fn an_address_has_its_share_and_those_of_others_do_not_wait_for_it() {
    let mut case = Case::new(64, 4, 8);
    let own: Vec<u64> = (0..4).map(|_| case.enter_busy("192.0.2.1")).collect();
    let waits = case.arrive("192.0.2.1");
    assert!(case.settle().admitted.is_empty());
    assert!(case.admission.blocks_others(own[0]));
    let other = case.enter("192.0.2.2");
    assert!(!case.admission.blocks_others(other));
    case.admission.leave(own[0]);
    assert_eq!(case.settle().admitted, [waits]);
    let late = case.arrive("::ffff:192.0.2.1");
    case.settle();
    case.pass(WAITING_TIME);
    case.request(waits);
    assert_eq!(case.settle().refused, [(late, NoSlot::AddressFull)]);
}

#[test]
fn of_an_address_half_may_be_unauthenticated() {
    let mut case = Case::new(64, 4, 8);
    let strangers = [case.enter("192.0.2.1"), case.enter("192.0.2.1")];
    let third = case.arrive("192.0.2.1");
    assert!(case.settle().admitted.is_empty());
    case.enter("192.0.2.2");
    case.request(strangers[1]);
    assert_eq!(case.settle().admitted, [third]);
}

#[test]
fn an_origin_with_more_than_its_share_makes_room_first_and_is_let_in_last() {
    let mut case = Case::new(16, 16, 16);
    let slow = case.enter("192.0.2.1");
    case.pass(GRACE);
    let flood: Vec<u64> = (0..7).map(|_| case.enter("192.0.2.2")).collect();
    case.pass(GRACE);
    let (again, other) = (case.arrive("192.0.2.2"), case.arrive("192.0.2.3"));
    let outcome = case.settle();
    assert_eq!(outcome.admitted, [other, again]);
    assert_eq!(outcome.evicted, [(flood[0], Phase::Idle), (flood[1], Phase::Idle)]);
    assert!(case.admission.holds(slow));
}

#[test]
fn those_who_made_room_and_do_not_end_are_waited_for() {
    let mut case = Case::new(2, 2, 8);
    let mut ids = vec![case.enter("127.0.0.1")];
    for _ in 0..2 {
        case.pass(GRACE + LEAST);
        ids.push(case.enter("127.0.0.1"));
    }
    assert_eq!(case.admission.alive(), 3);
    let new = case.arrive("127.0.0.1");
    case.pass(GRACE + LEAST);
    assert!(case.settle().admitted.is_empty() && !case.admission.is_held_up());
    for _ in 0..7 {
        case.arrive("127.0.0.1");
    }
    assert!(case.admission.is_held_up());
    case.admission.leave(ids[0]);
    assert!(!case.admission.is_held_up());
    assert_eq!(case.settle().admitted, [new]);
}

#[test]
fn it_says_when_to_look_again() {
    let mut case = Case::new(2, 2, 8);
    case.enter("127.0.0.1");
    assert_eq!(case.settle().again, None);
    case.arrive("127.0.0.1");
    assert_eq!(case.settle().again, Some(case.now + GRACE));
    let mut case = Case::new(1, 1, 8);
    case.enter_busy("127.0.0.1");
    case.arrive("127.0.0.1");
    assert_eq!(case.settle().again, Some(case.now + WAITING_TIME));
}
