//! The changes that are refused without a terminal to ask on.

use super::serve::Serving;
use super::{Place, SAMPLE};

/// `count` streams.
fn streams(count: usize) -> String {
    (0..count).map(|at| format!("stream s{at} udp://h:{at};\n")).collect()
}

/// A patch that deletes `count` of them.
fn deleting(count: usize) -> String {
    let gone: Vec<String> = (0..count).map(|at| format!("\"s{at}\":null")).collect();
    format!("{{\"streams\":{{{}}}}}", gone.join(","))
}

#[test]
fn the_last_credentials_stay() {
    for refused in [
        &["modify", "--unset", "edit_auth"][..],
        &["modify", "--accept", "near-miss", "--set-string", "edit_auth.password="],
        &["modify", "--dry-run", "--unset", "edit_auth"],
    ] {
        let place = Place::with(SAMPLE);
        place
            .run(refused)
            .exits(6)
            .says("the change removes the last usable `edit_auth`")
            .says("hint: ")
            .says("--accept would-remove-credentials");
        assert_eq!(place.text(), SAMPLE);
    }
    let place = Place::with(SAMPLE);
    place.fed("save -", "rtmp 1;\n").exits(6);
    place.line("modify --force --unset edit_auth").exits(0);
    assert!(!place.text().contains("edit_auth"));
    place.set(&["rtsp=1"]).exits(0);
}

#[test]
fn delete_guard_lets_four_streams_go_or_a_tenth_up_to_twenty() {
    for (of, deleted, code) in
        [(8, 4, 0), (8, 5, 6), (100, 10, 0), (100, 11, 6), (1000, 20, 0), (1000, 21, 6)]
    {
        let place = Place::with(streams(of));
        place.patch(&deleting(deleted)).exits(code);
        let unchanged = place.text() == streams(of);
        assert_eq!(unchanged, code == 6, "{deleted} of {of}");
    }
}

/// A configuration with an account, and `count` streams.
fn accounted(count: usize) -> String {
    format!("edit_auth a b;\n{}", streams(count))
}

/// Each way to delete five of eight streams, on one target.
fn delete_guard_holds(place: &Place) {
    let run = |arguments: &[&str], input: &str| place.mediactl(arguments).input(input).run();
    let five = "5 of 8 streams would be deleted";
    run(&["modify", "-f", "-"], &deleting(5)).exits(6).says(five);
    run(&["modify", "--unset", "streams.*"], "").exits(6).says("8 of 8 streams");
    run(&["modify", "--unset", "streams"], "").exits(6).says("8 of 8 streams");
    run(&["modify", "-y", "-f", "-"], &deleting(5)).exits(6).says(five);
    run(&["save", "-"], &accounted(3)).exits(6).says(five);
    let gone = "note: 5 streams are not in the new configuration";
    run(&["save", "--max-delete", "5", "-"], &accounted(3)).exits(0).says(gone);
    run(&["save", "-"], &accounted(8)).exits(0);
    run(&["rollback", "last"], "").exits(6).says(five).says("--max-delete");
    run(&["rollback", "last", "--max-delete", "5"], "").exits(0);
    run(&["rollback", "last"], "").exits(0);
    let named: Vec<String> = (0..7).map(|at| format!("--unset=streams.s{at}")).collect();
    let named: Vec<&str> = ["modify"].into_iter().chain(named.iter().map(String::as_str)).collect();
    run(&named, "").exits(6).says("7 of 8 streams");
    run(&[&named[..], &["--max-delete", "7"]].concat(), "").exits(0);
    assert_eq!(place.text(), "edit_auth a b;\nstream s7 udp://h:7;\n");
}

#[test]
fn delete_guard_stands_before_each_way() {
    delete_guard_holds(&Place::with(accounted(8)));
}

#[test]
fn delete_guard_stands_before_a_server_too() {
    let place = Place::with(accounted(8));
    let server = Serving::with(&place, &["--listen", "none"]);
    delete_guard_holds(&place);
    place.fed("save -", accounted(8)).exits(0);
    let update = |more: &[&str]| place.mediactl(["update", "-"].iter().chain(more)).input(accounted(3)).run();
    update(&[]).exits(6).says("5 of 8 streams would be deleted");
    update(&["--force"]).exits(0).says("note: 5 streams are not in the new configuration");
    server.stop().exits(0);
}

