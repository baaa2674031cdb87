//! `--set` takes the words of the file, and each refusal leads to a command line that works.

use std::process::Command;

use super::{PROGRAM, Place};

const TEXT: &str = "\
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
fn words_are_the_whole_directive() {
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
    ] {
        place.run(["modify", "--dry-run", "--set", assignment]).exits(0).prints(line);
        place.set(&[assignment]).exits(0);
        place.set(&[assignment]).exits(0).says("nothing to change");
        if !assignment.starts_with("streams.new") {
            place.run(["modify", "--expect", assignment, "--set", "rtmp=1", "--dry-run"]).exits(0);
        }
        place.run(["wait", assignment, "--timeout", "9"]).exits(0);
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
            let output = Command::new("sh").args(["-c", &line]).current_dir(place.path(".")).output();
            let output = output.expect("there is a shell");
            assert!(
                output.status.success(),
                "{assignment}: {option}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    assert!(count >= 6, "{count} hints have a command");
    assert_eq!(place.text(), TEXT);
}
