//! `history`, `rollback`, `blame`, `status`, `confirm`, `--expect`, on a file.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::serve::Serving;
use super::{CONF, Place, Run, SAMPLE};

fn history(place: &Place) -> Vec<Value> {
    place.line("history -o json").exits(0).json().as_array().expect("it is a list").clone()
}

#[test]
fn each_change_is_told_and_can_be_undone() {
    let place = Place::with(SAMPLE);
    place.line("history").exits(0).says("media.conf was never changed in the recorded history");
    assert!(!place.path(".media.conf.mediactl").exists(), "looking makes nothing");
    place.run(["modify", "--set", "rtmp=1936", "-m", "for the test"]).exits(0);
    place.put(CONF, place.text() + "# by hand\n");
    place.set(&["rtmp=1937"]).exits(0);
    let entries = history(&place);
    let operations: Vec<_> = entries.iter().map(|entry| entry["operation"].clone()).collect();
    assert_eq!(operations, ["modify", "hand-edit", "modify"]);
    assert_eq!(entries[2]["message"], json!("for the test"));
    assert_eq!(entries[1]["by"], Value::Null);
    place.line("history").exits(0).prints("1  ").prints("modify     for the test");
    place.line("diff change:1 change:3").exits(1).prints("+# by hand");
    place.line("diff change:last").exits(1).prints("+rtmp 1937;");
    let refused = place.line("rollback 1").exits(6).says("undoes 3 changes").says("`--yes`");
    refused.says("to undo: change 2, hand-edit").says("to undo: change 1, modify").hides("rolled back");
    place.line("rollback #1 --yes").exits(0).says("rolled back media.conf");
    assert_eq!(place.text(), SAMPLE);
    for former in ["rollback @1", "diff @1", "rollback serial:1", "diff serial:1"] {
        let refused = place.line(former).exits(2);
        refused.says("`5`, or `change:5` in the place of a file; the newest is `last`");
    }
    place.line("rollback last -q").exits(0);
    assert!(place.text().ends_with("# by hand\n"));
    place.line("rollback 9").exits(7).says("there is no change `9`: the history has 1 to 5");
    place.line("diff change:9").exits(7);
    place.line("rollback 0").exits(2);
    place.line("history show 9").exits(7);
    place.line("history -n 0").exits(2);
    place.line("history -p -o json").exits(2).says("JSON has no diffs");
}

#[test]
fn a_change_that_made_the_file_has_nothing_before_it() {
    let place = Place::empty();
    place.fed("save - --yes", SAMPLE).exits(0);
    for command in [&["revert", "1"][..], &["rollback", "1", "--yes"], &["history", "show", "1"]] {
        place.run(command).exits(7).says("change 1 made the configuration: before it there was none");
    }
}

