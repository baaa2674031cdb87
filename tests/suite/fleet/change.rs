//! Changes of several servers, each for itself.

use std::fs;

use rustix::process::Signal;
use serde_json::json;

use super::Edges;
use crate::cli::SAMPLE;
use crate::cli::hooks::HELD;
use crate::cli::terminal::Terminal;
use crate::cluster::etcd::Etcd;
use crate::waiting::eventually;

#[test]
fn a_change_is_shown_once_agreed_to_once_and_made_on_all() {
    let edges = Edges::new(3);
    let set = ["modify", "--set", "rtsp=1935"];
    edges.on_all(&set).exits(6).says("has to be agreed to").says("`--yes` agrees");
    assert_eq!(edges.texts(), vec![SAMPLE; 3]);
    let dry = edges.on_all(&[&set[..], &["--dry-run"]].concat()).exits(0);
    assert_eq!(dry.out.matches("-rtsp 554;\n+rtsp 1935;").count(), 1, "{}", dry.out);
    let dry = dry.prints("==> edge-0, edge-1, edge-2 <==\n--- before\n+++ after\n");
    dry.prints("SERVER  RESULT        LINES  WHY\nedge-0  would change  +1 -1  -\n");
    assert_eq!(edges.texts(), vec![SAMPLE; 3]);
    // Equal secrets have equal masks, so this is one change, too.
    let secret = edges.on_all(&["modify", "--set", "edit_auth.password=n3w", "--dry-run"]).exits(0);
    secret.prints("==> edge-0, edge-1, edge-2 <==\n").prints("+edit_auth admin <secret:").hides("n3w");
    let mut terminal = edges.call(&[&["-x", "edge-*"], &set[..]].concat()).on_terminal();
    terminal.expect("change 3 of 3 servers? [y/N]").enter("n").exits(6);
    let urls: Vec<String> = edges.servers.iter().flatten().map(|server| server.url.clone()).collect();
    edges.put_contexts(&urls, "protected;");
    let mut terminal = edges.call(&["-x", "edge-0,edge-2", "modify", "--set", "rtsp=1935"]).on_terminal();
    terminal.expect("change 2 of 2 servers (protected: edge-0, edge-2)? [y/N]").enter("n").exits(6);
    let done = edges.on_all(&[&set[..], &["--yes", "-m", "why"]].concat()).exits(0);
    done.prints("edge-2  changed  +1 -1  -").hides("edge-1: changed");
    let changed = SAMPLE.replace("rtsp 554;", "rtsp 1935;");
    assert_eq!(edges.texts(), vec![&*changed; 3]);
    edges.on_all(&[&set[..], &["--yes", "--exit-code"]].concat()).exits(0).prints("edge-0  unchanged  -");
    edges.on_all(&["rollback", "1", "--yes", "--exit-code"]).exits(10);
    assert_eq!(edges.texts(), vec![SAMPLE; 3]);
    assert!(edges.journals().is_empty(), "a change that is made leaves no journal");
}

#[test]
fn a_change_of_several_servers_picks_up_a_hand_edit_as_on_one() {
    for arguments in [
        &["modify", "--set", "title=new"][..],
        &["modify", "--set", "streams.*.disabled=true"],
        &["mv", "streams.cam1", "streams.lobby"],
        &["add", "stream", "lobby", "udp://9"],
        &["rm", "streams.film"],
        &["fmt"],
    ] {
        let edges = Edges::new(2);
        edges.places[1].put("media.conf", SAMPLE.replace("rtsp 554;", "rtsp   555;"));
        let together = [arguments, &["--yes", "--all-or-nothing"]].concat();
        edges.on_all(&together).exits(5).says("edge-1").says("changed by hand");
        let dry = edges.on_all(&[arguments, &["--dry-run"]].concat()).exits(0);
        dry.says("edge-1: picked up a hand edit of rtsp");
        let done = edges.on_all(&[arguments, &["--yes"]].concat()).exits(0);
        done.says("edge-1: picked up a hand edit of rtsp")
            .prints("edge-1  changed")
            .hides("edge-0: picked up");
        assert!(edges.texts()[1].contains(" 555;") && !edges.texts()[0].contains(" 555;"), "{arguments:?}");
        edges.on_all(&["status"]).exits(0).hides("edited");
    }
}

