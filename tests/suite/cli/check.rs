//! `mediactl check`, and the warnings that a change brings.

use serde_json::json;

use super::serve::{Serving, each_way};
use super::{CONF, Place, SAMPLE, has};

#[test]
fn faults_show_place_line_caret_and_hint() {
    let place = Place::with("\thttp \"ä漢\" x;\n}\n");
    let run = place.line("check").exits(3);
    assert_eq!(
        run.out,
        "media.conf:1:12: error: `http` has the wrong form: it takes a port from 0 to 65535, or HOST:PORT\n  \
           \thttp \"ä漢\" x;\n  \
           \t           ^\n  \
           hint: write it like `http 80;`\n\
         media.conf:2:1: error: stray `}`\n  \
           }\n  \
           ^\n  \
           hint: no block is open here: remove it, or add the `{` that it closes\n"
    );
    assert_eq!(run.err, "1 file checked: 2 errors, no warnings\n");
}

#[test]
fn several_files_and_stdin() {
    let place = Place::with(SAMPLE);
    place.put("bad.conf", "http x;\n");
    let run = place.mediactl(["check", CONF, "bad.conf", "-"]).input("rtmp x;\n").run().exits(3);
    run.prints("bad.conf:1:6: error: ").prints("<stdin>:1:6: error: ").says("3 files checked: 2 errors");
    // A file that is not there does not end the others.
    let run = place.line("check missing bad.conf").exits(7);
    run.prints("bad.conf:1:6").says("missing` does not exist");
}

#[test]
fn faults_that_say_the_same_are_shown_once_with_their_count() {
    let streams: String = (0..7).map(|at| format!("stream s{at} {{ title x; }}\n")).collect();
    let place = Place::with(&streams);
    let run = place.line("check").exits(0).says("7 warnings");
    assert_eq!(run.out.matches("warning: the stream has no source\n").count(), 1, "{}", run.out);
    run.prints(
        "  hint: add one like `url udp://239.0.0.1:1234;`\n\
         and 6 more like it: media.conf:2:8, media.conf:3:8, media.conf:4:8, media.conf:5:8, …\n",
    );
    assert_eq!(place.line("check -o json").json().as_array().map(Vec::len), Some(7));
    place.line("check --strict").exits(3);
    Place::with(SAMPLE).line("check --strict").exits(0);
    place.run(["save", CONF]).exits(0);
}

#[test]
fn json_has_one_object_a_fault() {
    let place = Place::with("stream a { url udp://1 }\nstream a udp://2;\n");
    let found = place.line("check -o json").exits(3).json();
    let faults = found.as_array().expect("an array");
    assert_eq!(faults.len(), 2);
    let at = json!({"line": 1, "column": 23});
    let fix = json!({"range": {"start": at, "end": at}, "text": ";"});
    has(&faults[0], json!({"severity": "warning", "line": 1, "end": at, "fix": fix}));
    has(&faults[1], json!({"severity": "error", "file": CONF, "line": 2, "column": 8}));
    assert_eq!(faults[1]["related"]["line"], 1);
    assert_eq!(Place::with(SAMPLE).line("check -o json").exits(0).out, "[]\n");
    // A fix whose text would repeat a secret is told with the secrets alone.
    let place = Place::with("stream a { url \"rtsp://joe:not-real@h/x?a=1&amp;b=2\"; }\n");
    let masked = place.line("check -o json").exits(0);
    assert!(masked.json()[0].get("fix").is_none() && !masked.out.contains("not-real"), "{}", masked.out);
    place.line("check --show-secrets -o json").exits(0).prints("joe:not-real@h/x?a=1&b=2");
}

