//! What a command waits for, and says: a hook, a server, another writer, a change of another that has to be confirmed.

use std::io::{BufRead, BufReader, Read};

use mediactl::store::Store;
use mediactl::store::file::ConfFile;

use super::hooks::HELD;
use super::serve::Serving;
use super::{CONF, Place, Run, SAMPLE, UNTIL_FREE};
use crate::fleet::Edges;
use crate::waiting::eventually;

#[test]
fn a_terminal_shows_what_takes_long_and_a_pipe_does_not() {
    for (hook, what) in [("--reload-cmd", "the reload command"), ("--check-cmd", "the check command")] {
        let [shown, piped] = [(), ()].map(|()| Place::with(SAMPLE));
        let call = |place: &Place| {
            place.put_fifo("gate");
            place.mediactl(["modify", "streams.cam1.prepush=1", "--hook-timeout", "60", hook, HELD])
        };
        let in_pipe = call(&piped).start();
        eventually(|| piped.path("runs").exists());
        let mut terminal = call(&shown).on_terminal();
        terminal.expect(&format!("waiting for {what}, since ")).expect(" (1 s)\x1b[K");
        [&shown, &piped].into_iter().for_each(Place::open_gate);
        let seen = terminal.expect("\x1b[K--- media.conf\n").exits(0);
        assert!(seen.ends_with("1 line removed\n"), "{seen}");
        let output = in_pipe.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !told.contains("waiting") && !told.contains('\x1b'), "{told}");
    }
}

#[test]
fn a_change_waits_until_another_one_is_confirmed() {
    let place = Place::with(SAMPLE);
    let _serving = Serving::over(&place);
    let pending = |http: &str, decided: &[&str], rtsp: &str| {
        place.run(["modify", http, "--confirm", "1h"]).exits(0);
        place.set(&[rtsp]).exits(5);
        let waits = ["modify", rtsp, "--wait-pending"];
        place.run([&waits[..], &["1s"]].concat()).exits(5).says("waits to be confirmed");
        place.run([&waits[..], &["1h", "--dry-run"]].concat()).exits(0);
        let mut waiting = place.mediactl([&waits[..], &["1h"]].concat()).on_terminal();
        waiting.expect("waiting until another change is confirmed, since ");
        place.run([&["confirm"], decided].concat()).exits(0);
        waiting.expect("changed media.conf").exits(0);
    };
    pending("http=81", &[], "rtsp=1");
    pending("http=82", &["--rollback"], "rtsp=2");
    assert_eq!(place.text(), SAMPLE.replace("http 80", "http 81").replace("rtsp 554", "rtsp 2"));
}

#[test]
fn servers_wait_until_another_change_is_confirmed() {
    let edges = Edges::new(2);
    edges.run("-x edge-1 modify http=81 --confirm 1h").exits(0);
    let set = "-x edge-* modify rtsp=1 --yes --wait-pending";
    edges.run(&format!("{set} 1s")).exits(11);
    let mut waiting = edges.call(&format!("{set} 1h")).on_terminal();
    waiting.expect("evaluate: 1 of 2 servers, since ");
    edges.run("-x edge-1 confirm").exits(0);
    waiting.expect("edge-1  changed").exits(0);
    assert!(edges.texts().iter().all(|text| text.contains("rtsp 1;")));
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
    place.line("read").exits(0);
    place.line("modify --dry-run --set rtsp=2").exits(0);
    drop(lock);
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("what it says is text");
    Run::of(waiter.wait_with_output().expect("the waiter ends")).exits(0);
    assert_eq!(rest.lines().count(), 1, "{rest}");
}
