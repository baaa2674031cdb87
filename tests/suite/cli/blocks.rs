//! `mediactl mv`, `cp`, `rm` and `add`.

use serde_json::json;

use super::serve::Serving;
use super::{CONF, Place, SAMPLE};

#[test]
fn a_stream_gets_another_name_and_nothing_else_changes() {
    let place = Place::with(SAMPLE);
    let renamed = SAMPLE.replace("stream cam1", "stream lobby");
    place.line("mv streams.cam1 streams.lobby --dry-run").exits(0).says("would change media.conf: 1 line");
    assert_eq!(place.text(), SAMPLE);
    let run = place.line("mv streams.cam1 streams.lobby -o json").exits(0).json();
    assert_eq!((&run["operation"], &run["effects"]["renamed"]), (&json!("mv"), &json!(1)));
    assert_eq!(place.text(), renamed);
    place.line("mv streams.cam1 streams.x").exits(7).says("there is no stream `cam1`");
    place.line("mv streams.lobby streams.film").exits(3).says("there is a stream `film` already");
    place.line("mv streams.lobby lives.lobby").exits(3).says("a stream can't become a live");
    place.line("mv streams.cam.2 streams.x").exits(3).says("a name with a dot is quoted");
    place.line("mv streams.lobby").exits(2);
    place.line("mv streams.lobby streams.lobby").exits(0).says("nothing to change");
    place.line("rollback -q 1").exits(0);
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn a_copy_is_edited_in_the_same_change() {
    let place = Place::with(SAMPLE);
    let run = place.line("cp streams.cam1 streams.cam9 --set urls[0].url=udp://h:9 --unset prepush");
    run.exits(0).says("changed media.conf: 3 lines added, 0 lines removed");
    let copy = "stream cam9 {\n  url udp://h:9 priority=1;\n}\n";
    assert_eq!(place.text(), SAMPLE.replace("stream cam.2", &format!("{copy}stream cam.2")));
    assert_eq!(place.kept().len(), 1, "it is one change");
    place.line("cp streams.cam1 streams.cam9").exits(3);
    place.line("cp streams.cam1 streams.cam8 --set prepush=x").exits(3);
    place.line("cp streams.cam1 streams.cam8 --set prepsh=5").exits(3).says("did you mean `prepush`?");
}

#[test]
fn what_is_added_is_new() {
    let place = Place::with(SAMPLE);
    place.line("add stream cam.5 udp://h:5 udp://h:6 --set prepush=5").exits(0);
    place.line("add live hall --set publish_enabled=false").exits(0);
    place.line("add plugin iptv").exits(0);
    let read = |path: &str| place.run(["read", "-o", "compact", path]).exits(0).json();
    assert_eq!(read("streams.\"cam.5\".urls"), json!([{"url": "udp://h:5"}, {"url": "udp://h:6"}]));
    assert_eq!(
        (read("streams.\"cam.5\".prepush"), read("lives.hall.publish_enabled")),
        (json!(5), json!(false))
    );
    place.line("add stream cam1 udp://h:5").exits(3).says("there is a stream `cam1` already");
    place.line("add live x udp://h:5").exits(2).says("`add live` takes no URL");
    place.line("add camera x").exits(2);
}

/// The names of the streams, as far as these have them, in the order of the text.
fn order(place: &Place) -> Vec<String> {
    let text = place.text();
    let blocks = text.lines().filter(|line| line.starts_with("stream ") || line.starts_with("ondemand "));
    blocks.filter_map(|line| line.split_whitespace().nth(1)).map(str::to_owned).collect()
}

#[test]
fn a_new_block_stands_where_it_is_wanted_on_a_file_and_on_a_server() {
    for serves in [false, true] {
        let place = Place::with(SAMPLE);
        let serving = serves.then(|| Serving::over(&place));
        for (arguments, expected) in [
            (&["add", "stream", "a", "udp://1"][..], &["cam1", "cam.2", "film", "a"][..]),
            (&["add", "stream", "b", "--set", "static=false"], &["cam1", "cam.2", "film", "a", "b"]),
            (&["cp", "streams.cam1", "streams.c"], &["cam1", "c", "cam.2", "film", "a", "b"]),
            (&["add", "stream", "d", "--set", "position=1"], &["d", "cam1", "c", "cam.2", "film", "a", "b"]),
            (&["rm", "streams.c", "streams.b", "streams.a"], &["d", "cam1", "cam.2", "film"]),
            (
                &["cp", "streams.cam1", "streams.e", "--set", "position=5"],
                &["d", "cam1", "cam.2", "film", "e"],
            ),
        ] {
            place.run(arguments).exits(0);
            assert_eq!(order(&place), expected, "{arguments:?}");
        }
        drop(serving);
    }
}

/// A server over the file, or a change by which the history knows what is in it.
fn known_to(place: &Place, serves: bool) -> Option<Serving> {
    if !serves {
        place.set(&["loglevel=debug"]).exits(0);
    }
    serves.then(|| Serving::over(place))
}

#[test]
fn every_change_picks_up_a_hand_edit_with_a_server_and_without_one() {
    for arguments in [
        &["mv", "streams.cam1", "streams.lobby"][..],
        &["cp", "streams.cam1", "streams.lobby"],
        &["add", "stream", "lobby", "udp://1"],
        &["add", "stream", "lobby", "udp://1", "--set", "position=1"],
        &["rm", "streams.film"],
        &["rm", "streams.*.prepush"],
        &["modify", "--set", "streams.*.disabled=true"],
        &["apply", "state"],
        &["apply", "--prune", "state", "--max-delete", "9"],
        &["fmt"],
    ] {
        for serves in [true, false] {
            let place = Place::with(SAMPLE);
            place.put("state", "stream cam1 { url udp://9; }\n");
            let serving = known_to(&place, serves);
            place.put(CONF, place.text().replace("rtsp 554;", "rtsp   555;"));
            let dry = place.run(arguments.iter().chain(&["--dry-run"])).exits(0);
            dry.says("found an edit made outside of mediactl: rtsp\n");
            place.run(arguments).exits(0).says("found an edit made outside of mediactl: rtsp\n");
            assert!(place.text().contains(" 555;"), "{arguments:?}\n{}", place.text());
            place.set(&["rtmp=1"]).exits(0).hides("hand edit");
            drop(serving);
        }
    }
}

#[test]
fn a_replacement_says_that_it_overwrites_a_hand_edit() {
    for serves in [true, false] {
        let place = Place::with(SAMPLE);
        let serving = known_to(&place, serves);
        place.set(&["title=a"]).exits(0);
        for (arguments, text) in [(["save", "new"], "rtsp 1;\n"), (["rollback", "last"], "rtsp 2;\n")] {
            place.put("new", place.text() + "plugin x;\n");
            place.put(CONF, place.text() + text);
            place
                .run(arguments.iter().chain(&["--dry-run"]))
                .exits(0)
                .says("a hand edit of the file is overwritten");
            place
                .run(arguments)
                .exits(0)
                .says("a hand edit of the file is overwritten")
                .hides("found an edit");
            place.run(["diff", "change:last", CONF]).prints(&format!("-{text}"));
        }
        drop(serving);
    }
}
