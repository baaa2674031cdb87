//! The query of a request. An endpoint takes the parameters that it knows, and then [`Query::finish`] refuses wrong values, all
//! at once, and what must not be ignored. Other names have no effect; the response notes them.

use std::fmt::Display;
use std::mem;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use form_urlencoded::byte_serialize;

use crate::engine::{COMMANDS, ChangeOptions, GUARD_NAMES, Guard, MAX_CONFIRM};
use crate::error::{Error, ErrorKind};
use crate::http::api::{ApiOperation, Route, masked_text, revision_in};
use crate::http::notes::IGNORED_PARAMETER;
use crate::store::Revision;
use crate::store::etcd::is_node_name;
use mediaconf::{Fault, Path, Schema};

/// The parameters that name the text of a change, or say whether secrets are shown. A request to a route that does not
/// take one of them is refused: ignoring it would do or answer something else than was asked for.
const NEVER_IGNORED: [&str; 4] = ["base", "change", "revision", "secrets"];

/// The parameters that changes took once, and what to do instead: without them the change would be another one.
const GONE: [(&str, &str); 3] = [
    ("owner", "a patch merges; send `null` for what has to go, such as `{\"streams\": {\"old\": null}}`"),
    ("canary_timeout", "`confirm=SECONDS` is the time in which the change has to be confirmed"),
    ("skip_included", "leave it out: a pattern changes what stands in the file itself"),
];

/// The opposite of `async`, and not a misspelling of it.
const NEVER_NEAR: &str = "sync";

/// The number of ignored names that are noted, and the longest of them, in bytes.
const MAX_NOTED: usize = 8;
const MAX_NAME: usize = 64;

/// The query of a request.
pub struct Query {
    route: &'static Route,
    /// Names and values that were not taken.
    given: Vec<(String, String)>,
    /// The names that the endpoint takes.
    known: Vec<&'static str>,
    faults: Vec<Fault>,
    /// Notes about ignored names.
    pub notes: Vec<String>,
}

impl Query {
    pub fn new(route: &'static Route, text: &str) -> Self {
        let given = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        Self { route, given, known: Vec::new(), faults: Vec::new(), notes: Vec::new() }
    }

    /// True if a parameter that is not taken yet has this value.
    pub fn says(&self, name: &str, value: &str) -> bool {
        self.given.iter().any(|(given, said)| given == name && said == value)
    }

