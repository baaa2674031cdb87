//! The reason why a request failed, whether it can have been applied, and the errors of the libraries for TCP, TLS and
//! HTTP in the words of this program.

use std::error::Error as StdError;
use std::fmt::Display;
use std::io;

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

use super::connection::{Client, header};
use super::tls::TlsFault;
use crate::engine::Guard;
use crate::error::{Error, ErrorKind};
use crate::http::problem::{MEDIA_TYPE, Problem};
use crate::store::reason;
use mediaconf::{Fault, one_line};

/// The number of characters that are shown of a response that is no problem document.
const MAX_SHOWN: usize = 200;

/// The number of bytes of it that are kept: more than are shown, so that secrets in it are whole when
/// they are cut out.
const MAX_KEPT: usize = 16 * MAX_SHOWN;

/// Advice where the outcome of a change is unknown.
const UNKNOWN: &str =
    "it is not known whether the change was made; `mediactl read` shows the present configuration";

const WRONG_PASSWORD: &str =
    "use the login and password of `edit_auth` in the running configuration of the server";

const NO_PASSWORD: &str = "give `--user` and `--password-file`, or MEDIACTL_LOGIN and MEDIACTL_PASSWORD (a context has \
                           `login` and `password_command` instead); on a terminal, `mediactl` asks for them";

/// Advice where the server may be another program.
pub(super) const ADDRESS: &str = "check the address and `--api-prefix`";

impl Client {
    /// The error of a request that may have been applied, or can't have been; then `hint` is the advice, if there is any.
    pub(super) fn failed(&self, applies: bool, what: impl Display, hint: &str) -> Error {
        let (kind, hint) =
            if applies { (ErrorKind::OutcomeUnknown, UNKNOWN) } else { (ErrorKind::NotReached, hint) };
        let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
        Error { hint, ..Error::new(kind, format!("`{}`: {what}", self.name)) }
    }

    /// The error of a connection that could not be made, or broke.
    pub(super) fn broken(&self, error: &(dyn StdError + 'static), applies: bool) -> Error {
        let is = |test: fn(&reqwest::Error) -> bool| chain(error).any(|e| e.downcast_ref().is_some_and(test));
        if let Some(error) = chain(error).find_map(|error| error.downcast_ref::<rustls::Error>()) {
            let fault = TlsFault::from(error);
            return self.failed(false, format_args!("no encrypted connection: {fault}"), &fault.hint);
        }
        let reason = connection_fault(error);
        let is_early = is(reqwest::Error::is_connect) || is(reqwest::Error::is_builder);
        let what = match (is_early, is(reqwest::Error::is_timeout)) {
            (true, true) => "not reachable: the connection could not be made in time".to_owned(),
            (false, true) => "the answer did not come in time".to_owned(),
            (false, false) if applies => format!("the connection broke before the answer came: {reason}"),
            (_, false) => format!("not reachable: {reason}"),
        };
        self.failed(applies && !is_early, what, "")
    }

    /// The error that a response with an error status tells. The refusal of a request that the server evaluated, or of a
    /// guard that a person can answer, reads as if it were made here; all else is told of the server.
    pub(super) fn refused(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        applies: bool,
    ) -> Error {
        let code = status.as_u16();
        let media_type = header(headers, CONTENT_TYPE.as_str()).unwrap_or_default().to_lowercase();
        let is_problem =
            media_type.split(';').next().is_some_and(|media_type| media_type.trim() == MEDIA_TYPE);
        let sent: Option<Value> = serde_json::from_slice(body).ok().filter(|_| is_problem);
        let kind = sent.as_ref().and_then(|sent| Problem::kind_of(sent["type"].as_str()?));
        let problem: Option<Problem> = sent.and_then(|sent| {
            // What programs read in it stays.
            let told = ["kind", "guard"].map(|key| (key, sent["refusal"].get(key).cloned()));
            let mut harmless = self.without_secrets(sent);
            for (key, value) in told.into_iter().filter_map(|(key, value)| Some((key, value?))) {
                harmless["refusal"][key] = value;
            }
            serde_json::from_value(harmless).ok()
        });
        let Problem { detail, title, errors, refusal, .. } = problem.unwrap_or_default();
        let guard = kind.and_then(|kind| Guard::named(kind.name())).filter(Guard::is_question);
        if let Some(own) = refusal.map(|refusal| *refusal).or(guard.map(Error::from)) {
            return Error { status: Some(code), ..own };
        }
        let is_wrong = code == ErrorKind::Unauthorized.status() && self.settings.credentials.is_some();
        let whole = match [detail, title].into_iter().find(|text| !text.is_empty()) {
            // The status alone says that the credentials are wrong, whatever the detail is.
            _ if is_wrong => "the login or the password is wrong".to_owned(),
            Some(detail) => detail,
            None => {
                let text = String::from_utf8_lossy(&body[..body.len().min(MAX_KEPT)]);
                let text = format!(": {}", shown(&self.harmless(&text)));
                let name = status.canonical_reason().unwrap_or_default();
                format!("it answers {code} {name}{}", if text == ": " { "" } else { &text })
            }
        };
        let kind = kind.unwrap_or_else(|| kind_of_status(code));
        let kind = if applies { kind.of_change() } else { kind };
        let hint = match code {
            401 if is_wrong => Some(WRONG_PASSWORD),
            401 => Some(NO_PASSWORD),
            404 if errors.is_empty() && self.endpoint.socket.is_none() => Some(ADDRESS),
            412 if errors.is_empty() => Some("`--dry-run` shows the change of what is there now"),
            // A server that is busy has not begun.
            500.. if code != 503 && !is_problem && applies => Some(UNKNOWN),
            _ => None,
        };
        let first = Fault { hint: hint.map(str::to_owned), ..Fault::plain(whole) };
        let mut lines = match &errors[..] {
            [only] if first.message.contains(&only.message) => {
                vec![Fault { hint: only.hint.clone(), ..Fault::plain(only.to_string()) }]
            }
            _ => [first].into_iter().chain(errors.into_iter().map(Fault::in_one_line)).collect(),
        };
        lines[0].message = format!("`{}`: {}", self.name, lines[0].message);
        let messages: Vec<&str> = lines.iter().map(|line| line.message.as_str()).collect();
        let error = Error { status: Some(code), ..Error::new(kind, messages.join("; ")) };
        if lines.len() > 1 { error.with_faults(lines) } else { Error { hint: lines.remove(0).hint, ..error } }
    }

    /// A text of the server on one line, without the login and the password, which it may have repeated.
    pub(super) fn harmless(&self, text: &str) -> String {
        let credentials = self.settings.credentials.as_ref();
        one_line(&credentials.map_or_else(|| text.to_owned(), |secret| secret.cut_from(text)))
    }

    /// The same of all texts of a document.
    fn without_secrets(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.harmless(&text).into(),
            Value::Array(values) => values.into_iter().map(|value| self.without_secrets(value)).collect(),
            Value::Object(members) => {
                let harmless = |(key, value): (String, _)| (self.harmless(&key), self.without_secrets(value));
                members.into_iter().map(harmless).collect()
            }
            value => value,
        }
    }
}

