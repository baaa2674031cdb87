//! What a request asks for beside its operation: parameters that are nearly ours, and those that are
//! not; what is sent in the form of something else.

use mediactl::http::server::auth::Account;
use mediactl::http::server::message::{PeerAddress, Response, Service};
use serde_json::json;

use super::handler::{Server, TEXT, body, change, header, refused, request};
use crate::waiting::eventually;

const PATCH: &str = r#"{"streams":{"b":{"prepush":7}}}"#;

fn modify(query: &str) -> String {
    format!("/media/api/modify_config?{query}")
}

#[test]
fn near_parameters_are_refused_and_nothing_is_done() {
    for (query, meant) in [
        ("dry-run=true", "dry_run"),
        ("dryrun=true", "dry_run"),
        ("DRY_RUN=true", "dry_run"),
        ("dry%2Drun=true", "dry_run"),
        ("x=1&confrm=60", "confirm"),
        ("confrim=60", "confirm"),
        ("fource=1", "force"),
        ("massage=why", "message"),
        ("Accept=near-miss", "accept"),
    ] {
        let server = Server::over(TEXT);
        let refusal = server.ask("POST", &modify(query), &[], PATCH);
        refused(&refusal, 400, "bad-parameter");
        let hint = body(&refusal)["errors"][0]["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.contains(&format!("did you mean `{meant}`?")), "{query}: {hint}");
        assert_eq!(server.place.text(), TEXT, "{query}");
    }
}

#[test]
fn a_change_with_an_unknown_member_is_refused() {
    let server = Server::over(TEXT);
    for sent in [
        r#"{"modify":{"edits":{"patch":{"streams":{"b":{"prepush":7}}}},"expectation":[]}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[],"condition":[]}}}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[{"path":"rtmp","value":{"typed":"1"},"x":1}]}}}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[],"options":{"craete":true}}}}}"#,
        r#"{"format":{"x":1}}"#,
    ] {
        let sent = format!(r#"{{"operation":{sent}}}"#);
        refused(&server.ask("POST", "/media/api/change", &[], &sent), 400, "not-json");
        assert_eq!(server.place.text(), TEXT, "{sent}");
    }
}

#[test]
fn a_body_that_is_no_change_is_refused_with_its_place() {
    let server = Server::over(TEXT);
    for sent in [
        r#"{"format":[]}"#,
        r#"{"format":null}"#,
        r#"{"save":5}"#,
        r#"{"save":"http 80;","update":"http 81;"}"#,
        r#"{"format":{},"s3cret":1}"#,
        r#"{"s3cret":{}}"#,
        r#"{"format":{}},"options":{"dry-run":true}"#,
        r#"{"format":{}},"options":{"confirm":0}"#,
    ] {
        let sent = format!(r#"{{"operation":{sent}}}"#);
        let answer = server.ask("POST", "/media/api/change", &[], &sent);
        refused(&answer, 400, "not-json");
        let detail = body(&answer)["detail"].as_str().unwrap_or_default().to_owned();
        assert!(detail.contains(" at line 1 column "), "{detail}");
        assert!(!detail.contains("s3cret"), "{sent}: {detail}");
        assert_eq!(server.place.text(), TEXT, "{sent}");
    }
    let cut = server.ask("POST", "/media/api/change", &[], r#"{"operation":{"save":"#);
    refused(&cut, 400, "not-json");
    assert!(body(&cut)["detail"].as_str().is_some_and(|detail| detail.contains("EOF")), "{}", body(&cut));
}

#[test]
fn a_change_meets_both_if_match_and_revision() {
    let server = Server::over(TEXT);
    let tag =
        header(&server.ask("GET", "/media/api/read_config", &[], ""), "ETag").expect("it has one").to_owned();
    let revision = tag.trim_matches('"').split('-').next().expect("it begins with the revision").to_owned();
    let (target, other) = ("/media/api/change", tag.replace(&revision, &"0".repeat(32)));
    let operation = json!({"modify": {"edits": {"patch": {"streams": {"b": {"prepush": 7}}}}}});
    let sent = change(&operation, &json!({"only_if": {"one-of": [revision]}}));
    refused(&server.ask("POST", target, &[("if-match", &other)], &sent), 412, "stale");
    refused(&server.ask("POST", &format!("{target}?dry_run=true"), &[], &sent), 400, "bad-parameter");
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(server.ask("POST", target, &[("if-match", &tag)], &sent).status, 200);
}

#[test]
fn near_parameters_are_refused_by_every_change() {
    let server = Server::over(TEXT);
    let written = server.place.written();
    for (operation, query) in [
        ("modify_config", "dry-run=1"),
        ("update_config", "dry-run=1"),
        ("save_config", "dry-run=1"),
        ("rollback_config", "to=1&dry-run=1"),
    ] {
        let refusal = server.ask("POST", &format!("/media/api/{operation}?{query}"), &[], "edit_auth a b;\n");
        refused(&refusal, 400, "bad-parameter");
    }
    assert_eq!((server.place.text().as_str(), server.place.written()), (TEXT, written));
}

#[test]
fn parameters_that_are_not_near_are_ignored() {
    let server = Server::over(TEXT);
    for query in ["_=1699", "sync=true", "runtime=true", "a%20b=1&x%3By=2", "dry_run=true", "n&n=1&=2"] {
        assert_eq!(server.ask("POST", &modify(query), &[], "{}").status, 200, "{query}");
    }
    for query in ["dry-run=1", "skip_streams=1&runtime=1&format=conf", "path=http&runtime=0&x=1"] {
        assert_eq!(server.get(&format!("?{query}")).status, 200, "{query}");
    }
}

#[test]
fn a_wrong_password_says_that_it_is_wrong() {
    let server = Server::over(TEXT);
    let detail = |authorization: &str| {
        let refusal = server.ask("GET", "/media/api/read_config", &[("authorization", authorization)], "");
        refused(&refusal, 401, "unauthorized");
        body(&refusal)["detail"].as_str().unwrap_or_default().to_owned()
    };
    let with = |login: &str, password: &str| {
        Account { login: login.to_owned(), password: password.to_owned() }.to_header()
    };
    let wrong = detail(&with("admin", "guess"));
    assert_eq!(wrong, "the login or the password is wrong");
    assert_eq!(detail(&with("nobody", "s3cret")), wrong, "whether there is such a login is not told");
    assert_eq!(detail(&with("", "")), wrong);
    assert_eq!(detail(""), "the login and the password of `edit_auth` are required");
}

#[test]
fn methods_get_hints() {
    let server = Server::over(TEXT);
    let hint = |answer: &Response| body(answer)["errors"][0]["hint"].as_str().unwrap_or_default().to_owned();
    let put = server.ask("PUT", "/media/api/save_config", &[], TEXT);
    refused(&put, 405, "method");
    assert_eq!(hint(&put), "use POST");
    assert_eq!(hint(&server.ask("DELETE", "/media/api/read_config", &[], "")), "use GET");
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn texts_and_json_in_the_wrong_place_are_told_what_they_are() {
    let server = Server::over(TEXT);
    for (operation, sent, kind, words) in [
        ("modify_config", TEXT, "not-json", "`save_config`"),
        ("save_config", "\"http 80;\\n\"", "bad-config", "--data-binary"),
        ("update_config", "\"http 80;\\n\"", "bad-config", "--data-binary"),
        ("save_config", "{\"rtmp\":1}", "bad-config", "`modify_config`"),
    ] {
        let answer = server.post(operation, sent);
        refused(&answer, 400, kind);
        let hint = body(&answer)["errors"][0]["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.contains(words), "{operation} {sent}: {}", body(&answer));
    }
    assert_eq!(server.post("modify_config", "\u{feff}{\"rtmp\":1}").status, 200);
    assert_eq!(body(&server.get(""))["rtmp"], json!(1));
}

#[test]
fn the_right_password_gets_in_beside_a_neighbour_who_guesses() {
    let server = Server::over(TEXT);
    let guess = |number: usize| {
        let wrong = Account { login: "admin".to_owned(), password: format!("n{number}") }.to_header();
        server.ask("GET", "/media/api/read_config", &[("authorization", &wrong)], "")
    };
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

#[test]
fn guesses_from_one_64_meet_429_and_strangers_take_no_right_password_away() {
    let server = Server::over(TEXT);
    let ask = |from: &str, password: &str| {
        let header = Account { login: "admin".to_owned(), password: password.to_owned() }.to_header();
        let mut request = request("GET", "/media/api/read_config", &[("authorization", &header)], "");
        request.head.peer = PeerAddress::Address(from.parse().expect("it is an address"));
        server.handler.answer(request).status
    };
    assert_eq!(ask("192.0.2.7", "s3cret"), 200);
    let in_one_64: Vec<u16> =
        (0..50).map(|host| ask(&format!("2001:db8:1:1::{host:x}"), &format!("a{host}"))).collect();
    assert_eq!(in_one_64.iter().filter(|status| **status == 429).count(), 40);
    assert_eq!(ask("2001:db8:1:2::1", "a0"), 401, "the next /64 is another one");
    for stranger in 0..4200 {
        ask(&format!("10.1.{}.{}", stranger / 250, stranger % 250), "c");
    }
    assert!((0..12).map(|number| ask("192.0.2.7", &format!("d{number}"))).any(|status| status == 429));
    assert_eq!(ask("192.0.2.7", "s3cret"), 200);
}

/// An old client gets no other change than it asked for.
#[test]
fn parameters_that_are_gone_are_refused() {
    let server = Server::over(TEXT);
    for query in ["owner=x", "canary_timeout=60", "skip_included=true"] {
        let refusal = server.ask("POST", &modify(query), &[], r#"{"rtsp":1}"#);
        refused(&refusal, 400, "bad-parameter");
    }
    assert_eq!(server.place.text(), TEXT);
}