#[test]
fn a_revert_undoes_changes_and_keeps_the_later_ones() {
    let first = SAMPLE.replace("http 80;", "rtmp 1935;\nhttp 80;");
    let place = Place::with(&first);
    for set in ["rtmp=1", "rtsp=2", "streams.cam1.prepush=3", "rtsp=4"] {
        place.set(&[set]).exits(0);
    }
    let with = |ports: [&str; 2], prepush: &str| {
        let text = first.replace("rtmp 1935;", &format!("rtmp {};", ports[0]));
        text.replace("rtsp 554;", &format!("rtsp {};", ports[1]))
            .replace("prepush 5;", &format!("prepush {prepush};"))
    };
    assert_eq!(place.text(), with(["1", "4"], "3"));
    let clash = "change 2 can't be undone: change 4 (modify by";
    let values = "(it was `2`, became `4`, and was to be `554`)";
    for (line, code, words) in [
        ("revert 2", 5, clash),
        ("revert 2 --dry-run", 5, values),
        ("revert 1..2", 5, values),
        ("revert 9", 7, "there is no change `9`"),
        ("revert 1..9", 7, "there is no change `9`"),
        ("revert @1", 2, "`5`, or `change:5` in the place of a file"),
        ("revert 1 --change x", 2, "cannot be used with"),
        ("revert --change x", 7, "has no change `x`"),
        ("revert", 2, "required"),
    ] {
        place.line(line).exits(code).says(words);
    }
    assert_eq!(place.text(), with(["1", "4"], "3"));
    place.line("revert #1 --dry-run").exits(0).prints("+rtmp 1935;").says("to undo: change 1, modify");
    place.line("revert 1 -m why").exits(0).says("reverted in media.conf");
    assert_eq!(place.text(), with(["1935", "4"], "3"));
    // Several, and ranges with both ends, are one change, which can be undone, too.
    place.line("revert 4..2 -q").exits(0);
    assert_eq!(place.text(), first);
    place.line("undo -q").exits(0);
    assert_eq!(place.text(), with(["1935", "4"], "3"));
    place.line("revert last 5").exits(0);
    assert_eq!(place.text(), with(["1", "554"], "5"));
    // `undo` is `revert last` only if it names no change.
    let same: [[&[&str]; 2]; 3] = [
        [&["undo", "5"], &["revert", "5"]],
        [&["undo"], &["revert", "last"]],
        [&["undo", "--change", "x"], &["revert", "--change", "x"]],
    ];
    for [undo, revert] in same {
        let [undo, revert] =
            [undo, revert].map(|command| place.run([command, &["--dry-run", "--show-secrets"]].concat()));
        assert_eq!([undo.out, undo.err], [revert.out, revert.err]);
    }
    let entries = history(&place);
    let told: Vec<_> = entries.iter().map(|entry| (&entry["operation"], &entry["message"])).collect();
    let messages = ["changes 5, 7", "change 6", "changes 2, 3, 4", "change 1: why"];
    let expected = messages.map(|what| (json!("revert"), json!(format!("revert of {what}"))));
    assert_eq!(told[..4], expected.each_ref().map(|(operation, message)| (operation, message)));
    assert_eq!(entries[3]["undoes"], entries[7]["id"]);
    // A hand edit can be undone, and clashes as other changes do.
    place.put(CONF, place.text().replace("rtmp 1;", "rtmp 7;"));
    place.line("revert 1 --dry-run").exits(5).says("what the history does not have changed it since");
    place.line("revert 1").exits(5).says("change 9 (hand-edit) changed it since");
    place.line("revert last -q").exits(0);
    assert_eq!(place.text(), with(["1", "554"], "5"));
    let refusal = place.line("revert 9 1 -o json").exits(0).json();
    assert_eq!((&refusal["operation"], &refusal["changed"]), (&json!("revert"), &json!(true)));
}

#[test]
fn a_revert_names_all_changes_that_have_to_be_undone_with_it() {
    let place = Place::with(SAMPLE);
    place.line("mv streams.film streams.x").exits(0);
    place.set(&["streams.x.prepush=2"]).exits(0);
    place.set(&["streams.x.title=2"]).exits(0);
    for (line, later) in [("revert 1", 3), ("revert 1 3", 2), ("revert 1 2", 3)] {
        let run = place.line(line).exits(5).says("`mediactl revert 1 2 3` undoes all of it");
        run.says(&format!("change 1 can't be undone: change {later} (modify"));
    }
    place.line("revert 1 2 3").exits(0);
}

#[test]
fn operations_that_had_another_name_are_told_by_the_new_one() {
    let place = Place::with(SAMPLE);
    (1..=3).for_each(|port| drop(place.set(&[&format!("rtmp={port}")]).exits(0)));
    let journal = place.path(&format!(".{CONF}.mediactl/history/journal"));
    let now = std::fs::read_to_string(&journal).expect("it is text").replacen("\"modify\"", "\"revert\"", 1);
    std::fs::write(&journal, now.replacen("\"modify\"", "\"take-back\"", 1)).expect("it is ours");
    let told: Vec<_> = history(&place).iter().map(|entry| entry["operation"].clone()).collect();
    assert_eq!(told, ["modify", "reload-failed", "expired"]);
}

