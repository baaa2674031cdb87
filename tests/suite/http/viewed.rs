//! `serve --view-auth`: who may look sees everything but secrets, and changes nothing.

use mediactl::engine::Hooks;
use mediactl::http::server::auth::{MAX_FAILURES, Role};
use mediactl::http::server::message::{Response, Service};
use serde_json::json;

use super::handler::{Server, account, body, header, refused, request, text};
use crate::cli::Place;
use crate::waiting::eventually;

const SECRETS: [&str; 5] = ["s3cret", "l00k", "c1uster", "h1dden", "t0ken"];

const TEXT: &str = "http 80;\nedit_auth admin s3cret;\nview_auth viewer l00k;\ncluster_key c1uster;\n\
                    # password=h1dden\nstream a { url rtsp://u:h1dden@h/?token=t0ken; }\n";

const VIEWER: (&str, &str) = ("viewer", "l00k");

fn asked(server: &Server, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let viewer = account(VIEWER.0, VIEWER.1);
    server.ask(method, target, &[&[("authorization", viewer.as_str())], headers].concat(), body)
}

fn says_no_secret(response: &Response, what: &str) {
    let told = format!("{:?} {}", response.headers, text(response));
    assert_eq!(SECRETS.iter().find(|secret| told.contains(**secret)), None, "{what}: {told}");
}

/// `crate::secrets` asks for each answer with each form of a secret.
#[test]
fn masks_are_all_alike_for_a_viewer_also_where_an_editor_sees_what_changed() {
    let server = Server::viewed(TEXT);
    let change = r#"{"rtmp":1935,"cluster_key":"c1uster2"}"#;
    server.made("modify_config?message=password%3Dh1dden", change);
    for target in ["history", "history/last", "history/1?format=diff", "diff?from=1&to=running"] {
        says_no_secret(&server.fetch_as(VIEWER, target), target);
    }
    says_no_secret(&asked(&server, "GET", "/metrics", &[], ""), "metrics");
    let changed = text(&server.fetch("history/1?format=diff"));
    assert!(changed.contains("+cluster_key c1uster2;"), "{changed}");
    let shown = text(&server.fetch_as(VIEWER, "read_config?format=conf"));
    assert!(shown.contains("view_auth viewer <secret:000000>;\n"), "equal secrets do not show: {shown}");
    assert_eq!(body(&server.fetch_as(VIEWER, "read_config"))["rtmp"], json!(1935));
    server.edit_by_hand("stream a {", "stream a {{ password h1dden");
    for query in ["?source=saved", "?source=saved&format=conf"] {
        says_no_secret(&server.fetch_as(VIEWER, &format!("read_config{query}")), query);
    }
}

