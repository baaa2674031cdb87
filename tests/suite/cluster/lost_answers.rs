//! A connection breaks after a change was sent: it is made once, or told as unknown. And what a command sends.

use std::sync::Arc;

use rustix::process::Signal;

use super::etcd::Etcd;
use super::nodes::{PREFIX, TestNode, cluster, with_sample};
use super::proxy::{Line, Proxy};
use crate::cli::{CONF, Place, Run, SAMPLE};
use crate::waiting::eventually;

#[test]
fn a_change_whose_answer_is_lost_is_made_once_or_told_as_unknown() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Arc::new(Place::with(SAMPLE));
    let direct = |arguments: &[&str]| etcd.mediactl(&place, "/p", arguments).run();
    direct(&["save", CONF, "-q"]).exits(0);
    let another = {
        // The proxy keeps it until the process ends; etcd ends with the test.
        let (url, place) = (etcd.url("/p"), place.clone());
        move || {
            let set = ["--cluster", &url, "modify", "--set", "streams.cam1.prepush=77", "-q"];
            place.mediactl(set).without("MEDIACTL_CONF").run().exits(0);
        }
    };
    let proxy = Proxy::start(etcd.address(0), another);
    let url = format!("etcd://{}/p", proxy.address);
    let run = |line: Line, arguments: &[&str]| -> Run {
        proxy.set(line);
        let arguments = [&["--cluster", &url, "--timeout", "2"], arguments].concat();
        place.mediactl(&arguments).without("MEDIACTL_CONF").run()
    };
    let made = || direct(&["history", "-o", "json"]).exits(0).json().as_array().map_or(0, Vec::len);
    let title = || direct(&["read", "title"]).out;

    run(Line::Whole, &["modify", "--set", "title=a", "-q"]).exits(0);
    assert_eq!(made(), 2);
    run(Line::LosesOneAnswer, &["modify", "--set", "title=b", "-q"]).exits(0);
    assert_eq!((made(), title().contains('b')), (3, true));
    run(Line::LosesOneAnswer, &["save", CONF, "-q"]).exits(0);
    assert_eq!(made(), 4);
    // It was made, and another change since: it is not made again.
    run(Line::LosesOneAnswerToAnother, &["modify", "--set", "title=c", "-q"]).exits(0);
    assert_eq!((made(), title().contains('c')), (6, true));
    run(Line::Whole, &["modify", "--set", "title=d", "--confirm", "60", "-q"]).exits(0);
    run(Line::LosesOneAnswer, &["confirm", "-q"]).exits(0);
    assert_eq!((made(), title().contains('d')), (7, true));
    run(Line::BreaksBehindOne, &["modify", "--set", "title=e"])
        .exits(8)
        .says("it is unknown whether the change of")
        .says(" history` shows whether it was made");
    assert_eq!((made(), title().contains('e')), (8, true));
    run(Line::Broken, &["modify", "--set", "title=f"]).exits(7).says("nothing was changed");
    assert_eq!(made(), 8);
}

#[test]
fn a_change_that_was_made_is_never_told_as_not_made() {
    let Some(mut etcd) = with_sample(1) else { return };
    let mut node = TestNode::following(&etcd, "a", &[]);
    // So nobody runs the change.
    node.signal(Signal::STOP);
    let times = ["--canary", "a", "--confirm", "6s", "--soak", "1s"];
    let set = [&["--timeout", "2", "modify", "--set", "rtsp=555"][..], &times].concat();
    let place = Place::with(SAMPLE);
    let call = etcd.mediactl(&place, PREFIX, &set);
    let waits = std::thread::spawn(move || call.run());
    eventually(|| cluster(&etcd, &["history", "-n", "1"]).out.starts_with("2 "));
    etcd.kill(0);
    waits.join().expect("it ends").exits(8).says("the change was made").hides("nothing was changed");
    node.kill();
}

const TXN: &str = "/v3/kv/txn";

#[test]
fn a_change_is_three_reads_and_one_transaction() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::with(SAMPLE);
    let proxy = Proxy::start(etcd.address(0), || {});
    let url = format!("etcd://{}/p", proxy.address);
    let sent = |arguments: &[&str]| {
        place.mediactl(arguments).without("MEDIACTL_CONF").env("MEDIACTL_CLUSTER", &url).run().exits(0);
        proxy.passed().into_iter().map(|request| request.path).collect::<Vec<_>>()
    };
    sent(&["save", CONF, "-q"]);
    let lease = "/v3/lease/grant";
    for (arguments, requests) in [
        (&["read", "rtsp"][..], &[TXN; 2][..]),
        (&["modify", "--set", "title=x", "--dry-run"], &[TXN; 3]),
        (&["modify", "--set", "title=x", "-m", "why"], &[TXN; 4]),
        (&["modify", "--set", "title=y", "--check-cmd", "true", "--keep", "2"], &[TXN; 4]),
        (&["save", CONF], &[TXN; 4]),
        (&["mv", "streams.cam1", "streams.cam9"], &[TXN; 4]),
        (&["modify", "--set", "title=z", "--confirm", "60"], &[TXN, TXN, TXN, lease, TXN]),
    ] {
        assert_eq!(sent(arguments), requests, "{arguments:?}");
    }
}
