//! `mediactl modify`

use super::{CONF, Place, SAMPLE};

/// One call, and lines that it adds.
#[track_caller]
fn adds(arguments: &[&str], expected: &[&str]) {
    let place = Place::with(SAMPLE);
    let run = place.run(["modify", "--show-secrets"].iter().chain(arguments)).exits(0);
    let added: Vec<&str> = run.out.lines().filter(|line| line.starts_with('+')).skip(1).collect();
    assert_eq!(added, expected, "{arguments:?}");
}

#[test]
fn edits_apply_in_their_order() {
    adds(
        &["--set", "http[+]=1", "--set-string", "http[+]=h:2", "--set", "http[+]=3"],
        &["+http 1;", "+http h:2;", "+http 3;"],
    );
    adds(&["--unset", "http[0]", "--set", "http[+]=81"], &["+http 81;"]);
    let typed = ["--set", "streams.cam1.auth.url=false", "--set-string", "edit_auth.password=null"];
    adds(&typed, &["+edit_auth admin null;", "+  auth false;"]);
}

#[test]
fn phantoms_are_refused() {
    let place = Place::with(SAMPLE);
    for (assignment, hint) in [
        ("streams.cam3.prepush=1", "did you mean `cam1`"),
        ("streams.cam.2.prepush=1", "`streams.\"cam.2\".prepush`"),
        ("lives.studoi.auth.url=x", "did you mean `studio`?"),
        ("plugins.p.a=1", "`--create`"),
    ] {
        place.set(&[assignment]).exits(3).says("there is no ").says("hint: ").says(hint);
    }
    assert_eq!(place.text(), SAMPLE);
    place.set(&["streams.cam3.prepush=1", "streams.cam3.urls[+]=udp://h:3"]).exits(0);
    place.line("modify --create --set streams.cam4.prepush=1").exits(0);
    place.patch(r#"{"streams":{"cam5":{"prepush":1}}}"#).exits(0);
}

#[test]
fn every_fault_is_told_with_its_hint() {
    let run = Place::with(format!("{SAMPLE}http 81;\n"))
        .set(&["http=80", "rtmp=abc", "streams.cam9.prepush=1"])
        .exits(3);
    assert_eq!(run.err.lines().filter(|line| line.starts_with("error: ")).count(), 3, "{}", run.err);
    let covering = Place::with(SAMPLE).set(&["streams.cam1.auth.url=a", "streams.cam1={}"]);
    covering.exits(3).says("error: ");
    run.says("hint: `--set 'http[0]=80'` replaces the first, `--set 'http[+]=80'` appends")
        .says("hint: did you mean");
}

#[test]
fn no_change_is_said_and_touches_nothing() {
    let place = Place::with(SAMPLE);
    let before = place.written();
    for run in [place.set(&["rtsp=554"]), place.patch("{}"), place.patch("[]"), place.patch("{\"x\":null}")] {
        let run = run.exits(0);
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", "nothing to change in media.conf\n"));
    }
    let own = place.line("read").out;
    place.patch(&own).exits(0).says("nothing to change");
    assert_eq!((place.text().as_str(), place.written()), (SAMPLE, before));
    place.line("modify -q --set rtsp=554").exits(0).says_nothing();
}

#[test]
fn a_change_prints_its_diff_and_a_summary() {
    let place = Place::with(SAMPLE);
    let run = place.set(&["rtsp=555"]).exits(0);
    assert!(run.out.starts_with("--- media.conf\n+++ media.conf\n@@ -1,6 +1,6 @@\n # main\n"), "{}", run.out);
    assert_eq!(run.err, "changed media.conf: 1 line added, 1 line removed\n");
    let run = place.line("modify -o json --set rtsp=556").exits(0);
    assert_eq!(run.json()["paths"][0]["after"], 556);
    assert_eq!(run.err.lines().count(), 1);
    place.line("modify -q --set rtsp=557").exits(0).says_nothing();
    assert!(place.text().contains("rtsp 557;"));
}

#[test]
fn a_dry_run_writes_nothing_and_makes_no_folder() {
    let place = Place::with(SAMPLE);
    let before = place.written();
    place
        .line("modify --dry-run --set rtsp=555")
        .exits(0)
        .prints("+rtsp 555;")
        .says("would change media.conf: 1 line added, 1 line removed\n");
    let json = place.line("modify --dry-run -o json --set rtsp=555").exits(0).json();
    assert_eq!(json["paths"][0]["after"], 555);
    assert_eq!((place.text().as_str(), place.written()), (SAMPLE, before));
    assert_eq!(place.names(), [CONF]);
    assert!(!place.path(".media.conf.mediactl").exists());
}

#[test]
fn usage() {
    let place = Place::with(SAMPLE);
    for arguments in [
        &["modify"][..],
        &["modify", "-f", "-", "--set", "a=b"],
        &["modify", "--set", "edit_auth.password"],
        &["modify", "--set", "a=1", "--hook-timeout", "0"],
        &["modify", "--set", "a=1", "--hook-timeout", "99999999999999999999"],
        &["modify", "--set", "a=1", "--confirm", "60s"],
        &["history", "-n", "x"],
        &["nonsense"],
    ] {
        place.run(arguments).exits(2).says("error: ");
    }
    assert_eq!(place.names(), [CONF]);
}

#[test]
fn a_condition_is_no_expectation() {
    let place = Place::with(SAMPLE);
    for expected in ["streams.cam1.title!=null", "rtsp!=5", "streams.cam1.title ~=geheim"] {
        let run = place.run(["modify", "--expect", expected, "--set", "rtsp=555"]).exits(2);
        run.says("is a condition").says("`--where` takes conditions").hides("geheim");
        place.run(["wait", expected]).exits(2).says("is a condition");
    }
    place.line("modify --expect logleve=null --set rtsp=555").exits(3).says("did you mean `loglevel`?");
    place.line("wait streams.cam1.titel=null --timeout 1").exits(3).says("did you mean `title`?");
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn a_value_that_is_left_out_is_asked_for_twice_and_not_shown() {
    let place = Place::with("stream a {\n}\n");
    let asked = || place.mediactl(["modify", "--set", "streams.a.password"]).on_terminal();
    let prompt = "streams.a.password: ";
    let mut terminal = asked();
    terminal.expect(prompt).enter_hidden("hunter2").expect("again: ").enter_hidden("hunter3");
    terminal.expect("the two passwords are not the same").expect(prompt).enter_hidden("hunter2");
    let seen = terminal.expect("again: ").enter_hidden("hunter2").exits(0);
    assert!(!seen.contains("hunter") && place.text().contains("password hunter2;"), "{seen}");
    let written = place.text();
    asked().expect(prompt).end_hidden_input().exits(2);
    asked().expect(prompt).enter_hidden("").exits(2);
    assert_eq!(place.text(), written, "the end of the input is no value");
}
