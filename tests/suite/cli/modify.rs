//! `mediactl modify`; `--set` takes the words of the file, and each refusal leads to a command line that works.

use super::{CONF, PROGRAM, Place, SAMPLE};

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
        "modify --set a=1 --confirm 60s",
        "history -n x",
    ] {
        place.line(line).exits(2).says("error: ");
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
    for (assignment, line) in [
        ("auth=false", "+auth false;"),
        ("auth=http://x k=w on", "+auth http://x on k=w;"),
        ("streams.cam1.auth=false", "+  auth false;"),
        ("streams.cam1.auth=http://x c=e", "+  auth http://x c=e;"),
        ("edit_auth=root pw", "+edit_auth root <secret:"),
        ("edit_auth=root \"a b\"", "+edit_auth root <secret:"),
        ("view_auth=viewer pw", "+view_auth viewer <secret:"),
        ("streams.cam1.url=udp://9", "+  url udp://9;"),
        ("streams.cam1.url=udp://9 priority=2", "+  url udp://9 priority=2;"),
        ("streams.\"cam.3\".url=udp://9", "+  url udp://9;"),
        ("streams.cam1.dvr=/new", "+  dvr /new;"),
        ("streams.cam2.transcoder=vb=1024k ab=64k", "+  transcoder vb=1024k ab=64k;"),
        ("template.t.dvr=/y 6d", "+  dvr /y 6d;"),
        ("template.t.dvr=@disk", "+  dvr @disk;"),
        ("streams.new.url=udp://9", "+  url udp://9;"),
        // `null` removes.
        ("loglevel=null", "-loglevel debug;"),
        ("cluster_key=null", "-cluster_key <secret:"),
        ("auth.extra.k=null", "+auth http://b/;"),
        ("streams.cam1.dvr.disk_limit=null", "+  dvr /storage 5d copy=/x fast;"),
        ("streams.cam1.urls[0].priority=null", "+  url udp://1;"),
        ("streams.\"cam.3\".archive[1]=null", "+  archive /a;"),
        ("streams.cam2=null", "-stream cam2 {"),
    ] {
        place.run(["modify", "--dry-run", "--set", assignment]).exits(0).prints(line).hides("null");
        place.set(&[assignment]).exits(0);
        place.set(&[assignment]).exits(0).says("nothing to change");
        if !assignment.starts_with("streams.new") {
            place.run(["modify", "--expect", assignment, "--set", "rtmp=1", "--dry-run"]).exits(0);
        }
        place.run(["wait", assignment, "--timeout", "60"]).exits(0);
        place.line("rollback last").exits(0);
        place.run(["modify", "--expect", assignment, "--set", "rtmp=1", "--dry-run"]).exits(5);
    }
    assert_eq!(place.text(), TEXT);
}

#[test]
fn a_single_port_is_replaced() {
    for text in ["rtmp 1;\n", "http 8080;\nrtmp 1;\n"] {
        Place::with(text).set(&["http=80"]).exits(0).prints("+http 80;");
    }
}

/// The options that a hint names.
fn hinted(said: &str) -> Vec<&str> {
    let hint = said.split("hint: ").nth(1).unwrap_or_default();
    hint.split('`').filter(|part| part.starts_with("--set ")).collect()
}

#[test]
fn each_hint_is_a_command_line_that_works() {
    let place = Place::with(TEXT);
    let mut count = 0;
    for assignment in [
        "http=81",
        "http=x",
        "http=80 443",
        "edit_auth=root",
        "edit_auth=a b c",
        "auth=on",
        "auth=false k=v",
        "auth=http://x; k=v",
        "auth=[1]",
        "auth.extra=x",
        "streams=x",
        "lives=x",
        "plugins=x",
        "streams.cam1=x",
        "streams.\"cam.3\"=udp://9",
        "lives.pub=x",
        "plugins.p=x",
        "streams.cam1.url=udp://8 udp://9",
        "streams.cam1.urls[0]=udp://8 udp://9",
        "streams.cam2.url=udp://9",
        "streams.cam2.url=udp://9 k='v'",
        "streams.cam2.url=rtsp://u:geheim@9/",
        "streams.*.url=udp://9",
        "streams.cam1.dvr=",
        "streams.cam1.dvr=/a; b",
        "streams.cam1.dvr.options=other",
        "streams.cam1.dvr.options={ x",
        "streams.cam2.transcoder=",
        "streams.cam2.transcoder[0]=",
        "streams.cam1.auth.url=http://x k=v",
        "streams.cam1.urls[0].url=udp://8 k=v",
    ] {
        let refused = place.set(&[assignment]).exits(3).hides("geheim");
        let options = hinted(&refused.err);
        count += options.len();
        for option in options {
            let line = format!("'{PROGRAM}' --conf media.conf modify --dry-run --create {option}");
            place.call("sh", ["-c", &line]).run().exits(0);
        }
    }
    assert!(count >= 6, "{count} hints have a command");
    assert_eq!(place.text(), TEXT);
}
