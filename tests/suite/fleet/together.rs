//! Changes that are made on all servers or on none.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::Edges;
use super::proxy::{Fate, Proxy};
use crate::cli::hooks::HELD;
use crate::cli::{PROGRAM, Run, SAMPLE};
use crate::http::client::bare::bare;
use crate::waiting::{eventually, let_pass};

/// A change on all servers or on none, with more options.
fn change(edges: &Edges, more: &[&str]) -> Run {
    let change = ["modify", "--set", "rtsp=1935", "--yes", "--all-or-nothing"];
    edges.on_all(&[&change[..], more].concat())
}

fn changed() -> String {
    SAMPLE.replace("rtsp 554;", "rtsp 1935;")
}

/// Each server runs this, and nothing waits.
#[track_caller]
fn all_run(edges: &Edges, text: &str) {
    assert_eq!(edges.texts(), vec![text; edges.places.len()]);
    let status = edges.on_all(&["status"]).exits(0);
    assert_eq!(status.out.matches("  saved  -  ").count(), edges.places.len(), "{}", status.out);
}

#[test]
fn all_servers_make_the_change_and_are_confirmed() {
    let edges = Edges::new(3);
    let run = change(
        &edges,
        &["--canary", "1", "--canary-time", "1s", "--health-cmd", "test -n $MEDIACTL_CONTEXT"],
    );
    let run = run.exits(0).prints("edge-0  changed  +1 -1  -\nedge-1  changed");
    run.says("edge-0: healthy for 1 s\n").hides("waits to be confirmed").hides("confirmed\n");
    all_run(&edges, &changed());
    change(&edges, &["--exit-code"]).exits(0).prints("edge-2  unchanged");
    change(&edges, &["--canary", "edge-9"]).exits(2).says("the servers are edge-[0-2] (3)");
    for count in ["0", "4"] {
        change(&edges, &["--canary", count]).exits(2).says("3 servers are named");
    }
    edges.run(&["-x", "edge-1", "modify", "--set", "rtsp=2"]).exits(0);
    let set = ["modify", "--set", "rtsp=2", "--yes", "--all-or-nothing", "--canary", "edge-1"];
    edges.on_all(&set).exits(6).says("so nobody would try it").says("no server was changed");
    assert_eq!(edges.texts()[0], changed());
    edges.run(&["-x", "edge-0", "modify", "--set", "rtsp=1", "--all-or-nothing"]).exits(2);
}

#[test]
fn a_server_that_refuses_takes_the_change_back_everywhere() {
    let edges = Edges::with(&vec![SAMPLE.to_owned(); 3], &["--reload-cmd", "! test -f bad"]);
    edges.places[1].put("bad", "");
    change(&edges, &[])
        .exits(9)
        .prints("edge-0  taken back")
        .prints("edge-1  refused")
        .says("the reload command");
    all_run(&edges, SAMPLE);
    // Before anything is sent.
    edges.run(&["-x", "edge-1", "rm", "streams.cam1"]).exits(9);
    let run = edges.on_all(&["modify", "--expect", "rtsp=5", "--set", "rtsp=6", "--yes", "--all-or-nothing"]);
    run.exits(5).prints("edge-0  refused");
}

#[test]
fn failed_health_takes_the_change_back_and_a_canary_keeps_the_others_untouched() {
    let edges = Edges::new(3);
    let sick = ["--health-cmd", "test $MEDIACTL_CONTEXT != edge-1"];
    let run = change(&edges, &sick).exits(6).says("`edge-1`: it is not healthy: the health command");
    run.prints("edge-0  taken back").prints("edge-1  taken back  +1 -1  it is not healthy");
    all_run(&edges, SAMPLE);
    let canary =
        change(&edges, &[&sick[..], &["--canary", "edge-1", "--canary-time", "5s"]].concat()).exits(6);
    canary.prints("edge-0  not changed").prints("edge-1  taken back").prints("edge-2  not changed");
    let edits =
        |at: usize| edges.run(&["-x", &format!("edge-{at}"), "history", "-o", "json"]).exits(0).json();
    assert_eq!(edits(0).as_array().map(Vec::len), Some(2), "it was never tried again");
    assert_eq!(edits(1).as_array().map(Vec::len), Some(4));
    // What can't suffice is told before anything is sent.
    let before = edits(0);
    for (options, enough) in [
        (&["--confirm", "5s"][..], "`--confirm 90s`"),
        (&["--confirm", "60s", "--batch", "1", "--pause", "30s"], "`--confirm 150s`"),
        (&["--confirm", "69s", "--canary", "1", "--canary-time", "1m"], "`--confirm 150s`"),
        (&["--batch", "1", "--pause", "20h"], "shorter pauses"),
    ] {
        change(&edges, options).exits(2).says("too short a time to confirm").says(enough);
    }
    let plain = ["modify", "--set", "rtsp=1935", "--yes", "--confirm", "9s", "--batch", "1", "--pause", "5s"];
    edges.on_all(&plain).exits(2).says("`--confirm 100s` suffices");
    assert_eq!(edits(0), before);
    all_run(&edges, SAMPLE);
}

