//! `mediactl mv`, `cp`, `rm` and `add`; blocks that others use by their names: `mv` renames what refers to them, and they
//! are not removed by mistake.

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
    assert_eq!(read("streams.\"cam.5\".prepush"), 5);
    assert_eq!(read("lives.hall.publish_enabled"), false);
    place.line("add stream cam1 udp://h:5").exits(3).says("there is a stream `cam1` already");
    place.line("add live x udp://h:5").exits(2).says("`add live` takes no URL");
    place.line("add camera x").exits(2);
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

const TEXT: &str = "\
http 80;
template low {
  prepush 5;
}
dvr main {
  root /s;
}
auth_backend b {
}
stream a {
  url udp://1;
  template low; # shared
  dvr @main 7d;
  auth auth://b/x?y=1;
}
stream c {
  url udp://2;
  template low;
  backup_stream a;
}
";

#[test]
fn mv_renames_what_refers_to_a_block_and_says_how_many() {
    let [one, two] = ["1 place that refers to it", "2 places that refer to it"];
    for (line, changed, told) in [
        ("mv streams.a streams.z", [("stream a {", "stream z {"), ("stream a;", "stream z;")], one),
        ("mv dvr.main dvr.disk", [("dvr main {", "dvr disk {"), ("@main 7d", "@disk 7d")], one),
        ("mv auth_backend.b auth_backend.q", [("backend b", "backend q"), ("//b/x?", "//q/x?")], one),
        ("mv template.low template.hi", [("low {", "hi {"), ("low;", "hi;")], two),
    ] {
        let place = Place::with(TEXT);
        place.line(line).exits(0).says(told);
        let expected = changed.iter().fold(TEXT.to_owned(), |text, (old, new)| text.replace(old, new));
        assert_eq!(place.text(), expected, "{line}");
    }
}

#[test]
fn many_names_change_at_once_with_what_refers_to_them() {
    let place = Place::with(TEXT);
    place.line("mv template.* --replace s/low/lower/").exits(0);
    assert_eq!(place.text().matches("template lower").count(), 3);
    place.line("mv streams.* --replace s/a/gate/").exits(0);
    assert!(place.text().contains("backup_stream gate;"), "{}", place.text());
}

#[test]
fn a_name_that_cant_stand_in_all_places_is_refused() {
    let place = Place::with(TEXT);
    place.run(["mv", "dvr.main", "dvr.\"a b\""]).exits(3);
    place.line("mv template.low template.low").exits(0);
    place.line("mv template.low dvr.low").exits(3);
    place.line("mv template.nope template.x").exits(7);
    assert_eq!(place.text(), TEXT);
}

/// The check only warns of them, so they can be there.
#[test]
fn of_two_templates_with_one_name_each_command_says_so_and_one_can_be_removed() {
    let place = Place::with(
        "template t {\n  prepush 5;\n}\ntemplate t {\n  title x;\n}\nstream a {\n  url udp://1;\n  template t;\n}\n",
    );
    for line in ["rm template.t", "mv template.t template.u", "cp template.t template.u"] {
        let run = place.line(line).exits(7).says("`template.t`: the template `t` is defined twice");
        run.says("`rm 'template[1]'` removes the second");
    }
    place.line("rm template[1]").exits(0);
    assert_eq!(place.text(), "template t {\n  prepush 5;\n}\nstream a {\n  url udp://1;\n  template t;\n}\n");
}

#[test]
fn a_block_that_others_use_is_not_removed_unless_that_is_accepted() {
    for (path, told) in [
        ("streams.a", "1 block uses `streams.a`, which the change removes: `streams.c`"),
        ("template.low", "2 blocks use `template.low`, which the change removes: `streams.a`, `streams.c`"),
        ("dvr.main", "1 block uses `dvr.main`, which the change removes: `streams.a`"),
    ] {
        let place = Place::with(TEXT);
        for line in [format!("modify --unset {path}"), format!("modify --set {path}=null")] {
            place.line(&line).exits(6).says(told).says("--accept dangling");
        }
        assert_eq!(place.text(), TEXT);
        place.line(&format!("modify --unset {path} --accept dangling")).exits(0);
    }
    // A whole text, too; one that takes the users along is no surprise.
    let place = Place::with(TEXT);
    place.put("new.conf", TEXT.replace("template low {\n  prepush 5;\n}\n", ""));
    place.line("save new.conf").exits(6);
    place.line("modify --unset streams.a --unset streams.c --unset template.low").exits(0);
    place.line("rollback last").exits(0);
    let many: String = (0..9).map(|n| format!("stream s{n} {{\n  template low;\n}}\n")).collect();
    place.put("media.conf", format!("{TEXT}{many}"));
    let refused = place.line("modify --unset template.low").exits(6).says("11 blocks use `template.low`");
    refused.says("which the change removes: `streams.a`, `streams.c`, `streams.s0`, …");
}

#[test]
fn streams_inside_another_one_are_counted_with_it() {
    let place = Place::with(
        "http 80;\nstream a {\n  url udp://1;\nstream b {\n  url udp://2;\n}\nstream c udp://3;\n}\n",
    );
    place.line("modify --unset streams.a --max-delete 2").exits(6).says("3 of 3 streams would be deleted");
    let told = place.line("modify --unset streams.a").exits(0);
    told.says("2 stood inside another one: is a `}` missing?");
}

#[test]
fn a_change_that_brings_a_sign_in_front_of_a_value_is_refused() {
    let place = Place::with("http 80;\nstream a {\n  url udp://1;\n}\n");
    for (patch, told) in [
        (r#"{"streams":{"a":{"backup_stream":["=","x"]}}}"#, "between `backup_stream` and its value"),
        (r#"{"access_log":["=","/var/log/x"]}"#, "between `access_log` and its value"),
    ] {
        place.patch(patch).exits(3).says(told).says("--accept near-miss");
    }
    // A whole text is taken with the warning.
    place.put("new.conf", "http 80;\nauth = http://b;\nstream a udp://1;\n");
    place.line("save new.conf").exits(0).says("`=` between `auth` and its value");
}
