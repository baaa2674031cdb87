//! The warnings that a change brings.

use serde_json::json;

use super::serve::Serving;
use super::{CONF, Place};

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

/// The commands that bring one warning; the last ones need a server.
const COMMANDS: &[&str] = &[
    "modify --set streams.cam1.urls[0].url=upd://1",
    "modify -f patch.json",
    "save bad.conf",
    "apply bad.conf",
    "edit --yes",
    "rollback 1 --yes",
    "update bad.conf",
];

fn place() -> Place {
    let place = Place::with(bad());
    place.put("bad.conf", bad());
    place.put("patch.json", r#"{"streams": {"cam1": {"urls": [{"url": "upd://1"}]}}}"#);
    place.put("good.conf", TEXT);
    place.line("save -q good.conf").exits(0);
    place
}

fn every_command_tells(place: &Place, way: &[&str], commands: &[&str]) {
    for command in commands {
        let run = |more: &[&str]| {
            let words = way.iter().copied().chain(command.split(' ')).chain(more.iter().copied());
            place.mediactl(words).env("EDITOR", "cp bad.conf").at_home(place, "").by_admin().run()
        };
        for more in [&["--strict"][..], &["--strict", "--force"], &["--strict", "--dry-run"]] {
            let refused = run(more).exits(3).says(&format!("the change brings a warning: {TOLD}"));
            refused.says("hint: without `--strict` it is made all the same");
            assert_eq!(place.text(), TEXT, "{command}");
        }
        run(&["--dry-run"]).exits(0).says(&format!("warning: {TOLD}"));
        let made = run(&["-q", "-o", "change-json"]).exits(0).says(&format!("warning: {TOLD}"));
        assert_eq!(made.err.matches("warning:").count(), 1, "{made:?}");
        assert_eq!(made.json()["warnings"], json!([TOLD]), "{command}");
        assert!(!made.json()["notes"].to_string().contains("warning"), "{made:?}");
        let good = if command.starts_with("update") { "update" } else { "save" };
        let back = place.run([good, "good.conf", "--strict"]).exits(0);
        assert!(!back.err.contains("warning"), "{back:?}");
    }
}

#[test]
fn every_command_tells_the_warnings_that_it_brings_and_strict_refuses_them() {
    let place = place();
    let on_files = &COMMANDS[..COMMANDS.len() - 1];
    every_command_tells(&place, &[], on_files);
    let server = Serving::over(&place);
    every_command_tells(&place, &[], COMMANDS);
    every_command_tells(&place, &["--url", &server.url], COMMANDS);
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