#[test]
fn fix_applies_what_can_be_meant_in_one_way_and_shows_the_diff() {
    let place = Place::with("rtmp 1935 # c\nrtsp 554;\nstrem a {\n  url udp://1;\n  prepsh 5;\n}\n");
    place.line("check --fix").exits(0).prints("-strem a {").says("1 file checked: no errors, no warnings");
    assert_eq!(place.text(), "rtmp 1935; # c\nrtsp 554;\nstream a {\n  url udp://1;\n  prepush 5;\n}\n");
    place.line("check --fix").exits(0).says("has no fault that");
    place.line("history").exits(0).prints("the fixes of `check`");
    place.put("other.conf", "loglevl debug;\n");
    place.line("check --fix other.conf").exits(0);
    assert_eq!(std::fs::read_to_string(place.path("other.conf")).ok().as_deref(), Some("loglevel debug;\n"));
    place.line("check --fix -").exits(2);
    // A text that keeps errors is left alone.
    let keeping = "rtmp 1935\nrtsp 554;\nhttp x;\n";
    place.put(CONF, keeping);
    place.line("check --fix").exits(3);
    assert_eq!(place.text(), keeping);
}

#[test]
fn check_looks_at_the_file_also_while_a_server_runs_and_says_what_else_it_looks_at() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    place.line("check").exits(0).says("1 file checked: no errors, no warnings");
    place.put(CONF, SAMPLE.to_owned() + "stream {");
    place.line("check").exits(3).prints("media.conf:17:8: error: ").says("1 file checked: 2 errors");
    let running = place.line("check running").exits(0).says("1 file checked: no errors, no warnings");
    running.says("note: checked the running configuration of `media.conf`");
    let both = place.run(["check", "running", CONF]).exits(3).prints("media.conf:17:8: error: ");
    both.says("2 files checked: 2 errors");
    // Of a URL it looks at what is saved.
    let saved = server.remote(&place, &["check"]).exits(3);
    saved
        .prints(&format!("{} (saved):17:8: error: ", server.url))
        .says(&format!("note: checked the saved configuration of `{}`", server.url));
    let running = server.remote(&place, &["check", "running"]).exits(0);
    running.says(&format!("note: checked the running configuration of `{}`", server.url));
    // Not even a server that does not answer keeps it from that.
    server.kill();
    place.line("check").exits(3).prints("media.conf:17:8: error: ");
    place.line("check running").exits(7);
}

#[test]
fn a_broken_file_is_told_of_before_its_include_and_rolled_back() {
    for had_server in [false, true] {
        let place = Place::with(format!("include more.inc;\n{SAMPLE}"));
        let before = place.text();
        place.set(&["rtmp=1"]).exits(0);
        let changed = place.text();
        let _server = had_server.then(|| Serving::over(&place));
        place.put(CONF, format!("{changed}bro{{ken\n"));
        let told = place.line("check").exits(3).out;
        let at = |words: &str| told.find(words).expect(words);
        assert!(at("unclosed `{`") < at("this `include` is kept"), "{told}");
        place.set(&["rtmp=2"]).says("`mediactl rollback last`");
        place.line("rollback last").exits(0);
        assert_eq!(place.text(), changed);
        place.line("rollback 1 --yes").exits(0);
        assert_eq!(place.text(), before);
    }
}

#[test]
fn no_command_advises_update_for_a_file_with_errors() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    let broken = SAMPLE.to_owned() + "http x;\n";
    place.put(CONF, &broken);
    for arguments in [&["modify", "--set", "rtmp=1"][..], &["modify", "--set", "http[+]=81"]] {
        let run = place.run(arguments).exits(5).says("changed by hand since it was loaded, and has an error");
        let run = run.says(&format!("an error: line {}: ", SAMPLE.lines().count() + 1));
        let run = run.says("`mediactl check` shows the errors; correct the file\n");
        assert!(!run.err.contains("update"), "{}", run.err);
        assert_eq!(place.text(), broken);
    }
    place.line("modify --set rtmp=1 --force").exits(0);
    place.line("check").exits(0);
    server.stop().exits(0);
}

