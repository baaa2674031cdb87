//! Several processes over one file.

use std::thread;
use std::time::Duration;

use mediactl::store::ConfFile;

use super::{CONF, Place, SAMPLE, UNTIL_FREE};

const ROUNDS: usize = 50;

#[test]
fn two_writers_lose_nothing() {
    let place = Place::with("stream a udp://h:1;\nstream b udp://h:2;\n");
    thread::scope(|scope| {
        for name in ["a", "b"] {
            let place = &place;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    place.set(&[&format!("streams.{name}.mark{round}={round}")]).exits(0);
                }
            });
        }
    });
    let view = place.run(["read"]).exits(0).json();
    for name in ["a", "b"] {
        for round in 0..ROUNDS {
            assert_eq!(view["streams"][name][format!("mark{round}")], round, "{name} {round}");
        }
    }
    assert_eq!(place.names(), [CONF]);
}

#[test]
fn who_waits_says_for_whom_and_goes_on() {
    let place = Place::with(SAMPLE);
    let conf = ConfFile::resolve(&place.path(CONF)).expect("the file is there");
    let lock = conf.lock(UNTIL_FREE, &mut |_| {}).expect("nobody holds it");
    let run = thread::scope(|scope| {
        let waiter = scope.spawn(|| place.set(&["rtsp=1"]));
        thread::sleep(Duration::from_millis(1600));
        place.run(["read"]).exits(0);
        place.run(["modify", "--dry-run", "--set", "rtsp=2"]).exits(0);
        drop(lock);
        waiter.join().expect("the waiter ends")
    });
    let run = run.exits(0).says(&format!("waiting for process {}", std::process::id()));
    assert_eq!(run.err.lines().count(), 2, "{}", run.err);
}

#[test]
fn a_lock_that_stays_held_is_exit_5() {
    let place = Place::with(SAMPLE);
    let conf = ConfFile::resolve(&place.path(CONF)).expect("the file is there");
    let _lock = conf.lock(UNTIL_FREE, &mut |_| {}).expect("nobody holds it");
    place.set(&["rtsp=1"]).exits(5).says("is locked by").says("hint: try again");
    assert_eq!(place.text(), SAMPLE);
}
