//! `check_config`, and the text of one entry: `read_config?path=P` and `entries` of `change`.

use serde_json::{Value, json};

use super::handler::{Server, TEXT, body, header};
use crate::cli::CONF;

const VIEWED: &str =
    "edit_auth admin s3cret;\nview_auth eve see;\nstream a {\n  url udp://1;\n  password pa55;\n}\n";

/// `eve:see`
const EVE: (&str, &str) = ("authorization", "Basic ZXZlOnNlZQ==");

#[test]
fn a_text_is_checked_with_ends_and_fixes_whatever_runs() {
    let server = Server::over(TEXT);
    let answer = server.post("check_config", "rtmp 1935\nrtsp 554;\nstrem a { url udp://1; }\n");
    assert_eq!(answer.status, 200);
    let found = body(&answer);
    assert_eq!((&found["errors"], &found["warnings"]), (&json!(1), &json!(1)), "{found}");
    let first = &found["faults"][0];
    assert_eq!((&first["line"], &first["column"]), (&json!(1), &json!(10)));
    assert_eq!(first["end"], json!({"line": 1, "column": 10}));
    let place = json!({"line": 1, "column": 10});
    assert_eq!(first["fix"], json!({"range": {"start": place, "end": place}, "text": ";"}));
    let second = &found["faults"][1];
    assert_eq!(second["severity"], "warning");
    let range = json!({"start": {"line": 3, "column": 1}, "end": {"line": 3, "column": 6}});
    assert_eq!(second["fix"], json!({"range": range, "text": "stream"}));
    assert_eq!(server.place.text(), TEXT);
    // Pending, or not: nothing is in the way.
    assert_eq!(server.post("modify_config?confirm=60", r#"{"rtmp":1}"#).status, 200);
    assert_eq!(server.post("check_config", "http 80;\n").status, 200);
    assert_eq!(body(&server.post("check_config", ""))["faults"], json!([]));
}

#[test]
fn columns_count_characters_or_units_of_utf_16() {
    let server = Server::over(TEXT);
    for (query, column) in [("", 20), ("?columns=characters", 20), ("?columns=utf16", 21)] {
        let text = "stream a { title 😀; prepsh 5; url udp://1; }\n";
        let found = body(&server.post(&format!("check_config{query}"), text));
        let fault = &found["faults"][0];
        assert_eq!(fault["column"], json!(column + 1), "{found}");
        assert_eq!(fault["end"]["column"], json!(column + 7));
    }
    assert_eq!(server.post("check_config?columns=bytes", "").status, 400);
}

#[test]
fn an_entry_is_checked_in_its_place() {
    let server = Server::over(TEXT);
    let found =
        body(&server.post("check_config?path=streams.b", "stream b {\n  prepsh 5;\n  url udp://2;\n}"));
    assert_eq!(
        (&found["faults"][0]["line"], &found["faults"][0]["column"]),
        (&json!(2), &json!(3)),
        "{found}"
    );
    assert_eq!(server.post("check_config?path=streams.none", "x;").status, 404);
}

#[test]
fn a_viewer_may_check_a_text_alone() {
    let server = Server::viewed(VIEWED);
    let ask = |target: &str, body: &str| server.ask("POST", &format!("/media/api/{target}"), &[EVE], body);
    assert_eq!(ask("check_config", "http 80;\n").status, 200);
    let answer = ask("check_config?path=streams.a", "stream a { url udp://1; }");
    assert_eq!((answer.status, &body(&answer)["type"]), (403, &json!("urn:mediactl:problem:view-only")));
    // What is included is not read for it.
    server.place.put("more.inc", "http x;\n");
    let answer = ask("check_config", "include more.inc;\n");
    assert_eq!(
        (&body(&answer)["errors"], header(&answer, "Mediactl-Note")),
        (&json!(0), Some("includes-left-out"))
    );
    assert_eq!(body(&server.post("check_config", "include more.inc;\n"))["errors"], 1);
}

#[test]
fn one_entry_is_read_and_replaced_and_all_else_stays() {
    let server = Server::over(TEXT);
    let read = server.get("?path=streams.b&format=conf");
    assert_eq!(header(&read, "Mediactl-Line"), Some("5"));
    assert_eq!(String::from_utf8_lossy(&read.body), "stream b {\n  url udp://2;\n  prepush 5;\n}");
    assert_eq!(body(&server.get("?path=streams.b.prepush")), json!(5));
    assert_eq!(body(&server.get("?path=streams.b*.prepush")), json!({"streams": {"b": {"prepush": 5}}}));
    let new = "stream b {\n  url udp://3; # other\n}\n";
    assert_eq!(server.put_entry("streams.b", new).status, 200);
    let expected = TEXT.replace("stream b {\n  url udp://2;\n  prepush 5;\n}", new.trim_end());
    assert_eq!(server.place.text(), expected);
    // A setting inside it, and a new name.
    assert_eq!(server.put_entry("streams.b.url", "url udp://4;").status, 404);
    assert_eq!(server.put_entry("edit_auth", "edit_auth admin other;").status, 200);
    assert_eq!(server.place.text(), expected.replace("admin s3cret", "admin other"));
}

#[test]
fn an_entry_without_carriage_returns_gets_the_line_ends_that_were_there() {
    let server = Server::over(&TEXT.replace('\n', "\r\n"));
    let read = server.get("?path=streams.b&format=conf").body;
    let read = String::from_utf8_lossy(&read);
    let typed = read.replace("\r\n", "\n").replace("prepush 5;", "prepush 7;\n  title B;");
    assert_eq!(server.put_entry("streams.b", &typed).status, 200);
    let expected = TEXT.replace("  prepush 5;", "  prepush 7;\n  title B;").replace('\n', "\r\n");
    assert_eq!(server.place.text(), expected);
    let added = json!({"operation": {"entries": {"texts": [{"path": "streams.z", "text": "stream z {\n  url udp://7;\n}", "create": true}]}}});
    assert_eq!(server.post("change", &added.to_string()).status, 200);
    assert_eq!(server.place.text(), format!("{expected}stream z {{\r\n  url udp://7;\r\n}}\r\n"));
}

#[test]
fn texts_of_several_entries_are_one_change() {
    let server = Server::over(TEXT);
    let entries = |texts: Value| json!({"operation": {"entries": {"texts": texts}}}).to_string();
    let request = entries(json!([
        {"path": "streams.b", "text": "stream b {\n  url udp://3; # other\n}\n"},
        {"path": "streams.a", "text": "stream a udp://9;"},
    ]));
    let rehearsal = request.replacen('{', r#"{"options":{"dry_run":true},"#, 1);
    let shown = server.post("change?format=diff", &rehearsal);
    assert_eq!(shown.status, 200, "{}", String::from_utf8_lossy(&shown.body));
    assert_eq!(server.place.text(), TEXT, "a dry run changes nothing");
    assert_eq!(server.post("change", &request).status, 200);
    let text = server.place.text();
    for part in ["url udp://3; # other\n}", "stream a udp://9;"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let history = body(&server.ask("GET", "/media/api/history", &[], ""));
    assert_eq!(history.as_array().map(Vec::len), Some(1), "{history}");
    // A text that is refused refuses the whole.
    for request in [
        entries(
            json!([{"path": "streams.b", "text": "stream b udp://4;"}, {"path": "streams.x", "text": "x;"}]),
        ),
        json!({"operation": {"entries": {"texts": [{"path": "streams.b"}]}}}).to_string(),
    ] {
        let answer = server.post("change", &request);
        assert!((400..500).contains(&answer.status), "{request}: {}", answer.status);
        assert_eq!(server.place.text(), text, "{request}");
    }
}

#[test]
fn an_entry_that_somebody_removed_is_added_again_on_request() {
    let server = Server::over(TEXT);
    let request = |path: &str, text: &str, create: bool| {
        let text = json!({"path": path, "text": text, "create": create});
        json!({"operation": {"entries": {"texts": [text]}}}).to_string()
    };
    for (path, text, create, status) in [
        ("streams.c", "stream c udp://3;", false, 404),
        ("streams.c", "stream d udp://3;", true, 400),
        ("streams.c", "stream b udp://3;", true, 400),
        ("streams.c", "stream c udp://3; stream d udp://4;", true, 400),
        ("streams.b.url", "url udp://3;", true, 400),
        ("streams", "stream c udp://3;", true, 400),
    ] {
        let answer = server.post("change", &request(path, text, create));
        assert_eq!(answer.status, status, "{path} {text}: {}", String::from_utf8_lossy(&answer.body));
        assert_eq!(server.place.text(), TEXT, "{path} {text}");
    }
    assert_eq!(server.post("change", &request("streams.c", " stream c udp://3;\n", true)).status, 200);
    assert_eq!(server.place.text(), format!("{TEXT}stream c udp://3;\n"));
    assert_eq!(server.post("change", &request("streams.c", "stream c udp://4;", true)).status, 200);
    assert_eq!(server.place.text(), format!("{TEXT}stream c udp://4;\n"), "what is there is replaced");
}

#[test]
fn a_text_that_is_not_one_entry_changes_nothing() {
    let server = Server::over(TEXT);
    for (path, new, status) in [
        ("streams.b", "", 422),
        ("streams.b", "stream b udp://1; stream c udp://2;", 422),
        ("streams.b", "stream b { url udp://1; ", 422),
        ("streams.b", "stream b { url udp://1; } }", 422),
        ("streams.b", "stream b udp://1; # tail", 422),
        ("streams.b", "stream b udp://1", 422),
        ("streams.b", "stream a { url udp://1; }", 422),
        ("streams.b", "stream b { url udp://<secret:123456>@h; }", 422),
        ("streams.nobody", "stream b udp://1;", 404),
        ("streams", "stream b udp://1;", 404),
        ("streams.a.name", "stream b udp://1;", 404),
        ("streams.*", "stream b udp://1;", 404),
    ] {
        let answer = server.put_entry(path, new);
        assert!((400..500).contains(&answer.status), "{path} {new}: {} not {status}", answer.status);
        assert_eq!(server.place.text(), TEXT, "{path} {new}");
    }
}

#[test]
fn secrets_are_masked_for_who_asks_and_shown_to_editors_alone() {
    let server = Server::viewed(VIEWED);
    let text = |query: &str| String::from_utf8_lossy(&server.get(query).body).into_owned();
    for query in
        ["?secrets=masked", "?secrets=masked&format=conf", "?secrets=masked&path=streams.a&format=conf"]
    {
        let shown = text(query);
        assert!(!shown.contains("pa55") && shown.contains("<secret:"), "{query}: {shown}");
        assert_eq!(shown, text(query), "the masks are stable");
    }
    assert_ne!(
        text("?secrets=masked&path=edit_auth.password"),
        text("?secrets=masked&path=streams.a.password"),
        "masks of different secrets differ"
    );
    assert_eq!(text("?secrets=shown&path=streams.a.password"), "\"pa55\"");
    let eve = server.ask("GET", "/media/api/read_config?path=streams.a.password&secrets=shown", &[EVE], "");
    assert_eq!(eve.status, 403);
    let eve = server.ask("GET", "/media/api/read_config?path=streams.a.password", &[EVE], "");
    assert_eq!(String::from_utf8_lossy(&eve.body), "\"<secret:000000>\"");
}

#[test]
fn every_answer_keeps_browsers_from_guessing_its_type() {
    let server = Server::over(TEXT);
    for answer in [server.get(""), server.get("?x=y"), server.post("nothing", ""), server.get("?dry_run=2")] {
        assert_eq!(header(&answer, "X-Content-Type-Options"), Some("nosniff"));
    }
    assert!(!server.place.path(CONF).as_os_str().is_empty());
}
