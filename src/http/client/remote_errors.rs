//! Describes failed requests for users, and classifies them for callers.

use super::error::{ClientError, ServerRefusal};
use super::reason::TlsFault;
use crate::engine::Guard;
use crate::error::{Error, ErrorKind};
use crate::http::protocol::problem::Problem;
use mediaconf::plumbing::edit::Fault;

/// Advice where the outcome of a change is unknown.
const UNKNOWN: &str =
    "it is not known whether the change was made; `mediactl read` shows the present configuration";

/// Advice where the server may be another program.
const ADDRESS: &str = "check the address and `--api-prefix`";

/// Why a request to `service` failed.
pub fn failure(service: &str, error: &ClientError) -> Error {
    let mut lines = lines(service, error);
    let refusal = match &lines[..] {
        [only] => Error { hint: only.hint.clone(), ..Error::new(kind(error), &only.message) },
        _ => {
            let message = lines.iter().map(|line| line.message.as_str()).collect::<Vec<_>>().join("; ");
            Error::new(kind(error), message).with_faults(std::mem::take(&mut lines))
        }
    };
    Error { status: error.status(), ..refusal }
}

/// The refusal of a request that the server evaluated, or of a guard that a person can answer: it reads as if it were
/// made here.
pub fn of_request(error: &ClientError) -> Option<Error> {
    let ClientError::Refused(refused) = error else { return None };
    let problem = refused.problem.as_ref()?;
    if let Some(refusal) = &problem.refusal {
        return Some(Error { status: Some(refused.status), ..(**refusal).clone() });
    }
    Guard::named(problem.kind()?.name()).filter(Guard::is_question).map(Error::from)
}

fn kind(error: &ClientError) -> ErrorKind {
    match error {
        ClientError::Refused(refused) => match refused.problem.as_ref().and_then(Problem::kind) {
            Some(kind) if refused.applies => kind.of_change(),
            Some(kind) => kind,
            None => kind_of_status(refused.status, refused.applies),
        },
        error if error.is_unknown() => ErrorKind::OutcomeUnknown,
        _ => ErrorKind::NotReached,
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

/// The detail of the problem document, then each fault at its place.
fn lines(service: &str, error: &ClientError) -> Vec<Fault> {
    let line = |message, hint| Fault { message, hint, ..Fault::default() };
    let whole = line(format!("`{service}`: {error}"), hint(error));
    let ClientError::Refused(refused) = error else { return vec![whole] };
    let errors = refused.problem.as_ref().map_or(&[][..], |problem| &problem.errors);
    match errors {
        [only] if error.to_string().contains(&only.message) => {
            vec![line(format!("`{service}`: {only}"), only.hint.clone())]
        }
        _ => {
            let each = errors.iter().cloned().map(Fault::in_one_line);
            [whole].into_iter().chain(each).collect()
        }
    }
}

fn hint(error: &ClientError) -> Option<String> {
    let hint = match error {
        ClientError::Refused(refusal) => {
            let told = refusal.problem.as_ref().and_then(|problem| problem.refusal.as_ref()?.hint.clone());
            let told = told.filter(|_| refusal.status == 412);
            return told.or_else(|| hint_for_refusal(refusal).map(str::to_owned));
        }
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
        // A server that is busy has not begun.
        500.. if refusal.status != 503 && refusal.problem.is_none() && refusal.applies => Some(UNKNOWN),
        _ => None,
    }
}
