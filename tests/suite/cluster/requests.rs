//! The number of requests that a command sends to etcd.

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
