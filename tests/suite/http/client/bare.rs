//! A server that has the four operations and nothing else: it ignores all parameters and all
//! headers but `Authorization`, so whatever is posted is applied.

use mediaconf::{Config, Document};
use serde_json::{Value, json};

use super::place;
use super::server::{Reply, Request, Server};
use crate::cli::{Place, Run, SAMPLE};

/// `admin:hunter2`, in base64.
pub const AUTHORIZATION: &str = "Basic YWRtaW46aHVudGVyMg==";

pub const AS_ADMIN: &str = "admin:hunter2";

pub fn view(text: &str) -> Value {
    let document = Document::parse(text.to_owned());
    serde_json::to_value(Config::new(&document)).expect("a view is JSON")
}

pub fn bare() -> Server {
    bare_of(SAMPLE)
}

fn bare_of(text: &str) -> Server {
    let mut running = view(text);
    Server::start(move |request| {
        if request.headers.get("authorization").map(String::as_str) != Some(AUTHORIZATION) {
            return Reply::of(401, "Unauthorized").with("WWW-Authenticate", "Basic realm=\"x\"");
        }
        operate(request, &mut running)
    })
}

pub fn operate(request: &Request, running: &mut Value) -> Reply {
    match (request.method.as_str(), request.path()) {
        ("GET", "/media/api/read_config") => Reply::of(200, running.to_string()),
        ("POST", "/media/api/modify_config") => match serde_json::from_str(&request.body) {
            Ok(patch) => {
                merge(running, &patch);
                Reply::of(200, running.to_string())
            }
            Err(_) => Reply::of(400, "bad"),
        },
        ("POST", "/media/api/update_config" | "/media/api/save_config") => {
            *running = view(&request.body);
            Reply::of(200, "true")
        }
        _ => Reply::of(404, "<html>no such page</html>"),
    }
}

