//! What a request asks for beside its operation, who may ask, and bodies that are no change.

use mediactl::http::server::message::{PeerAddress, Service};
use serde_json::json;

use super::handler::{Server, TEXT, account, body, change, header, refused, request, text};
use crate::waiting::eventually;

const PATCH: &str = r#"{"streams":{"b":{"prepush":7}}}"#;

#[test]
fn near_and_former_parameters_are_refused_and_nothing_is_done() {
    let server = Server::over(TEXT);
    let written = server.place.written();
    for (target, meant) in [
        // The unit tests of `query.rs` have more of them.
        ("modify_config?DRY_RUN=true", "did you mean `dry_run`?"),
        ("modify_config?dry%2Drun=true", "did you mean `dry_run`?"),
        ("modify_config?x=1&confrm=60", "did you mean `confirm`?"),
        ("modify_config?massage=why", "did you mean `message`?"),
        ("update_config?dry-run=1", "did you mean `dry_run`?"),
        ("save_config?dry-run=1", "did you mean `dry_run`?"),
        ("rollback_config?to=1&dry-run=1", "did you mean `dry_run`?"),
        // An old client gets no other change than it asked for.
        ("modify_config?owner=x", ""),
        ("modify_config?canary_timeout=60", ""),
        ("modify_config?skip_included=true", ""),
    ] {
        let sent = if target.starts_with("modify") { PATCH } else { "edit_auth a b;\n" };
        let refusal = server.post(target, sent);
        refused(&refusal, 400, "bad-parameter");
        assert!(text(&refusal).contains(meant), "{target}: {}", text(&refusal));
    }
    assert_eq!((server.place.text().as_str(), server.place.written()), (TEXT, written));
}

#[test]
fn a_body_that_is_no_change_is_refused_with_its_place_and_without_its_secrets() {
    let server = Server::over(TEXT);
    for sent in [
        r#"{"modify":{"edits":{"patch":{"streams":{"b":{"prepush":7}}}},"expectation":[]}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[],"condition":[]}}}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[{"path":"rtmp","value":{"typed":"1"},"x":1}]}}}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[],"options":{"craete":true}}}}}"#,
        r#"{"modify":"s3cret"}"#,
        r#"{"modify":{"edits":{"s3cret":1}}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[{"path":"a","value":"s3cret"}]}}}}"#,
        r#"{"rollback":"s3cret"}"#,
        r#"{"format":{"x":1}}"#,
        r#"{"format":[]}"#,
        r#"{"format":null}"#,
        r#"{"save":5}"#,
        r#"{"save":"http 80;","update":"http 81;"}"#,
        r#"{"format":{},"s3cret":1}"#,
        r#"{"s3cret":{}}"#,
        r#"{"format":{}},"options":{"dry-run":true}"#,
        r#"{"format":{}},"options":{"confirm":0}"#,
        r#"{"save":"#,
    ] {
        let answer = server.post("change", &format!(r#"{{"operation":{sent}}}"#));
        refused(&answer, 400, "not-json");
        let detail = body(&answer)["detail"].as_str().unwrap_or_default().to_owned();
        assert!(detail.contains(" at line 1 column ") && !detail.contains("s3cret"), "{sent}: {detail}");
    }
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn a_change_meets_both_if_match_and_revision() {
    let server = Server::over(TEXT);
    let tag = header(&server.get(""), "ETag").expect("it has one").to_owned();
    let revision = tag.trim_matches('"').split('-').next().expect("it begins with the revision").to_owned();
    let (target, other) = ("/media/api/change", tag.replace(&revision, &"0".repeat(32)));
    let operation = json!({"modify": {"edits": {"patch": {"streams": {"b": {"prepush": 7}}}}}});
    let sent = change(&operation, &json!({"only_if": {"one-of": [revision]}}));
    refused(&server.ask("POST", target, &[("if-match", &other)], &sent), 412, "stale");
    refused(&server.post("change?dry_run=true", &sent), 400, "bad-parameter");
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(server.ask("POST", target, &[("if-match", &tag)], &sent).status, 200);
}

#[test]
fn parameters_that_are_not_near_are_ignored() {
    let server = Server::over(TEXT);
    for query in ["_=1699", "sync=true", "runtime=true", "a%20b=1&x%3By=2", "dry_run=true", "n&n=1&=2"] {
        server.made(&format!("modify_config?{query}"), "{}");
    }
    for query in ["dry-run=1", "skip_streams=1&runtime=1&format=conf", "path=http&runtime=0&x=1"] {
        assert_eq!(server.get(&format!("?{query}")).status, 200, "{query}");
    }
}

#[test]
fn the_right_password_gets_in_beside_a_neighbour_who_guesses() {
    let server = Server::over(TEXT);
    let guess = |number: usize| server.fetch_as(("admin", &format!("n{number}")), "read_config");
    (0..10).for_each(|number| refused(&guess(number), 401, "unauthorized"));
    // Unseen, right or wrong.
    for answer in [guess(10), server.get("")] {
        refused(&answer, 429, "too-many-failures");
        let wait: u64 = header(&answer, "Retry-After").and_then(|wait| wait.parse().ok()).expect("seconds");
        assert!((1..=2).contains(&wait), "{wait}");
    }
    eventually(|| server.get("").status == 200);
    assert_eq!(server.get("").status, 200, "it was right");
    refused(&guess(11), 429, "too-many-failures");
}

fn ask_from(server: &Server, peer: &str, forwarded: &[&str], password: &str) -> u16 {
    let (account, forwarded) =
        (account("admin", password), forwarded.iter().map(|by| ("x-forwarded-for", *by)));
    let headers: Vec<_> = forwarded.chain([("authorization", account.as_str())]).collect();
    let mut request = request("GET", "/media/api/read_config", &headers, "");
    request.head.peer = PeerAddress::Address(peer.parse().expect("it is an address"));
    server.handler.answer(request).status
}

#[test]
fn clients_of_a_proxy_are_told_apart_and_a_forged_header_hides_nobody() {
    let server = Server::over(TEXT);
    let ask = |number: usize, by: &[&str]| ask_from(&server, "10.9.9.9", by, &format!("guess{number}"));
    assert!((0..30).all(|number| ask(number, &[&format!("1.1.1.1, 198.51.100.{number}")]) == 401));
    let forged = |number: usize| ask(number, &[&format!("203.0.113.{number}"), "198.51.100.99:7"]);
    assert_eq!((0..12).map(forged).collect::<Vec<_>>()[10..], [429, 429]);
}