#[test]
fn at_most_a_hundred_faults_of_a_text_and_how_many_more() {
    let place = Place::with("http x;\n".repeat(250) + &"http 80;\n".repeat(250));
    let run = place.line("check").exits(3).prints("media.conf: and 399 more\n");
    assert_eq!(run.out.matches(": error: ").count(), 1);
    run.prints("and 99 more like it: media.conf:2:6, ").says("1 file checked: 250 errors, 249 warnings");
    let faults = place.line("check -o json").exits(3).json();
    let faults = faults.as_array().expect("an array");
    assert_eq!(faults.len(), 101);
    assert_eq!(faults[100]["message"], json!("and 399 more"));
    assert!(faults.iter().all(|fault| fault["severity"] == "error" && fault["line"].is_number()));
    for arguments in [&["save", CONF][..], &["modify", "--set", "rtmp=1"]] {
        let run = place.run(arguments).exits(3).says("and 399 more");
        assert!(run.err.lines().count() < 1000, "{}", run.err.lines().count());
    }
}

/// A configuration that has a warning already.
const TEXT: &str = "\
edit_auth admin hunter2;
rtmp 1;
rtmp 2;
stream cam1 {
  url udp://1;
}
";

/// The warning about the change of each command.
const TOLD: &str = "`streams.cam1`: `upd:` is no known scheme (did you mean `udp://`?)";

fn bad() -> String {
    TEXT.replace("udp://", "upd://")
}

/// The commands that bring one warning; `update` needs a server.
const COMMANDS: &[&str] = &[
    "modify --set streams.cam1.urls[0].url=upd://1",
    "modify -f patch.json",
    "save bad.conf",
    "apply bad.conf",
    "edit --yes",
    "rollback 1 --yes",
];

fn place_with_a_warning() -> Place {
    let place = Place::with(bad());
    place.put("bad.conf", bad());
    place.put("patch.json", r#"{"streams": {"cam1": {"urls": [{"url": "upd://1"}]}}}"#);
    place.put("good.conf", TEXT);
    place.line("save -q good.conf").exits(0);
    place
}

fn tells(place: &Place, command: &str) {
    let run = |more: &str| {
        let call = place.mediactl(command.split(' ').chain(more.split(' ')));
        call.env("EDITOR", "cp bad.conf").at_home(place, "").by_admin().run()
    };
    for more in ["--strict", "--strict --force", "--strict --dry-run"] {
        let refused = run(more).exits(3).says(&format!("the change brings a warning: {TOLD}"));
        refused.says("hint: without `--strict` it is made all the same");
        assert_eq!(place.text(), TEXT, "{command}");
    }
    run("--dry-run").exits(0).says(&format!("warning: {TOLD}"));
    let made = run("-q -o change-json").exits(0).says(&format!("warning: {TOLD}"));
    assert_eq!(made.err.matches("warning:").count(), 1, "{made:?}");
    assert_eq!(made.json()["warnings"], json!([TOLD]), "{command}");
    assert!(!made.json()["notes"].to_string().contains("warning"), "{made:?}");
    let good = if command.contains("update") { "update" } else { "save" };
    let back = place.line(&format!("{good} good.conf --strict")).exits(0);
    assert!(!back.err.contains("warning"), "{back:?}");
}

#[test]
fn every_command_tells_the_warnings_that_it_brings_and_strict_refuses_them() {
    let place = place_with_a_warning();
    each_way(&place, |way| COMMANDS.iter().for_each(|command| tells(&place, &format!("{way}{command}"))));
    let server = Serving::over(&place);
    tells(&place, "update bad.conf");
    tells(&place, &format!("--url {} update bad.conf", server.url));
}

#[test]
fn equal_warnings_are_one_line_and_secrets_are_masked() {
    let place = Place::with("http 80;\n");
    let streams: String = (0..300).map(|at| format!("stream s{at};\n")).collect();
    place.put("many.conf", &streams);
    let run = place.line("save many.conf -o change-json").exits(0);
    run.says("warning: `streams.s0` and 99 more: the stream has no source");
    let place = Place::with("http 80;\n");
    place.put("new.conf", "stream rtsp://u:hunter2@h/x;\n");
    place.line("save new.conf").exits(0).says("the stream has no source").hides("hunter2");
    assert_eq!(place.run(["check", CONF]).exits(0).code, Some(0));
}
