//! The log of `serve` on stderr: one line for each request, and for what no response can report.

use std::io::{self, Write};
use std::time::SystemTime;

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::engine::LogLine;
use crate::http::server::log::{AccessRecord, Log, MAX_DETAIL, MAX_PATH};
use mediaconf::plumbing::syntax::{controls_terminal, one_line};

/// The form in which a request is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// Fields separated by blanks
    #[default]
    Text,
    /// A JSON object
    Json,
}

/// Returns the function that a server calls for each request.
pub fn log_requests(format: LogFormat) -> Log {
    Box::new(move |record| write_line(&line(record, format)))
}

/// Returns the function that logs what no response can report any more.
pub fn log_lines(format: LogFormat) -> impl Fn(&LogLine<'_>) + Send + Sync + 'static {
    move |LogLine { level, words }| {
        let (time, level) = (timestamp(SystemTime::now()), level.word());
        write_line(&match format {
            LogFormat::Text => format!("{time} {level}: {}", one_line(words)),
            LogFormat::Json => escaped_json(&json!({ "time": time, level: words })),
        });
    }
}

/// Writes a line at once, so that the lines of two threads don't mix. A closed stderr is no error.
fn write_line(line: &str) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// A JSON object, or `TIME PEER LOGIN METHOD PATH STATUS BYTES MILLISECONDS BEFORE→AFTER DETAIL` with `-` for a missing
/// field.
fn line(record: &AccessRecord, format: LogFormat) -> String {
    let fields = json!({
        "time": timestamp(record.at),
        "peer": record.peer.map(|peer| peer.to_string()),
        "login": record.login,
        "method": shortened(&record.method, MAX_PATH),
        "path": shortened(&record.path, MAX_PATH),
        "status": record.status,
        "bytes": record.bytes,
        "ms": record.took.as_secs_f64() * 1e3,
        "before": record.revisions.map(|(before, _)| before.to_string()),
        "after": record.revisions.map(|(_, after)| after.to_string()),
        "detail": record.detail.as_deref().map(|detail| shortened(detail, MAX_DETAIL)),
    });
    if format == LogFormat::Json {
        return escaped_json(&fields);
    }
    let word = |name: &str| match fields[name].as_str() {
        None | Some("") => "-".to_owned(),
        Some(word) => one_line(word),
    };
    let [time, peer, login, method, path] = ["time", "peer", "login", "method", "path"].map(word);
    // Eight digits are enough to tell two revisions apart.
    let revisions =
        record.revisions.map_or("-".to_owned(), |_| format!("{:.8}→{:.8}", word("before"), word("after")));
    let detail = record.detail.as_ref().map_or(String::new(), |_| format!(" {}", word("detail")));
    let (status, bytes, ms) = (record.status, record.bytes, record.took.as_secs_f64() * 1e3);
    format!("{time} {peer} {login} {method} {path} {status} {bytes} {ms:.1}ms {revisions}{detail}")
}

/// The first `most` characters of a text, and `…` for the rest.
fn shortened(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most);
    end.map_or(text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

/// Returns JSON in which control characters are escaped, even those that JSON strings may contain.
fn escaped_json(value: &Value) -> String {
    let escaped = |letter: char| match controls_terminal(letter) {
        true => format!("\\u{:04x}", u32::from(letter)),
        false => letter.to_string(),
    };
    let text = value.to_string();
    if text.contains(controls_terminal) { text.chars().map(escaped).collect() } else { text }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::server::message::PeerAddress;

    const ODD: &str = "a\u{1b}[2J\u{7f}\u{9b}31m\n\rb";

    fn access() -> AccessRecord {
        AccessRecord {
            at: SystemTime::UNIX_EPOCH,
            peer: Some(PeerAddress::Address([192, 0, 2, 1].into())),
            login: Some(ODD.to_owned()),
            method: ODD.to_owned(),
            path: format!("/{ODD}{}", "x".repeat(30_000)),
            operation: None,
            status: 401,
            bytes: 0,
            took: Duration::ZERO,
            revisions: None,
            detail: Some(ODD.to_owned()),
        }
    }

    #[test]
    fn a_line_has_no_control_character_and_a_path_of_200() {
        for line in [line(&access(), LogFormat::Text), line(&access(), LogFormat::Json)] {
            assert!(!line.contains(char::is_control), "{line:?}");
            assert!(line.chars().count() < 500, "{line}");
            assert!(line.contains("x…"), "{line}");
        }
        let read: serde_json::Value =
            serde_json::from_str(&line(&access(), LogFormat::Json)).expect("it is JSON");
        assert_eq!(read["detail"], ODD, "nothing is lost");
        assert_eq!(read["path"].as_str().map(|path| path.chars().count()), Some(201));
    }
}
