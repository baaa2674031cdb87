//! What goes wrong on the way, and the exit codes of it.

use std::net::TcpListener;

use mediactl::http::api::{API_HEADER, API_VERSION};

use super::bare::operate;
use super::place;
use super::server::{Reply, Server};
use crate::cli::{PROGRAM, Place, Run, SAMPLE};

/// A foreign server that answers reads, and answers changes as the test says.
fn reading(mut change: impl FnMut() -> Reply + Send + 'static) -> Server {
    let mut running = super::bare::view(SAMPLE);
    Server::start(move |request| match request.method.as_str() {
        "GET" => operate(request, &mut running),
        _ if request.path().ends_with("/change") => Reply::of(404, ""),
        _ => change(),
    })
}

/// A mediactl server that answers changes as the test says.
fn evaluating(mut change: impl FnMut() -> Reply + Send + 'static) -> Server {
    Server::start(move |_| change().with(API_HEADER, API_VERSION.to_owned()))
}

fn set(server: &Server, place: &Place) -> Run {
    place.run(["--url", &server.url(), "--timeout", "3", "modify", "--set", "streams.cam1.prepush=9"])
}

#[test]
fn a_broken_change_is_unknown() {
    for (reply, of_foreign, of_ours) in [
        ((|| Reply::Close) as fn() -> Reply, "the connection broke before the answer came", None),
        (|| Reply::Silence, "the answer did not come in time", None),
        (|| Reply::of(200, "<html>"), "something that is no JSON object", Some("no report of a change")),
        (|| Reply::of(502, "bad gateway"), "it answers 502 Bad Gateway: bad gateway", None),
        (|| problem(502, "engine-failed", "it died"), "it died", None),
    ] {
        let server = reading(reply);
        let run = set(&server, &place()).exits(8).says(of_foreign);
        if of_foreign != "it died" {
            run.says("it is not known whether the change was made");
        }
        assert_eq!(server.posts().len(), 1, "{of_foreign}");
        let server = evaluating(reply);
        set(&server, &place()).exits(8).says(of_ours.unwrap_or(of_foreign));
        assert_eq!(server.requests().len(), 1, "{of_foreign}");
    }
    for body in ["true", "{}", "[]"] {
        set(&evaluating(move || Reply::of(200, body)), &place()).exits(8).says("no report of a change");
    }
    // A proxy hides the header: it is made once.
    let server = Server::start(|_| Reply::of(200, r#"{"changed":true,"before":null,"after":null}"#));
    set(&server, &place()).exits(0);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_read_whose_connection_was_closed_is_sent_again_once() {
    for (mut closed, code) in [(1, 0), (2, 7)] {
        let mut running = super::bare::view(SAMPLE);
        let server = Server::start(move |request| {
            closed -= 1;
            if closed >= 0 { Reply::Close } else { operate(request, &mut running) }
        });
        place().run(["--url", &server.url(), "read", "rtsp"]).exits(code);
        assert_eq!(server.requests().len(), 2);
    }
}

#[test]
fn unusable_answers_have_their_exit_codes() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let url = format!("http://{}", free.expect("there is a port"));
    let run = place().run(["--url", &url, "modify", "--set", "rtsp=1"]).exits(7);
    run.says(&format!("error: `{url}`: not reachable: connection refused\n"));
    // A change that was sent may have been made.
    for (reply, code, of_change, said) in [
        ((|| Reply::Close) as fn() -> Reply, 7, 8, "the server closed the connection"),
        (|| Reply::Silence, 7, 8, "did not come in time"),
        (|| Reply::Trickle, 7, 8, "did not come in time"),
        (|| Reply::of(200, "<html>"), 7, 7, "something that is no JSON object"),
        (|| Reply::of(200, "[]"), 7, 7, "something that is no JSON object"),
        (|| Reply::of(404, "<p>\n\n no   page"), 7, 7, "it answers 404 Not Found: <p> no page"),
        (|| Reply::of(500, ""), 9, 8, "it answers 500 Internal Server Error\n"),
        (|| Reply::of(503, ""), 7, 7, "it answers 503 Service Unavailable\n"),
        (|| Reply::of(302, "").with("Location", "http://a:b@h/x"), 7, 7, "it redirects to `http://h/x`"),
        (|| Reply::of(307, "").with("Location", "/login"), 7, 7, "it redirects to `/login`"),
    ] {
        let server = Server::start(move |_| reply());
        for (arguments, code) in [
            (&["read"][..], code),
            (&["modify", "--set", "http[+]=1"], of_change),
            (&["diff", "media.conf"], code),
        ] {
            // Only what never answers has to run out of time.
            let seconds = if said.contains("in time") { "1" } else { "60" };
            let flags = ["--url", &server.url(), "--timeout", seconds];
            place().run(flags.iter().chain(arguments)).exits(code).says(said);
        }
        assert_eq!(server.posts(), []);
    }
}

#[test]
fn an_answer_takes_no_more_than_it_may() {
    let zeros = || format!(r#"{{"a":[0{}]}}"#, ",0".repeat(60_000));
    let said = "it gives an answer of more than 100 KiB\n";
    let announced = || Reply::Raw("HTTP/1.1 200 OK\r\nContent-Length: 102401\r\n\r\n{");
    for server in [
        Server::start(move |_| announced()),
        Server::start(|_| Reply::Endless(200)),
        Server::start(move |_| Reply::of(200, zeros())),
    ] {
        let url = server.url();
        for command in [&["read"][..], &["status"], &["modify", "--set", "http[+]=1", "--dry-run"]] {
            let run = place().run(["--url", &url, "--max-answer", "100K"].iter().chain(command)).exits(7);
            run.says(&format!("error: `{url}`: {said}hint: `--max-answer 204800` takes a larger one\n"));
        }
    }
    // A change may have been made.
    let server = reading(move || Reply::of(200, zeros()));
    let run = place().run(["--url", &server.url(), "--max-answer", "100K", "modify", "--set", "rtsp=1"]);
    run.exits(8).says(said.trim_end()).says("it is not known whether the change was made");
    for (status, code, said) in [
        (200, 7, "it gives an answer of more than 64 MiB\n"),
        (500, 9, "it answers 500 Internal Server Error"),
    ] {
        let server = Server::start(move |_| Reply::Endless(status));
        // With less memory than an answer may take, it would end otherwise.
        let limited = format!("ulimit -v 1000000; exec {PROGRAM} --url {} read", server.url());
        place().call("sh", ["-c", &limited]).run().exits(code).says(said);
    }
    for size in "0,0K,1X,-1,,M,1.5M,64 M,1k,17GiB,17179869185,99999999999999999999G".split(',') {
        let run = place().run(["--max-answer", size, "--url", "http://h", "read"]).exits(2);
        run.says("a size is from 1 to `17179869184` bytes, such as `64M` or `100KiB`");
    }
    let server = reading(|| Reply::Close);
    for size in ["200000", "1G", "16GiB", "100K", "1MiB"] {
        place().run(["--url", &server.url(), "--max-answer", size, "read", "http"]).exits(0);
    }
}

pub fn problem(status: u16, name: &str, detail: &str) -> Reply {
    let document = serde_json::json!({"type": format!("urn:mediactl:problem:{name}"), "detail": detail});
    Reply::of(status, document.to_string()).with("Content-Type", "application/problem+json")
}

#[test]
fn each_problem_has_its_exit_code() {
    for (code, status, names) in [
        (3, 400, &["bad-request", "not-json", "bad-config", "bad-parameter"][..]),
        (4, 401, &["unauthorized"]),
        (4, 403, &["cross-site", "view-only"]),
        (7, 404, &["not-found"]),
        (7, 405, &["method"]),
        (3, 408, &["too-slow"]),
        (5, 409, &["conflict", "pending"]),
        (6, 409, &["failed-nodes"]),
        (5, 412, &["stale"]),
        (3, 415, &["content-coding"]),
        (3, 422, &["wrong-type", "read-only", "masked-value", "near-miss", "form-change", "new-warnings"]),
        (3, 422, &["rejected-by-check"]),
        (6, 422, &["would-remove-credentials", "would-delete-streams", "empty-replacement", "dangling"]),
        (4, 429, &["too-many-failures"]),
        (3, 431, &["too-large"]),
        (9, 500, &["write-failed", "reload-failed"]),
        (7, 503, &["busy", "full", "cluster-unavailable"]),
        (8, 504, &["engine-failed"]),
        // Of a later version, or of others.
        (3, 422, &["new-one"]),
        (5, 409, &["new-one"]),
        (8, 500, &["new-one"]),
    ] {
        for name in names {
            let server = reading(move || problem(status, name, "so it is"));
            let run = set(&server, &place());
            assert_eq!(run.code, Some(code), "{name} {status}: {run:#?}");
            assert!(code == 6 || run.err.contains("so it is"), "{name}: {run:#?}");
        }
    }
    assert_eq!(mediactl::error::KINDS.len(), 34, "the table above has them all");
}

#[test]
fn a_request_that_was_not_looked_at_is_sent_again() {
    let locked = || problem(429, "too-many-failures", "not looked at").with("Retry-After", "1");
    let mut asked = 0;
    let server = Server::start(move |_| {
        asked += 1;
        if asked < 3 { locked() } else { Reply::of(200, r#"{"http":80}"#) }
    });
    place().run(["--url", &server.url(), "read", "http"]).exits(0).prints("80");
    let server = Server::start(move |_| locked());
    place().run(["--url", &server.url(), "--timeout", "2", "read", "http"]).exits(4).says("not looked at");
}

#[test]
fn every_fault_is_shown_at_its_place() {
    let server = reading(|| {
        let document = r#"{"type": "urn:mediactl:problem:conflict", "detail": "two keys differ", "errors": [
            {"message": "differs", "pointer": "/rtsp", "base": 1, "theirs": 2, "mine": 3, "hint": "look"},
            {"message": "odd\u001b[31m", "line": 4, "column": 2}]}"#;
        Reply::of(409, document).with("Content-Type", "application/problem+json; charset=utf-8")
    });
    let run = set(&server, &place()).exits(5);
    let faults = "error: `rtsp`: differs (it was `1`, became `2`, and was to be `3`)\nhint: look\n\
                  error: line 4, column 2: odd\u{fffd}[31m\n";
    assert_eq!(run.err, format!("error: `{}`: two keys differ\n{faults}", server.url()));
}
