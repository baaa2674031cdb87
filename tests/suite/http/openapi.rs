//! The OpenAPI document against the server that it describes, without a socket.

mod checker;

use std::collections::BTreeSet;
use std::fs;

use mediaconf::Schema;
use mediactl::engine::Hooks;
use mediactl::http::protocol::openapi::document;
use mediactl::http::protocol::parameters::{PARAMETERS, Values};
use mediactl::http::protocol::routes::{Body, ROUTES, Route};
use mediactl::http::server::message::{Head, PeerAddress, Request, Response, Service};
use serde_json::{Value, json};

use super::handler::{Server, body as json_body, header};
use crate::fixtures;

const TEXT: &str = "http 80;\nedit_auth admin s3cret;\nprepush on;\nstream a { url udp://1 tracks=1 x; auth false; }\n\
                    ondemand b { url udp://2; prepush off; transcoder vb=64k fast; }\nlive l;\nplugin p { k v; }\n";

const PREFIX: &str = "/media/api";

#[test]
fn the_document_is_the_one_that_is_answered_and_needs_the_password() {
    let server = Server::over(TEXT);
    let answer = server.ask("GET", "/media/api/openapi.json", &[], "");
    assert_eq!((answer.status, json_body(&answer)), (200, document(PREFIX)));
    assert_eq!(header(&answer, "Content-Type"), Some("application/json"));
    assert!(header(&answer, "Mediactl-Api").is_some_and(|words| words.contains(", openapi")));
    let other = server.ask("GET", "/media/api/openapi.json", &[("authorization", "Basic eDp5")], "");
    assert_eq!(other.status, 401);
}

#[test]
fn every_reference_leads_somewhere_and_nothing_is_left_over() {
    let document = document(PREFIX);
    let mut named = BTreeSet::new();
    references(&document, &mut named);
    for reference in &named {
        assert!(checker::resolve(&document, reference).is_some(), "{reference}");
    }
    for part in ["schemas", "headers"] {
        let parts = document["components"][part].as_object().expect("it is an object");
        for name in parts.keys() {
            assert!(named.contains(&format!("#/components/{part}/{name}")), "{name} is used nowhere");
        }
    }
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| references(element, found)),
        _ => {}
    }
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let document = document(PREFIX);
    let routes = ROUTES.iter().flat_map(|route| {
        route.methods.iter().map(|method| (format!("/{}", route.template()), method.to_ascii_lowercase()))
    });
    let paths = document["paths"].as_object().expect("they are an object").iter();
    let described = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("they are an object");
        let methods = methods.keys().filter(|key| *key != "servers");
        methods.map(|method| (path.clone(), method.clone()))
    });
    assert_eq!(described.collect::<BTreeSet<_>>(), routes.collect::<BTreeSet<_>>());
    let ids = ROUTES.iter().flat_map(|route| {
        let methods = route.methods.iter();
        methods.map(|method| described_operation(&document, route, method)["operationId"].to_string())
    });
    let ids: Vec<String> = ids.collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
}

fn described_operation<'d>(document: &'d Value, route: &Route, method: &str) -> &'d Value {
    &document["paths"][format!("/{}", route.template())][method.to_ascii_lowercase()]
}

#[test]
fn the_prefix_is_that_of_the_server() {
    for prefix in ["/media/api", "/x", "/"] {
        assert_eq!(document(prefix)["servers"][0]["url"], prefix);
    }
}

/// Requests that are made of each route.
struct Asked<'a> {
    route: &'a Route,
    method: &'a str,
    query: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: &'a str,
}

