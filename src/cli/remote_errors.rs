//! What a server's refusals are called, and what to do about them.

use serde_json::Value;

use crate::http::client::{ClientError, ServerRefusal, TlsFault};
use crate::http::protocol::headers::Feature;
use crate::http::protocol::problem::ProblemFault;

/// A message, and advice where there is any.
type Told = (String, Option<String>);

/// What a feature is called.
pub fn noun(feature: Feature) -> &'static str {
    match feature {
        Feature::DryRun => "dry runs",
        Feature::IfMatch => "conditional changes",
        Feature::Saved => "the saved configuration",
        Feature::Conf => "the text of the configuration",
        Feature::Force => "forced changes",
        Feature::Accept => "answers to single guards",
        Feature::Message => "messages",
        Feature::History => "a history",
        Feature::Confirm => "changes that have to be confirmed",
        Feature::OpenApi => "a description of its API",
    }
}

/// Everything that is wrong: what the server says, then each fault at its place.
pub fn faults(target: &str, error: &ClientError) -> Vec<Told> {
    let whole = (format!("`{target}`: {error}"), hint(error));
    let ClientError::Refused(refusal) = error else { return vec![whole] };
    let errors = refusal.problem.iter().flat_map(|problem| &problem.errors);
    let repeats = |fault: &ProblemFault| error.to_string().contains(&fault.message);
    let single = errors.clone().count() == 1 && errors.clone().all(repeats);
    let first = (!single).then_some(whole);
    first.into_iter().chain(errors.map(|fault| told(fault, target, single))).collect()
}

fn told(fault: &ProblemFault, target: &str, names_target: bool) -> Told {
    let mut message = if names_target { format!("`{target}`: ") } else { String::new() };
    if let Some(pointer) = &fault.pointer {
        message.push_str(if pointer.is_empty() { "(root)" } else { pointer });
        message.push_str(": ");
    }
    match (fault.line, fault.column) {
        (Some(line), Some(column)) => message.push_str(&format!("line {line}, column {column}: ")),
        (Some(line), None) => message.push_str(&format!("line {line}: ")),
        _ => {}
    }
    message.push_str(&fault.message);
    message.push_str(&sides(fault));
    (message, fault.hint.clone())
}

/// The three values of a conflict.
fn sides(fault: &ProblemFault) -> String {
    if fault.theirs.is_none() && fault.mine.is_none() {
        return String::new();
    }
    let word = |value: &Option<Box<Value>>| {
        value.as_ref().map_or("nothing".to_owned(), |value| format!("`{value}`"))
    };
    let [base, theirs, mine] = [&fault.base, &fault.theirs, &fault.mine].map(word);
    format!(" (it was {base}, became {theirs}, and was to be {mine})")
}

/// Advice on the whole.
pub fn hint(error: &ClientError) -> Option<String> {
    let hint = match error {
        ClientError::Refused(refusal) => return refusal_hint(refusal).map(str::to_owned),
        error if error.is_unknown() => {
            "it is not known whether the change was made; `mediactl read` shows what is there"
        }
        ClientError::Redirected { .. } => "redirects are not followed; give that address if it is meant",
        ClientError::Tls(TlsFault::AuthorityAsServer) => {
            "a certificate that is its own authority is made with `-addext basicConstraints=CA:FALSE`"
        }
        ClientError::Tls(TlsFault::NotTls) => "is it `http://` instead of `https://`?",
        ClientError::Tls(TlsFault::OtherHost) => "the URL has to name the server as its certificate does",
        ClientError::Tls(TlsFault::OutOfDate) => "the server needs a new certificate, or a clock is wrong",
        ClientError::Tls(_) | ClientError::NoAuthorities => {
            "`--cacert FILE` names the authority that the server has its certificate from"
        }
        ClientError::NotOfTheApi { .. } => "is it the right address, and the right `--api-prefix`?",
        _ => return None,
    };
    Some(hint.to_owned())
}

fn refusal_hint(refusal: &ServerRefusal) -> Option<&'static str> {
    match refusal.status {
        401 if refusal.is_of_wrong_credentials() => {
            Some("those of `edit_auth` in the running configuration of the server are right")
        }
        401 => Some(
            "give `--user` and `--password-file`, or MEDIACTL_LOGIN and MEDIACTL_PASSWORD; \
             on a terminal they are asked for",
        ),
        404 if refusal.problem.as_ref().is_none_or(|problem| problem.errors.is_empty()) => {
            Some("is it the right address, and the right `--api-prefix`?")
        }
        412 if refusal.problem.as_ref().is_none_or(|problem| problem.errors.is_empty()) => {
            Some("somebody else keeps changing the configuration; try again")
        }
        status if status >= 500 && refusal.problem.is_none() && refusal.applies => {
            Some("it is not known whether the change was made; `mediactl read` shows what is there")
        }
        _ => None,
    }
}
