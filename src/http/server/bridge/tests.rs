use bytes::Bytes;

use super::*;
use crate::engine::Pulse;
use crate::http::server::message::{Head, PeerAddress, Rank, Response};

struct Echo;

impl Service for Echo {
    fn rank(&self, _: &Head) -> Rank {
        Rank::Editor
    }

    fn answer(&self, request: Request) -> Response {
        Response::ok("text/plain", request.body.to_vec())
    }

    fn refused(&self, _: Option<PeerAddress>, _: u16, _: &str) {}
}

/// Asks over a link; returns whether it is another one than before.
fn is_new_for(bridge: &Bridge, link: &mut Option<BridgeLink>, body: &'static str) -> bool {
    let head = Head {
        method: "POST".to_owned(),
        target: "/".to_owned(),
        headers: Vec::new(),
        peer: PeerAddress::Uid(0),
        is_secured: false,
        unread: false,
    };
    let before = link.as_ref().map(BridgeLink::number);
    let request = Request { head, body: Bytes::from(body) };
    let answer = bridge.ask(link, request, Duration::from_secs(30)).expect("it answers");
    let mut received = Vec::new();
    answer.body.write_to(&mut received).expect("a vector takes everything");
    assert_eq!((answer.length, received.as_slice()), (Some(body.len()), body.as_bytes()));
    link.as_ref().map(BridgeLink::number) != before
}

#[test]
fn a_link_is_kept_and_a_change_that_no_worker_took_goes_over_another() {
    let pool = WorkerPool::new(2, Pulse::new("workers", Duration::from_secs(60)));
    let bridge = Bridge::start(Arc::new(Echo), pool, Loops::default(), None);
    let bridge = bridge.expect("there is a place for the socket");
    let mut link = None;
    assert!(is_new_for(&bridge, &mut link, "one"));
    assert!(!is_new_for(&bridge, &mut link, "two"));
    link.as_ref().expect("it is kept").shut();
    assert!(is_new_for(&bridge, &mut link, "three"));
    bridge.stop();
}
