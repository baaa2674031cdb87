//! Changes that some servers make first, and that are confirmed when all have made them.

use std::time::Instant;

use rustix::process::Signal;

use super::{Edges, id_of};
use crate::cli::{Run, SAMPLE, with_rtsp};
use crate::http::client::bare::bare;
use crate::proxy::{Fate, Proxy};
use crate::waiting::{eventually, let_pass};

fn change_together(edges: &Edges) -> Run {
    edges.on_all("modify --set rtsp=1935 --yes --all-or-nothing")
}

/// A change that the first server makes first, with more options.
fn change(edges: &Edges, more: &str) -> Run {
    let has = |option: &str| more.split(' ').any(|word| word == option);
    let canary = if has("--canary") { "" } else { "--canary 1 " };
    let soak = if has("--soak") { "" } else { "--soak 1s " };
    edges.on_all(format!("modify --set rtsp=1935 --yes {canary}{soak}{more}").trim_end())
}

/// Each server runs this, and nothing waits.
#[track_caller]
fn all_run(edges: &Edges, text: &str) {
    assert_eq!(edges.texts(), vec![text; edges.places.len()]);
    let status = edges.on_all("status").exits(0);
    assert_eq!(status.out.matches("  saved  -  ").count(), edges.places.len(), "{}", status.out);
}

#[test]
fn all_servers_make_the_change_and_are_confirmed() {
    let edges = Edges::new(3);
    let run = change(&edges, "").exits(0).prints("edge-0  changed  +1 -1  -\nedge-1  changed");
    run.says("edge-0: healthy for 1 s\n").hides("waits to be confirmed").hides("confirmed\n");
    all_run(&edges, &with_rtsp("1935"));
    change(&edges, "--exit-code").exits(0).prints("edge-2  unchanged");
    change(&edges, "--canary edge-9").exits(2).says("the servers are edge-[0-2] (3)");
    for count in ["0", "4"] {
        change(&edges, &format!("--canary {count}")).exits(2).says("neither one of the 3 servers");
    }
    change(&edges, "--soak 10s --confirm 10s").exits(2).says("has to be less than `--confirm`");
    edges.run("-x edge-1 modify --set rtsp=2").exits(0);
    let useless = edges.on_all("modify --set rtsp=2 --yes --canary edge-1").exits(6);
    useless.says("so it would not be tried").says("no server was changed");
    assert_eq!(edges.texts()[0], with_rtsp("1935"));
    let one = edges.run("-x edge-0 modify --set rtsp=1 --canary 1").exits(2);
    one.says("for changes of several servers or of a cluster");
    change_together(&edges).exits(0).prints("edge-1  changed    +1 -1  -").hides("waits to be confirmed");
    all_run(&edges, &with_rtsp("1935"));
    let one = edges.run("-x edge-0 modify --set rtsp=1 --all-or-nothing").exits(2);
    one.says("`--all-or-nothing` is for changes of several servers\n");
}

#[test]
fn a_server_that_refuses_takes_the_change_back_everywhere() {
    let edges = Edges::with(3, &["--reload-cmd", "! test -f bad"]);
    edges.places[1].put("bad", "");
    for run in [change(&edges, ""), change_together(&edges)] {
        run.exits(9).prints("edge-0  rolled back").prints("edge-1  refused").says("the reload command");
        all_run(&edges, SAMPLE);
    }
    // Before anything is sent.
    let run = edges.on_all("modify --set edit_auth.password=another --yes --canary 1").exits(6);
    run.says("`edge-[0-2]` (3): the change sets another login or password");
    assert_eq!(edges.texts(), vec![SAMPLE; 3]);
    edges.run("-x edge-1 rm streams.cam1").exits(9);
    let run = edges.on_all("modify --expect rtsp=5 --set rtsp=6 --yes --canary 1");
    run.exits(5).prints("edge-0  refused");
    // The same command confirms where the change waits.
    std::fs::remove_file(edges.places[1].path("bad")).expect("it is there");
    edges.run("-x edge-0,edge-1 modify --set rtsp=1935 --change deploy-7 --confirm 1h --yes -q").exits(0);
    change(&edges, "--change deploy-7 --dry-run").exits(0).prints("edge-2  would change");
    let run = change(&edges, "--change deploy-7").exits(0);
    let run = run.says("edge-0, edge-1: it has this change already");
    run.prints("edge-0  confirmed").prints("edge-2  changed");
    all_run(&edges, &with_rtsp("1935"));
    // Where one fails, what waited goes back, too.
    edges.run("-x edge-0,edge-1 modify --set rtsp=554 --change b --confirm 1h --yes -q").exits(0);
    edges.places[2].put("bad", "");
    let failed = edges.on_all("modify --set rtsp=554 --change b --canary 1 --soak 1s --yes");
    failed.exits(9).prints("edge-0  rolled back").prints("edge-2  refused");
    all_run(&edges, &with_rtsp("1935"));
}

