//! What a configuration includes, as clients of a server see it.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::handler::{Server, body, refused, text};

const MAIN: &str = "edit_auth admin s3cret;\nview_auth viewer l00k;\ninclude conf.d/*.conf;\n";

/// The reads that tell of what is included.
const READS: [&str; 3] =
    ["read_config?with_includes=true", "read_config?with_includes=true&format=conf", "included"];

fn server(files: &[(&str, &str)]) -> Server {
    let server = Server::viewed(MAIN);
    fs::create_dir(server.place.path("conf.d")).expect("a folder can be made");
    for (name, text) in files {
        server.place.put(name, text);
    }
    server
}

fn stream_file() -> Server {
    server(&[("conf.d/a.conf", "stream cam9 {\n  url rtsp://u:h1dden@h/;\n  prepush 9;\n}\n")])
}

#[test]
fn included_entries_are_shown_marked_and_never_written_back() {
    let server = stream_file();
    assert_eq!(body(&server.get(""))["streams"], json!({}));
    let all = body(&server.get("?with_includes=true"));
    assert_eq!(all["streams"]["cam9"]["prepush"], 9);
    let [name] = &all["with_includes"].as_array().expect("a list")[..] else { panic!("{all}") };
    assert!(name.as_str().is_some_and(|name| name.ends_with("/conf.d/a.conf")), "{name}");
    refused(&server.post("modify_config", &all.to_string()), 422, "read-only");
    let whole = text(&server.get("?with_includes=true&format=conf"));
    assert!(whole.contains("/conf.d/a.conf\nstream cam9 {\n"), "{whole}");
    assert!(body(&server.get("?with_includes=true&skip_streams=true"))["streams"].get("cam9").is_none());
    assert_eq!(server.place.text(), MAIN);
}

#[test]
fn a_viewer_sees_included_files_masked() {
    let server = stream_file();
    for target in READS {
        let text = text(&server.fetch_as(("viewer", "l00k"), target));
        assert!(text.contains("prepush") && !text.contains("h1dden") && !text.contains("s3cret"), "{text}");
    }
}

#[test]
fn only_files_below_the_folder_are_followed() {
    let server = server(&[]);
    let elsewhere = tempfile::tempdir().expect("there is room");
    let outside = elsewhere.path().join("a.conf");
    fs::write(&outside, "stream secret { url udp://outs1de; }\n").expect("it is writable");
    symlink(&outside, server.place.path("link.conf")).expect("links can be made");
    symlink(elsewhere.path(), server.place.path("folder")).expect("links can be made");
    let there = outside.display().to_string();
    let absent = elsewhere.path().join("absent.conf").display().to_string();
    let kept = ".media.conf.mediactl/history";
    let near = ["../*.conf", "conf.d/../../x", "link.conf", "*.conf", "folder/a.conf", "folder/*"];
    for pattern in near.into_iter().chain([&*there, &absent, kept]) {
        server.place.put("conf.d/in.conf", format!("include {pattern};"));
        for target in ["included", "read_config?with_includes=true", "included?source=saved"] {
            let response = server.fetch(target);
            let text = text(&response);
            assert!(!text.contains("outs1de"), "{pattern}: {text}");
            match pattern {
                "*.conf" => assert!(text.contains("media.conf` includes itself"), "{text}"),
                _ => assert_eq!(response.status, 200, "{pattern}: {text}"),
            }
        }
    }
    let own = server.place.path("conf.d/own.inc").display().to_string();
    server.place.put("conf.d/own.inc", "stream own { url udp://1; }\n");
    server.place.put("conf.d/in.conf", format!("include {own};"));
    assert_eq!(body(&server.get("?with_includes=true"))["streams"]["own"]["urls"][0]["url"], "udp://1");
}

#[test]
fn faults_name_file_and_line_and_quote_nothing() {
    for (text, line, message) in [
        ("http 80;\nstream cam1 {\n  # h1dden words\n", 2, "unclosed"),
        ("\ninclude media.conf;\n", 2, "includes itself"),
        ("\n\ninclude absent.conf;\n", 3, "cannot include `absent.conf`"),
    ] {
        let server = server(&[("conf.d/a.conf", text)]);
        for target in READS {
            let response = server.fetch(target);
            refused(&response, 400, "bad-config");
            let fault = &body(&response)["errors"][0];
            assert!(fault["file"].as_str().is_some_and(|file| file.ends_with("conf.d/a.conf")), "{fault}");
            assert!(fault["message"].as_str().is_some_and(|found| found.contains(message)), "{fault}");
            assert_eq!(fault["line"], line);
            assert!(!fault.to_string().contains("h1dden"));
        }
        assert_eq!(server.get("").status, 200, "the configuration itself is as it was");
    }
}

/// The entry is there, and another text of it here would be a second one.
#[test]
fn a_change_of_an_included_entry_is_refused_with_file_and_line() {
    let server = stream_file();
    let entry = |create: bool| {
        let texts =
            json!([{"path": "streams.cam9", "text": "stream cam9 {\n  url udp://1;\n}", "create": create}]);
        json!({"operation": {"entries": {"texts": texts}}}).to_string()
    };
    for (target, sent) in [
        ("modify_config", r#"{"streams":{"cam9":{"prepush":5}}}"#),
        ("change", &entry(false)),
        ("change", &entry(true)),
    ] {
        let answer = server.post(target, sent);
        assert_eq!(answer.status, 422, "{sent}");
        assert!(text(&answer).contains("conf.d/a.conf`, line 1"), "{sent}: {}", text(&answer));
    }
    assert_eq!(server.place.text(), MAIN);
}
