//! History, differences, roll-back and confirmation, at the handler: no socket, no process. And changes that are not made: dry
//! runs, which delay no change however long their check command takes, and changes whose time is over.

use std::fs;
use std::thread;
use std::time::Duration;

use mediactl::engine::Hooks;
use mediactl::http::server::message::Response;
use serde_json::{Value, json};

use super::handler::{Server, TEXT, body, header, refused, text};
use crate::cli::Place;
use crate::waiting::eventually;

fn history(server: &Server) -> Vec<Value> {
    body(&server.fetch("history")).as_array().expect("it is a list").clone()
}

/// The operations in the history, the last one first.
pub(super) fn operations(server: &Server) -> Vec<String> {
    let name = |entry: &Value| entry["operation"].as_str().expect("it has one").to_owned();
    history(server).iter().map(name).collect()
}

pub(super) fn pending(answer: &Response) -> String {
    header(answer, "Mediactl-Pending").expect("it waits").to_owned()
}

fn rtmp(server: &Server) -> Value {
    body(&server.get(""))["rtmp"].clone()
}

fn until_nothing_waits(server: &Server) {
    eventually(|| header(&server.get(""), "Mediactl-Pending").is_none());
}

#[test]
fn earlier_texts_are_served_and_can_be_rolled_back_to() {
    let server = Server::over(TEXT);
    assert_eq!(operations(&server), [""; 0]);
    server.made("modify_config?message=because+of+rtsp%3A%2F%2Fa%3Ageheim%40h", r#"{"rtmp":1}"#);
    server.edit_by_hand("prepush 5", "prepush 6");
    server.made("save_config", &format!("{TEXT}rtmp 2;\n"));
    assert_eq!(operations(&server), ["save", "hand-edit", "modify"]);
    let entries = history(&server);
    assert_eq!(entries[2]["by"], json!("admin from 192.0.2.1"));
    let message = entries[2]["message"].as_str().expect("there is one");
    assert!(message.starts_with("because of rtsp://<secret:"), "{message}");
    assert_eq!((&entries[1]["by"], &entries[1]["number"]), (&json!(null), &json!(2)));
    assert_eq!(text(&server.fetch("history/1")), TEXT);
    let by_hand = text(&server.fetch("history/3"));
    assert!(by_hand.contains("prepush 6") && by_hand.contains("rtmp 1;"), "{by_hand}");

    for former in ["@1", "serial:1"] {
        let change = format!("{{\"operation\": {{\"rollback\": \"{former}\"}}}}");
        for asked in [
            server.post(&format!("rollback_config?to={former}"), ""),
            server.post("change", &change),
            server.fetch(&format!("diff?from={former}")),
        ] {
            assert!(asked.status == 400 && text(&asked).contains("`change:5`"), "{}", text(&asked));
        }
    }
    // A revert keeps the later changes; one that clashes names both values and the change that made the later one.
    let revert = |what: Value| {
        let request = json!({"operation": {"revert": what}, "options": {"dry_run": true, "force": false}});
        server.post("change", &request.to_string())
    };
    for (what, status, words) in [
        (json!([1]), 409, "change 1 can't be undone: change "),
        (json!([1, 2]), 409, "was to be"),
        (json!(["1..last"]), 200, "\"changed\":true"),
        (json!(["last"]), 200, "\"changed\":true"),
        (json!([9]), 404, "there is no change `9`"),
        (json!("zz"), 404, "the history has no change `zz`"),
        (json!([]), 400, "is no request"),
        (json!([0]), 400, "is no request"),
        (json!(7), 400, "is no request"),
    ] {
        let answer = revert(what);
        assert!(answer.status == status && text(&answer).contains(words), "{}", text(&answer));
    }
    assert_eq!(body(&server.made("rollback_config?to=1", "")), json!(true));
    assert_eq!((server.place.text().as_str(), rtmp(&server)), (TEXT, Value::Null));
    assert_eq!(operations(&server)[0], "rollback");
    assert_eq!(text(&server.fetch("history/4")), text(&server.fetch("history/last")));
    for (request, status, name) in [
        ("rollback_config?to=9", 404, "not-found"),
        ("rollback_config?to=0", 400, "bad-parameter"),
        ("rollback_config", 400, "bad-parameter"),
        ("confirm_config?id=x", 404, "not-found"),
        ("cancel_config?id=x", 404, "not-found"),
        ("cancel_config", 400, "bad-parameter"),
        ("history/9", 404, "not-found"),
        ("history/0", 400, "bad-parameter"),
        ("history/x", 400, "bad-parameter"),
        ("history/99999999999999999999", 400, "bad-parameter"),
        ("history/-1", 400, "bad-parameter"),
    ] {
        let method = if request.starts_with("history") { "GET" } else { "POST" };
        refused(&server.ask(method, &format!("/media/api/{request}"), &[], ""), status, name);
    }
    assert_eq!(operations(&server).len(), 4);
}

#[test]
fn a_confirmed_change_stays() {
    let server = Server::over(TEXT);
    let whole = format!("{TEXT}rtmp 7;\n");
    for (operation, sent) in
        [("modify_config", r#"{"rtmp":7}"#), ("save_config", &whole), ("update_config", &whole)]
    {
        let id = pending(&server.made(&format!("{operation}?confirm=60"), sent));
        assert_eq!(pending(&server.get("")), id, "{operation}");
        let other = server.post("modify_config", r#"{"rtmp":9}"#);
        refused(&other, 409, "pending");
        assert_eq!(pending(&other), id, "{operation}");
        for (target, body) in [
            ("rollback_config?to=last", ""),
            ("save_config?force=1", TEXT),
            ("confirm_config?id=another", ""),
        ] {
            refused(&server.post(target, body), 409, "pending");
        }
        assert!(server.place.is_pending(), "{operation}");
        let confirm = format!("confirm_config?id={id}");
        assert_eq!(body(&server.made(&confirm, "")), json!(true));
        assert!(!server.place.is_pending(), "{operation}");
        assert_eq!(header(&server.get(""), "Mediactl-Pending"), None);
        assert_eq!(rtmp(&server), json!(7), "{operation}");
        refused(&server.post(&confirm, ""), 404, "not-found");
        server.made("save_config", TEXT);
    }
}

#[test]
fn an_unconfirmed_change_is_rolled_back_and_with_an_include_nothing_is_edited_by_hand_then() {
    let whole = format!("{TEXT}include more.inc;\n");
    let server = Server::over(&whole);
    server.place.put("more.inc", "stream s { url udp://239.0.0.1:1; bogus on; }\nstream t { }\n");
    // The status counts as a check does.
    let agrees = || {
        let status = body(&server.fetch("status"));
        assert_eq!(status["state"], json!([]), "{status}");
        let checked = body(&server.post("check_config", &server.place.text()));
        for count in ["errors", "warnings"] {
            assert_eq!(status["counts"][count], checked[count], "{status} {checked}");
        }
    };
    agrees();
    let id = pending(&server.made("modify_config?confirm=60", r#"{"rtmp":1}"#));
    agrees();
    server.made(&format!("cancel_config?id={id}"), "");
    agrees();
    assert_eq!(body(&server.made("modify_config?confirm=1", r#"{"rtmp":7}"#))["rtmp"], json!(7));
    assert!(server.place.text().contains("rtmp 7;"));
    until_nothing_waits(&server);
    assert_eq!((server.place.text(), rtmp(&server)), (whole, Value::Null));
    assert_eq!(operations(&server)[..2], ["expired", "modify"]);
    agrees();
    server.made("modify_config", r#"{"rtmp":1}"#);
    server.made("rollback_config?to=last", "");
    agrees();
}

#[test]
fn a_cancelled_change_is_rolled_back_at_once() {
    let server = Server::over(TEXT);
    server.made("update_config", &format!("{TEXT}rtmp 1;\n"));
    let id = pending(&server.made("modify_config?confirm=60", r#"{"rtmp":7}"#));
    assert_eq!(body(&server.made(&format!("cancel_config?id={id}"), "")), json!(true));
    assert_eq!(server.place.text(), TEXT, "the file goes back to what it was");
    assert_eq!(rtmp(&server), json!(1), "what ran goes back to what it was");
    assert_eq!(body(&server.get("?runtime=1"))["runtime"]["config"]["saved"], json!(false));
}

/// Both the change and what rolls it back end the same way: the hook saw both texts.
#[test]
fn the_reload_command_runs_when_a_change_goes_back() {
    let server = Server::reloading(
        "exec >> $(dirname $MEDIACTL_FILE)/seen; echo $MEDIACTL_OPERATION; grep rtmp $MEDIACTL_TEXT; true",
    );
    let id = pending(&server.post("modify_config?confirm=60", r#"{"rtmp":7}"#));
    server.post(&format!("cancel_config?id={id}"), "");
    let seen = fs::read_to_string(server.place.path("seen"));
    assert_eq!(seen.expect("it ran"), "modify\nrtmp 7;\nexpired\n");
}

#[test]
fn a_reload_that_fails_leaves_nothing_to_confirm() {
    let server = Server::reloading("exit 1");
    for wait in ["", "&async=1"] {
        server.post(&format!("modify_config?confirm=60{wait}"), r#"{"rtmp":7}"#);
        until_nothing_waits(&server);
        eventually(|| server.place.text() == TEXT && rtmp(&server).is_null());
        assert!(!server.place.is_pending());
    }
}

#[test]
fn a_change_and_its_rehearsal_answer_with_the_lines_that_differ() {
    let server = Server::over(TEXT);
    let lines = "\n stream a { url udp://1; }\n stream b {\n   url udp://2;\n-  prepush 5;\n+  prepush 6;\n }\n \
                 ondemand film file://f.mp4;\n";
    for query in ["?format=diff&dry_run=1", "?format=diff"] {
        let answer = server.made(&format!("modify_config{query}"), r#"{"streams":{"b":{"prepush":6}}}"#);
        assert_eq!(header(&answer, "Content-Type"), Some("text/x-diff; charset=utf-8"));
        assert_eq!(text(&answer).split("@@").nth(2), Some(lines), "{query}");
    }
    let changed = text(&server.made("save_config?format=diff", &TEXT.replace("prepush 5", "prepush 7")));
    assert!(changed.contains("-  prepush 6;\n+  prepush 7;\n"), "{changed}");
    assert_eq!(text(&server.post("modify_config?format=diff", "{}")), "");
    assert_eq!(server.post("save_config?format=json", TEXT).status, 400);
}

/// A change whose check waits to be let go on.
const HELD: &str = r#"{"streams":{"b":{"title":"held"}}}"#;

/// The check command notes each run with a held text, and waits until someone writes into the FIFO `gate`. Then the text has
/// to be there still.
#[test]
fn no_change_waits_for_the_check_of_a_dry_run() {
    let place = Place::with(TEXT);
    place.put_fifo("gate");
    let check = format!(
        "cd '{}' && grep -q held \"$MEDIACTL_TEXT\" || exit 0; \
         echo run >> runs; cat gate > /dev/null && grep -q held \"$MEDIACTL_TEXT\"",
        place.path("").display()
    );
    let hooks = Hooks { check: Some(check), timeout: Duration::from_secs(300), ..Hooks::default() };
    let server = Server::start(place, hooks, false);
    thread::scope(|scope| {
        let rehearsal = scope.spawn(|| server.post("modify_config?dry_run=true", HELD).status);
        eventually(|| server.place.path("runs").exists());
        for port in 1..4 {
            let changed = server.made("modify_config", &format!(r#"{{"rtmp":{port}}}"#));
            assert_eq!(body(&changed)["rtmp"], port);
        }
        fs::write(server.place.path("gate"), "go").expect("the check reads it");
        assert_eq!(rehearsal.join().expect("it does not panic"), 200);
    });
    assert!(server.place.text().contains("rtmp 3;") && !server.place.text().contains("held"));
}

#[test]
fn a_dry_run_leaves_no_trace_also_while_a_change_is_pending_and_says_so() {
    let server = Server::over(TEXT);
    let id = pending(&server.made("modify_config?confirm=600", r#"{"rtmp":1}"#));
    let whole = "edit_auth admin s3cret;\nstream a udp://1;\n";
    for (operation, sent) in [
        ("modify_config?format=conf", r#"{"rtsp":2}"#),
        ("save_config?", whole),
        ("update_config?", whole),
        ("rollback_config?to=last", ""),
    ] {
        let rehearsed = server.made(&format!("{operation}&dry_run=1"), sent);
        let notes = header(&rehearsed, "Mediactl-Note").unwrap_or_default();
        assert!(notes.split("; ").any(|note| note == "other-change-pending"), "{operation}: {notes}");
        assert_eq!(pending(&rehearsed), id);
        refused(&server.post(operation, sent), 409, "pending");
    }
    let shown = body(&server.made("modify_config?dry_run=1", r#"{"rtsp":2}"#));
    assert_eq!((&shown["rtmp"], &shown["rtsp"]), (&1.into(), &2.into()));
    server.made(&format!("confirm_config?id={id}"), "");
    for (operation, sent) in [("modify_config?confirm=1", r#"{"rtsp":2}"#), ("rollback_config?to=last", "")] {
        let rehearsed = server.made(&format!("{operation}&dry_run=1"), sent);
        let [note, waits] = ["Mediactl-Note", "Mediactl-Pending"].map(|name| header(&rehearsed, name));
        assert_eq!((note, waits), (None, None), "{operation}");
    }
    assert_eq!(operations(&server), ["modify"]);
    assert_eq!(body(&server.get(""))["rtmp"], 1);
}

#[test]
fn a_change_that_outlives_its_request_is_abandoned_before_it_writes() {
    let whole = "http 81;\nedit_auth admin s3cret;\nstream a udp://1;\n";
    let patch = r#"{"rtmp":1935}"#;
    for (operation, body) in [("modify_config", patch), ("save_config", whole), ("update_config", whole)] {
        // It takes far too long, unless there is such a file beside the configuration.
        let check = Some("test -e \"$(dirname \"$MEDIACTL_FILE\")/quick\" || sleep 60".to_owned());
        let hooks = Hooks { check, timeout: Duration::from_secs(90), ..Hooks::default() };
        let server = Server::start(Place::with(TEXT), hooks, false);
        let server = server.giving_up_after(Duration::from_millis(300));
        let before = server.get("").body;
        refused(&server.post(operation, body), 504, "engine-failed");
        assert_eq!(server.place.text(), TEXT, "{operation}");
        assert_eq!(server.get("").body, before, "{operation}");
        // The turn and the lock of the writer are free again, and nothing of the change is left.
        server.place.put("quick", "");
        server.giving_up_after(Duration::from_secs(60)).made(operation, body);
    }
}
