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
use crate::cli::{CONF, Run, SAMPLE};
use crate::waiting::eventually;

/// How many servers there are in the short form.
const FEW: usize = 8;

/// How many there are in full.
const MANY: usize = 100;

/// What befalls a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Killed,
    Stopped,
    /// The disk is full: no file can be written.
    Full,
    /// Its reload command takes longer than the others wait.
    Slow,
}

/// When it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// After the change was evaluated there, while others still are.
    Evaluate,
    /// While the server makes the change.
    Try,
}

/// Which faults come when.
const STORIES: [(Phase, Fault); 5] = [
    (Phase::Evaluate, Fault::Stopped),
    (Phase::Try, Fault::Killed),
    (Phase::Try, Fault::Stopped),
    (Phase::Try, Fault::Full),
    (Phase::Try, Fault::Slow),
];

/// Servers whose reload command does what is in their file `fault`.
fn edges(count: usize) -> Edges {
    let options = ["--reload-cmd", "test ! -f fault || . ./fault", "--hook-timeout", "3"];
    Edges::with(&vec![SAMPLE.to_owned(); count], &options)
}

fn changed() -> String {
    SAMPLE.replace("rtsp 554;", "rtsp 1935;")
}

/// The arguments of the change.
const CHANGE: &str =
    "-x edge-* --timeout 4 modify --set rtsp=1935 --yes --canary 1 --soak 1s --change deploy --confirm 25s";

fn run(edges: &Edges) -> Run {
    edges.run(&CHANGE.split(' ').collect::<Vec<_>>())
}

/// Plants the fault of one server.
fn plant(edges: &Edges, at: usize, phase: Phase, fault: Fault) {
    let server = edges.servers[at].as_ref().expect("it runs");
    let pid = server.pid();
    let deed = match fault {
        Fault::Killed => format!("kill -9 {pid}"),
        Fault::Stopped => format!("kill -STOP {pid}; sleep 1"),
        Fault::Slow => "sleep 60".to_owned(),
        Fault::Full => "true".to_owned(),
    };
    match (phase, fault) {
        (Phase::Evaluate, _) => server.signal(Signal::STOP),
        (_, Fault::Full) => {
            let limited = Command::new("prlimit").args(["--fsize=0:", "--pid", &pid.to_string()]).status();
            assert!(limited.expect("util-linux has it").success());
        }
        (Phase::Try, _) => edges.places[at].put("fault", deed),
    }
}

/// Restores the servers that a fault stopped, and waits until no change is pending.
fn recover(edges: &mut Edges) {
    for place in &edges.places {
        let _ = fs::remove_file(place.path("fault"));
    }
    let mut urls = Vec::new();
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
        urls.push(server.as_ref().expect("it runs").url.clone());
    }
    edges.put_contexts(&urls, "");
    let waits = |edges: &Edges| {
        let waiting = |place: &crate::cli::Place| place.path(&format!(".{CONF}.mediactl/pending")).exists();
        edges.places.iter().any(waiting)
    };
    eventually(|| !waits(edges));
}

/// All servers run the same text, the new one if the program said so.
#[track_caller]
fn no_mixture(edges: &Edges, code: Option<i32>, what: &str) {
    let expected = if code == Some(0) { changed() } else { SAMPLE.to_owned() };
    let others = edges.texts().iter().filter(|text| **text != expected).count();
    assert_eq!(others, 0, "{what}: exit code {code:?}, and {others} servers have another text");
    let state = edges.on_all(&["read", "-o", "compact", "rtsp"]).exits(0).json();
    let port = if code == Some(0) { 1935 } else { 554 };
    assert!(state.as_object().expect("it is one").values().all(|found| *found == port), "{what}: {state}");
}

/// One fault, at one server and at one time: the change is made nowhere.
fn story(count: usize, phase: Phase, fault: Fault) {
    let mut edges = edges(count);
    let at = count / 2;
    plant(&edges, at, phase, fault);
    let run = run(&edges);
    let what = format!("{fault:?} at {phase:?}");
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
    story(FEW, STORIES[0].0, STORIES[0].1);
}

#[test]
fn a_server_that_is_killed_or_stopped_in_the_middle_of_the_change() {
    STORIES[1..3].iter().for_each(|(phase, fault)| story(FEW, *phase, *fault));
}

#[test]
fn a_server_that_is_full_or_slow() {
    STORIES[3..].iter().for_each(|(phase, fault)| story(FEW, *phase, *fault));
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
    for (phase, fault) in STORIES {
        story(MANY, phase, fault);
        println!("{MANY} servers: {fault:?} at {phase:?}: made nowhere");
    }
}