#[test]
fn a_server_with_a_pending_change_is_refused_before_any_is_changed() {
    let edges = Edges::new(2);
    edges.run(&["-x", "edge-1", "modify", "--set", "rtmp=1", "--confirm", "600s", "-q"]);
    let texts = edges.texts();
    let set = ["modify", "--set", "rtsp=1935"];
    let dry = edges.on_all(&[&set[..], &["--dry-run"]].concat()).exits(0);
    dry.prints("edge-1  would change").says("edge-1: another change waits to be confirmed");
    let all = edges.on_all(&[&set[..], &["--yes", "--all-or-nothing"]].concat()).exits(5);
    all.says("waits to be confirmed");
    assert_eq!(edges.texts(), texts);
}

#[test]
fn every_command_that_changes_something_takes_several_servers() {
    let edges = Edges::new(2);
    let done = |arguments: &[&str]| edges.on_all(&[arguments, &["--yes"]].concat()).exits(0);
    done(&["add", "stream", "cam9", "udp://239.0.0.9:1234"]);
    done(&["mv", "streams.cam9", "streams.cam8"]);
    done(&["cp", "streams.cam8", "streams.cam7"]);
    done(&["rm", "streams.cam8", "streams.cam7"]);
    assert_eq!(edges.texts(), vec![SAMPLE; 2]);
    let new = SAMPLE.replace("rtsp 554;", "rtsp 7;");
    edges.call(&["-x", "edge-*", "update", "-", "--yes"]).input(&new).run().exits(0);
    edges.on_all(&["status"]).exits(1).prints("edge-1  not saved");
    edges.call(&["-x", "edge-*", "save", "-", "--yes"]).input(&new).run().exits(0);
    edges.call(&["-x", "edge-*", "apply", "-", "--yes"]).input("rtsp 8;").run().exits(0);
    assert_eq!(edges.texts(), vec![new.replace("rtsp 7;", "rtsp 8;"); 2]);
    // Nothing changes, but what is applied is known the next time.
    let own = ["-x", "edge-*", "apply", "--owner", "git", "-", "--yes"];
    edges.call(&own).input("rtsp 8;").run().exits(0).prints("edge-1  unchanged");
    edges.call(&own).input("").run().exits(0).prints("-rtsp 8;");
    assert_eq!(edges.texts(), vec![new.replace("rtsp 7;\n", ""); 2]);
    edges.call(&["-x", "edge-*", "apply", "-", "--yes"]).input("rtsp 8;").run().exits(0);
    let changed = done(&["modify", "--set", "rtsp=9", "-o", "json"]).json();
    assert_eq!(
        (&changed["edge-1"]["result"], &changed["edge-1"]["exit_code"]),
        (&json!("changed"), &json!(0))
    );
    assert_eq!(changed["edge-1"]["change"]["paths"][0]["after"], 9);
    let waits = done(&["modify", "--set", "rtsp=10", "--confirm", "60s"]);
    waits.says("in 60 s each change is rolled back");
    edges.on_all(&["confirm"]).exits(0).prints("edge-0  confirmed");
    edges.on_all(&["confirm"]).exits(7).says("no change waits to be confirmed");
    done(&["modify", "--set", "rtsp=11", "--confirm", "60s"]);
    edges.on_all(&["confirm", "--revert"]).exits(0).prints("edge-0  taken back");
    edges.on_all(&["read", "-o", "compact", "rtsp"]).exits(0).prints("{\"edge-0\":10,\"edge-1\":10}");
    edges.on_all(&["modify", "--set", "rtsp=1", "--reload-cmd", "true"]).exits(2);
    for option in [["--canary", "1"], ["--health-cmd", "true"]] {
        let run = edges.on_all(&[&["modify", "--set", "rtsp=1"], &option[..]].concat()).exits(2);
        run.says(&format!("`{}` goes with `--all-or-nothing`", option[0]));
    }
}

