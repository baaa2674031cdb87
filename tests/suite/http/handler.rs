//! The handler, without a socket: requests in, answers and files out.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mediactl::engine::{Engine, Hooks};
use mediactl::http::server::handler::{Handler, HandlerSettings};
use mediactl::http::server::message::{AccessRecord, Head, HttpRequest, PeerAddress, Response, Service};
use mediactl::http::server::runtime::Runtime;
use mediactl::store::file::ConfFile;
use serde_json::{Value, json};

use crate::cli::{CONF, Place};

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
        Self::start(Place::with(text), Hooks::default(), false)
    }

    /// Over a text whose `view_auth` may look.
    pub(crate) fn viewed(text: &str) -> Self {
        Self::start(Place::with(text), Hooks::default(), true)
    }

    pub(super) fn reloading(command: &str) -> Self {
        let hooks = Hooks { reload: Some(command.to_owned()), ..Hooks::default() };
        Self::start(Place::with(TEXT), hooks, false)
    }

    pub(super) fn start(place: Place, hooks: Hooks, view_auth: bool) -> Self {
        let store = Arc::new(ConfFile::resolve(&place.path(CONF)).expect("it can be found"));
        let engine = Engine::new(store, hooks, |_| {});
        let engine = engine.start(|_, _| {}).expect("it is valid");
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

    /// The same, giving up changes that take longer.
    pub(super) fn giving_up_after(mut self, change_time: std::time::Duration) -> Self {
        self.handler.change_time = change_time;
        self
    }

    pub(crate) fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let authorization = account("admin", "s3cret");
        let mut all = vec![("host", "h:80")];
        if !headers.iter().any(|(name, _)| *name == "authorization") {
            all.push(("authorization", &authorization));
        }
        all.extend(headers);
        self.handler.answer(request(method, target, &all, body))
    }

    pub(super) fn get(&self, query: &str) -> Response {
        self.fetch(&format!("read_config{query}"))
    }

    pub(super) fn fetch(&self, target: &str) -> Response {
        self.ask("GET", &format!("/media/api/{target}"), &[], "")
    }

    pub(super) fn fetch_as(&self, (login, password): (&str, &str), target: &str) -> Response {
        let headers = [("authorization", &*account(login, password))];
        self.ask("GET", &format!("/media/api/{target}"), &headers, "")
    }

    pub(crate) fn post(&self, operation: &str, body: &str) -> Response {
        self.ask("POST", &format!("/media/api/{operation}"), &[], body)
    }

    pub(super) fn post_as(&self, (login, password): (&str, &str), operation: &str, body: &str) -> Response {
        let headers = [("authorization", &*account(login, password))];
        self.ask("POST", &format!("/media/api/{operation}"), &headers, body)
    }

    #[track_caller]
    pub(super) fn made(&self, operation: &str, body: &str) -> Response {
        let answer = self.post(operation, body);
        assert_eq!(answer.status, 200, "{operation} {body:.200}: {}", text(&answer));
        answer
    }

    /// Puts another text in the place of an entry, or adds it where there is none.
    pub(super) fn put_entry(&self, path: &str, text: &str, create: bool) -> Response {
        let texts = json!([{ "path": path, "text": text, "create": create }]);
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

pub(super) fn text(response: &Response) -> String {
    String::from_utf8_lossy(&response.body).into_owned()
}

pub(crate) fn account(login: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{login}:{password}")))
}

pub fn change(operation: &Value, options: &Value) -> String {
    json!({ "operation": operation, "options": options }).to_string()
}

#[track_caller]
pub(super) fn refused(response: &Response, status: u16, name: &str) {
    let body = body(response);
    assert_eq!(header(response, "Content-Type"), Some("application/problem+json"), "{body}");
    let urn = json!(format!("urn:mediactl:problem:{name}"));
    let told = (response.status, &body["status"], &body["type"]);
    assert_eq!(told, (status, &json!(status), &urn), "{body}");
}

#[test]
fn the_four_operations_do_what_the_document_says() {
    let server = Server::over(TEXT);
    let read = body(&server.get(""));
    assert_eq!(read["streams"]["b"]["prepush"], json!(5));
    assert_eq!(read["edit_auth"]["password"], json!("s3cret"));

    let modified = server.made("modify_config", r#"{"streams":{"b":{"prepush":7}}}"#);
    assert_eq!(body(&modified)["streams"]["b"]["prepush"], json!(7));
    assert_eq!(server.place.text(), TEXT.replace("prepush 5", "prepush 7"));

    let other = "edit_auth admin s3cret;\nrtmp 1935;\nstream c;\n";
    assert_eq!(body(&server.made("update_config", other)), json!(true));
    assert_eq!(body(&server.get(""))["rtmp"], json!(1935));
    assert_eq!(server.place.text(), TEXT.replace("prepush 5", "prepush 7"), "the file is left alone");
    assert_eq!(body(&server.get("?source=saved"))["streams"]["b"]["prepush"], json!(7));

    let saved = server.made("save_config", &format!("# mine\r\n{other}"));
    assert_eq!(body(&saved), json!(true));
    assert_eq!(server.place.text(), format!("# mine\r\n{other}"), "exactly these bytes");
}

#[test]
fn a_view_sent_back_changes_nothing() {
    let server = Server::over(TEXT);
    let written = server.place.written();
    for query in ["", "?runtime=true"] {
        server.made("modify_config", &text(&server.get(query)));
    }
    assert_eq!((server.place.text().as_str(), server.place.written()), (TEXT, written));
    server.made("modify_config", "[]");
}

#[test]
fn reads_have_their_parameters() {
    let server = Server::over(TEXT);
    let (all, some) = (&["a", "b", "film"][..], &["film"][..]);
    for (value, names) in [("true", some), ("True", some), ("1", some), ("0", all), ("FALSE", all)] {
        let read = body(&server.get(&format!("?x=1&skip_streams={value}")));
        let found: Vec<&String> = read["streams"].as_object().expect("streams").keys().collect();
        assert_eq!(found, names, "{value}");
    }
    let conf = server.get("?format=conf");
    let kind = header(&conf, "Content-Type");
    assert_eq!((kind, text(&conf).as_str()), (Some("text/plain; charset=utf-8"), TEXT));
    let refusal = server.get("?runtime=maybe&format=xml");
    refused(&refusal, 400, "bad-parameter");
    assert_eq!(body(&refusal)["errors"].as_array().map(Vec::len), Some(2));
    assert_eq!(header(&server.get(""), "Mediactl-Note"), None);
    let joined = Server::over("edit_auth admin s3cret;# Ports:http 80;stream a { url udp://1; }");
    for query in ["", "?format=conf", "?runtime=true"] {
        assert_eq!(header(&joined.get(query), "Mediactl-Note"), Some("lost-line-ends"), "{query}");
    }
}

#[test]
fn runtime_figures_are_real() {
    let server = Server::over(&format!("{TEXT}stream d {{ url rtsp://x; }}\n"));
    let answer = server.get("?runtime=true");
    let runtime = &body(&answer)["runtime"];
    assert_eq!(runtime["server"]["pid"], json!(std::process::id()));
    assert_eq!(runtime["config"]["saved"], json!(true));
    assert_eq!((&runtime["streams"]["total"], &runtime["streams"]["ondemand"]), (&json!(4), &json!(1)));
    assert_eq!(runtime["streams"]["live"], json!(2), "the command's figures are merged");
    assert_eq!(runtime["clients"], json!(7));
    assert!(header(&answer, "ETag").is_none());
}

#[test]
fn requests_without_the_password_are_refused() {
    let server = Server::over(TEXT);
    let [missing, wrong] =
        ["the login and the password of `edit_auth` are required", "the login or the password is wrong"];
    for (authorization, detail) in [
        ("", missing),
        ("Basic", missing),
        ("Basic !!", missing),
        ("Bearer x", missing),
        (&*account("admin", "guess"), wrong),
        // Whether there is such a login is not told.
        (&*account("nobody", "s3cret"), wrong),
        (&*account("", ""), wrong),
    ] {
        for target in ["/media/api/read_config", "/", "/nothing"] {
            let refusal = server.ask("GET", target, &[("authorization", authorization)], "");
            refused(&refusal, 401, "unauthorized");
            let asks = header(&refusal, "WWW-Authenticate");
            assert_eq!(asks, Some("Basic realm=\"media\", charset=\"UTF-8\""));
            assert_eq!(body(&refusal)["detail"], detail, "{authorization}");
        }
    }
    refused(&server.handler.answer(request("GET", "/", &[("host", "h")], "")), 401, "unauthorized");
    let log = server.log.lock().expect("a log").join("\n");
    assert!(!log.contains("YWRtaW4") && !log.contains("s3cret"), "{log}");
}

#[test]
fn paths_and_methods_are_told_apart() {
    let server = Server::over(TEXT);
    refused(&server.fetch("none"), 404, "not-found");
    refused(&server.ask("GET", "/read_config", &[], ""), 404, "not-found");
    for (method, operation, allowed, hint) in [
        ("DELETE", "read_config", "GET, HEAD", "use GET"),
        ("PUT", "save_config", "POST", "use POST"),
        ("GET", "save_config", "POST", "use POST"),
    ] {
        let refusal = server.ask(method, &format!("/media/api/{operation}"), &[], TEXT);
        refused(&refusal, 405, "method");
        assert_eq!(header(&refusal, "Allow"), Some(allowed), "{method} {operation}");
        assert_eq!(body(&refusal)["errors"][0]["hint"], hint, "{method} {operation}");
    }
    assert_eq!(server.ask("HEAD", "/media/api/read_config", &[], "").status, 200);
    assert_eq!(server.place.text(), TEXT);
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
    let root = server.ask("GET", "/", &[], "");
    for answer in [server.get(""), server.get("?format=x"), server.post("modify_config", "{"), root] {
        assert_eq!(header(&answer, "Mediactl-Api"), Some("2"));
        assert_eq!(header(&answer, "Cache-Control"), Some("no-store"));
        assert_eq!(header(&answer, "X-Content-Type-Options"), Some("nosniff"));
    }
}

#[test]
fn tags_make_reads_cheap_and_writes_safe() {
    let server = Server::over(TEXT);
    let tag = header(&server.get(""), "ETag").expect("a tag").to_owned();
    let read = |query: &str, tag| {
        server.ask("GET", &format!("/media/api/read_config{query}"), &[("if-none-match", tag)], "")
    };
    let again = read("", &tag);
    assert_eq!((again.status, again.body.len(), header(&again, "ETag")), (304, 0, Some(tag.as_str())));
    assert_eq!((read("", "\"x\"").status, read("?runtime=true", &tag).status), (200, 200));

    let modify = |tag, sent| server.ask("POST", "/media/api/modify_config", &[("if-match", tag)], sent);
    let matching = modify(&tag, r#"{"rtmp":1}"#);
    assert_eq!(matching.status, 200);
    assert_ne!(header(&matching, "ETag"), Some(tag.as_str()));
    refused(&modify(&tag, r#"{"rtmp":2}"#), 412, "stale");
    assert_eq!(modify("*", r#"{"rtmp":3}"#).status, 200);
    server.edit_by_hand("rtmp 3", "rtmp 4");
    refused(&modify("*", r#"{"rtsp":5}"#), 412, "stale");
}

#[test]
fn refusals_name_everything_that_is_wrong_and_change_nothing() {
    let server = Server::over(TEXT);
    let written = server.place.written();
    for (operation, sent, status, kind, told) in [
        ("modify_config", "{'streams':{}}", 400, "not-json", ""),
        ("modify_config", "5", 400, "not-json", ""),
        ("modify_config", "", 400, "not-json", ""),
        ("modify_config", TEXT, 400, "not-json", "`save_config`"),
        ("modify_config?dry_run=1", r#"{"rtmp":"x"}"#, 422, "wrong-type", "/rtmp"),
        ("modify_config", r#"{"edit_auth":null}"#, 422, "would-remove-credentials", ""),
        ("modify_config", r#"{"edit_auth":{"password":"<secret:0a1b2c>"}}"#, 422, "masked-value", ""),
        ("modify_config?accept=all", "{}", 400, "bad-parameter", ""),
        ("save_config", "edit_auth a b;\nstream {\n", 400, "bad-config", "\"line\":2"),
        ("save_config", "# all on one line http 80;", 400, "bad-config", ""),
        ("save_config", "# nothing yet\n", 422, "empty-replacement", ""),
        ("save_config", "\"http 80;\\n\"", 400, "bad-config", "--data-binary"),
        ("save_config", "{\"rtmp\":1}", 400, "bad-config", "`modify_config`"),
        ("update_config", "\"http 80;\\n\"", 400, "bad-config", "--data-binary"),
        ("update_config", "http 80;\n", 422, "would-remove-credentials", ""),
    ] {
        let answer = server.post(operation, sent);
        refused(&answer, status, kind);
        assert!(text(&answer).contains(told), "{operation} {sent}: {}", text(&answer));
    }
    let wrong = server.post("modify_config", r#"{"rtmp":"x","streams":{"a":{"prepush":"y"}}}"#);
    let pointer = |number: usize| body(&wrong)["errors"][number]["pointer"].clone();
    assert_eq!([pointer(0), pointer(1)], ["/rtmp", "/streams/a/prepush"]);
    let coded = server.ask("POST", "/media/api/modify_config", &[("content-encoding", "gzip")], "{}");
    refused(&coded, 415, "content-coding");
    assert_eq!((server.place.text().as_str(), server.place.written()), (TEXT, written));
    server.made("modify_config", "\u{feff}{\"rtmp\":1}");
    server.made("modify_config?force=true", r#"{"edit_auth":null}"#);
}

/// What ran and what stood in the file before, what is sent, the note of the answer, and what the file has then.
#[test]
fn a_change_notes_what_it_found_and_the_next_one_nothing() {
    let updated = format!("{TEXT}rtmp 1935;\n");
    let edited = TEXT.replace("prepush 5", "prepush 9");
    let rtsp = r#"{"rtsp":554}"#;
    for (running, file, (operation, sent), note, has) in [
        (&*updated, TEXT, ("modify_config", rtsp), Some("saved-earlier-update"), "rtmp 1935;"),
        // Copied into the file by hand, it counts as saved.
        (&updated, &*updated, ("modify_config", rtsp), None, "rtmp 1935;"),
        (TEXT, &edited, ("modify_config", rtsp), Some("found-hand-edit"), "prepush 9;"),
        (TEXT, &edited, ("modify_config", "{}"), Some("found-hand-edit"), "prepush 9;"),
        // The file, sent as an update, is loaded again.
        (TEXT, &edited, ("update_config", &edited), None, "prepush 9;"),
    ] {
        let server = Server::over(TEXT);
        server.made("update_config", running);
        server.place.put(CONF, file);
        let made = server.made(operation, sent);
        assert_eq!(header(&made, "Mediactl-Note"), note, "{operation} {sent}");
        assert!(server.place.text().contains(has), "{operation} {sent}");
        let next = server.made("modify_config", r#"{"rtsp":1}"#);
        assert_eq!(header(&next, "Mediactl-Note"), None, "{operation} {sent}");
    }
    // To accept one guard accepts no conflict.
    let server = Server::over(TEXT);
    server.edit_by_hand("prepush 5", "prepush 9");
    let accepting = "modify_config?accept=would-remove-credentials";
    let made = server.made(accepting, r#"{"edit_auth":null}"#);
    assert_eq!(header(&made, "Mediactl-Note"), Some("found-hand-edit"));
    assert!(server.place.text().contains("prepush 9"));
}

#[test]
fn a_hand_edit_of_another_value_is_merged_and_one_of_the_same_is_a_conflict() {
    let server = Server::over(TEXT);
    server.edit_by_hand("prepush 5", "prepush 9");
    let modified = server.made("modify_config", r#"{"streams":{"a":{"title":"x"}}}"#);
    assert_eq!(header(&modified, "Mediactl-Hand-Edit"), Some("streams.b.prepush"));
    assert_eq!(body(&modified)["streams"]["b"]["prepush"], json!(9));
    assert!(server.place.text().contains("prepush 9") && server.place.text().contains("title x"));

    server.edit_by_hand("s3cret", "hand-made");
    let sent = r#"{"edit_auth":{"password":"sent"}}"#;
    let clash = server.post("modify_config", sent);
    refused(&clash, 409, "conflict");
    let error = &body(&clash)["errors"][0];
    assert_eq!(error["pointer"], json!("/edit_auth/password"));
    assert!(error["base"].is_string() && error["theirs"].is_string() && error["mine"].is_string());
    for secret in ["s3cret", "hand-made", "sent\""] {
        assert!(!text(&clash).contains(secret), "{secret} in {}", body(&clash));
    }
    let by_hand = server.place.text();
    let forced = server.made("modify_config?force=1", sent);
    assert_eq!(header(&forced, "Mediactl-Note"), Some("overwrote-hand-edit"));
    assert!(server.place.text().contains("edit_auth admin sent; # keep"));
    assert_eq!(server.place.kept().last(), Some(&by_hand));
}

#[test]
fn a_hand_edit_that_can_not_be_merged_is_a_conflict() {
    let server = Server::over(TEXT);
    server.made("update_config", &format!("{TEXT}rtmp 1;\n"));
    server.edit_by_hand("prepush 5", "prepush 9");
    refused(&server.post("modify_config", r#"{"rtsp":1}"#), 409, "conflict");
    let saved = server.made("save_config", "edit_auth admin s3cret;\nstream a udp://1;\n");
    assert_eq!(header(&saved, "Mediactl-Note"), Some("overwrote-hand-edit; deleted-streams 2"));
    let broken = Server::over(TEXT);
    broken.edit_by_hand("stream b {", "stream b {{");
    refused(&broken.post("modify_config", r#"{"rtsp":1}"#), 409, "conflict");
    assert_eq!(broken.get("").status, 200, "what runs goes on");
    refused(&broken.get("?source=saved"), 400, "bad-config");
    assert_eq!(broken.get("?source=saved&format=conf").status, 200);
    let locked = Server::over(TEXT);
    locked.edit_by_hand("edit_auth admin s3cret; # keep\n", "");
    refused(&locked.post("modify_config", r#"{"rtsp":3}"#), 422, "would-remove-credentials");
    assert_eq!(locked.get("").status, 200);
}

#[test]
fn hooks_reject_and_take_back() {
    let check = "grep -q rtmp \"$MEDIACTL_TEXT\" || { echo no rtmp >&2; exit 1; }".to_owned();
    let hooks = Hooks { check: Some(check), ..Hooks::default() };
    let server = Server::start(Place::with(TEXT), hooks, false);
    let rejected = server.post("modify_config", r#"{"rtsp":1}"#);
    refused(&rejected, 422, "rejected-by-check");
    assert!(body(&rejected)["detail"].as_str().is_some_and(|detail| detail.contains("no rtmp")));
    server.made("modify_config", r#"{"rtmp":1}"#);

    let server = Server::reloading("! grep -q 'rtmp 1' \"$MEDIACTL_FILE\"");
    refused(&server.post("modify_config", r#"{"rtmp":1}"#), 500, "reload-failed");
    assert_eq!(server.place.text(), TEXT);
    assert_eq!(body(&server.get(""))["rtmp"], Value::Null, "what runs went back, too");
}
