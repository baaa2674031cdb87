//! What was not confirmed does not come back, whatever was edited by hand meanwhile.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;

use mediactl::engine::Hooks;
use mediactl::store::PendingInfo;
use mediactl::store::file::ConfFile;
use serde_json::{Value, json};

use super::handler::{Server, TEXT, body, header, refused};
use super::past::{operations, pending};
use crate::cli::{CONF, Place};

/// A change that waits, made by an operation.
fn waiting(operation: &str, changed: &str) -> (Server, String) {
    let server = Server::over(TEXT);
    let id = pending(&server.post(&format!("{operation}?confirm=600"), changed));
    (server, id)
}

fn record(place: &Place) -> bool {
    place.path(&format!(".mediactl/{CONF}/pending")).exists()
}

fn unconfirmed(server: &Server) -> Value {
    body(&server.get("?runtime=1"))["runtime"]["config"]["unconfirmed"].clone()
}

#[test]
fn the_hand_edit_stays_and_the_change_goes() {
    let lockout = r#"{"edit_auth":{"password":"LOCKOUT"}}"#;
    let saved = TEXT.replace("prepush 5", "prepush 6");
    for (operation, changed, [from, to], expected, gone) in [
        ("modify_config", lockout, ["# main", "# by hand"], TEXT.replace("# main", "# by hand"), true),
        ("modify_config", lockout, ["http 80", "http 81"], TEXT.replace("http 80", "http 81"), true),
        ("modify_config", lockout, ["LOCKOUT", "mine"], TEXT.replace("s3cret", "mine"), false),
        ("save_config", &saved, ["http 80", "http 81"], TEXT.replace("http 80", "http 81"), true),
        // The hand edit removed what the change touched.
        (
            "save_config",
            &saved,
            ["stream b {\n  url udp://2;\n  prepush 6;\n}\n", ""],
            TEXT.replace("stream b {\n  url udp://2;\n  prepush 5;\n}\n", ""),
            false,
        ),
        // It is not in the file.
        ("update_config", &saved, ["http 80", "http 81"], TEXT.replace("http 80", "http 81"), false),
    ] {
        let (server, id) = waiting(operation, changed);
        server.edit_by_hand(from, to);
        let account = if changed == lockout { "LOCKOUT" } else { "s3cret" };
        let credentials =
            mediactl::http::server::auth::Account { login: "admin".to_owned(), password: account.to_owned() };
        let headers = [("authorization", credentials.to_header())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let cancelled = server.ask("POST", &format!("/media/api/cancel_config?id={id}"), &headers, "");
        assert_eq!(cancelled.status, 200, "{operation} {to}");
        let is_in_file = operation != "update_config";
        assert_eq!(header(&cancelled, "Mediactl-Note"), is_in_file.then_some("kept-hand-edit"), "{to}");
        assert_eq!(server.place.text(), expected, "{operation} {to}");
        assert!(!record(&server.place), "{operation} {to}");
        let made = operation.trim_end_matches("_config");
        let entries = match (is_in_file, gone) {
            (true, true) => vec!["revert", "hand-edit", made],
            (true, false) => vec!["hand-edit", made],
            (false, _) => vec![],
        };
        assert_eq!(operations(&server), entries, "{operation} {to}");
        assert_eq!((body(&server.get(""))["http"].clone(), unconfirmed(&server)), (json!([80]), json!([])));
        let error = &body(&server.get("?runtime=1"))["runtime"]["config"]["last_error"];
        assert!(
            !is_in_file || error.as_str().is_some_and(|error| error.contains("edited by hand")),
            "{error}"
        );
        assert!(!error.to_string().contains("LOCKOUT") && !error.to_string().contains("s3cret"), "{error}");
        assert_eq!(server.post("modify_config", r#"{"rtsp":1}"#).status, 200, "the hand edit is picked up");
        assert!(server.place.text().contains(to) && server.place.text().contains("rtsp 1;"));
    }
}

/// What a broken file holds goes as soon as somebody works on the file again.
#[test]
fn a_broken_file_keeps_the_change_until_it_is_mended() {
    let (server, id) = waiting("modify_config", r#"{"rtmp":7}"#);
    server.edit_by_hand("rtmp 7;", "rtmp 7; }");
    let cancelled = server.post(&format!("cancel_config?id={id}"), "");
    assert_eq!((cancelled.status, header(&cancelled, "Mediactl-Note")), (200, Some("kept-hand-edit")));
    assert!(server.place.text().contains("rtmp 7; }") && record(&server.place));
    assert_eq!((unconfirmed(&server), pending_of(&server)), (json!(["rtmp"]), Value::Null));
    let error = body(&server.get("?runtime=1"))["runtime"]["config"]["last_error"].clone();
    assert!(
        error.as_str().is_some_and(|error| error.contains("rtmp") && error.contains("has errors")),
        "{error}"
    );
    refused(&server.post("modify_config", r#"{"rtsp":1}"#), 409, "conflict");
    server.edit_by_hand("rtmp 7; }", "rtmp 7;");
    server.edit_by_hand("# main", "# mended");
    assert_eq!(unconfirmed(&server), json!(["rtmp"]));
    let rehearsed = server.post("modify_config?dry_run=1", r#"{"rtsp":1}"#);
    let note = Some("took-out-unconfirmed rtmp; picked-up-hand-edit");
    assert_eq!((header(&rehearsed, "Mediactl-Note"), body(&rehearsed)["rtmp"].clone()), (note, Value::Null));
    assert!(server.place.text().contains("rtmp 7;") && record(&server.place), "it was a rehearsal");
    let changed = server.post("modify_config", r#"{"rtsp":1}"#);
    assert_eq!((header(&changed, "Mediactl-Note"), body(&changed)["rtmp"].clone()), (note, Value::Null));
    assert!(!server.place.text().contains("rtmp") && !record(&server.place), "{}", server.place.text());
    assert_eq!(operations(&server), ["modify", "revert", "hand-edit", "hand-edit", "modify"]);
    assert_eq!(unconfirmed(&server), json!([]));
}

/// A file that comes back, as it was or edited, does not bring the change with it.
#[test]
fn a_file_that_was_away_comes_back_without_the_change() {
    for edit in [None, Some(["# main", "# by hand"])] {
        let (server, id) = waiting("modify_config", r#"{"rtmp":7}"#);
        let (conf, away) = (server.place.path(CONF), server.place.path("away.conf"));
        std::fs::rename(&conf, &away).expect("it can be moved");
        let cancelled = server.post(&format!("cancel_config?id={id}"), "");
        assert_eq!((cancelled.status, header(&cancelled, "Mediactl-Note")), (200, Some("kept-hand-edit")));
        assert!(record(&server.place) && !conf.exists());
        let error = body(&server.get("?runtime=1"))["runtime"]["config"]["last_error"].clone();
        let words = "comes back, it may hold what was not confirmed (rtmp)";
        assert!(error.as_str().is_some_and(|error| error.contains(words)), "{error}");
        assert_eq!(unconfirmed(&server), json!(["rtmp"]));
        std::fs::rename(&away, &conf).expect("it can be moved back");
        edit.iter().for_each(|[from, to]| server.edit_by_hand(from, to));
        assert_eq!(unconfirmed(&server), json!(["rtmp"]));
        let changed = server.post("modify_config", r#"{"rtsp":1}"#);
        let note = header(&changed, "Mediactl-Note");
        assert!(note.is_some_and(|note| note.starts_with("took-out-unconfirmed rtmp")), "{note:?}");
        assert!(!server.place.text().contains("rtmp") && !record(&server.place), "{}", server.place.text());
        assert_eq!((body(&server.get(""))["rtmp"].clone(), unconfirmed(&server)), (Value::Null, json!([])));
    }
}

/// The same where the server was killed.
#[test]
fn a_file_that_was_away_as_commands_looked_for_it_comes_back_without_the_change() {
    let (killed, _) = waiting("modify_config", r#"{"rtmp":7}"#);
    let place = killed.place;
    let text = place.text();
    std::fs::remove_file(place.path(CONF)).expect("it can be removed");
    place.run(["confirm", "--revert"]).exits(0);
    place.run(["serve", "--listen", "none"]).exits(7);
    assert!(record(&place));
    place.put(CONF, text);
    place.run(["modify", "--set", "rtsp=1"]).exits(0).says("never confirmed").says("rtmp");
    assert!(!place.text().contains("rtmp") && !record(&place), "{}", place.text());
}

/// A path was either taken out or kept.
#[test]
fn what_is_said_of_a_stream_that_the_change_made_and_an_edit_changed_is_true() {
    let (server, id) = waiting(
        "modify_config",
        r#"{"streams":{"new1":{"urls":[{"url":"udp://3"}],"title":"N","prepush":7}}}"#,
    );
    server.edit_by_hand("title N", "title mine");
    assert_eq!(server.post(&format!("cancel_config?id={id}"), "").status, 200);
    let error = body(&server.get("?runtime=1"))["runtime"]["config"]["last_error"].clone();
    let words = "taken out of it: streams.new1.prepush, streams.new1.urls; \
                 kept as edited: streams.new1.static, streams.new1.title";
    assert!(error.as_str().is_some_and(|error| error.ends_with(words)), "{error}");
}

fn pending_of(server: &Server) -> Value {
    body(&server.get("?runtime=1"))["runtime"]["config"]["pending"].clone()
}

/// Whoever replaces the whole file means the new text, so nothing is left to take out of it.
#[test]
fn a_text_that_replaces_the_broken_file_stays_as_it_is() {
    let (server, id) = waiting("modify_config", r#"{"rtmp":7}"#);
    server.edit_by_hand("rtmp 7;", "rtmp 7; }");
    server.post(&format!("cancel_config?id={id}"), "");
    let meant = format!("{TEXT}rtmp 7;\n");
    assert_eq!(server.post("save_config", &meant).status, 200);
    assert!(!record(&server.place));
    let next = Server::at(server.place, Hooks::default());
    assert_eq!(next.place.text(), meant);
}

/// A server was killed while the change waited, and the file is edited before the next one starts.
#[test]
fn the_next_server_keeps_the_hand_edit() {
    let (killed, _) = waiting("modify_config", r#"{"rtmp":7}"#);
    killed.edit_by_hand("# main", "# by hand");
    let next = Server::at(killed.place, Hooks::default());
    assert_eq!(next.place.text(), TEXT.replace("# main", "# by hand"));
    assert_eq!(operations(&next), ["revert", "hand-edit", "modify"]);
    assert!(!record(&next.place));
}

/// The record and the status are of a server before its types of a pending change became one.
#[test]
fn a_record_of_an_earlier_version_is_read_and_rolled_back() {
    let place = Place::with("http 80;\nedit_auth admin s3cret;\nrtsp 555;\n");
    let stored = include_bytes!("../../fixtures/pending/record");
    let folder = place.path(&format!(".mediactl/{CONF}"));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).expect("it is ours");
    place.put(&format!(".mediactl/{CONF}/pending"), stored);
    let store = ConfFile::resolve(&place.path(CONF)).expect("it can be found");
    let found = store.pending().expect("it can be read").expect("it is whole");
    let heard = include_str!("../../fixtures/pending/heard.json");
    let heard: PendingInfo = serde_json::from_str(heard).expect("it is one");
    let shown = |info: &PendingInfo| {
        let mut shown = serde_json::to_value(info).expect("it can be written");
        shown["seconds_left"] = json!(599);
        shown
    };
    assert_eq!(shown(&found.info), shown(&heard));
    let next = Server::at(place, Hooks::default());
    assert_eq!(next.place.text(), "http 80;\nedit_auth admin s3cret;\nrtsp 554;\n");
    assert!(!record(&next.place));
}

/// The server has ended: each change on the file takes it out first, and says so.
#[test]
fn commands_without_a_server_take_it_out_first() {
    let edited = TEXT.replace("# main", "# by hand");
    for (command, expected) in [
        (vec!["modify", "--set", "rtsp=1"], edited.replace("stream a", "rtsp 1;\nstream a")),
        (vec!["save", CONF], edited.clone()),
        (vec!["confirm", "--revert"], edited.clone()),
        (vec!["rollback", "@1", "--yes"], TEXT.to_owned()),
    ] {
        let (killed, _) = waiting("modify_config", r#"{"rtmp":7,"edit_auth":{"password":"LOCKOUT"}}"#);
        let place = killed.place;
        place.put(CONF, place.text().replace("# main", "# by hand"));
        let status = place.run(["status", "-o", "json"]).exits(1).json();
        assert_eq!(status["unconfirmed"], json!(["rtmp", "edit_auth.password"]), "{status}");
        assert_eq!(status["pending"]["is_over"], json!(true), "{status}");
        place.run(["status"]).exits(1).prints("unconfirmed:   rtmp, edit_auth.password").hides("LOCKOUT");
        let run = place.run(command.iter().copied()).exits(0).hides("LOCKOUT");
        match command[0] {
            "confirm" => run.says("the edit stays"),
            "save" => run,
            _ => run.says("rtmp, edit_auth.password"),
        };
        let text = place.text();
        assert!(!text.contains("LOCKOUT") && !text.contains("rtmp"), "{command:?} {text}");
        match command[0] {
            "modify" => assert!(text.contains("# by hand") && text.contains("rtsp 1;"), "{text}"),
            _ => assert_eq!(text, expected, "{command:?}"),
        }
        assert!(!record(&place), "{command:?}");
        assert_eq!(place.run(["status", "-o", "json"]).json()["unconfirmed"], json!([]));
    }
}

/// The change is taken out, and the command does its work, in one run; a rehearsal first shows the same.
#[test]
fn a_command_that_takes_it_out_does_its_work_in_the_same_run() {
    for (command, made) in [
        (vec!["fmt"], "http 80;\n"),
        (vec!["edit", "--yes"], "# edited\n"),
        (vec!["edit", "--yes", "streams.b"], "# edited\n"),
        (vec!["mv", "streams.b", "streams.c"], "stream c {\n"),
        (vec!["cp", "streams.b", "streams.c"], "stream c {\n"),
        (vec!["add", "stream", "c", "udp://3"], "stream c {\n"),
        (vec!["rm", "streams.film"], "# by hand\n"),
        (vec!["apply", "wanted.conf"], "prepush 6;\n"),
        (vec!["apply", "--owner", "me", "wanted.conf"], "prepush 6;\n"),
        (vec!["apply", "--prune", "wanted.conf"], "prepush 6;\n"),
        (vec!["modify", "--where", "prepush=5", "--set", "streams.*.prepush=6"], "prepush 6;\n"),
        (vec!["rollback", "@1"], "# main\n"),
    ] {
        let (killed, _) = waiting("modify_config", r#"{"rtmp":7,"edit_auth":{"password":"LOCKOUT"}}"#);
        let place = killed.place;
        place.put(CONF, place.text().replace("# main", "# by hand").replace("http 80", "http   80"));
        place.put("wanted.conf", "stream b {\n  prepush 6;\n}\n");
        let editor = "sed -i '$a # edited' \"$1\"; sed -i 's/^  prepush/  # edited\\n  prepush/' \"$1\"";
        place.put("editor.sh", editor);
        let held = place.text();
        let call = |more: &[&str]| {
            let home = place.path("home").display().to_string();
            let call = place.mediactl(command.iter().chain(more));
            call.env("EDITOR", "sh editor.sh").env("HOME", &home).run()
        };
        let rehearsed = call(&["--dry-run"]).exits(0).says("rtmp, edit_auth.password");
        assert!(place.text() == held && record(&place), "{command:?} {rehearsed:?}");
        call(&[]).exits(0).says("rtmp, edit_auth.password").hides("LOCKOUT");
        let text = place.text();
        assert!(
            text.contains(made) && text.contains("s3cret") && !text.contains("rtmp"),
            "{command:?} {text}"
        );
        assert!(!record(&place), "{command:?}");
    }
}

/// A broken file stays as it is without a server, too.
#[test]
fn a_broken_file_is_no_start_and_no_loss() {
    let (killed, _) = waiting("modify_config", r#"{"rtmp":7}"#);
    let place = killed.place;
    let text = place.text();
    place.put(CONF, format!("{text}}}\n"));
    place.run(["modify", "--set", "rtsp=1"]).exits(3);
    place.run(["serve", "--listen", "none"]).exits(3).says("rtmp");
    assert!(record(&place));
    place.run(["status", "-o", "json"]).exits(1);
    place.put(CONF, format!("{text}# mended\n"));
    place.run(["modify", "--set", "rtsp=1"]).exits(0).says("never confirmed").says("rtmp");
    assert!(!place.text().contains("rtmp") && place.text().contains("# mended"), "{}", place.text());
}
