//! `/metrics` and `/healthz`: what is counted, and who may ask.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use mediactl::http::server::auth::MAX_FAILURES;
use mediactl::http::server::message::Service;

use super::handler::{Server, TEXT, account, header, refused, request, text};
use super::past::pending;
use crate::needs::needs;

fn metrics(server: &Server) -> String {
    let answer = server.ask("GET", "/metrics", &[], "");
    let kind = Some("text/plain; version=0.0.4; charset=utf-8");
    assert_eq!((answer.status, header(&answer, "Content-Type")), (200, kind));
    text(&answer)
}

fn value(metrics: &str, sample: &str) -> Option<f64> {
    let line = metrics.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    line.map(|value| value.parse().expect("a value is a number"))
}

#[track_caller]
fn shows(server: &Server, samples: &[(&str, f64)]) {
    let metrics = metrics(server);
    for (sample, expected) in samples {
        assert_eq!(value(&metrics, sample), Some(*expected), "{sample}\n{metrics}");
    }
}

#[test]
fn changes_count_by_operation_and_result() {
    let server = Server::reloading("! grep -q 'rtmp 1937' \"$MEDIACTL_TEXT\"");
    shows(&server, &[("mediactl_last_reload_successful", 1.0)]);
    let changes = |operation: &str, result: &str| {
        format!(r#"mediactl_changes_total{{operation="{operation}",result="{result}"}}"#)
    };
    for (target, sent, result) in [
        ("modify_config", r#"{"rtmp":1935}"#, "changed"),
        ("modify_config", r#"{"rtmp":1935}"#, "unchanged"),
        ("modify_config?dry_run=true", r#"{"rtmp":1936}"#, "rehearsed"),
        ("modify_config", r#"{"rtmp":"fast"}"#, "invalid"),
        ("modify_config", r#"{"edit_auth":null}"#, "guarded"),
        ("modify_config", r#"{"rtmp":1937}"#, "failed"),
    ] {
        server.post(target, sent);
        shows(&server, &[(&changes("modify", result), 1.0)]);
    }
    shows(&server, &[("mediactl_last_reload_successful", 0.0)]);
    server.post("update_config", "edit_auth admin s3cret;\nrtsp 554;\nstream a udp://1;\n");
    let [updated, saved] = ["update", "save"].map(|operation| changes(operation, "changed"));
    shows(&server, &[(&updated, 1.0), (&saved, 0.0), ("mediactl_saved", 0.0)]);
}

#[test]
fn hand_edits_and_pending_changes_are_seen() {
    let server = Server::over(TEXT);
    let streams = ["static", "ondemand"].map(|kind| format!("mediactl_streams{{kind=\"{kind}\"}}"));
    shows(&server, &[(&streams[0], 2.0), (&streams[1], 1.0)]);
    let state = |values: [f64; 3]| {
        let names = ["mediactl_saved", "mediactl_edited_by_hand", "mediactl_pending"];
        shows(&server, &names.into_iter().zip(values).collect::<Vec<_>>());
    };
    state([1.0, 0.0, 0.0]);
    server.edit_by_hand("http 80", "http 81");
    state([0.0, 1.0, 0.0]);
    server.made("modify_config", r#"{"rtmp":1935}"#);
    state([1.0, 0.0, 0.0]);
    let id = pending(&server.made("modify_config?confirm=60", r#"{"rtmp":1936}"#));
    state([1.0, 0.0, 1.0]);
    server.made(&format!("cancel_config?id={id}"), "");
    state([1.0, 0.0, 0.0]);
}

#[test]
fn the_health_needs_no_credentials_and_tells_nobody_whether_theirs_are_right() {
    let server = Server::over(TEXT);
    let ask = |path: &str, password: Option<&str>| {
        let sent = password.map(|password| account("admin", password));
        let headers: Vec<_> = sent.iter().map(|value| ("authorization", value.as_str())).collect();
        request("GET", path, &headers, "")
    };
    let answer = |path: &str, password: Option<&str>| server.handler.answer(ask(path, password));
    for number in 0..MAX_FAILURES * 2 {
        let response = answer("/healthz", Some(&format!("wrong {number}")));
        assert_eq!((response.status, response.body.as_slice()), (200, b"ok\n".as_slice()));
    }
    for password in [None, Some("s3cret"), Some("wrong")] {
        let head = ask("/healthz", password).head;
        assert_eq!(server.handler.role_of(&head), None, "it gives no claim to a slot");
    }
    assert_eq!(answer("/media/api/read_config", Some("wrong")).status, 401, "nothing was counted");
    shows(&server, &[("mediactl_lockouts_total", 0.0)]);
    for number in 0..MAX_FAILURES + 5 {
        answer("/metrics", Some(&format!("wrong {number}")));
    }
    refused(&answer("/metrics", Some("wrong")), 429, "too-many-failures");
    assert_eq!(answer("/healthz", None).status, 200);
    refused(&server.handler.answer(request("POST", "/healthz", &[], "")), 401, "unauthorized");
    // A lock-out is counted once. The right password of the last hour gets in.
    shows(&server, &[("mediactl_lockouts_total", 1.0)]);
    refused(&server.ask("POST", "/healthz", &[], ""), 405, "method");
    refused(&server.ask("GET", "/healthz/x", &[], ""), 404, "not-found");
}

fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("mediactl_") || word.starts_with("process_")).collect()
}

#[test]
fn the_examples_name_only_metrics_that_are_there() {
    let server = Server::over(TEXT);
    server.post("modify_config", r#"{"rtmp":1935}"#);
    let metrics = metrics(&server);
    let mut there = names(&metrics);
    // Those of nodes are in no answer of a server without a cluster.
    there.extend(names(include_str!("../../../src/http/server/metrics.rs")));
    for example in [
        include_str!("../../../examples/monitoring/alerts.yml"),
        include_str!("../../../examples/monitoring/alerts.test.yml"),
        include_str!("../../../examples/monitoring/grafana-dashboard.json"),
    ] {
        let unknown: Vec<_> = names(example).into_iter().filter(|name| !there.contains(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

#[test]
fn promtool_accepts_the_metrics_and_the_examples() {
    if !needs("promtool") {
        return;
    }
    let metrics = metrics(&Server::over(TEXT));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/monitoring");
    for arguments in [
        &["check", "metrics"][..],
        &["check", "rules", "alerts.yml"],
        &["test", "rules", "alerts.test.yml"],
        &["check", "config", "prometheus.yml"],
    ] {
        let mut promtool = Command::new("promtool");
        promtool.args(arguments).current_dir(&examples).stdin(Stdio::piped());
        promtool.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = promtool.spawn().expect("promtool can be started");
        // What does not read its input may be gone already.
        let _ = child.stdin.take().expect("stdin is a pipe").write_all(metrics.as_bytes());
        let done = child.wait_with_output().expect("it ends");
        let said = [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(done.status.success(), "{arguments:?}: {}", said.concat());
    }
}
