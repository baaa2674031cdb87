//! The reason why a request failed, and whether it can have been applied.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;
use thiserror::Error;

use super::answer::{AnswerSize, BodyFault, BoundedBody};
use super::credentials::Credentials;
use super::endpoint::without_userinfo;
use super::reason::{TlsFault, chain, connection_fault, tls_fault, was_closed};
use crate::engine::RefusalKind;
use crate::http::protocol::problem::{MEDIA_TYPE, Problem};
use mediaconf::plumbing::edit::{Fault, Pointer};
use mediaconf::plumbing::syntax::one_line;

/// The number of characters that are shown of a response that is no problem document.
const MAX_SHOWN: usize = 200;

/// The number of bytes of it that are kept: more than are shown, so that secrets in it are whole when
/// they are cut out.
const MAX_KEPT: usize = 16 * MAX_SHOWN;

/// The reason why a request failed. `applies` says whether it may have been applied nevertheless.
#[derive(Debug, Error)]
pub enum ClientError {
    /// No connection, or it broke where nothing can have been applied.
    #[error("not reachable: {reason}")]
    NotReachable { reason: String },
    /// The connection could not be encrypted.
    #[error("no encrypted connection: {0}")]
    Tls(TlsFault),
    /// No trusted authority is known that could have signed the certificate.
    #[error("there is no certificate authority to check its certificate against")]
    NoAuthorities,
    /// The connection broke in the middle of an answer that tells of no change.
    #[error("the connection broke in the middle of the answer")]
    CutOff,
    /// The connection broke after a change was sent.
    #[error("the connection broke before the answer came: {reason}")]
    Broken { reason: String },
    /// The response did not come in time.
    #[error("the answer did not come in time")]
    TimedOut { applies: bool },
    /// The server redirects.
    #[error("it redirects{}", .to.as_ref().map(|to| format!(" to `{to}`")).unwrap_or_default())]
    Redirected { to: Option<String> },
    /// The response, or what its values take in memory, is larger than it may be.
    #[error("it gives an answer {} {most}", if *.when_parsed { "whose values take more memory than three times" } else { "of more than" })]
    TooLarge { applies: bool, most: AnswerSize, when_parsed: bool },
    /// The response is none that a server of this API sends.
    #[error("it answers with {what}")]
    NotOfTheApi { applies: bool, what: &'static str },
    /// The server answered with an error status.
    #[error(transparent)]
    Refused(Box<ServerRefusal>),
}

/// A response with an error status.
#[derive(Debug, Clone)]
pub struct ServerRefusal {
    pub status: u16,
    /// The name of the status code.
    pub name: &'static str,
    /// The problem document, if the server sent one.
    pub problem: Option<Problem>,
    /// The beginning of any other body; a short piece of it is shown.
    pub text: String,
    /// True if the request was a change.
    pub applies: bool,
    /// True if login and password were sent.
    pub with_credentials: bool,
    /// The header `Mediactl-Api`; foreign servers have none.
    pub api: Option<String>,
    /// The time after which the server wants the request again.
    pub retry_after: Option<Duration>,
}

impl ServerRefusal {
    /// True if login and password were sent, and are wrong.
    pub fn is_of_wrong_credentials(&self) -> bool {
        self.with_credentials && self.status == RefusalKind::Unauthorized.status()
    }

    /// True if the server looked at the request, and would have known its path.
    pub fn is_of_handler(&self) -> bool {
        matches!(self.status, 400..=499 | 501) && !matches!(self.status, 401 | 407 | 408 | 429)
    }

    /// Reads the body of a response.
    pub(super) fn read(status: StatusCode, media_type: &str, body: &BoundedBody, applies: bool) -> Self {
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        let is_problem = media_type.eq_ignore_ascii_case(MEDIA_TYPE);
        let problem = is_problem.then(|| serde_json::from_value(body.json().ok()??).ok()).flatten();
        let (status, name) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
        let text = String::from_utf8_lossy(&body.bytes[..body.bytes.len().min(MAX_KEPT)]).into_owned();
        Self { status, name, problem, text, applies, with_credentials: false, api: None, retry_after: None }
    }

    /// The detail of the problem document.
    fn detail(&self) -> Option<&str> {
        let problem = self.problem.as_ref()?;
        let detail = if problem.detail.is_empty() { &problem.title } else { &problem.detail };
        Some(detail.as_str()).filter(|detail| !detail.is_empty())
    }
}

impl fmt::Display for ServerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail() {
            // The status alone says that the credentials are wrong, whatever the detail is.
            _ if self.is_of_wrong_credentials() => f.write_str("the login or the password is wrong"),
            Some(detail) => f.write_str(detail),
            None if self.text.trim().is_empty() => write!(f, "it answers {} {}", self.status, self.name),
            None => write!(f, "it answers {} {}: {}", self.status, self.name, shown(&self.text)),
        }
    }
}

impl Error for ServerRefusal {}

/// The beginning of a text, on one line.
fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    one_line(&words.join(" ")).chars().take(MAX_SHOWN).collect()
}

