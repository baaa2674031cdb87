//! `mediactl read`, and what is printed: colours, pipes that close, disks that are full.

use std::fs::OpenOptions;

use super::{CONF, Place, SAMPLE, own_path};
use crate::fixtures;

#[test]
fn a_text_that_lost_its_line_ends_is_told() {
    let place = Place::with("# Ports:http 80;stream a { url udp://1; }");
    place.line("read").exits(0).says("note: the text has lost its line ends");
    place.line("read -o conf").exits(0).says("note: the text has lost its line ends");
    place.put("media.conf", "http 80; # the port of all\n");
    assert_eq!(place.line("read").exits(0).err, "");
}

#[test]
fn every_form_of_output() {
    let place = Place::with(SAMPLE);
    let indented = place.line("read").exits(0);
    assert!(indented.out.starts_with("{\n  \"http\": [\n"));
    let compact = place.line("read -o compact").exits(0);
    assert_eq!(compact.out.lines().count(), 1);
    assert_eq!(indented.json(), compact.json());
    assert_eq!(place.line("read -o conf").exits(0).out, SAMPLE);
    let table = place.line("read -o table").exits(0);
    assert_eq!(
        table.out,
        "NAME   KIND      AUTH  PREPUSH  SOURCES\n\
         cam1   stream    -     5        udp://239.0.0.1:1234\n\
         cam.2  stream    -     -        udp://239.0.0.2:1234\n\
         film   ondemand  -     -        file://film.mp4\n\n\
         NAME    PUBLISH  AUTH\n\
         studio  yes      -\n"
    );
}

#[test]
fn paths() {
    let place = Place::with(SAMPLE);
    for (arguments, expected) in [
        (&["rtsp"][..], "554\n"),
        (&["streams.cam1.urls[0].url"], "\"udp://239.0.0.1:1234\"\n"),
        (&["-r", "streams.cam1.urls[0].url"], "udp://239.0.0.1:1234\n"),
        (&["streams.\"cam.2\".position"], "2\n"),
        (&["streams.cam1.urls[url=udp://239.0.0.1:1234].priority"], "1\n"),
        (
            &["-o", "compact", "rtsp", "streams.cam1.prepush"],
            "{\"rtsp\":554,\"streams\":{\"cam1\":{\"prepush\":5}}}\n",
        ),
        (&["-r", "rtsp", "http"], "554\n[80]\n"),
        (&["-o", "compact", "streams.*.prepush"], "{\"streams\":{\"cam1\":{\"prepush\":5}}}\n"),
        (&["-o", "set", "lives"], "lives.studio.publish_enabled=true\n"),
        (
            &["-o", "compact", "--skip-streams", "streams.*.static"],
            "{\"streams\":{\"film\":{\"static\":false}}}\n",
        ),
        // A stream that is named is asked for.
        (&["--skip-streams", "streams.cam1.prepush"], "5\n"),
    ] {
        let run = place.run(["read"].iter().chain(arguments)).exits(0);
        assert_eq!(run.out, expected, "{arguments:?}");
        assert_eq!(run.err, "");
    }
}

#[test]
fn a_path_that_makes_no_sense_is_exit_3() {
    let place = Place::with(SAMPLE);
    for path in ["a..b", "a[", "", "streams.cam1.urls[+]"] {
        place.run(["read", path]).exits(3).says("hint: ");
    }
}

#[test]
fn of_a_file_with_errors_only_the_text_is_shown() {
    let text = "http 80;\nstream a {\n";
    let place = Place::with(text);
    assert_eq!(place.line("read -o conf").exits(0).out, text);
    for form in ["json", "compact", "set", "table"] {
        let run = place.run(["read", "-o", form]).exits(3);
        assert_eq!(run.out, "");
        let place = if form == "json" { "\"line\":2,\"column\":10" } else { "media.conf:2:10: error: " };
        run.says(place).says("unclosed `{`").says("the configuration has an error");
    }
    place.line("read http").exits(3);
}

#[test]
fn set_lines_fed_back_make_the_same_view() {
    for file in fixtures::files(&fixtures::root().join("valid"), "conf") {
        let place = Place::with(std::fs::read(&file).expect("a fixture can be read"));
        let lines = place.line("read -o set").exits(0).out;
        let wanted = place.line("read").exits(0).json();
        place.put(CONF, "");
        if !lines.is_empty() {
            let sets = lines.lines().flat_map(|line| ["--set", line]);
            place.run(["modify", "--create"].into_iter().chain(sets)).exits(0);
        }
        assert_eq!(place.line("read").exits(0).json(), wanted, "{}\n{lines}", file.display());
    }
}

/// A name with a line end stands in no path of one line.
#[test]
fn each_set_line_is_an_argument_of_a_shell() {
    let text = "stream \"a\nb\" {\n  title \"x\ny\";\n  thing {\n    \"k\ny\" it's;\n  }\n}\n\
                stream c {\n  title \"$z\n\";\n}\n";
    let place = Place::with(text);
    let wanted = place.line("read streams").exits(0).json();
    for arguments in ["read -o set", "read -o set streams.*"] {
        place.put(CONF, text);
        let lines = place.line(arguments).exits(0).out;
        let command =
            |line: &str| format!("mediactl modify -q --create --set '{}'\n", line.replace('\'', r"'\''"));
        let script = format!("set -e\n{}", lines.lines().map(command).collect::<String>());
        place.put(CONF, "");
        place.call("sh", ["-c", &script]).env("PATH", &own_path()).run().exits(0);
        assert_eq!(place.line("read streams").exits(0).json(), wanted, "{lines}");
    }
    place.put(CONF, text);
    let titles = place.line("read -o set streams.*.title").exits(0).out;
    assert_eq!(titles, "streams={\"a\\nb\":{\"title\":\"x\\ny\"}}\nstreams.c.title=\"$z\\n\"\n");
}

#[test]
fn reading_creates_no_files() {
    let place = Place::with(SAMPLE);
    place.line("read").exits(0);
    place.run(["diff", CONF]).exits(0);
    place.line("check").exits(0);
    assert!(!place.path(".media.conf.mediactl").exists());
}

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