/// What is wrong with a request is told in the same words for a file and by the server over it.
#[test]
fn a_faulty_request_reads_the_same_on_a_file_and_on_a_server() {
    let five = deleting(5);
    let table: [(&[&str], &str); 16] = [
        (&["modify", "--unset", "streams.nope"], ""),
        (&["modify", "--set", "streams.s1.prepush=x"], ""),
        (&["modify", "--set", "streams..s1=1"], ""),
        (&["modify", "--set", "rtpm=1935"], ""),
        (&["modify", "--expect", "rtsp=5", "--set", "rtsp=6"], ""),
        (&["modify", "--unset", "streams.*"], ""),
        (&["modify", "--unset", "edit_auth"], ""),
        (&["modify", "-f", "-"], &five),
        (&["modify", "-f", "-"], "{\"streams\":5}"),
        (&["modify", "-f", "-"], "{\"streams\":{\"s1\":{\"prepush\":\"x\"}}}"),
        (&["modify", "-f", "-"], "{\"streams\":{\"s1\":{\"prepush\":\"x\",\"title\":{}}}}"),
        (&["modify", "-f", "-"], "{\"edit_auth\":{\"password\":\"<secret:123456>\"}}"),
        (&["modify", "-f", "-"], "{'rtsp':1}"),
        (&["modify", "--set", "edit_auth.password=<secret:123456>"], ""),
        (&["save", "-"], "http x;\n"),
        (&["save", "-"], ""),
    ];
    let place = Place::with(accounted(8));
    let told = |place: &Place| {
        table.map(|(arguments, input)| {
            let run = place.mediactl(arguments).input(input).run();
            (run.code, run.err)
        })
    };
    let on_file = told(&place);
    let server = Serving::with(&place, &["--listen", "none"]);
    let on_server = told(&place);
    for (file, request) in on_file.iter().zip(&table) {
        assert!(file.0.is_some_and(|code| code != 0) && !file.1.is_empty(), "{request:?}: {file:?}");
    }
    let differing: Vec<_> = on_file.iter().zip(&on_server).filter(|(file, server)| file != server).collect();
    assert!(differing.is_empty(), "{differing:#?}");
    assert_eq!(place.text(), accounted(8));
    server.stop().exits(0);
}

/// Each whole text without the stream, live and plugin that are there, on a target with these options.
fn the_last_entries_stay(place: &Place, has_server: bool) {
    let whole = "edit_auth a b;\nstream s udp://h:1;\nlive l { }\nplugin p { }\n";
    let run = |arguments: &[&str], input: &str| place.mediactl(arguments).input(input).run();
    let empty = "edit_auth a b;\nrtmp 1;\n";
    let mut ways = vec![
        (vec!["save", "-"], empty),
        (vec!["apply", "--prune", "-"], ""),
        (vec!["apply", "--prune", "-"], "{}"),
        (vec!["apply", "--prune=all", "-"], empty),
        (vec!["apply", "--prune", "--dry-run", "-"], "rtmp 1;\n"),
    ];
    ways.extend(has_server.then(|| (vec!["update", "-"], empty)));
    for (way, text) in ways {
        run(&["save", "-"], whole).exits(0);
        run(&way, text).exits(6).says("no stream, live or plugin at all");
        assert_eq!(place.text(), whole);
        let accepted: Vec<_> = way.iter().copied().chain(["--accept", "empty-replacement"]).collect();
        run(&accepted, text).exits(0);
    }
    // One that stays, or that is named, is no such loss.
    for kept in ["stream s udp://h:1;\n", "live l { }\n", "plugin p { }\n"] {
        run(&["save", "-"], whole).exits(0);
        run(&["apply", "--prune", "-"], kept).exits(0);
    }
    run(&["rm", "plugins.p"], "").exits(0);
    run(&["rollback", "last"], "").exits(0);
    run(&["save", "--accept", "empty-replacement", "-"], empty).exits(0);
    run(&["apply", "--prune", "-"], "rtmp 2;\n").exits(0);
}

#[test]
fn the_last_entries_stay_of_a_file() {
    the_last_entries_stay(&Place::empty(), false);
}

#[test]
fn the_last_entries_stay_on_a_server() {
    let place = Place::with("edit_auth a b;\nlive l { }\n");
    let server = Serving::with(&place, &["--listen", "none"]);
    the_last_entries_stay(&place, true);
    server.stop().exits(0);
    place.put("more.conf", "stream s udp://h:1;\n");
    place.put(super::CONF, "stream s udp://h:1;\n");
    place.fed("save -", "include more.conf;\n").exits(0);
}
