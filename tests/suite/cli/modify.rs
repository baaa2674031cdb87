//! `mediactl modify`; `--set` takes the words of the file, and each refusal leads to a command line that works.

use super::{CONF, PROGRAM, Place, SAMPLE};
use crate::fixtures;

#[test]
fn edits_apply_in_their_order() {
    let place = Place::with(SAMPLE);
    let run = place
        .line("modify --unset http[0] --set http[+]=1 --set-string http[+]=h:2 --set http[+]=3")
        .exits(0);
    run.prints("-http 80;\n+http 1;\n+http h:2;\n+http 3;\n");
    place.line("modify --set streams.cam1.auth.url=false --set-string edit_auth.password=null").exits(0);
    assert!(place.text().contains("edit_auth admin null;") && place.text().contains("  auth false;"));
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
    place.line("modify -q --set rtsp=557").exits(0).says_nothing();
    assert!(place.text().contains("rtsp 557;"));
}

#[test]
fn a_dry_run_writes_nothing_and_makes_no_folder() {
    let place = Place::with(SAMPLE);
    let before = place.written();
    let run = place.line("modify --dry-run --set rtsp=555").exits(0).prints("+rtsp 555;");
    run.says("would change media.conf: 1 line added, 1 line removed\n");
    let json = place.line("modify --dry-run -o json --set rtsp=555").exits(0).json();
    assert_eq!(json["paths"][0]["after"], 555);
    assert_eq!((place.text().as_str(), place.written()), (SAMPLE, before));
    assert_eq!(place.names(), [CONF]);
    assert!(!place.path(".media.conf.mediactl").exists());
}

#[test]
fn usage() {
    let place = Place::with(SAMPLE);
    for line in [
        "modify",
        "modify -f - --set a=b",
        "modify --set edit_auth.password",
        "modify --set a=1 --hook-timeout 0",
        "modify --set a=1 --hook-timeout 99999999999999999999",
        "modify --set a=1 --confirm soon",
        "modify --set a=1 --confirm 0s",
        "history -n x",
    ] {
        place.line(line).exits(2).says("error: ");
    }
    for line in ["modify --set rtsp=9 --confirm 60s", "save media.conf --confirm 60s"] {
        place.line(line).exits(2).says("start `mediactl serve` over the file");
    }
    assert_eq!(place.names(), [CONF]);
}

#[test]
fn a_condition_is_no_expectation() {
    let place = Place::with(SAMPLE);
    for expected in ["streams.cam1.title!=null", "rtsp!=5", "streams.cam1.title ~=geheim"] {
        let run = place.run(["modify", "--expect", expected, "--set", "rtsp=555"]).exits(2);
        run.says("is a condition").says("`--where` takes conditions").hides("geheim");
        place
            .run(["wait", expected])
            .exits(2)
            .says("is a condition")
            .says("hint: write PATH=VALUE; in `read`");
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

const TEXT: &str = "\
loglevel debug;
cluster_key s3cret;
http 80;
http 127.0.0.1:8080;
edit_auth admin hunter2;
auth http://b/ k=v;
stream cam1 {
  url udp://1 priority=1;
  auth http://own/ a=b c=d;
  dvr /storage 90% 5d copy=/x fast;
}
stream cam2 {
  url udp://2;
  url udp://3;
  transcoder vb=64k;
}
stream cam.3 {
  archive /a 7d;
}
live pub;
template t {
  dvr /x 5d;
}
";

#[test]
fn words_are_the_whole_directive_and_null_is_none() {
    let place = Place::with(TEXT);
    fixtures::all_rows("words.txt", |assignment, line| {
        place.run(["modify", "--dry-run", "--set", assignment]).exits(0).prints(line).hides("null");
        place.set(&[assignment]).exits(0);
        place.set(&[assignment]).exits(0).says("nothing to change");
        if !assignment.starts_with("streams.new") {
            place.run(["modify", "--expect", assignment, "--set", "rtmp=1", "--dry-run"]).exits(0);
        }
        place.run(["wait", assignment, "--timeout", "60"]).exits(0);
        place.line("rollback last").exits(0);
        place.run(["modify", "--expect", assignment, "--set", "rtmp=1", "--dry-run"]).exits(5);
        Ok(())
    });
    assert_eq!(place.text(), TEXT);
}

#[test]
fn a_single_port_is_replaced() {
    for text in ["rtmp 1;\n", "http 8080;\nrtmp 1;\n"] {
        Place::with(text).set(&["http=80"]).exits(0).prints("+http 80;");
    }
}

#[test]
fn each_hint_is_a_command_line_that_works() {
    let place = Place::with(TEXT);
    fixtures::all_rows("hints.txt", |assignment, expected| {
        let refused = place.set(&[assignment]).exits(3).hides("geheim");
        let hint = refused.err.split("hint: ").nth(1).unwrap_or_default();
        let options = hint.split('`').filter(|part| part.starts_with("--set "));
        for option in options.clone() {
            let line = format!("'{PROGRAM}' --conf media.conf modify --dry-run --create {option}");
            place.call("sh", ["-c", &line]).run().exits(0);
        }
        let found = options.collect::<Vec<_>>().join(" | ");
        if found == expected { Ok(()) } else { Err(found) }
    });
    assert_eq!(place.text(), TEXT);
}
