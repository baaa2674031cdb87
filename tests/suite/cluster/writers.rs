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

/// Returns `count` writers of one configuration.
pub fn engines(etcd: &Etcd, count: usize) -> Vec<Engine> {
    let engine = |_| {
        let store = etcd.store("/p", GatewaySettings::default());
        Engine::new(Arc::new(store), Hooks::default(), |_, _| {})
    };
    (0..count).map(engine).collect()
}

/// The answers that a writer got for its changes.
#[derive(Default)]
pub struct Told {
    pub made: Vec<String>,
    pub refused: Vec<String>,
    pub unknown: Vec<String>,
}

/// The faults of the members, one after the other.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    KillLeader,
    StopLeader,
    StopFollower,
}

#[test]
fn what_was_acknowledged_outlives_the_leader() {
    trouble(&[Trouble::KillLeader, Trouble::StopLeader]);
}

#[test]
#[ignore = "takes minutes"]
fn what_was_acknowledged_outlives_many_leaders() {
    trouble(&[Trouble::KillLeader, Trouble::StopLeader, Trouble::StopFollower].repeat(8));
}

fn trouble(all: &[Trouble]) {
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
        for trouble in all {
            wait_for(&made, 30);
            let leader = etcd.leader();
            let number = match trouble {
                Trouble::StopFollower => (leader + 1) % 3,
                Trouble::KillLeader | Trouble::StopLeader => leader,
            };
            match trouble {
                Trouble::KillLeader => etcd.kill(number),
                Trouble::StopLeader | Trouble::StopFollower => etcd.pause(number),
            }
            // Writers go on without it.
            wait_for(&made, 30);
            match trouble {
                Trouble::KillLeader => etcd.run(number),
                Trouble::StopLeader | Trouble::StopFollower => etcd.go_on(number),
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

/// Waits until `more` further changes are made.
pub fn wait_for(made: &AtomicUsize, more: usize) {
    let until = made.load(Ordering::SeqCst) + more;
    eventually(|| made.load(Ordering::SeqCst) >= until);
}

pub fn write(writer: usize, engine: &Engine, is_over: &AtomicBool, made: &AtomicUsize) -> Told {
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
