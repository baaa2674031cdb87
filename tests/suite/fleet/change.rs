//! Changes of several servers, each for itself.

use rustix::process::Signal;

use super::{Edges, id_of};
use crate::cli::hooks::HELD;
use crate::cli::{SAMPLE, with_rtsp};
use crate::waiting::eventually;

#[test]
fn a_change_is_shown_once_agreed_to_once_and_made_on_all() {
    let edges = Edges::new(3);
    edges.on_all("modify --set rtsp=1935").exits(6).says("has to be agreed to").says("`--yes` agrees");
    assert_eq!(edges.texts(), vec![SAMPLE; 3]);
    let dry = edges.on_all("modify --set rtsp=1935 --dry-run").exits(0);
    assert_eq!(dry.out.matches("-rtsp 554;\n+rtsp 1935;").count(), 1, "{}", dry.out);
    let dry = dry.prints("==> edge-[0-2] (3) <==\n--- before\n+++ after\n");
    dry.prints("SERVER  RESULT        LINES  WHY\nedge-0  would change  +1 -1  -\n");
    assert_eq!(edges.texts(), vec![SAMPLE; 3]);
    // Equal secrets have equal masks, so this is one change, too.
    let secret = edges.on_all("modify --set edit_auth.password=n3w --dry-run").exits(0);
    secret.prints("==> edge-[0-2] (3) <==\n").prints("+edit_auth admin <secret:").hides("n3w");
    let mut terminal = edges.call("-x edge-* modify --set rtsp=1935").on_terminal();
    terminal.expect("change 3 of 3 servers? [y/N]").enter("n").exits(6);
    let done = edges.on_all("modify --set rtsp=1935 --yes -m why").exits(0);
    done.prints("edge-2  changed  +1 -1  -").hides("edge-1: changed");
    assert_eq!(edges.texts(), vec![with_rtsp("1935"); 3]);
    edges.on_all("modify --set rtsp=1935 --yes --exit-code").exits(0).prints("edge-0  unchanged  -");
}

#[test]
fn a_hand_edit_is_told_and_a_pending_change_refuses_before_any_server_is_changed() {
    let edges = Edges::new(2);
    edges.places[1].put("media.conf", SAMPLE.replace("rtsp 554;", "rtsp   555;"));
    let found = "edge-1: found an edit made outside of mediactl: rtsp";
    edges.on_all("modify --set title=new --dry-run").exits(0).says(found);
    let done = edges.on_all("modify --set title=new --yes").exits(0).says(found);
    done.prints("edge-1  changed").hides("edge-0: found an edit");
    assert!(edges.texts()[1].contains("rtsp   555;") && edges.texts()[0].contains("rtsp 554;"));
    edges.on_all("status").exits(0).hides("edited");
    // Where a change waits, nothing is changed anywhere.
    edges.run("-x edge-1 modify --set rtmp=1 --confirm 1h -q").exits(0);
    let texts = edges.texts();
    let dry = edges.on_all("modify --set rtsp=1935 --dry-run").exits(0);
    dry.prints("edge-1  would change").says("edge-1: another change waits to be confirmed");
    edges.on_all("modify --set rtsp=1935 --yes --canary 1").exits(5).says("waits to be confirmed");
    assert_eq!(edges.texts(), texts);
}

