//! Describes failed requests for users, and classifies them for callers.

use serde_json::Value;

use super::error::{ClientError, ServerRefusal};
use super::reason::TlsFault;
use crate::engine::{ErrorKind, Guard, RemoteFailure, RequestRefusal, WITHOUT_STRICT};
use crate::http::protocol::problem::{ProblemFault, ProblemKind};
use mediaconf::syntax::one_line;

/// A message, and advice where there is any.
type MessageAndHint = (String, Option<String>);

/// Advice where the outcome of a change is unknown.
const UNKNOWN: &str =
    "it is not known whether the change was made; `mediactl read` shows the present configuration";

/// Advice where the server may be another program.
const ADDRESS: &str = "check the address and `--api-prefix`";

/// Describes why a request to `service` failed.
pub fn failure(service: &str, error: &ClientError) -> RemoteFailure {
    RemoteFailure { kind: kind(error), status: error.status(), faults: faults(service, error) }
}

fn kind(error: &ClientError) -> ErrorKind {
    match error {
        ClientError::Refused(refusal) => kind_of_refusal(refusal),
        error if error.is_unknown() => ErrorKind::Unknown,
        _ => ErrorKind::Absent,
    }
}

fn kind_of_refusal(refusal: &ServerRefusal) -> ErrorKind {
    match refusal.problem.as_ref().and_then(|problem| problem.kind()) {
        Some(problem) => problem.error_kind(refusal.applies),
        None => kind_of_status(refusal.status, refusal.applies),
    }
}

/// The kind for servers without problem documents; one that failed inside may have made the change.
fn kind_of_status(status: u16, applies: bool) -> ErrorKind {
    match status {
        401 | 403 | 407 | 429 => ErrorKind::Denied,
        404 | 405 | 410 | 503 => ErrorKind::Absent,
        409 | 412 => ErrorKind::Conflict,
        400..=499 => ErrorKind::Invalid,
        _ if applies => ErrorKind::Unknown,
        _ => ErrorKind::Failed,
    }
}

/// The guard of the server that refused the change, if a person can answer it.
pub fn guard(error: &ClientError) -> Option<Guard> {
    let ClientError::Refused(refusal) = error else { return None };
    if let Some(told) = &refusal.problem.as_ref()?.refusal {
        return told.guard.clone();
    }
    Guard::named(refusal.problem.as_ref()?.kind()?.name()).filter(Guard::is_question)
}

/// The refusal of a request that the server evaluated, with its status.
pub fn refusal(error: &ClientError) -> Option<(u16, &RequestRefusal)> {
    let ClientError::Refused(refusal) = error else { return None };
    Some((refusal.status, refusal.problem.as_ref()?.refusal.as_deref()?))
}

/// The detail of the problem document, then each fault at its place.
fn faults(service: &str, error: &ClientError) -> Vec<MessageAndHint> {
    let whole = (format!("`{service}`: {error}"), hint(error));
    let ClientError::Refused(refusal) = error else { return vec![whole] };
    let errors = refusal.problem.as_ref().map_or(&[][..], |problem| &problem.errors);
    let mut faults = match errors {
        [only] if error.to_string().contains(&only.message) => {
            vec![(format!("`{service}`: {}", message(only)), only.hint.clone())]
        }
        _ => {
            let each = errors.iter().map(|fault| (message(fault), fault.hint.clone()));
            [whole].into_iter().chain(each).collect()
        }
    };
    let kind = refusal.problem.as_ref().and_then(|problem| problem.kind());
    if let (Some((_, hint)), Some(ProblemKind::NewWarnings)) = (faults.last_mut(), kind) {
        // The server names its parameter, not the option.
        *hint = Some(WITHOUT_STRICT.to_owned());
    }
    faults
}

/// The message of a fault behind its place.
fn message(fault: &ProblemFault) -> String {
    let pointer = match fault.pointer.as_deref() {
        None => String::new(),
        Some("") => "(root): ".to_owned(),
        Some(pointer) => format!("{pointer}: "),
    };
    let position = match (fault.line, fault.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        (None, _) => String::new(),
    };
    let file = fault.file.as_ref().map_or(String::new(), |file| format!("`{}`, ", one_line(file)));
    format!("{pointer}{file}{position}{}{}", fault.message, conflict(fault))
}

/// The three values of a conflict.
fn conflict(fault: &ProblemFault) -> String {
    if fault.theirs.is_none() && fault.mine.is_none() {
        return String::new();
    }
    let word = |value: &Option<Box<Value>>| {
        value.as_ref().map_or("nothing".to_owned(), |value| format!("`{value}`"))
    };
    let [base, theirs, mine] = [&fault.base, &fault.theirs, &fault.mine].map(word);
    format!(" (it was {base}, became {theirs}, and was to be {mine})")
}

fn hint(error: &ClientError) -> Option<String> {
    let hint = match error {
        ClientError::Refused(refusal) => return hint_for_refusal(refusal).map(str::to_owned),
        error if error.is_unknown() => UNKNOWN,
        ClientError::Redirected { .. } => {
            "redirects are not followed; if that is the right server, give its address"
        }
        ClientError::Tls(TlsFault::Unknown { found, .. }) => {
            return Some(format!(
                "if the server shows the same one, trust it with `--fingerprint {found}`; \
                 `--cacert FILE` names an authority instead"
            ));
        }
        ClientError::Tls(TlsFault::OtherFingerprint { .. }) => {
            "another machine may pose as the server; if the server has a new certificate, compare its \
             fingerprint there, and pin that one"
        }
        ClientError::Tls(TlsFault::AuthorityAsServer) => {
            "create a self-signed certificate with `-addext basicConstraints=CA:FALSE`"
        }
        ClientError::Tls(TlsFault::NotTls) => "is it `http://` instead of `https://`?",
        ClientError::Tls(TlsFault::OtherHost) => "the host in the URL has to be a name in the certificate",
        ClientError::Tls(TlsFault::OutOfDate) => "the server needs a new certificate, or a clock is wrong",
        ClientError::Tls(_) | ClientError::NoAuthorities => {
            "`--cacert FILE` names the authority that issued the certificate of the server"
        }
        ClientError::TooLarge { most, .. } => {
            return most.next().map(|size| format!("`--max-answer {size}` takes a larger one"));
        }
        ClientError::NotOfTheApi { .. } => ADDRESS,
        _ => return None,
    };
    Some(hint.to_owned())
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
        500.. if refusal.problem.is_none() && refusal.applies => Some(UNKNOWN),
        _ => None,
    }
}