#[test]
fn each_wave_holds_the_ones_before_and_one_that_fails_ends_them_all() {
    let edges = Edges::with(6, &["--runtime-cmd", "test ! -e sick && echo '{}'"]);
    let waves = "--canary edge-4,10%,50% --soak 1s";
    edges.places[1].put("sick", "");
    let run = change(&edges, waves).exits(6).says("`edge-1`: it is not healthy: ");
    let run = run.says("in waves: edge-4; then edge-0, edge-1; then the rest (3)\n");
    let run = run.says("edge-4: healthy for 1 s\n").prints("edge-4  rolled back");
    let run = run.prints("edge-2  not changed");
    let id = id_of(&run);
    run.says(&format!("the same command with `--change {id}` tries again"));
    all_run(&edges, SAMPLE);
    std::fs::remove_file(edges.places[1].path("sick")).expect("it is there");
    let again = change(&edges, &format!("{waves} --change {id}")).exits(0);
    again.says("edge-0, edge-1, edge-4: healthy");
    all_run(&edges, &with_rtsp("1935"));
    let late = change(&edges, "--canary 1,2 --soak 5s --confirm 10s").exits(2);
    late.says("2 times `--soak` has to be less than `--confirm`");
    for word in ["0%", "101%", "edge", "", "0", "7", "-1"] {
        let run = change(&edges, &format!("--canary 1,{word}")).exits(2);
        run.says(&format!("`--canary {word}` is neither"));
    }
    let waves = "`--canary 10%,50% --soak 1m`";
    for (gone, instead) in [
        ("--batch=2", waves),
        ("--pause=3s", waves),
        ("--max-fail=1", waves),
        ("--canary-time=3", "`--soak TIME`"),
        ("--canary-timeout=9", "`--confirm TIME`"),
    ] {
        change(&edges, gone).exits(2).says("any more\nhint: ").says(instead);
    }
    all_run(&edges, &with_rtsp("1935"));
    // Blanks part words, too.
    let dry = edges.on_all("modify --set rtsp=5 --yes --canary edge-1,\t50% --dry-run");
    dry.exits(0).says("in waves: edge-1; then edge-0, edge-2; then the rest (3)");
}

#[test]
fn a_server_with_only_the_four_operations_is_refused_by_name() {
    let (foreign, edges) = (bare(), Edges::new(1));
    edges.put_contexts(&[edges.urls().remove(0), foreign.url()]);
    let run = change(&edges, "").exits(7);
    let run = run.says("edge-1 (").says("does not offer changes that have to be confirmed");
    run.prints("edge-0  not changed").says("nothing that needs it was sent to this server");
    assert!(foreign.requests().iter().all(|request| request.method == "GET"));
    assert_eq!(edges.texts(), [SAMPLE]);
    // A time to confirm the change is refused before the others have it.
    let run = edges.on_all("modify --set rtsp=7 --yes --confirm 1h").exits(11);
    let run = run.prints("edge-0  changed").prints("edge-1  refused  -      not offered");
    run.hides("nothing was changed");
    edges.run("-x edge-0 confirm --rollback").exits(0);
    // Without the promise it is changed like any other.
    edges.on_all("modify --set rtsp=1935 --yes").exits(0).prints("edge-1  changed");
}

#[test]
fn a_signal_before_the_first_confirmation_takes_the_change_back() {
    let edges = Edges::new(2);
    let call = edges.call("-x edge-* modify --set rtsp=1935 --yes --canary 1 --soak 60s");
    let mut terminal = call.env("TERM", "xterm").on_terminal_of(24, 80);
    terminal.expect("check ");
    let seen = terminal.signal(Signal::INT).exits(130);
    assert!(seen.contains("edge-0  rolled back") && seen.contains("edge-1  not changed"), "{seen}");
    all_run(&edges, SAMPLE);
}

