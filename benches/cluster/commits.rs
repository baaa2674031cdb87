//! The time of a change, beside a `put` of the same size.

use std::thread;

use mediactl::engine::Engine;
use mediactl::store::etcd::{ClusterStore, KeyOperation, Txn};

use crate::members::{Members, set_port};
use crate::timing::{milliseconds, quantile};

const CHANGES: usize = 40;
/// As many by writers that stay.
const QUICK_CHANGES: usize = 200;
const WRITERS: usize = 8;

/// A change and a `put`, in turn: by commands, by one writer that stays, and by eight of them.
pub fn table(etcd: &Members, text: &str) {
    println!("| what | a change | a `put` of the same size | ratio |\n|---|---|---|---|");
    if etcd.put(text) {
        let rows = (0..CHANGES).map(|number| {
            let ours = milliseconds(|| etcd.set_port(10_000 + number));
            (ours, milliseconds(|| assert!(etcd.put(text), "etcdctl worked before")))
        });
        row("a command, beside `etcdctl put`", 1, rows.collect());
    } else {
        println!("| a command | left out: there is no `etcdctl` | | |");
    }
    let (writer, store) = (etcd.writer(), etcd.store());
    let rows = (0..QUICK_CHANGES).map(|number| {
        let ours = milliseconds(|| set_port(&writer, 11_000 + number));
        (ours, milliseconds(|| put(&store, text)))
    });
    row("one writer that stays, beside a `put` over the same gateway", 1, rows.collect());
    let writers: Vec<(Engine, ClusterStore)> = (0..WRITERS).map(|_| (etcd.writer(), etcd.store())).collect();
    let each = QUICK_CHANGES / WRITERS;
    let all = |work: &(dyn Fn(usize, &(Engine, ClusterStore)) + Sync)| {
        milliseconds(|| {
            thread::scope(|scope| {
                for (number, writer) in writers.iter().enumerate() {
                    scope.spawn(move || (0..each).for_each(|change| work(number * each + change, writer)));
                }
            });
        }) / (each * WRITERS) as f64
    };
    let rows = (0..4).map(|round| {
        let ours = all(&|number, (writer, _)| set_port(writer, 12_000 + round * QUICK_CHANGES + number));
        (ours, all(&|_, (_, store)| put(store, text)))
    });
    row("eight writers, beside eight that `put`", WRITERS, rows.collect());
}

/// Puts a text over the gateway.
fn put(store: &ClusterStore, text: &str) {
    let txn = Txn { success: vec![KeyOperation::put("/other", text)], ..Txn::default() };
    store.gateway.txn(&txn).expect("it is put");
}

fn row(what: &str, writers: usize, times: Vec<(f64, f64)>) {
    let ratio = quantile(times.iter().map(|(ours, theirs)| ours / theirs).collect(), 0.5);
    let (ours, theirs): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
    let shown = |times| {
        let each = quantile(times, 0.5);
        let time = if writers == 1 { format!("{each:.1} ms, ") } else { String::new() };
        format!("{time}{:.0}/s", 1e3 / each)
    };
    println!("| {what} | {} | {} | {ratio:.1} |", shown(ours), shown(theirs));
}
