//! A connection breaks after a change was sent: it is made once, or told as unknown. And what a command sends.

use std::sync::Arc;

use super::etcd::Etcd;
use crate::cli::{Place, Run, SAMPLE};
use crate::proxy::{Fate, Proxy};

/// In each request that changes something.
const PUT: &str = "request_put";

#[test]
fn a_change_whose_answer_is_lost_is_made_once_or_told_as_unknown() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Arc::new(Place::with(SAMPLE));
    let direct = |line: &str| etcd.line(&place, "/p", line).run();
    direct("save media.conf -q").exits(0);
    let another = {
        // The proxy keeps it until the process ends; etcd ends with the test.
        let (url, place) = (etcd.url("/p"), place.clone());
        move || {
            let set = ["--cluster", &url, "modify", "--set", "streams.cam1.prepush=77", "-q"];
            place.mediactl(set).without("MEDIACTL_CONF").run().exits(0);
        }
    };
    let proxy = Proxy::beside(etcd.address(0), another);
    let url = format!("etcd://{}/p", proxy.address);
    let run = |words: &'static str, fate: Fate, line: &str| -> Run {
        proxy.on(words, fate);
        let line = format!("--cluster {url} --timeout 2 {line}");
        place.mediactl(line.split(' ')).without("MEDIACTL_CONF").run()
    };
    let made = || direct("history -o json").exits(0).json().as_array().map_or(0, Vec::len);
    let title = || direct("read title").out;

    run("", Fate::Answered, "modify --set title=a -q").exits(0);
    assert_eq!(made(), 2);
    run(PUT, Fate::UnansweredOnce, "modify --set title=b -q").exits(0);
    assert_eq!((made(), title().contains('b')), (3, true));
    run(PUT, Fate::UnansweredOnce, "save media.conf -q").exits(0);
    assert_eq!(made(), 4);
    // It was made, and another change since: it is not made again.
    run(PUT, Fate::Overtaken, "modify --set title=c -q").exits(0);
    assert_eq!((made(), title().contains('c')), (6, true));
    run("", Fate::Answered, "modify --set title=d --confirm 60 -q").exits(0);
    run(PUT, Fate::UnansweredOnce, "confirm -q").exits(0);
    assert_eq!((made(), title().contains('d')), (7, true));
    run(PUT, Fate::Last, "modify --set title=e")
        .exits(8)
        .says("it is unknown whether the change of")
        .says(" history` shows whether it was made");
    assert_eq!((made(), title().contains('e')), (8, true));
    run("", Fate::Cut, "modify --set title=f").exits(7).says("nothing was changed");
    assert_eq!(made(), 8);
}

const TXN: &str = "/v3/kv/txn";

#[test]
fn a_change_is_three_reads_and_one_transaction() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::with(SAMPLE);
    let proxy = Proxy::to(etcd.address(0));
    let url = format!("etcd://{}/p", proxy.address);
    let sent = |line: &str| {
        let call = place.mediactl(line.split(' ')).without("MEDIACTL_CONF");
        call.env("MEDIACTL_CLUSTER", &url).run().exits(0);
        proxy.passed().into_iter().map(|request| request.path).collect::<Vec<_>>()
    };
    sent("save media.conf -q");
    let lease = "/v3/lease/grant";
    for (line, requests) in [
        ("read rtsp", &[TXN; 2][..]),
        ("modify --set title=x --dry-run", &[TXN; 3]),
        ("modify --set title=x -m why", &[TXN; 4]),
        ("modify --set title=y --check-cmd true --keep 2", &[TXN; 4]),
        ("save media.conf", &[TXN; 4]),
        ("mv streams.cam1 streams.cam9", &[TXN; 4]),
        ("modify --set title=z --confirm 60", &[TXN, TXN, TXN, lease, TXN]),
    ] {
        assert_eq!(sent(line), requests, "{line}");
    }
}
