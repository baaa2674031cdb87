//! The reason why a request failed, whether it can have been applied, and the errors of the libraries for TCP, TLS and
//! HTTP in the words of this program.

use std::error::Error as StdError;
use std::fmt::{self, Display};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use rustls::{CertificateError, OtherError};
use serde_json::{Map, Value};

use super::connection::{ApiCall, Client};
use crate::engine::Guard;
use crate::error::{Error, ErrorKind};
use crate::http::api::Fingerprint;
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

/// The reason why a request failed, and what may be done about it.
#[derive(Debug)]
pub struct FailedCall {
    pub error: Box<Error>,
    /// The fault of the certificate of the server.
    pub certificate: Option<TlsFault>,
    /// The time after which a request is sent again that the server did not look at.
    pub retry_after: Option<Duration>,
}

impl From<Error> for FailedCall {
    fn from(error: Error) -> Self {
        Self { error: Box::new(error), certificate: None, retry_after: None }
    }
}

impl Client {
    /// The error of a request that may have been applied, or can't have been; then `hint` is the advice.
    pub(super) fn failed(&self, applies: bool, what: impl Display, hint: Option<String>) -> Error {
        let (kind, hint) = match applies {
            true => (ErrorKind::OutcomeUnknown, Some(UNKNOWN.to_owned())),
            false => (ErrorKind::NotReached, hint),
        };
        Error { hint, ..Error::new(kind, format!("`{}`: {what}", self.name)) }
    }

