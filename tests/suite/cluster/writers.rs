//! Many write at the same time, and members of etcd die meanwhile.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mediaconf::Request;
use mediactl::engine::{ChangeOptions, ConfigService, Engine, Hooks, RequestedChange};
use mediactl::error::ErrorKind;
use mediactl::store::etcd::GatewaySettings;
use serde_json::json;

use super::etcd::Etcd;
use crate::cli::SAMPLE;
use crate::waiting::eventually;

const WRITERS: usize = 8;

#[derive(Default)]
struct Told {
    made: Vec<String>,
    refused: Vec<String>,
    unknown: Vec<String>,
}

#[test]
fn what_was_acknowledged_outlives_the_leader() {
    let Some(mut etcd) = Etcd::start(3) else { return };
    let engine = |timeout| {
        let store = etcd.store("/p", GatewaySettings::default()).with_time(Duration::from_secs(timeout));
        Engine::new(Arc::new(store), Hooks::default(), |_, _| {})
    };
    let first = engine(20);
    first
        .save(&bytes::Bytes::from_static(SAMPLE.as_bytes()), &ChangeOptions::default())
        .expect("etcd is ready");
    let (is_over, made) = (AtomicBool::new(false), AtomicUsize::new(0));
    let engines: Vec<Engine> = (0..WRITERS).map(|writer| engine([2, 10][writer % 2])).collect();
    let told: Vec<Told> = thread::scope(|scope| {
        let threads: Vec<_> = engines
            .iter()
            .enumerate()
            .map(|(writer, engine)| {
                let (is_over, made) = (&is_over, &made);
                scope.spawn(move || write(writer, engine, is_over, made))
            })
            .collect();
        for is_killed in [true, false] {
            wait_for(&made, 30);
            let leader = etcd.leader();
            match is_killed {
                true => etcd.kill(leader),
                false => etcd.pause(leader),
            }
            // Writers go on without it.
            wait_for(&made, 30);
            match is_killed {
                true => etcd.run(leader),
                false => etcd.go_on(leader),
            }
        }
        wait_for(&made, 30);
        is_over.store(true, Ordering::SeqCst);
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    let text = first.read().expect("etcd is there");
    let text = text.document().text();
    let has = |stream: &String| text.contains(&format!("stream {stream} "));
    let all = |which: fn(&Told) -> &Vec<String>| told.iter().flat_map(which).collect::<Vec<_>>();
    let (made, refused, unknown) =
        (all(|told| &told.made), all(|told| &told.refused), all(|told| &told.unknown));
    println!("{} made, {} refused, {} unknown", made.len(), refused.len(), unknown.len());
    let lost: Vec<_> = made.into_iter().filter(|stream| !has(stream)).collect();
    assert!(lost.is_empty(), "acknowledged, and not there: {lost:?}");
    let kept: Vec<_> = refused.into_iter().filter(|stream| has(stream)).collect();
    assert!(kept.is_empty(), "refused, and there: {kept:?}");
}

fn wait_for(made: &AtomicUsize, more: usize) {
    let until = made.load(Ordering::SeqCst) + more;
    eventually(|| made.load(Ordering::SeqCst) >= until);
}

fn write(writer: usize, engine: &Engine, is_over: &AtomicBool, made: &AtomicUsize) -> Told {
    let mut told = Told::default();
    for number in 0.. {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let stream = format!("w{writer}-{number}");
        let patch = json!({"streams": {&stream: {"urls": [{"url": "fake://x"}]}}});
        let change = RequestedChange::Modify(Cow::Owned(Request::from(patch)));
        match engine.change(change, &ChangeOptions::default()) {
            Ok(_) => {
                told.made.push(stream);
                made.fetch_add(1, Ordering::SeqCst);
            }
            Err(refusal) if refusal.kind == ErrorKind::OutcomeUnknown => told.unknown.push(stream),
            Err(refusal) if matches!(refusal.kind, ErrorKind::ClusterUnavailable | ErrorKind::Overtaken) => {
                told.refused.push(stream);
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    told
}
