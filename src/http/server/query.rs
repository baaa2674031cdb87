//! What a request says beside its body: its path, of which another spelling is redirected, because the rules of a proxy in front of
//! the server may not know it; the headers and the form of the body, for which it is refused whatever it asks for; and its
//! query. An endpoint takes the parameters that it knows, and then [`Query::finish`] refuses wrong values, all
//! at once, and what must not be ignored. Other names have no effect; the response notes them.

use std::borrow::Cow;
use std::fmt::Display;
use std::mem;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use serde::de::IgnoredAny;

use crate::engine::{COMMANDS, ChangeOptions, GUARD_NAMES, Guard, MAX_CONFIRM};
use crate::error::{Error, ErrorKind};
use crate::http::api::{ApiOperation, Body, Route, TEXT, masked_text, revision_in};
use crate::http::notes::IGNORED_PARAMETER;
use crate::http::server::message::{Head, Response};
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

/// The number of ignored names that are noted, the longest of them, in characters, and what is encoded in them.
const MAX_NOTED: usize = 8;
const MAX_NAME: usize = 64;
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'*');

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
            let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
            let number = value.parse().ok().filter(|number| is_plain && bounds.contains(number));
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
        if !self.given.iter().any(|(given, _)| given == name) {
            self.faults.push(fault(name, "it is required"));
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
            canary: self.take_all("canary", nodes).concat(),
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
        let mut shown = utf8_percent_encode(&masked_text(name), NAME).to_string();
        if shown.len() > MAX_NAME {
            // Not within a percent escape.
            let escape = shown[MAX_NAME - 2..MAX_NAME].find('%').map(|at| MAX_NAME - 2 + at);
            shown.truncate(escape.unwrap_or(MAX_NAME));
        }
        let note = format!("{IGNORED_PARAMETER} {shown}");
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
    match is_navigation && head.header("origin").is_none() {
        true => Ok(()),
        false => refuse_cross_site(head),
    }
}

/// The registered content codings (IANA). Any other word is taken for a mistake of the client, and the
/// body for plain text.
const CODINGS: &str = "aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd";

/// Refuses a body in a content coding.
pub fn refuse_coding(head: &Head) -> Result<(), Error> {
    let codings = head.values("content-encoding").flat_map(|value| value.split(','));
    let mut codings = codings.map(|coding| coding.trim().to_ascii_lowercase());
    match codings.find(|coding| CODINGS.split(' ').any(|known| known == coding)) {
        Some(coding) => Err(Error::new(
            ErrorKind::ContentCoding,
            format!("the content coding `{coding}` is not supported; send the body without it"),
        )),
        None => Ok(()),
    }
}

/// The number of bytes that are searched for the name of the first field of a form.
const FIRST_FIELD: usize = 1024;

/// The header of a part of a multipart form.
const PART_HEADER: &[u8] = b"content-disposition: form-data";

/// Refuses a body that is an HTML form, or JSON where a text belongs; no valid body looks like one. The parser of patches
/// says so of a text where JSON belongs.
pub fn refuse_form(wanted: Body, body: &[u8]) -> Result<(), Error> {
    let (kind, noun) = match wanted {
        Body::None | Body::Checked => return Ok(()),
        Body::Patch | Body::Change => (ErrorKind::NotJson, "a JSON object"),
        Body::Text => (ErrorKind::BadConfig, "the text of a configuration"),
    };
    let body = Schema::without_bom(body).trim_ascii();
    let (sent, hint) = if wanted == Body::Text && is_json(body) {
        ("JSON", "send the text as it is: `curl --data-binary @FILE`; `modify_config` merges JSON")
    } else if is_form(body, wanted) {
        (
            "a form, as `curl -F` or `curl --data-urlencode` sends it",
            "send the content alone: `curl --data-binary @FILE`",
        )
    } else {
        return Ok(());
    };
    Err(Error::new(kind, format!("the body is {sent}; it has to be {noun}")).hint(hint))
}

fn is_json(body: &[u8]) -> bool {
    matches!(body.first(), Some(b'"' | b'{' | b'[')) && serde_json::from_slice::<IgnoredAny>(body).is_ok()
}

/// True for a multipart form, and for `name=value&…`. A configuration has characters that a form would encode.
fn is_form(body: &[u8], wanted: Body) -> bool {
    let start = &body[..body.len().min(FIRST_FIELD)];
    let is_header = |window: &[u8]| window.eq_ignore_ascii_case(PART_HEADER);
    if start.starts_with(b"--") && start.windows(PART_HEADER.len()).any(is_header) {
        return true;
    }
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte);
    let is_plain = |byte: &u8| byte.is_ascii_whitespace() || b";{}#\"'".contains(byte);
    let Some(end) = start.iter().position(|byte| *byte == b'=') else { return false };
    start[0].is_ascii_alphabetic()
        && start[..end].iter().all(is_of_name)
        && (wanted != Body::Text || !body.iter().any(is_plain))
}

/// The status that keeps method and body (RFC 9110, section 15.4.9).
const PERMANENT_REDIRECT: u16 = 308;