#[test]
fn a_path_tells_a_viewer_no_secret_in_a_name_and_not_whether_a_guess_is_right() {
    let whole = TEXT.to_owned()
        + "stream b?token=t0ken { url udp://1:1 password=h1dden; title x; }\n\
           stream z { url udp://2:1; auth http://h password h1dden x=1; }\n";
    let server = Server::viewed(&whole);
    server.made("modify_config", r#"{"cluster_key":"c1uster2"}"#);
    for path in ["*.*", "streams.*.title", "*.*.*.*.*", "streams.z.auth.extra.*"] {
        for query in ["read_config?path=", "blame?path="] {
            let response = server.fetch_as(VIEWER, &format!("{query}{path}"));
            assert_eq!(response.status, 200, "{query}{path}");
            says_no_secret(&response, path);
        }
    }
    for (right, wrong) in [
        ("streams.*.urls%5Bpassword%3Dh1dden%5D", "streams.*.urls%5Bpassword%3Dwr0ng%5D"),
        ("streams.*t0k*.title", "streams.*wr0ng*.title"),
        ("streams.%22b?token%3Dt0ken%22", "streams.%22b?token%3Dwr0ng%22"),
        ("streams.z.auth.extra.h1dden", "streams.z.auth.extra.wr0ng"),
    ] {
        for query in ["read_config?path=", "read_config?format=conf&path=", "blame?path="] {
            let [told, other] = [right, wrong].map(|path| {
                let answer = server.fetch_as(VIEWER, &format!("{query}{path}"));
                let guesses = ["h1dden", "t0ken", "t0k"];
                let hidden = guesses.iter().fold(text(&answer), |text, guess| text.replace(guess, "wr0ng"));
                (answer.status, hidden.len())
            });
            assert_eq!(told, other, "{query}{right}");
        }
    }
    let changes = body(&server.fetch_as(VIEWER, "blame?path=cluster_key"));
    assert_eq!(changes.as_array().map(Vec::len), Some(1), "another secret is another value: {changes}");
    says_no_secret(&server.fetch("blame?path=cluster_key&secrets=masked"), "an editor who asks for masks");
}

#[test]
fn a_viewer_reads_no_part_of_a_header_in_a_message() {
    let whole = format!(
        "{TEXT}stream b {{ url http://h/ headers.Authorization=\"Bearer t1ken\"; header \"Cookie: sess=c00kie; a=b\"; }}\n"
    );
    let server = Server::viewed(&whole);
    let message = "t1ken+c00kie+YWRtaW46czNjcmV0+done";
    server.made(&format!("modify_config?message={message}"), r#"{"rtmp":1935}"#);
    let told = body(&server.fetch_as(VIEWER, "history"))[0]["message"].clone();
    let told = told.as_str().expect("there is a message");
    assert!(told.ends_with(" done") && told.matches("<secret:").count() == 3, "{told}");
}

#[test]
fn a_viewer_is_told_how_a_hook_failed_and_not_what_it_printed() {
    let reload = "cat \"$MEDIACTL_TEXT\" >&2; ! grep -q rtmp \"$MEDIACTL_TEXT\"".to_owned();
    let hooks = Hooks { reload: Some(reload), ..Hooks::default() };
    let server = Server::start(Place::with(TEXT), hooks, true);
    server.made("modify_config?async=true", r#"{"rtmp":1935}"#);
    let error = |response: &Response| body(response)["runtime"]["config"]["last_error"].clone();
    let of_viewer = || error(&server.fetch_as(VIEWER, "read_config?runtime=true"));
    eventually(|| !of_viewer().is_null());
    assert_eq!(of_viewer(), json!("the reload command failed with exit code 1"));
    let own = server.get("?runtime=true");
    let told = error(&own);
    let told = told.as_str().expect("the editor is told, too");
    assert!(["http 80", "stream a {", "edit_auth <secret:"].iter().all(|part| told.contains(part)), "{told}");
    assert!(SECRETS.iter().all(|secret| !told.contains(secret)), "{told}");
    says_no_secret(&server.post("modify_config", r#"{"rtmp":1935}"#), "the answer to the editor");
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
        refused(&server.post_as(VIEWER, operation, body), 403, "view-only");
    }
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(body(&server.fetch("history")), json!([]));
    // Nor is its body kept.
    let asked = |login: &str, password: &str, method: &str| {
        request(method, "/media/api/modify_config", &[("authorization", &account(login, password))], "")
    };
    for (login, password, method, rank) in [
        ("admin", "s3cret", "POST", Some(Role::Edit)),
        ("viewer", "l00k", "GET", Some(Role::View)),
        ("viewer", "l00k", "POST", None),
    ] {
        assert_eq!(server.handler.role_of(&asked(login, password, method).head), rank, "{login} {method}");
    }
    let mut unread = asked("viewer", "l00k", "POST");
    unread.head.unread = true;
    refused(&server.handler.answer(unread), 403, "view-only");
}

#[test]
fn a_viewer_has_tags_and_revisions_of_its_own() {
    let server = Server::viewed(TEXT);
    server.made("modify_config", r#"{"rtmp":1935}"#);
    let path = "/media/api/read_config";
    let tag = |response: &Response| header(response, "ETag").map(str::to_owned).expect("it has a tag");
    let (own, other) = (tag(&server.fetch_as(VIEWER, "read_config")), tag(&server.get("")));
    assert_ne!(own, other);
    assert_eq!(asked(&server, "GET", path, &[("if-none-match", &own)], "").status, 304);
    assert_eq!(asked(&server, "GET", path, &[("if-none-match", &other)], "").status, 200);
    let runtime = body(&server.fetch_as(VIEWER, "read_config?runtime=true"));
    assert_eq!(runtime["runtime"]["config"]["etag"], json!(own));
    let after = |history: Response| body(&history)[0]["after"].as_str().expect("a revision").to_owned();
    let told = after(server.fetch_as(VIEWER, "history"));
    assert_ne!(told, after(server.fetch("history")), "a hash of the text would let a viewer try passwords");
    assert!(own.contains(&told), "it is the revision in the tag");
}

#[test]
fn the_role_is_off_by_default_and_guesses_count_for_both() {
    let server = Server::over(TEXT);
    refused(&server.fetch_as(VIEWER, "read_config"), 401, "unauthorized");
    let server = Server::viewed(&TEXT.replace("viewer l00k", "admin s3cret"));
    server.made("modify_config", r#"{"rtmp":1935}"#);
    let server = Server::viewed(TEXT);
    for number in 0..MAX_FAILURES {
        refused(&server.fetch_as(("viewer", &number.to_string()), "history"), 401, "unauthorized");
    }
    refused(&server.get(""), 429, "too-many-failures");
}

#[test]
fn tags_and_revisions_do_not_tell_a_viewer_that_a_secret_came_back() {
    let server = Server::viewed(TEXT);
    let tags = ["one", "two", "one"].map(|password| {
        let patch = json!({ "streams": { "a": { "password": password } } });
        server.made("modify_config", &patch.to_string());
        header(&server.fetch_as(VIEWER, "read_config"), "ETag").map(str::to_owned)
    });
    assert!(tags[0] == tags[1] && tags[1] == tags[2], "{tags:?}");
    let history = body(&server.fetch_as(VIEWER, "history"));
    assert_ne!(history[0]["after"], history[2]["after"], "they are one text");
    assert!(history[0]["before"].is_string() && history[0]["before"] != history[2]["before"]);
    let own = body(&server.fetch("history"));
    assert_eq!(own[0]["after"], own[2]["after"]);
}

#[test]
fn viewers_wait_for_one_another_where_a_read_takes_long_and_it_says_if_it_is_not_all() {
    let server = Server::viewed(TEXT);
    server.made("modify_config", r#"{"streams":{"a":{"prepush":7}}}"#);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || server.fetch_as(VIEWER, "history").status;
        let viewers: Vec<_> = (0..32).map(|_| scope.spawn(ask)).collect();
        assert_eq!(server.fetch("history").status, 200, "an editor does not wait");
        viewers.into_iter().map(|viewer| viewer.join().expect("it is answered")).collect()
    });
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&200), "{statuses:?}");
    let blame = |server: &Server| server.fetch_as(VIEWER, "blame?path=streams.a");
    assert_eq!(header(&blame(&server), "Mediactl-Note"), None);
    let late = blame(&server.giving_up_after(std::time::Duration::ZERO));
    assert_eq!((late.status, header(&late, "Mediactl-Note")), (200, Some("texts-missing")));
}

/// `cli::includes` has what of included files is read, refused and told; here are the answers that show them whole.
#[test]
fn included_files_are_masked_for_a_viewer_and_never_written_back() {
    let server = Server::viewed(&format!("{TEXT}include more.conf;\n"));
    server.place.put("more.conf", "stream cam9 { url rtsp://u:h1dden@h/; prepush 9; }\n");
    for target in ["read_config?with_includes=true", "read_config?with_includes=true&format=conf", "included"]
    {
        let answer = server.fetch_as(VIEWER, target);
        assert!(text(&answer).contains("prepush"), "{target}: {}", text(&answer));
        says_no_secret(&answer, target);
    }
    let all = text(&server.get("?with_includes=true"));
    refused(&server.post("modify_config", &all), 422, "read-only");
    let answer = server.put_entry("streams.cam9", "stream cam9 udp://1;", true);
    assert!(answer.status == 422 && text(&answer).contains("more.conf`, line 1"), "{}", text(&answer));
}
