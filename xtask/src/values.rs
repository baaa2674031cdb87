//! The values of `mediactl(1)` and `mediactl-serve(1)` from the tables and constants of the program.

use std::time::Duration;

use mediaconf::plumbing::edit::patch::{MEMORY_PER_BODY, TEXT_COST, VALUE_COST};
use mediaconf::plumbing::syntax::Document;
use mediactl::cli::GRACE;
use mediactl::engine::{
    DEFAULT_HOOK_TIMEOUT, DEFAULT_LOCK_WAIT, GUARD_NAMES, MAX_DELETE_CEILING, MAX_DELETE_FLOOR,
    MAX_DELETE_SHARE, MAX_REHEARSALS,
};
use mediactl::error::{EXIT_CODES, ErrorKind, KINDS};
use mediactl::http::api::{API_HEADER, API_VERSION, DEFAULT_PREFIX, ROUTES, Route};
use mediactl::http::server::auth::{FAILURE_LIFE, LOOK_INTERVAL, MAX_ADDRESSES, MAX_FAILURES, SUCCESS_LIFE};
use mediactl::http::server::front::limits;
use mediactl::http::server::message::{MAX_DETAIL, MAX_PATH};
use mediactl::http::server::runtime::{COMMAND_LIFE, COMMAND_TIMEOUT};

use serde_json::Value;

use crate::markup::terms;

/// The page describes the memory of a patch by these numbers.
const _: () = assert!(VALUE_COST == 1024 && TEXT_COST == 10 && MEMORY_PER_BODY == 8);

/// The values of `mediactl(1)`.
pub fn of_program() -> Vec<(&'static str, String)> {
    let exit_codes =
        EXIT_CODES.iter().map(|(exit, meaning)| (format!("`{}`", *exit as u8), (*meaning).to_owned()));
    vec![
        ("asking guards", guards(true)),
        ("refusing guards", guards(false)),
        ("exit codes", terms(exit_codes)),
        ("MAX_DELETE_FLOOR", MAX_DELETE_FLOOR.to_string()),
        ("MAX_DELETE_SHARE", MAX_DELETE_SHARE.to_string()),
        ("MAX_DELETE_CEILING", MAX_DELETE_CEILING.to_string()),
    ]
}

/// The guards that ask on a terminal, or those that refuse everywhere.
fn guards(asking: bool) -> String {
    let guards = GUARD_NAMES.iter().filter(|(_, guard)| guard.is_question() == asking);
    terms(
        guards.map(|(name, guard)| {
            (format!("`--accept {name}`"), format!("{}.", capitalized(&guard.to_string())))
        }),
    )
}

/// The values of `mediactl-serve(1)`.
pub fn of_server() -> Vec<(&'static str, String)> {
    vec![
        ("prefix", DEFAULT_PREFIX.to_owned()),
        ("api", format!("{API_HEADER}: {API_VERSION}")),
        ("operations", operations()),
        ("parameters", parameters()),
        ("problems", problems()),
        ("limits::HEAD", size(limits::HEAD)),
        ("limits::HEADERS", limits::HEADERS.to_string()),
        ("limits::BODY", size(limits::BODY)),
        ("limits::VIEWER_BODY", size(limits::VIEWER_BODY)),
        ("limits::SMALL_BODY", size(limits::SMALL_BODY)),
        ("limits::BODIES", size(limits::BODIES)),
        ("limits::VIEWER_BODIES", size(limits::VIEWER_BODIES)),
        ("limits::PATCH_MEMORY", size(limits::PATCH_MEMORY)),
        ("limits::CONNECTIONS", limits::CONNECTIONS.to_string()),
        ("limits::CONNECTIONS / 2 - 1", (limits::CONNECTIONS / 2 - 1).to_string()),
        ("limits::LOCAL_CONNECTIONS", limits::LOCAL_CONNECTIONS.to_string()),
        ("limits::MONITORING_CONNECTIONS", limits::MONITORING_CONNECTIONS.to_string()),
        ("limits::CONNECTIONS_PER_ADDRESS", limits::CONNECTIONS_PER_ADDRESS.to_string()),
        ("limits::FILES_PER_CONNECTION", limits::FILES_PER_CONNECTION.to_string()),
        ("limits::FILES_ELSEWHERE", limits::FILES_ELSEWHERE.to_string()),
        ("limits::LINGER", size(limits::LINGER)),
        ("limits::HEAD_TIME", time(limits::HEAD_TIME)),
        ("limits::REQUEST_TIME", time(limits::REQUEST_TIME)),
        ("limits::IDLE_TIME", time(limits::IDLE_TIME)),
        ("limits::GRACE", time(limits::GRACE)),
        ("limits::WAITING_TIME", time(limits::WAITING_TIME)),
        ("limits::TRANSFER_TIME", time(limits::TRANSFER_TIME)),
        ("limits::TRANSFER_RATE", size(limits::TRANSFER_RATE)),
        ("limits::CHANGE_TIME", time(limits::CHANGE_TIME)),
        ("limits::HANDLER_TIME", time(limits::HANDLER_TIME)),
        ("limits::METRICS_LIFE", time(limits::METRICS_LIFE)),
        ("limits::LATE_TIME", time(limits::LATE_TIME)),
        ("limits::LINGER_TIME", time(limits::LINGER_TIME)),
        ("MAX_DEPTH", Document::MAX_DEPTH.to_string()),
        ("DEFAULT_LOCK_WAIT", time(DEFAULT_LOCK_WAIT)),
        ("MAX_REHEARSALS", MAX_REHEARSALS.to_string()),
        ("DEFAULT_HOOK_TIMEOUT", time(DEFAULT_HOOK_TIMEOUT)),
        ("COMMAND_TIMEOUT", time(COMMAND_TIMEOUT)),
        ("COMMAND_LIFE", time(COMMAND_LIFE)),
        ("GRACE", time(GRACE)),
        ("MAX_FAILURES", MAX_FAILURES.to_string()),
        ("MAX_ADDRESSES", MAX_ADDRESSES.to_string()),
        ("FAILURE_LIFE", time(FAILURE_LIFE)),
        ("LOOK_INTERVAL", time(LOOK_INTERVAL)),
        ("SUCCESS_LIFE", time(SUCCESS_LIFE)),
        ("MAX_PATH", MAX_PATH.to_string()),
        ("MAX_DETAIL", MAX_DETAIL.to_string()),
    ]
}

