//! Differences (`format=diff`, `diff`) and the changes that set a value (`blame`).

use serde_json::json;

use super::handler::{Server, TEXT, body, header, text};

#[test]
fn a_change_and_its_rehearsal_answer_with_the_lines_that_differ() {
    let server = Server::over(TEXT);
    let lines = "\n stream a { url udp://1; }\n stream b {\n   url udp://2;\n-  prepush 5;\n+  prepush 6;\n }\n \
                 ondemand film file://f.mp4;\n";
    for query in ["?format=diff&dry_run=1", "?format=diff"] {
        let answer = server.made(&format!("modify_config{query}"), r#"{"streams":{"b":{"prepush":6}}}"#);
        assert_eq!(header(&answer, "Content-Type"), Some("text/x-diff; charset=utf-8"));
        assert_eq!(text(&answer).split("@@").nth(2), Some(lines), "{query}");
    }
    let changed = text(&server.made("save_config?format=diff", &TEXT.replace("prepush 5", "prepush 7")));
    assert!(changed.contains("-  prepush 6;\n+  prepush 7;\n"), "{changed}");
    assert_eq!(text(&server.post("modify_config?format=diff", "{}")), "");
    assert_eq!(server.post("save_config?format=json", TEXT).status, 400);
}

#[test]
fn texts_of_the_history_are_compared() {
    let server = Server::over(TEXT);
    for prepush in [6, 7] {
        server.made("modify_config", &json!({"streams": {"b": {"prepush": prepush}}}).to_string());
    }
    assert_eq!(text(&server.fetch("diff")), "");
    server.made("update_config", &TEXT.replace("prepush 5", "prepush 9"));
    let first = body(&server.fetch("history"))[1]["number"].clone();
    for (target, from, to) in [
        ("history/2?format=diff", 6, 7),
        ("history/1?format=diff", 5, 6),
        (&*format!("diff?from={first}&to=saved"), 5, 7),
        ("diff?from=saved&to=running", 7, 9),
    ] {
        let lines = text(&server.fetch(target));
        assert!(lines.contains(&format!("-  prepush {from};\n+  prepush {to};\n")), "{target}: {lines}");
    }
    let statuses = ["x", "@1", "99999"].map(|from| server.fetch(&format!("diff?from={from}")).status);
    assert_eq!(statuses, [400, 400, 404]);
}

#[test]
fn a_viewer_sees_differences_without_secrets() {
    let server = Server::viewed("edit_auth admin s3cret;\nview_auth eve see;\n");
    server.made("modify_config", r#"{"edit_auth":{"password":"0ther"}}"#);
    let seen = text(&server.fetch_as(("admin", "0ther"), "history/1?format=diff"));
    assert!(seen.contains("+edit_auth admin 0ther;"), "{seen}");
    for target in ["history/1?format=diff", "diff?from=1&to=running", "blame?path=edit_auth.password"] {
        let answer = server.fetch_as(("eve", "see"), target);
        assert_eq!(answer.status, 200, "{target}");
        assert!(!text(&answer).contains("0ther") && !text(&answer).contains("s3cret"), "{}", text(&answer));
    }
}
