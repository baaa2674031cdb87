//! `-o json` of every command and of every refusal, `-o change-json` and `--exit-code`, and `-q`

use serde_json::{Value, json};

use super::watch::Watching;
use super::{CONF, Place, Run, SAMPLE, has};
use crate::fixtures;

/// What each command prints, and the members of the object.
const FORMS: &[(&[&str], i32, &[&str])] = &[
    (&["modify", "--set", "rtmp=1937"], 0, CHANGE),
    (&["add", "stream", "new", "udp://h:1"], 0, CHANGE),
    (&["mv", "streams.new", "streams.newer"], 0, CHANGE),
    (&["cp", "streams.newer", "streams.newest"], 0, CHANGE),
    (&["rm", "streams.newest"], 0, CHANGE),
    (&["fmt"], 0, CHANGE),
    (&["fmt", "--check", CONF], 0, &["target", "formatted"]),
    (&["save", "other.conf"], 0, CHANGE),
    (&["rollback", "last"], 0, CHANGE),
    (&["apply", "other.conf"], 0, CHANGE),
    (&["diff", CONF, "third.conf"], 1, &["rtsp"]),
    (&["read"], 0, &["rtmp", "streams"]),
    (&["explain", "rtmp"], 0, &["path", "documentation"]),
    (&["history", "show", "last"], 0, &["rtmp", "streams"]),
    (&["status"], 0, &["target", "last_change"]),
    (&["wait", "rtsp=556"], 0, &["met", "missing"]),
    (&["wait", "rtsp=1", "--timeout", "1"], 1, &["met", "missing"]),
    (&["init", "first.conf"], 0, &["file", "login", "password"]),
    (&["context", "add", "a", "--url", "http://h"], 0, &["result", "context"]),
    (&["context", "use", "a"], 0, &["result", "context"]),
    (&["context", "remove", "a"], 0, &["result", "context"]),
];

/// The first members of the report of a change.
const CHANGE: &[&str] = &["changed", "operation", "target", "revision", "paths"];

fn place() -> Place {
    let place = Place::with(SAMPLE);
    place.put("other.conf", SAMPLE.replace("rtsp 554", "rtsp 556"));
    place.put("third.conf", SAMPLE.replace("rtsp 554", "rtsp 557"));
    place
}

/// Runs a command whose contexts are in the folder.
fn run(place: &Place, command: &[&str], more: &[&str]) -> Run {
    let home = place.path("").display().to_string();
    place.mediactl([command, more].concat()).env("XDG_CONFIG_HOME", &home).run()
}

#[test]
fn every_command_prints_json() {
    let place = place();
    for (command, code, members) in FORMS {
        let run = run(&place, command, &["-o", "json", "--mask"]).exits(*code).hides("hunter2");
        let printed = run.json();
        assert!(members.iter().all(|member| printed.get(*member).is_some()), "{command:?}: {printed}");
    }
    for command in [&["check"][..], &["history"], &["blame", "rtsp"], &["context", "list"]] {
        assert!(run(&place, command, &["-o", "json"]).exits(0).json().is_array(), "{command:?}");
    }
}

#[test]
fn each_change_that_is_watched_is_a_line() {
    let place = place();
    let mut watching = Watching::begin(place.mediactl(["watch", "-o", "json"]));
    place.set(&["rtmp=1936", "edit_auth.password=hidden7"]).exits(0);
    let line = watching.until("rtmp").pop().expect("there is one");
    let told: Value = serde_json::from_str(&line).expect("a line is JSON");
    assert_eq!((&told["change"]["operation"], &told["target"]), (&json!("modify"), &json!(CONF)));
    assert_eq!(told["paths"].as_array().map(Vec::len), Some(2), "{line}");
    assert!(!line.contains("hidden7"), "{line}");
    place.put(CONF, "rtmp 1;\n");
    let line = watching.until("/rtmp").pop().unwrap_or_default();
    assert!(line.contains("\"change\":null"), "{line}");
}