/// All texts in the folder of the history.
fn texts_in(folder: &Path) -> BTreeSet<String> {
    let text = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("it can be read");
        let mut text = String::new();
        match path.extension()?.to_str()? {
            "gz" => GzDecoder::new(&bytes[..]).read_to_string(&mut text).map(|_| text).ok(),
            "conf" => String::from_utf8(bytes).ok(),
            _ => None,
        }
    };
    let entries = std::fs::read_dir(folder).expect("it is there");
    entries.filter_map(|entry| text(entry.expect("it can be read").path())).collect()
}

#[test]
fn of_a_damaged_journal_no_text_is_lost() {
    let place = Place::with(SAMPLE);
    let folder = format!(".{CONF}.mediactl/history");
    place.set(&["rtmp=1"]).exits(0);
    place.set(&["rtmp=2"]).exits(0);
    for (number, damage) in [(3, "garbage"), (5, "garbage\n"), (7, "")] {
        place.put(&format!("{folder}/journal"), damage);
        let before = texts_in(&place.path(&folder));
        place.run(["modify", "--set", &format!("rtmp={number}")]).exits(0);
        place.run(["modify", "--set", &format!("rtmp={}", number + 1)]).exits(0);
        let after = texts_in(&place.path(&folder));
        assert!(before.is_subset(&after), "{before:?}\n{after:?}");
        assert_eq!(place.kept().len(), 2);
        place.line("diff change:last").exits(1).prints(&format!("+rtmp {};", number + 1));
    }
}

#[test]
fn a_hand_edit_that_is_not_recorded_yet_is_shown_and_hides_no_change() {
    for serves in [false, true] {
        let place = Place::with(SAMPLE);
        let _server = serves.then(|| Serving::over(&place));
        place.set(&["rtmp=1936"]).exits(0);
        place.put(CONF, place.text().replace("rtmp 1936;", "rtmp 1937;"));
        let blamed = place.line("blame rtmp").exits(0).out;
        assert!(blamed.contains("hand-edit: 1936 → 1937") && blamed.contains("nothing → 1936"), "{blamed}");
        place.line("history rtmp").exits(0).prints("hand-edit  not recorded yet").prints("1  ");
        let shown = place.line("history -p").exits(0).prints("media.conf before the hand edit\n");
        shown.prints("-rtmp 1936;\n+rtmp 1937;").prints("+rtmp 1936;");
        place.line("blame rtmp -o json").exits(0).prints("not recorded yet");
        assert_eq!(history(&place).len(), 1, "looking records nothing");
    }
}

#[test]
fn blame_tells_who_changed_a_value() {
    let place = Place::with(SAMPLE);
    place.set(&["streams.cam1.prepush=6"]).exits(0);
    place.set(&["rtsp=555"]).exits(0);
    place.line("modify --unset streams.cam1.prepush").exits(0);
    let blamed = place.line("blame streams.cam1.prepush -o json").exits(0).json();
    let told = |at: usize| json!([blamed[at]["number"], blamed[at]["from"], blamed[at]["to"]]);
    assert_eq!([told(0), told(1)], [json!([3, 6, null]), json!([1, 5, 6])]);
    assert_eq!(blamed.as_array().map(Vec::len), Some(2));
    place.line("blame streams.cam1.prepush").exits(0).prints("modify: 6 → nothing").prints("5 → 6");
    place.line("blame streams.cam1.title").exits(7);
    place.line("blame streams.cam1.prepush -n 0").exits(2);
    let unchanged = "`streams.cam1.urls` was never changed in the recorded history";
    place.line("blame streams.cam1.urls").exits(0).says(unchanged);
    place.put(&format!(".{CONF}.mediactl/history/1.conf.gz"), "x {");
    let unknown = place.line("blame rtsp").exits(0);
    unknown.says("no change of `rtsp` is known: a text of the history is not kept, or has errors");
    place.line("blame streams.cam1.urls").exits(0).says(unchanged);
    place.set(&["edit_auth.password=another"]).exits(0);
    place.line("blame edit_auth.password").exits(0).prints("\"<secret:").hides("another");
    place.line("blame edit_auth.password --show-secrets").exits(0).prints("→ \"another\"");
}