#[test]
fn a_server_with_only_the_four_operations_is_refused_by_name() {
    let (foreign, edges) = (bare(), Edges::new(1));
    let own = edges.servers[0].as_ref().expect("it runs").url.clone();
    edges.put_contexts(&[own, foreign.url()], "");
    let run = change(&edges, &[]).exits(7);
    let run = run.says("edge-1 (").says("does not offer dry runs").prints("edge-0  not changed");
    run.says("nothing that needs it was sent to this server");
    assert!(foreign.requests().iter().all(|request| request.method == "GET"));
    all_run_but_foreign(&edges);
    // A time to confirm the change is refused before the others have it.
    let run = edges.on_all(&["modify", "--set", "rtsp=7", "--yes", "--confirm", "1h"]).exits(11);
    let run = run.prints("edge-0  changed").prints("edge-1  refused  -      not offered");
    run.hides("nothing was changed");
    edges.run(&["-x", "edge-0", "confirm", "--rollback"]).exits(0);
    // Without the promise it is changed like any other.
    edges.on_all(&["modify", "--set", "rtsp=1935", "--yes"]).exits(0).prints("edge-1  changed");
}

#[track_caller]
fn all_run_but_foreign(edges: &Edges) {
    assert_eq!(edges.texts(), [SAMPLE]);
}

#[test]
fn a_signal_before_the_first_confirmation_takes_the_change_back() {
    let edges = Edges::new(2);
    let arguments = ["-x", "edge-*", "modify", "--set", "rtsp=1935", "--yes", "--all-or-nothing"];
    let wait = ["--canary", "1", "--canary-time", "60s"];
    let mut terminal =
        edges.call(&[&arguments[..], &wait].concat()).env("TERM", "xterm").on_terminal_of(24, 80);
    terminal.expect("check ");
    let seen = terminal.signal(Signal::INT).exits(130);
    assert!(seen.contains("edge-0  taken back") && seen.contains("edge-1  not changed"), "{seen}");
    all_run(&edges, SAMPLE);
}

#[test]
fn servers_to_which_nothing_was_sent_are_not_changed() {
    let hook = format!("test ! -f slow || {{ rm slow; {HELD}; }}");
    let edges = Edges::with(&vec![SAMPLE.to_owned(); 3], &["--reload-cmd", &hook]);
    edges.places[0].put("slow", "");
    edges.places[0].put_fifo("gate");
    let set = ["-x", "edge-*", "--jobs", "1", "modify", "--set", "rtsp=1935", "--yes", "--all-or-nothing"];
    let mut terminal = edges.call(&set).env("TERM", "xterm").on_terminal_of(24, 80);
    terminal.expect("try ");
    eventually(|| edges.places[0].path("runs").exists());
    terminal.signal(Signal::INT);
    edges.places[0].open_gate();
    let seen = terminal.exits(130);
    assert!(seen.contains("edge-0  taken back") && seen.contains("edge-2  not changed  +1 -1  -"), "{seen}");
    all_run(&edges, SAMPLE);
}

#[test]
fn what_another_client_confirms_is_confirmed() {
    let edges = Edges::new(2);
    let confirms = "test $MEDIACTL_CONTEXT != edge-1 || mediactl confirm --quiet";
    let path = format!("{}:/usr/bin:/bin", program_folder());
    let set = [
        "-x",
        "edge-*",
        "modify",
        "--set",
        "rtsp=1935",
        "--yes",
        "--all-or-nothing",
        "--health-cmd",
        confirms,
    ];
    edges.call(&set).env("PATH", &path).run().exits(0).prints("edge-1  changed");
    all_run(&edges, &changed());
    // Where another server fails then, the one that keeps the change is named.
    let fails = "if test $MEDIACTL_CONTEXT = edge-1; then mediactl confirm --quiet; else false; fi";
    let set =
        ["-x", "edge-*", "modify", "--set", "rtsp=7", "--yes", "--all-or-nothing", "--health-cmd", fails];
    let run = edges.call(&set).env("PATH", &path).run().exits(11).says("edge-1: confirmed by others");
    run.prints("edge-0  taken back").prints("edge-1  changed").says("the same command with `--change ");
    edges.run(&["-x", "edge-1", "rollback", "last"]).exits(0);
    all_run(&edges, &changed());
}

