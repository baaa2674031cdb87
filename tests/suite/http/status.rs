//! `status`: the state at a glance, and the wait for another one.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mediactl::engine::Hooks;
use mediactl::http::server::message::Response;
use serde_json::json;

use super::handler::{Server, TEXT, body, header};
use crate::waiting::{eventually, until};

const VIEWED: &str =
    "edit_auth admin s3cret;\nview_auth eve see;\nstream a {\n  url udp://1;\n  prepsh 5;\n}\n";

/// `eve:see`
const EVE: (&str, &str) = ("authorization", "Basic ZXZlOnNlZQ==");

/// Far more than any change takes, and less than a wait.
const LONG: Duration = Duration::from_secs(40);

fn status(server: &Server, query: &str, headers: &[(&str, &str)]) -> Response {
    server.ask("GET", &format!("/media/api/status{query}"), headers, "")
}

#[test]
fn a_status_says_who_asks_and_how_the_configuration_is() {
    let server = Server::viewed(VIEWED);
    let told = body(&status(&server, "", &[]));
    assert_eq!((&told["role"], &told["login"]), (&json!("edit"), &json!("admin")));
    assert_eq!((&told["state"], &told["pending"]), (&json!([]), &json!(null)));
    assert_eq!((&told["counts"]["streams"], &told["counts"]["warnings"]), (&json!(1), &json!(1)));
    assert_eq!(told["revisions"]["running"], told["revisions"]["file"]);
    let eve = body(&status(&server, "", &[EVE]));
    assert_eq!((&eve["role"], &eve["login"]), (&json!("view"), &json!("eve")));
    assert_ne!(eve["revisions"]["running"], told["revisions"]["running"]);
    // Nothing was loaded since the start.
    assert_eq!((&told["last_reload"], &eve["last_reload"]), (&json!(null), &json!(null)));

    assert_eq!(server.post("update_config", &VIEWED.replace("udp://1", "udp://2")).status, 200);
    assert_eq!(body(&status(&server, "", &[]))["state"], json!(["unsaved-update"]));
    let eve = body(&status(&server, "", &[EVE]));
    assert!(eve["last_reload"]["ok"] == true && eve["last_reload"].get("output").is_none(), "{eve}");
    server.edit_by_hand("udp://1", "udp://3");
    server.edit_by_hand("view_auth", "}");
    let told = body(&status(&server, "", &[]));
    assert_eq!(told["state"], json!(["unsaved-update", "edited-by-hand", "broken"]), "{told}");
    assert_eq!(told["last_change"]["operation"], "update");
}

#[test]
fn a_status_shows_the_pending_change_and_stays_small() {
    let server = Server::over(TEXT);
    let long = "m".repeat(3000);
    let query = format!("modify_config?confirm=60&message={long}");
    let patch: serde_json::Map<_, _> =
        (0..300).map(|at| (format!("s{at}"), json!({"urls": [{"url": "udp://1"}]}))).collect();
    assert_eq!(server.post(&query, &json!({ "streams": patch }).to_string()).status, 200);
    let answer = status(&server, "", &[]);
    assert!(answer.body.len() <= 4096, "{}", answer.body.len());
    let told = body(&answer);
    assert_eq!(told["pending"]["operation"], "modify");
    assert!(told["pending"]["message"].as_str().is_some_and(|text| text.starts_with("mmm")), "{told}");
    assert_eq!(told["pending"]["paths"].as_array().map(Vec::len), Some(5));
    // The seconds that are left change nothing.
    let tag = header(&answer, "ETag").expect("it has a tag").to_owned();
    assert_eq!(status(&server, "", &[("if-none-match", &tag)]).status, 304);
}

#[test]
fn a_failed_reload_is_told_with_its_exit_code_and_masked_output() {
    let reload = "echo no s3cret >&2; exit 7".to_owned();
    let server = Server::with_hooks(TEXT, Hooks { reload: Some(reload), ..Hooks::default() });
    assert_eq!(server.post("modify_config", r#"{"rtmp":1935}"#).status, 500);
    let told = body(&status(&server, "", &[]));
    let reload = &told["last_reload"];
    assert_eq!((&reload["ok"], &reload["exit_code"]), (&json!(false), &json!(7)), "{told}");
    assert!(reload["ms"].is_u64() && reload["by"].as_str().is_some_and(|by| by.starts_with("admin")));
    let output = reload["output"].as_str().unwrap_or_default();
    assert!(output.starts_with("no <secret:") && !output.contains("s3cret"), "{output}");
}

#[test]
fn a_wait_is_over_with_the_change() {
    let server = Arc::new(Server::over(TEXT));
    for change in [0, 1, 2] {
        let tag = header(&status(&server, "", &[]), "ETag").expect("it has a tag").to_owned();
        let waiting = server.clone();
        let known = tag.clone();
        let start = Instant::now();
        let waiter = thread::spawn(move || status(&waiting, "?wait=60", &[("if-none-match", &known)]));
        match change {
            0 => assert_eq!(server.post("modify_config", r#"{"rtmp":1935}"#).status, 200),
            1 => server.edit_by_hand("rtmp 1935", "rtmp 1936"),
            _ => assert_eq!(
                server.post("update_config", "edit_auth admin s3cret;\nhttp 81;\nstream a udp://1;\n").status,
                200
            ),
        }
        let answer = waiter.join().expect("it is answered");
        assert_eq!(answer.status, 200, "{change}");
        assert_ne!(header(&answer, "ETag"), Some(&*tag));
        assert!(start.elapsed() < LONG, "{change}");
    }
}

#[test]
fn a_wait_without_a_change_ends_with_304_and_no_wait_without_a_tag() {
    let server = Server::over(TEXT);
    assert_eq!(status(&server, "?wait=60", &[]).status, 200);
    assert_eq!(status(&server, "?wait=60", &[("if-none-match", "\"other\"")]).status, 200);
    let tag = header(&status(&server, "", &[]), "ETag").expect("it has a tag").to_owned();
    let answer = status(&server, "?wait=1", &[("if-none-match", &tag)]);
    assert_eq!((answer.status, header(&answer, "Retry-After")), (304, None));
    assert_eq!(status(&server, "?wait=61", &[]).status, 400);
}

#[test]
fn at_most_a_quarter_waits() {
    let mut server = Server::over(TEXT);
    server.handler.most_waiting = 1;
    let server = Arc::new(server);
    let tag = header(&status(&server, "", &[]), "ETag").expect("it has a tag").to_owned();
    let (waiting, known) = (server.clone(), tag.clone());
    let waiter = thread::spawn(move || {
        until("it gets the place", || {
            let answer = status(&waiting, "?wait=60", &[("if-none-match", &known)]);
            header(&answer, "Retry-After").is_none().then_some(answer)
        })
    });
    eventually(|| {
        let answer = status(&server, "?wait=1", &[("if-none-match", &tag)]);
        answer.status == 304 && header(&answer, "Retry-After") == Some("1")
    });
    assert_eq!(server.post("modify_config", r#"{"rtmp":1935}"#).status, 200);
    assert_eq!(waiter.join().expect("it is answered").status, 200);
}

#[test]
fn the_seconds_of_a_pending_change_are_those_that_are_left() {
    let server = Server::over(TEXT);
    assert_eq!(server.post("modify_config?confirm=60", r#"{"rtmp":1935}"#).status, 200);
    let seconds = || body(&status(&server, "", &[]))["pending"]["seconds_left"].clone();
    let first = seconds();
    eventually(|| seconds() != first);
}
