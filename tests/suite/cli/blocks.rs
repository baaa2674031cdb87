//! `mediactl mv`, `cp`, `rm` and `add`.

use serde_json::json;

use super::serve::Serving;
use super::{Place, SAMPLE};

#[test]
fn a_stream_gets_another_name_and_nothing_else_changes() {
    let place = Place::with(SAMPLE);
    let renamed = SAMPLE.replace("stream cam1", "stream lobby");
    place
        .run(["mv", "streams.cam1", "streams.lobby", "--dry-run"])
        .exits(0)
        .says("would change media.conf: 1 line");
    assert_eq!(place.text(), SAMPLE);
    let run = place.run(["mv", "streams.cam1", "streams.lobby", "-o", "json"]).exits(0).json();
    assert_eq!((&run["streams"]["lobby"]["position"], &run["streams"]["cam1"]), (&json!(1), &json!(null)));
    assert_eq!(place.text(), renamed);
    place.run(["mv", "streams.cam1", "streams.x"]).exits(7).says("there is no stream `cam1`");
    place.run(["mv", "streams.lobby", "streams.film"]).exits(3).says("there is a stream `film` already");
    place.run(["mv", "streams.lobby", "lives.lobby"]).exits(3).says("a stream can't become a live");
    place.run(["mv", "streams.cam.2", "streams.x"]).exits(3).says("a name with a dot is quoted");
    place.run(["mv", "streams.lobby"]).exits(2);
    place.run(["mv", "streams.lobby", "streams.lobby"]).exits(0).says("nothing to change");
    place.run(["rollback", "-q", "1"]).exits(0);
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn a_copy_is_edited_in_the_same_change() {
    let place = Place::with(SAMPLE);
    let run = place.run([
        "cp",
        "streams.cam1",
        "streams.cam9",
        "--set",
        "urls[0].url=udp://h:9",
        "--unset",
        "prepush",
    ]);
    run.exits(0).says("changed media.conf: 3 lines added, 0 lines removed");
    let film = "ondemand film file://film.mp4;\n";
    let copy = "stream cam9 {\n  url udp://h:9 priority=1;\n}\n";
    assert_eq!(place.text(), SAMPLE.replace(film, &format!("{film}{copy}")));
    assert_eq!(place.kept().len(), 1, "it is one change");
    place.run(["cp", "streams.cam1", "streams.cam9"]).exits(3);
    place.run(["cp", "streams.cam1", "streams.cam8", "--set", "prepush=x"]).exits(3);
    place
        .run(["cp", "streams.cam1", "streams.cam8", "--set", "prepsh=5"])
        .exits(3)
        .says("did you mean `prepush`?");
}

#[test]
fn what_is_added_is_new() {
    let place = Place::with(SAMPLE);
    place.run(["add", "stream", "cam.5", "udp://h:5", "udp://h:6", "--set", "prepush=5"]).exits(0);
    place.run(["add", "live", "hall", "--set", "publish_enabled=false"]).exits(0);
    place.run(["add", "plugin", "iptv"]).exits(0);
    let read = |path: &str| place.run(["read", "-o", "compact", path]).exits(0).json();
    assert_eq!(read("streams.\"cam.5\".urls"), json!([{"url": "udp://h:5"}, {"url": "udp://h:6"}]));
    assert_eq!(
        (read("streams.\"cam.5\".prepush"), read("lives.hall.publish_enabled")),
        (json!(5), json!(false))
    );
    place.run(["add", "stream", "cam1", "udp://h:5"]).exits(3).says("there is a stream `cam1` already");
    place.run(["add", "live", "x", "udp://h:5"]).exits(2).says("a live has no sources");
    place.run(["add", "camera", "x"]).exits(2);
}

#[test]
fn what_matches_is_removed() {
    let place = Place::with(SAMPLE);
    place.run(["rm", "streams.cam*", "--where", "prepush missing"]).exits(0).prints("-stream cam.2 {");
    place.run(["rm", "streams.test*"]).exits(7).says("`test*` matches nothing here");
    place.run(["rm", "streams.test*", "--ignore-missing"]).exits(0);
    place.run(["rm", "streams.cam1", "lives.studio"]).exits(0);
    place.run(["rm"]).exits(2);
    place.run(["rm", "edit_auth"]).exits(6);
    let many: String = (0..9).map(|at| format!("stream s{at} udp://{at};\n")).collect();
    let place = Place::with(many);
    place.run(["rm", "streams.s*"]).exits(6).says("9 of 9 streams would be deleted");
    let names: Vec<String> = (0..9).map(|at| format!("streams.s{at}")).collect();
    place.run(["rm", "-q"].into_iter().chain(names.iter().map(String::as_str))).exits(0);
}

#[test]
fn a_server_keeps_the_text_as_the_file_does() {
    let place = Place::with(SAMPLE);
    let serving = Serving::over(&place);
    place.run(["mv", "streams.cam1", "streams.lobby", "--dry-run"]).exits(0).prints("+stream lobby {");
    assert_eq!(place.text(), SAMPLE);
    let run = place.run(["mv", "streams.cam1", "streams.lobby", "-m", "new sign"]).exits(0);
    assert!(!run.err.contains("note"), "{run:?}");
    assert_eq!(place.text(), SAMPLE.replace("stream cam1", "stream lobby"));
    place.run(["history"]).exits(0).prints("new sign");
    place
        .run(["cp", "streams.lobby", "streams.cam9", "--set", "prepush=6"])
        .exits(0)
        .prints("+  prepush 6; # seconds");
    place.run(["add", "stream", "cam5", "udp://h:5"]).exits(0);
    place.run(["add", "stream", "cam5", "udp://h:5"]).exits(3);
    place.run(["rm", "streams.cam5"]).exits(0);
    place.run(["rm", "streams.cam9"]).exits(0);
    assert_eq!(place.text(), SAMPLE.replace("stream cam1", "stream lobby"));
    place.run(["mv", "streams.nothing", "streams.x"]).exits(7);
    place.run(["mv", "streams.lobby", "streams.cam1", "--confirm", "60s", "-q"]).exits(0);
    place.run(["confirm", "--revert"]).exits(0);
    assert_eq!(place.text(), SAMPLE.replace("stream cam1", "stream lobby"));
    drop(serving);
}
