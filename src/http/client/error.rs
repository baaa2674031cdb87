//! The reason why a request failed, and whether it can have been applied.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;
use thiserror::Error;

use super::answer::AnswerSize;
use super::credentials::Credentials;
use super::endpoint::without_userinfo;
use super::reason::{TlsFault, chain, connection_fault, tls_fault};
use crate::engine::Guard;
use crate::error::{Error, ErrorKind};
use crate::http::protocol::problem::{MEDIA_TYPE, Problem};
use mediaconf::{Fault, Pointer, one_line};

/// The number of characters that are shown of a response that is no problem document.
const MAX_SHOWN: usize = 200;

/// The number of bytes of it that are kept: more than are shown, so that secrets in it are whole when
/// they are cut out.
const MAX_KEPT: usize = 16 * MAX_SHOWN;

/// Advice where the outcome of a change is unknown.
const UNKNOWN: &str =
    "it is not known whether the change was made; `mediactl read` shows the present configuration";

/// Advice where the server may be another program.
const ADDRESS: &str = "check the address and `--api-prefix`";

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
    /// The response is larger than it may be.
    #[error("it gives an answer of more than {most}")]
    TooLarge { applies: bool, most: AnswerSize },
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
    /// True if the server has this API, and not just the four operations.
    pub is_ours: bool,
    /// The time after which the server wants the request again.
    pub retry_after: Option<Duration>,
}

impl ServerRefusal {
    /// True if login and password were sent, and are wrong.
    pub fn is_of_wrong_credentials(&self) -> bool {
        self.with_credentials && self.status == ErrorKind::Unauthorized.status()
    }

    /// True if the server looked at the request, and would have known its path.
    pub fn is_of_handler(&self) -> bool {
        matches!(self.status, 400..=499 | 501) && !matches!(self.status, 401 | 407 | 408 | 429)
    }

    /// Reads the body of a response.
    pub(super) fn read(status: StatusCode, media_type: &str, body: &[u8], applies: bool) -> Self {
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        let is_problem = media_type.eq_ignore_ascii_case(MEDIA_TYPE);
        let problem = is_problem.then(|| serde_json::from_slice(body).ok()).flatten();
        let (status, name) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
        let text = String::from_utf8_lossy(&body[..body.len().min(MAX_KEPT)]).into_owned();
        Self {
            status,
            name,
            problem,
            text,
            applies,
            with_credentials: false,
            is_ours: false,
            retry_after: None,
        }
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

impl StdError for ServerRefusal {}

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
            refusal.status == ErrorKind::TooManyFailures.status() || kind == Some(ErrorKind::Full);
        refusal.retry_after.filter(|_| is_unseen)
    }

