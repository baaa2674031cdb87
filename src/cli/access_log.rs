//! The log of `serve`: one line a request on stderr, and one for all that an address repeats within
//! a second without being let in.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

use serde_json::json;

use crate::cli::args::serve::LogFormat;
use crate::http::server::log::repeats::{LineFate, PERIOD, RepeatedLines, Repeats};
use crate::http::server::log::{AccessRecord, Log, MAX_DETAIL, MAX_PATH, shortened};
use crate::syntax::{controls_terminal, one_line};

/// So many digits of a revision are enough to tell two apart at a glance.
const SHORT: usize = 8;

/// The log on stderr.
#[derive(Debug, Clone)]
pub struct AccessLog {
    format: LogFormat,
    repeats: Arc<Mutex<Repeats>>,
}

impl AccessLog {
    /// A log in which nothing stands yet.
    pub fn new(format: LogFormat) -> Self {
        Self { format, repeats: Arc::default() }
    }

    /// Where lines go in.
    pub fn log(&self) -> Log {
        let journal = self.clone();
        Box::new(move |access| journal.add(access))
    }

    /// Writes what was counted and not written yet.
    pub fn finish(&self) {
        self.write_counts(|repeats| repeats.take());
    }

    fn add(&self, access: &AccessRecord) {
        let now = Instant::now();
        self.write_counts(|repeats| repeats.ended(now));
        let fate =
            access.stranger().map(|source| self.with(|repeats| repeats.add(source, access.status, now)));
        match fate {
            Some(LineFate::Counted { first: true }) => self.write_later(),
            Some(LineFate::Counted { first: false }) => {}
            Some(LineFate::Written) | None => write_line(&match self.format {
                LogFormat::Text => text(access),
                LogFormat::Json => data(access),
            }),
        }
    }

    /// Writes the counts when the second is over, if no line comes that would do it.
    fn write_later(&self) {
        let journal = self.clone();
        let run = move || {
            thread::sleep(PERIOD);
            journal.write_counts(|repeats| repeats.ended(Instant::now()));
        };
        // Without a thread, the next line does it.
        let _ = thread::Builder::new().name("log".to_owned()).spawn(run);
    }

    fn write_counts(&self, take: impl FnOnce(&mut Repeats) -> Vec<RepeatedLines>) {
        for repeated in self.with(take) {
            let time = timestamp(SystemTime::now());
            write_line(&match self.format {
                LogFormat::Text => format!("{time} {}", count(&repeated)),
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
fn count(repeated: &RepeatedLines) -> String {
    let statuses: Vec<String> =
        repeated.statuses.iter().map(|(status, number)| format!("{status}: {number}")).collect();
    format!("… and {} more from {} ({})", repeated.more(), repeated.source, statuses.join(", "))
}

/// Logs what goes wrong when nobody waits for an answer any more.
pub fn trouble(format: LogFormat) -> impl Fn(&str) + Send + Sync + 'static {
    move |detail| {
        let time = timestamp(SystemTime::now());
        write_line(&match format {
            LogFormat::Text => format!("{time} error: {}", one_line(detail)),
            LogFormat::Json => printable(&json!({ "time": time, "error": detail })),
        });
    }
}

/// In one write, so that the lines of two threads don't mix; a closed stderr is nobody's loss.
fn write_line(line: &str) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// `TIME PEER LOGIN METHOD PATH STATUS BYTES MILLISECONDS BEFORE→AFTER DETAIL`, `-` for what is not there.
fn text(access: &AccessRecord) -> String {
    let peer = access.peer.map_or_else(|| "-".to_owned(), |peer| peer.to_string());
    let login = access.login.as_deref().unwrap_or("-");
    let [method, path] =
        [&access.method, &access.path].map(|field| one_line(or_dash(&shortened(field, MAX_PATH))));
    let revisions = access.revisions.map_or_else(
        || "-".to_owned(),
        |(before, after)| format!("{:.SHORT$}→{:.SHORT$}", before.to_string(), after.to_string()),
    );
    let detail = access
        .detail
        .as_deref()
        .map_or_else(String::new, |detail| format!(" {}", one_line(&shortened(detail, MAX_DETAIL))));
    format!(
        "{} {peer} {} {method} {path} {} {} {:.1}ms {revisions}{detail}",
        timestamp(access.at),
        one_line(login),
        access.status,
        access.bytes,
        access.took.as_secs_f64() * 1e3,
    )
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

fn data(access: &AccessRecord) -> String {
    printable(&json!({
        "time": timestamp(access.at),
        "peer": access.peer.map(|peer| peer.to_string()),
        "login": access.login,
        "method": shortened(&access.method, MAX_PATH),
        "path": shortened(&access.path, MAX_PATH),
        "status": access.status,
        "bytes": access.bytes,
        "ms": access.took.as_secs_f64() * 1e3,
        "before": access.revisions.map(|(before, _)| before.to_string()),
        "after": access.revisions.map(|(_, after)| after.to_string()),
        "detail": access.detail.as_deref().map(|detail| shortened(detail, MAX_DETAIL)),
    }))
}

/// JSON without control characters: those that it allows in a string stand in it as escapes, too.
fn printable(value: &serde_json::Value) -> String {
    let text = value.to_string();
    match text.contains(controls_terminal) {
        true => text.chars().map(|c| if controls_terminal(c) { escape(c) } else { c.to_string() }).collect(),
        false => text,
    }
}

fn escape(c: char) -> String {
    format!("\\u{:04x}", u32::from(c))
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
            status: 401,
            bytes: 0,
            took: Duration::ZERO,
            revisions: None,
            detail: Some(ODD.to_owned()),
        }
    }

    #[test]
    fn a_line_has_no_control_character_and_a_path_of_200() {
        for line in [text(&access()), data(&access())] {
            assert!(!line.contains(char::is_control), "{line:?}");
            assert!(line.chars().count() < 500, "{line}");
            assert!(line.contains("x…"), "{line}");
        }
        let read: serde_json::Value = serde_json::from_str(&data(&access())).expect("it is JSON");
        assert_eq!(read["detail"], ODD, "nothing is lost");
        assert_eq!(read["path"].as_str().map(|path| path.chars().count()), Some(201));
    }
}
