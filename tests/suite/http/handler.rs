//! The handler, without a socket: requests in, answers and files out.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use mediactl::engine::{Engine, Hooks};
use mediactl::http::console::Console;
use mediactl::http::server::auth::Account;
use mediactl::http::server::handler::{Handler, HandlerSettings};
use mediactl::http::server::message::AccessRecord;
use mediactl::http::server::message::{Head, HttpRequest, PeerAddress, Response, Service};
use mediactl::http::server::runtime::Runtime;
use mediactl::store::file::ConfFile;
use serde_json::{Value, json};

use crate::cli::{CONF, Place};
use crate::waiting::eventually;

pub(super) const TEXT: &str = "# main\nhttp 80;\nedit_auth admin s3cret; # keep\nstream a { url udp://1; }\n\
                    stream b {\n  url udp://2;\n  prepush 5;\n}\nondemand film file://f.mp4;\n";

/// A handler over a configuration in a folder of its own.
pub(crate) struct Server {
    pub(super) place: Place,
    pub(super) handler: Handler,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn over(text: &str) -> Self {
        Self::with_hooks(text, Hooks::default())
    }

    pub(super) fn with_hooks(text: &str, hooks: Hooks) -> Self {
        Self::at(Place::with(text), hooks)
    }

    /// Over a text whose `view_auth` may look.
    pub(crate) fn viewed(text: &str) -> Self {
        Self::viewed_with_hooks(text, Hooks::default())
    }

    pub(super) fn viewed_with_hooks(text: &str, hooks: Hooks) -> Self {
        Self::made(Place::with(text), hooks, true)
    }

    /// Over a folder as it was left.
    pub(super) fn at(place: Place, hooks: Hooks) -> Self {
        Self::made(place, hooks, false)
    }

    fn made(place: Place, hooks: Hooks, view_auth: bool) -> Self {
        let store = Arc::new(ConfFile::resolve(&place.path(CONF)).expect("it can be found"));
        let engine = Engine::new(store.clone(), hooks, |_, _| {});
        let engine = engine.start(|_| {}).expect("it is valid");
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = log.clone();
        let settings = HandlerSettings {
            prefix: "/media/api".to_owned(),
            trusted_proxies: vec![[10, 9, 9, 9].into()],
            view_auth,
            log: Box::new(move |access: &AccessRecord| {
                lines.lock().expect("a log").push(format!("{access:?}"))
            }),
            runtime: Runtime::new(Some("echo '{\"clients\": 7, \"streams\": {\"live\": 2}}'".to_owned())),
            patch_memory: usize::MAX,
        };
        Self { place, handler: Handler::new(engine, settings), log }
    }

    /// The same, with the files of the console.
    pub(super) fn with_console(mut self) -> Self {
        self.handler.console = Some(Console::new("/media/api"));
        self
    }

    /// The same, giving up changes that take longer.
    pub(super) fn giving_up_after(mut self, change_time: std::time::Duration) -> Self {
        self.handler.change_time = change_time;
        self
    }

    pub(crate) fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let credentials = Account { login: "admin".to_owned(), password: "s3cret".to_owned() };
        let authorization = credentials.to_header();
        let mut all = vec![("host", "h:80")];
        if !headers.iter().any(|(name, _)| *name == "authorization") {
            all.push(("authorization", &authorization));
        }
        all.extend(headers);
        self.handler.answer(request(method, target, &all, body))
    }

    pub(super) fn get(&self, query: &str) -> Response {
        self.ask("GET", &format!("/media/api/read_config{query}"), &[], "")
    }

    pub(crate) fn post(&self, operation: &str, body: &str) -> Response {
        self.ask("POST", &format!("/media/api/{operation}"), &[], body)
    }

    /// Puts another text in the place of an entry.
    pub(super) fn put_entry(&self, path: &str, text: &str) -> Response {
        let texts = json!([{ "path": path, "text": text }]);
        self.post("change", &change(&json!({ "entries": { "texts": texts } }), &json!({})))
    }

    pub(super) fn edit_by_hand(&self, from: &str, to: &str) {
        let text = self.place.text();
        assert!(text.contains(from), "{from}");
        self.place.put(CONF, text.replace(from, to));
    }
}

