//! Several processes over one file.

use std::io::{BufRead, BufReader, Read};
use std::thread;

use mediactl::store::Store;
use mediactl::store::file::ConfFile;

use super::{CONF, Place, Run, SAMPLE, UNTIL_FREE};

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
fn a_waiting_command_names_the_holder_of_the_lock_and_goes_on() {
    let place = Place::with(SAMPLE);
    let conf = ConfFile::resolve(&place.path(CONF)).expect("the file is there");
    let lock = conf.writer(UNTIL_FREE, &mut |_| {}).expect("nobody holds it");
    let mut waiter = place.mediactl(["modify", "--set", "rtsp=1"]).start();
    let mut said = BufReader::new(waiter.stderr.take().expect("stderr is a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("what it says is text");
    assert!(line.contains(&format!("waiting for process {}", std::process::id())), "{line}");
    place.run(["read"]).exits(0);
    place.run(["modify", "--dry-run", "--set", "rtsp=2"]).exits(0);
    drop(lock);
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("what it says is text");
    Run::of(waiter.wait_with_output().expect("the waiter ends")).exits(0);
    assert_eq!(rest.lines().count(), 1, "{rest}");
}