#[test]
fn a_lost_answer_is_found_out() {
    let edges = Edges::new(2);
    let proxy = proxied(&edges);
    // Of the change: it goes back, although its id is not known.
    proxy.on("\"dry_run\":false", Fate::Unanswered);
    change(&edges, "--confirm 4s").exits(7).prints("edge-0  rolled back").prints("edge-1  takes itself back");
    proxy.on("", Fate::Answered);
    until_nothing_waits(&edges);
    all_run(&edges, SAMPLE);
    // Of the confirmation: the server runs the change, and nothing waits.
    proxy.on("confirm_config", Fate::Unanswered);
    change(&edges, "--change deploy-7").exits(11).prints("edge-0  changed").prints("edge-1  unknown");
    proxy.on("", Fate::Answered);
    all_run(&edges, &with_rtsp("1935"));
    change(&edges, "--change deploy-7").exits(0).prints("edge-1  unchanged");
}

/// The way to the second server from now on.
fn proxied(edges: &Edges) -> Proxy {
    let mut urls = edges.urls();
    let host = urls[1].trim_start_matches("http://").split('/').next().expect("it has a host").to_owned();
    let proxy = Proxy::to(host.parse().expect("it is an address"));
    urls[1] = urls[1].replace(&host, &proxy.address.to_string());
    edges.put_contexts(&urls);
    proxy
}

fn until_nothing_waits(edges: &Edges) {
    eventually(|| !edges.on_all("status").out.contains("s left"));
}

/// Three servers, of which the second one went back, because no confirmation reached it; and the id of the change.
fn cut_between_two_confirmations() -> (Edges, String) {
    let edges = Edges::new(3);
    let proxy = proxied(&edges);
    proxy.on("confirm_config", Fate::Cut);
    let run = change(&edges, "--confirm 10s -m why").exits(11);
    let run = run.prints("edge-0  changed  ").prints("edge-1  unknown").prints("edge-2  changed");
    let id = id_of(&run);
    run.says(&format!("the same command with `--change {id}` makes the change on the others"));
    proxy.on("", Fate::Answered);
    until_nothing_waits(&edges);
    (edges, id)
}

#[test]
fn a_cut_between_two_confirmations_is_named_and_the_same_command_goes_on_or_it_is_taken_back() {
    let (edges, id) = cut_between_two_confirmations();
    let run = change(&edges, &format!("--change {id}")).exits(0);
    run.prints("edge-0  unchanged").prints("edge-1  changed").prints("edge-2  unchanged");
    all_run(&edges, &with_rtsp("1935"));
    let (edges, id) = cut_between_two_confirmations();
    let run = edges.on_all(&format!("rollback --change {id} --yes")).exits(0);
    run.prints("edge-0  changed").prints("edge-1  unchanged");
    all_run(&edges, SAMPLE);
}

#[test]
fn a_command_that_is_killed_leaves_no_mixture_that_the_same_command_does_not_end() {
    let edges = Edges::new(3);
    let add = |url: &str, id: &str| {
        let set = format!("--set streams.cam1.urls[+]={url} --change {id}");
        edges.call(&format!("-x edge-* modify {set} --canary 1 --yes --soak 1s --confirm 15s"))
    };
    let begin = Instant::now();
    add("udp://h:99", "whole").run().exits(0);
    let whole = begin.elapsed();
    for kill in 0..6 {
        let (url, id) = (format!("udp://h:1{kill}"), format!("kill-{kill}"));
        let mut command = add(&url, &id).start();
        let_pass(whole * kill / 5);
        // It may have ended already.
        let _ = command.kill();
        command.wait().expect("it ends");
        if kill % 4 == 1 {
            // Each server goes back by itself, unless it was confirmed.
            until_nothing_waits(&edges);
        }
        // Where too little time was left, all went back.
        let again = (0..3).map(|_| add(&url, &id).run()).find(|run| run.code == Some(0));
        assert!(again.is_some(), "kill {kill}");
        let texts = edges.texts();
        assert!(texts.iter().all(|text| text.matches(&url).count() == 1), "kill {kill}: {texts:?}");
        let made = edges.on_all(&format!("history --change {id} -o json")).exits(0).json();
        for at in 0..3 {
            let entries = made[format!("edge-{at}")].as_array().expect("it has the change");
            let of = |name| entries.iter().filter(|entry| entry["operation"] == name).count();
            assert_eq!(of("modify"), of("expired") + 1, "kill {kill}: {entries:?}");
        }
    }
}
