//! Configurations that include others.

use std::fs;

use super::serve::{Serving, each_way};
use super::{CONF, Place, Run};
use crate::waiting::eventually;

const MAIN: &str = "\
http 80;
auth http://backend/check;
stream cam1 { url udp://1; }
include conf.d/*.conf;
stream door {
  include common.inc;
  url udp://2;
}
";

fn place() -> Place {
    let place = Place::with(MAIN);
    fs::create_dir(place.path("conf.d")).expect("a folder can be made");
    place.put("conf.d/b.conf", "stream cam9 {\n  url udp://9;\n  prepush 9;\n}\n");
    place.put("conf.d/a.conf", "# first\nrtmp 1935;\nlive studio;");
    place.put("conf.d/.hidden.conf", "broken {");
    place.put("common.inc", "prepush 7; # for doors");
    place
}

#[test]
fn what_is_included_is_seen_and_not_part_of_the_configuration() {
    let place = place();
    place.line("check").exits(0).says("4 files checked: no errors, no warnings");
    let table = place.line("read -o table --columns name,prepush").exits(0).out;
    assert_eq!(table, "NAME  PREPUSH\ncam1  -\ncam9  9\ndoor  7\n");
    for (path, source) in [
        ("streams.cam9.prepush", "9 (own, conf.d/b.conf:3)"),
        ("streams.door.prepush", "7 (own, common.inc:1)"),
        ("streams.door.urls[0].url", "(own, media.conf:7)"),
        ("streams.cam9.auth.url", "(global, media.conf:2)"),
    ] {
        place.run(["explain", path]).exits(0).prints(source);
    }
    let own = place.line("read").exits(0).json();
    assert_eq!(own["include"], "conf.d/*.conf");
    assert!(own["streams"].get("cam9").is_none());
    assert_eq!(place.line("read -o conf").exits(0).out, MAIN);
    place.patch(&own.to_string()).exits(0).says("nothing to change");
}

#[test]
fn the_output_with_includes_is_marked_and_never_written_back() {
    let place = place();
    let all = place.line("read --with-includes").exits(0).json();
    assert_eq!(all["with_includes"], serde_json::json!(["conf.d/a.conf", "conf.d/b.conf", "common.inc"]));
    assert_eq!(all["streams"]["cam9"]["prepush"], 9);
    assert!(all.get("include").is_none());
    place.patch(&all.to_string()).exits(3).says("can't be written back");
    assert_eq!(place.text(), MAIN);
    let text = place.line("read --with-includes -o conf").exits(0).out;
    assert!(text.contains("# included from conf.d/a.conf\n# first\nrtmp 1935;\n"), "{text}");
    place.put("flat.conf", text);
    place.line("check flat.conf").exits(0);
    place.line("read --with-includes -r streams.door.prepush").exits(0).prints("7\n");
}

#[test]
fn each_diagnostic_names_its_file_and_line() {
    let place = place();
    place.put("conf.d/c.conf", "rtsp 554;\nstream cam1 {\n  url htp://x;\n}\n");
    let run = place.line("check").exits(3).prints("conf.d/c.conf:3:7: warning");
    run.prints("in media.conf:3");
    place.put("conf.d/c.conf", "rtsp 554;\nstream cam7 {\n");
    place.line("check").exits(3).prints("conf.d/c.conf:2:13: error: unclosed");
    place.line("read -o table").exits(3).says("conf.d/c.conf:2:13");
    place.line("read").exits(0);
    place.put("conf.d/c.conf", "edit_auth admin hunter2 swordfish;\n");
    place.line("check").prints("conf.d/c.conf:1").hides("hunter2");
}

#[test]
fn loops_missing_files_and_depth_are_errors() {
    let place = place();
    for (included, fault) in [
        ("include nowhere.conf;", "common.inc:1:1: error: cannot include `nowhere.conf`"),
        ("include media.conf;", "common.inc:1:1: error: `media.conf` includes itself"),
        ("include common.inc;", "common.inc:1:1: error: `common.inc` includes itself"),
        ("include [;", "common.inc:1:1: error: cannot include `[`"),
    ] {
        place.put("common.inc", included);
        place.line("check").exits(3).prints(fault);
        place.line("read --with-includes").exits(3).says(fault);
        place.set(&["rtsp=554"]).exits(0);
        place.line("modify -q --unset rtsp").exits(0);
    }
    for level in 0..20 {
        place.put(&format!("{level}.inc"), format!("include {}.inc;", level + 1));
    }
    place.put("20.inc", "prepush 1;");
    place.put("common.inc", "include 0.inc;");
    place.line("check").exits(3).prints("error: includes nest deeper than 16");
    place.put("common.inc", "include *.none;");
    place.line("check").exits(0);
}

#[test]
fn a_change_of_an_included_entry_says_where_it_stands() {
    let place = place();
    for (line, file) in [
        ("modify --set streams.cam9.prepush=5", "conf.d/b.conf`, line 1"),
        ("modify --set rtmp=1936", "conf.d/a.conf`, line 2"),
        ("modify --set lives.studio.title=x", "conf.d/a.conf`, line 3"),
        ("mv streams.cam9 streams.cam8", "conf.d/b.conf`, line 1"),
        ("cp streams.cam1 streams.cam9", "conf.d/b.conf`, line 1"),
        // An expectation about an included entry is refused, too.
        ("modify --expect streams.cam9=null --set rtsp=554", "conf.d/b.conf`, line 1"),
    ] {
        place.line(line).exits(7).says(&format!("it stands in `{file}")).says("--conf conf.d/");
    }
    place.patch(r#"{"streams": {"cam9": {"prepush": 5}}}"#).exits(7).says("conf.d/b.conf");
    let edit = place.mediactl(["edit", "streams.cam9"]).env("EDITOR", "true").run();
    edit.exits(7).says("--conf conf.d/b.conf");
    assert_eq!(place.text(), MAIN);
    place.line("--conf conf.d/b.conf modify -q --set streams.cam9.prepush=5").exits(0);
    place.line("explain streams.cam9.prepush").exits(0).prints("5 (own, conf.d/b.conf:3)");
    place.set(&["streams.cam1.prepush=5"]).exits(0);
}

/// A place with one camera of its own and six in two included files.
fn seven_cameras() -> Place {
    let streams = |names: &[&str]| -> String {
        names.iter().map(|name| format!("stream {name} {{\n  url udp://1;\n  title x;\n}}\n")).collect()
    };
    let own = format!("edit_auth admin hunter2;\ninclude conf.d/*.conf;\n{}", streams(&["cam1"]));
    let place = Place::with(own);
    fs::create_dir(place.path("conf.d")).expect("a folder can be made");
    place.put("conf.d/a.conf", streams(&["cam2", "cam3", "cam4", "cam5"]));
    place.put("conf.d/b.conf", streams(&["cam6", "hall"]));
    place
}

/// Runs a line with the account of a server, with a home and an editor of its own.
fn run_as_admin(place: &Place, line: &str) -> Run {
    let call = place.mediactl(line.split_whitespace()).by_admin().at_home(place, "");
    call.env("EDITOR", "cp twice.conf").run()
}

/// Changes that take away an `include`, with what is left of it.
const DROPPING: &[(&str, &str)] = &[
    ("modify --set include=null", ""),
    ("modify --unset include", ""),
    ("modify --set include=none.d/*.conf", "include none.d/*.conf;\n"),
    ("apply --prune=all without.conf", ""),
    ("save without.conf", ""),
];

#[test]
fn the_cameras_that_go_with_an_include_are_counted() {
    let place = seven_cameras();
    let before = place.text();
    place.put("before.conf", &before);
    place.put("without.conf", before.replace("include conf.d/*.conf;\n", ""));
    each_way(&place, |way| {
        for (command, left) in DROPPING {
            let run = |more: &str| run_as_admin(&place, &format!("{way}{command} {more}"));
            run("").exits(6).says("6 of 7 streams would be deleted").says("--max-delete");
            run("--dry-run --max-delete 5").exits(6);
            assert_eq!(place.text(), before, "{command}");
            run("--max-delete 6").exits(0);
            assert_eq!(place.text(), before.replace("include conf.d/*.conf;\n", left), "{command}");
            place.line("save before.conf").exits(0);
        }
    });
    // Of four that go, no one is asked; one that is included by another name stays.
    for pattern in ["conf.d/b.conf", "conf.d/?.conf", "conf.d/*.con[f]"] {
        place.set(&[&format!("include={pattern}")]).exits(0);
    }
}

#[test]
fn whoever_looks_for_an_included_entry_alone_is_told_where_it_stands() {
    let place = seven_cameras();
    each_way(&place, |way| {
        for command in [
            "history streams.cam6",
            "blame streams.cam6",
            "blame streams.cam6.title",
            "wait --timeout 1 streams.cam6.title=y",
            "wait --timeout 1 streams.cam6=null",
        ] {
            let run = run_as_admin(&place, &format!("{way}{command}")).exits(7).hides("never changed");
            run.says("it stands in `conf.d/b.conf`, line 1").says("`--conf conf.d/b.conf`");
        }
    });
    place.line("wait streams.cam1.title=x").exits(0);
    place.put("conf.d/c.conf", "stream cam7 {");
    place.line("blame streams.cam1").exits(0);
}

/// Texts that may be no configuration.
const ELSEWHERE: &[&str] = &[
    "root:S3CRET:19000:0:99999:7:::\ndaemon:S3CRET:19000::::::\n",
    "HOME=/S3CRET\0S3CRET=1\0",
    "\nauht S3CRET;\nloglevel S3CRETinfo;\n",
    "stream cam1 { url htp://S3CRET; }\n",
    "rtmp 8S3CRET;\nhttp S3CRET:70000;\n",
    "include S3CRET.conf;\n",
    "{\"S3CRET\": 1}",
];

#[test]
fn a_file_outside_of_the_folder_is_not_opened() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let [inside, outside] = ["inside", "outside"].map(|name| folder.path().join(name));
    [&inside, &outside].iter().for_each(|path| fs::create_dir(path).expect("a folder can be made"));
    let shadow = outside.join("shadow");
    std::os::unix::fs::symlink(&shadow, inside.join("link.conf")).expect("links can be made");
    let main = "stream cam1 { url udp://1; }\n";
    for (text, pattern) in ELSEWHERE.iter().flat_map(|text| {
        [shadow.display().to_string(), "../outside/sha*".to_owned(), "link.conf".to_owned()]
            .map(|pattern| (text, pattern))
    }) {
        let place = Place::with(main);
        let conf = inside.join(CONF).display().to_string();
        let run = |line: &str| {
            let call = place.mediactl(["--conf", &conf].into_iter().chain(line.split(' ')));
            call.env("EDITOR", "cp new.conf").at_home(&place, "").run().hides("S3CRET")
        };
        fs::write(&shadow, text).expect("it is writable");
        let included = format!("include {pattern};\n{main}");
        fs::write(&conf, &included).expect("it is writable");
        run("check").exits(0).prints(&format!("{conf}:1:1: warning: `")).prints("is not opened");
        run("check --strict").exits(3);
        for looking in ["explain streams.cam1", "read", "status", "edit --yes"] {
            run(looking);
        }
        fs::write(&conf, main).expect("it is writable");
        place.put("new.conf", format!("{included}# new\n"));
        let saves = ["save --dry-run new.conf", "save --strict --dry-run new.conf"];
        for line in saves.into_iter().chain(["edit --yes", "modify --set rtsp=554", "log", "history"]) {
            run(line);
        }
    }
}

#[test]
fn an_included_file_is_told_of_once_wherever_it_stands() {
    let place = Place::with("stream a {\n  include common.inc;\n}\nstream b {\n  include common.inc;\n}\n");
    place.put("common.inc", "url htp://1;\ninclude none.inc;\n");
    let run = place.line("check -o json").exits(3).says("2 files checked: 1 error, 1 warning");
    assert_eq!(run.json().as_array().map(Vec::len), Some(2));
    place.put("common.inc", "url udp://1;\n");
    let all = place.line("read --with-includes").exits(0).json();
    assert_eq!(all["with_includes"], serde_json::json!(["common.inc"]));
    assert_eq!(all["streams"]["b"]["urls"][0]["url"], "udp://1");
    let all: String = (0..30).map(|at| format!("include {at}.inc;\n").repeat(2)).collect();
    (0..30).for_each(|at| place.put(&format!("{at}.inc"), &all));
    place.put(CONF, &all);
    let run = place.line("check").exits(3).says("31 files checked");
    assert!(run.out.len() < 20_000, "{} bytes", run.out.len());
}

#[test]
fn a_path_of_an_included_entry_is_shown_and_what_is_not_shown_is_said() {
    let place = seven_cameras();
    let stands = "it stands in `conf.d/b.conf`, line 1, which is included";
    let not_shown = "entries of included files are not shown";
    each_way(&place, |way| {
        let read = |more: &str| run_as_admin(&place, &format!("{way}read {more}")).exits(0);
        assert_eq!(read("streams.cam6.title").says(stands).out, "\"x\"\n");
        read("streams.cam6 -o set").says(stands).prints("streams.cam6.title=x");
        read("streams.cam6 -o conf").says(stands).prints("stream cam6 {\n  url udp://1;\n");
        for all in ["", "-o compact", "-o set", "streams"] {
            read(all).says(not_shown).says("`--with-includes` shows them").hides("cam6");
        }
        let many = read("streams.c*.title -o compact").says(not_shown);
        assert_eq!(many.out.matches("\"x\"").count(), 1, "{many:?}");
        for own in ["streams.cam1", "include", "--with-includes", "lives"] {
            assert!(!read(own).err.contains("included files"), "{own}");
        }
    });
}

/// A second definition of the stream that `conf.d/b.conf` has.
const TWICE: &str = "stream cam9 { url udp://1; }\n";

const FAULT: &str = "the stream `cam9` is defined twice";

#[test]
fn a_text_that_defines_what_an_included_file_does_is_refused_by_every_command() {
    let place = place();
    let main = format!("edit_auth admin hunter2;\n{MAIN}");
    place.put(CONF, &main);
    place.put("twice.conf", format!("{main}{TWICE}"));
    place.put("patch.json", r#"{"streams": {"cam9": {"urls": [{"url": "udp://1"}]}}}"#);
    let refused = |line: &str| {
        run_as_admin(&place, line).exits(3).says(FAULT).says("conf.d/b.conf");
        assert_eq!(place.text(), main);
    };
    each_way(&place, |way| {
        for command in ["save", "save --force --dry-run"] {
            refused(&format!("{way}{command} twice.conf"));
        }
        refused(&format!("{way}edit --yes"));
        refused(&format!("{way}modify --force -f patch.json"));
    });
    let server = Serving::over(&place);
    refused("update twice.conf");
    refused(&format!("--url {} update twice.conf", server.url));
}

#[test]
fn faults_that_stood_there_before_refuse_nothing_and_keep_no_server_down() {
    let place = place();
    let main = format!("edit_auth admin hunter2;\n{MAIN}");
    let twice = format!("{main}{TWICE}");
    place.put(CONF, &twice);
    place.set(&["rtsp=554"]).exits(0);
    place.put("other.conf", format!("{twice}rtsp 555;\n"));
    place.line("save other.conf").exits(0);
    place.put("none.conf", format!("{twice}include none.inc;\n"));
    let run = place.line("save none.conf").exits(3).says("cannot include `none.inc`");
    assert!(!run.err.contains(FAULT), "{run:?}");
    let server = Serving::over(&place);
    place.set(&["rtsp=556"]).exits(0);
    place.put("conf.d/c.conf", "stream door { url udp://1; }\nstream broken {");
    place.line("save other.conf").exits(0);
    server.hang_up();
    place.put("good.conf", main);
    place.line("save good.conf").exits(0);
    let run = server.stop();
    run.says(FAULT);
    // A broken text can be repaired, and the fault of the included file stays what it is.
    place.put(CONF, "stream x {");
    place.line("save good.conf").exits(0);
    place.put(CONF, "stream x {");
    place.line("save other.conf").exits(3).says(FAULT);
}

#[test]
fn a_broken_included_file_is_shown_by_status_and_by_each_hang_up() {
    let place = place();
    place.put(CONF, format!("edit_auth admin hunter2;\n{MAIN}"));
    let server = Serving::over(&place);
    place.line("status").exits(0);
    place.put("conf.d/b.conf", "stream cam9 {\n  password swordfish; }}\n");
    let words = "conf.d/b.conf:2:24: stray `}`";
    let status = place.line("status").exits(1).prints("the file, with what it includes, has an error");
    status.prints(words).prints("`password <secret:").hides("swordfish");
    let elsewhere = server.remote(&place, &["status"]).exits(1).prints("with what it includes, has an error");
    elsewhere.says("note: `conf.d/b.conf`, line 2, column 24: stray `}`").hides("swordfish");
    let json = place.line("status -o json").exits(1).json();
    assert!(json["errors"] == 1 && json["first_error"]["line"] == 2, "{json}");
    let text = place.text();
    for port in ["554", "555"] {
        place.put(CONF, format!("{text}rtsp {port};\n"));
        server.hang_up();
        eventually(|| place.line("read rtsp").out.trim() == port);
        place.line("status").exits(1).prints(words);
    }
    let run = server.stop().says("SIGHUP: the file was loaded again").hides("swordfish");
    assert!(run.err.matches("`conf.d/b.conf`, line 2: stray `}`").count() > 1, "{run:?}");
}

#[test]
fn a_take_back_is_told_of_faults_and_never_refused() {
    let place = place();
    place.put(CONF, format!("{MAIN}{TWICE}"));
    place.put("good.conf", MAIN);
    place.line("save good.conf").exits(0);
    place.line("rollback last").exits(0).says(&format!("warning: `media.conf`, line 9: {FAULT}"));
    place.line("save good.conf").exits(0);
    let run = place.line("modify --reload-cmd false --set rtsp=554").exits(9);
    run.says("the old configuration is back");
    assert_eq!(place.text(), MAIN);
}

#[test]
fn a_client_elsewhere_sees_what_is_included_as_on_the_machine_of_the_file() {
    let place = place();
    place.put(CONF, format!("edit_auth admin hunter2;\nview_auth viewer l00k;\n{MAIN}"));
    place.put("conf.d/b.conf", "stream cam9 {\n  url htp://u:swordfish@9;\n  prepush 9;\n}\n");
    let server = Serving::with(&place, &["--listen", "127.0.0.1:0", "--view-auth"]);
    let remote = |arguments: &[&str]| server.remote(&place, arguments);
    let table = ["read", "-o", "table", "--columns", "name,prepush"];
    remote(&table).exits(0).prints("cam1  -\ncam9  9\ndoor  7\n");
    remote(&["explain", "streams.cam9.prepush"]).exits(0).prints("9 (own, conf.d/b.conf:3)");
    let local = place.line("read --with-includes -o conf").exits(0).out;
    assert_eq!(remote(&["read", "--with-includes", "--saved", "-o", "conf"]).exits(0).out, local);
    let run = remote(&["check", "running"]).exits(0).hides("swordfish").says("4 files checked");
    run.prints("conf.d/b.conf:2:7: warning: ");
    for command in ["modify --unset streams.cam9", "rm streams.cam9", "mv streams.cam9 streams.x"] {
        let refused = remote(&command.split(' ').collect::<Vec<_>>()).exits(7);
        refused.says("it stands in `conf.d/b.conf`, line 1").says("`--conf conf.d/");
    }
    let viewer = ["explain", "streams.cam9.urls[0].url"];
    let seen = place.remote(&server.url, &viewer).account("viewer", "l00k").run();
    seen.prints("conf.d/b.conf:2").hides("swordfish");
    place.put("conf.d/b.conf", "rtsp 554;\nstream swordfish {\n");
    let broken = remote(&["read", "--with-includes"]).exits(3).hides("swordfish");
    broken.says("`conf.d/b.conf`, line 2, column ");
}
