//! What a request says beside its body and its path: the headers for which it is refused whatever it asks for, and its
//! query. An endpoint takes the parameters that it knows, and then [`Query::finish`] refuses wrong values, all
//! at once, and what must not be ignored. Other names have no effect.

use std::fmt::Display;
use std::mem;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::de::IgnoredAny;

use crate::engine::{COMMANDS, ChangeOptions, GUARD_NAMES, Guard, MAX_CONFIRM};
use crate::error::{Error, ErrorKind};
use crate::http::api::{ApiOperation, Body, Route, TEXT, masked_text, revision_in};
use crate::http::server::message::{Head, Response};
use crate::store::Revision;
use mediaconf::{Fault, Path, Schema};

/// The parameters that name the text of a change, or say whether secrets are shown, and those that changes took once. A request
/// to a route that does not take one of them is refused: ignoring it would do or answer something else than was asked for.
const NEVER_IGNORED: [&str; 9] = [
    "base",
    "canary",
    "canary_time",
    "canary_timeout",
    "change",
    "owner",
    "revision",
    "secrets",
    "skip_included",
];

/// The opposite of `async`, and not a misspelling of it.
const NEVER_NEAR: &str = "sync";

/// The query of a request.
pub struct Query {
    route: &'static Route,
    /// Names and values that were not taken.
    given: Vec<(String, String)>,
    /// The names that the endpoint takes.
    known: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl Query {
    pub fn new(route: &'static Route, text: &str) -> Self {
        let given = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        Self { route, given, known: Vec::new(), faults: Vec::new() }
    }

    fn fault(&mut self, name: &str, message: &str) {
        self.faults.push(Fault::plain(format!("`{name}`: {message}")));
    }

    /// The first value of a parameter that is not taken yet.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The values of a parameter that may be given several times.
    fn take_all<T>(&mut self, name: &'static str, read: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        self.known.push(name);
        let own: Vec<_> = self.given.extract_if(.., |(given, _)| given == name).collect();
        let read = own
            .into_iter()
            .filter_map(|(_, value)| read(&value).inspect_err(|message| self.fault(name, message)).ok());
        read.collect()
    }

    /// The value of a parameter that may be given once.
    fn take<T>(&mut self, name: &'static str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        if self.given.iter().filter(|(given, _)| given == name).count() > 1 {
            self.fault(name, "it is given more than once");
        }
        self.take_all(name, read).pop()
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
    pub fn path(&mut self, name: &'static str) -> Option<Path> {
        self.take(name, |value| Path::parse(value).map_err(|fault| fault.to_string()))
    }

    /// A whole number within bounds.
    pub fn number(&mut self, name: &'static str, bounds: RangeInclusive<u64>) -> Option<u64> {
        self.take(name, |value| {
            let number =
                value.parse().ok().filter(|number| !value.starts_with('+') && bounds.contains(number));
            number.ok_or_else(|| format!("it takes a number from {} to {}", bounds.start(), bounds.end()))
        })
    }

    /// A time in seconds.
    pub fn seconds(&mut self, name: &'static str, bounds: RangeInclusive<u64>) -> Option<Duration> {
        self.number(name, bounds).map(Duration::from_secs)
    }

    /// The value of a parameter that has to be given; all parameters are taken then.
    pub fn demand<T>(
        &mut self,
        name: &'static str,
        take: impl FnOnce(&mut Self, &'static str) -> Option<T>,
    ) -> Result<T, Error> {
        if self.value(name).is_none() {
            self.fault(name, "it is required");
        }
        let value = take(self, name);
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
            accepted: self.take_all("accept", guards).concat(),
            message: self.parsed("message"),
            command: self.word("command", COMMANDS).map(Into::into),
            // The history has no updates.
            id: if operation == ApiOperation::Update { None } else { self.parsed("change") },
            confirm: self.seconds("confirm", 1..=MAX_CONFIRM),
            ..ChangeOptions::default()
        }
    }

    /// Ends the taking of parameters.
    ///
    /// # Errors
    /// `BadParameter`, with all faults: a wrong value, or a name that must not be ignored.
    pub fn finish(&mut self) -> Result<(), Error> {
        for (name, _) in mem::take(&mut self.given) {
            if let Some((why, hint)) = self.refusal_of(&name) {
                let hint = format!("{hint}nothing was done");
                self.faults.push(Fault::plain(format!("`{name}`: {why}")).hint(hint));
            }
        }
        let faults = mem::take(&mut self.faults);
        let Some(first) = faults.first() else { return Ok(()) };
        Err(Error::new(ErrorKind::BadParameter, first.message.clone()).with_faults(faults))
    }

    /// Why a name that the operation does not take is not ignored, and the beginning of a hint. A change with a misspelled name
    /// is refused, because `dry-run=true` must not make the change.
    fn refusal_of(&self, name: &str) -> Option<(String, String)> {
        let not_taken = format!("`{}` does not take it", self.route.path);
        if self.route.operation == ApiOperation::Change {
            let hint = "the options of a change stand in the body, in `options`; ";
            return Some((not_taken, hint.to_owned()));
        }
        if NEVER_IGNORED.contains(&name) {
            return Some((not_taken, String::new()));
        }
        let plain = name.to_ascii_lowercase().replace('-', "_");
        let known = || self.known.iter().copied().filter(|_| self.route.is_change() && plain != NEVER_NEAR);
        let meant = known().find(|known| *known == plain).or_else(|| Schema::nearest(&plain, known()))?;
        Some(("there is no such parameter".to_owned(), format!("did you mean `{meant}`? ")))
    }
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

/// A revision, or an `ETag`.
fn base(value: &str) -> Result<Revision, String> {
    let revision = revision_in(value).map_or_else(|| value.parse(), Ok);
    revision.map_err(|error| format!("{error}, and an `ETag` of a configuration begins with one"))
}

/// Refuses requests that a page of another site makes a browser send, because the browser adds the
/// password that it remembers.
pub fn refuse_cross_site(head: &Head) -> Result<(), Error> {
    let site = head.header("sec-fetch-site");
    let is_foreign_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_foreign_origin = head.header("origin").is_some_and(|origin| {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        !head.header("host").is_some_and(|own| own.eq_ignore_ascii_case(host))
    });
    match is_foreign_site || is_foreign_origin {
        true => Err(Error::new(ErrorKind::CrossSite, "requests from pages of other sites are refused")),
        false => Ok(()),
    }
}

/// Refuses requests of other sites' pages for a file of the console, except a navigation of the browser to the page: a
/// link to it, such as in a ticket, has to work, and is safe, as the page has no password yet.
pub fn refuse_foreign_use(head: &Head) -> Result<(), Error> {
    let is = |name: &str, value: &str| head.header(name) == Some(value);
    let is_navigation = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    if is_navigation && head.header("origin").is_none() { Ok(()) } else { refuse_cross_site(head) }
}

/// Refuses a body in a content coding, and JSON where a text belongs. The parser of patches says so of a text where JSON
/// belongs.
pub fn refuse_body(head: &Head, wanted: Body, body: &[u8]) -> Result<(), Error> {
    if let Some(coding) =
        head.header("content-encoding").filter(|coding| !coding.eq_ignore_ascii_case("identity"))
    {
        let detail = format!("the content coding `{coding}` is not supported; send the body without it");
        return Err(Error::new(ErrorKind::ContentCoding, detail));
    }
    let body = Schema::without_bom(body).trim_ascii();
    let is_json = || serde_json::from_slice::<IgnoredAny>(body).is_ok();
    if wanted == Body::Text && matches!(body.first(), Some(b'"' | b'{' | b'[')) && is_json() {
        let hint = "send the text as it is: `curl --data-binary @FILE`; `modify_config` merges JSON";
        let detail = "the body is JSON; it has to be the text of a configuration";
        return Err(Error::new(ErrorKind::BadConfig, detail).hint(hint));
    }
    Ok(())
}

/// The redirect to the path with one slash between its segments and none at its end, if that one leads anywhere: a path of this
/// server, never another host.
pub fn to_canonical(head: &Head, leads_anywhere: impl FnOnce(&str) -> bool) -> Option<Response> {
    let (path, query) = head.target.split_at(head.path().len());
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let canonical = format!("/{}", segments.join("/"));
    if canonical == path || !leads_anywhere(&canonical) {
        return None;
    }
    let body = format!("the path is {canonical}; nothing was done here\n");
    let response = Response { status: 308, ..Response::ok(TEXT, body.into_bytes()) };
    Some(response.with("Location", format!("{canonical}{query}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::server::message::PeerAddress;

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
            ("confirm=+1&canary=a", 2),
            ("confirm=007", 0),
            ("dry_run=true&dry_run=false", 1),
            ("dry_run=1&dry%5Frun=1", 1),
            ("message=a&message=a&message=b&base=x", 2),
            ("accept=near-miss&accept=form-change&x=1&x=2", 0),
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
            let hint = query.refusal_of(name).map(|(_, hint)| hint);
            let expected = expected.map(|meant| format!("did you mean `{meant}`? "));
            assert_eq!(hint, expected, "{name}");
        }
    }

    #[test]
    fn a_redirect_leads_to_a_path_of_this_server_with_the_query_as_it_was_sent() {
        let location = |target: &str| {
            let (method, target, headers) = ("POST".to_owned(), target.to_owned(), Vec::new());
            let head = Head { method, target, headers, peer: PeerAddress::Uid(0), unread: false };
            let response = to_canonical(&head, |path| path.starts_with("/a"))?;
            assert_eq!(response.status, 308);
            let (_, location) = response.headers.into_iter().find(|(name, _)| *name == "Location")?;
            Some(location)
        };
        for (target, expected) in [
            ("//a/?b=//c/%41?", "/a?b=//c/%41?"),
            ("//a?", "/a?"),
            ("//a.example/b", "/a.example/b"),
            ("///a.example//b/", "/a.example/b"),
        ] {
            assert_eq!(location(target).as_deref(), Some(expected), "{target}");
        }
        for target in ["/a", "/a?b=//c/", "//evil.example", "//evil.example/a", "/b/", "*", "/..//a"] {
            assert_eq!(location(target), None, "{target}");
        }
    }
}
