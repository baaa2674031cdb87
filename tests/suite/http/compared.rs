//! Differences (`format=diff`, `diff`) and the changes that set a value (`blame`, `paths`).

use mediactl::http::server::message::Response;
use serde_json::json;

use super::handler::{Server, TEXT, body, header};
use crate::cli::CONF;

/// `eve:see`
const EVE: (&str, &str) = ("authorization", "Basic ZXZlOnNlZQ==");

fn text(answer: &Response) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

fn large() -> String {
    let streams: String = (0..200).map(|at| format!("stream s{at} {{ url udp://{at}; }}\n")).collect();
    format!("edit_auth admin s3cret;\nview_auth eve see;\n{streams}")
}

#[test]
fn a_change_and_its_rehearsal_answer_with_the_lines_that_differ() {
    let server = Server::over(TEXT);
    let lines = "--- before\n+++ after\n@@ -4,6 +4,6 @@\n stream a { url udp://1; }\n stream b {\n   url udp://2;\n\
                 -  prepush 5;\n+  prepush 6;\n }\n ondemand film file://f.mp4;\n";
    let patch = r#"{"streams":{"b":{"prepush":6}}}"#;
    for query in ["?format=diff&dry_run=1", "?format=diff"] {
        let answer = server.post(&format!("modify_config{query}"), patch);
        assert_eq!(
            (answer.status, header(&answer, "Content-Type")),
            (200, Some("text/x-diff; charset=utf-8"))
        );
        assert_eq!(text(&answer).split("@@\n").nth(1), lines.split("@@\n").nth(1), "{query}");
    }
    let changed = server.post("save_config?format=diff", &TEXT.replace("prepush 5", "prepush 7"));
    assert!(text(&changed).contains("-  prepush 6;\n+  prepush 7;\n"), "{}", text(&changed));
    assert_eq!(text(&server.post("modify_config?format=diff", "{}")), "");
    assert_eq!(server.post("save_config?format=json", TEXT).status, 400);
}

#[test]
fn texts_of_the_history_are_compared() {
    let server = Server::over(TEXT);
    for prepush in [6, 7] {
        let patch = json!({"streams": {"b": {"prepush": prepush}}}).to_string();
        assert_eq!(server.post("modify_config", &patch).status, 200);
    }
    let ask = |target: &str| server.ask("GET", &format!("/media/api/{target}"), &[], "");
    let entry = text(&ask("history/2?format=diff"));
    assert!(entry.contains("-  prepush 6;\n+  prepush 7;\n"), "{entry}");
    let entry = text(&ask("history/1?format=diff"));
    assert!(entry.contains("-  prepush 5;\n+  prepush 6;\n"), "{entry}");
    let serial = body(&ask("history"))[1]["number"].clone();
    let all = text(&ask(&format!("diff?from={serial}&to=running")));
    assert!(all.contains("-  prepush 5;\n+  prepush 7;\n"), "{all}");
    assert_eq!(text(&ask("diff")), "");
    assert_eq!(server.post("update_config", &TEXT.replace("prepush 5", "prepush 9")).status, 200);
    assert!(text(&ask("diff?from=saved&to=running")).contains("-  prepush 7;\n+  prepush 9;\n"));
    assert_eq!(ask("diff?from=x").status, 400);
    assert_eq!(ask("diff?from=99999").status, 404);
}

#[test]
fn the_history_names_paths_and_blame_finds_who_set_a_value() {
    let server = Server::over(TEXT);
    for (patch, message) in [
        (r#"{"streams":{"b":{"prepush":6}}}"#, "first"),
        (r#"{"rtmp":1935,"streams":{"b":{"prepush":7}}}"#, "second"),
        (r#"{"rtmp":1936}"#, "third"),
    ] {
        assert_eq!(server.post(&format!("modify_config?message={message}"), patch).status, 200);
    }
    let ask = |target: &str| body(&server.ask("GET", &format!("/media/api/{target}"), &[], ""));
    let found = ask("history");
    assert_eq!(found[0]["paths"], json!({"first": ["rtmp"], "count": 1}));
    assert_eq!(found[1]["paths"]["count"], 2, "{found}");
    assert_eq!(ask("history"), found, "what is known is the same");
    let blamed = ask("blame?path=streams.b.prepush");
    assert_eq!(
        (&blamed[0]["message"], &blamed[0]["from"], &blamed[0]["to"]),
        (&json!("second"), &json!(6), &json!(7))
    );
    assert_eq!(blamed[1]["message"], "first");
    assert_eq!(ask("blame?path=streams.b.prepush&limit=1").as_array().map(Vec::len), Some(1));
    let status = |target: &str| server.ask("GET", &format!("/media/api/{target}"), &[], "").status;
    assert_eq!((status("blame"), status("blame?path=rtmp&limit=0")), (400, 400));
}

#[test]
fn a_viewer_sees_differences_without_secrets() {
    let server = Server::viewed(&large());
    assert_eq!(server.post("modify_config", r#"{"edit_auth":{"password":"0ther"}}"#).status, 200);
    let other = [("authorization", "Basic YWRtaW46MHRoZXI=")];
    let seen = text(&server.ask("GET", "/media/api/history/1?format=diff", &other, ""));
    assert!(seen.contains("+edit_auth admin 0ther;"), "{seen}");
    for target in ["history/1?format=diff", "diff?from=1&to=running", "blame?path=edit_auth.password"] {
        let answer = server.ask("GET", &format!("/media/api/{target}"), &[EVE], "");
        assert_eq!(answer.status, 200, "{target}");
        assert!(!text(&answer).contains("0ther") && !text(&answer).contains("s3cret"), "{}", text(&answer));
    }
}

#[test]
fn texts_that_differ_in_bytes_alone_are_said_to_and_a_change_is_counted_back() {
    let whole = format!("# \u{fffd}\n{TEXT}");
    let server = Server::over(&whole);
    let diff = |query: &str| server.ask("GET", &format!("/media/api/diff{query}"), &[], "");
    assert_eq!(header(&diff(""), "Mediactl-Note"), None);
    server.place.put(CONF, [b"# \xff\n", TEXT.as_bytes()].concat());
    let answer = diff("");
    assert_eq!((text(&answer), header(&answer, "Mediactl-Note")), (String::new(), Some("bytes-differ")));
    server.place.put(CONF, &whole);
    assert_eq!(server.post("modify_config", r#"{"http":[81]}"#).status, 200);
    assert_eq!(server.post("modify_config", r#"{"http":[82]}"#).status, 200);
    for (from, removed) in
        [("last", "-http 81;"), ("2", "-http 81;"), ("change:1", "-http 80;"), ("1", "-http 80;")]
    {
        let lines = String::from_utf8_lossy(&diff(&format!("?from={from}")).body).into_owned();
        assert!(lines.contains(removed) && lines.contains("+http 82;"), "{from}: {lines}");
    }
    assert_eq!(diff("?from=9").status, 404);
    assert_eq!(diff("?from=@1").status, 400);
}
