//! The log of `serve` on stderr: one line for each request. Requests that an address repeats within a
//! second without being let in share one line.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::engine::LogLine;
use crate::http::server::log::repeats::{LineFate, PERIOD, RepeatedLines, Repeats};
use crate::http::server::log::{AccessRecord, Log, MAX_DETAIL, MAX_PATH, shortened};
use mediaconf::plumbing::syntax::{controls_terminal, one_line};

/// The number of digits of a revision that the text form shows: enough to distinguish two.
const SHORT_REVISION: usize = 8;

/// The form in which a request is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// Fields separated by blanks
    #[default]
    Text,
    /// A JSON object
    Json,
}

/// The log.
#[derive(Debug, Clone)]
pub struct AccessLog {
    format: LogFormat,
    repeats: Arc<Mutex<Repeats>>,
}

impl AccessLog {
    /// An empty log.
    pub fn new(format: LogFormat) -> Self {
        Self { format, repeats: Arc::default() }
    }

    /// Returns the function that a server calls for each request.
    pub fn log(&self) -> Log {
        let log = self.clone();
        Box::new(move |record| log.add(record))
    }

    /// Writes the counts of repeated requests that are not written yet.
    pub fn finish(&self) {
        self.write_counts(|repeats| repeats.take());
    }

    fn add(&self, record: &AccessRecord) {
        let now = Instant::now();
        self.write_counts(|repeats| repeats.ended(now));
        let fate = record
            .unauthenticated_source()
            .map(|source| self.with(|repeats| repeats.add(source, record.status, now)));
        match fate {
            Some(LineFate::Counted { first: true }) => self.write_counts_later(),
            Some(LineFate::Counted { first: false }) => {}
            Some(LineFate::Written) | None => write_line(&match self.format {
                LogFormat::Text => text_line(record),
                LogFormat::Json => json_line(record),
            }),
        }
    }

    /// Writes the counts at the end of the second, for the case that no other line does.
    fn write_counts_later(&self) {
        let log = self.clone();
        let run = move || {
            thread::sleep(PERIOD);
            log.write_counts(|repeats| repeats.ended(Instant::now()));
        };
        // Where no thread can be spawned, the next line writes the counts.
        let _ = thread::Builder::new().name("log".to_owned()).spawn(run);
    }

    fn write_counts(&self, take: impl FnOnce(&mut Repeats) -> Vec<RepeatedLines>) {
        for repeated in self.with(take) {
            let time = timestamp(SystemTime::now());
            write_line(&match self.format {
                LogFormat::Text => format!("{time} {}", count_in_words(&repeated)),
                LogFormat::Json => {
                    let source = repeated.source.to_string();
                    json!({ "time": time, "peer": source, "more": repeated.more(), "by_status": repeated.statuses })
                        .to_string()
                }
            });
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Repeats) -> T) -> T {
        act(&mut self.repeats.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// `… and 4312 more from ADDRESS (429: 4311, 503: 1)`
fn count_in_words(repeated: &RepeatedLines) -> String {
    let statuses: Vec<String> =
        repeated.statuses.iter().map(|(status, number)| format!("{status}: {number}")).collect();
    format!("… and {} more from {} ({})", repeated.more(), repeated.source, statuses.join(", "))
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

/// `TIME PEER LOGIN METHOD PATH STATUS BYTES MILLISECONDS BEFORE→AFTER DETAIL`; `-` stands for a missing field.
fn text_line(record: &AccessRecord) -> String {
    let or_dash = |field: Option<String>| field.filter(|text| !text.is_empty()).unwrap_or("-".to_owned());
    let shown = |text: &str, length: usize| one_line(&shortened(text, length));
    let revisions = record.revisions.map(|(before, after)| {
        format!("{:.SHORT_REVISION$}→{:.SHORT_REVISION$}", before.to_string(), after.to_string())
    });
    let detail = record.detail.as_deref().map(|detail| format!(" {}", shown(detail, MAX_DETAIL)));
    format!(
        "{} {} {} {} {} {} {} {:.1}ms {}{}",
        timestamp(record.at),
        or_dash(record.peer.map(|peer| peer.to_string())),
        or_dash(record.login.as_deref().map(one_line)),
        or_dash(Some(shown(&record.method, MAX_PATH))),
        or_dash(Some(shown(&record.path, MAX_PATH))),
        record.status,
        record.bytes,
        record.took.as_secs_f64() * 1e3,
        or_dash(revisions),
        detail.unwrap_or_default(),
    )
}

fn json_line(record: &AccessRecord) -> String {
    escaped_json(&json!({
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
    }))
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
        for line in [text_line(&access()), json_line(&access())] {
            assert!(!line.contains(char::is_control), "{line:?}");
            assert!(line.chars().count() < 500, "{line}");
            assert!(line.contains("x…"), "{line}");
        }
        let read: serde_json::Value = serde_json::from_str(&json_line(&access())).expect("it is JSON");
        assert_eq!(read["detail"], ODD, "nothing is lost");
        assert_eq!(read["path"].as_str().map(|path| path.chars().count()), Some(201));
    }
}