    /// Classifies an error of the HTTP library.
    pub(super) fn from_error(error: &(dyn StdError + 'static), applies: bool) -> Self {
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

    /// The refusal of a request that the server evaluated, or of a guard that a person can answer, reads as if it were
    /// made here. All else is told of `service`.
    pub(super) fn told(&self, service: &str) -> Error {
        if let Self::Refused(refused) = self
            && let Some(problem) = &refused.problem
        {
            if let Some(error) = &problem.refusal {
                return Error { status: Some(refused.status), ..(**error).clone() };
            }
            let guard = problem.kind().and_then(|kind| Guard::named(kind.name()));
            if let Some(guard) = guard.filter(Guard::is_question) {
                return guard.into();
            }
        }
        let mut lines = self.lines(service);
        let error = match &lines[..] {
            [only] => Error { hint: only.hint.clone(), ..Error::new(self.kind(), &only.message) },
            _ => {
                let message = lines.iter().map(|line| line.message.as_str()).collect::<Vec<_>>().join("; ");
                Error::new(self.kind(), message).with_faults(std::mem::take(&mut lines))
            }
        };
        Error { status: self.status(), ..error }
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused(refused) => match refused.problem.as_ref().and_then(Problem::kind) {
                Some(kind) if refused.applies => kind.of_change(),
                Some(kind) => kind,
                None => kind_of_status(refused.status, refused.applies),
            },
            _ if self.is_unknown() => ErrorKind::OutcomeUnknown,
            _ => ErrorKind::NotReached,
        }
    }

    /// The detail of the problem document, then each fault at its place.
    fn lines(&self, service: &str) -> Vec<Fault> {
        let line = |message, hint| Fault { message, hint, ..Fault::default() };
        let whole = line(format!("`{service}`: {self}"), self.hint());
        let Self::Refused(refused) = self else { return vec![whole] };
        let errors = refused.problem.as_ref().map_or(&[][..], |problem| &problem.errors);
        match errors {
            [only] if self.to_string().contains(&only.message) => {
                vec![line(format!("`{service}`: {only}"), only.hint.clone())]
            }
            _ => {
                let each = errors.iter().cloned().map(Fault::in_one_line);
                [whole].into_iter().chain(each).collect()
            }
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Refused(refusal) => {
                let told =
                    refusal.problem.as_ref().and_then(|problem| problem.refusal.as_ref()?.hint.clone());
                let told = told.filter(|_| refusal.status == 412);
                return told.or_else(|| hint_for_refusal(refusal).map(str::to_owned));
            }
            _ if self.is_unknown() => UNKNOWN,
            Self::Redirected { .. } => {
                "redirects are not followed; if that is the right server, give its address"
            }
            Self::Tls(TlsFault::Unknown { found, .. }) => {
                return Some(format!(
                    "if the server shows the same one, trust it with `--fingerprint {found}`; \
                     `--cacert FILE` names an authority instead"
                ));
            }
            Self::Tls(TlsFault::OtherFingerprint { .. }) => {
                "another machine may pose as the server; if the server has a new certificate, compare its \
                 fingerprint there, and pin that one"
            }
            Self::Tls(TlsFault::AuthorityAsServer) => {
                "create a self-signed certificate with `-addext basicConstraints=CA:FALSE`"
            }
            Self::Tls(TlsFault::NotTls) => "is it `http://` instead of `https://`?",
            Self::Tls(TlsFault::OtherHost) => "the host in the URL has to be a name in the certificate",
            Self::Tls(TlsFault::OutOfDate) => "the server needs a new certificate, or a clock is wrong",
            Self::Tls(_) | Self::NoAuthorities => {
                "`--cacert FILE` names the authority that issued the certificate of the server"
            }
            Self::TooLarge { most, .. } => {
                return most.next().map(|size| format!("`--max-answer {size}` takes a larger one"));
            }
            Self::NotOfTheApi { .. } => ADDRESS,
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// The kind for servers without problem documents; one that failed inside may have made the change.
fn kind_of_status(status: u16, applies: bool) -> ErrorKind {
    match status {
        401 | 403 | 407 | 429 => ErrorKind::Unauthorized,
        404 | 405 | 410 => ErrorKind::NotFound,
        503 => ErrorKind::Busy,
        409 | 412 => ErrorKind::Conflict,
        400..=499 => ErrorKind::BadRequest,
        _ if applies => ErrorKind::OutcomeUnknown,
        _ => ErrorKind::EngineFailed,
    }
}

fn hint_for_refusal(refusal: &ServerRefusal) -> Option<&'static str> {
    let has_no_fault = refusal.problem.as_ref().is_none_or(|problem| problem.errors.is_empty());
    match refusal.status {
        401 if refusal.is_of_wrong_credentials() => {
            Some("use the login and password of `edit_auth` in the running configuration of the server")
        }
        401 => Some(
            "give `--user` and `--password-file`, or MEDIACTL_LOGIN and MEDIACTL_PASSWORD (a context has \
             `login` and `password_command` instead); on a terminal, `mediactl` asks for them",
        ),
        404 if has_no_fault => Some(ADDRESS),
        412 if has_no_fault => Some("the configuration keeps changing meanwhile; try again"),
        // A server that is busy has not begun.
        500.. if refusal.status != 503 && refusal.problem.is_none() && refusal.applies => Some(UNKNOWN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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
        let refusal = ServerRefusal::read(StatusCode::FORBIDDEN, MEDIA_TYPE, body, false);
        let error = ClientError::Refused(Box::new(refusal)).without_secrets(Some(&credentials));
        assert_eq!(error.to_string(), "who is a:…");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}