#[test]
fn a_refusal_is_one_line_of_json() {
    let place = place();
    place.put("broken.conf", "rtmp 1;\nstream a {\n");
    fixtures::all_rows("refused_commands.txt", |line, code| {
        let command: Vec<&str> = line.split(' ').collect();
        let code: i32 = code.parse().expect("a number");
        for form in [&["-o", "json"][..], &["--output=json"]] {
            let run = run(&place, &command, form).exits(code);
            let is_shown = run.out.is_empty() || command[0] == "check";
            assert!(is_shown && run.err.lines().count() == 1, "{command:?}: {run:?}");
            let problem: Value = serde_json::from_str(&run.err).expect("a refusal is JSON");
            assert!(problem["type"].as_str().is_some_and(|kind| kind.starts_with("urn:")), "{problem}");
            assert_eq!(problem["exit_code"], json!(code), "{problem}");
            assert!(code != 7 || problem["status"] != 422, "{problem}");
            assert!(["title", "detail"].iter().all(|member| problem[member].is_string()), "{problem}");
        }
        Ok(())
    });
    let broken = place.line("save broken.conf -o json");
    let broken: Value = serde_json::from_str(&broken.err).expect("a refusal is JSON");
    assert_eq!(broken["errors"][0]["line"], json!(2), "{broken}");
}

#[test]
fn a_quiet_command_tells_errors_and_results_alone() {
    let place = place();
    for (command, code, _) in FORMS.iter().filter(|(_, _, members)| *members != ["rtsp"]) {
        if !["read", "explain", "history", "status", "wait"].contains(&command[0]) {
            let run = run(&place, command, &["-q"]).exits(*code);
            assert!(run.err.is_empty(), "{command:?}: {run:?}");
        }
    }
    place.line("confirm -q").exits(7).says("no change waits");
}

const MEMBERS: &str =
    "changed operation target before revision paths lines_added lines_removed effects notes warnings pending";

#[test]
fn every_change_and_every_dry_run_prints_what_changed() {
    let new = SAMPLE.replace("prepush 5", "prepush 6");
    for (command, input) in [
        (&["modify", "--set", "streams.cam1.prepush=6"][..], ""),
        (&["save", "-"], &new),
        (&["apply", "-"], &new),
        (&["rollback", "last"], ""),
    ] {
        let place = Place::with(SAMPLE);
        if command[0] == "rollback" {
            place.put("media.conf", &new);
            place.set(&["streams.cam1.prepush=5"]).exits(0);
        }
        let before = place.text();
        let run = |more: &[&str]| {
            let arguments = command.iter().chain(&["-o", "change-json"]).chain(more);
            place.mediactl(arguments).input(input).run()
        };
        let rehearsed = run(&["--dry-run", "--exit-code"]).exits(10).json();
        assert_eq!(place.text(), before);
        let made = run(&["--exit-code"]).exits(10);
        assert!(made.err.contains("media.conf: 1 line added, 1 line removed"), "{made:?}");
        let made = made.json();
        assert_eq!(made, rehearsed);
        let members: Vec<&String> = made.as_object().expect("it is an object").keys().collect();
        assert_eq!(members, MEMBERS.split(' ').collect::<Vec<_>>());
        let paths = json!([{"pointer": "/streams/cam1/prepush", "before": 5, "after": 6}]);
        has(&made, json!({"changed": true, "operation": command[0], "target": "media.conf", "paths": paths}));
        has(&made, json!({"lines_added": 1, "lines_removed": 1, "notes": [], "pending": null}));
        has(&made["effects"], json!({"streams": 1, "other_settings": 1}));
        assert_eq!(made["revision"].as_str().map(str::len), Some(32));
        if command[0] != "rollback" {
            let again = run(&["--exit-code", "-q"]).exits(0).json();
            has(&again, json!({"changed": false, "paths": [], "revision": made["revision"]}));
        }
    }
}

#[test]
fn secrets_are_masked_wherever_they_stand() {
    let place = Place::with(SAMPLE);
    let state = r#"{"edit_auth": {"password": "first-secret"}, "peers": [["token", "second-secret"]],
        "streams": {"cam1": {"urls": [{"url": "rtsp://u:third-secret@h/x"}]}}}"#;
    let patch = place.fed("modify -f - -o change-json --create", state);
    patch.exits(0).hides("-secret").hides("hunter2").prints("<secret:");
    let run = place.line("modify --set edit_auth.password=shown -o change-json --show-secrets");
    assert_eq!(run.json()["paths"][0]["after"], "shown");
}

#[test]
fn notes_are_the_words_of_the_api_and_a_new_file_has_no_before() {
    let place = Place::with(SAMPLE);
    place.put("less", SAMPLE.replace("ondemand film", "stream movie"));
    let run = place.line("save less -o change-json").exits(0);
    assert_eq!(run.json()["notes"], json!(["deleted-streams 1"]));
    let run = Place::empty().mediactl(["save", "-", "-o", "change-json"]).input("rtmp 1;\n").run().exits(0);
    assert_eq!(run.json()["paths"], json!([{"pointer": "/rtmp", "before": null, "after": 1}]));
}