/// Returns the canonical spelling of a path: one slash between segments, none at the end, and unreserved
/// characters as they are (RFC 3986, section 6.2.2). A path with dot segments has none but its own:
/// clients resolve them before they send a path.
pub fn canonical(path: &str) -> Cow<'_, str> {
    let plain = decoded(path);
    let segments: Vec<&str> = plain.split('/').filter(|segment| !segment.is_empty()).collect();
    if !path.starts_with('/') || segments.iter().any(|segment| matches!(*segment, "." | "..")) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(format!("/{}", segments.join("/")))
}

/// Returns the redirect to the canonical path if that one leads anywhere. The new location is a path of
/// this server, never another host: it starts with one slash.
pub fn to_canonical(head: &Head, leads_anywhere: impl FnOnce(&str) -> bool) -> Option<Response> {
    let (path, query) = head.target.split_at(head.path().len());
    let canonical = canonical(path);
    if canonical == path || !leads_anywhere(&canonical) {
        return None;
    }
    let location = format!("{canonical}{query}");
    let body = format!("the path is {canonical}; nothing was done here\n");
    let response = Response { status: PERMANENT_REDIRECT, ..Response::ok(TEXT, body.into_bytes()) };
    Some(response.with("Location", location))
}

/// Decodes `%XX` where it stands for a letter, a digit, or one of `-._~`.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..2).and_then(unreserved) {
            Some(character) => plain.extend([&*String::from(character), &part[2..]]),
            None => plain.extend(["%", part]),
        }
    }
    plain
}

fn unreserved(digits: &str) -> Option<char> {
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    (byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)).then(|| char::from(byte))
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
    fn each_path_has_one_canonical_spelling() {
        for (path, expected) in [
            ("/media/api/read_config", "/media/api/read_config"),
            ("//media///api/read_config//", "/media/api/read_config"),
            ("/media/api/read%5fconfig", "/media/api/read_config"),
            ("/%6D%65dia/api/%7e%2D", "/media/api/~-"),
            ("/a%2fb/%C3%A9/%zz/%5", "/a%2fb/%C3%A9/%zz/%5"),
            // Decoded once.
            ("/%2541", "/%2541"),
            ("/%+1", "/%+1"),
            ("/a/../b//", "/a/../b//"),
            ("/a/%2e%2E/b", "/a/%2e%2E/b"),
            ("/./a", "/./a"),
            ("//", "/"),
            ("/", "/"),
            ("*", "*"),
            ("", ""),
        ] {
            assert_eq!(canonical(path), expected, "{path}");
            assert_eq!(canonical(&canonical(path)), expected, "{path}");
        }
    }

    #[test]
    fn forms_and_json_are_told_from_what_operations_take() {
        let multipart = "--x1\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nhttp 80;\r\n--x1--\r\n";
        for (wanted, body, is_refused) in [
            (Body::Patch, "\u{feff}{\"rtmp\":1}", false),
            (Body::Patch, "[]", false),
            (Body::Text, " \"http 80;\\nrtmp 1;\"\r\n", true),
            (Body::Text, "\"\"", true),
            (Body::Text, "{\"rtmp\":1}", true),
            (Body::Text, "[]", true),
            (Body::Text, "\"http\" 80; # \"", false),
            (Body::Text, "", false),
            (Body::Patch, "data=%7B%22rtmp%22%3A1%7D", true),
            (Body::Patch, "data={\"rtmp\":1}", true),
            (Body::Patch, "a[b]=1&c=2\n", true),
            (Body::Patch, multipart, true),
            (Body::Patch, "{\"a\":\"b=c\"}", false),
            (Body::Patch, "", false),
            (Body::Patch, "=x", false),
            (Body::Text, "config=http+80%3B%0A", true),
            (Body::Text, multipart, true),
            (Body::Text, "a=b;", false),
            (Body::Text, "a=b c;", false),
            (Body::Text, "http 80;\nedit_auth a b=c;\n", false),
            (Body::Text, "# a=b", false),
            (Body::None, "data=%7B%7D", false),
        ] {
            assert_eq!(refuse_form(wanted, body.as_bytes()).is_err(), is_refused, "{body}");
        }
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

    #[test]
    fn a_location_is_a_path_with_the_query_as_it_was_sent() {
        let location = |target: &str| {
            let head = Head {
                method: "POST".to_owned(),
                target: target.to_owned(),
                headers: Vec::new(),
                peer: PeerAddress::Uid(0),
                unread: false,
            };
            let response = to_canonical(&head, |path| path.starts_with("/a"))?;
            assert_eq!(response.status, 308);
            let (_, location) = response.headers.into_iter().find(|(name, _)| *name == "Location")?;
            Some(location)
        };
        assert_eq!(location("//a/?b=//c/%41?"), Some("/a?b=//c/%41?".to_owned()));
        assert_eq!(location("//a?"), Some("/a?".to_owned()));
        for target in ["/a", "/a?b=//c/", "//evil.example", "//evil.example/a", "/b/", "*", "/..//a"] {
            assert_eq!(location(target), None, "{target}");
        }
    }
}
