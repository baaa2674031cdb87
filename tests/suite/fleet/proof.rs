//! Faults while a change with `--canary` is made on several servers: once the time to confirm is over, no mixture is left.

use std::fs;
use std::process::Command;

use rustix::process::Signal;

use super::Edges;
use crate::cli::serve::Serving;
use crate::cli::{Place, SAMPLE, with_rtsp};
use crate::waiting::eventually;

const SERVERS: usize = 8;

/// What befalls a server while it makes the change.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Before: after the change was evaluated there, while others still are.
    StoppedBefore,
    Killed,
    Stopped,
    /// The disk is full: no file can be written.
    Full,
    /// Its reload command takes longer than the others wait.
    Slow,
}

const CHANGE: &str =
    "-x edge-* --timeout 4 modify --set rtsp=1935 --yes --canary 1 --soak 1s --change deploy --confirm 25s";

fn plant(edges: &Edges, at: usize, fault: Fault) {
    let server = edges.servers[at].as_ref().expect("it runs");
    let pid = server.pid();
    let deed = match fault {
        Fault::StoppedBefore => return server.signal(Signal::STOP),
        Fault::Killed => format!("kill -9 {pid}"),
        Fault::Stopped => format!("kill -STOP {pid}; sleep 1"),
        Fault::Slow => "sleep 60".to_owned(),
        Fault::Full => {
            let limited = Command::new("prlimit").args(["--fsize=0:", "--pid", &pid.to_string()]).status();
            return assert!(limited.expect("util-linux has it").success());
        }
    };
    edges.places[at].put("fault", deed);
}

/// Restores the servers that a fault stopped, and waits until no change is pending.
fn recover(edges: &mut Edges) {
    for place in &edges.places {
        let _ = fs::remove_file(place.path("fault"));
    }
    for (server, place) in edges.servers.iter_mut().zip(&edges.places) {
        let runs = server.as_ref().is_some_and(Serving::runs);
        if runs {
            let server = server.as_ref().expect("it runs");
            server.signal(Signal::CONT);
            let pid = server.pid().to_string();
            let _ = Command::new("prlimit").args(["--fsize=unlimited:", "--pid", &pid]).status();
        } else {
            *server = None;
            *server = Some(Serving::over(place));
        }
    }
    edges.put_contexts(&edges.urls());
    eventually(|| !edges.places.iter().any(Place::is_pending));
}

/// All servers run the same text, the new one if the program said so.
#[track_caller]
fn no_mixture(edges: &Edges, code: Option<i32>, what: &str) {
    let expected = if code == Some(0) { with_rtsp("1935") } else { SAMPLE.to_owned() };
    let others = edges.texts().iter().filter(|text| **text != expected).count();
    assert_eq!(others, 0, "{what}: exit code {code:?}, and {others} servers have another text");
    let state = edges.on_all("read -o compact rtsp").exits(0).json();
    let port = if code == Some(0) { 1935 } else { 554 };
    assert!(state.as_object().expect("it is one").values().all(|found| *found == port), "{what}: {state}");
}

/// One fault, at one server and at one time: the change is made nowhere.
fn story(fault: Fault) {
    // The reload command of each server does what is in its file `fault`.
    let options = ["--reload-cmd", "test ! -f fault || . ./fault", "--hook-timeout", "3"];
    let mut edges = Edges::with(SERVERS, &options);
    let at = SERVERS / 2;
    plant(&edges, at, fault);
    let (run, what) = (edges.run(CHANGE), format!("{fault:?}"));
    assert!(!matches!(run.code, Some(0 | 11)), "{what}: {run:#?}");
    assert!(run.out.contains(&format!("edge-{at}  ")), "{what}: {run:#?}");
    recover(&mut edges);
    no_mixture(&edges, run.code, &what);
    // The same change is made once all are well.
    let again = edges.run(CHANGE).exits(0);
    no_mixture(&edges, again.code, &what);
}

#[test]
fn a_server_that_is_stopped_before_the_change() {
    story(Fault::StoppedBefore);
}

#[test]
fn a_server_that_is_killed_or_stopped_in_the_middle_of_the_change() {
    [Fault::Killed, Fault::Stopped].into_iter().for_each(story);
}

#[test]
fn a_server_that_is_full_or_slow() {
    [Fault::Full, Fault::Slow].into_iter().for_each(story);
}