/// The folder of the program.
fn program_folder() -> String {
    let program = std::path::Path::new(PROGRAM);
    program.parent().expect("it is in a folder").display().to_string()
}

#[test]
fn what_cannot_keep_the_promise_is_refused_by_name_before_anything_is_sent() {
    let edges = Edges::new(2);
    let urls: Vec<String> = edges.servers.iter().flatten().map(|server| server.url.clone()).collect();
    let account = ["modify", "--set", "edit_auth.password=another", "--yes", "--all-or-nothing"];
    edges.on_all(&account).exits(6).says("`edge-0`, `edge-1`: the change sets another login or password");
    let cluster = "etcd://127.0.0.1:1/media/prod".to_owned();
    edges.put_contexts(&[urls[0].clone(), cluster], "");
    change(&edges, &[]).exits(2).says("`--all-or-nothing` is for servers, and edge-1 is a cluster");
    assert_eq!(edges.texts(), vec![SAMPLE; 2]);
}

#[test]
fn a_lost_answer_is_found_out() {
    let edges = Edges::new(2);
    let urls: Vec<String> = edges.servers.iter().flatten().map(|server| server.url.clone()).collect();
    let proxy = Proxy::to(&urls[1]);
    edges.put_contexts(&[urls[0].clone(), proxy.url.clone()], "");
    // Of the change: it is taken back, although its id is not known.
    proxy.on("\"dry_run\":false", Fate::Unanswered);
    change(&edges, &[]).exits(7).prints("edge-0  taken back").prints("edge-1  taken back");
    proxy.on("nothing", Fate::Cut);
    all_run(&edges, SAMPLE);
    // Of the confirmation: the server runs the change, and nothing waits.
    proxy.on("confirm_config", Fate::Unanswered);
    change(&edges, &[]).exits(0).prints("edge-1  changed");
    proxy.on("nothing", Fate::Cut);
    all_run(&edges, &changed());
}

/// Three servers, of which the second one went back, because no confirmation reached it; and the id of the change.
fn cut_between_two_confirmations() -> (Edges, String) {
    let edges = Edges::new(3);
    let urls: Vec<String> = edges.servers.iter().flatten().map(|server| server.url.clone()).collect();
    let proxy = Proxy::to(&urls[1]);
    edges.put_contexts(&[urls[0].clone(), proxy.url.clone(), urls[2].clone()], "");
    proxy.on("confirm_config", Fate::Cut);
    let run = change(&edges, &["--confirm", "30s", "-m", "why"]).exits(11);
    let run = run.prints("edge-0  changed  ").prints("edge-1  unknown").prints("edge-2  changed");
    let id = id_of(&run);
    run.says(&format!("the same command with `--change {id}` makes the change on the others"));
    proxy.on("nothing", Fate::Cut);
    eventually(|| !edges.on_all(&["status"]).out.contains("s left"));
    edges.put_contexts(&urls, "");
    (edges, id)
}

#[test]
fn a_cut_between_two_confirmations_is_named_and_the_same_command_goes_on() {
    let (edges, id) = cut_between_two_confirmations();
    let run = change(&edges, &["--change", &id]).exits(0);
    run.prints("edge-0  unchanged").prints("edge-1  changed").prints("edge-2  unchanged");
    all_run(&edges, &changed());
}

#[test]
fn a_cut_between_two_confirmations_is_taken_back() {
    let (edges, id) = cut_between_two_confirmations();
    let run = edges.on_all(&["rollback", "--change", &id, "--yes"]).exits(0);
    run.prints("edge-0  changed").prints("edge-1  unchanged");
    all_run(&edges, SAMPLE);
}

#[test]
fn the_same_command_confirms_where_the_change_waits() {
    let edges = Edges::new(3);
    let waits =
        ["-x", "edge-[01]", "modify", "--set", "rtsp=1935", "--change", "deploy-7", "--confirm", "1h"];
    edges.run(&[&waits[..], &["--yes", "-q"]].concat()).exits(0);
    change(&edges, &["--change", "deploy-7", "--dry-run"]).exits(0).prints("edge-2  would change");
    let run = change(&edges, &["--change", "deploy-7"]).exits(0);
    run.says("edge-0, edge-1: it has this change already")
        .prints("edge-0  confirmed")
        .prints("edge-2  changed");
    all_run(&edges, &changed());
    // Where one fails, what waited goes back, too.
    edges.run(&[&waits[..5], &["rtsp=554", "--change", "b", "--confirm", "1h", "--yes", "-q"]].concat());
    let failed = ["modify", "--set", "rtsp=554", "--change", "b", "--all-or-nothing", "--yes"];
    edges.on_all(&[&failed[..], &["--health-cmd", "false"]].concat()).exits(6);
    all_run(&edges, &changed());
}

