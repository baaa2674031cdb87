//! What went wrong with a request, and whether it can have been applied.

use std::error::Error;
use std::fmt;

use reqwest::{StatusCode, Url};

use super::credentials::Credentials;
use super::reason::{TlsFault, chain, connection_fault, tls_fault};
use crate::http::protocol::problem::{MEDIA_TYPE, Problem, ProblemKind};
use crate::syntax::one_line;

/// How much of an answer that is no problem document is shown, in characters.
const MAX_PIECE: usize = 200;

/// How much of it is kept, in bytes; more than is shown, so that what is cut out of it is whole.
const MAX_KEPT: usize = 16 * MAX_PIECE;

/// Why a request came to nothing. `applies` says that it may have been applied all the same.
#[derive(Debug)]
pub enum ClientError {
    /// No connection came about, or it broke where nothing can have been applied.
    NotReachable {
        /// Why.
        reason: String,
    },
    /// The connection came about, and the encryption did not.
    Tls(TlsFault),
    /// There is no authority to check a certificate by.
    NoAuthorities,
    /// The connection broke after the request was sent.
    Broken {
        /// Why.
        reason: String,
    },
    /// The answer did not come in time.
    TimedOut {
        /// Whether the request may have been applied.
        applies: bool,
    },
    /// The server sends elsewhere.
    Redirected {
        /// Where to, if it says so.
        to: Option<String>,
    },
    /// The answer is none that a server of this API gives.
    NotOfTheApi {
        /// Whether the request may have been applied.
        applies: bool,
        /// What it is.
        what: &'static str,
    },
    /// The server says no.
    Refused(Box<ServerRefusal>),
}

/// An answer with a status of failure.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerRefusal {
    /// The status code.
    pub status: u16,
    /// Its name.
    pub name: &'static str,
    /// What the server says, if it says it as this API does.
    pub problem: Option<Problem>,
    /// Else the beginning of what it says; a short piece of it is shown.
    pub text: String,
    /// Whether the request was a change.
    pub applies: bool,
    /// Whether login and password were sent.
    pub with_credentials: bool,
}

/// What a 401 means, whatever its words, where a login and a password were sent.
const WRONG_CREDENTIALS: &str = "the login or the password is wrong";

impl ServerRefusal {
    /// Whether login and password were sent, and are wrong.
    pub fn is_of_wrong_credentials(&self) -> bool {
        self.with_credentials && self.status == ProblemKind::Unauthorized.status()
    }

    /// Reads the body of an answer.
    pub(super) fn read(status: StatusCode, media_type: &str, body: &[u8], applies: bool) -> Self {
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        let is_problem = media_type.eq_ignore_ascii_case(MEDIA_TYPE);
        let problem = is_problem.then(|| serde_json::from_slice(body).ok()).flatten();
        let (status, name) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
        let text = String::from_utf8_lossy(&body[..body.len().min(MAX_KEPT)]).into_owned();
        Self { status, name, problem, text, applies, with_credentials: false }
    }
}

/// The beginning of a text, on one line and without what a terminal would obey.
fn piece(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_PIECE).collect()
}