/// Merges a patch, as RFC 7396 says.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Value::Object(members) = target else { return };
    for (key, value) in patch {
        match value {
            Value::Null => drop(members.shift_remove(key)),
            value => merge(members.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

pub fn run(server: &Server, place: &Place, arguments: &[&str], input: &str) -> Run {
    let url = server.url_as(AS_ADMIN);
    place.mediactl(["--url", &url].iter().chain(arguments)).input(input).run().hides(AS_ADMIN)
}

#[test]
fn every_output_of_read_works_on_a_foreign_server() {
    let (server, local) = (bare(), Place::with(SAMPLE));
    for arguments in [
        &["read"][..],
        &["read", "-o", "compact"],
        &["read", "-o", "set"],
        &["read", "-o", "table"],
        &["read", "--skip-streams"],
        &["read", "-o", "table", "--skip-streams"],
        &["read", "streams.cam1.prepush", "rtsp"],
        &["read", "-r", "streams.cam1.urls[0].url"],
        &["read", "streams.*.urls"],
        &["read", "-o", "set", "streams.cam1"],
    ] {
        let here = local.run(arguments).exits(0);
        let there = run(&server, &place(), arguments, "").exits(0);
        assert_eq!((here.out, there.err.as_str()), (there.out, ""), "{arguments:?}");
    }
    run(&server, &place(), &["read", "streams.cam3"], "").exits(7).says("there is no stream `cam3`");
    run(&server, &place(), &["read", "--runtime"], "").exits(0);
    run(&server, &place(), &["read", "--with-includes"], "").exits(0).says("does not send the files");
    let status = run(&server, &place(), &["status", "-o", "json"], "").exits(0).json();
    assert!(["saved", "pending", "last_change"].iter().all(|member| status[member].is_null()), "{status}");
    run(&server, &place(), &["status"], "").exits(0).prints("unknown: the server does not say");
    assert_eq!(server.posts(), []);
}

#[test]
fn features_that_a_foreign_server_lacks_are_refused() {
    let (server, place) = (bare(), place());
    for (arguments, what) in [
        (&["read", "--saved"][..], "the saved configuration"),
        (&["edit", "--yes"], "the text of the configuration"),
        (&["read", "-o", "conf"], "the text of the configuration"),
        (&["read", "-o", "conf", "--saved"], "the saved configuration"),
        (&["diff"], "the saved configuration"),
        (&["diff", "saved", "media.conf"], "the saved configuration"),
        (&["check"], "the text of the configuration"),
        (&["history"], "a history"),
        (&["history", "show", "last"], "a history"),
        (&["rollback", "last"], "a history"),
        (&["blame", "rtsp"], "a history"),
        (&["diff", "change:last", "running"], "a history"),
        (&["confirm"], "changes that have to be confirmed"),
        (&["confirm", "--rollback"], "changes that have to be confirmed"),
        (&["modify", "--set", "rtsp=1", "--confirm", "9"], "changes that have to be confirmed"),
        (&["save", "-", "--confirm", "9s"], "changes that have to be confirmed"),
        (&["update", "-", "--confirm", "1m"], "changes that have to be confirmed"),
    ] {
        let run = run(&server, &place, arguments, SAMPLE).exits(7);
        run.says(&format!("error: the server at `{}` does not offer {what}", server.url()));
    }
    assert_eq!(server.posts(), []);
}

#[test]
fn a_dry_run_posts_nothing() {
    let (server, place) = (bare(), place());
    let other = SAMPLE.replace("554", "555");
    for (arguments, input, code, shown) in [
        (&["modify", "--set", "streams.cam1.prepush=9"][..], "", 0, "-  prepush 5;\n+  prepush 9;\n"),
        (&["modify", "--set", "streams.cam1.urls[+]=udp://h:1"], "", 0, "+  url udp://h:1;"),
        (&["modify", "-f", "-"], r#"{"streams":{"cam1":null}}"#, 0, "-stream cam1 {"),
        (&["modify", "-f", "-", "-o", "json"], r#"{"rtsp":1}"#, 0, "\"after\": 1\n"),
        (&["modify", "-f", "-"], r#"{"rtsp":{"a":1}}"#, 3, "`rtsp`: "),
        (&["modify", "--set", "http[0]=80"], "", 0, "nothing to change"),
        (&["save", "-"], &other, 0, "+rtsp 555;"),
        (&["update", "-"], &other, 0, "+rtsp 555;"),
        (&["modify", "--unset", "edit_auth", "-q"], "", 6, ""),
        (&["modify", "edit_auth.password=s3cret", "--show-secrets"], "", 0, "+edit_auth admin s3cret;"),
        (&["modify", "--set", "edit_auth.password=s3cret"], "", 0, "+edit_auth admin <secret:"),
        (&["modify", "--set", "rtmp=1", "--expect", "rtsp=1"], "", 5, "`rtsp` is `554`, not `1`"),
    ] {
        let told = run(&server, &place, &[arguments, &["--dry-run"]].concat(), input).exits(code);
        assert!(told.out.contains(shown) || told.err.contains(shown), "{arguments:?} {told:#?}");
        assert_eq!(told.out.contains("s3cret"), shown.contains("s3cret"), "{arguments:?}");
    }
    let shown = run(&server, &place, &["modify", "--set", "streams.cam1.prepush=9", "--dry-run"], "");
    let would = format!("would change {}: 1 line added, 1 line removed\n", server.url());
    shown.says("compares its values").says(&would);
    assert_eq!(server.posts(), []);
}

#[test]
fn a_refused_change_sends_nothing() {
    let many: String = (0..8).map(|at| format!("stream s{at} udp://h:{at};\n")).collect();
    let (server, place) = (bare_of(&format!("{SAMPLE}{many}")), place());
    let gone: Vec<String> = (0..7).map(|at| format!("\"s{at}\":null")).collect();
    let gone = format!("{{\"streams\":{{{}}}}}", gone.join(","));
    let (deleted, last) = ("7 of 11 streams would be deleted", "the last usable `edit_auth`");
    for (arguments, input, code, said) in [
        (&["modify", "-f", "-"][..], gone.as_str(), 6, deleted),
        (&["modify", "-f", "-"], r#"{"streams":null}"#, 6, "11 of 11"),
        (&["modify", "-f", "-", "--max-delete", "6"], &gone, 6, deleted),
        (&["save", "-"], "edit_auth a b;\n", 6, "no stream, live or plugin"),
        (&["update", "-"], "edit_auth a b;\n", 6, "no stream, live or plugin"),
        (&["modify", "--unset", "edit_auth"], "", 6, last),
        (&["modify", "--accept=near-miss", "--set-string", "edit_auth.password="], "", 6, last),
        (&["save", "-", "--max-delete", "99"], "http 1;\n", 6, last),
        (&["save", "-"], "# curl\n", 6, "no stream, live or plugin at all"),
        (&["save", "-"], "http x {\n", 3, "the new configuration has"),
        (&["update", "-"], "edit_auth a <secret:123456>;\n", 3, "mask"),
        (&["modify", "-f", "-"], "{'a':1}", 3, "not JSON"),
        (&["modify", "--set", "streams.cam9.prepush=1"], "", 3, "cam9"),
        (&["modify", "--check-cmd", "true", "--set", "http[+]=1"], "", 2, "a server changes the file"),
    ] {
        run(&server, &place, arguments, input).exits(code).says(said);
    }
    assert_eq!(server.posts(), []);
    run(&server, &place, &["modify", "-f", "-", "--force"], &gone).exits(0);
    assert_eq!(server.posts(), [("/media/api/modify_config".to_owned(), gone)]);
}

#[test]
fn changes_are_made_and_shown() {
    let (server, place) = (bare(), place());
    let changed = run(&server, &place, &["modify", "--set", "streams.cam1.prepush=9"], "").exits(0);
    changed.prints("-  prepush 5;\n+  prepush 9;\n").says("compares its values").says("changed http://127");
    let patch = "{\"streams\":{\"cam1\":{\"title\":\"ü\"}}}";
    run(&server, &place, &["modify", "-q", "-f", "-"], patch).exits(0).says_nothing();
    run(&server, &place, &["modify", "--set", "http=[80"], "").exits(3);
    let other = SAMPLE.replace("554", "555");
    run(&server, &place, &["save", "-"], &other).exits(0).prints("+rtsp 555;").says("saved http://127");
    run(&server, &place, &["update", "-"], SAMPLE).exits(0).prints("-rtsp 555;").says("updated http://127");
    let warned = run(&server, &place, &["modify", "--set", "http[+]=81", "-m", "more"], "").exits(0);
    let warned = warned.says("warning: `http://127").says("does not record messages").prints("+http 81;");
    warned.says("another change at the same time could be overwritten");
    let posts = [
        ("modify", r#"{"streams":{"cam1":{"prepush":9}}}"#),
        ("modify", patch),
        ("save", &other),
        ("update", SAMPLE),
        ("modify", r#"{"http":[80,81]}"#),
    ];
    let posts = posts.map(|(operation, body)| (format!("/media/api/{operation}_config"), body.to_owned()));
    assert_eq!(server.posts(), posts);
}

#[test]
fn a_diff_is_of_the_values() {
    let (server, place) = (bare(), place());
    place.put("same.conf", format!("# another comment\n{SAMPLE}"));
    place.put("other.conf", SAMPLE.replace("554", "555"));
    run(&server, &place, &["diff", "same.conf"], "").exits(0).says("compares its values");
    let run_diff = run(&server, &place, &["diff", "other.conf"], "").exits(1).says("compares its values");
    run_diff.prints(&format!("--- {}\n+++ other.conf\n", server.url())).prints("-rtsp 554;\n+rtsp 555;\n");
    let patch = run(&server, &place, &["diff", "--json", "running", "other.conf"], "").exits(1);
    assert_eq!(patch.json(), json!({"rtsp": 555}));
    let url = server.url_as(AS_ADMIN);
    let between = place.run(["diff", &url, "other.conf"]).exits(1).hides(AS_ADMIN);
    between.prints(&format!("--- {}\n", server.url()));
    run(&server, &place, &["diff", &url], "").exits(0);
    place.put("broken.conf", "stream {");
    run(&server, &place, &["diff", "broken.conf"], "").exits(3).says("broken.conf:1:");
    assert_eq!(server.posts(), []);
}

#[test]
fn apply_needs_no_text() {
    let (server, place) = (bare(), place());
    let state = "stream cam1 { url udp://239.0.0.1:1234 priority=1; prepush 6; }\n";
    let arguments = ["apply", "--prune", "--exit-code", "-o", "change-json", "-"];
    let change = run(&server, &place, &arguments, state).exits(10).json();
    let paths = change["paths"].as_array().expect("a list").iter();
    let mut pointers: Vec<&str> = paths.filter_map(|path| path["pointer"].as_str()).collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/lives/studio", "/streams/cam.2", "/streams/cam1/prepush", "/streams/film"]);
    assert!(change["revision"].is_null(), "{change}");
    run(&server, &place, &arguments, state).exits(0);
}

#[test]
fn blocks_are_renamed_and_copied_by_a_patch() {
    let (server, place) = (bare(), place());
    let anew = "does not give its text, so the block is made anew there, without comments";
    run(&server, &place, &["mv", "streams.cam1", "streams.lobby", "--dry-run"], "").exits(0).says(anew);
    assert_eq!(server.posts(), []);
    run(&server, &place, &["mv", "streams.cam1", "streams.lobby"], "").exits(0).says(anew);
    run(&server, &place, &["cp", "streams.lobby", "streams.cam9", "--set", "prepush=6"], "").exits(0);
    run(&server, &place, &["add", "stream", "cam5", "udp://h:5"], "").exits(0);
    run(&server, &place, &["rm", "streams.film"], "").exits(0);
    run(&server, &place, &["mv", "streams.cam1", "streams.x"], "").exits(7);
    let sources = json!([{"url": "udp://239.0.0.1:1234", "priority": 1}]);
    let lobby = json!({"static": true, "position": 1, "urls": sources, "prepush": 5});
    let posted = server.posts().into_iter().map(|(_, body)| serde_json::from_str(&body).expect("it is JSON"));
    let patches = [
        json!({"streams": {"lobby": lobby, "cam1": null}}),
        json!({"streams": {"cam9": {"static": true, "urls": sources, "prepush": 6}}}),
        json!({"streams": {"cam5": {"urls": [{"url": "udp://h:5"}]}}}),
        json!({"streams": {"film": null}}),
    ];
    assert_eq!(posted.collect::<Vec<Value>>(), patches);
}

#[test]
fn a_server_that_ignores_a_change_is_told() {
    let running = view(SAMPLE);
    let server = Server::start(move |request| match request.path() {
        "/media/api/read_config" | "/media/api/modify_config" => Reply::of(200, running.to_string()),
        _ => Reply::of(200, "true"),
    });
    for (arguments, input) in
        [(&["modify", "rtmp=5"][..], ""), (&["save", "-"], "rtmp 5;\n"), (&["update", "-"], "rtmp 5;\n")]
    {
        let told = run(&server, &place(), &[arguments, &["--force"]].concat(), input);
        assert!(told.code != Some(0) && told.err.contains("without the change"), "{arguments:?}: {told:?}");
        assert_eq!(told.out, "", "{arguments:?}");
    }
    run(&server, &place(), &["modify", "rtsp=554"], "").exits(0);
}

/// What the guards look at: they are computed from what was read.
const GUARDED: &str = "edit_auth admin hunter2;\nmark a;\nmark b;\nhttp 80 { x { peer s1; peer s2; } }\n\
                    stream cam1 {\n  url udp://1;\n  archive /storage 7d;\n}\nstream old {\n  url udp://2;\n  titel x;\n  prepsh 1;\n}\n";

#[test]
fn form_change_near_miss_and_one_line_are_refused_and_nothing_is_posted() {
    let joined = "edit_auth admin hunter2;http 80;# Streams:stream cam1 udp://1;stream old udp://2;";
    let list = r#"{"http_options":{"80":{"x":{"peer":{"s3":{}}}}}}"#;
    for (guard, command, input, named) in [
        ("form-change", "modify -f -", r#"{"mark":["a","c"]}"#, "`mark`"),
        ("form-change", "modify -f -", list, "`http_options.80.x.peer`"),
        ("near-miss", "modify --set rtpm=1936", "", "`rtpm`"),
        ("near-miss", "modify --set streams.cam1.prepuhs=5", "", "`streams.cam1.prepuhs`"),
        ("one-line", "save - --max-delete 9", joined, "--data-binary"),
        ("one-line", "update - --max-delete 9", joined, "--data-binary"),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        for accepting in [&["--accept", guard][..], &["--force"]] {
            let (server, place) = (bare_of(GUARDED), place());
            run(&server, &place, &arguments, input).exits(3).says(named).says(guard);
            let rehearsed = [&arguments[..], &["--dry-run", "--yes"]].concat();
            run(&server, &place, &rehearsed, input).exits(3).says(named);
            assert_eq!(server.posts(), []);
            let emptied = ["--accept", "empty-replacement"];
            run(&server, &place, &[&arguments, accepting, &emptied].concat(), input).exits(0);
            // It would not know the parameter, and what it does not know it ignores.
            let [(target, _)] = &server.posts()[..] else { panic!("{:?}", server.posts()) };
            assert!(!target.contains('?'), "{target}");
        }
    }
}