impl Asked<'_> {
    fn of(&self, server: &Server) -> Response {
        let argument = if self.route.argument.is_some() { "/1" } else { "" };
        let target = format!(
            "{}{argument}?{}",
            Route { argument: None, ..self.route.clone() }.shown_below(PREFIX),
            self.query
        );
        server.ask(self.method, &target, self.headers, self.body)
    }

    /// The answer has to be one that the document has for this route and method.
    fn check(&self, document: &Value, answer: &Response) {
        let what = || format!("{} {}?{} {}", self.method, self.route.path, self.query, self.body);
        // A method that a path does not take has no place of its own.
        let method = if self.route.takes(self.method) { self.method } else { self.route.methods[0] };
        let described = &described_operation(document, self.route, method)["responses"];
        let response = &described[answer.status.to_string()];
        assert!(response.is_object(), "{}: {} is not documented", what(), answer.status);
        headers_are_there(document, response, answer, &what());
        if self.method == "HEAD" {
            return;
        }
        let Some(media_type) = header(answer, "Content-Type") else {
            assert!(response.get("content").is_none() && answer.body.bytes().is_empty(), "{}", what());
            return;
        };
        let schema = &response["content"][media_type]["schema"];
        assert!(schema.is_object(), "{}: {media_type} is not documented for {}", what(), answer.status);
        let value = match media_type.starts_with("text/") {
            true => Value::String(String::from_utf8_lossy(&answer.body.bytes()).into_owned()),
            false => json_body(answer),
        };
        assert_eq!(checker::faults(document, schema, &value), [""; 0], "{}: {value}", what());
    }
}

fn headers_are_there(document: &Value, response: &Value, answer: &Response, what: &str) {
    for (name, reference) in response["headers"].as_object().expect("they are an object") {
        let reference = reference["$ref"].as_str().expect("it is a reference");
        let described = checker::resolve(document, reference).expect("it leads somewhere");
        let is_missing = described["required"] == true && header(answer, name).is_none();
        assert!(!is_missing, "{what}: {} has no {name}", answer.status);
    }
    let known: BTreeSet<&str> = response["headers"]
        .as_object()
        .into_iter()
        .flat_map(|headers| headers.keys())
        .map(|name| &**name)
        .collect();
    for (name, _) in answer.headers.iter().filter(|(name, _)| *name != "Content-Type") {
        assert!(known.contains(name), "{what}: {name} is not documented for {}", answer.status);
    }
}

/// Values of each parameter, those that it does not take among them.
fn queries() -> Vec<String> {
    let mut queries: Vec<String> = [
        "",
        "x=y",
        "confirm=60",
        "force=1&dry_run=1&format=conf",
        "path=streams.a&secrets=masked",
        "%ff=%",
        "a&&=&force",
    ]
    .map(str::to_owned)
    .into();
    for parameter in PARAMETERS {
        let values: &[&str] = match &parameter.values {
            Values::Switch(_) => &["true", "0", "", "yes"],
            Values::OneOf([first, second], _) => &[first, second, "", "other"],
            Values::Command(_) => &["edit", "fmt"],
            Values::Owner(_) => &["", "git", "../git"],
            Values::Guards(_) => &["", "would-remove-credentials,empty-replacement", "everything"],
            Values::Told(_) => &["", "diff,values", "secrets", "everything"],
            Values::Base(_) | Values::Key(_) => &["", "x", "000102030405060708090a0b0c0d0e0f"],
            Values::Revisions(_) => &["", "x", "*", "00000000000000000000000000000000"],
            Values::Nodes(_) => &["", "1", "edge1,edge7", "@edge", "a/b"],
            Values::Words(words, _) => &[words[0], words[words.len() - 1], "", "other"],
            Values::Path(_) => &["", "streams.a", "rtmp", "no.such", "streams.\"a"],
            Values::Change(_) => &["", "1", "serial:1", "0", "@2", "x"],
            Values::Text(_) => &["", "because", "%00%ff"],
            Values::Number(..) | Values::Seconds(..) => &["", "0", "1", "-1", "x", "99999999999999999999"],
        };
        queries.extend(values.iter().map(|value| format!("{}={value}", parameter.name)));
    }
    queries
}