/// The paths in the records spare most texts; where a record has none, the texts say the same.
#[test]
fn records_and_texts_tell_of_the_same_changes() {
    let names = ["a b", "ü", "5", "b.c", "rtmp://x:secret@y"];
    let place =
        Place::with(names.map(|name| format!("stream \"{name}\" {{ prepush 1; }}\n")).concat() + SAMPLE);
    for command in [
        "modify|--set|streams.\"a b\".prepush=2|--set|streams.5.prepush=2",
        "modify|--set|streams.cam1.urls[0].url=udp://1|--set|http[+]=81",
        "modify|--set|streams.\"rtmp://x:secret@y\".title=x|--set|streams.ü.title=x",
        "modify|--set|streams.cam1.urls[+].url=udp://2|--set|rtsp=555",
        "modify|--set|http_options.80.api=false",
        "mv|streams.cam1|streams.cam9",
        "modify|--set|streams.cam9.position=1|--set|lives.studio.title=x",
        "modify|--set|streams.*.prepush=7|--max-delete|0",
        "rm|streams.cam9",
        "fmt",
    ] {
        place.run(command.split('|').chain(["-q"])).exits(0);
    }
    place.put(CONF, place.text() + "rtmp 1935;\n");
    place.set(&["streams.cam1.urls[0].url=udp://3"]).exits(0);
    let quoted = names.map(|name| format!("streams.\"{name}\""));
    let paths =
        quoted.iter().flat_map(|name| [name.clone(), format!("{name}.prepush"), format!("{name}.title")]);
    let others = "http http[1] http_options http_options.80.api rtsp rtmp streams streams.* streams.*.title lives \
        streams.cam1 streams.cam1.urls[0].url streams.cam9.urls[-1].url streams.cam9.prepush lives.studio.title";
    let paths: Vec<String> = paths.chain(others.split(' ').map(str::to_owned)).collect();
    let told =
        || paths.iter().map(|path| place.run(["blame", path, "--show-secrets"]).out).collect::<Vec<_>>();
    let (by_records, journal) = (told(), format!(".{CONF}.mediactl/history/journal"));
    let lines = fs::read_to_string(place.path(&journal)).expect("there is a history");
    place.put(&journal, lines.replace("\"paths\"", "\"former\""));
    for ((path, by_record), by_text) in paths.iter().zip(&by_records).zip(told()) {
        assert_eq!(*by_record, by_text, "{path}");
    }
    assert!(by_records.iter().filter(|told| !told.is_empty()).count() > 20);
}

#[test]
fn a_change_can_be_made_to_depend_on_what_is_there() {
    let place = Place::with(SAMPLE);
    let expect = |expected: &[&str]| {
        let expected = expected.iter().flat_map(|expected| ["--expect", expected]);
        place.run(["modify", "--set", "rtsp=9", "--dry-run"].into_iter().chain(expected))
    };
    expect(&["rtsp=554", "streams.cam1.prepush=5", "streams.none=null"]).exits(0);
    let both = expect(&["rtsp=555", "streams.cam1.title=x"]).exits(5);
    both.says("`rtsp` is `554`, not `555`; `streams.cam1.title` is not set, and is expected to be `\"x\"`");
    expect(&["rtsp=null"]).exits(5).says("and is expected not to be set");
    expect(&["edit_auth.password=wrong"]).exits(5).says("<secret:").hides("wrong");
    expect(&["rtsp=x"]).exits(3);
    expect(&["rtsp"]).exits(2);
    expect(&["streams.*.title=x"]).exits(3);
    let patch = place.fed("modify -f - --expect rtsp=1", "{\"rtsp\":2}");
    patch.exits(5);
    assert_eq!(place.text(), SAMPLE);
}

