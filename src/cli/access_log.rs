//! The log of `serve`: one line a request on stderr.

use std::io::{self, Write};
use std::time::SystemTime;

use serde_json::json;

use super::serve::LogFormat;
use crate::http::log::{Access, Log};

/// So many digits of a revision are enough to tell two apart at a glance.
const SHORT: usize = 8;

/// Writes each line to stderr.
pub fn to_stderr(format: LogFormat) -> Log {
    Box::new(move |access| {
        let line = match format {
            LogFormat::Text => text(access),
            LogFormat::Json => data(access),
        };
        write_line(&line);
    })
}

/// Logs what goes wrong when nobody waits for an answer any more.
pub fn trouble(format: LogFormat) -> impl Fn(&str) + Send + Sync + 'static {
    move |detail| {
        let time = timestamp(SystemTime::now());
        write_line(&match format {
            LogFormat::Text => format!("{time} error: {}", on_one_line(detail)),
            LogFormat::Json => json!({ "time": time, "error": detail }).to_string(),
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
fn text(access: &Access) -> String {
    let peer = access.peer.map_or_else(|| "-".to_owned(), |peer| peer.to_string());
    let login = access.login.as_deref().unwrap_or("-");
    let (method, path) = (or_dash(&access.method), or_dash(&access.path));
    let revisions = access.revisions.map_or_else(
        || "-".to_owned(),
        |(before, after)| format!("{:.SHORT$}→{:.SHORT$}", before.to_string(), after.to_string()),
    );
    let detail =
        access.detail.as_ref().map_or_else(String::new, |detail| format!(" {}", on_one_line(detail)));
    format!(
        "{} {peer} {} {method} {path} {} {} {:.1}ms {revisions}{detail}",
        timestamp(access.at),
        on_one_line(login),
        access.status,
        access.bytes,
        access.took.as_secs_f64() * 1e3,
    )
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

/// What comes from outside makes no lines of its own.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn data(access: &Access) -> String {
    json!({
        "time": timestamp(access.at),
        "peer": access.peer.map(|peer| peer.to_string()),
        "login": access.login,
        "method": access.method,
        "path": access.path,
        "status": access.status,
        "bytes": access.bytes,
        "ms": access.took.as_secs_f64() * 1e3,
        "before": access.revisions.map(|(before, _)| before.to_string()),
        "after": access.revisions.map(|(_, after)| after.to_string()),
        "detail": access.detail,
    })
    .to_string()
}