    /// The value of a parameter that may be given once.
    pub fn take<T>(&mut self, name: &'static str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        if self.given.iter().filter(|(given, _)| given == name).count() > 1 {
            self.faults.push(fault(name, "it is given more than once"));
        }
        self.take_all(name, read).pop()
    }

    /// The values of a parameter that may be given several times.
    fn take_all<T>(&mut self, name: &'static str, read: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        self.known.push(name);
        let (own, others) = mem::take(&mut self.given).into_iter().partition(|(given, _)| given == name);
        self.given = others;
        let mut values = Vec::new();
        for (_, value) in own {
            match read(&value) {
                Ok(value) => values.push(value),
                Err(message) => self.faults.push(fault(name, &message)),
            }
        }
        values
    }

    /// A list: values separated by commas, or given several times.
    fn list<T>(&mut self, name: &'static str, read: impl Fn(&str) -> Result<Vec<T>, String>) -> Vec<T> {
        self.take_all(name, read).into_iter().flatten().collect()
    }

    /// `true`, `1`, `false` or `0`, in any case: Python writes `True`.
    pub fn switch(&mut self, name: &'static str) -> bool {
        let read = |value: &str| match &*value.to_ascii_lowercase() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err("it takes `true` or `false`".to_owned()),
        };
        self.take(name, read).unwrap_or_default()
    }

    /// One of several words.
    pub fn word(&mut self, name: &'static str, words: &[&'static str]) -> Option<&'static str> {
        self.take(name, |value| {
            let known = words.iter().find(|word| **word == value).copied();
            known.ok_or_else(|| format!("it takes `{}`", words.join("` or `")))
        })
    }

    /// A value that its type parses.
    pub fn parsed<T: FromStr<Err: Display>>(&mut self, name: &'static str) -> Option<T> {
        self.take(name, |value| value.parse().map_err(|error: T::Err| error.to_string()))
    }

    /// A path to a value.
    pub fn path(&mut self) -> Option<Path> {
        self.take("path", |value| Path::parse(value).map_err(|fault| fault.to_string()))
    }

    /// A whole number within bounds.
    pub fn number(&mut self, name: &'static str, bounds: RangeInclusive<u64>) -> Option<u64> {
        self.take(name, |value| {
            let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
            let number = value.parse().ok().filter(|number| is_plain && bounds.contains(number));
            number.ok_or_else(|| format!("it takes a number from {} to {}", bounds.start(), bounds.end()))
        })
    }

    /// A time in seconds.
    pub fn seconds(&mut self, name: &'static str, bounds: RangeInclusive<u64>) -> Option<Duration> {
        self.number(name, bounds).map(Duration::from_secs)
    }

    /// Notes as a fault that a parameter, which has no value, is needed.
    pub fn demand<T>(&mut self, name: &'static str, value: Option<T>) -> Result<T, Error> {
        let has_fault = |fault: &Fault| fault.message.starts_with(&format!("`{name}`: "));
        if value.is_none() && !self.faults.iter().any(has_fault) {
            self.faults.push(fault(name, "it is required"));
        }
        self.finish()?;
        Ok(value.expect("a missing value is a fault"))
    }

    /// The options of a change that an operation takes in its query.
    pub fn change_options(&mut self) -> ChangeOptions {
        let operation = self.route.operation;
        let is_new = operation != ApiOperation::Rollback;
        ChangeOptions {
            // A rollback brings back what was there.
            base: if is_new { self.take("base", base) } else { None },
            dry_run: self.switch("dry_run"),
            force: self.switch("force"),
            strict: self.switch("strict"),
            reload_later: self.switch("async"),
            accepted: self.list("accept", guards),
            message: self.parsed("message"),
            command: self.word("command", COMMANDS).map(Into::into),
            // The history has no updates.
            id: if operation == ApiOperation::Update { None } else { self.parsed("change") },
            confirm: self.seconds("confirm", 1..=MAX_CONFIRM),
            canary: self.list("canary", nodes),
            soak: self.seconds("canary_time", 1..=MAX_CONFIRM),
            ..ChangeOptions::default()
        }
    }

    /// Ends the taking of parameters.
    ///
    /// # Errors
    /// `BadParameter`, with all faults: a wrong value, or a name that must not be ignored.
    pub fn finish(&mut self) -> Result<(), Error> {
        for (name, _) in mem::take(&mut self.given) {
            match self.refusal_of(&name) {
                Some(refused) => self.faults.push(refused),
                None => self.note(&name),
            }
        }
        let faults = mem::take(&mut self.faults);
        let Some(first) = faults.first() else { return Ok(()) };
        Err(Error::new(ErrorKind::BadParameter, first.message.clone()).with_faults(faults))
    }

    /// Why a name that the operation does not take is not ignored. A change with a misspelled name is refused, because
    /// `dry-run=true` must not make the change.
    fn refusal_of(&self, name: &str) -> Option<Fault> {
        if self.route.operation == ApiOperation::Change {
            let hint = "the options of a change stand in the body, in `options`; nothing was done";
            return Some(fault(name, "`change` does not take it").hint(hint));
        }
        if NEVER_IGNORED.contains(&name) {
            return Some(fault(name, &format!("`{}` does not take it", self.route.path)));
        }
        if !self.route.is_change() {
            return None;
        }
        if let Some((_, instead)) = GONE.iter().find(|(gone, _)| *gone == name) {
            let hint = format!("{instead}; nothing was done");
            return Some(fault(name, "there is no such parameter any more").hint(hint));
        }
        let plain = name.to_ascii_lowercase().replace('-', "_");
        let is_plain_known = self.known.iter().copied().find(|known| *known == plain);
        let near = || Schema::nearest(&plain, self.known.iter().copied()).filter(|_| plain != NEVER_NEAR);
        let meant = is_plain_known.or_else(near)?;
        let hint = format!("did you mean `{meant}`? nothing was done");
        Some(fault(name, "there is no such parameter").hint(hint))
    }

    /// Notes an ignored name once, percent-encoded (RFC 3986, 2.1).
    fn note(&mut self, name: &str) {
        let masked = masked_text(name);
        let pieces = byte_serialize(masked.as_bytes()).map(|piece| if piece == "+" { "%20" } else { piece });
        let mut encoded: String = pieces.collect();
        if encoded.len() > MAX_NAME {
            encoded.truncate(MAX_NAME);
            // Removes a percent escape that was cut off.
            let escape = encoded[MAX_NAME - 2..].find('%').map(|at| MAX_NAME - 2 + at);
            encoded.truncate(escape.unwrap_or(MAX_NAME));
        }
        let note = format!("{IGNORED_PARAMETER} {encoded}");
        if !name.is_empty() && self.notes.len() < MAX_NOTED && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

fn fault(name: &str, message: &str) -> Fault {
    Fault::plain(format!("`{name}`: {message}"))
}

/// Names of guards.
fn guards(value: &str) -> Result<Vec<Guard>, String> {
    let names = value.split(',').map(str::trim).filter(|guard| !guard.is_empty());
    let read = |wanted: &str| {
        Guard::named(wanted).ok_or_else(|| {
            let known: Vec<&str> = GUARD_NAMES.iter().map(|(name, _)| *name).collect();
            format!("there is no guard `{}`, only {}", masked_text(wanted), known.join(", "))
        })
    };
    names.map(read).collect()
}

/// Names of nodes of a cluster, or how many.
fn nodes(value: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    let is_number = value.parse::<usize>().is_ok_and(|number| number > 0);
    match is_number || names.iter().all(|name| is_node_name(name)) {
        true => Ok(names),
        false => Err("it takes names of nodes, separated by commas, or how many".to_owned()),
    }
}

/// A revision, or an `ETag`.
fn base(value: &str) -> Result<Revision, String> {
    let revision = revision_in(value).map_or_else(|| value.parse(), Ok);
    revision.map_err(|error| format!("{error}, and an `ETag` of a configuration begins with one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(operation: ApiOperation, query: &str) -> Vec<String> {
        let mut query = Query::new(operation.route(), query);
        query.change_options();
        query
            .finish()
            .err()
            .map_or_else(Vec::new, |error| error.faults.into_iter().map(|fault| fault.message).collect())
    }

    #[test]
    fn known_values_are_read_and_others_refused() {
        for (query, expected) in [
            ("dry_run=yes", 1),
            ("dry_run", 1),
            ("dry_run=&force=10&async=truE&strict=FALSE", 2),
            ("confirm=0&canary_time=86401", 2),
            ("confirm=+1&canary_time=99999999999999999999999", 2),
            ("confirm=007&canary_time=86400", 0),
            ("dry_run=true&dry_run=false", 1),
            ("dry_run=1&dry%5Frun=1", 1),
            ("message=a&message=a&message=b&base=x", 2),
            ("accept=near-miss&accept=form-change&canary=a&canary=b&x=1&x=2", 0),
            ("", 0),
        ] {
            assert_eq!(faults(ApiOperation::Modify, query).len(), expected, "{query}");
        }
        assert_eq!(faults(ApiOperation::Save, "force=1&force=0"), ["`force`: it is given more than once"]);
        let mut query = Query::new(ApiOperation::Modify.route(), "accept=near-miss&accept=form-change");
        assert_eq!(query.change_options().accepted, [Guard::NearMiss, Guard::FormChange]);
    }

    #[test]
    fn near_parameters_are_told_from_others() {
        for (name, expected) in [
            ("dry-run", Some("dry_run")),
            ("dryRun", Some("dry_run")),
            ("dry_rnu", Some("dry_run")),
            ("confirmed", Some("confirm")),
            ("forced", Some("force")),
            ("asynch", Some("async")),
            ("sync", None),
            ("Sync", None),
            ("dry", None),
            ("to", None),
            ("", None),
            ("skip-streams", None),
            ("runtime", None),
            ("token", None),
            ("confirmation", None),
        ] {
            let mut query = Query::new(ApiOperation::Modify.route(), "");
            query.change_options();
            let hint = query.refusal_of(name).and_then(|fault| fault.hint);
            let expected = expected.map(|meant| format!("did you mean `{meant}`? nothing was done"));
            assert_eq!(hint, expected, "{name}");
        }
    }

    #[test]
    fn ignored_names_are_encoded_and_bounded() {
        let note = |name: &str| {
            let mut query = Query::new(ApiOperation::Read.route(), "");
            query.note(name);
            query.notes.pop().unwrap_or_default().replace("ignored-parameter ", "")
        };
        assert_eq!(note("a b;c+ü"), "a%20b%3Bc%2B%C3%BC");
        assert_eq!(note(&"x".repeat(1000)), "x".repeat(MAX_NAME));
        for before in MAX_NAME - 3..=MAX_NAME {
            let cut = note(&format!("{}ü", "x".repeat(before)));
            let whole = before + if before + 3 <= MAX_NAME { 3 } else { 0 };
            assert_eq!(cut.len(), whole, "{cut}");
        }
    }
}
