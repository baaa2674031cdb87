//! `mediactl mv`, `cp`, `rm` and `add`.

use serde_json::json;

use super::serve::Serving;
use super::{CONF, Place, SAMPLE};

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
    let copy = "stream cam9 {\n  url udp://h:9 priority=1;\n}\n";
    assert_eq!(place.text(), SAMPLE.replace("stream cam.2", &format!("{copy}stream cam.2")));
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
    place.run(["add", "live", "x", "udp://h:5"]).exits(2).says("`add live` takes no URL");
    place.run(["add", "camera", "x"]).exits(2);
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
            (&["add", "stream", "a", "udp://1"][..], &["cam1", "cam.2", "a", "film"][..]),
            (&["add", "stream", "b", "--set", "static=false"], &["cam1", "cam.2", "a", "film", "b"]),
            (&["cp", "streams.cam1", "streams.c"], &["cam1", "c", "cam.2", "a", "film", "b"]),
            (&["add", "stream", "d", "--before", "cam1"], &["d", "cam1", "c", "cam.2", "a", "film", "b"]),
            (&["rm", "streams.c", "streams.b", "streams.a"], &["d", "cam1", "cam.2", "film"]),
            (&["cp", "streams.cam1", "streams.e", "--after", "film"], &["d", "cam1", "cam.2", "film", "e"]),
            (
                &["cp", "streams.cam1", "streams.f", "--before", "d"],
                &["f", "d", "cam1", "cam.2", "film", "e"],
            ),
            (&["add", "stream", "g", "--after", "cam.2"], &["f", "d", "cam1", "cam.2", "g", "film", "e"]),
        ] {
            place.run(arguments).exits(0);
            assert_eq!(order(&place), expected, "{arguments:?}");
        }
        place.run(["add", "live", "hall", "--before", "studio"]).exits(0);
        assert!(place.text().contains("live hall;\nlive studio {\n"), "{}", place.text());
        for command in [["add", "stream", "x"], ["cp", "streams.cam1", "streams.x"]] {
            for option in ["--after", "--before"] {
                let run = place.run(command.iter().chain(&[option, "cam3"])).exits(7);
                run.says("there is no stream `cam3`").says("did you mean `cam1`");
            }
            place.run(command.iter().chain(&["--after", "cam1", "--before", "cam1"])).exits(2);
        }
        drop(serving);
    }
}

#[test]
fn a_new_block_stands_beside_the_named_one_among_other_directives() {
    let text =
        "edit_auth admin hunter2;\nstream a { }\nrtmp 1;\n\n# part two\n\n# of b\nstream b { }\nrtsp 2;\n";
    for (serves, command) in [false, true].into_iter().flat_map(|serves| {
        [["add", "stream", "n"], ["cp", "streams.a", "streams.n"]].map(|command| (serves, command))
    }) {
        for (option, before, behind) in [
            ("--before", "# part two\n\n", "\n# of b\nstream b { }\n"),
            ("--after", "# of b\nstream b { }\n", "rtsp 2;\n"),
        ] {
            let place = Place::with(text);
            let serving = serves.then(|| Serving::over(&place));
            place.run(command.iter().chain(&[option, "b"])).exits(0);
            let now = place.text();
            let block = &now[now.find("stream n").expect("it is there")..];
            let block = &block[..=block.find('}').expect("it ends")];
            let parts = now.split_once(block).expect("it is in it");
            assert!(parts.0.trim_end().ends_with(before.trim_end()), "{now}");
            assert!(parts.1.trim_start().starts_with(behind.trim_start()), "{now}");
            drop(serving);
        }
    }
}