#[test]
fn every_command_that_changes_something_takes_several_servers() {
    let edges = Edges::new(2);
    let done = |line: &str| edges.on_all(&format!("{line} --yes")).exits(0);
    done("add stream cam9 udp://239.0.0.9:1234");
    done("mv streams.cam9 streams.cam8");
    done("cp streams.cam8 streams.cam7");
    done("rm streams.cam8 streams.cam7");
    assert_eq!(edges.texts(), vec![SAMPLE; 2]);
    let new = SAMPLE.replace("rtsp 554;", "rtsp 7;");
    edges.call("-x edge-* update - --yes").input(&new).run().exits(0);
    edges.on_all("status").exits(11).prints("edge-1  not saved");
    edges.call("-x edge-* save - --yes").input(&new).run().exits(0);
    edges.call("-x edge-* apply - --yes").input("rtsp 8;").run().exits(0);
    assert_eq!(edges.texts(), vec![new.replace("rtsp 7;", "rtsp 8;"); 2]);
    let changed = done("modify --set rtsp=9 -o json").json();
    let changed = &changed["edge-1"];
    assert!(changed["result"] == "changed" && changed["exit_code"] == 0, "{changed}");
    assert_eq!(changed["change"]["paths"][0]["after"], 9);
    let waits = done("modify --set rtsp=10 --confirm 1h");
    waits.says("each server rolls the change back 3600 s after it made it");
    edges.on_all("confirm").exits(0).prints("edge-0  confirmed");
    edges.on_all("confirm").exits(7).says("no change waits to be confirmed");
    done("modify --set rtsp=11 --confirm 1h");
    edges.on_all("confirm --rollback").exits(0).prints("edge-0  rolled back");
    edges.on_all("read -o compact rtsp").exits(0).prints("{\"edge-0\":10,\"edge-1\":10}");
    edges.on_all("modify --set rtsp=1 --reload-cmd true").exits(2);
}

#[test]
fn what_cannot_be_changed_on_some_servers_is_listed() {
    let mut edges = Edges::of(&[SAMPLE, &SAMPLE.replace("stream cam1 ", "stream cam0 "), SAMPLE], &[]);
    let run = edges.on_all("modify --set streams.cam1.prepush=9 --yes").exits(11);
    let run = run.prints("edge-0  changed  +1 -1  -");
    let run = run.prints("edge-1  refused  -      `streams.cam1.prepush`: there is no stream `cam1`");
    run.says("`edge-1`: ").says("cam0");
    edges.kill(0);
    let some = edges.on_all("modify --set rtsp=1 --yes").exits(11);
    some.prints("edge-0  refused").prints("edge-1  changed");
}

#[test]
fn a_change_between_the_summary_and_the_write_is_not_overwritten() {
    let edges = Edges::new(2);
    let mut terminal = edges.call("-x edge-* modify --set rtsp=1935").on_terminal();
    terminal.expect("change 2 of 2 servers?");
    edges.run("-x edge-1 modify --set http[0]=81").exits(0);
    let seen = terminal.enter("y").exits(11);
    assert!(seen.contains("edge-0  changed") && seen.contains("edge-1  refused"), "{seen}");
    assert!(edges.texts()[1].contains("rtsp 554;"));
}

/// The first server checks a change until it is let go; meanwhile the command is interrupted.
#[test]
fn an_interrupted_change_says_what_stands_where() {
    let check = format!("test ! -f slow || {{ rm slow; {HELD}; }}");
    let edges = Edges::with(3, &["--check-cmd", &check]);
    let first = &edges.places[0];
    first.put_fifo("gate");
    let set = "modify --set streams.cam1.urls[+]=udp://h:9 --change x";
    let mut terminal = edges.call(&format!("-x edge-* --jobs 1 {set}")).on_terminal();
    terminal.expect("change 3 of 3 servers?");
    first.put("slow", "");
    terminal.enter("y");
    eventually(|| first.path("runs").exists());
    terminal.signal(Signal::INT);
    first.open_gate();
    let seen = terminal.exits(130);
    assert!(seen.contains("edge-0  changed") && seen.contains("edge-2  not changed"), "{seen}");
    assert!(!edges.texts()[2].contains("udp://h:9"));
    let again = edges.on_all(&format!("{set} --yes")).exits(0);
    again.prints("edge-0  unchanged").prints("edge-2  changed");
    assert!(edges.texts().iter().all(|text| text.matches("udp://h:9").count() == 1));
}

