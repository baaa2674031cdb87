//! `check_config`, and the text of one entry: `read_config?path=P` and `entries` of `change`.

use serde_json::{Value, json};

use super::handler::{Server, TEXT, body, header, refused, text};

const VIEWED: &str =
    "edit_auth admin s3cret;\nview_auth eve see;\nstream a {\n  url udp://1;\n  password pa55;\n}\n";

const EVE: (&str, &str) = ("eve", "see");

fn entries(texts: Value) -> String {
    json!({"operation": {"entries": {"texts": texts}}}).to_string()
}

#[test]
fn a_text_is_checked_with_ends_and_fixes_whatever_runs() {
    let server = Server::over(TEXT);
    let found = body(&server.made("check_config", "rtmp 1935\nrtsp 554;\nstrem a { url udp://1; }\n"));
    assert_eq!((&found["errors"], &found["warnings"]), (&json!(1), &json!(1)), "{found}");
    let [first, second] = [0, 1].map(|at| &found["faults"][at]);
    let place = json!({"line": 1, "column": 10});
    assert_eq!((&first["line"], &first["column"], &first["end"]), (&json!(1), &json!(10), &place));
    assert_eq!(first["fix"], json!({"range": {"start": place, "end": place}, "text": ";"}));
    assert_eq!(second["severity"], "warning");
    let range = json!({"start": {"line": 3, "column": 1}, "end": {"line": 3, "column": 6}});
    assert_eq!(second["fix"], json!({"range": range, "text": "stream"}));
    assert_eq!(server.place.text(), TEXT);
    // Pending, or not: nothing is in the way.
    server.made("modify_config?confirm=60", r#"{"rtmp":1}"#);
    server.made("check_config", "http 80;\n");
    assert_eq!(body(&server.post("check_config", ""))["faults"], json!([]));
    let whole = "stream a { title 😀; prepsh 5; url udp://1; }\n";
    let entry = "stream b {\n  prepsh 5;\n  url udp://2;\n}";
    for (query, sent, line, column) in [
        ("", whole, 1, 21),
        ("?columns=characters", whole, 1, 21),
        ("?columns=utf16", whole, 1, 22),
        ("?path=streams.b", entry, 2, 3),
    ] {
        let found = body(&server.post(&format!("check_config{query}"), sent));
        let fault = &found["faults"][0];
        assert_eq!((&fault["line"], &fault["column"]), (&json!(line), &json!(column)), "{query} {found}");
        assert_eq!(fault["end"]["column"], json!(column + 6), "{query}");
    }
    assert_eq!(server.post("check_config?columns=bytes", "").status, 400);
    assert_eq!(server.post("check_config?path=streams.none", "x;").status, 404);
}

#[test]
fn the_file_is_checked_and_fixed_while_another_text_runs() {
    let server = Server::over("edit_auth admin s3cret;\nrtmp 1935;\nrtsp 554;\n");
    server.place.put("media.conf", "edit_auth admin s3cret;\nrtmp 1935\nrtsp 554;\n");
    let found = body(&server.made("check_config?source=saved", "it is not this text"));
    assert_eq!((&found["errors"], &found["faults"][0]["line"]), (&json!(1), &json!(2)), "{found}");
    let fix = |options: Value| json!({"operation": {"fix": {}}, "options": options}).to_string();
    let rehearsed = body(&server.made("change", &fix(json!({"dry_run": true, "tell": {"diff": true}}))));
    assert!(rehearsed["lines_added"] == 1 && rehearsed["lines_removed"] == 1, "{rehearsed}");
    server.made("change", &fix(json!({})));
    assert_eq!(server.place.text(), "edit_auth admin s3cret;\nrtmp 1935;\nrtsp 554;\n");
    assert_eq!(body(&server.made("change", &fix(json!({}))))["changed"], json!(false));
    // What no fix corrects is refused.
    server.place.put("media.conf", "edit_auth admin s3cret;\nstream a {\n");
    refused(&server.post("change", &fix(json!({}))), 400, "bad-config");
}

#[test]
fn a_viewer_may_check_a_text_alone() {
    let server = Server::viewed(VIEWED);
    let ask = |target: &str, body: &str| server.post_as(EVE, target, body);
    refused(&ask("check_config?path=streams.a", "stream a { url udp://1; }"), 403, "view-only");
    refused(&ask("check_config?source=saved", ""), 403, "view-only");
    // What is included is not read for it.
    server.place.put("more.inc", "http x;\n");
    let answer = ask("check_config", "include more.inc;\n");
    assert_eq!(body(&answer)["errors"], 0);
    assert_eq!(header(&answer, "Mediactl-Note"), Some("includes-left-out"));
    assert_eq!(body(&server.post("check_config", "include more.inc;\n"))["errors"], 1);
}

#[test]
fn one_entry_is_read_and_replaced_and_all_else_stays() {
    let server = Server::over(TEXT);
    let read = server.get("?path=streams.b&format=conf");
    let old = "stream b {\n  url udp://2;\n  prepush 5;\n}";
    assert_eq!((header(&read, "Mediactl-Line"), &*text(&read)), (Some("5"), old));
    assert_eq!(body(&server.get("?path=streams.b.prepush")), json!(5));
    assert_eq!(body(&server.get("?path=streams.b*.prepush")), json!({"streams": {"b": {"prepush": 5}}}));
    let new = "stream b {\n  url udp://3; # other\n}\n";
    assert_eq!(server.put_entry("streams.b", new, false).status, 200);
    let expected = TEXT.replace(old, new.trim_end());
    assert_eq!(server.place.text(), expected);
    // A setting inside it, and a new name.
    assert_eq!(server.put_entry("streams.b.url", "url udp://4;", false).status, 404);
    assert_eq!(server.put_entry("edit_auth", "edit_auth admin other;", false).status, 200);
    assert_eq!(server.place.text(), expected.replace("admin s3cret", "admin other"));
}

#[test]
fn texts_of_several_entries_are_one_change() {
    let server = Server::over(TEXT);
    let request = entries(json!([
        {"path": "streams.b", "text": "stream b {\n  url udp://3; # other\n}\n"},
        {"path": "streams.a", "text": "stream a udp://9;"},
    ]));
    server.made("change?format=diff", &request.replacen('{', r#"{"options":{"dry_run":true},"#, 1));
    assert_eq!(server.place.text(), TEXT, "a dry run changes nothing");
    server.made("change", &request);
    let changed = server.place.text();
    let has = ["url udp://3; # other\n}", "stream a udp://9;"].map(|part| changed.contains(part));
    assert_eq!(has, [true; 2], "{changed}");
    let history = body(&server.fetch("history"));
    assert_eq!(history.as_array().map(Vec::len), Some(1), "{history}");
    // A text that is refused refuses the whole.
    for texts in [
        json!([{"path": "streams.b", "text": "stream b udp://4;"}, {"path": "streams.x", "text": "x;"}]),
        json!([{"path": "streams.b"}]),
    ] {
        let answer = server.post("change", &entries(texts));
        assert!((400..500).contains(&answer.status), "{}", body(&answer));
        assert_eq!(server.place.text(), changed);
    }
}

#[test]
fn an_entry_that_somebody_removed_is_added_again_on_request() {
    let server = Server::over(TEXT);
    for (path, text, create, status) in [
        ("streams.c", "stream c udp://3;", false, 404),
        ("streams.c", "stream d udp://3;", true, 400),
        ("streams.c", "stream b udp://3;", true, 400),
        ("streams.c", "stream c udp://3; stream d udp://4;", true, 400),
        ("streams.b.url", "url udp://3;", true, 400),
        ("streams", "stream c udp://3;", true, 400),
        ("streams.b", "", false, 400),
        ("streams.b", "stream b udp://1; stream c udp://2;", false, 400),
        ("streams.b", "stream b { url udp://1; ", false, 400),
        ("streams.b", "stream b { url udp://1; } }", false, 400),
        ("streams.b", "stream b udp://1; # tail", false, 400),
        ("streams.b", "stream b udp://1", false, 400),
        ("streams.b", "stream a { url udp://1; }", false, 400),
        ("streams.b", "stream b { url udp://<secret:123456>@h; }", false, 422),
        ("streams.nobody", "stream b udp://1;", false, 404),
        ("streams", "stream b udp://1;", false, 404),
        ("streams.a.name", "stream b udp://1;", false, 404),
        ("streams.*", "stream b udp://1;", false, 404),
    ] {
        let answer = server.put_entry(path, text, create);
        assert_eq!(answer.status, status, "{path} {text}: {}", body(&answer));
        assert_eq!(server.place.text(), TEXT, "{path} {text}");
    }
    assert_eq!(server.put_entry("streams.c", " stream c udp://3;\n", true).status, 200);
    assert_eq!(server.place.text(), format!("{TEXT}stream c udp://3;\n"));
    assert_eq!(server.put_entry("streams.c", "stream c udp://4;", true).status, 200);
    assert_eq!(server.place.text(), format!("{TEXT}stream c udp://4;\n"), "what is there is replaced");
}

#[test]
fn secrets_are_masked_for_who_asks_and_shown_to_editors_alone() {
    let server = Server::viewed(VIEWED);
    let read = |query: &str| text(&server.get(query));
    for query in
        ["?secrets=masked", "?secrets=masked&format=conf", "?secrets=masked&path=streams.a&format=conf"]
    {
        let shown = read(query);
        assert!(!shown.contains("pa55") && shown.contains("<secret:"), "{query}: {shown}");
        assert_eq!(shown, read(query), "the masks are stable");
    }
    let [one, other] =
        ["edit_auth", "streams.a"].map(|entry| read(&format!("?secrets=masked&path={entry}.password")));
    assert_ne!(one, other, "masks of different secrets differ");
    assert_eq!(read("?secrets=shown&path=streams.a.password"), "\"pa55\"");
    let eve = |query: &str| server.fetch_as(EVE, &format!("read_config?path=streams.a.password{query}"));
    assert_eq!(eve("&secrets=shown").status, 403);
    assert_eq!(text(&eve("")), "\"<secret:000000>\"");
}