pub(super) fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> HttpRequest {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let peer = PeerAddress::Address(IpAddr::from([192, 0, 2, 1]));
    let head = Head { method: method.to_owned(), target: target.to_owned(), headers, peer, unread: false };
    HttpRequest { head, body: body.as_bytes().to_vec().into() }
}

pub(super) fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

pub(super) fn body(response: &Response) -> Value {
    serde_json::from_slice(&response.body).expect("the body is JSON")
}

fn kind(response: &Response) -> String {
    let body = body(response);
    assert_eq!(header(response, "Content-Type"), Some("application/problem+json"));
    assert_eq!(body["status"], json!(response.status));
    body["type"]
        .as_str()
        .and_then(|urn| urn.strip_prefix("urn:mediactl:problem:"))
        .unwrap_or_default()
        .to_owned()
}

/// The body of `change`.
pub fn change(operation: &Value, options: &Value) -> String {
    json!({ "operation": operation, "options": options }).to_string()
}

pub(super) fn refused(response: &Response, status: u16, name: &str) {
    assert_eq!((response.status, kind(response).as_str()), (status, name), "{}", body(response));
}

#[test]
fn the_four_operations_do_what_the_document_says() {
    let server = Server::over(TEXT);
    let read = server.get("");
    assert_eq!(read.status, 200);
    assert_eq!(body(&read)["streams"]["b"]["prepush"], json!(5));
    assert_eq!(body(&read)["edit_auth"]["password"], json!("s3cret"));

    let modified = server.post("modify_config", r#"{"streams":{"b":{"prepush":7}}}"#);
    assert_eq!((modified.status, &body(&modified)["streams"]["b"]["prepush"]), (200, &json!(7)));
    assert_eq!(server.place.text(), TEXT.replace("prepush 5", "prepush 7"));

    let other = "edit_auth admin s3cret;\nrtmp 1935;\nstream c;\n";
    let updated = server.post("update_config", other);
    assert_eq!((updated.status, body(&updated)), (200, json!(true)));
    assert_eq!(body(&server.get(""))["rtmp"], json!(1935));
    assert_eq!(server.place.text(), TEXT.replace("prepush 5", "prepush 7"), "the file is left alone");
    assert_eq!(body(&server.get("?source=saved"))["streams"]["b"]["prepush"], json!(7));

    let saved = server.post("save_config", &format!("# mine\r\n{other}"));
    assert_eq!((saved.status, body(&saved)), (200, json!(true)));
    assert_eq!(server.place.text(), format!("# mine\r\n{other}"), "exactly these bytes");
}

#[test]
fn a_view_sent_back_changes_nothing() {
    let server = Server::over(TEXT);
    let written = server.place.written();
    for query in ["", "?runtime=true"] {
        let read = server.get(query);
        let sent = server.post("modify_config", &String::from_utf8_lossy(&read.body));
        assert_eq!(sent.status, 200, "{}", body(&sent));
    }
    assert_eq!((server.place.text().as_str(), server.place.written()), (TEXT, written));
    assert_eq!(server.post("modify_config", "[]").status, 200);
}

#[test]
fn reads_have_their_parameters() {
    let server = Server::over(TEXT);
    let names = |query: &str| {
        let body = body(&server.get(query));
        body["streams"].as_object().expect("streams").keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names("?x=1"), ["a", "b", "film"]);
    assert_eq!(names("?skip_streams=true"), ["film"]);
    assert_eq!(names("?skip_streams=True"), ["film"]);
    assert_eq!(names("?skip_streams=1"), ["film"]);
    assert_eq!(names("?skip_streams=0"), ["a", "b", "film"]);
    assert_eq!(names("?skip_streams=FALSE"), ["a", "b", "film"]);
    let text = server.get("?format=conf");
    assert_eq!(
        (header(&text, "Content-Type"), &**text.body),
        (Some("text/plain; charset=utf-8"), TEXT.as_bytes())
    );
    refused(&server.get("?runtime=maybe&format=xml"), 400, "bad-parameter");
    assert_eq!(body(&server.get("?runtime=maybe&format=xml"))["errors"].as_array().map(Vec::len), Some(2));
}

#[test]
fn reads_tell_that_a_text_has_lost_its_line_ends() {
    let server = Server::over("edit_auth admin s3cret;# Ports:http 80;stream a { url udp://1; }");
    for query in ["", "?format=conf", "?runtime=true"] {
        let read = server.get(query);
        assert_eq!((read.status, header(&read, "Mediactl-Note")), (200, Some("lost-line-ends")), "{query}");
    }
    assert_eq!(header(&Server::over(TEXT).get(""), "Mediactl-Note"), None);
}

#[test]
fn runtime_figures_are_real() {
    let server = Server::over(&format!("{TEXT}stream d {{ url rtsp://x; }}\n"));
    let runtime = body(&server.get("?runtime=true"))["runtime"].clone();
    assert_eq!(runtime["server"]["pid"], json!(std::process::id()));
    assert_eq!(runtime["config"]["saved"], json!(true));
    assert_eq!(runtime["streams"]["total"], json!(4));
    assert_eq!(runtime["streams"]["ondemand"], json!(1));
    assert_eq!(runtime["streams"]["live"], json!(2), "the command's figures are merged");
    assert_eq!(runtime["clients"], json!(7));
    assert!(header(&server.get("?runtime=true"), "ETag").is_none());
}

#[test]
fn requests_without_the_password_are_refused() {
    let server = Server::over(TEXT);
    for authorization in ["", "Basic", "Basic !!", "Bearer x", "Basic YWRtaW46d3Jvbmc="] {
        for target in ["/media/api/read_config", "/", "/nothing"] {
            let refusal = server.ask("GET", target, &[("authorization", authorization)], "");
            refused(&refusal, 401, "unauthorized");
            assert_eq!(
                header(&refusal, "WWW-Authenticate"),
                Some("Basic realm=\"media\", charset=\"UTF-8\"")
            );
        }
    }
    let none = server.handler.answer(request("GET", "/media/api/read_config", &[("host", "h")], ""));
    refused(&none, 401, "unauthorized");
    let log = server.log.lock().expect("a log").join("\n");
    assert!(!log.contains("YWRtaW4") && !log.contains("s3cret"), "{log}");
}

#[test]
fn many_wrong_passwords_lock_an_address_out_but_not_who_was_right() {
    let server = Server::over(TEXT);
    assert_eq!(server.get("").status, 200);
    let attempt = |number: usize, proxy: bool| {
        let wrong = Account { login: "admin".to_owned(), password: format!("guess{number}") }.to_header();
        let mut request = request("GET", "/media/api/read_config", &[("authorization", &wrong)], "");
        if proxy {
            request.head.peer = PeerAddress::Address([10, 9, 9, 9].into());
            request
                .head
                .headers
                .push(("x-forwarded-for".to_owned(), format!("1.1.1.1, 198.51.100.{number}")));
        }
        server.handler.answer(request).status
    };
    let statuses: Vec<u16> = (0..30).map(|number| attempt(number, false)).collect();
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[10..], [429; 20]);
    assert_eq!(server.get("").status, 200, "the right one was right before");
    assert!((0..30).all(|number| attempt(number, true) == 401), "behind a proxy its clients are told apart");
}