#[test]
fn many_get_other_names_in_one_change_on_a_file_and_on_a_server() {
    let many: String = (0..9).map(|at| format!("# number {at}\nstream s{at} udp://{at};\n")).collect();
    for serves in [false, true] {
        let text = format!("edit_auth admin hunter2;\n{many}live s0;\nstream t1;\n");
        let place = Place::with(&text);
        let serving = serves.then(|| Serving::over(&place));
        let renamed = text.replace("stream s", "stream gate-");
        let mv = ["mv", "streams.s*", "--replace", "s/s/gate-/"];
        place.run(mv.iter().chain(&["--dry-run"])).exits(0).says("would change");
        assert_eq!(place.text(), text);
        place.run(mv).exits(0).says("9 lines added, 9 lines removed");
        assert_eq!((place.text(), place.kept().len()), (renamed.clone(), 1), "it is one change");
        place.run(mv).exits(7).says("`s*` matches nothing here");
        place.run(["mv", "streams.*", "--replace", r"s/\d$/1/r"]).exits(3).says("would get the same name");
        place
            .run(["mv", "streams.gate*", "--replace", r"s/gate-\d/t1/r"])
            .exits(3)
            .says("a stream `t1` already");
        assert_eq!(place.text(), renamed);
        place.run(["rollback", "-q", "1", "--force"]).exits(0);
        place.run(["mv", "streams.s*", "--replace", r"s/^s(.)$/${1}s/r", "-o", "change-json"]).exits(0);
        place.run(["mv", "lives.s0", "--replace", "s/s0/the hall/"]).exits(0);
        assert!(
            place.text().contains("stream 0s udp://0;\n# number 1\nstream 1s udp://1;\n"),
            "{}",
            place.text()
        );
        assert!(place.text().contains("live \"the hall\";\n"), "{}", place.text());
        drop(serving);
    }
    let place = Place::with(many);
    place.run(["mv", "streams.s*"]).exits(2);
    place.run(["mv", "streams.s*", "streams.x"]).exits(3).says("expected one stream").says("--replace");
    place.run(["mv", "streams.s*", "streams.x", "--replace", "s/s/t/"]).exits(2);
    place.run(["mv", "streams.s*", "--replace", "s/s/t"]).exits(2).says("such as `s/");
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
    place.run(["confirm", "--rollback"]).exits(0);
    assert_eq!(place.text(), SAMPLE.replace("stream cam1", "stream lobby"));
    drop(serving);
}

#[test]
fn on_a_terminal_what_a_pattern_removes_is_shown_and_asked_about() {
    let place = Place::with(SAMPLE);
    let rm = |arguments: &[&str]| place.mediactl(["rm"].iter().chain(arguments));
    for arguments in [&["streams.cam*"][..], &["streams", "--where", "prepush=5"], &["streams.*.prepush"]] {
        let mut terminal = rm(arguments).on_terminal();
        terminal.expect("-  prepush 5;").expect("this removes streams.cam1");
        let seen = terminal.expect("go on? [y/N]").enter("n").exits(6);
        assert!(seen.contains("the change was not made"), "{seen}");
        assert_eq!(place.text(), SAMPLE, "{arguments:?}");
    }
    assert!(!rm(&["streams.*.prepush", "--dry-run"]).on_terminal().exits(0).contains("[y/N]"));
    assert!(!rm(&["streams.*.prepush", "--yes"]).on_terminal().exits(0).contains("[y/N]"));
    assert!(!rm(&["lives.studio"]).on_terminal().exits(0).contains("[y/N]"), "it was named");
    rm(&["streams.cam*"]).on_terminal().expect("streams.cam1, streams.\"cam.2\": go on?").enter("y").exits(0);
    assert_eq!(order(&place), ["film"]);
    rm(&["streams.*"]).run().exits(0);
    let place = Place::with((0..9).map(|at| format!("stream s{at};\n")).collect::<String>());
    let mut terminal = place.mediactl(["rm", "streams.*"]).on_terminal();
    terminal.expect("-stream s8;").expect("9 of 9 streams would be deleted; this removes streams.s0, ");
    terminal.expect("go on? [y/N]").enter("n").exits(6);
    place.mediactl(["rm", "streams.*"]).on_terminal().expect("go on? [y/N]").enter("y").exits(0);
    assert_eq!(place.text(), "");
}