#[test]
fn a_cluster_stands_among_servers() {
    let Some(etcd) = Etcd::start(1) else { return };
    let edges = Edges::new(2);
    edges.places[0].put("first.conf", SAMPLE);
    etcd.mediactl(&edges.places[0], "/media/prod", &["save", "first.conf", "-q"]).run().exits(0);
    let own = edges.servers[0].as_ref().expect("it runs").url.clone();
    edges.put_contexts(&[own, etcd.url("/media/prod")], "");
    edges.on_all(&["status"]).exits(0).prints("edge-0  saved").prints("edge-1  saved");
    edges.on_all(&["diff", "--across"]).exits(0).says("2 servers have the same values");
    let done = edges.on_all(&["modify", "--set", "rtsp=1935", "--yes"]).exits(0);
    done.prints("==> edge-0, edge-1 <==\n").prints("edge-1  changed  +1 -1  -");
    edges.on_all(&["read", "-o", "compact", "rtsp"]).exits(0).prints("{\"edge-0\":1935,\"edge-1\":1935}");
    edges.on_all(&["modify", "--set", "rtsp=7", "--yes", "--confirm", "60s", "-q"]).exits(0);
    edges.on_all(&["confirm", "--revert"]).exits(0).prints("edge-1  taken back");
}

#[test]
fn a_path_that_is_not_there_is_not_found_and_what_waits_is_told() {
    let edges = Edges::new(2);
    let run =
        edges.on_all(&["rm", "streams.none", "--yes"]).exits(7).prints("edge-1  refused  -      not found");
    assert_eq!(run.err.matches("error:").count(), 1, "{}", run.err);
    edges.on_all(&["confirm"]).exits(7).prints("edge-0  refused  -      not found");
    let done =
        edges.on_all(&["modify", "--set", "rtsp=1", "--yes", "--confirm", "60s", "-o", "json"]).exits(0);
    assert_eq!(done.json()["edge-1"]["change"]["pending"]["operation"], "modify");
    edges.on_all(&["confirm", "--revert"]).exits(0);
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_change() {
    for promise in [&[][..], &["--all-or-nothing"]] {
        let edges = Edges::new(2);
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let set = ["-x", "edge-*", "modify", "--set", "rtsp=1935", "--yes", "--exit-code"];
        edges.call(&[&set[..], promise].concat()).run_into(writer).exits(10).says("edge-1: changed\n");
        assert!(edges.texts().iter().all(|text| text.contains("rtsp 1935;")), "{:?}", edges.texts());
        assert!(edges.journals().is_empty());
    }
}

#[test]
fn what_cannot_be_changed_on_some_servers_is_listed_and_resumed() {
    let mut edges =
        Edges::of(&[SAMPLE.to_owned(), SAMPLE.replace("stream cam1 ", "stream cam0 "), SAMPLE.to_owned()]);
    let set = ["modify", "--set", "streams.cam1.prepush=9", "--yes", "-m", "why"];
    let run = edges.on_all(&set).exits(11);
    let run = run.prints("edge-0  changed  +1 -1  -").prints("edge-1  refused  -      invalid");
    run.says("`edge-1`: ").says("cam0");
    edges.kill(0);
    edges.kill(2);
    edges
        .on_all(&["modify", "--set", "rtsp=1", "--yes"])
        .exits(11)
        .prints("edge-0  refused")
        .prints("edge-1  changed");
    edges.on_all(&["modify", "--set", "streams.cam1.prepush=8", "--yes"]).exits(7);
    assert!(edges.journals().is_empty(), "what was refused before anything was sent needs no journal");
    edges.run(&["fleet", "status"]).exits(0).says("no change of several servers is unfinished");
    edges.run(&["fleet", "resume", "--yes"]).exits(7).says("no change of several servers is unfinished");
}

#[test]
fn a_server_that_is_lost_on_the_way_is_resumed_or_taken_back() {
    for take_back in [false, true] {
        // The check passes in the dry run, which makes the second run of it fail.
        let hook =
            "if test -f hook; then if test -f seen; then touch full; fi; touch seen; fi; ! test -f full";
        let edges = Edges::with(&vec![SAMPLE.to_owned(); 3], &["--check-cmd", hook]);
        edges.places[1].put("hook", "");
        let run = edges.on_all(&["modify", "--set", "rtsp=1935", "--yes", "-m", "why"]).exits(11);
        run.prints("edge-1  refused").says("mediactl fleet resume");
        assert_eq!(edges.journals().len(), 1);
        let status = edges.run(&["fleet", "status"]).exits(1).says("modify at ").says(": why");
        status.prints("edge-0  changed\nedge-1  as before\nedge-2  changed\n");
        let asked =
            edges.run(&["fleet", "resume"]).exits(6).says("there is no terminal").says("`--yes` agrees");
        asked.prints("edge-1  as before\n");
        edges
            .run(&["-x", "edge-0", "fleet", "resume", "--yes"])
            .exits(2)
            .says("`fleet` works on the servers");
        let resume: &[&str] = if take_back {
            &["fleet", "resume", "--yes", "--take-back"]
        } else {
            &["fleet", "resume", "--yes"]
        };
        if !take_back {
            edges.run(resume).exits(11).prints("edge-0  unchanged").prints("edge-1  refused");
            fs::remove_file(edges.places[1].path("hook")).expect("it is there");
            fs::remove_file(edges.places[1].path("full")).expect("it is there");
        }
        edges.run(resume).exits(0);
        let expected = if take_back { SAMPLE.to_owned() } else { SAMPLE.replace("rtsp 554;", "rtsp 1935;") };
        assert_eq!(edges.texts(), vec![expected; 3], "take back: {take_back}");
        assert!(edges.journals().is_empty());
    }
}

#[test]
fn a_change_between_the_summary_and_the_write_is_not_overwritten() {
    let edges = Edges::new(2);
    let mut terminal = edges.call(&["-x", "edge-*", "modify", "--set", "rtsp=1935"]).on_terminal();
    terminal.expect("change 2 of 2 servers?");
    edges.run(&["-x", "edge-1", "modify", "--set", "http[0]=81"]).exits(0);
    let seen = terminal.enter("y").exits(11);
    assert!(seen.contains("edge-0  changed") && seen.contains("edge-1  refused"), "{seen}");
    assert!(edges.texts()[1].contains("rtsp 554;"));
    edges.run(&["fleet", "forget"]).exits(0);
    assert!(edges.journals().is_empty());
}

/// Four servers, of which the first checks a change until it is let go, once there is a file `slow`.
fn slow_edges() -> Edges {
    let check = format!("test ! -f slow || {{ rm slow; {HELD}; }}");
    let edges = Edges::with(&vec![SAMPLE.to_owned(); 4], &["--check-cmd", &check]);
    edges.places[0].put_fifo("gate");
    edges
}

/// Agrees to a change, and interrupts it while the first server checks it.
fn interrupt_the_first(edges: &Edges, terminal: &mut Terminal) -> String {
    edges.places[0].put("slow", "");
    terminal.enter("y");
    eventually(|| edges.places[0].path("runs").exists());
    terminal.signal(Signal::INT);
    edges.places[0].open_gate();
    terminal.exits(130)
}

#[test]
fn what_others_changed_since_and_what_is_gone_is_named_and_left_alone() {
    let edges = slow_edges();
    let urls: Vec<String> = edges.servers.iter().flatten().map(|server| server.url.clone()).collect();
    let set = ["-x", "edge-*", "--jobs", "1", "modify", "--set", "rtsp=1935"];
    let mut terminal = edges.call(&set).on_terminal();
    terminal.expect("change 4 of 4 servers?");
    interrupt_the_first(&edges, &mut terminal);
    edges.run(&["-x", "edge-2", "modify", "--set", "rtsp=7"]).exits(0);
    edges.put_contexts(&urls[..3], "");
    let status = edges.run(&["fleet", "status"]).exits(1).says("`edge-3`: there is no such context any more");
    status.prints("edge-2  changed otherwise since\nedge-3  not found\n");
    let resume = edges.run(&["fleet", "resume", "--yes"]).exits(11).prints("not found\n");
    resume.says("`edge-2`: it was changed by others since, and is left alone").says("mediactl fleet forget");
    assert!(edges.texts()[2].contains("rtsp 7;") && edges.texts()[0].contains("rtsp 1935;"));
    assert_eq!(edges.journals().len(), 1);
}

#[test]
fn an_interrupted_change_says_what_stands_where() {
    let edges = slow_edges();
    let mut terminal =
        edges.call(&["-x", "edge-*", "--jobs", "1", "modify", "--set", "rtsp=1935"]).on_terminal();
    terminal.expect("change 4 of 4 servers?");
    let seen = interrupt_the_first(&edges, &mut terminal);
    assert!(seen.contains("edge-0  changed") && seen.contains("edge-3  not changed"), "{seen}");
    assert!(edges.texts()[3].contains("rtsp 554;"));
    edges.run(&["fleet", "resume", "--yes"]).exits(0).prints("edge-0  unchanged").prints("edge-3  changed");
    assert!(edges.texts().iter().all(|text| text.contains("rtsp 1935;")));
}
