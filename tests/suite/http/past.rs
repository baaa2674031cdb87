//! History, roll-back and confirmation, at the handler: no socket, no process.

use std::os::unix::fs::DirBuilderExt;

use mediactl::engine::Hooks;
use mediactl::http::server::message::Response;
use serde_json::{Value, json};

use super::handler::{Server, TEXT, body, header, refused};
use crate::cli::{CONF, Place};
use crate::waiting::eventually;

fn history(server: &Server) -> Vec<Value> {
    let answer = server.ask("GET", "/media/api/history", &[], "");
    assert_eq!(answer.status, 200);
    body(&answer).as_array().expect("it is a list").clone()
}

/// The operations in the history, the last one first.
pub(super) fn operations(server: &Server) -> Vec<String> {
    let name = |entry: &Value| entry["operation"].as_str().expect("it has one").to_owned();
    history(server).iter().map(name).collect()
}

fn kept(server: &Server, number: usize) -> Response {
    server.ask("GET", &format!("/media/api/history/{number}"), &[], "")
}

pub(super) fn pending(answer: &Response) -> String {
    header(answer, "Mediactl-Pending").expect("it waits").to_owned()
}

fn rtmp(server: &Server) -> Value {
    body(&server.get(""))["rtmp"].clone()
}

#[test]
fn earlier_texts_are_served_and_can_be_rolled_back_to() {
    let server = Server::over(TEXT);
    assert_eq!(operations(&server), Vec::<String>::new());
    let changed =
        server.post("modify_config?message=because+of+rtsp%3A%2F%2Fa%3Ageheim%40h", r#"{"rtmp":1}"#);
    assert_eq!(changed.status, 200);
    server.edit_by_hand("prepush 5", "prepush 6");
    assert_eq!(server.post("save_config", &format!("{TEXT}rtmp 2;\n")).status, 200);
    assert_eq!(operations(&server), ["save", "hand-edit", "modify"]);
    let entries = history(&server);
    assert_eq!(entries[2]["by"], json!("admin from 192.0.2.1"));
    assert!(
        entries[2]["message"].as_str().is_some_and(|text| text.starts_with("because of rtsp://<secret:"))
    );
    assert_eq!((&entries[1]["by"], &entries[1]["number"]), (&json!(null), &json!(2)));
    assert_eq!(kept(&server, 1).body.as_slice(), TEXT.as_bytes());
    let hand_made = String::from_utf8(kept(&server, 3).body.to_vec()).expect("it is text");
    assert!(hand_made.contains("prepush 6") && hand_made.contains("rtmp 1;"), "{hand_made}");

    for former in ["@1", "serial:1"] {
        let change = format!("{{\"operation\": {{\"rollback\": \"{former}\"}}}}");
        for asked in [
            server.post(&format!("rollback_config?to={former}"), ""),
            server.post("change", &change),
            server.ask("GET", &format!("/media/api/diff?from={former}"), &[], ""),
        ] {
            let told = body(&asked);
            assert!(
                asked.status == 400
                    && told["detail"].as_str().is_some_and(|text| text.contains("`change:5`")),
                "{told}"
            );
        }
    }
    let back = server.post("rollback_config?to=1", "");
    assert_eq!((back.status, body(&back)), (200, json!(true)));
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(rtmp(&server), Value::Null);
    assert_eq!(operations(&server)[0], "rollback");
    for (request, status, name) in [
        ("rollback_config?to=9", 404, "not-found"),
        ("rollback_config?to=0", 400, "bad-parameter"),
        ("rollback_config", 400, "bad-parameter"),
        ("confirm_config?id=x", 404, "not-found"),
        ("cancel_config?id=x", 404, "not-found"),
        ("cancel_config", 400, "bad-parameter"),
    ] {
        refused(&server.post(request, ""), status, name);
    }
    for (change, status, name) in [
        ("9", 404, "not-found"),
        ("99", 404, "not-found"),
        ("0", 400, "bad-parameter"),
        ("x", 400, "bad-parameter"),
        ("99999999999999999999", 400, "bad-parameter"),
        ("-1", 400, "bad-parameter"),
    ] {
        refused(&server.ask("GET", &format!("/media/api/history/{change}"), &[], ""), status, name);
    }
    let first = server.ask("GET", "/media/api/history/last", &[], "");
    assert_eq!(kept(&server, 4).body, first.body);
    assert_eq!(operations(&server).len(), 4);
}

#[test]
fn the_changes_of_a_value_are_found() {
    let server = Server::over(TEXT);
    let blame = |query: &str| server.ask("GET", &format!("/media/api/blame?{query}"), &[], "");
    for rtmp in [1, 2, 3] {
        assert_eq!(server.post("modify_config", &format!(r#"{{"rtmp":{rtmp}}}"#)).status, 200);
    }
    let found = body(&blame("path=rtmp"));
    let values: Vec<_> = found
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|it| (&it["number"], &it["from"], &it["to"]))
        .collect();
    let [one, two, three] = [1, 2, 3].map(|number| json!(number));
    assert_eq!(values, [(&three, &two, &three), (&two, &one, &two), (&one, &Value::Null, &one)]);
    assert_eq!(found[0]["by"], "admin from 192.0.2.1");
    assert_eq!(body(&blame("path=rtmp&limit=1")), json!([found[0]]));
    assert_eq!(header(&blame("path=rtmp"), "Mediactl-Note"), None);
    server.edit_by_hand("rtmp 3", "rtmp 4");
    assert_eq!(header(&blame("path=rtmp"), "Mediactl-Note"), Some("edited-by-hand"));
    for (query, status, name) in [
        ("", 400, "bad-parameter"),
        ("path=", 400, "bad-parameter"),
        ("path=a..b", 400, "bad-parameter"),
        ("path=rtmp&limit=0", 400, "bad-parameter"),
        ("path=streams.nobody", 404, "not-found"),
    ] {
        refused(&blame(query), status, name);
    }
}

#[test]
fn a_dry_run_leaves_no_trace() {
    let server = Server::over(TEXT);
    server.post("modify_config", r#"{"rtmp":1}"#);
    server.post("modify_config?dry_run=1&confirm=1", r#"{"rtmp":2}"#);
    let back = server.post("rollback_config?to=last&dry_run=true", "");
    assert_eq!(back.status, 200);
    assert_eq!(header(&back, "Mediactl-Pending"), None);
    assert_eq!((operations(&server), rtmp(&server)), (vec!["modify".to_owned()], json!(1)));
}

#[test]
fn the_guards_stand_before_a_roll_back_too() {
    let server = Server::over(TEXT);
    server.post("modify_config", r#"{"rtmp":1}"#);
    server.edit_by_hand("edit_auth", "# edit_auth");
    server.post("save_config", TEXT);
    assert_eq!(operations(&server), ["save", "hand-edit", "modify"]);
    refused(&server.post("rollback_config?to=last", ""), 422, "would-remove-credentials");
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn a_confirmed_change_stays() {
    let server = Server::over(TEXT);
    for operation in ["modify_config", "save_config", "update_config"] {
        let sent = if operation == "modify_config" {
            r#"{"rtmp":7}"#.to_owned()
        } else {
            format!("{TEXT}rtmp 7;\n")
        };
        let changed = server.post(&format!("{operation}?confirm=60"), &sent);
        let id = pending(&changed);
        assert_eq!(pending(&server.get("")), id, "{operation}");
        let other = server.post("modify_config", r#"{"rtmp":9}"#);
        refused(&other, 409, "pending");
        assert_eq!(pending(&other), id, "{operation}");
        refused(&server.post("rollback_config?to=last", ""), 409, "pending");
        refused(&server.post("save_config?force=1", TEXT), 409, "pending");
        refused(&server.post("confirm_config?id=another", ""), 409, "pending");
        let record = server.place.path(&format!(".{CONF}.mediactl/pending"));
        assert!(record.exists(), "{operation}");
        let confirmed = server.post(&format!("confirm_config?id={id}"), "");
        assert_eq!((confirmed.status, body(&confirmed)), (200, json!(true)));
        assert!(!record.exists(), "{operation}");
        assert_eq!(header(&server.get(""), "Mediactl-Pending"), None);
        assert_eq!(rtmp(&server), json!(7), "{operation}");
        refused(&server.post(&format!("confirm_config?id={id}"), ""), 404, "not-found");
        assert_eq!(server.post("save_config", TEXT).status, 200);
    }
}

#[test]
fn an_unconfirmed_change_is_rolled_back() {
    let server = Server::over(TEXT);
    let changed = server.post("modify_config?confirm=1", r#"{"rtmp":7}"#);
    assert_eq!(body(&changed)["rtmp"], json!(7));
    assert!(server.place.text().contains("rtmp 7;"));
    eventually(|| header(&server.get(""), "Mediactl-Pending").is_none());
    assert_eq!((server.place.text().as_str(), rtmp(&server)), (TEXT, Value::Null));
    assert_eq!(operations(&server), ["expired", "modify"]);
    assert_eq!(server.post("modify_config", r#"{"rtmp":8}"#).status, 200);
}

#[test]
fn with_an_include_nothing_is_edited_by_hand_after_a_rollback_and_status_counts_as_check_does() {
    let text = format!("{TEXT}include more.inc;\n");
    let server = Server::over(&text);
    server.place.put("more.inc", "stream s { url udp://239.0.0.1:1; bogus on; }\nstream t { }\n");
    let agrees = || {
        let status = body(&server.ask("GET", "/media/api/status", &[], ""));
        assert_eq!(status["state"], json!([]), "{status}");
        let checked = body(&server.post("check_config", &server.place.text()));
        for count in ["errors", "warnings"] {
            assert_eq!(status["counts"][count], checked[count], "{status} {checked}");
        }
    };
    agrees();
    let id = pending(&server.post("modify_config?confirm=60", r#"{"rtmp":1}"#));
    agrees();
    assert_eq!(server.post(&format!("cancel_config?id={id}"), "").status, 200);
    agrees();
    server.post("modify_config?confirm=1", r#"{"rtmp":1}"#);
    eventually(|| header(&server.get(""), "Mediactl-Pending").is_none());
    assert_eq!(server.place.text(), text);
    agrees();
    server.post("modify_config", r#"{"rtmp":1}"#);
    assert_eq!(server.post("rollback_config?to=last", "").status, 200);
    agrees();
}

#[test]
fn a_cancelled_change_is_rolled_back_at_once() {
    let server = Server::over(TEXT);
    server.post("update_config", &format!("{TEXT}rtmp 1;\n"));
    let id = pending(&server.post("modify_config?confirm=60", r#"{"rtmp":7}"#));
    let cancelled = server.post(&format!("cancel_config?id={id}"), "");
    assert_eq!(body(&cancelled), json!(true));
    assert_eq!(server.place.text(), TEXT, "the file goes back to what it was");
    assert_eq!(rtmp(&server), json!(1), "what ran goes back to what it was");
    assert_eq!(body(&server.get("?runtime=1"))["runtime"]["config"]["saved"], json!(false));
}

/// Both the change and what rolls it back end the same way: the hook saw both texts.
#[test]
fn the_reload_command_runs_when_a_change_goes_back() {
    let place = Place::with(TEXT);
    let seen = place.path("seen");
    let command =
        format!("echo $MEDIACTL_OPERATION >> {0}; grep rtmp $MEDIACTL_TEXT >> {0}; true", seen.display());
    let server = Server::at(place, Hooks { reload: Some(command), ..Hooks::default() });
    let id = pending(&server.post("modify_config?confirm=60", r#"{"rtmp":7}"#));
    server.post(&format!("cancel_config?id={id}"), "");
    assert_eq!(std::fs::read_to_string(seen).expect("it ran"), "modify\nrtmp 7;\nexpired\n");
}

#[test]
fn a_reload_that_fails_leaves_nothing_to_confirm() {
    let server = Server::with_hooks(TEXT, Hooks { reload: Some("exit 1".to_owned()), ..Hooks::default() });
    for wait in ["", "&async=1"] {
        server.post(&format!("modify_config?confirm=60{wait}"), r#"{"rtmp":7}"#);
        eventually(|| header(&server.get(""), "Mediactl-Pending").is_none());
        eventually(|| server.place.text() == TEXT && rtmp(&server).is_null());
        assert!(!server.place.path(&format!(".{CONF}.mediactl/pending")).exists());
    }
}

#[test]
fn a_hand_edit_while_a_change_waits_is_kept() {
    let server = Server::over(TEXT);
    let id = pending(&server.post("modify_config?confirm=60", r#"{"rtmp":7}"#));
    server.edit_by_hand("rtmp 7;", "rtmp 8;");
    let edited = server.place.text();
    let cancelled = server.post(&format!("cancel_config?id={id}"), "");
    assert_eq!((cancelled.status, header(&cancelled, "Mediactl-Note")), (200, Some("kept-hand-edit")));
    assert_eq!(server.place.text(), edited);
    assert_eq!(rtmp(&server), Value::Null, "what runs goes back all the same");
    let error = &body(&server.get("?runtime=1"))["runtime"]["config"]["last_error"];
    assert!(error.as_str().is_some_and(|error| error.contains("edited by hand")), "{error}");
    let changed = server.post("modify_config", r#"{"rtsp":1}"#);
    assert_eq!(header(&changed, "Mediactl-Note"), Some("found-hand-edit"));
}

/// A server that is gone leaves its folder as a kill does; the next one rolls the change back first.
#[test]
fn the_next_server_takes_back_what_was_not_confirmed() {
    let first = Server::over(TEXT);
    first.post("modify_config?confirm=60", r#"{"rtmp":7}"#);
    assert!(first.place.text().contains("rtmp 7;"));
    let second = Server::at(first.place, Hooks::default());
    assert_eq!((second.place.text().as_str(), rtmp(&second)), (TEXT, Value::Null));
    assert_eq!(operations(&second), ["expired", "modify"]);
    assert!(!second.place.path(&format!(".{CONF}.mediactl/pending")).exists());
    refused(&second.post("confirm_config?id=x", ""), 404, "not-found");
}

/// The record is whole or it is none, and a change without a whole one was not made.
#[test]
fn a_record_that_was_cut_short_is_none() {
    let first = Server::over(TEXT);
    first.post("modify_config?confirm=60", r#"{"rtmp":7}"#);
    let record = std::fs::read(first.place.path(&format!(".{CONF}.mediactl/pending"))).expect("it is there");
    for length in [0, 1, record.len() / 2, record.len() - 1] {
        let place = Place::with(TEXT);
        let folder = place.path(&format!(".{CONF}.mediactl"));
        std::fs::DirBuilder::new().mode(0o700).create(folder).expect("the folder is ours");
        place.put(&format!(".{CONF}.mediactl/pending"), &record[..length]);
        let server = Server::at(place, Hooks::default());
        assert_eq!(server.place.text(), TEXT);
        assert!(!server.place.path(&format!(".{CONF}.mediactl/pending")).exists(), "{length}");
    }
}
