//! Changes that name the text that they were made of (`base`), and masks in the place of secrets (`secrets=keep`).

use mediactl::http::server::message::Response;
use mediactl::store::Revision;
use serde_json::{Value, json};

use super::handler::{Server, body, header, refused};

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
    let data = json!({ "save": mine }).to_string();
    for (target, sent) in [
        ("save_config?", mine.as_str()),
        ("save_entry?path=streams.a&", entry),
        ("modify_config?", patch),
        ("change?", &data),
    ] {
        let server = changed("http 80", "http 81");
        let made = server.post(&format!("{target}base={base}"), sent);
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
            let entries = json!({ "texts": [], "then": request });
            [json!({ "modify": request }), json!({ "entries": entries })].map(|change| change.to_string())
        };
        for (port, status) in [(80, 409), (81, 409)] {
            for change in change(port) {
                let server = changed("http 80", "http 81");
                let answer = server.post(&format!("change?base={base}"), &change);
                assert_eq!(answer.status, status, "{change} {}", text(&answer));
                assert_eq!(server.place.text(), TEXT.replace("http 80", "http 81"));
            }
        }
        for change in change(80) {
            let server = changed("title A", "title B");
            assert_eq!(server.post(&format!("change?base={base}"), &change).status, 200, "{change}");
        }
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
fn masks_stand_for_the_secrets_of_the_base() {
    let server = Server::over(TEXT);
    let base = of(TEXT);
    let masked = text(&read(&server, "read_config?format=conf&secrets=masked"));
    assert!(!masked.contains("s3cret") && !masked.contains("p4ss"), "{masked}");
    // Renamed and moved, in a text.
    let moved = masked.replace("stream a", "stream z").replace("http 80", "http 81");
    let answer = server.post(&format!("save_config?secrets=keep&format=diff&base={base}"), &moved);
    assert_eq!(answer.status, 200, "{}", text(&answer));
    assert_eq!(server.place.text(), TEXT.replace("stream a", "stream z").replace("http 80", "http 81"));
    assert!(!text(&answer).contains("s3cret") && text(&answer).contains("+stream z"), "{}", text(&answer));
    // In JSON, under another name, and with the ETag in place of the base.
    let now = read(&server, "read_config?secrets=masked");
    let tag = header(&now, "ETag").expect("there is one").to_owned();
    let urls = body(&now)["streams"]["z"]["urls"].clone();
    assert!(urls.to_string().contains("<secret:"), "{urls}");
    let patch = json!({ "streams": { "c": { "urls": urls, "title": "C" } } }).to_string();
    let target = "/media/api/modify_config?secrets=keep";
    let answer = server.ask("POST", target, &[("if-match", &tag)], &patch);
    assert_eq!(answer.status, 200, "{}", text(&answer));
    assert!(!text(&answer).contains("p4ss") && text(&answer).contains("<secret:"));
    assert!(server.place.text().contains("stream c {\n  url rtsp://u:p4ss@h/x;"), "{}", server.place.text());
    // In the text of one entry.
    let entry = text(&read(&server, "read_config?format=conf&secrets=masked&path=streams.c"));
    let base = of(&server.place.text());
    let target = format!("save_entry?path=streams.b&secrets=keep&base={base}");
    let answer = server.post(&target, &entry.replace("stream c", "stream b"));
    assert_eq!(answer.status, 200, "{}", text(&answer));
    assert_eq!(server.place.text().matches("rtsp://u:p4ss@h/x").count(), 3);
}

#[test]
fn a_mask_is_refused_where_it_would_be_shown_or_stands_for_nothing() {
    let server = Server::over(TEXT);
    let base = of(TEXT);
    let json = body(&read(&server, "read_config?secrets=masked"));
    let mask = json["edit_auth"]["password"].as_str().expect("it is masked").to_owned();
    assert_ne!(mask, json["cluster_key"]);
    let again = body(&read(&server, "read_config?secrets=masked"));
    assert_eq!(mask, again["edit_auth"]["password"]);
    let title = json!({ "streams": { "a": { "title": mask } } }).to_string();
    let key = json!({ "cluster_key": mask }).to_string();
    let unknown = json!({ "cluster_key": "<secret:zzzzzz>" }).to_string();
    let opaque = json!({ "cluster_key": "<secret:000000>" }).to_string();
    let keep = format!("modify_config?secrets=keep&base={base}");
    for (target, sent, place) in [
        (&keep, &title, "/streams/a/title"),
        (&keep, &unknown, "/cluster_key"),
        (&keep, &opaque, "/cluster_key"),
        (&format!("modify_config?base={base}"), &key, "/cluster_key"),
    ] {
        let answer = server.post(target, sent);
        refused(&answer, 422, "masked-value");
        assert_eq!(body(&answer)["errors"][0]["pointer"], place, "{target} {sent}");
    }
    let text = TEXT.replace("title A", &format!("title {mask}"));
    let answer = server.post(&format!("save_config?secrets=keep&base={base}"), &text);
    refused(&answer, 422, "masked-value");
    assert_eq!(body(&answer)["errors"][0]["line"], 9);
    refused(&server.post("modify_config?secrets=keep", &key), 400, "bad-parameter");
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(server.post(&keep, &key).status, 200);
    assert_eq!(server.place.text(), TEXT.replace("k3y", "s3cret"));
}

