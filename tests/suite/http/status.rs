//! `status`: the state at a glance, and the wait for another one.

use std::thread;
use std::time::{Duration, Instant};

use mediactl::http::server::message::Response;
use serde_json::json;

use super::handler::{Server, TEXT, body, header};
use crate::waiting::{eventually, until};

const VIEWED: &str =
    "edit_auth admin s3cret;\nview_auth eve see;\nstream a {\n  url udp://1;\n  prepsh 5;\n}\n";

const EVE: (&str, &str) = ("eve", "see");

/// Far more than any change takes, and less than a wait.
const LONG: Duration = Duration::from_secs(40);

fn status(server: &Server, query: &str) -> Response {
    server.fetch(&format!("status{query}"))
}

/// The status of one who knows an earlier one by its tag.
fn again(server: &Server, query: &str, tag: &str) -> Response {
    server.ask("GET", &format!("/media/api/status{query}"), &[("if-none-match", tag)], "")
}

fn tag(server: &Server) -> String {
    header(&status(server, ""), "ETag").expect("it has a tag").to_owned()
}

#[test]
fn a_status_says_who_asks_and_how_the_configuration_is() {
    let server = Server::viewed(VIEWED);
    let own = || body(&status(&server, ""));
    let of_eve = || body(&server.fetch_as(EVE, "status"));
    let (told, eve) = (own(), of_eve());
    assert_eq!((&told["role"], &told["login"]), (&json!("edit"), &json!("admin")));
    assert_eq!((&told["state"], &told["pending"]), (&json!([]), &json!(null)));
    assert_eq!((&told["counts"]["streams"], &told["counts"]["warnings"]), (&json!(1), &json!(1)));
    assert_eq!(told["revisions"]["running"], told["revisions"]["file"]);
    assert_eq!((&eve["role"], &eve["login"]), (&json!("view"), &json!("eve")));
    assert_ne!(eve["revisions"]["running"], told["revisions"]["running"]);
    // Nothing was loaded since the start.
    assert_eq!((&told["last_reload"], &eve["last_reload"]), (&json!(null), &json!(null)));

    server.made("update_config", &VIEWED.replace("udp://1", "udp://2"));
    assert_eq!(own()["state"], json!(["unsaved-update"]));
    let eve = of_eve();
    assert!(eve["last_reload"]["ok"] == true && eve["last_reload"].get("output").is_none(), "{eve}");
    server.edit_by_hand("udp://1", "udp://3");
    server.edit_by_hand("view_auth", "}");
    let told = own();
    assert_eq!(told["state"], json!(["unsaved-update", "edited-by-hand", "broken"]), "{told}");
    assert_eq!(told["last_change"]["operation"], "update");
}

#[test]
fn a_status_shows_the_pending_change_and_stays_small() {
    let server = Server::over(TEXT);
    let patch: serde_json::Map<_, _> =
        (0..300).map(|at| (format!("s{at}"), json!({"urls": [{"url": "udp://1"}]}))).collect();
    let query = format!("modify_config?confirm=60&message={}", "m".repeat(3000));
    server.made(&query, &json!({ "streams": patch }).to_string());
    let answer = status(&server, "");
    assert!(answer.body.len() <= 4096, "{}", answer.body.len());
    let pending = || body(&status(&server, ""))["pending"].clone();
    let told = pending();
    assert_eq!(told["operation"], "modify");
    assert!(told["message"].as_str().is_some_and(|text| text.starts_with("mmm")), "{told}");
    assert_eq!(told["paths"].as_array().map(Vec::len), Some(5));
    // The seconds that are left change, and nothing else does.
    let known = tag(&server);
    eventually(|| pending()["seconds_left"] != told["seconds_left"]);
    assert_eq!(again(&server, "", &known).status, 304);
}

#[test]
fn a_failed_reload_is_told_with_its_exit_code_and_masked_output() {
    let server = Server::reloading("echo no s3cret >&2; exit 7");
    assert_eq!(server.post("modify_config", r#"{"rtmp":1935}"#).status, 500);
    let reload = body(&status(&server, ""))["last_reload"].clone();
    assert_eq!((&reload["ok"], &reload["exit_code"]), (&json!(false), &json!(7)), "{reload}");
    assert!(reload["ms"].is_u64() && reload["by"].as_str().is_some_and(|by| by.starts_with("admin")));
    let output = reload["output"].as_str().unwrap_or_default();
    assert!(output.starts_with("no <secret:") && !output.contains("s3cret"), "{output}");
}

#[test]
fn a_wait_is_over_with_the_change() {
    let server = Server::over(TEXT);
    let changes: [fn(&Server); 3] = [
        |server| drop(server.made("modify_config", r#"{"rtmp":1935}"#)),
        |server| server.edit_by_hand("rtmp 1935", "rtmp 1936"),
        |server| drop(server.made("update_config", "edit_auth admin s3cret;\nhttp 81;\nstream a udp://1;\n")),
    ];
    for change in changes {
        let known = tag(&server);
        let start = Instant::now();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| again(&server, "?wait=60", &known));
            change(&server);
            let answer = waiter.join().expect("it is answered");
            assert_eq!(answer.status, 200);
            assert_ne!(header(&answer, "ETag"), Some(&*known));
        });
        assert!(start.elapsed() < LONG);
    }
}

#[test]
fn a_wait_without_a_change_ends_with_304_and_no_wait_without_a_tag() {
    let server = Server::over(TEXT);
    assert_eq!(status(&server, "?wait=60").status, 200);
    assert_eq!(again(&server, "?wait=60", "\"other\"").status, 200);
    let answer = again(&server, "?wait=1", &tag(&server));
    assert_eq!((answer.status, header(&answer, "Retry-After")), (304, None));
    assert_eq!(status(&server, "?wait=61").status, 400);
}

#[test]
fn at_most_a_quarter_waits() {
    let mut server = Server::over(TEXT);
    server.handler.max_connections = 4;
    let known = tag(&server);
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            until("it gets the place", || {
                let answer = again(&server, "?wait=60", &known);
                header(&answer, "Retry-After").is_none().then_some(answer)
            })
        });
        eventually(|| {
            let answer = again(&server, "?wait=1", &known);
            answer.status == 304 && header(&answer, "Retry-After") == Some("1")
        });
        server.made("modify_config", r#"{"rtmp":1935}"#);
        assert_eq!(waiter.join().expect("it is answered").status, 200);
    });
}
