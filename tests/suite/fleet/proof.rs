//! Faults while a change with `--canary` is made on several servers: once the time to confirm is over, no mixture is left.
//!
//! `cargo test` has few servers; the proof with 100 of them is run by
//!
//! ```text
//! cargo test --release --test suite -- --ignored --nocapture fleet::proof
//! ```

use std::fs;
use std::process::Command;

use rustix::process::Signal;

use super::Edges;
use crate::cli::serve::Serving;
use crate::cli::{Place, Run, SAMPLE, with_rtsp};
use crate::waiting::eventually;

const FEW: usize = 8;

const MANY: usize = 100;

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

const FAULTS: [Fault; 5] = [Fault::StoppedBefore, Fault::Killed, Fault::Stopped, Fault::Full, Fault::Slow];

/// Servers whose reload command does what is in their file `fault`.
fn edges(count: usize) -> Edges {
    let options = ["--reload-cmd", "test ! -f fault || . ./fault", "--hook-timeout", "3"];
    Edges::with(&vec![SAMPLE.to_owned(); count], &options)
}

const CHANGE: &str =
    "-x edge-* --timeout 4 modify --set rtsp=1935 --yes --canary 1 --soak 1s --change deploy --confirm 25s";

fn run(edges: &Edges) -> Run {
    edges.run(&CHANGE.split(' ').collect::<Vec<_>>())
}

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
    let state = edges.on_all(&["read", "-o", "compact", "rtsp"]).exits(0).json();
    let port = if code == Some(0) { 1935 } else { 554 };
    assert!(state.as_object().expect("it is one").values().all(|found| *found == port), "{what}: {state}");
}

/// One fault, at one server and at one time: the change is made nowhere.
fn story(count: usize, fault: Fault) {
    let mut edges = edges(count);
    let at = count / 2;
    plant(&edges, at, fault);
    let (run, what) = (run(&edges), format!("{fault:?}"));
    assert!(!matches!(run.code, Some(0 | 11)), "{what}: {run:#?}");
    assert!(run.out.contains(&format!("edge-{at}  ")), "{what}: {run:#?}");
    recover(&mut edges);
    no_mixture(&edges, run.code, &what);
    // The same change is made once all are well.
    let again = self::run(&edges).exits(0);
    no_mixture(&edges, again.code, &what);
}

#[test]
fn a_server_that_is_stopped_before_the_change() {
    story(FEW, FAULTS[0]);
}

#[test]
fn a_server_that_is_killed_or_stopped_in_the_middle_of_the_change() {
    FAULTS[1..3].iter().for_each(|fault| story(FEW, *fault));
}

#[test]
fn a_server_that_is_full_or_slow() {
    FAULTS[3..].iter().for_each(|fault| story(FEW, *fault));
}

#[test]
#[ignore = "takes minutes: a hundred servers"]
fn a_hundred_servers() {
    let healthy = edges(MANY);
    for arguments in
        [&["read", "-o", "compact", "rtsp"][..], &["status"], &["modify", "--set", "rtsp=554", "--yes"]]
    {
        healthy.on_all(arguments).exits(0);
    }
    let run = run(&healthy).exits(0);
    no_mixture(&healthy, run.code, "healthy");
    drop(healthy);
    for fault in FAULTS {
        story(MANY, fault);
        println!("{MANY} servers: {fault:?}: made nowhere");
    }
}