#[test]
fn a_page_that_asks_for_masks_gets_no_secret_in_any_answer() {
    let secrets = ["s3cret", "p4ss", "k3y", "n3w"];
    let patch = r#"{"cluster_key":"n3w"}"#;
    let data = |patch: serde_json::Value| json!({ "modify": { "edits": { "patch": patch } } }).to_string();
    let named = data(json!({ "streams": { "a?token=n3w": { "urls": [{ "url": "udp://a" }] } } }));
    let data = data(json!({ "cluster_key": "n3w" }));
    for (target, sent) in [
        ("modify_config?format=diff&", patch),
        ("modify_config?format=conf&", patch),
        ("modify_config?", patch),
        ("save_config?format=diff&", &TEXT.replace("k3y", "n3w")),
        ("change?tell=diff,values,configuration,sent,secrets&", &data),
        ("change?tell=diff,values,configuration,secrets&", &named),
    ] {
        let server = Server::over(TEXT);
        let answer = server.post(&format!("{target}secrets=masked"), sent);
        assert_eq!(answer.status, 200, "{target}: {}", text(&answer));
        let found = secrets.iter().find(|secret| text(&answer).contains(**secret));
        assert_eq!(found, None, "{target}: {}", text(&answer));
        let back = server.post("rollback_config?to=1&format=diff&secrets=masked", "");
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
        format!("rollback_config?to=1&base={base}"),
        format!("rollback_config?to=1&revision={base}"),
        format!("modify_config?revision={base}"),
        "confirm_config?id=x&secrets=masked".to_owned(),
    ] {
        let answer = server.post(&target, r#"{"rtmp":1}"#);
        refused(&answer, 400, "bad-parameter");
        assert!(text(&answer).contains("does not take it"), "{}", text(&answer));
        assert_eq!(server.place.text(), change, "{target}");
    }
    assert_eq!(server.post("rollback_config?to=1", "").status, 200);
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn a_secret_that_a_mask_brought_is_shown_in_no_text() {
    let whole = TEXT.replace("udp://2", "udp://2 aac=true");
    let server = Server::over(&whole);
    let base = of(&whole);
    let mask = body(&read(&server, "read_config?secrets=masked"))["cluster_key"].clone();
    let url = json!({ "url": "udp://2", "token": true, "aac": mask });
    for stream in [json!({ "urls": [url] }), json!({ "weird": [["token"], [mask]] })] {
        let sent = json!({ "streams": { "b": stream } }).to_string();
        for target in ["modify_config?", "modify_config?dry_run=1&format=diff&", "change?"] {
            let sent = match target {
                "change?" => {
                    json!({ "modify": { "edits": { "patch": { "streams": { "b": stream } } } } }).to_string()
                }
                _ => sent.clone(),
            };
            let answer = server.post(&format!("{target}secrets=keep&base={base}"), &sent);
            assert_eq!(server.place.text(), whole, "{target} {sent}");
            assert_eq!(answer.status, 422, "{target} {sent} {}", text(&answer));
            assert!(text(&answer).contains("masked-value"), "{target}: {}", text(&answer));
        }
    }
    // The same secret in a place that masks it.
    let sent = json!({ "streams": { "a": { "weird": ["token", mask] } } }).to_string();
    let answer = server.post(&format!("modify_config?secrets=keep&base={base}"), &sent);
    assert_eq!(answer.status, 200, "{}", text(&answer));
    assert!(server.place.text().contains("weird token k3y;"), "{}", server.place.text());
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
fn a_value_that_comes_back_as_its_mask_keeps_its_words() {
    let whole = format!(
        "{TEXT}# password \"x\";\nstream c {{\n  url udp://3;\n  password \"x\";\n  pin 729901;\n}}\n"
    );
    let server = Server::over(&whole);
    let base = of(&whole);
    let mut page = body(&read(&server, "read_config?secrets=masked"));
    assert!(page["streams"]["c"]["pin"].as_str().is_some_and(|pin| pin.starts_with("<secret:")), "{page}");
    page["streams"]["c"]["title"] = json!("C");
    let answer = server.post(&format!("modify_config?secrets=keep&base={base}"), &page.to_string());
    assert_eq!(answer.status, 200, "{}", text(&answer));
    let now = server.place.text();
    assert_eq!(now.replace("  title C;\n", ""), whole);
    let masked = text(&read(&server, "read_config?format=conf&secrets=masked"));
    let tag = format!("W/{}", header(&read(&server, "read_config"), "ETag").expect("there is one"))
        .replace('"', "%22");
    let target = format!("save_config?secrets=keep&base={tag}");
    let answer = server.post(&target, &masked.replace("title C", "title D"));
    assert_eq!(answer.status, 200, "{}", text(&answer));
    assert_eq!(server.place.text(), now.replace("title C", "title D"));
}

#[test]
fn ten_thousand_secrets_have_as_many_masks() {
    let streams: String =
        (0..10_000).map(|at| format!("stream s{at} {{ url udp://{at}; password pw-{at}; }}\n")).collect();
    let whole = format!("edit_auth admin s3cret;\n{streams}");
    let server = Server::over(&whole);
    let masked = text(&read(&server, "read_config?format=conf&secrets=masked"));
    let answer =
        server.post(&format!("save_config?secrets=keep&dry_run=1&format=diff&base={}", of(&whole)), &masked);
    assert_eq!((answer.status, text(&answer)), (200, String::new()));
}
