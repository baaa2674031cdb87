//! Guards over HTTP: problems with pointers, `accept=NAME`, and notes instead of a delete guard.

use serde_json::{Value, json};

use super::handler::{Server, TEXT, body, change, header, refused};

fn over(more: &str) -> Server {
    Server::over(&format!("{TEXT}{more}"))
}

#[test]
fn form_change_and_near_miss_are_422_with_their_pointers() {
    let text = "mark a;\nmark b;\n";
    for (kind, patch, pointers) in [
        ("form-change", json!({"mark": ["a", "c"]}), &["/mark"][..]),
        ("near-miss", json!({"rtpm": 1936}), &["/rtpm"]),
        ("near-miss", json!({"loglevel": "debgu", "auth": {"url": "false"}}), &["/auth", "/loglevel"]),
        (
            "near-miss",
            json!({"strems": {"x": {}}, "streams": {"b": {"prepsh": 5}}}),
            &["/streams/b/prepsh", "/strems"],
        ),
    ] {
        let server = over(text);
        let answer = server.post("modify_config", &patch.to_string());
        refused(&answer, 422, kind);
        let errors = body(&answer)["errors"].as_array().cloned().unwrap_or_default();
        let mut found: Vec<&str> = errors.iter().filter_map(|error| error["pointer"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, pointers);
        assert!(errors.iter().all(|error| error["hint"].as_str().is_some_and(|hint| hint.contains(kind))));
        refused(&server.post("modify_config?accept=one-line", &patch.to_string()), 422, kind);
        refused(&server.post("modify_config?dry_run=true", &patch.to_string()), 422, kind);
        let accepted = format!("modify_config?accept={kind},one-line");
        assert_eq!(server.post(&accepted, &patch.to_string()).status, 200);
        let server = over(text);
        assert_eq!(server.post("modify_config?force=true", &patch.to_string()).status, 200);
    }
    let server = over(text);
    let both = json!({"mark": ["a", "c"], "rtpm": 1}).to_string();
    assert_eq!(body(&server.post("modify_config", &both))["errors"].as_array().map(Vec::len), Some(2));
    refused(&server.post("modify_config?accept=form-change", &both), 422, "near-miss");
    assert_eq!(server.post("modify_config?accept=form-change,near-miss", &both).status, 200);
}

#[test]
fn any_view_can_be_sent_back() {
    let server = over("mark a;\nmark b;\nrtpm 1;\nstream c { prepsh 5; archive /storage 7d; }\n");
    let whole: Value = body(&server.get(""));
    let answer = server.post("modify_config", &whole.to_string());
    assert_eq!(answer.status, 200, "{}", body(&answer));
}

#[test]
fn line_ends_gone_are_a_bad_config() {
    let joined = TEXT.replace('\n', "").replace("http 80;", "http 80;# Ports:rtmp 1;");
    for operation in ["save_config", "update_config"] {
        let server = Server::over(TEXT);
        let answer = server.post(operation, &joined);
        refused(&answer, 400, "bad-config");
        let hint = body(&answer)["errors"][0]["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.contains("--data-binary") && hint.contains("accept=one-line"), "{hint}");
        // Behind it, other guards still stand.
        refused(&server.post(&format!("{operation}?accept=one-line"), &joined), 422, "empty-replacement");
        let accepted = format!("{operation}?accept=one-line,would-remove-credentials,empty-replacement");
        assert_eq!(server.post(&accepted, &joined).status, 200);
    }
    let server = Server::over("edit_auth admin s3cret;# now: rtmp 1;");
    assert_eq!(server.post("save_config", "edit_auth admin s3cret;# now: rtmp 1;").status, 200);
    refused(&server.post("save_config", "edit_auth admin s3cret;# now: rtmp 2;"), 400, "bad-config");
    assert_eq!(server.post("save_config?force=true", "edit_auth admin s3cret;# now: rtmp 2;").status, 200);
    assert_eq!(server.post("save_config", TEXT).status, 200);
    assert_eq!(server.post("rollback_config?to=last", "").status, 200);
}

#[test]
fn delete_guard_is_a_note_over_http() {
    let many: String = (0..30).map(|at| format!("stream s{at} udp://{at};\n")).collect();
    for operation in ["save_config", "update_config"] {
        let server = over(&many);
        let answer = server.post(&format!("{operation}?dry_run=true"), TEXT);
        assert_eq!((answer.status, header(&answer, "Mediactl-Note")), (200, Some("deleted-streams 30")));
        let answer = server.post(operation, TEXT);
        assert_eq!((answer.status, header(&answer, "Mediactl-Note")), (200, Some("deleted-streams 30")));
        let answer = server.post(operation, TEXT);
        assert_eq!((answer.status, header(&answer, "Mediactl-Note")), (200, None));
    }
    let server = over(&many);
    assert_eq!(server.post("modify_config", r#"{"streams":null}"#).status, 200);
}

#[test]
fn a_change_that_deletes_more_streams_than_it_may_is_a_problem_of_its_own() {
    let many: String = (0..30).map(|at| format!("stream s{at} udp://{at};\n")).collect();
    let server = over(&many);
    let request = |most: usize| change(&json!({"save": TEXT}), &json!({"max_delete": most}));
    let answer = server.post("change", &request(29));
    refused(&answer, 422, "would-delete-streams");
    assert_eq!(body(&answer)["errors"][0]["hint"], "`max_delete=30` deletes them");
    assert_eq!(server.post("change", &request(30)).status, 200);
}

#[test]
fn new_warnings_are_notes_and_strict_refuses_them() {
    let server = over("stream x { url udp://1; }\n");
    let patch = r#"{"streams":{"x":{"urls":[{"url":"upd://1"}]}}}"#;
    for query in ["?strict=true", "?strict=true&dry_run=true", "?strict=true&force=true"] {
        let answer = server.post(&format!("modify_config{query}"), patch);
        refused(&answer, 422, "new-warnings");
        assert_eq!(
            body(&answer)["errors"][0]["message"],
            "the change brings a warning: `streams.x`: `upd:` is no known scheme (did you mean `udp://`?)"
        );
        assert_eq!(body(&answer)["errors"][0]["hint"], "without `strict=true` it is made all the same");
    }
    let told = "new-warning streams.x `upd:` is no known scheme (did you mean `udp://`?)";
    for query in ["?dry_run=true", "", "?strict=true"] {
        let answer = server.post(&format!("modify_config{query}"), patch);
        let expected = (!query.contains("strict")).then_some(told);
        assert_eq!((answer.status, header(&answer, "Mediactl-Note")), (200, expected), "{query}");
    }
    assert_eq!(header(&server.post("modify_config", r#"{"rtsp":554}"#), "Mediactl-Note"), None);
}
