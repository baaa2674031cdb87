//! `mediactl read`

use super::{CONF, Place, SAMPLE};
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
    ] {
        let run = place.run(["read"].iter().chain(arguments)).exits(0);
        assert_eq!(run.out, expected, "{arguments:?}");
        assert_eq!(run.err, "");
    }
}

#[test]
fn what_is_read_is_a_patch_that_changes_nothing_or_is_refused() {
    let place = Place::with(SAMPLE);
    for (arguments, code) in [
        (&[][..], 0),
        (&["streams.*.prepush"], 0),
        (&["*.*.position"], 0),
        (&["lives", "--where", "publish_enabled=true"], 0),
        (&["--where", "prepush=5"], 0),
        (&["streams.cam1.prepush", "--where", "prepush=5"], 0),
        (&["edit_auth", "rtsp", "streams.*.urls"], 0),
        (&["streams.*.urls[*].url"], 3),
        (&["streams.*.urls.url"], 3),
        (&["rtsp", "http[0]"], 3),
        (&["streams.cam1"], 3),
        (&["streams"], 3),
        (&["lives"], 3),
        (&["edit_auth"], 3),
        (&["rtsp"], 3),
        (&["streams.*.prepush", "-o", "set"], 3),
    ] {
        let read = place.run(["read"].iter().chain(arguments)).exits(0).out;
        let sent = place.fed("modify -f -", read).exits(code);
        assert!(code != 0 || sent.err.contains("nothing to change"), "{arguments:?}: {sent:?}");
        assert_eq!(place.text(), SAMPLE, "{arguments:?}");
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

#[test]
fn reading_creates_no_files() {
    let place = Place::with(SAMPLE);
    place.line("read").exits(0);
    place.run(["diff", CONF]).exits(0);
    place.line("check").exits(0);
    assert!(!place.path(".media.conf.mediactl").exists());
}
