//! The number of requests that a command sends to etcd.

use mediactl::store::etcd::{GatewaySettings, HeadRecord, KeyOperation, Txn};

use super::etcd::Etcd;
use super::proxy::Proxy;
use crate::cli::{CONF, Place, SAMPLE};

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

#[test]
fn a_long_history_is_read_in_pages_and_its_end_alone() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::with(SAMPLE);
    let run = |arguments: &[&str]| etcd.mediactl(&place, "/p", arguments).run().exits(0);
    run(&["save", CONF, "-q", "--keep", "10000"]);
    // As other writers left them: 10 000 changes, each with a long message.
    let store = etcd.store("/p", GatewaySettings::default());
    let head = store.seen().expect("it can be read").head.expect("there is one");
    let (count, message) = (10_000, "because ".repeat(100));
    for first in (2..count).step_by(100) {
        let put = |serial| {
            let record = HeadRecord { serial, message: Some(message.clone()), ..head.clone() };
            KeyOperation::put(&store.keys().change(serial), record.to_json())
        };
        let success = (first..count.min(first + 100)).map(put).collect();
        store.gateway().txn(&Txn { success, ..Txn::default() }).expect("it can be put");
    }
    let last = HeadRecord { serial: count - 1, ..head };
    let success = vec![KeyOperation::put(&store.keys().head, last.to_json())];
    store.gateway().txn(&Txn { success, ..Txn::default() }).expect("it can be put");
    run(&["modify", "--set", "rtsp=555", "-q"]);
    let proxy = Proxy::start(etcd.address(0), || {});
    let url = format!("etcd://{}/p", proxy.address);
    let read = |arguments: &[&str]| {
        let call = place.mediactl(arguments).without("MEDIACTL_CONF").env("MEDIACTL_CLUSTER", &url);
        (call.run().exits(0).json().as_array().map_or(0, Vec::len), proxy.passed().len())
    };
    assert_eq!(read(&["history", "-n", "5", "-o", "json"]), (5, 2));
    let (entries, requests) = read(&["history", "-o", "json"]);
    assert!(entries == 10_000 && requests < 60, "{entries} {requests}");
    // All entries once, and a text for each that is looked at.
    let (found, more) = read(&["blame", "rtsp", "-n", "1", "-o", "json"]);
    assert!(found == 1 && more < 90, "{requests} {more}");
}
