//! The messages for what users of other tools type.

use super::{Place, SAMPLE};

#[test]
fn what_is_no_command_leads_to_one() {
    let place = Place::with(SAMPLE);
    for (typed, code, says) in [
        ("delete streams.cam1", 2, "there is no command `delete`\nhint: use `mediactl rm streams.cam1`\n"),
        ("--conf media.conf set rtmp=1", 2, "hint: use `mediactl --conf media.conf modify --set rtmp=1`\n"),
        ("--conf delete delete rtmp", 2, "hint: use `mediactl --conf delete rm rtmp`\n"),
        (
            "edit_auth.password=geheim",
            2,
            "`edit_auth.password` is no command\nhint: use `mediactl modify --set edit_auth.password`",
        ),
        ("enable studio", 2, "use `mediactl modify --unset lives.studio.disabled`"),
        ("--conf media.conf disable cam.2", 2, "modify --set 'streams.\"cam.2\".disabled=true'`"),
        ("get cam1 title", 2, "use `mediactl read streams.cam1.title`"),
        ("delete cam1", 2, "use `mediactl rm streams.cam1`"),
        ("--url http://127.0.0.1:1 delete cam1", 2, "mediactl --url http://127.0.0.1:1 rm cam1`"),
        ("set streams.cam1.title A B", 2, "use `mediactl modify --set 'streams.cam1.title=A B'`"),
        ("stop cam1", 2, "use `mediactl modify --set streams.cam1.disabled=true`"),
        ("sources", 2, "use `mediactl read -o table --columns name,sources`"),
        ("add cam9 udp://h:1", 2, "first\nhint: use `mediactl add stream cam9 udp://h:1`"),
        ("add streams.cam9 rtsp://u:geheim@h/ -q", 2, "use `mediactl add stream cam9 'rtsp://<secret:"),
        ("add cam9", 2, "use `mediactl add stream cam9`"),
        ("modify rtmp 1935", 2, "between them\nhint: use `mediactl modify --set rtmp=1935`"),
        ("modify cam1.title A B -q", 2, "use `mediactl modify --set 'streams.cam1.title=A B' -q`"),
        ("modify edit_auth.password geheim", 2, "use `mediactl modify --set edit_auth.password`"),
        ("context delete prod", 2, "hint: use `mediactl context remove prod`\n"),
        ("help delete", 2, "hint: use `mediactl help rm`\n"),
        ("add=1 edit x", 2, "`add` is no command"),
        ("rm cam1", 7, "`cam1`: there is no `cam1`\nhint: did you mean `streams.cam1`?\n"),
        ("rm cam.2", 7, "hint: did you mean `streams.\"cam.2\"`?\n"),
        ("rm cam*", 7, "`cam*` matches nothing here\nhint: did you mean `streams.cam*`?\n"),
        ("read cam1.prepush", 7, "hint: did you mean `streams.cam1.prepush`?\n"),
        ("modify --set studio.title=x", 3, "hint: did you mean `lives.studio.title`? `--create`"),
        ("modify rtmp", 2, "it has no value: write PATH=VALUE"),
        ("modify -f patch.json rtmp=1", 2, "cannot be used with"),
        ("read media.conf", 7, "hint: `media.conf` is a file: write `--conf media.conf` to work on it\n"),
        ("read ./media.conf", 3, "`--conf ./media.conf`"),
        ("--conf none.conf read media.conf", 7, "`--conf media.conf`"),
        ("blame media.conf", 7, "`--conf media.conf`"),
        ("rollback", 2, "so quote it: `mediactl rollback '#7'`\n"),
        ("history show", 2, "so quote it: `mediactl history show '#7'`\n"),
        ("--set edit_auth.password=geheim", 2, "hint: write the command first: `mediactl modify --set …`\n"),
        (
            "edit_auth admin geheim",
            2,
            "hint: it is a directive: `mediactl modify --set edit_auth=VALUE` sets it",
        ),
        ("history #1", 2, "hint: `mediactl history show '#1'` shows the text before it\n"),
        ("frobnicate", 2, "unrecognized subcommand 'frobnicate'"),
    ] {
        place.run(typed.split(' ')).exits(code).says(says).hides("geheim");
    }
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn modify_sets_what_stands_behind_it() {
    let place = Place::with(SAMPLE);
    place.run(["modify", "streams.cam1.prepush=7", "--set", "rtsp=555", "rtmp=1935", "-q"]).exits(0);
    place.run(["read", "rtsp", "rtmp", "streams.cam1.prepush"]).exits(0).prints("555\n1935\n7\n");
    place.run(["modify", "streams.*.prepush=3", "--where", "prepush=7", "-q"]).exits(0);
    place.run(["read", "streams.cam1.prepush"]).exits(0).prints("3\n");
    place.run(["modify", "--set", "cam1.prepush=1", "--create", "-q"]).exits(0);
    place.run(["read", "cam1.prepush"]).exits(0);
}

#[test]
fn equal_faults_are_told_once_with_their_count() {
    let place = Place::with(SAMPLE);
    let streams: Vec<String> =
        (0..100).map(|number| format!("\"s{number}\":{{\"prepush\":\"x\"}}")).collect();
    let run = place.patch(&format!("{{\"streams\":{{{}}}}}", streams.join(","))).exits(3);
    assert_eq!(run.err.matches("error: ").count(), 1, "{}", run.err);
    run.says("error: /streams/s0/prepush: ").says("and 99 more like it: /streams/s1/prepush, ");
}

#[test]
fn a_rollback_says_which_change_is_meant() {
    let place = Place::with(SAMPLE);
    for port in ["rtsp=1", "rtsp=2", "rtsp=3"] {
        place.set(&[port]).exits(0);
    }
    place
        .run(["rollback", "1", "--dry-run"])
        .exits(0)
        .says("note: back to the text before `#3` (`@1`), modify\n");
    place
        .run(["rollback", "#1", "--dry-run"])
        .exits(0)
        .says("note: back to the text before `#1` (`@3`), modify\n");
    place.run(["rollback", "1", "-q"]).exits(0);
    place.run(["read", "rtsp"]).exits(0).prints("2\n");
    place.run(["rollback", "9"]).exits(7).says("there is no `@9`: the history goes back to `@4`");
    place.run(["rollback", "#9"]).exits(7);
}

#[test]
fn the_text_of_an_entry_is_printed_as_it_stands() {
    let place = Place::with(SAMPLE);
    let cam1 = "stream cam1 {\n  url udp://239.0.0.1:1234 priority=1;\n  prepush 5; # seconds\n}\n";
    let conf = |path: &str| place.run(["read", "-o", "conf", path]);
    assert_eq!(conf("streams.cam1").exits(0).out, cam1);
    assert_eq!(conf("streams.cam1.prepush").exits(0).out, "prepush 5;\n");
    assert_eq!(conf("streams").exits(0).out.matches("\n}\n").count(), 2, "and a line for `ondemand`");
    assert_eq!(conf("streams.cam*").exits(0).out.matches("url udp").count(), 2);
    assert_eq!(conf("edit_auth").exits(0).out, "edit_auth admin hunter2;\n");
    place.run(["--mask", "read", "-o", "conf", "edit_auth"]).exits(0).prints("<secret:").hides("hunter2");
    conf("streams.cam1.urls").exits(2).says("has no entry of its own");
    conf("streams.none").exits(7);
}
