//! The values of `mediactl(1)` and `mediactl-serve(1)` from the tables and constants of the program.

use std::time::Duration;

use mediactl::cli::GRACE;
use mediactl::engine::{
    DEFAULT_LOCK_WAIT, GUARD_NAMES, MAX_DELETE_CEILING, MAX_DELETE_FLOOR, MAX_DELETE_SHARE,
};
use mediactl::error::{EXIT_CODES, ErrorKind, KINDS};
use mediactl::http::api::{API_HEADER, API_VERSION, DEFAULT_PREFIX};
use mediactl::http::server::front::limits;
use mediactl::http::server::runtime::{COMMAND_LIFE, COMMAND_TIMEOUT};

use crate::markup::terms;

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
    terms(guards.map(|(name, guard)| {
        // What dangles is another thing each time.
        let kind = KINDS.iter().find(|kind| kind.name() == *name);
        let what = kind.map_or(guard.to_string(), |kind| kind.title().to_owned());
        (format!("`--accept {name}`"), format!("{}.", capitalized(&what)))
    }))
}

/// The values of `mediactl-serve(1)`.
pub fn of_server() -> Vec<(&'static str, String)> {
    vec![
        ("prefix", DEFAULT_PREFIX.to_owned()),
        ("api", format!("{API_HEADER}: {API_VERSION}")),
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
        ("limits::LOCAL_CONNECTIONS", limits::LOCAL_CONNECTIONS.to_string()),
        ("limits::CONNECTIONS_PER_ADDRESS", limits::CONNECTIONS_PER_ADDRESS.to_string()),
        ("limits::HEAD_TIME", time(limits::HEAD_TIME)),
        ("limits::REQUEST_TIME", time(limits::REQUEST_TIME)),
        ("limits::WAITING_TIME", time(limits::WAITING_TIME)),
        ("limits::CHANGE_TIME", time(limits::CHANGE_TIME)),
        ("DEFAULT_LOCK_WAIT", time(DEFAULT_LOCK_WAIT)),
        ("COMMAND_TIMEOUT", time(COMMAND_TIMEOUT)),
        ("COMMAND_LIFE", time(COMMAND_LIFE)),
        ("GRACE", time(GRACE)),
    ]
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
fn every_operation_and_every_parameter_is_in_the_page() {
    use mediactl::http::api::ROUTES;
    let page = include_str!("../pages/mediactl-serve.md");
    let paths = ROUTES.iter().map(|route| route.path);
    paths.for_each(|path| assert!(page.contains(&format!("{path}`")), "{path}"));
    let api: serde_json::Value =
        serde_json::from_str(include_str!("../../src/http/openapi.json")).expect("it is JSON");
    let operations = api["paths"].as_object().into_iter().flatten().filter_map(|(_, path)| path.as_object());
    let parameters = operations.flatten().filter_map(|(_, operation)| operation["parameters"].as_array());
    for parameter in parameters.flatten().filter(|parameter| parameter["in"] == "query") {
        let name = parameter["name"].as_str().expect("it is a name");
        assert!(page.contains(&format!("`{name}=")), "{name}");
    }
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