/// What a message tells to type names the target of the call, and works as it stands.
#[test]
fn commands_in_messages_name_the_target() {
    let place = Place::with(SAMPLE);
    place.put("a b@c.conf", SAMPLE);
    let _server = Serving::with(&place, &["--listen", "none"]);
    let calls: [(&[&str], &str); 6] = [
        (&["--conf", "a b@c.conf", "revert", "9"], "`mediactl --conf 'a b@c.conf' history`"),
        (&["revert", "9", "--conf=a b@c.conf", "-o", "json"], "`mediactl --conf 'a b@c.conf' history`"),
        (&["--conf", "a b@c.conf", "--user", "admin:hunter2", "revert", "9"], "--user admin history`"),
        (&["revert", "9"], "`mediactl history`"),
        (&["--conf", "new.conf", "read"], "`mediactl --conf new.conf init`"),
        (
            &["--url", "http://me:p@127.0.0.1:1/", "--user", "me", "--insecure", "modify", "rtsp=1"],
            "127.0.0.1:1",
        ),
    ];
    for (call, words) in calls {
        place.run(call).says(words).hides("me:p").hides("hunter2");
    }
    place.set(&["rtsp=555"]).exits(0);
    place.run(["modify", "rtsp=556", "--confirm", "60s"]).exits(0);
    let conf = place.path(CONF);
    let refused = place.run(["fmt", conf.to_str().expect("a path")]).exits(5);
    let hint = refused.err.split('`').find(|words| words.ends_with("--rollback")).expect("a command to type");
    let Some(("mediactl", words)) = hint.split_once(' ') else { panic!("{hint}") };
    place.mediactl(words.split(' ')).without("MEDIACTL_CONF").run().exits(0).says("rolled back");
}

/// On a file, and through its server.
#[test]
fn the_history_names_the_command() {
    for is_served in [false, true] {
        let place = Place::with(SAMPLE);
        let _server = is_served.then(|| Serving::with(&place, &["--listen", "none"]));
        place.put("wanted.conf", "rtsp   555;\n");
        for command in [
            "add stream one udp://1",
            "cp streams.one streams.two",
            "mv streams.two streams.three",
            "rm streams.three",
            "apply wanted.conf",
            "edit --yes",
            "fmt",
            "modify --set rtsp=557",
        ] {
            let call =
                place.mediactl(command.split(' ').chain(["-q"])).env("EDITOR", "sed -i s/555/'  556'/");
            call.at_home(&place, "").run().exits(0);
            let name = command.split(' ').next().unwrap_or_default();
            assert_eq!(history(&place)[0]["operation"], json!(name), "{is_served}");
            place.line("status").prints(&format!("last change:   {name} by"));
        }
    }
}

#[test]
fn blame_over_a_server_is_as_on_the_file() {
    let place = Place::with(SAMPLE);
    place.line("modify -q --set streams.cam1.prepush=7").exits(0);
    place.line("modify -q --set streams.cam1.urls[0].url=udp://1").exits(0);
    let blame = |path| ["blame", path, "-o", "json", "--show-secrets"];
    let paths = ["edit_auth", "streams.cam1", "streams.cam1.urls[0].url", "streams.nobody", "rtmp"];
    let on_the_file: Vec<Run> = paths.iter().map(|path| place.run(blame(path))).collect();
    let server = Serving::over(&place);
    for (path, file) in paths.iter().zip(on_the_file) {
        let run = server.remote(&place, &blame(path));
        assert_eq!((run.code, &run.out), (file.code, &file.out), "{path} {}", run.err);
    }
}