impl ClientError {
    /// Returns the time after which a request is sent again that the server did not look at: it did not look at the
    /// credentials, or had no connection or no memory left for it.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        let Self::Refused(refusal) = self else { return None };
        let kind = refusal.problem.as_ref().and_then(Problem::kind);
        let is_unseen =
            refusal.status == RefusalKind::TooManyFailures.status() || kind == Some(RefusalKind::Full);
        refusal.retry_after.filter(|_| is_unseen)
    }

    /// Classifies an error of the HTTP library.
    pub(super) fn from_error(error: &(dyn Error + 'static), applies: bool) -> Self {
        let is = |test: fn(&reqwest::Error) -> bool| chain(error).any(|e| e.downcast_ref().is_some_and(test));
        if let Some(fault) = tls_fault(error) {
            return Self::Tls(fault);
        }
        let reason = connection_fault(error);
        let is_early = is(reqwest::Error::is_connect) || is(reqwest::Error::is_builder);
        match (is_early, is(reqwest::Error::is_timeout)) {
            (true, true) => {
                Self::NotReachable { reason: "the connection could not be made in time".to_owned() }
            }
            (true, false) => Self::NotReachable { reason },
            (false, true) => Self::TimedOut { applies },
            (false, false) if applies => Self::Broken { reason },
            (false, false) => Self::NotReachable { reason },
        }
    }

    /// Returns the error of a response with a useless body.
    pub(super) fn of_body(fault: &BodyFault, applies: bool) -> Self {
        match fault {
            BodyFault::Broken(error) if !applies && was_closed(error) => Self::CutOff,
            BodyFault::Broken(error) => Self::from_error(error, applies),
            BodyFault::TooLarge { most, when_parsed } => {
                Self::TooLarge { applies, most: *most, when_parsed: *when_parsed }
            }
            BodyFault::LongRefusal => Self::NotOfTheApi { applies, what: "more data than any answer has" },
            BodyFault::TooLate => Self::TimedOut { applies },
        }
    }

    /// Removes the login and the password, which the server may have repeated in its response.
    pub(super) fn without_secrets(self, credentials: Option<&Credentials>) -> Self {
        let cut = |text: &mut String| {
            let harmless = credentials.map_or_else(|| text.clone(), |secret| secret.cut_from(text));
            *text = one_line(&harmless);
        };
        let cut_fault = |fault: &mut Fault| {
            cut(&mut fault.message);
            fault.hint.as_mut().map(cut);
            fault.file.as_mut().map(cut);
            for value in [&mut fault.base, &mut fault.theirs, &mut fault.mine].into_iter().flatten() {
                let mut text = value.to_string();
                let whole = text.clone();
                cut(&mut text);
                if text != whole {
                    **value = Value::String(text);
                }
            }
            if let Some(pointer) = &mut fault.pointer {
                let mut keys = pointer.keys();
                keys.iter_mut().for_each(cut);
                *pointer = Pointer::from_keys(keys);
            }
        };
        match self {
            Self::Redirected { to: Some(to) } => {
                let mut to = without_userinfo(&to);
                cut(&mut to);
                Self::Redirected { to: Some(to) }
            }
            Self::Refused(mut refusal) => {
                cut(&mut refusal.text);
                if let Some(problem) = &mut refusal.problem {
                    cut(&mut problem.detail);
                    problem.errors.iter_mut().for_each(cut_fault);
                    if let Some(told) = &mut problem.refusal {
                        cut(&mut told.message);
                        told.hint.as_mut().map(cut);
                        told.faults.iter_mut().for_each(cut_fault);
                    }
                }
                Self::Refused(refusal)
            }
            other => other,
        }
    }

    /// True if the change was sent and may or may not have been applied.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Broken { .. } => true,
            Self::TimedOut { applies }
            | Self::TooLarge { applies, .. }
            | Self::NotOfTheApi { applies, .. } => *applies,
            _ => false,
        }
    }

    /// The error status of the response.
    pub fn status(&self) -> Option<u16> {
        if let Self::Refused(refusal) = self { Some(refusal.status) } else { None }
    }
}
#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::answer::AnswerLimits;
    use super::*;

    #[test]
    fn an_answer_is_shown_in_one_short_line() {
        assert_eq!(shown("<h1>\n Not \x1b[31m found</h1>"), "<h1> Not \u{fffd}[31m found</h1>");
        assert_eq!(shown(&"ü".repeat(500)).chars().count(), MAX_SHOWN);
    }

    #[test]
    fn what_the_server_repeats_is_not_shown() {
        let credentials = Credentials::new("a", "hunter2").expect("there is no colon");
        let to = Some("http://a:hunter2@h/x?p=hunter2".to_owned());
        let error = ClientError::Redirected { to }.without_secrets(Some(&credentials));
        assert_eq!(error.to_string(), "it redirects to `http://h/x?p=…`");
        let body = br#"{"type":"x","detail":"who is a:hunter2","errors":[{"message":"hunter2","file":"hunter2","mine":{"x":"hunter2"}}]}"#;
        let limits = AnswerLimits::of_refusal(Instant::now() + Duration::from_secs(60));
        let body = limits.read(&body[..], None).expect("it is short");
        let refusal = ServerRefusal::read(StatusCode::FORBIDDEN, MEDIA_TYPE, &body, false);
        let error = ClientError::Refused(Box::new(refusal)).without_secrets(Some(&credentials));
        assert_eq!(error.to_string(), "who is a:…");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}