fn bodies(body: Body) -> &'static [&'static str] {
    match body {
        Body::None => &["", "ignored"],
        Body::Patch => &[
            "{}",
            "[]",
            "",
            "{'a':1}",
            "5",
            r#"{"rtmp":"x"}"#,
            r#"{"rtmp":"h:1","streams":{"c":{"urls":[{"url":"u","n":1.5}]}}}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"edit_auth":null}"#,
            r#"{"edit_auth":{"password":"<secret:0a1b2c>"}}"#,
            r#"{"streams":{"a":{"name":"b"}}}"#,
            r#"{"streams":{"a":{"position":0}}}"#,
            r#"{"streams":null,"unknown":{"b":[[1,true,"x"]]}}"#,
        ],
        Body::Checked => {
            &["", "http x;\n", "stream a { prepsh 5; }", "{}", r#"{"rtmp":"x","streams":{"a":5}}"#, "[1"]
        }
        Body::Change => &[
            r#"{"modify":{"edits":{"patch":{"rtmp":1936}}}}"#,
            r#"{"modify":{"edits":{"patch":{"rtmp":{"a":1}}}}}"#,
            r#"{"modify":{"edits":{"assignments":{"assignments":[{"path":"rtsp","value":{"typed":"555"}}]}},
                "expectations":[{"path":"rtsp","value":"1"}]}}"#,
            r#"{"modify":{"edits":{"assignments":{"assignments":[{"path":"streams.x.title","value":"remove"}]}}}}"#,
            r#"{"save":"edit_auth admin s3cret;\n"}"#,
            r#"{"update":""}"#,
            r#"{"rollback":"1"}"#,
            r#"{"rollback":"@x"}"#,
            r#"{"modify":5}"#,
            "{}",
            "",
            "[",
        ],
        Body::Text => &[
            "edit_auth admin s3cret;\n",
            "",
            "# nothing\n",
            "stream a {",
            "stream a { url u; }\n",
            "edit_auth admin <secret:0a1b2c>;\n",
            "\u{feff}edit_auth admin s3cret;\r\nprepush on;\r\n",
        ],
    }
}

const HEADERS: &[&[(&str, &str)]] = &[
    &[],
    &[("authorization", "Basic eDp5")],
    &[("authorization", "")],
    &[("sec-fetch-site", "cross-site")],
    &[("content-encoding", "gzip")],
    &[("if-match", "\"x\"")],
    &[("if-none-match", "*")],
    &[("if-none-match", "\"x\""), ("if-match", "*")],
];

const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "BREW"];

#[test]
fn every_answer_to_a_request_is_described() {
    let document = document(PREFIX);
    let queries = queries();
    let mut statuses = BTreeSet::new();
    for route in ROUTES {
        let reader = Server::over(TEXT);
        let mut check = |asked: Asked<'_>| {
            // Of each its own: a change of the password would lock the next one out, and so would wrong ones.
            let is_read = !route.is_change() && asked.headers.is_empty();
            let answer = if is_read { asked.of(&reader) } else { asked.of(&Server::over(TEXT)) };
            asked.check(&document, &answer);
            statuses.insert(answer.status);
        };
        let method = route.methods[0];
        let good = bodies(route.body)[0];
        for query in &queries {
            check(Asked { route, method, query, headers: &[], body: good });
        }
        for body in bodies(route.body) {
            for &headers in HEADERS {
                check(Asked { route, method, query: "", headers, body });
            }
        }
        for method in METHODS {
            check(Asked { route, method, query: "", headers: &[], body: good });
        }
    }
    let expected = [200, 304, 400, 401, 403, 404, 405, 409, 412, 415, 422];
    assert_eq!(statuses, BTreeSet::from(expected), "the sweep does not meet what it is for");
}