/// The kind for servers without problem documents.
fn kind_of_status(status: u16) -> ErrorKind {
    match status {
        401 | 403 | 407 | 429 => ErrorKind::Unauthorized,
        404 | 405 | 410 => ErrorKind::NotFound,
        503 => ErrorKind::Busy,
        409 | 412 => ErrorKind::Conflict,
        400..=499 => ErrorKind::BadRequest,
        _ => ErrorKind::EngineFailed,
    }
}

/// The beginning of a text, on one line.
fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    one_line(&words.join(" ")).chars().take(MAX_SHOWN).collect()
}

/// An error and its causes, including the error inside an [`io::Error`], which is not its source.
fn chain<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error: &&'e (dyn StdError + 'static)| {
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        held.map(|held| held as &(dyn StdError + 'static)).or_else(|| error.source())
    })
}

/// Describes the reason why a connection failed, without a URL.
fn connection_fault(error: &(dyn StdError + 'static)) -> String {
    if chain(error).filter_map(|error| error.downcast_ref()).any(hyper::Error::is_parse) {
        return "the answer is not HTTP".to_owned();
    }
    if chain(error).filter_map(|error| error.downcast_ref()).any(has_ended) {
        return "the server closed the connection".to_owned();
    }
    let last = chain(error).last().unwrap_or(error);
    let words = match last.downcast_ref::<io::Error>() {
        Some(error) => reason(error),
        None => reason(&io::Error::other(last.to_string())),
    };
    // The standard library has no error type for the resolver.
    match words.starts_with("failed to lookup address information") {
        true => "the name of the host can't be resolved".to_owned(),
        false => words,
    }
}

fn has_ended(error: &hyper::Error) -> bool {
    error.is_incomplete_message() || error.is_closed()
}

/// True if the other end closed the connection, in the handshake or before it answered.
pub(super) fn was_closed(error: &(dyn StdError + 'static)) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    let is_end = |error: &io::Error| {
        matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
    };
    chain(error)
        .any(|error| error.downcast_ref().is_some_and(has_ended) || error.downcast_ref().is_some_and(is_end))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;
    use crate::http::client::{ClientSettings, Credentials, Endpoint, Host};

    #[test]
    fn an_answer_is_shown_in_one_short_line() {
        assert_eq!(shown("<h1>\n Not \x1b[31m found</h1>"), "<h1> Not \u{fffd}[31m found</h1>");
        assert_eq!(shown(&"ü".repeat(500)).chars().count(), MAX_SHOWN);
    }

    struct NoTerminal;

    impl Host for NoTerminal {
        fn warning(&self, _text: &str) {}
    }

    #[test]
    fn what_the_server_repeats_is_not_shown() {
        let credentials = Credentials::new("a".to_owned(), "hunter2".to_owned()).ok();
        let (endpoint, _) = Endpoint::parse("http://h", "/").expect("it is a URL");
        let settings = ClientSettings { credentials, ..ClientSettings::default() };
        let client = Client::new(endpoint, "h".to_owned(), None, settings, Box::new(NoTerminal));
        let body = br#"{"type":"x","detail":"who is a:hunter2","errors":[{"message":"hunter2 is unknown","file":"hunter2","mine":{"x":"hunter2"}}]}"#;
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))]);
        let error = client.refused(StatusCode::FORBIDDEN, &headers, body, false);
        assert!(error.message.contains("who is a:…"), "{error:?}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}
