//! Colours, pipes that close, disks that are full.

use std::fs::OpenOptions;

use super::{Place, SAMPLE};

#[test]
fn colours_are_for_terminals() {
    let place = Place::with("http x;\n");
    let colored = |arguments: &[&str]| {
        let run = place.mediactl(arguments).env("TERM", "xterm-256color").run();
        (run.out.contains('\x1b'), run.err.contains('\x1b'))
    };
    assert_eq!(colored(&["check"]), (false, false));
    assert_eq!(colored(&["--color", "always", "check"]), (true, false));
    assert_eq!(colored(&["check", "--color", "always", "missing"]), (false, true));
    assert_eq!(colored(&["check", "--color", "never"]), (false, false));
    place.put("other.conf", "http 80;\n");
    assert_eq!(colored(&["--color", "always", "diff", "other.conf"]), (true, false));
    let run = place.mediactl(["--color", "always", "diff", "other.conf"]).env("NO_COLOR", "1").run();
    assert!(run.out.contains('\x1b'), "the flag beats the environment");
    place.line("--color sometimes check").exits(2);
}

#[test]
fn a_closed_output_is_no_error() {
    let many: String = (0..5000).map(|at| format!("stream s{at} udp://h:{at};\n")).collect();
    let place = Place::with(&many);
    for arguments in
        [&["read"][..], &["read", "-o", "conf"], &["read", "-o", "table"], &["read", "-o", "set"]]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let run = place.mediactl(arguments).run_into(writer).exits(0);
        assert_eq!(run.err, "");
    }
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let run = place.mediactl(["modify", "--set", "rtmp=1"]).run_into(writer).exits(0);
    run.says("changed media.conf: 1 line added");
}

#[test]
fn results_that_cannot_be_written_are_exit_9() {
    let place = Place::with(SAMPLE);
    let full = || OpenOptions::new().write(true).open("/dev/full").expect("there is a full device");
    for arguments in [
        &["read"][..],
        &["read", "-o", "conf"],
        &["read", "rtsp"],
        &["diff", "--json", "media.conf"],
        &["check", "-o", "json"],
        &["modify", "--dry-run", "--set", "rtsp=1"],
    ] {
        let run = place.mediactl(arguments).run_into(full()).exits(9);
        run.says("cannot write the output: no space left on device");
    }
    assert_eq!(place.text(), SAMPLE);
    // A change that was made is not denied.
    let run = place.mediactl(["modify", "--set", "rtsp=1"]).run_into(full()).exits(0);
    run.says("warning: cannot write the output").says("changed media.conf");
    assert!(place.text().contains("rtsp 1;"));
}

#[test]
fn errors_have_one_style() {
    let place = Place::with(SAMPLE);
    for arguments in [
        &["read", "nope"][..],
        &["modify", "--set", "rtmp=abc"],
        &["modify", "-f", "missing"],
        &["modify", "--unset", "edit_auth"],
        &["--conf", "missing", "read"],
        &["--conf", ".", "read"],
        &["update", "media.conf"],
        &["diff"],
    ] {
        let run = place.run(arguments);
        for line in run.err.lines() {
            let words = line.strip_prefix("error: ").or_else(|| line.strip_prefix("hint: "));
            let words = words.unwrap_or_else(|| panic!("neither error nor hint: {line}"));
            assert!(!words.starts_with(char::is_uppercase) && !words.ends_with('.'), "{line}");
            assert!(!words.contains("os error"), "{line}");
        }
    }
}
