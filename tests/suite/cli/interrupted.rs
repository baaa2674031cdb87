//! Ctrl-C while a change is under way: one line says what became of it.

use std::fs;

use rustix::process::Signal;

use super::serve::Serving;
use super::terminal::Terminal;
use super::{CONF, Place, SAMPLE};
use crate::waiting::eventually;

/// A hook that says that it runs, and takes its time the first time.
const SLOW: &str = "echo x >> runs; [ $(wc -l < runs) -gt 1 ] || { touch begun; sleep 60; }";

fn begun(place: &Place) {
    eventually(|| place.path("begun").exists());
}

fn start(place: &Place, flags: &[&str]) -> Terminal {
    place.mediactl(["modify", "--set", "rtsp=555"].iter().chain(flags)).on_terminal()
}

#[test]
fn in_a_check_nothing_was_changed() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let place = Place::with(SAMPLE);
        let mut terminal = start(&place, &["--check-cmd", SLOW]);
        begun(&place);
        let seen = terminal.signal(signal).expect("nothing was changed").exits(code);
        assert_eq!(seen.lines().count(), 1, "{seen}");
        assert_eq!(place.text(), SAMPLE);
        assert_eq!(place.names(), ["begun", CONF, "runs"]);
    }
}

#[test]
fn in_a_reload_the_change_is_rolled_back() {
    let place = Place::with(SAMPLE);
    let mut terminal = start(&place, &["--reload-cmd", SLOW]);
    begun(&place);
    assert!(place.text().contains("rtsp 555;"), "the reload command runs after the write");
    let seen = terminal.signal(Signal::INT).expect("the change was rolled back").exits(130);
    assert_eq!(seen.lines().count(), 1, "{seen}");
    assert_eq!(place.text(), SAMPLE);
    let runs = fs::read_to_string(place.path("runs")).expect("the hook ran");
    assert_eq!(runs.lines().count(), 2, "the reload command runs again with the old text");
}

#[test]
fn while_a_server_makes_the_change_it_may_be_made() {
    let place = Place::with(SAMPLE);
    let server = Serving::with(&place, &["--listen", "none", "--reload-cmd", SLOW]);
    let mut terminal = start(&place, &[]);
    begun(&place);
    let seen = terminal.signal(Signal::INT).expect("media.conf may have made it").exits(130);
    assert_eq!(seen.lines().count(), 1, "{seen}");
    drop(server);
}