    /// The error of a connection that could not be made, or broke.
    pub(super) fn broken(&self, error: &(dyn StdError + 'static), applies: bool) -> FailedCall {
        let is = |test: fn(&reqwest::Error) -> bool| chain(error).any(|e| e.downcast_ref().is_some_and(test));
        if let Some(fault) = chain(error).find_map(|error| error.downcast_ref()).map(TlsFault::from_error) {
            let failed = self.failed(false, format_args!("no encrypted connection: {fault}"), fault.hint());
            return FailedCall { certificate: Some(fault), ..failed.into() };
        }
        let reason = connection_fault(error);
        let is_early = is(reqwest::Error::is_connect) || is(reqwest::Error::is_builder);
        let what = match (is_early, is(reqwest::Error::is_timeout)) {
            (true, true) => "not reachable: the connection could not be made in time".to_owned(),
            (false, true) => return self.timed_out(applies),
            (false, false) if applies => format!("the connection broke before the answer came: {reason}"),
            (_, false) => format!("not reachable: {reason}"),
        };
        self.failed(applies && !is_early, what, None).into()
    }

    /// The error of a request whose answer took too long.
    pub(super) fn timed_out(&self, applies: bool) -> FailedCall {
        self.failed(applies, "the answer did not come in time", None).into()
    }

    /// The error that a response with an error status tells. The refusal of a request that the server evaluated, or of a
    /// guard that a person can answer, reads as if it were made here; all else is told of the server.
    pub(super) fn refused(
        &self,
        status: StatusCode,
        media_type: &str,
        body: &[u8],
        call: &ApiCall<'_>,
    ) -> Error {
        let code = status.as_u16();
        let is_problem =
            media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(MEDIA_TYPE);
        let sent = if is_problem { serde_json::from_slice::<Value>(body).ok() } else { None };
        let kind = sent.as_ref().and_then(|sent| Problem::kind_of(sent["type"].as_str()?));
        let problem = sent.and_then(|sent| self.without_secrets(sent));
        let refused = |error: Error| Error { status: Some(code), ..error };
        if let Some(refusal) = problem.as_ref().and_then(|problem| problem.refusal.as_ref()) {
            return refused((**refusal).clone());
        }
        let guard = kind.and_then(|kind| Guard::named(kind.name()));
        if let Some(guard) = guard.filter(Guard::is_question) {
            return guard.into();
        }
        let Problem { detail, title, errors, .. } = problem.unwrap_or_default();
        let detail = if detail.is_empty() { title } else { detail };
        let text = String::from_utf8_lossy(&body[..body.len().min(MAX_KEPT)]);
        let is_wrong = code == ErrorKind::Unauthorized.status() && self.settings.credentials.is_some();
        let whole = match detail.is_empty() {
            // The status alone says that the credentials are wrong, whatever the detail is.
            _ if is_wrong => "the login or the password is wrong".to_owned(),
            false => detail,
            true => {
                let name = status.canonical_reason().unwrap_or_default();
                let text = Some(shown(&self.harmless(&text))).filter(|text| !text.is_empty());
                format!("it answers {code} {name}{}", text.map_or(String::new(), |text| format!(": {text}")))
            }
        };
        let of_change = |kind: ErrorKind| if call.applies { kind.of_change() } else { kind };
        let kind = kind.map_or_else(|| kind_of_status(code, call.applies), of_change);
        if let [only] = &errors[..]
            && whole.contains(&only.message)
        {
            let message = format!("`{}`: {only}", self.name);
            return refused(Error { hint: only.hint.clone(), ..Error::new(kind, message) });
        }
        let hint = match code {
            401 if is_wrong => Some(WRONG_PASSWORD),
            401 => Some(NO_PASSWORD),
            404 if errors.is_empty() => Some(ADDRESS),
            412 if errors.is_empty() => Some("the configuration keeps changing meanwhile; try again"),
            // A server that is busy has not begun.
            500.. if code != 503 && !is_problem && call.applies => Some(UNKNOWN),
            _ => None,
        };
        let message = format!("`{}`: {whole}", self.name);
        let first = Fault { hint: hint.map(str::to_owned), ..Fault::plain(message) };
        if errors.is_empty() {
            return refused(Error { hint: first.hint, ..Error::new(kind, first.message) });
        }
        let lines: Vec<Fault> =
            [first].into_iter().chain(errors.into_iter().map(Fault::in_one_line)).collect();
        let messages: Vec<&str> = lines.iter().map(|line| line.message.as_str()).collect();
        refused(Error::new(kind, messages.join("; ")).with_faults(lines))
    }

    /// A text of the server on one line, without the login and the password, which it may have repeated.
    pub(super) fn harmless(&self, text: &str) -> String {
        let credentials = self.settings.credentials.as_ref();
        one_line(&credentials.map_or_else(|| text.to_owned(), |secret| secret.cut_from(text)))
    }

    /// The same of a problem document; what programs read in it stays.
    fn without_secrets(&self, sent: Value) -> Option<Problem> {
        fn cut_all(value: Value, cut: &dyn Fn(&str) -> String) -> Value {
            match value {
                Value::String(text) => cut(&text).into(),
                Value::Array(values) => values.into_iter().map(|value| cut_all(value, cut)).collect(),
                Value::Object(members) => {
                    let members = members.into_iter().map(|(key, value)| (cut(&key), cut_all(value, cut)));
                    Value::Object(members.collect::<Map<_, _>>())
                }
                value => value,
            }
        }
        let told = ["kind", "guard"].map(|key| (key, sent["refusal"].get(key).cloned()));
        let mut harmless = cut_all(sent, &|text| self.harmless(text));
        for (key, value) in told.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            harmless["refusal"][key] = value;
        }
        serde_json::from_value(harmless).ok()
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

/// The beginning of a text, on one line.
fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    one_line(&words.join(" ")).chars().take(MAX_SHOWN).collect()
}

/// The reason why an encrypted connection failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFault {
    pub why: String,
    /// The advice for the user.
    hint: Option<&'static str>,
    /// The fingerprint of a certificate that the user may trust.
    pub unknown: Option<Fingerprint>,
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fingerprint = self.unknown.map_or(String::new(), |found| format!("; its fingerprint is {found}"));
        write!(f, "{}{fingerprint}", self.why)
    }
}

impl std::error::Error for TlsFault {}

/// A verifier of this program rejected a certificate; the library carries the reason through the handshake.
impl From<TlsFault> for rustls::Error {
    fn from(fault: TlsFault) -> Self {
        Self::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(fault))))
    }
}

impl TlsFault {
    fn new(why: impl Into<String>, hint: &'static str) -> Self {
        Self { why: why.into(), hint: Some(hint), unknown: None }
    }

    /// A certificate that nobody known vouches for.
    pub(super) fn unknown(found: Fingerprint, error: &rustls::Error) -> Option<Self> {
        let fault = Self::from_error(error);
        [UNKNOWN_AUTHORITY, AUTHORITY_AS_SERVER].contains(&&*fault.why).then_some(Self {
            hint: None,
            unknown: Some(found),
            ..fault
        })
    }

