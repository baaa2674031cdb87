//! Changes that name the text that they were made of (`base`), and answers with masks in the place of secrets.

use std::collections::HashSet;

use mediactl::http::server::message::Response;
use mediactl::store::Revision;
use serde_json::{Value, json};

use super::handler::{Server, body, change, header, refused};

const TEXT: &str = "# main\nhttp 80;\nrtmp 1935;\nedit_auth admin s3cret; # keep\ncluster_key k3y;\n\nstream a {\n  \
                    url rtsp://u:p4ss@h/x;\n  title A;\n  prepush 5;\n}\nstream b {\n  url udp://2;\n}\n";

fn of(text: &str) -> String {
    Revision::from_text(text.as_bytes()).to_string()
}

/// A server on which others changed this since `TEXT`.
fn changed(from: &str, to: &str) -> Server {
    let server = Server::over(TEXT);
    assert!(TEXT.contains(from));
    assert_eq!(server.post("save_config", &TEXT.replace(from, to)).status, 200);
    server
}

fn read(server: &Server, target: &str) -> Response {
    server.ask("GET", &format!("/media/api/{target}"), &[], "")
}

fn text(answer: &Response) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

#[test]
fn a_change_is_merged_with_what_others_made_of_its_base() {
    let base = of(TEXT);
    let mine = TEXT.replace("title A", "title M");
    let both = mine.replace("http 80", "http 81");
    let entry = "stream a {\n  url rtsp://u:p4ss@h/x;\n  title M;\n  prepush 5;\n}";
    let patch = r#"{"streams":{"a":{"title":"M"}}}"#;
    let data = change(&json!({ "save": mine }), &json!({ "base": base }));
    let texts = json!([{ "path": "streams.a", "text": entry }]);
    let of_entry = change(&json!({ "entries": { "texts": texts } }), &json!({ "base": base }));
    for (target, sent) in
        [("save_config?", mine.as_str()), ("change", &of_entry), ("modify_config?", patch), ("change", &data)]
    {
        let server = changed("http 80", "http 81");
        let made = match target {
            "change" => server.post(target, sent),
            _ => server.post(&format!("{target}base={base}"), sent),
        };
        assert_eq!((made.status, server.place.text()), (200, both.clone()), "{target}: {}", text(&made));
        // The ETag of the text is its revision, too; nothing has changed since.
        let tag = header(&read(&server, "read_config"), "ETag").expect("there is one").replace('"', "%22");
        assert_eq!(server.post(&format!("save_config?base={tag}"), TEXT).status, 200);
        assert_eq!(server.place.text(), TEXT);
    }
    let server = changed("http 80", "http 81");
    assert_eq!(server.post(&format!("update_config?base={base}"), &mine).status, 200);
    assert_eq!(text(&read(&server, "read_config?format=conf")), both);
    assert_eq!(server.place.text(), TEXT.replace("http 80", "http 81"));
}

#[test]
fn a_change_that_was_made_already_is_no_conflict() {
    let base = of(TEXT);
    let mine = TEXT
        .replace("# main", "# mine")
        .replace("title A", "title M")
        .replace("5;\n}\n", "5;\n}\n\n# more\n");
    for others in ["udp://2", "udp://3"] {
        let server = Server::over(TEXT);
        let target = format!("save_config?base={base}");
        assert_eq!(server.post(&target, &mine).status, 200);
        let both = mine.replace("udp://2", others);
        assert_eq!(server.post("save_config", &both).status, 200);
        let again = server.post(&target, &mine);
        assert_eq!((again.status, server.place.text()), (200, both), "{}", text(&again));
        let update = server.post(&format!("update_config?base={base}"), &mine);
        assert_eq!((update.status, text(&update)), (200, "true".to_owned()));
        let told = body(&read(&server, "status"));
        assert_eq!(told["state"], json!([]), "{told}");
    }
}

#[test]
fn an_expectation_is_about_what_is_there_now() {
    let base = of(TEXT);
    let edits = [
        json!({ "patch": { "rtmp": 1936 } }),
        json!({ "assignments": { "assignments": [{ "path": "rtmp", "value": { "typed": "1936" } }] } }),
    ];
    for edits in edits {
        let change = |port: u16| {
            let expected = json!([{ "path": "http[0]", "value": port.to_string() }]);
            let request = json!({ "edits": edits, "expectations": expected });
            super::handler::change(&json!({ "modify": request }), &json!({ "base": base }))
        };
        for (port, status) in [(80, 409), (81, 409)] {
            let (server, change) = (changed("http 80", "http 81"), change(port));
            let answer = server.post("change", &change);
            assert_eq!(answer.status, status, "{change} {}", text(&answer));
            assert_eq!(server.place.text(), TEXT.replace("http 80", "http 81"));
        }
        let server = changed("title A", "title B");
        assert_eq!(server.post("change", &change(80)).status, 200);
    }
}

