//! `-o json` of every command, of every refusal, and `-q`

use serde_json::{Value, json};

use super::watch::Watching;
use super::{CONF, Place, Run, SAMPLE};

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

/// Commands that are refused, with the exit code.
const REFUSED: &[(&[&str], i32)] = &[
    (&["modify", "--set", "rtmp=fast"], 3),
    (&["modify", "--expect", "rtsp=1", "--set", "rtsp=2"], 5),
    (&["modify", "--bogus"], 2),
    (&["modify", "--set", "a..b=1"], 3),
    (&["rm", "streams.none"], 7),
    (&["save", "broken.conf"], 3),
    (&["read", "streams.none"], 7),
    (&["explain", "streams.bogus.x.y"], 7),
    (&["diff", "none.conf"], 7),
    (&["check", "none.conf"], 7),
    (&["fmt", "--check", "broken.conf"], 3),
    (&["history", "show", "9"], 7),
    (&["rollback", "9"], 7),
    (&["confirm"], 7),
    (&["wait", "streams.cam1.prepusk=1"], 3),
    (&["context", "use", "none"], 7),
    (&["cluster", "forget", "n"], 2),
    (&["init", CONF], 6),
    (&["add", "strem", "x"], 2),
    (&["bogus"], 2),
];

#[test]
fn a_refusal_is_one_line_of_json() {
    let place = place();
    place.put("broken.conf", "rtmp 1;\nstream a {\n");
    for (command, code) in REFUSED {
        for form in [&["-o", "json"][..], &["--output=json"]] {
            let run = run(&place, command, form).exits(*code);
            let is_shown = run.out.is_empty() || command[0] == "check";
            assert!(is_shown && run.err.lines().count() == 1, "{command:?}: {run:?}");
            let problem: Value = serde_json::from_str(&run.err).expect("a refusal is JSON");
            assert!(problem["type"].as_str().is_some_and(|kind| kind.starts_with("urn:")), "{problem}");
            assert_eq!(problem["exit_code"], json!(code), "{problem}");
            assert!(["title", "detail"].iter().all(|member| problem[member].is_string()), "{problem}");
        }
    }
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
