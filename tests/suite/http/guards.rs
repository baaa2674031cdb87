//! Guards over HTTP: problems with pointers, `accept=NAME`, and notes instead of a delete guard.

use serde_json::json;

use super::handler::{Server, TEXT, body, change, header, refused, text};

#[test]
fn form_change_and_near_miss_are_422_with_their_pointers() {
    let (whole, two) = (format!("{TEXT}mark a;\nmark b;\n"), ["/streams/b/prepsh", "/strems"]);
    for (kind, patch, pointers) in [
        ("form-change", json!({"mark": ["a", "c"]}), &["/mark"][..]),
        ("near-miss", json!({"rtpm": 1936}), &["/rtpm"]),
        ("near-miss", json!({"loglevel": "debgu", "auth": {"url": "false"}}), &["/auth", "/loglevel"]),
        ("near-miss", json!({"strems": {"x": {}}, "streams": {"b": {"prepsh": 5}}}), &two),
    ] {
        let (server, sent) = (Server::over(&whole), patch.to_string());
        let answer = server.post("modify_config", &sent);
        refused(&answer, 422, kind);
        let errors = body(&answer)["errors"].as_array().cloned().unwrap_or_default();
        let mut found: Vec<&str> = errors.iter().filter_map(|error| error["pointer"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, pointers);
        assert!(errors.iter().all(|error| error["hint"].as_str().is_some_and(|hint| hint.contains(kind))));
        refused(&server.post("modify_config?accept=one-line", &sent), 422, kind);
        refused(&server.post("modify_config?dry_run=true", &sent), 422, kind);
        server.made(&format!("modify_config?accept={kind},one-line"), &sent);
        let server = Server::over(&whole);
        server.made("modify_config?force=true", &sent);
        // Whatever is there can be sent back.
        server.made("modify_config", &text(&server.get("")));
    }
    let server = Server::over(&whole);
    let both = json!({"mark": ["a", "c"], "rtpm": 1}).to_string();
    assert_eq!(body(&server.post("modify_config", &both))["errors"].as_array().map(Vec::len), Some(2));
    refused(&server.post("modify_config?accept=form-change", &both), 422, "near-miss");
    server.made("modify_config?accept=form-change,near-miss", &both);
}

#[test]
fn a_patch_that_removes_what_others_use_is_refused_and_whole_texts_are_taken() {
    let used = "template low {\n}\n";
    let text = format!("{TEXT}{used}stream u {{\n  url udp://1;\n  template low;\n}}\n");
    let server = Server::over(&text);
    let patch = r#"{"template":{"low":null}}"#;
    refused(&server.post("modify_config", patch), 422, "dangling");
    let whole = change(&json!({"save": text.replace(used, "")}), &json!({}));
    refused(&server.post("change", &whole), 422, "dangling");
    server.made("save_config", &text.replace(used, ""));
    server.made("save_config", &text);
    server.made("modify_config?accept=dangling", patch);
}

#[test]
fn delete_guard_is_a_note_over_http() {
    let many: String = (0..30).map(|at| format!("stream s{at} udp://{at};\n")).collect();
    let whole = format!("{TEXT}{many}");
    let deleted = Some("deleted-streams 30");
    for operation in ["save_config", "update_config"] {
        let server = Server::over(&whole);
        for (query, note) in [("?dry_run=true", deleted), ("", deleted), ("", None)] {
            let answer = server.made(&format!("{operation}{query}"), TEXT);
            assert_eq!(header(&answer, "Mediactl-Note"), note, "{operation}{query}");
        }
    }
    let server = Server::over(&whole);
    let request = |most: usize| change(&json!({"save": TEXT}), &json!({"max_delete": most}));
    let answer = server.post("change", &request(29));
    refused(&answer, 422, "would-delete-streams");
    assert_eq!(body(&answer)["errors"][0]["hint"], "`max_delete=30` deletes them");
    server.made("change", &request(30));
    Server::over(&whole).made("modify_config", r#"{"streams":null}"#);
}

#[test]
fn new_warnings_are_notes_and_strict_refuses_them() {
    let server = Server::over(&format!("{TEXT}stream x {{ url udp://1; }}\n"));
    let patch = r#"{"streams":{"x":{"urls":[{"url":"upd://1"}]}}}"#;
    let told = "`upd:` is no known scheme (did you mean `udp://`?)";
    for query in ["?strict=true", "?strict=true&dry_run=true", "?strict=true&force=true"] {
        let answer = server.post(&format!("modify_config{query}"), patch);
        refused(&answer, 422, "new-warnings");
        let error = &body(&answer)["errors"][0];
        assert_eq!(error["message"], format!("the change brings a warning: `streams.x`: {told}"));
        assert_eq!(error["hint"], "without `strict=true` it is made all the same");
    }
    let note = format!("new-warning streams.x {told}");
    for (query, note) in [("?dry_run=true", Some(&*note)), ("", Some(&*note)), ("?strict=true", None)] {
        let answer = server.made(&format!("modify_config{query}"), patch);
        assert_eq!(header(&answer, "Mediactl-Note"), note, "{query}");
    }
}
