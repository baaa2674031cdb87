//! `mediactl check`

use serde_json::json;

use super::{CONF, Place, SAMPLE};
use crate::fixtures;

#[test]
fn faults_show_place_line_caret_and_hint() {
    let place = Place::with("\thttp \"ä漢\" x;\n}\n");
    let run = place.run(["check"]).exits(3);
    assert_eq!(
        run.out,
        "media.conf:1:12: error: `http` has the wrong form: it takes a port from 0 to 65535, or HOST:PORT\n  \
           \thttp \"ä漢\" x;\n  \
           \t           ^\n  \
           hint: write it like `http 80;`\n\
         media.conf:2:1: error: stray `}`\n  \
           }\n  \
           ^\n  \
           hint: no block is open here: take it away, or add the `{` it belongs to\n"
    );
    assert_eq!(run.err, "1 file checked: 2 errors, no warnings\n");
}

#[test]
fn several_files_and_stdin() {
    let place = Place::with(SAMPLE);
    place.put("bad.conf", "http x;\n");
    let run = place.mediactl(["check", CONF, "bad.conf", "-"]).input("rtmp x;\n").run().exits(3);
    run.prints("bad.conf:1:6: error: ").prints("<stdin>:1:6: error: ").says("3 files checked: 2 errors");
}

#[test]
fn a_file_that_is_not_there_does_not_end_the_others() {
    let place = Place::with("http x;\n");
    place.run(["check", "missing", CONF]).exits(7).prints("media.conf:1:6").says("missing` does not exist");
}

#[test]
fn warnings_fail_when_strict() {
    let place = Place::with("stream a { prepush 5 }\n");
    place.run(["check"]).exits(0).prints("media.conf:1:").prints(": warning: ").says("no errors, 1 warning");
    place.run(["check", "--strict"]).exits(3);
    Place::with(SAMPLE).run(["check", "--strict"]).exits(0);
}

#[test]
fn json_has_one_object_a_fault() {
    let place = Place::with("stream a { prepush 5 }\nstream a;\n");
    let found = place.run(["check", "-o", "json"]).exits(3).json();
    let faults = found.as_array().expect("an array");
    assert_eq!(faults.len(), 2);
    assert_eq!((&faults[0]["severity"], &faults[0]["line"]), (&json!("warning"), &json!(1)));
    let twice = &faults[1];
    assert_eq!((&twice["severity"], &twice["file"]), (&json!("error"), &json!(CONF)));
    assert_eq!(
        (&twice["line"], &twice["column"], &twice["related"]["line"]),
        (&json!(2), &json!(8), &json!(1))
    );
    assert_eq!(Place::with(SAMPLE).run(["check", "-o", "json"]).exits(0).out, "[]\n");
}

#[test]
fn invalid_files_fail_as_their_fixtures_say() {
    fixtures::all(
        fixtures::files(&fixtures::root().join("invalid"), "conf"),
        |file| file.display().to_string(),
        |file| {
            let expected = std::fs::read_to_string(file.with_extension("expect")).unwrap_or_default();
            let fails = expected.lines().any(|line| line.contains("error"));
            let place = Place::with(std::fs::read(file).expect("a fixture can be read"));
            let run = place.run(["check"]);
            if run.code == Some(if fails { 3 } else { 0 }) { Ok(()) } else { Err(format!("{run:#?}")) }
        },
    );
}