/// The id of the change that a run names.
fn id_of(run: &Run) -> String {
    let (_, rest) = run.err.split_once("this is change ").expect("the run names its change");
    rest.split_once(':').expect("an id ends").0.to_owned()
}

#[test]
fn a_command_that_is_killed_leaves_no_mixture_that_the_same_command_does_not_end() {
    let edges = Edges::new(3);
    let add = |url: &str, id: &str| {
        let set = format!("streams.cam1.urls[+]={url}");
        let change = ["-x", "edge-*", "modify", "--set", &set, "--change", id, "--all-or-nothing", "--yes"];
        change.into_iter().chain(["--confirm", "15s"]).map(str::to_owned).collect::<Vec<_>>()
    };
    let call = |arguments: &[String]| edges.call(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let begin = Instant::now();
    call(&add("udp://h:99", "whole")).run().exits(0);
    let whole = begin.elapsed();
    for kill in 0..10 {
        let (url, id) = (format!("udp://h:1{kill}"), format!("kill-{kill}"));
        let add = add(&url, &id);
        let mut command = call(&add).start();
        let_pass(whole * kill / 9);
        // It may have ended already.
        let _ = command.kill();
        command.wait().expect("it ends");
        if kill % 4 == 1 {
            // Each server goes back by itself, unless it was confirmed.
            let_pass(Duration::from_secs(16));
            eventually(|| !edges.on_all(&["status"]).out.contains("s left"));
        }
        // Where too little time was left, all went back.
        let again = (0..3).map(|_| call(&add).run()).find(|run| run.code == Some(0));
        assert!(again.is_some(), "kill {kill}");
        let texts = edges.texts();
        assert!(texts.iter().all(|text| text.matches(&url).count() == 1), "kill {kill}: {texts:?}");
        let made = edges.on_all(&["history", "--change", &id, "-o", "json"]).exits(0).json();
        for at in 0..3 {
            let entries = made[format!("edge-{at}")].as_array().expect("it has the change");
            let of = |name| entries.iter().filter(|entry| entry["operation"] == name).count();
            assert_eq!(of("modify"), of("expired") + 1, "kill {kill}: {entries:?}");
        }
    }
}

#[test]
fn a_server_gets_five_requests_at_most_and_sends_no_whole_configuration() {
    let more: String = (0..200).map(|at| format!("stream s{at} {{\n  url udp://h:{at};\n}}\n")).collect();
    let whole = format!("{SAMPLE}{more}");
    for (arguments, most) in [
        (&["modify", "--set", "rtsp=1935"][..], 5),
        (&["modify", "--set", "streams.s1.title=x", "--health-cmd", "true"], 5),
        (&["mv", "streams.cam1", "streams.lobby"], 5),
        (&["cp", "streams.cam1", "streams.lobby"], 5),
        (&["rm", "streams.cam1"], 5),
        (&["rollback", "last"], 5),
        (&["fmt"], 5),
    ] {
        let mut edges = Edges::of(&vec![whole.replace("rtsp 554;", "rtsp   554;"); 2]);
        for place in &edges.places {
            place.run(["modify", "-q", "--set", "rtmp=7"]).exits(0);
        }
        let logged = |edges: &mut Edges| {
            let servers = edges.servers.iter_mut().map(|server| server.take().expect("it runs").stop().err);
            servers.collect::<Vec<_>>()
        };
        edges
            .on_all(&[arguments, &["--yes", "--all-or-nothing"]].concat())
            .exits(0)
            .prints("edge-1  changed");
        for log in logged(&mut edges) {
            // The clients of the file came over its socket.
            let asked: Vec<&str> = log.lines().filter(|line| line.contains(" 127.0.0.1")).collect();
            assert!((1..=most).contains(&asked.len()), "{arguments:?}\n{log}");
            let bytes = |line: &&str| line.split(' ').nth(6).and_then(|bytes| bytes.parse::<usize>().ok());
            let largest = asked.iter().map(|line| bytes(line).expect("it is logged")).max();
            assert!(largest < Some(whole.len() / 4), "{arguments:?}\n{log}");
        }
    }
}