#[test]
fn answers_of_a_server_in_trouble_are_described() {
    let document = document(PREFIX);
    let hook = |command: &str| Some(command.to_owned());
    let rejecting = Hooks { check: hook("exit 1"), ..Hooks::default() };
    let failing = Hooks { reload: hook("exit 1"), ..Hooks::default() };
    let edited = |server: &Server| server.edit_by_hand("http 80", "http 81");
    let broken = |server: &Server| server.edit_by_hand("}", "");
    let gone = |server: &Server| fs::remove_file(server.place.path(crate::cli::CONF)).expect("it is there");
    let nothing = |_: &Server| {};
    type Trouble<'a> = &'a dyn Fn(&Server);
    let troubles: [(&Hooks, Trouble<'_>, &[u16]); 5] = [
        (&rejecting, &nothing, &[200, 400, 404, 422]),
        (&failing, &nothing, &[200, 400, 404, 500]),
        (&Hooks::default(), &edited, &[200, 400, 404, 409]),
        (&Hooks::default(), &broken, &[200, 400, 404, 409]),
        (&Hooks::default(), &gone, &[200, 400, 404, 409]),
    ];
    for (hooks, trouble, expected) in troubles {
        let mut statuses = BTreeSet::new();
        for route in ROUTES {
            for query in ["", "source=saved", "source=saved&format=conf", "dry_run=1", "force=1", "async=1"] {
                let body = match route.body {
                    Body::Patch => r#"{"http":[8080]}"#,
                    Body::Change => r#"{"modify":{"edits":{"patch":{"http":[8080]}}}}"#,
                    _ => "edit_auth admin s3cret;\n",
                };
                let asked = Asked { route, method: route.methods[0], query, headers: &[], body };
                let server = Server::with_hooks(TEXT, hooks.clone());
                trouble(&server);
                let answer = asked.of(&server);
                asked.check(&document, &answer);
                statuses.insert(answer.status);
            }
        }
        assert_eq!(statuses, expected.iter().copied().collect());
    }
}

#[test]
fn configurations_satisfy_the_schema_and_so_do_they_as_patches() {
    let document = document(PREFIX);
    let read = ROUTES.iter().find(|route| route.path == "read_config").expect("it is there");
    let files = fixtures::files(&fixtures::root().join("valid"), "conf");
    assert!(!files.is_empty());
    let texts = files.iter().map(|path| fs::read_to_string(path).expect("a fixture is text"));
    for text in texts.chain([TEXT.to_owned(), include_str!("../../../examples/media.conf").to_owned()]) {
        let server = Server::over(&text);
        for query in ["", "runtime=true", "skip_streams=true"] {
            let answer = server.handler.answer(local(query));
            assert_eq!(answer.status, 200);
            let asked = Asked { route: read, method: "GET", query, headers: &[], body: "" };
            asked.check(&document, &answer);
            let schema = &document["components"]["schemas"]["Patch"];
            assert_eq!(checker::faults(&document, schema, &json_body(&answer)), [""; 0], "{text}");
        }
    }
}

/// In the names of patches that are taken although no client should send them.
const TOLERATED: &[&str] = &["decimal_string", "php_empty", "empty_array", "output_only"];

#[test]
fn patches_that_are_made_satisfy_the_schema() {
    let document = document(PREFIX);
    let schema = &document["components"]["schemas"]["Patch"];
    let cases = fixtures::cases("edit");
    assert!(!cases.is_empty());
    for case in cases {
        let patch = serde_json::from_str(&case.text("patch.json")).expect("it is JSON");
        let is_tolerated = TOLERATED.iter().any(|word| case.name().contains(word));
        let found = checker::faults(&document, schema, &patch);
        assert!(is_tolerated || found.is_empty(), "{}: {found:?}", case.name());
    }
}

/// A request that needs no password: not every fixture has one.
fn local(query: &str) -> Request {
    let head = Head {
        method: "GET".to_owned(),
        target: format!("{PREFIX}/read_config?{query}"),
        headers: Vec::new(),
        peer: PeerAddress::Uid(0),
        is_secured: false,
        unread: false,
    };
    Request { head, body: Vec::new().into() }
}

#[test]
fn every_property_says_what_its_directive_is() {
    let schemas = &document(PREFIX)["components"]["schemas"];
    let said = |schema: &str, key: &str| schemas[schema]["properties"][key]["x-mediactl"].clone();
    assert_eq!(
        said("Stream", "prepush"),
        json!({
            "keyword": "prepush", "text": "a number of seconds, or `off`", "unit": "s", "example": "prepush 5;",
            "secret": false,
        })
    );
    assert_eq!(said("Stream", "position"), json!({ "secret": false }));
    assert_eq!(said("Configuration", "edit_auth")["secret"], true);
    for row in Schema::media().rows().filter(|row| !row.keywords.is_empty()) {
        let found = schemas.as_object().expect("it is an object").values().any(|schema| {
            let own = &schema["properties"][row.key]["x-mediactl"];
            own["keyword"] == row.keywords[0] && own["secret"] == row.secret
        });
        assert!(found, "{}", row.key);
    }
}