    /// Another certificate than the one that the user trusts.
    pub(super) fn other_fingerprint(found: Fingerprint, pinned: Fingerprint) -> Self {
        Self::new(
            format!("its certificate has the fingerprint {found}, and not {pinned}"),
            "another machine may pose as the server; if the server has a new certificate, compare its fingerprint \
             there, and pin that one",
        )
    }

    pub(super) fn from_error(error: &rustls::Error) -> Self {
        let rustls::Error::InvalidCertificate(fault) = error else {
            return match error {
                rustls::Error::InvalidMessage(_) => {
                    Self::new("it does not speak TLS", "is it `http://` instead of `https://`?")
                }
                _ => Self::new(error.to_string().to_lowercase(), AUTHORITY),
            };
        };
        match fault {
            // A bad signature was made by another authority of the same name.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                Self::new(UNKNOWN_AUTHORITY, AUTHORITY)
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => Self::new(
                "its certificate is for another host",
                "the host in the URL has to be a name in the certificate",
            ),
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Self::new(
                "its certificate has expired, or is not valid yet",
                "the server needs a new certificate, or a clock is wrong",
            ),
            CertificateError::Other(OtherError(other)) if other.is::<Self>() => {
                other.downcast_ref::<Self>().cloned().expect("it is one")
            }
            // The type of this error is private to the library. `openssl req -x509` makes such a certificate by default.
            CertificateError::Other(OtherError(other))
                if format!("{other:?}").contains("CaUsedAsEndEntity") =>
            {
                let hint = "create a self-signed certificate with `-addext basicConstraints=CA:FALSE`";
                Self::new(AUTHORITY_AS_SERVER, hint)
            }
            fault => Self::new(fault.to_string().to_lowercase(), AUTHORITY),
        }
    }

    /// The advice for the user.
    fn hint(&self) -> Option<String> {
        let trusted = |found| {
            format!(
                "if the server shows the same one, trust it with `--fingerprint {found}`; \
                 `--cacert FILE` names an authority instead"
            )
        };
        self.unknown.map(trusted).or_else(|| self.hint.map(str::to_owned))
    }
}

const UNKNOWN_AUTHORITY: &str = "its certificate is from an authority that is not trusted";
const AUTHORITY_AS_SERVER: &str = "its certificate is for an authority, not for a server";

/// Advice where no trusted authority issued the certificate.
pub(super) const AUTHORITY: &str =
    "`--cacert FILE` names the authority that issued the certificate of the server";

/// An error and its causes, including the error inside an [`io::Error`], which is not its source.
fn chain<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error: &&'e (dyn StdError + 'static)| {
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        held.map(|held| held as &(dyn StdError + 'static)).or_else(|| error.source())
    })
}

/// Describes the reason why a connection failed, without a URL.
fn connection_fault(error: &(dyn StdError + 'static)) -> String {
    let of_http = |error: &hyper::Error| match error {
        error if error.is_parse() => Some("the answer is not HTTP"),
        error if error.is_incomplete_message() || error.is_closed() => {
            Some("the server closed the connection")
        }
        _ => None,
    };
    if let Some(words) = chain(error).find_map(|error| error.downcast_ref().and_then(of_http)) {
        return words.to_owned();
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

/// True if the other end closed the connection, in the handshake or before it answered.
pub(super) fn was_closed(error: &(dyn StdError + 'static)) -> bool {
    let is_end = |kind| {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
    };
    chain(error).any(|error| {
        match (error.downcast_ref::<hyper::Error>(), error.downcast_ref::<io::Error>()) {
            (Some(error), _) => error.is_incomplete_message() || error.is_closed(),
            (_, Some(error)) => is_end(error.kind()),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
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
        let credentials = Credentials::new("a", "hunter2");
        let (endpoint, _) = Endpoint::parse("http://h", "/").expect("it is a URL");
        let settings = ClientSettings { credentials, ..ClientSettings::default() };
        let client = Client::new(endpoint, "h".to_owned(), None, settings, Box::new(NoTerminal));
        let body = br#"{"type":"x","detail":"who is a:hunter2","errors":[{"message":"hunter2 is unknown","file":"hunter2","mine":{"x":"hunter2"}}]}"#;
        let error = client.refused(StatusCode::FORBIDDEN, MEDIA_TYPE, body, &ApiCall::default());
        assert!(error.message.contains("who is a:…"), "{error:?}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}