#[test]
fn a_change_has_one_id_by_which_it_is_shown_and_taken_back() {
    let edges = Edges::new(4);
    let name = id_of(&edges.run("-x edge-0,edge-1,edge-2 modify --set rtsp=555 -m why --yes").exits(0));
    for (place, has_it) in edges.places.iter().zip([true, true, true, false]) {
        let noted = format!("\"id\": \"{name}\"");
        assert_eq!(place.line("history -o json").exits(0).out.contains(&noted), has_it);
    }
    let shown = edges.on_all(&format!("history --change {name} -o json")).exits(0).json();
    let entries = [0, 1, 2, 3].map(|at| shown[format!("edge-{at}")].as_array().map(Vec::len));
    assert_eq!(entries, [Some(1), Some(1), Some(1), Some(0)]);

    // What was changed since stays, unless it is the same line.
    edges.run("-x edge-1 modify --set streams.cam1.prepush=9").exits(0);
    edges.run("-x edge-2 modify --set rtsp=556").exits(0);
    let before = edges.texts();
    let since = "changed it since (it was `555`, became `556`, and was to be `554`)";
    for (command, code, why) in [
        ("rollback last --yes", 2, "revert --change ID`"),
        ("revert last --yes", 2, "revert --change ID`"),
        ("rollback --change 7f3a90c2 --yes", 7, "none of the servers has the change `7f3a90c2`"),
        ("history --change zz", 7, "none of the servers has the change `zz` in its history"),
        ("rollback --change NAME 1", 2, "cannot be used with"),
        ("revert --change NAME --canary 1 --yes", 5, since),
    ] {
        edges.on_all(&command.replace("NAME", &name)).exits(code).says(why);
        assert_eq!(edges.texts(), before, "{command}");
    }
    let done = edges.on_all(&format!("revert --change {name} --yes")).exits(11);
    let done = done.says("change 1 can't be undone: change 2 (modify by admin").prints("unchanged");
    done.says("`mediactl -x 'edge-*' history -p` shows what was changed").hides("try again");
    let later = SAMPLE.replace("prepush 5;", "prepush 9;");
    let texts = [SAMPLE.to_owned(), later, before[2].clone(), SAMPLE.to_owned()];
    assert_eq!(edges.texts(), texts);
    let told = edges.on_all(&format!("history --change {name}")).exits(0);
    told.prints(&format!("revert of change {name}"));

    // It goes on by itself on one server, and only there where it is asked for.
    edges.run("-x edge-2 rollback 1 --yes").exits(0);
    assert_eq!(edges.texts()[2], SAMPLE);
}

#[test]
fn many_servers_take_few_lines() {
    let edges = Edges::with(12, &["--reload-cmd", "test ! -e fail"]);
    edges.places[7].put("fail", "");
    let done = edges.on_all("modify --set rtsp=555 --yes").exits(11);
    let id = id_of(&done);
    let history = edges.on_all(&format!("history --change {id}")).exits(0).out;
    assert!(history.lines().count() < 12 && history.contains("edge-7  "), "{history}");
    let done = done.prints("\n12 servers: 11 changed, 1 refused\n");
    done.says(&format!("the same command with `--change {id}` makes the change on the others"));
    let twice = edges.call("-x edge-* update - --dry-run").input(format!("{SAMPLE}rtsp 7;\n")).run();
    twice.says("warning: edge-[0-11] (12): `rtsp` is set more than once").hides("edge-5: `rtsp`");
}

#[test]
fn a_summary_is_shown_once_and_each_server_has_the_text_that_was_reviewed() {
    let edges = Edges::new(2);
    let set = "modify rtsp=1935 cluster_key=n3w";
    let dry = edges.on_all(&format!("{set} --dry-run -o summary")).exits(0).hides("n3w");
    let dry = dry.prints("==> edge-0, edge-1 <==\n~ rtsp 554 → 1935\n+ cluster_key <secret");
    dry.prints("\n1 changed, 1 added, 0 removed\n\nSERVER").hides("@@");
    edges.on_all("diff change:last -o summary").exits(7);
    let report = edges.on_all(&format!("{set} --dry-run -o json")).exits(0).json();
    let before = report["edge-1"]["change"]["before"].as_str().expect("it is a revision").to_owned();
    let only_if = format!("--yes --only-if {before}");
    edges.on_all(&format!("{set} {only_if}")).exits(0);
    let refused = edges.on_all(&format!("modify rtsp=1936 {only_if}")).exits(5);
    refused.says("changed meanwhile: rtsp, cluster_key");
    edges.on_all(&format!("modify rtsp=1936 --force {only_if}")).exits(5);
    let diff = edges.on_all("diff change:last -o summary").exits(1);
    diff.prints("==> edge-0, edge-1 <==\n~ rtsp 554 → 1935\n+ cluster_key <secret:").hides("n3w");
}