/// The description of the API.
fn openapi() -> Value {
    serde_json::from_str(include_str!("../../src/http/openapi.json")).expect("it is JSON")
}

/// What the description says of a route.
fn described<'d>(document: &'d Value, route: &Route) -> &'d Value {
    &document["paths"][format!("/{}", route.template())][route.methods[0].to_ascii_lowercase()]
}

fn words(value: &Value) -> &str {
    value.as_str().expect("it is a text")
}

fn operations() -> String {
    let document = openapi();
    terms(ROUTES.iter().map(|route| {
        let prefix = if route.is_at_root { "" } else { DEFAULT_PREFIX };
        let term = format!("`{} {prefix}/{}`", route.methods[0], route.template());
        (term, words(&described(&document, route)["description"]).to_owned())
    }))
}

/// The parameters, in the order of the routes; those of one name and one description are one.
fn parameters() -> String {
    let document = openapi();
    let mut found: Vec<(&Value, Vec<String>)> = Vec::new();
    for route in ROUTES {
        let taken = described(&document, route)["parameters"].as_array().into_iter().flatten();
        for parameter in taken.filter(|parameter| parameter["in"] == "query") {
            let is_same = |known: &&Value| {
                (&known["name"], &known["description"]) == (&parameter["name"], &parameter["description"])
            };
            let path = format!("`{}`", route.path);
            match found.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, paths)) => paths.push(path),
                None => found.push((parameter, vec![path])),
            }
        }
    }
    terms(found.into_iter().map(|(parameter, paths)| {
        let (value, more) = values_of(parameter);
        let term = format!("`{}={value}", words(&parameter["name"]));
        (term, format!("{}: {}{more}", paths.join(", "), words(&parameter["description"])))
    }))
}

/// The values of a parameter, behind an open quotation, and what else is to be said of them.
fn values_of(parameter: &Value) -> (String, String) {
    let schema = &parameter["schema"];
    let listed: Vec<&str> = schema["enum"].as_array().into_iter().flatten().map(words).collect();
    match (words(&parameter["name"]), words(&schema["type"])) {
        (_, "boolean") => ("true`".to_owned(), String::new()),
        (_, "integer") => {
            ("`*NUMBER*".to_owned(), format!(" It is from {} to {}.", schema["minimum"], schema["maximum"]))
        }
        ("accept", _) => ("`*NAME*`,`…".to_owned(), String::new()),
        ("command", _) => ("`*NAME*".to_owned(), format!(" It is one of `{}`.", listed.join("`, `"))),
        ("base", _) => ("`*REVISION*".to_owned(), String::new()),
        ("canary", _) => ("`*N*`|`*NAME*`,`…".to_owned(), String::new()),
        ("change", _) => ("`*ID*".to_owned(), String::new()),
        ("path", _) => ("`*PATH*".to_owned(), String::new()),
        _ if !schema["pattern"].is_null() => ("`*N*".to_owned(), String::new()),
        _ if listed.is_empty() => ("`*TEXT*".to_owned(), String::new()),
        _ => match schema["default"].as_str() {
            Some(default) => {
                let other = listed.iter().find(|word| **word != default).expect("there is another one");
                (format!("{other}`"), format!(" `{default}` is the default."))
            }
            None => (format!("{}`", listed.join("`|`")), String::new()),
        },
    }
}

/// The rows of the table of problems.
fn problems() -> String {
    let row = |kind: &ErrorKind| {
        format!(
            "| `{}` | {} | {} | {} |\n",
            kind.name(),
            kind.status(),
            kind.of_change().exit() as u8,
            kind.title()
        )
    };
    KINDS.iter().map(row).collect::<String>().trim_end().to_owned()
}

fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes if bytes % (1 << 10) == 0 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

fn time(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        3600 => "an hour".to_owned(),
        60 => "a minute".to_owned(),
        seconds => format!("{seconds} s"),
    }
}

#[test]
fn every_limit_is_in_the_page() {
    let page = include_str!("../pages/mediactl-serve.md");
    let constants = include_str!("../../src/http/server/front/limits.rs");
    let names = constants.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(':'));
    names.for_each(|(name, _)| assert!(page.contains(&format!("{{{{limits::{name}}}}}")), "{name}"));
}

#[test]
fn every_value_is_in_a_page() {
    let pages = [
        (include_str!("../pages/mediactl.md"), of_program()),
        (include_str!("../pages/mediactl-serve.md"), of_server()),
    ];
    for (page, values) in pages {
        values.iter().for_each(|(name, _)| assert!(page.contains(&format!("{{{{{name}}}}}")), "{name}"));
    }
}
