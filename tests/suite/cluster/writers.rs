//! Many write at the same time, and members of etcd die meanwhile.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mediaconf::Request;
use mediactl::engine::{ChangeOptions, ConfigService, Engine, Hooks, Operation, RequestedChange};
use mediactl::error::ErrorKind;
use mediactl::store::etcd::GatewaySettings;
use serde_json::json;

use super::etcd::Etcd;
use crate::cli::SAMPLE;
use crate::waiting::eventually;

const WRITERS: usize = 8;

/// The streams that a writer adds, and why one is not made.
type Told = Vec<(String, Option<ErrorKind>)>;

#[test]
fn what_was_acknowledged_outlives_the_leader() {
    let Some(mut etcd) = Etcd::start(3) else { return };
    let engine = |timeout| {
        let store = etcd.store("/p", GatewaySettings::default()).with_time(Duration::from_secs(timeout));
        Engine::new(Arc::new(store), Hooks::default(), |_, _| {})
    };
    let first = engine(20);
    first
        .replace_as(Operation::Save, &bytes::Bytes::from_static(SAMPLE.as_bytes()), &ChangeOptions::default())
        .expect("etcd is ready");
    let (is_over, made) = (AtomicBool::new(false), AtomicUsize::new(0));
    let engines: Vec<Engine> = (0..WRITERS).map(|writer| engine([2, 10][writer % 2])).collect();
    let told: Vec<Told> = thread::scope(|scope| {
        let (is_over, made) = (&is_over, &made);
        let start = |(writer, engine)| scope.spawn(move || write(writer, engine, is_over, made));
        let threads: Vec<_> = engines.iter().enumerate().map(start).collect();
        wait_for(made, 30);
        let leader = etcd.leader();
        etcd.kill(leader);
        // Writers go on without it.
        wait_for(made, 30);
        etcd.run(leader);
        wait_for(made, 30);
        let leader = etcd.leader();
        etcd.pause(leader);
        wait_for(made, 30);
        etcd.go_on(leader);
        wait_for(made, 30);
        is_over.store(true, Ordering::SeqCst);
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    let text = first.read().expect("etcd is there");
    let text = text.document().text();
    let has = |stream: &str| text.contains(&format!("stream {stream} "));
    let (made, refused): (Vec<_>, Vec<_>) = told.into_iter().flatten().partition(|(_, why)| why.is_none());
    let lost: Vec<_> = made.iter().filter(|(stream, _)| !has(stream)).collect();
    assert!(lost.is_empty(), "acknowledged, and not there: {lost:?}");
    let is_unknown = |why: &Option<ErrorKind>| *why == Some(ErrorKind::OutcomeUnknown);
    let kept: Vec<_> = refused.iter().filter(|(stream, why)| has(stream) && !is_unknown(why)).collect();
    assert!(kept.is_empty(), "refused, and there: {kept:?}");
    println!("{} made, {} refused or unknown", made.len(), refused.len());
}

fn wait_for(made: &AtomicUsize, more: usize) {
    let until = made.load(Ordering::SeqCst) + more;
    eventually(|| made.load(Ordering::SeqCst) >= until);
}

fn write(writer: usize, engine: &Engine, is_over: &AtomicBool, made: &AtomicUsize) -> Told {
    let mut told = Told::new();
    for number in 0.. {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let stream = format!("w{writer}-{number}");
        let patch = json!({"streams": {&stream: {"urls": [{"url": "fake://x"}]}}});
        let change = RequestedChange::Modify(Cow::Owned(Request::from(patch)));
        let why = engine.change(change, &ChangeOptions::default()).err().map(|refusal| refusal.kind);
        match why {
            None => drop(made.fetch_add(1, Ordering::SeqCst)),
            Some(ErrorKind::OutcomeUnknown | ErrorKind::ClusterUnavailable | ErrorKind::Overtaken) => {}
            Some(_) => panic!("{stream}: {why:?}"),
        }
        told.push((stream, why));
    }
    told
}
