//! The log of `serve` on stderr: one line for each request, and for what no response can report.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::cli::ui::as_typed;
use crate::engine::LogLevel;
use crate::http::api::shortened;
use crate::http::server::message::{AccessRecord, Log, MAX_DETAIL, MAX_PATH};
use mediaconf::{controls_terminal, one_line};

/// The form in which a request is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// Fields separated by blanks
    #[default]
    Text,
    /// A JSON object
    Json,
}

/// The lines that wait for standard error. What comes when there are so many is dropped and counted.
const QUEUE: usize = 1024;

/// The longest time that the end of the process waits for a reader of standard error.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The log of this process. One thread writes it, so no answer waits for a reader of standard error that does not read.
static LOG: OnceLock<LogQueue> = OnceLock::new();

struct LogQueue {
    lines: SyncSender<String>,
    dropped: AtomicUsize,
    /// The number of lines that are not written yet.
    waiting: AtomicUsize,
}

/// Returns the function that a server calls for each request.
pub fn log_requests(format: LogFormat) -> Log {
    Box::new(move |record| write_line(line(record, format), format))
}

impl LogFormat {
    /// Logs what no response can report any more.
    pub fn log(self, level: LogLevel, words: &str) {
        write_line(other_line(level, words, self), self);
    }

    pub fn warn(self, words: &str) {
        self.log(LogLevel::Warning, words);
    }
}

/// A line about something else than a request.
fn other_line(level: LogLevel, words: &str, format: LogFormat) -> String {
    let (time, level, words) = (timestamp(SystemTime::now()), level.word(), as_typed(words));
    match format {
        LogFormat::Text => format!("{time} {level}: {}", one_line(&words)),
        LogFormat::Json => escaped_json(&json!({ "time": time, level: words })),
    }
}

fn write_line(line: String, format: LogFormat) {
    let log = LOG.get_or_init(|| {
        let (lines, waiting) = mpsc::sync_channel(QUEUE);
        // Without a thread the log is dropped.
        let _ = thread::Builder::new().name("log".to_owned()).spawn(move || write_lines(&waiting, format));
        LogQueue { lines, dropped: AtomicUsize::new(0), waiting: AtomicUsize::new(0) }
    });
    let is_taken = log.lines.try_send(line).is_ok();
    if is_taken { &log.waiting } else { &log.dropped }.fetch_add(1, Ordering::AcqRel);
}

/// Writes each line at once. A closed standard error is no error.
fn write_lines(waiting: &Receiver<String>, format: LogFormat) {
    let write = |line: String| _ = io::stderr().write_all(format!("{line}\n").as_bytes());
    for line in waiting {
        write(line);
        let Some(log) = LOG.get() else { continue };
        log.waiting.fetch_sub(1, Ordering::AcqRel);
        let dropped = log.dropped.swap(0, Ordering::AcqRel);
        if dropped > 0 {
            let words =
                format!("{dropped} lines of the log were dropped: standard error was not read in time");
            write(other_line(LogLevel::Warning, &words, format));
        }
    }
}

/// Waits until the log is written, for a second at most.
pub fn flush() {
    let begin = Instant::now();
    let is_waiting = || LOG.get().is_some_and(|log| log.waiting.load(Ordering::Acquire) != 0);
    while is_waiting() && begin.elapsed() < FLUSH_TIME {
        thread::sleep(Duration::from_millis(1));
    }
}

fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// A JSON object, or `TIME PEER LOGIN METHOD PATH STATUS BYTES MILLISECONDS BEFORE→AFTER DETAIL` with `-` for a missing
/// field.
fn line(record: &AccessRecord, format: LogFormat) -> String {
    let fields = json!({
        // When the request was complete.
        "time": timestamp(SystemTime::now() - record.took),
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
    let word =
        |name: &str| fields[name].as_str().filter(|word| !word.is_empty()).map_or("-".to_owned(), one_line);
    let [time, peer, login, method, path] = ["time", "peer", "login", "method", "path"].map(word);
    // Eight digits are enough to tell two revisions apart.
    let revisions =
        record.revisions.map_or("-".to_owned(), |_| format!("{:.8}→{:.8}", word("before"), word("after")));
    let detail = record.detail.as_ref().map_or(String::new(), |_| format!(" {}", word("detail")));
    let (status, bytes, ms) = (record.status, record.bytes, record.took.as_secs_f64() * 1e3);
    format!("{time} {peer} {login} {method} {path} {status} {bytes} {ms:.1}ms {revisions}{detail}")
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
    use super::*;
    use crate::http::server::message::PeerAddress;

    const ODD: &str = "a\u{1b}[2J\u{7f}\u{9b}31m\n\rb";

    fn access() -> AccessRecord {
        AccessRecord {
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
