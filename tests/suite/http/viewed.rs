//! `serve --view-auth`: who may look sees everything but secrets, and changes nothing.

use mediactl::http::server::auth::{Account, MAX_FAILURES, Role};
use mediactl::http::server::message::{Response, Service};
use serde_json::json;

use mediactl::engine::Hooks;

use super::handler::{Server, body, header, refused, request};
use crate::waiting::eventually;

const SECRETS: [&str; 5] = ["s3cret", "l00k", "c1uster", "h1dden", "t0ken"];

const TEXT: &str = "http 80;\nedit_auth admin s3cret;\nview_auth viewer l00k;\ncluster_key c1uster;\n\
                    # password=h1dden\nstream a { url rtsp://u:h1dden@h/?token=t0ken; }\n";

fn asked(server: &Server, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let viewer = Account { login: "viewer".to_owned(), password: "l00k".to_owned() }.to_header();
    server.ask(method, target, &[&[("authorization", viewer.as_str())], headers].concat(), body)
}

fn seen(server: &Server, target: &str) -> Response {
    asked(server, "GET", target, &[], "")
}

fn says_no_secret(response: &Response, what: &str) {
    let text = String::from_utf8_lossy(&response.body).into_owned();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{what}: {text}");
        let is_in = |(_, value): &(&str, String)| value.contains(secret);
        assert!(!response.headers.iter().any(is_in), "{what}: {:?}", response.headers);
    }
}

