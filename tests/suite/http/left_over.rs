//! What was not confirmed does not come back with a hand edit; where both clash, the edit stays, and that is told.

use mediactl::engine::Hooks;
use mediactl::http::server::message::Response;
use serde_json::{Value, json};

use super::handler::{Server, TEXT, body, header};
use super::past::{operations, pending};
use crate::cli::CONF;

fn waiting(operation: &str, changed: &str) -> (Server, String) {
    let server = Server::over(TEXT);
    let id = pending(&server.post(&format!("{operation}?confirm=600"), changed));
    (server, id)
}

/// Rolls the change back, with the password that holds until then.
fn cancelled(server: &Server, id: &str, password: &str) -> Response {
    let cancelled = server.post_as(("admin", password), &format!("cancel_config?id={id}"), "");
    assert_eq!(cancelled.status, 200);
    cancelled
}

fn last_error(server: &Server) -> String {
    body(&server.get("?runtime=1"))["runtime"]["config"]["last_error"].as_str().unwrap_or_default().to_owned()
}

/// The operation with a change, a hand edit of what it wrote, and, where the two clash, the path that is told.
type Case<'c> = (&'c str, &'c str, [&'c str; 2], Option<&'c str>);

#[test]
fn the_hand_edit_stays_and_the_change_goes_unless_they_clash() {
    let stream = r#"{"streams":{"new1":{"urls":[{"url":"udp://3"}],"title":"N","prepush":7}}}"#;
    let (rtmp, lockout) = (r#"{"rtmp":7}"#, r#"{"edit_auth":{"password":"LOCKOUT"}}"#);
    let (saved, http) = (TEXT.replace("prepush 5", "prepush 6"), ["http 80", "http 81"]);
    let cases: [Case; 8] = [
        ("modify_config", lockout, ["# main", "# by hand"], None),
        ("modify_config", lockout, http, None),
        ("save_config", &saved, http, None),
        // The change is not in the file.
        ("update_config", &saved, http, None),
        ("modify_config", rtmp, ["rtmp 7;", "rtmp 8;"], Some("rtmp")),
        ("modify_config", lockout, ["LOCKOUT", "mine"], Some("edit_auth.password")),
        ("modify_config", stream, ["title N", "title mine"], Some("streams.new1")),
        // It has errors.
        ("modify_config", rtmp, ["rtmp 7;", "rtmp 7; }"], Some("rtmp")),
    ];
    for (operation, changed, [from, to], clash) in cases {
        let (server, id) = waiting(operation, changed);
        server.edit_by_hand(from, to);
        let expected = if clash.is_some() { server.place.text() } else { TEXT.replace(from, to) };
        let cancelled = cancelled(&server, &id, if changed == lockout { "LOCKOUT" } else { "s3cret" });
        let (made, noted) = (operation.trim_end_matches("_config"), Some("kept-hand-edit"));
        let (note, entries, words) = match clash {
            Some(path) => (noted, vec!["hand-edit", made], ["not rolled back in the file", path]),
            None if made == "update" => (None, vec![], ["", ""]),
            None => (noted, vec!["expired", "hand-edit", made], ["edited by hand", "is rolled back"]),
        };
        assert_eq!(header(&cancelled, "Mediactl-Note"), note, "{operation} {to}");
        assert_eq!((server.place.text(), server.place.is_pending()), (expected, false), "{operation} {to}");
        assert_eq!(operations(&server), entries, "{operation} {to}");
        let config = body(&server.get(""));
        let running = [&config["http"], &config["rtmp"], &config["streams"]["new1"]];
        assert_eq!(running, [&json!([80]), &Value::Null, &Value::Null], "{operation} {to}");
        let error = last_error(&server);
        assert!(words.iter().all(|words| error.contains(words)), "{words:?}: {error}");
        assert!(!error.contains("LOCKOUT") && !error.contains("s3cret"), "{error}");
        if clash.is_some() {
            assert!(error.contains("`mediactl diff`") && error.contains("`mediactl rollback 1`"), "{error}");
        } else {
            server.made("modify_config", r#"{"rtsp":1}"#);
            let text = server.place.text();
            assert!(text.contains(to) && text.contains("rtsp 1;"), "the hand edit is picked up: {text}");
        }
    }
}

/// A file that was moved away stays away.
#[test]
fn a_file_that_was_removed_is_not_put_back() {
    let (server, id) = waiting("modify_config", r#"{"rtmp":7}"#);
    std::fs::remove_file(server.place.path(CONF)).expect("it can be removed");
    let cancelled = cancelled(&server, &id, "s3cret");
    assert_eq!(header(&cancelled, "Mediactl-Note"), Some("kept-hand-edit"));
    assert!(!server.place.path(CONF).exists() && !server.place.is_pending());
    assert!(last_error(&server).contains("removed by hand"), "{}", last_error(&server));
}

/// A server was killed while the change waited, and the file is edited before the next one starts. Where the edit clashes with
/// the way back, it stays, and that is said.
#[test]
fn the_next_server_keeps_the_hand_edit() {
    let kept = TEXT.replace("# main", "# by hand");
    let clashed = TEXT.replace("stream a", "rtmp 8;\nstream a");
    for (edit, text, made, told) in [
        (["# main", "# by hand"], kept, "expired hand-edit modify", ""),
        (["rtmp 7;", "rtmp 8;"], clashed, "hand-edit modify", "not rolled back in the file: rtmp; "),
    ] {
        let (killed, _) = waiting("modify_config", r#"{"rtmp":7}"#);
        killed.edit_by_hand(edit[0], edit[1]);
        let next = Server::start(killed.place, Hooks::default(), false);
        assert_eq!((next.place.text(), operations(&next).join(" ")), (text, made.to_owned()));
        let error = last_error(&next);
        assert!(error.contains(told), "{error}");
        assert_eq!(error.contains("`mediactl rollback 1`"), !told.is_empty(), "{error}");
        assert!(!next.place.is_pending(), "{made}");
    }
}

/// The server has ended: the next change on the file rolls it back first, and says so; a rehearsal shows the change without it.
#[test]
fn commands_without_a_server_roll_it_back_first() {
    for (command, made) in [
        (vec!["modify", "--set", "rtsp=1"], "rtsp 1;\n"),
        (vec!["fmt"], "http 80;\n"),
        (vec!["edit", "--yes"], "# edited\n"),
        (vec!["edit", "--yes", "streams.b"], "# edited\n"),
        (vec!["mv", "streams.b", "streams.c"], "stream c {\n"),
        (vec!["cp", "streams.b", "streams.c"], "stream c {\n"),
        (vec!["add", "stream", "c", "udp://3"], "stream c {\n"),
        (vec!["rm", "streams.film"], "# by hand\n"),
        (vec!["apply", "wanted.conf"], "prepush 6;\n"),
        (vec!["apply", "--prune", "wanted.conf"], "prepush 6;\n"),
        (vec!["modify", "--where", "prepush=5", "--set", "streams.*.prepush=6"], "prepush 6;\n"),
        (vec!["rollback", "last"], "# main\n"),
    ] {
        let (killed, _) = waiting("modify_config", r#"{"rtmp":7,"edit_auth":{"password":"LOCKOUT"}}"#);
        let place = killed.place;
        place.put(CONF, place.text().replace("# main", "# by hand").replace("http 80", "http   80"));
        place.put("wanted.conf", "stream b {\n  prepush 6;\n}\n");
        let editor = "sed -i '$a # edited' \"$1\"; sed -i 's/^  prepush/  # edited\\n  prepush/' \"$1\"";
        place.put("editor.sh", editor);
        let held = place.text();
        let status = place.run(["status", "-o", "json"]).exits(1).json();
        assert_eq!(status["pending"]["is_over"], json!(true), "{status}");
        let left = status["pending"]["seconds_left"].as_u64().expect("it is a number");
        let told = place.run(["status"]).exits(1).hides("not confirmed in time").out;
        assert!(left > 0 && told.contains(" s left: the next change, or a server that starts"), "{told}");
        let call = |more: &[&str]| {
            let call = place.mediactl(command.iter().chain(more)).env("EDITOR", "sh editor.sh");
            call.at_home(&place, "home").run()
        };
        let rehearsed = call(&["--dry-run"]).exits(0).says("before the change is made, ").hides("rtmp 7");
        let rehearsed = rehearsed.says("the change is rolled back: edit_auth.password, rtmp");
        assert!(place.text() == held && place.is_pending(), "{command:?} {rehearsed:?}");
        let made_it = call(if command[0] == "fmt" { &["-q"] } else { &[] }).exits(0);
        made_it.says("edit_auth.password, rtmp").hides("LOCKOUT");
        let text = place.text();
        assert!([made, "s3cret"].iter().all(|part| text.contains(part)), "{command:?} {text}");
        assert!(!text.contains("rtmp"), "{command:?} {text}");
        assert!(!place.is_pending(), "{command:?}");
    }
}