impl ClientError {
    /// What an error of the sockets means.
    pub(super) fn of(error: &(dyn Error + 'static), applies: bool) -> Self {
        let is = |test: fn(&reqwest::Error) -> bool| chain(error).any(|e| e.downcast_ref().is_some_and(test));
        if let Some(fault) = tls_fault(error) {
            return Self::Tls(fault);
        }
        let reason = connection_fault(error);
        let is_early = is(reqwest::Error::is_connect) || is(reqwest::Error::is_builder);
        match (is_early, is(reqwest::Error::is_timeout)) {
            (true, true) => Self::NotReachable { reason: "no connection came about in time".to_owned() },
            (true, false) => Self::NotReachable { reason },
            (false, true) => Self::TimedOut { applies },
            (false, false) if applies => Self::Broken { reason },
            (false, false) => Self::NotReachable { reason },
        }
    }

    /// The same without what a server may have repeated.
    pub(super) fn without_secrets(self, credentials: Option<&Credentials>) -> Self {
        let cut = |text: String| {
            one_line(&credentials.map_or_else(|| text.clone(), |credentials| credentials.cut_from(&text)))
        };
        match self {
            Self::Redirected { to } => Self::Redirected { to: to.map(|to| cut(without_userinfo(to))) },
            Self::Refused(mut refusal) => {
                refusal.text = cut(std::mem::take(&mut refusal.text));
                if let Some(problem) = &mut refusal.problem {
                    problem.detail = cut(std::mem::take(&mut problem.detail));
                    for fault in &mut problem.errors {
                        fault.message = cut(std::mem::take(&mut fault.message));
                        fault.hint = fault.hint.take().map(&cut);
                        fault.pointer = fault.pointer.take().map(&cut);
                    }
                }
                Self::Refused(refusal)
            }
            other => other,
        }
    }

    /// Whether it is not known if the request was applied.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Broken { .. } => true,
            Self::TimedOut { applies } | Self::NotOfTheApi { applies, .. } => *applies,
            _ => false,
        }
    }

    /// The status that the server said no with.
    pub fn status(&self) -> Option<u16> {
        if let Self::Refused(refusal) = self { Some(refusal.status) } else { None }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReachable { reason } => write!(f, "not reachable: {reason}"),
            Self::Tls(fault) => write!(f, "no encrypted connection: {fault}"),
            Self::NoAuthorities => f.write_str("there is no authority to check its certificate by"),
            Self::Broken { reason } => write!(f, "the connection broke before the answer came: {reason}"),
            Self::TimedOut { .. } => f.write_str("the answer did not come in time"),
            Self::Redirected { to: Some(to) } => write!(f, "it sends to `{to}`"),
            Self::Redirected { to: None } => f.write_str("it sends elsewhere"),
            Self::NotOfTheApi { what, .. } => write!(f, "it answers with {what}"),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl fmt::Display for ServerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.problem.as_ref().map(|problem| match problem.detail.is_empty() {
            true => &problem.title,
            false => &problem.detail,
        });
        match said.filter(|said| !said.is_empty()) {
            _ if self.is_of_wrong_credentials() => f.write_str(WRONG_CREDENTIALS),
            Some(said) => f.write_str(said),
            None if self.text.trim().is_empty() => write!(f, "it answers {} {}", self.status, self.name),
            None => write!(f, "it answers {} {}: {}", self.status, self.name, piece(&self.text)),
        }
    }
}

impl Error for ClientError {}

fn without_userinfo(url: String) -> String {
    let Ok(mut parsed) = Url::parse(&url) else { return piece(&url) };
    match parsed.set_username("").and_then(|()| parsed.set_password(None)) {
        Ok(()) => parsed.into(),
        Err(()) => piece(&url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_shown_in_one_short_line() {
        assert_eq!(piece("<h1>\n Not \x1b[31m found</h1>"), "<h1> Not [31m found</h1>");
        assert_eq!(piece(&"ü".repeat(500)).chars().count(), MAX_PIECE);
    }

    #[test]
    fn what_the_server_repeats_is_not_shown() {
        let credentials = Credentials::new("a", "hunter2").expect("there is no colon");
        let to = Some("http://a:hunter2@h/x?p=hunter2".to_owned());
        let error = ClientError::Redirected { to }.without_secrets(Some(&credentials));
        assert_eq!(error.to_string(), "it sends to `http://h/x?p=…`");
        let body = br#"{"type":"x","detail":"who is a:hunter2"}"#;
        let refusal = ServerRefusal::read(StatusCode::FORBIDDEN, MEDIA_TYPE, body, false);
        let error = ClientError::Refused(Box::new(refusal)).without_secrets(Some(&credentials));
        assert_eq!(error.to_string(), "who is a:…");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}
