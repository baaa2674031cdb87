//! `serve --console`: who gets the files of the page, with which headers, and what the files are.

use mediaconf::{Condition, Config, Path as ConfigPath};
use std::fs;
use std::path::Path;

use mediactl::http::console::Console;
use mediactl::http::server::message::{Response, Service};
use serde::Deserialize;
use serde_json::{Value, json};

use super::handler::{Server, TEXT, header, refused, request};

/// The most bytes that all files take as they are sent.
const MOST_BYTES: usize = 180_000;

const MOST_LINES: usize = 400;

const FOLDER: &str = "src/http/console";

/// Another site leads its reader to a page.
const NAVIGATION: [(&str, &str); 3] =
    [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];

/// No other site gets in by what a file may do.
const HEADERS: [(&str, &str); 5] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
];

/// What somebody without credentials is answered.
fn asked(service: &impl Service, method: &str, target: &str, headers: &[(&str, &str)]) -> Response {
    service.answer(request(method, target, &[&[("host", "h:80")], headers].concat(), ""))
}

fn console() -> Server {
    let mut server = Server::over(TEXT);
    server.handler.console = Some(Console::new("/media/api"));
    server
}

#[test]
fn the_files_are_answered_without_credentials_and_only_with_the_option() {
    let (with, without) = (console(), Server::over(TEXT));
    for path in Console::paths() {
        for method in ["GET", "HEAD"] {
            let answer = asked(&with.handler, method, &path, &[]);
            assert_eq!(answer.status, 200, "{method} {path}");
            assert!(header(&answer, "Content-Type").is_some_and(|kind| !kind.contains("json")), "{path}");
            for (name, value) in HEADERS {
                assert_eq!(header(&answer, name), Some(value), "{path}");
            }
            refused(&asked(&without.handler, method, &path, &[]), 401, "unauthorized");
        }
        assert_eq!(asked(&with.handler, "GET", &format!("{path}?x=1"), &[]).status, 200, "{path}");
        refused(&asked(&with.handler, "POST", &path, &[]), 401, "unauthorized");
        assert_eq!(without.ask("GET", &path, &[], "").status, 404, "{path}");
        // Who asks for a file keeps nobody out.
        let head = request("GET", &path, &[("host", "h:80")], "").head;
        assert_eq!(with.handler.role_of(&head), None, "{path}");
    }
    let api = ["/media/api/read_config", "/media/api/status", "/metrics"];
    for path in api.into_iter().chain(["/mod.rs", "/index.html", "/../console.css"]) {
        refused(&asked(&with.handler, "GET", path, &[]), 401, "unauthorized");
    }
}

#[test]
fn a_page_of_another_site_may_lead_to_the_console_and_do_nothing_else() {
    let server = console();
    let fetched =
        |site, mode, kind| vec![("sec-fetch-site", site), ("sec-fetch-mode", mode), ("sec-fetch-dest", kind)];
    for path in Console::paths() {
        assert_eq!(asked(&server.handler, "GET", &path, &NAVIGATION).status, 200, "{path}");
        for headers in [
            vec![("sec-fetch-site", "cross-site")],
            fetched("cross-site", "no-cors", "script"),
            fetched("same-site", "navigate", "iframe"),
            vec![("origin", "http://evil.example")],
            [&NAVIGATION[..], &[("origin", "null")]].concat(),
        ] {
            refused(&asked(&server.handler, "GET", &path, &headers), 403, "cross-site");
        }
        let own = [("sec-fetch-site", "same-origin"), ("origin", "http://h:80")];
        assert_eq!(asked(&server.handler, "GET", &path, &own).status, 200, "{path}");
    }
    for path in ["/media/api/read_config", "/media/api/openapi.json", "/metrics"] {
        refused(&server.ask("GET", path, &NAVIGATION, ""), 403, "cross-site");
    }
    refused(&server.ask("POST", "/media/api/modify_config", &NAVIGATION, "{}"), 403, "cross-site");
}

#[test]
fn the_page_names_the_prefix_of_the_api() {
    let page = |prefix: &str| {
        let body = Console::new(prefix).file("/").expect("there is a page").1;
        String::from_utf8(body.to_vec()).expect("it is text")
    };
    assert!(page("/media/api").contains(r#"<meta name="mediactl-api" content="media/api">"#));
    assert!(page(r#"/a"><script>"#).contains(r#"content="a&quot;>&lt;script>">"#));
}

#[test]
fn the_files_are_those_of_the_folder_and_small() {
    let console = Console::new("/media/api");
    let listed: Vec<String> = Console::paths().map(|path| path.trim_start_matches('/').to_owned()).collect();
    let read = |name: &str| fs::read_to_string(Path::new(FOLDER).join(name)).expect("files are text");
    let all: String =
        listed.iter().map(|name| read(if name.is_empty() { "index.html" } else { name })).collect();
    for entry in fs::read_dir(FOLDER).expect("there is a folder") {
        let name = entry.expect("it can be read").file_name().into_string().expect("names are text");
        let text = read(&name);
        assert!(text.lines().count() <= MOST_LINES, "{name} has {} lines", text.lines().count());
        let is_loaded = all.contains(&format!("\"{name}\"")) || all.contains(&format!("'./{name}'"));
        assert!(
            ["mod.rs", "index.html"].contains(&name.as_str()) || (listed.contains(&name) && is_loaded),
            "{name} is not in listed, or nothing loads it"
        );
        uses_nothing_that_makes_code_of_text(&name, &text);
    }
    let sent: usize = Console::paths().map(|path| console.file(&path).expect("it is listed").1.len()).sum();
    assert!(sent <= MOST_BYTES, "{sent} bytes");
}

/// No text becomes HTML or code, and nothing comes from another host.
fn uses_nothing_that_makes_code_of_text(name: &str, text: &str) {
    let text = text.replace("http://www.w3.org/2000/svg", "");
    let makers = ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function"];
    for forbidden in makers.into_iter().chain(["http://", "https://", "localStorage"]) {
        assert!(!text.contains(forbidden), "{name} has `{forbidden}`");
    }
}

/// Conditions on an entry, which `--where` and the filter of the page read alike.
#[derive(Deserialize)]
struct Conditions {
    entry: Value,
    cases: Vec<(String, bool)>,
}

/// `tests/console/filter.test.js` reads the same table.
#[test]
fn where_holds_for_the_table_of_the_filter() {
    let table = fs::read("tests/fixtures/where/cases.json").expect("there is a table");
    let Conditions { entry, cases } = serde_json::from_slice(&table).expect("it is JSON");
    let path = ConfigPath::parse("streams.a").expect("it is a path");
    let whole = json!({"streams": {"a": entry}});
    let config = Config::from(&whole);
    for (text, expected) in cases {
        let mut condition = Condition::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        condition.accepts_near_miss = true;
        let found = config.select_where(&config, &path, &[condition]);
        assert!(found.as_ref().err().is_none_or(|fault| fault.is_absent()), "{text}: {found:?}");
        assert_eq!(found.is_ok(), expected, "{text}");
    }
}