#[test]
fn every_answer_to_a_viewer_is_masked() {
    let server = Server::viewed(TEXT);
    assert_eq!(server.post("modify_config?message=password%3Dh1dden", r#"{"rtmp":1935}"#).status, 200);
    for target in [
        "/media/api/read_config",
        "/media/api/read_config?runtime=true",
        "/media/api/read_config?skip_streams=true",
        "/media/api/read_config?format=conf",
        "/media/api/read_config?source=saved",
        "/media/api/read_config?source=saved&format=conf",
        "/media/api/history",
        "/media/api/history/last",
        "/media/api/blame?path=rtmp",
        "/media/api/openapi.json",
        "/metrics",
    ] {
        let response = seen(&server, target);
        assert_eq!(response.status, 200, "{target}");
        says_no_secret(&response, target);
    }
    let text =
        String::from_utf8(seen(&server, "/media/api/read_config?format=conf").body.to_vec()).expect("text");
    assert!(text.contains("view_auth viewer <secret:000000>;\n"), "equal secrets do not show: {text}");
    assert_eq!(body(&seen(&server, "/media/api/read_config"))["rtmp"], json!(1935));
    server.edit_by_hand("stream a {", "stream a {{ password h1dden");
    for target in ["/media/api/read_config?source=saved", "/media/api/read_config?source=saved&format=conf"] {
        says_no_secret(&seen(&server, target), target);
    }
}

#[test]
fn a_path_tells_a_viewer_no_secret_in_a_name_and_not_whether_a_guess_is_right() {
    let text = TEXT.to_owned()
        + "stream b?token=t0ken { url udp://1:1 password=h1dden; title x; }\n\
           stream z { url udp://2:1; auth http://h password h1dden x=1; }\n";
    let server = Server::viewed(&text);
    assert_eq!(server.post("modify_config", r#"{"cluster_key":"c1uster2"}"#).status, 200);
    for path in ["*.*", "streams.*.title", "*.*.*.*.*", "streams.z.auth.extra.*"] {
        for target in [format!("/media/api/read_config?path={path}"), format!("/media/api/blame?path={path}")]
        {
            let response = seen(&server, &target);
            assert_eq!(response.status, 200, "{target}");
            says_no_secret(&response, &target);
        }
    }
    let guesses = [
        ("streams.*.urls%5Bpassword%3Dh1dden%5D", "streams.*.urls%5Bpassword%3Dwr0ng%5D"),
        ("streams.*t0k*.title", "streams.*wr0ng*.title"),
        ("streams.%22b?token%3Dt0ken%22", "streams.%22b?token%3Dwr0ng%22"),
        ("streams.z.auth.extra.h1dden", "streams.z.auth.extra.wr0ng"),
    ];
    for (right, wrong) in guesses {
        for query in ["read_config?path=", "read_config?format=conf&path=", "blame?path="] {
            let answers = [right, wrong].map(|path| seen(&server, &format!("/media/api/{query}{path}")));
            let told = |answer: &Response| {
                let text = String::from_utf8_lossy(&answer.body).into_owned();
                let hidden =
                    ["h1dden", "t0ken", "t0k"].iter().fold(text, |text, guess| text.replace(guess, "wr0ng"));
                (answer.status, hidden.len())
            };
            assert_eq!(told(&answers[0]), told(&answers[1]), "{query}");
        }
    }
    let changes = body(&seen(&server, "/media/api/blame?path=cluster_key"));
    assert_eq!(changes.as_array().map(Vec::len), Some(1), "another secret is another value: {changes}");
    let masked = server.get("blame?path=cluster_key&secrets=masked");
    says_no_secret(&masked, "an editor who asks for masks");
}

#[test]
fn a_viewer_reads_no_part_of_a_header_in_a_message() {
    let text = format!(
        "{TEXT}stream b {{ url http://h/ headers.Authorization=\"Bearer t1ken\"; header \"Cookie: sess=c00kie; a=b\"; }}\n"
    );
    let server = Server::viewed(&text);
    let message = "t1ken+c00kie+YWRtaW46czNjcmV0+done";
    assert_eq!(server.post(&format!("modify_config?message={message}"), r#"{"rtmp":1935}"#).status, 200);
    let told = body(&seen(&server, "/media/api/history"))[0]["message"].clone();
    let told = told.as_str().expect("there is a message");
    assert!(told.ends_with(" done") && told.matches("<secret:").count() == 3, "{told}");
}

#[test]
fn a_viewer_is_told_how_a_hook_failed_and_not_what_it_printed() {
    let reload = "cat \"$MEDIACTL_TEXT\" >&2; ! grep -q rtmp \"$MEDIACTL_TEXT\"".to_owned();
    let server = Server::viewed_with_hooks(TEXT, Hooks { reload: Some(reload), ..Hooks::default() });
    assert_eq!(server.post("modify_config?async=true", r#"{"rtmp":1935}"#).status, 200);
    let runtime = "/media/api/read_config?runtime=true";
    let error = |response: &Response| body(response)["runtime"]["config"]["last_error"].clone();
    eventually(|| !error(&seen(&server, runtime)).is_null());
    let told = error(&seen(&server, runtime));
    assert_eq!(told, json!("the reload command failed with exit code 1"));
    let told = error(&server.get("?runtime=true"));
    let told = told.as_str().expect("the editor is told, too");
    assert!(
        told.contains("http 80") && told.contains("stream a {") && told.contains("edit_auth <secret:"),
        "{told}"
    );
    assert!(SECRETS.iter().all(|secret| !told.contains(secret)), "{told}");
    let refused = server.post("modify_config", r#"{"rtmp":1935}"#);
    says_no_secret(&refused, "the answer to the editor");
}

#[test]
fn every_change_of_a_viewer_is_refused_and_nothing_happens() {
    let server = Server::viewed(TEXT);
    for (operation, body) in [
        ("modify_config", r#"{"rtmp":1935}"#),
        ("modify_config?dry_run=true", "{}"),
        ("modify_config", "no JSON"),
        ("update_config", "http 81;\n"),
        ("save_config", TEXT),
        ("rollback_config?to=last", ""),
        ("confirm_config?id=x", ""),
        ("cancel_config?id=x", ""),
    ] {
        refused(&asked(&server, "POST", &format!("/media/api/{operation}"), &[], body), 403, "view-only");
    }
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(body(&server.ask("GET", "/media/api/history", &[], "")), json!([]));
}

#[test]
fn the_body_of_a_viewer_is_not_kept() {
    let server = Server::viewed(TEXT);
    let head = |login: &str, password: &str, method: &str| {
        let sent = Account { login: login.to_owned(), password: password.to_owned() }.to_header();
        request(method, "/media/api/modify_config", &[("authorization", &sent)], "").head
    };
    assert_eq!(server.handler.rank(&head("admin", "s3cret", "POST")), Some(Role::Edit));
    assert_eq!(server.handler.rank(&head("viewer", "l00k", "GET")), Some(Role::View));
    assert_eq!(server.handler.rank(&head("viewer", "l00k", "POST")), None);
    let mut unread = request("POST", "/media/api/modify_config", &[], "");
    unread.head = head("viewer", "l00k", "POST");
    unread.head.unread = true;
    refused(&server.handler.answer(unread), 403, "view-only");
}

#[test]
fn a_viewer_has_tags_and_revisions_of_its_own() {
    let server = Server::viewed(TEXT);
    server.post("modify_config", r#"{"rtmp":1935}"#);
    let path = "/media/api/read_config";
    let tag = |response: &Response| header(response, "ETag").map(str::to_owned).expect("it has a tag");
    let (own, other) = (tag(&seen(&server, path)), tag(&server.get("")));
    assert_ne!(own, other);
    assert_eq!(asked(&server, "GET", path, &[("if-none-match", &own)], "").status, 304);
    assert_eq!(asked(&server, "GET", path, &[("if-none-match", &other)], "").status, 200);
    let runtime = body(&seen(&server, "/media/api/read_config?runtime=true"));
    assert_eq!(runtime["runtime"]["config"]["etag"], json!(own));
    let after =
        |history: &Response| body(history)[0]["after"].as_str().map(str::to_owned).expect("a revision");
    let (seen_after, real) = (
        after(&seen(&server, "/media/api/history")),
        after(&server.ask("GET", "/media/api/history", &[], "")),
    );
    assert_ne!(seen_after, real, "a hash of the text would let a viewer try passwords");
    assert!(own.contains(&seen_after), "it is the revision in the tag");
}

#[test]
fn the_role_is_off_by_default_and_guesses_count_for_both() {
    let server = Server::over(TEXT);
    refused(&seen(&server, "/media/api/read_config"), 401, "unauthorized");
    let server = Server::viewed(&TEXT.replace("viewer l00k", "admin s3cret"));
    assert_eq!(server.post("modify_config", r#"{"rtmp":1935}"#).status, 200, "edit_auth wins");
    let server = Server::viewed(TEXT);
    for number in 0..MAX_FAILURES {
        let wrong = Account { login: "viewer".to_owned(), password: number.to_string() }.to_header();
        refused(
            &server.ask("GET", "/media/api/history", &[("authorization", &wrong)], ""),
            401,
            "unauthorized",
        );
    }
    refused(&server.get(""), 429, "too-many-failures");
}

#[test]
fn what_a_viewer_reads_is_masked_once_for_a_revision() {
    let server = Server::viewed(TEXT);
    let read = |query: &str| {
        let target = format!("/media/api/read_config{query}");
        let bodies: Vec<_> = std::thread::scope(|scope| {
            let readers: Vec<_> = (0..8).map(|_| scope.spawn(|| seen(&server, &target).body)).collect();
            readers.into_iter().map(|reader| reader.join().expect("it is answered")).collect()
        });
        assert!(bodies.iter().all(|body| **body == *bodies[0]), "{target}");
        let is_shared = bodies.iter().all(|body| std::sync::Arc::ptr_eq(body, &bodies[0]));
        assert!(
            is_shared || query.contains("format") || query.contains("skip"),
            "{target}: one copy for all"
        );
    };
    for query in
        ["", "?format=conf", "?source=saved", "?skip_streams=true", "?skip_streams=true&source=saved"]
    {
        read(query);
    }
}

#[test]
fn tags_and_revisions_do_not_tell_a_viewer_that_a_secret_came_back() {
    let server = Server::viewed(TEXT);
    let tags = ["one", "two", "one"].map(|password| {
        let patch = json!({ "streams": { "a": { "password": password } } });
        assert_eq!(server.post("modify_config", &patch.to_string()).status, 200);
        header(&seen(&server, "/media/api/read_config"), "ETag").map(str::to_owned)
    });
    assert!(tags[0] == tags[1] && tags[1] == tags[2], "{tags:?}");
    let history = body(&seen(&server, "/media/api/history"));
    assert_ne!(history[0]["after"], history[2]["after"], "they are one text");
    assert!(history[0]["before"].is_string() && history[0]["before"] != history[2]["before"]);
    let own = body(&server.ask("GET", "/media/api/history", &[], ""));
    assert_eq!(own[0]["after"], own[2]["after"]);
}

#[test]
fn a_blame_that_takes_too_long_says_that_it_is_not_all() {
    let server = Server::viewed(TEXT);
    assert_eq!(server.post("modify_config", r#"{"streams":{"a":{"prepush":7}}}"#).status, 200);
    let notes = |server: &Server| {
        let found = seen(server, "/media/api/blame?path=streams.a");
        assert_eq!(found.status, 200);
        header(&found, "Mediactl-Note").map(str::to_owned)
    };
    assert_eq!(notes(&server), None);
    let server = server.giving_up_after(std::time::Duration::ZERO);
    assert_eq!(notes(&server).as_deref(), Some("texts-missing"));
}

#[test]
fn viewers_wait_for_one_another_where_a_read_takes_long() {
    let server = Server::viewed(TEXT);
    assert_eq!(server.post("modify_config", r#"{"streams":{"a":{"prepush":7}}}"#).status, 200);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || seen(&server, "/media/api/history").status;
        let viewers: Vec<_> = (0..32).map(|_| scope.spawn(ask)).collect();
        assert_eq!(server.ask("GET", "/media/api/history", &[], "").status, 200, "an editor does not wait");
        viewers.into_iter().map(|viewer| viewer.join().expect("it is answered")).collect()
    });
    assert!(
        statuses.iter().all(|status| [200, 503].contains(status)) && statuses.contains(&200),
        "{statuses:?}"
    );
}