#[test]
fn a_new_password_holds_from_the_next_request_on() {
    let server = Server::over(TEXT);
    assert_eq!(server.post("modify_config", r#"{"edit_auth":{"password":"new"}}"#).status, 200);
    refused(&server.get(""), 401, "unauthorized");
    let new = Account { login: "admin".to_owned(), password: "new".to_owned() }.to_header();
    assert_eq!(server.ask("GET", "/media/api/read_config", &[("authorization", &new)], "").status, 200);
    assert!(server.place.text().contains("edit_auth admin new; # keep"));
}

#[test]
fn paths_and_methods_are_told_apart() {
    let server = Server::over(TEXT);
    refused(&server.ask("GET", "/media/api/none", &[], ""), 404, "not-found");
    refused(&server.ask("GET", "/read_config", &[], ""), 404, "not-found");
    let refusal = server.ask("DELETE", "/media/api/read_config", &[], "");
    refused(&refusal, 405, "method");
    assert_eq!(header(&refusal, "Allow"), Some("GET, HEAD"));
    assert_eq!(header(&server.ask("GET", "/media/api/save_config", &[], ""), "Allow"), Some("POST"));
    assert_eq!(server.ask("HEAD", "/media/api/read_config", &[], "").status, 200);
}

#[test]
fn pages_of_other_sites_are_not_answered() {
    let server = Server::over(TEXT);
    for (headers, status) in [
        (vec![("sec-fetch-site", "cross-site")], 403),
        (vec![("sec-fetch-site", "same-site")], 403),
        (vec![("origin", "http://evil.example")], 403),
        (vec![("origin", "null")], 403),
        (vec![("sec-fetch-site", "same-origin"), ("origin", "http://h:80")], 200),
        (vec![("sec-fetch-site", "none")], 200),
    ] {
        assert_eq!(server.ask("GET", "/media/api/read_config", &headers, "").status, status, "{headers:?}");
    }
}

#[test]
fn every_answer_says_whose_it_is_and_is_not_kept() {
    let server = Server::over(TEXT);
    let answers = [
        server.get(""),
        server.get("?format=x"),
        server.post("modify_config", "{"),
        server.ask("GET", "/", &[], ""),
    ];
    for answer in &answers {
        assert_eq!(header(answer, "Mediactl-Api"), Some("2"));
        assert_eq!(header(answer, "Cache-Control"), Some("no-store"));
        assert_eq!(header(answer, "X-Content-Type-Options"), Some("nosniff"));
    }
}

#[test]
fn tags_make_reads_cheap_and_writes_safe() {
    let server = Server::over(TEXT);
    let tag = header(&server.get(""), "ETag").expect("a tag").to_owned();
    let path = "/media/api/read_config";
    let again = server.ask("GET", path, &[("if-none-match", &tag)], "");
    assert_eq!((again.status, again.body.len(), header(&again, "ETag")), (304, 0, Some(tag.as_str())));
    assert_eq!(server.ask("GET", path, &[("if-none-match", "\"x\"")], "").status, 200);
    assert_eq!(
        server.ask("GET", &format!("{path}?runtime=true"), &[("if-none-match", &tag)], "").status,
        200
    );

    let modify = "/media/api/modify_config";
    let matching = server.ask("POST", modify, &[("if-match", &tag)], r#"{"rtmp":1}"#);
    assert_eq!(matching.status, 200);
    assert_ne!(header(&matching, "ETag"), Some(tag.as_str()));
    refused(&server.ask("POST", modify, &[("if-match", &tag)], r#"{"rtmp":2}"#), 412, "stale");
    assert_eq!(server.ask("POST", modify, &[("if-match", "*")], r#"{"rtmp":3}"#).status, 200);
    server.edit_by_hand("rtmp 3", "rtmp 4");
    refused(&server.ask("POST", modify, &[("if-match", "*")], r#"{"rtsp":5}"#), 412, "stale");
}

#[test]
fn a_dry_run_does_everything_but_change() {
    let server = Server::over(TEXT);
    let dry = server.ask("POST", "/media/api/modify_config?dry_run=true&format=conf", &[], r#"{"rtmp":1}"#);
    assert_eq!(dry.status, 200);
    assert!(String::from_utf8_lossy(&dry.body).contains("rtmp 1;"));
    refused(
        &server.ask("POST", "/media/api/modify_config?dry_run=1", &[], r#"{"rtmp":"x"}"#),
        422,
        "wrong-type",
    );
    assert_eq!(
        server.ask("POST", "/media/api/save_config?dry_run=1", &[], "edit_auth a b;\nstream c;\n").status,
        200
    );
    assert_eq!(
        server.ask("POST", "/media/api/update_config?dry_run=1", &[], "edit_auth a b;\nstream c;\n").status,
        200
    );
    assert_eq!((server.place.text().as_str(), server.get("").status), (TEXT, 200));
}

#[test]
fn refusals_name_everything_that_is_wrong_and_change_nothing() {
    let server = Server::over(TEXT);
    let written = server.place.written();
    refused(&server.post("modify_config", "{'streams':{}}"), 400, "not-json");
    refused(&server.post("modify_config", "5"), 400, "not-json");
    refused(&server.post("modify_config", "http 80;\n"), 400, "not-json");
    refused(&server.post("save_config", "\"http 80;\\n\""), 400, "bad-config");
    refused(&server.post("modify_config", ""), 400, "not-json");
    for request in [
        r#"{"modify":"t0psecret"}"#,
        r#"{"modify":{"edits":{"t0psecret":1}}}"#,
        r#"{"modify":{"edits":{"assignments":{"assignments":[{"path":"a","value":"t0psecret"}]}}}}"#,
        r#"{"rollback":"t0psecret"}"#,
    ] {
        let answer = server.post("change", &format!(r#"{{"operation":{request}}}"#));
        refused(&answer, 400, "not-json");
        assert!(!body(&answer).to_string().contains("t0psecret"), "{request}");
    }
    let wrong = server.post("modify_config", r#"{"rtmp":"x","streams":{"a":{"prepush":"y"}}}"#);
    refused(&wrong, 422, "wrong-type");
    let pointers: Vec<Value> = body(&wrong)["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| error["pointer"].clone())
        .collect();
    assert_eq!(pointers, [json!("/rtmp"), json!("/streams/a/prepush")]);
    refused(&server.post("modify_config", r#"{"edit_auth":null}"#), 422, "would-remove-credentials");
    refused(
        &server.post("modify_config", r#"{"edit_auth":{"password":"<secret:0a1b2c>"}}"#),
        422,
        "masked-value",
    );
    let broken = server.post("save_config", "edit_auth a b;\nstream {\n");
    refused(&broken, 400, "bad-config");
    assert_eq!(body(&broken)["errors"][0]["line"], json!(2));
    refused(&server.post("save_config", "# all on one line http 80;"), 400, "bad-config");
    refused(&server.post("save_config", "# nothing yet\n"), 422, "empty-replacement");
    refused(&server.post("update_config", "http 80;\n"), 422, "would-remove-credentials");
    let coded = server.ask("POST", "/media/api/modify_config", &[("content-encoding", "gzip")], "{}");
    refused(&coded, 415, "content-coding");
    assert_eq!((server.place.text().as_str(), server.place.written()), (TEXT, written));
    let forced = server.ask("POST", "/media/api/modify_config?force=true", &[], r#"{"edit_auth":null}"#);
    assert_eq!(forced.status, 200);
}

#[test]
fn an_update_that_was_not_saved_is_saved_with_the_next_change_and_that_is_said() {
    let server = Server::over(TEXT);
    let new = format!("{TEXT}rtmp 1935;\n");
    assert_eq!(server.post("update_config", &new).status, 200);
    assert_eq!(body(&server.get("?runtime=true"))["runtime"]["config"]["saved"], json!(false));
    let modified = server.post("modify_config", r#"{"rtsp":554}"#);
    assert_eq!(header(&modified, "Mediactl-Note"), Some("saved-earlier-update"));
    assert!(server.place.text().contains("rtmp 1935;") && server.place.text().contains("rtsp 554;"));
    assert_eq!(header(&server.post("modify_config", r#"{"rtsp":555}"#), "Mediactl-Note"), None);
}

#[test]
fn a_hand_edit_of_another_value_is_merged() {
    let server = Server::over(TEXT);
    server.edit_by_hand("prepush 5", "prepush 9");
    let modified = server.post("modify_config", r#"{"streams":{"a":{"title":"x"}}}"#);
    assert_eq!(header(&modified, "Mediactl-Note"), Some("found-hand-edit"), "{}", body(&modified));
    assert_eq!(header(&modified, "Mediactl-Hand-Edit"), Some("streams.b.prepush"));
    assert_eq!(body(&modified)["streams"]["b"]["prepush"], json!(9));
    assert!(server.place.text().contains("prepush 9") && server.place.text().contains("title x"));

    server.edit_by_hand("s3cret", "hand-made");
    let clash = server.post("modify_config", r#"{"edit_auth":{"password":"sent"}}"#);
    refused(&clash, 409, "conflict");
    let error = &body(&clash)["errors"][0];
    assert_eq!(error["pointer"], json!("/edit_auth/password"));
    assert!(error["base"].is_string() && error["theirs"].is_string() && error["mine"].is_string());
    for secret in ["s3cret", "hand-made", "sent\""] {
        assert!(!String::from_utf8_lossy(&clash.body).contains(secret), "{secret} in {}", body(&clash));
    }
    let text = server.place.text();
    let forced =
        server.ask("POST", "/media/api/modify_config?force=1", &[], r#"{"edit_auth":{"password":"sent"}}"#);
    assert_eq!(header(&forced, "Mediactl-Note"), Some("overwrote-hand-edit"));
    assert!(server.place.text().contains("edit_auth admin sent; # keep"));
    assert_eq!(server.place.kept().last(), Some(&text));
}

#[test]
fn a_hand_edit_beside_an_unsaved_update_is_a_conflict() {
    let server = Server::over(TEXT);
    server.post("update_config", &format!("{TEXT}rtmp 1;\n"));
    server.edit_by_hand("prepush 5", "prepush 9");
    refused(&server.post("modify_config", r#"{"rtsp":1}"#), 409, "conflict");
    let saved = server.post("save_config", "edit_auth admin s3cret;\nstream a udp://1;\n");
    assert_eq!(header(&saved, "Mediactl-Note"), Some("overwrote-hand-edit; deleted-streams 2"));
    let broken = Server::over(TEXT);
    broken.edit_by_hand("stream b {", "stream b {{");
    refused(&broken.post("modify_config", r#"{"rtsp":1}"#), 409, "conflict");
    assert_eq!(broken.get("").status, 200, "what runs goes on");
    refused(&broken.get("?source=saved"), 400, "bad-config");
    assert_eq!(broken.get("?source=saved&format=conf").status, 200);
}

#[test]
fn the_file_sent_as_an_update_is_loaded_again() {
    let server = Server::over(TEXT);
    server.edit_by_hand("prepush 5", "prepush 9");
    assert_eq!(server.post("update_config", &server.place.text()).status, 200);
    assert_eq!(body(&server.get("?runtime=true"))["runtime"]["config"]["saved"], json!(true));
    assert_eq!(header(&server.post("modify_config", r#"{"rtsp":1}"#), "Mediactl-Note"), None);
}

#[test]
fn hooks_reject_and_take_back() {
    let check = Hooks {
        check: Some("grep -q rtmp \"$MEDIACTL_TEXT\" || { echo no rtmp >&2; exit 1; }".to_owned()),
        ..Hooks::default()
    };
    let server = Server::with_hooks(TEXT, check);
    let rejected = server.post("modify_config", r#"{"rtsp":1}"#);
    refused(&rejected, 422, "rejected-by-check");
    assert!(body(&rejected)["detail"].as_str().is_some_and(|detail| detail.contains("no rtmp")));
    assert_eq!(server.post("modify_config", r#"{"rtmp":1}"#).status, 200);

    let reload = Hooks {
        reload: Some("grep -q 'rtmp 1' \"$MEDIACTL_FILE\" && exit 3; exit 0".to_owned()),
        ..Hooks::default()
    };
    let server = Server::with_hooks(TEXT, reload);
    refused(&server.post("modify_config", r#"{"rtmp":1}"#), 500, "reload-failed");
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(body(&server.get(""))["rtmp"], Value::Null, "what runs went back, too");
    assert_eq!(server.ask("POST", "/media/api/modify_config?async=true", &[], r#"{"rtmp":1}"#).status, 200);
    eventually(|| {
        let runtime = body(&server.get("?runtime=true"))["runtime"].clone();
        runtime["config"]["last_error"].as_str().is_some_and(|error| error.contains("exit code 3"))
    });
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn concurrent_changes_are_all_made() {
    let server = Server::over(TEXT);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for change in 0..5 {
                    let patch = json!({"streams": {format!("w{writer}-{change}"): {"urls": []}}});
                    assert_eq!(server.post("modify_config", &patch.to_string()).status, 200);
                }
            });
        }
    });
    let streams = body(&server.get(""))["streams"].as_object().expect("streams").len();
    assert_eq!(streams, 3 + 20);
}

#[test]
fn a_patch_that_changes_nothing_picks_up_a_hand_edit_all_the_same() {
    let server = Server::over(TEXT);
    server.edit_by_hand("prepush 5", "prepush 9");
    let modified = server.post("modify_config", "{}");
    assert_eq!(header(&modified, "Mediactl-Note"), Some("found-hand-edit"));
    assert_eq!(body(&server.get(""))["streams"]["b"]["prepush"], json!(9));
    assert_eq!(header(&server.post("modify_config", "{}"), "Mediactl-Note"), None);
}

#[test]
fn an_account_that_was_taken_away_by_hand_is_not_picked_up_unasked() {
    let server = Server::over(TEXT);
    server.edit_by_hand("edit_auth admin s3cret; # keep\n", "");
    refused(&server.post("modify_config", r#"{"rtsp":3}"#), 422, "would-remove-credentials");
    assert_eq!(server.get("").status, 200);
}

#[test]
fn accepting_one_guard_accepts_no_other_and_no_conflict() {
    let server = Server::over(TEXT);
    server.edit_by_hand("prepush 5", "prepush 9");
    let accept = "/media/api/modify_config?accept=would-remove-credentials";
    let modified = server.ask("POST", accept, &[], r#"{"edit_auth":null}"#);
    assert_eq!(header(&modified, "Mediactl-Note"), Some("found-hand-edit"), "{}", body(&modified));
    assert!(server.place.text().contains("prepush 9"));
    let unknown = Server::over(TEXT).ask("POST", "/media/api/modify_config?accept=all", &[], "{}");
    refused(&unknown, 400, "bad-parameter");
}

#[test]
fn an_update_copied_into_the_file_by_hand_counts_as_saved() {
    let server = Server::over(TEXT);
    let new = format!("{TEXT}rtmp 1;\n");
    server.post("update_config", &new);
    server.place.put(CONF, &new);
    let modified = server.post("modify_config", r#"{"rtsp":2}"#);
    assert_eq!((modified.status, header(&modified, "Mediactl-Note")), (200, None));
}

#[test]
fn a_file_that_is_gone_is_not_found_and_comes_back_with_a_save() {
    let hooks = Hooks {
        reload: Some("grep -q bad \"$MEDIACTL_TEXT\" && exit 1; exit 0".to_owned()),
        ..Hooks::default()
    };
    let server = Server::with_hooks(TEXT, hooks);
    std::fs::remove_file(server.place.path(CONF)).expect("it is there");
    refused(&server.get("?source=saved"), 404, "not-found");
    refused(&server.post("modify_config", r#"{"rtsp":1}"#), 409, "conflict");
    refused(&server.post("save_config", &format!("{TEXT}bad;\n")), 500, "reload-failed");
    assert!(!server.place.path(CONF).exists(), "what was not there is not there again");
    assert_eq!(body(&server.get(""))["bad"], Value::Null);
    assert_eq!(server.post("save_config", TEXT).status, 200);
    assert_eq!(server.place.text(), TEXT);
}

#[test]
fn secrets_in_the_wrong_place_are_neither_answered_nor_logged() {
    let server = Server::over(TEXT);
    for patch in [
        r#"{"streams":{"a":{"prepush":"rtsp://u:TOPSECRET@h/x"}}}"#,
        r#"{"http":["rtsp://u:TOPSECRET@h"]}"#,
        r#"{"streams":{"rtsp://u:TOPSECRET@h":5}}"#,
    ] {
        let answer = server.post("modify_config", patch);
        assert_eq!(answer.status, 422);
        assert!(!String::from_utf8_lossy(&answer.body).contains("TOPSECRET"), "{}", body(&answer));
    }
    // Only the text says that this is one.
    assert_eq!(server.post("modify_config", r#"{"rtmp":"s3cret"}"#).status, 422);
    let log = server.log.lock().expect("a log").join("\n");
    assert!(
        !log.contains("TOPSECRET") && !log.contains("s3cret") && log.contains("expected a port"),
        "{log}"
    );
}

#[test]
fn a_forged_forwarding_header_hides_nobody() {
    let server = Server::over(TEXT);
    let statuses: Vec<u16> = (0..12)
        .map(|number| {
            let wrong = Account { login: "admin".to_owned(), password: format!("guess{number}") }.to_header();
            let forged = format!("203.0.113.{number}");
            let headers = [
                ("authorization", wrong.as_str()),
                ("x-forwarded-for", &forged),
                ("x-forwarded-for", "198.51.100.7:99"),
            ];
            let mut request = request("GET", "/media/api/read_config", &headers, "");
            request.head.peer = PeerAddress::Address([10, 9, 9, 9].into());
            server.handler.answer(request).status
        })
        .collect();
    assert_eq!(statuses[10..], [429, 429]);
}