#[test]
fn what_was_agreed_to_is_not_made_of_another_configuration() {
    for serves in [false, true] {
        let place = Place::with(SAMPLE);
        let serving = serves.then(|| Serving::over(&place));
        let mut terminal = place.mediactl(["rm", "streams.cam*"]).on_terminal();
        terminal.expect("go on? [y/N]");
        place.run(["add", "stream", "cam3", "udp://3"]).exits(0);
        assert!(terminal.enter("y").exits(5).contains("changed meanwhile"));
        assert_eq!(order(&place).len(), 4);
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
        &["add", "stream", "lobby", "udp://1", "--before", "cam1"],
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
            dry.says("picked up a hand edit of rtsp\n");
            place.run(arguments).exits(0).says("picked up a hand edit of rtsp\n");
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
            place.run(arguments).exits(0).says("a hand edit of the file is overwritten").hides("picked up");
            place.run(["diff", "change:last", CONF]).prints(&format!("-{text}"));
        }
        drop(serving);
    }
}

#[test]
fn a_hand_edit_that_a_change_picks_up_is_told_by_its_paths() {
    for serves in [true, false] {
        let place = Place::with(SAMPLE);
        let serving = known_to(&place, serves);
        for (title, (old, new, told)) in [
            ("rtsp 554", "rtsp 555", "picked up a hand edit of rtsp\n"),
            ("# main", "# mine", "picked up a hand edit that changes no value\n"),
            ("hunter2", "hunter3", "picked up a hand edit of edit_auth.password\n"),
            ("prepush 5", "prepush 6", "picked up a hand edit of streams.cam1.prepush\n"),
        ]
        .into_iter()
        .enumerate()
        {
            place.put(CONF, place.text().replace(old, new));
            place.run(["modify", "--set", "rtmp=1", "--dry-run"]).exits(0).says(told).hides("hunter");
            place.run(["modify", "--set", &format!("title=t{title}")]).exits(0).says(told);
        }
        let many: String = (0..12).map(|at| format!("stream s{at};\n")).collect();
        place.put(CONF, format!("{}{many}", place.text()));
        place.run(["modify", "--set", "rtmp=1"]).exits(0).says("streams.s9, and 2 more\n");
        drop(serving);
    }
}

#[test]
fn without_a_history_there_is_no_hand_edit_to_tell() {
    let place = Place::with(SAMPLE);
    place.put(CONF, place.text().replace("rtsp 554;", "rtsp 555;"));
    place.set(&["rtmp=1"]).exits(0).hides("hand edit");
    // Two edits in a row are one; an edit back to an earlier text is one, too.
    let earlier = place.text();
    place.set(&["rtmp=2"]).exits(0);
    place.put(CONF, earlier.replace("rtsp 555;", "rtsp 556;"));
    place.put(CONF, &earlier);
    place.set(&["http=81"]).exits(0).says("picked up a hand edit of rtmp\n");
    std::fs::write(place.path(".media.conf.mediactl/history/journal"), "damaged")
        .expect("the folder is ours");
    place.put(CONF, earlier);
    place.run(["modify", "--set", "http=82", "--dry-run"]).exits(0).hides("hand edit");
    place.set(&["http=82"]).exits(0).hides("hand edit");
}

/// A name that looks like a mask would refuse every later save.
#[test]
fn a_name_that_looks_like_a_mask_is_refused() {
    let place = Place::with(SAMPLE);
    let mask = "streams.\"<secret:aaaaaa>\"";
    for words in [&["mv", "streams.cam1", mask][..], &["cp", "streams.cam1", mask]] {
        place.run(words).exits(3).says("mask, not the secret");
    }
    place.run(["mv", "streams.cam1", "--replace", "s/cam1/<secret:aaaaaa>/"]).exits(3);
    place.run(["add", "stream", "<secret:aaaaaa>", "udp://1"]).exits(3);
    assert_eq!(place.text(), SAMPLE);
    place.put("new.conf", SAMPLE.to_owned() + "rtsp 1;\nview_auth eve <secret:aaaaaa>;\n");
    let line = SAMPLE.lines().count() + 2;
    place.run(["save", "new.conf"]).exits(3).says(&format!("line {line}: this is a mask"));
}