#[test]
fn a_patch_takes_back_nothing_that_it_only_repeats() {
    let server = changed("prepush 5", "prepush 7");
    let whole = r#"{"streams":{"a":{"title":"M","prepush":5}}}"#;
    assert_eq!(server.post(&format!("modify_config?base={}", of(TEXT)), whole).status, 200);
    assert_eq!(server.place.text(), TEXT.replace("prepush 5", "prepush 7").replace("title A", "title M"));
}

#[test]
fn values_that_both_changed_are_told_and_no_others() {
    let base = of(TEXT);
    for (target, sent) in [
        ("modify_config", r#"{"http":[82],"rtmp":1936}"#.to_owned()),
        ("save_config", TEXT.replace("http 80", "http 82").replace("rtmp 1935", "rtmp 1936")),
    ] {
        let server = changed("http 80", "http 81");
        let answer = server.post(&format!("{target}?base={base}"), &sent);
        refused(&answer, 409, "conflict");
        let errors = body(&answer)["errors"].clone();
        let [only] = &errors.as_array().expect("a list")[..] else { panic!("{errors}") };
        assert_eq!(
            (&only["pointer"], &only["base"], &only["theirs"], &only["mine"]),
            (&json!("/http"), &json!([80]), &json!([81]), &json!([82])),
            "{target}"
        );
        assert_eq!(server.place.text(), TEXT.replace("http 80", "http 81"));
        assert_eq!(server.post(&format!("{target}?base={base}&force=1"), &sent).status, 200);
        assert_eq!(server.place.text(), TEXT.replace("http 80", "http 82").replace("rtmp 1935", "rtmp 1936"));
    }
}

#[test]
fn the_values_of_a_conflict_are_masked() {
    let server = changed("s3cret", "th31rs");
    let (target, now) = (format!("/media/api/modify_config?base={}", of(TEXT)), "Basic YWRtaW46dGgzMXJz");
    let sent = r#"{"edit_auth":{"password":"m1ne"}}"#;
    let answer = server.ask("POST", &target, &[("authorization", now)], sent);
    refused(&answer, 409, "conflict");
    let shown = text(&answer);
    assert!(!["s3cret", "th31rs", "m1ne"].iter().any(|secret| shown.contains(secret)), "{shown}");
    let errors = body(&answer)["errors"].clone();
    assert_eq!(errors[0]["pointer"], "/edit_auth/password");
    let masks: Vec<&Value> = ["base", "theirs", "mine"].iter().map(|side| &errors[0][*side]).collect();
    assert!(masks[0] != masks[1] && masks[1] != masks[2], "{masks:?}");
}

#[test]
fn a_base_that_is_not_kept_or_no_revision_is_refused() {
    let server = Server::over(TEXT);
    refused(&server.post(&format!("modify_config?base={}", of("x")), r#"{"rtmp":1}"#), 412, "stale");
    refused(&server.post("modify_config?base=7", r#"{"rtmp":1}"#), 400, "bad-parameter");
}

#[test]
fn an_edit_by_hand_and_an_unsaved_update_are_merged_too() {
    let (base, mine) = (of(TEXT), TEXT.replace("title A", "title M"));
    let server = Server::over(TEXT);
    server.edit_by_hand("# main", "# hand");
    assert_eq!(server.post(&format!("save_config?base={base}"), &mine).status, 200);
    assert_eq!(server.place.text(), mine.replace("# main", "# hand"));
    let server = Server::over(TEXT);
    assert_eq!(server.post("update_config", &TEXT.replace("# main", "# update")).status, 200);
    assert_eq!(server.post(&format!("save_config?base={base}"), &mine).status, 200);
    assert_eq!(server.place.text(), mine.replace("# main", "# update"));
}

#[test]
fn a_mask_in_a_change_is_refused_with_its_place() {
    let server = Server::over(TEXT);
    let base = of(TEXT);
    let mask = body(&read(&server, "read_config?secrets=masked"))["edit_auth"]["password"].clone();
    let title = json!({ "streams": { "a": { "title": mask } } });
    let key = json!({ "cluster_key": mask });
    for (patch, place) in [(&title, "/streams/a/title"), (&key, "/cluster_key")] {
        let data = change(&json!({ "modify": { "edits": { "patch": patch } } }), &json!({ "base": base }));
        let asked = format!("modify_config?base={base}&secrets=masked");
        for (target, sent) in [(&*asked, patch.to_string()), ("change?secrets=masked", data)] {
            let answer = server.post(target, &sent);
            refused(&answer, 422, "masked-value");
            assert_eq!(body(&answer)["errors"][0]["pointer"], place, "{target} {sent}");
        }
    }
    let masked = text(&read(&server, "read_config?format=conf&secrets=masked"));
    for (target, sent) in [("save_config?", &masked), ("update_config?", &masked)] {
        refused(&server.post(&format!("{target}secrets=masked&base={base}"), sent), 422, "masked-value");
    }
    refused(&server.post("modify_config?secrets=keep", "{}"), 400, "bad-parameter");
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn a_page_that_asks_for_masks_gets_no_secret_in_any_answer() {
    let secrets = ["s3cret", "p4ss", "k3y", "n3w"];
    let patch = r#"{"cluster_key":"n3w"}"#;
    let tell = json!({ "tell": { "diff": true, "values": true, "configuration": true, "secrets": true } });
    let data = |patch: Value| change(&json!({ "modify": { "edits": { "patch": patch } } }), &tell);
    let named = data(json!({ "streams": { "a?token=n3w": { "urls": [{ "url": "udp://a" }] } } }));
    let data = data(json!({ "cluster_key": "n3w" }));
    for (target, sent) in [
        ("modify_config?format=diff&", patch),
        ("modify_config?format=conf&", patch),
        ("modify_config?", patch),
        ("save_config?format=diff&", &TEXT.replace("k3y", "n3w")),
        ("change?", &data),
        ("change?", &named),
    ] {
        let server = Server::over(TEXT);
        let answer = server.post(&format!("{target}secrets=masked"), sent);
        assert_eq!(answer.status, 200, "{target}: {}", text(&answer));
        let found = secrets.iter().find(|secret| text(&answer).contains(**secret));
        assert_eq!(found, None, "{target}: {}", text(&answer));
        let back = server.post("rollback_config?to=last&format=diff&secrets=masked", "");
        assert_eq!(back.status, 200);
        assert!(
            secrets.iter().all(|secret| !text(&back).contains(secret)) && text(&back).contains("<secret:")
        );
    }
}

#[test]
fn a_route_that_takes_no_base_refuses_one() {
    let server = changed("http 80", "http 81");
    let base = of(TEXT);
    let change = server.place.text();
    for target in [
        format!("rollback_config?to=last&base={base}"),
        format!("rollback_config?to=last&revision={base}"),
        format!("modify_config?revision={base}"),
        "confirm_config?id=x&secrets=masked".to_owned(),
    ] {
        let answer = server.post(&target, r#"{"rtmp":1}"#);
        refused(&answer, 400, "bad-parameter");
        assert!(text(&answer).contains("does not take it"), "{}", text(&answer));
        assert_eq!(server.place.text(), change, "{target}");
    }
    assert_eq!(server.post("rollback_config?to=last", "").status, 200);
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn force_with_a_base_takes_back_no_hand_edit_of_other_values() {
    let base = of(TEXT);
    for (target, sent) in [
        ("modify_config", r#"{"http":[82]}"#.to_owned()),
        ("save_config", TEXT.replace("http 80", "http 82")),
    ] {
        let server = Server::over(TEXT);
        server.edit_by_hand("rtmp 1935", "rtmp 1937");
        assert_eq!(server.post(&format!("{target}?force=1&base={base}"), &sent).status, 200);
        assert_eq!(server.place.text(), TEXT.replace("http 80", "http 82").replace("rtmp 1935", "rtmp 1937"));
        // The value that both changed.
        let server = Server::over(TEXT);
        server.edit_by_hand("http 80", "http 81");
        refused(&server.post(&format!("{target}?base={base}"), &sent), 409, "conflict");
        assert_eq!(server.post(&format!("{target}?force=1&base={base}"), &sent).status, 200);
        assert_eq!(server.place.text(), TEXT.replace("http 80", "http 82"), "{target}");
    }
}

#[test]
fn a_broken_hand_edit_is_said_to_be_one_and_force_is_no_advice_where_it_helps_nothing() {
    for (target, sent) in [("modify_config", r#"{"http":[82]}"#), ("save_config", TEXT)] {
        let server = Server::over(TEXT);
        server.edit_by_hand("rtmp 1935;", "rtmp 1935");
        let answer = server.post(&format!("{target}?force=1&base={}", of(TEXT)), sent);
        refused(&answer, 409, "conflict");
        let shown = text(&answer);
        assert!(shown.contains("the file was changed by hand") && !shown.contains("--force"), "{shown}");
        let server = Server::over(TEXT);
        assert_eq!(server.post("update_config", &TEXT.replace("title A", "title U")).status, 200);
        server.edit_by_hand("rtmp 1935", "rtmp 1937");
        let answer = server.post(&format!("{target}?force=1&base={}", of(TEXT)), sent);
        refused(&answer, 409, "conflict");
        assert!(!text(&answer).contains("--force"), "{}", text(&answer));
    }
}

#[test]
fn ten_thousand_secrets_have_as_many_masks() {
    let streams: String =
        (0..10_000).map(|at| format!("stream s{at} {{ url udp://{at}; password pw-{at}; }}\n")).collect();
    let whole = format!("edit_auth admin s3cret;\n{streams}");
    let server = Server::over(&whole);
    let masked = text(&read(&server, "read_config?format=conf&secrets=masked"));
    let masks: HashSet<&str> = masked.split("<secret:").skip(1).map(|rest| &rest[..6]).collect();
    assert_eq!(masks.len(), 10_001);
}
