//! What `mediactl-serve(1)` has beside the options: the API, its problems, and its limits. Numbers
//! come from the constants that hold.

use std::time::Duration;

use mediactl::cli::GRACE;
use mediactl::cli::exit::Exit;
use mediactl::edit::patch::{MEMORY_PER_BODY, TEXT_COST, VALUE_COST};
use mediactl::engine::{DEFAULT_HOOK_TIMEOUT, DEFAULT_LOCK_WAIT, OutcomeNote};
use mediactl::http::protocol::headers::{
    API_HEADER, DEFAULT_PREFIX, NOTE_HEADER, PENDING_HEADER, REALM, api_value,
};
use mediactl::http::protocol::parameters::{PARAMETERS, QueryParameter, Values};
use mediactl::http::protocol::problem::{KINDS, MEDIA_TYPE, TYPE_PREFIX};
use mediactl::http::protocol::routes::{ROUTES, Route};
use mediactl::http::server::auth::{FAILURE_LIFE, MAX_FAILURES, MAX_NETWORKS, SUCCESS_LIFE};
use mediactl::http::server::endpoints::config::remark_word;
use mediactl::http::server::listener::limits;
use mediactl::http::server::log::repeats::{ADDRESSES, LINES, PERIOD};
use mediactl::http::server::log::{MAX_DETAIL, MAX_PATH};
use mediactl::http::server::runtime::{COMMAND_LIFE, COMMAND_TIMEOUT};
use mediactl::syntax::MAX_DEPTH;

use super::page::Page;

/// What the row of the memory of a patch says in words.
const _: () = assert!(VALUE_COST == 1024 && TEXT_COST == 9 && MEMORY_PER_BODY == 8);

/// The command that has these sections.
pub const NAME: &str = "serve";

/// All of them.
pub fn sections(page: &mut Page) {
    operations(page);
    parameters(page);
    headers(page);
    hand_edits(page);
    confirmation(page);
    authentication(page);
    problems(page);
    limits_and_defaults(page);
    hooks(page);
    runtime(page);
    log(page);
    signals(page);
    files(page);
}

fn operations(page: &mut Page) {
    page.section("OPERATIONS").line(&format!(
        "Their paths start with `{DEFAULT_PREFIX}`, or what `--api-prefix` says. \
         The server speaks HTTP/1.0 and HTTP/1.1; with `--tls-cert`, TLS 1.2 and 1.3. JSON is in UTF-8. \
         Of the options for a server only `--api-prefix` counts here; `--url` is refused."
    ));
    for route in ROUTES {
        let term = format!("`{} {DEFAULT_PREFIX}/{}`", route.methods[0], route.template());
        page.item(&term, route.summary);
    }
    page.text(
        "Everything is checked before anything is done: the password, the body, the parameters, the new \
         configuration, the guards, the check command. Then the file is written, then the running \
         configuration is replaced, then the reload command runs. If a step fails, file and running \
         configuration are as before.",
    );
    page.text(
        "A body may come with any `Content-Type` or none, with a length or in chunks. \
         The body of a `GET` is read and ignored.",
    );
}

fn parameters(page: &mut Page) {
    page.section("PARAMETERS").line(
        "They stand in the query of the URL. Switches take `true`, `1`, `false` and `0`. \
         A value that a parameter does not take is refused with 400. On a change, so is a name that is nearly \
         the one of a parameter that it takes, such as `dry-run`: case, `-` and `_` aside, one letter may differ, \
         in a name of eight letters or more two. Other unknown parameters are ignored, and the answer says so in \
         `Mediactl-Note`.",
    );
    for parameter in PARAMETERS {
        page.item(&term(parameter), &format!("{}: {}", who_takes(parameter), described(parameter)));
    }
}

fn term(parameter: &QueryParameter) -> String {
    let name = parameter.name;
    match &parameter.values {
        Values::Switch(_) => format!("`{name}=true`"),
        Values::OneOf([_, word], _) => format!("`{name}={word}`"),
        Values::Guards(_) => format!("`{name}=`*NAME*`,`…"),
        Values::Text(_) => format!("`{name}=`*TEXT*"),
        Values::Change(_) => format!("`{name}=`*N*"),
        Values::Number(..) => format!("`{name}=`*NUMBER*"),
    }
}

/// The routes that take it.
fn who_takes(parameter: &QueryParameter) -> String {
    let takes = |route: &&Route| route.parameters.contains(&parameter.name);
    let is_of_changes = ROUTES.iter().all(|route| takes(&route) == route.is_change());
    match is_of_changes {
        true => "All that change something".to_owned(),
        false => {
            let names = ROUTES.iter().filter(takes).map(|route| format!("`{}`", route.path));
            names.collect::<Vec<_>>().join(", ")
        }
    }
}

fn described(parameter: &QueryParameter) -> String {
    match &parameter.values {
        Values::OneOf([default, _], _) => format!("{} `{default}` is the default.", parameter.doc),
        Values::Number(bounds, _) => {
            format!("{} It is from {} to {}.", parameter.doc, bounds.start(), bounds.end())
        }
        _ => parameter.doc.to_owned(),
    }
}

fn headers(page: &mut Page) {
    page.section("HEADERS").subsection("Of requests").items(&[
        ("`Authorization`", "Basic authentication with the login and the password of `edit_auth`."),
        (
            "`If-None-Match`",
            "`read_config` answers 304 if the `ETag` is the same. Ignored with `runtime=true`.",
        ),
        (
            "`If-Match`",
            "A change is made only if the running configuration still has this `ETag` and the file was not \
             edited by hand; else 412.",
        ),
        (
            "`Expect: 100-continue`",
            "The server asks for the body when the password is right and the length allowed.",
        ),
        (
            "`Content-Encoding`",
            "`gzip` and other real codings are refused with 415. Other words are ignored.",
        ),
        ("`X-Forwarded-For`", "Its last address is the client, if the peer is a `--trusted-proxy`."),
        (
            "`Origin`, `Sec-Fetch-Site`",
            "A page of another site in a browser is refused with 403. For `Origin` what counts is `Host`: \
             a proxy has to pass it on.",
        ),
    ]);
    page.subsection("Of answers");
    page.item(
        &format!("`{API_HEADER}: {}`", api_value()),
        "In every answer: the version of the API, and what there is beside the four operations. Other \
         servers ignore unknown parameters, so a client should look for `dry-run` before it relies on `dry_run=true`.",
    );
    page.item(
        "`ETag`",
        "Names the text that the answer is about, and the version of mediactl. Not with `runtime=true`.",
    );
    let notes = [
        (
            OutcomeNote::SavedEarlierUpdate,
            "an earlier `update_config` was not in the file yet; this change saved it, too",
        ),
        (OutcomeNote::PickedUpHandEdit, "the file was edited by hand; that is kept, and runs now"),
        (
            OutcomeNote::OverwroteHandEdit,
            "the file was edited by hand; that was overwritten, and its text kept in the history",
        ),
        (OutcomeNote::DeletedStreams(3), "so many streams are not in the text that replaced another"),
    ];
    let notes: Vec<String> =
        notes.iter().map(|(remark, what)| format!("`{}`: {what}", remark_word(*remark))).collect();
    page.item(
        &format!("`{NOTE_HEADER}`"),
        &format!("What a change did beside what was asked for. {}.", notes.join("; ")),
    );
    page.item(
        &format!("`{PENDING_HEADER}`"),
        "In every answer, as long as a change waits to be confirmed: the *ID* of that change.",
    );
    page.items(&[
        ("`Cache-Control: no-store`", "In every answer."),
        ("`Allow`", "With 405: the methods that the path takes."),
        ("`Retry-After`", "With 429, and with 503 where there is no room: seconds to wait."),
    ]);
    page.item("`WWW-Authenticate`", &format!("With 401: `Basic realm=\"{REALM}\"`."));
}

fn hand_edits(page: &mut Page) {
    page.section("HAND EDITS").line(
        "The server loads the file when it starts, with SIGHUP, and with `mediactl update` *FILE*. If the \
         file was edited by hand since then:",
    );
    page.points(&[
        "`modify_config` merges into the edited file, if that has no errors and the change touches nothing that \
         was edited. The edit runs from then on, too. Otherwise it is refused with 409; the problem has for each \
         place the value it had (`base`), the value in the file (`theirs`) and the one asked for (`mine`).",
        "If an earlier `update_config` was not saved either, it is refused with 409, too.",
        "`save_config` overwrites the file. The edited text is kept in the history first.",
        "`update_config` leaves the file alone.",
        "With `If-Match`, `modify_config` and `save_config` are refused with 412.",
        "With `force=true`, `modify_config` merges into the running configuration and overwrites the file. \
         The edited text is kept in the history first.",
    ]);
    page.text(
        "`modify_config` saves the running configuration as a whole: an earlier `update_config` that was not \
         saved goes into the file with it. When the server ends, a running configuration that was not \
         saved is kept in the history.",
    );
    page.text(
        "The header `Mediactl-Note` has a word for each thing that a change did beside what was asked for: \
         `saved-earlier-update`, `picked-up-hand-edit`, `overwrote-hand-edit`, `comments-kept`, \
         `extras-dropped`, `http-options-dropped` *PORT* for a block that went with its port, `deleted-streams` \
         *N* for the streams that the new text has no more, and `warnings-in-log`. `ignored-parameter` *NAME* \
         is in the answer to any request with a query parameter that its operation does not take: the name \
         percent-encoded, at most eight of them, each cut at 64 bytes.",
    );
}

fn confirmation(page: &mut Page) {
    page.section("CONFIRMATION").line(
        "A change with `confirm=`*SECONDS* is made, and taken back unless `confirm_config` names it in time: what \
         ran before runs again, and what was in the file is in it again, if it still holds what the change wrote. \
         If somebody edited it by hand meanwhile, it is left as it is; the log says so. Then the reload command \
         runs, with `revert` as MEDIACTL_OPERATION.",
    );
    page.text(
        "What taking it back needs is on the disk before the change is made. A server that was killed while a \
         change waited takes it back when it starts, before it answers anything; one that is ended, before it \
         ends. While a change waits, every other one is refused with 409 `pending`.",
    );
}

fn authentication(page: &mut Page) {
    page.section("AUTHENTICATION").line(&format!(
        "Over TCP every path needs the login and the password of the running `edit_auth`. A change of it holds \
         from the next request on. `view_auth` opens nothing. Passwords and keys are in the answers: \
         use TLS, here or in a proxy. A wrong value counts once for each address for {}; an IPv6 address counts as \
         its /64, an IPv4 address that is written as an IPv6 one as IPv4. After {MAX_FAILURES} \
         different ones the address gets 429, except with a value that was right from there within {}; a whole \
         /48 and a whole /32 get it later. Requests without `Authorization` do not count. {MAX_NETWORKS} networks \
         with wrong values are remembered, and as many with right ones.",
        time(FAILURE_LIFE),
        time(SUCCESS_LIFE),
    ));
    page.text(
        "On the Unix socket the system says who asks: the owner of the file, the user that the \
         server runs as, and root are let in, and no password is asked for. Where the group of the file may \
         write it, its members are let in, too. If the file is a link that leads elsewhere since the server was \
         started, changes are refused with 409.",
    );
}

fn problems(page: &mut Page) {
    page.section("PROBLEMS").line(&format!(
        "What is refused or fails is answered with `{MEDIA_TYPE}` (RFC 9457): `type` is `{TYPE_PREFIX}` and a \
         name of this table, with `title`, `status` and `detail`. `errors` has all faults at once, each with a \
         `message` and, where there is one, `pointer` (RFC 6901), `line`, `column` and `hint`. \
         *Exit* is the exit code of a `mediactl` command that gets this answer."
    ));
    let rows: Vec<Vec<String>> = KINDS
        .iter()
        .map(|kind| {
            let exit = Exit::from(*kind) as u8;
            vec![
                format!("`{}`", kind.name()),
                kind.status().to_string(),
                exit.to_string(),
                kind.title().to_owned(),
            ]
        })
        .collect();
    page.table(&["Name", "Status", "Exit", "Title"], &rows);
    page.text(
        "Some cases have a nearer status: `too-large` is 431 for a head, `engine-failed` 504 for an answer that \
         takes too long and 500 for a handler that fails, and `unauthorized` 403 on the Unix socket. \
         After `engine-failed` it is not known whether a change was made; where nothing could have been changed, \
         the exit code is 9.",
    );
}

/// What is limited, the limit, and what becomes of who goes beyond it.
type Row = (&'static str, String, &'static str);

fn sizes() -> Vec<Row> {
    vec![
        ("Request line and headers", size(limits::HEAD), "431"),
        ("Headers of a request", limits::HEADERS.to_string(), "431"),
        ("Body", size(limits::BODY), "413; `--max-body`"),
        ("All bodies at a time", size(limits::BODIES), "503; with a larger `--max-body`, as much as that"),
        (
            "Memory of a patch",
            size(limits::PATCH_MEMORY),
            "413; estimated as 1 KiB for each value and 9 times the length; 8 times a larger `--max-body`; the same \
             holds for `modify -f`",
        ),
        ("Depth of JSON", MAX_DEPTH.to_string(), "400"),
        (
            "Connections at a time",
            limits::CONNECTIONS.to_string(),
            "an unauthenticated one makes room, or one without a request; else a new one waits, then 503; \
             `--max-connections`",
        ),
        (
            "Connections of local commands",
            limits::LOCAL_CONNECTIONS.to_string(),
            "the same; they are counted for themselves",
        ),
        (
            "Unauthenticated connections",
            (limits::CONNECTIONS / 2).to_string(),
            "the oldest one makes room; half of all connections, and half of those of one address",
        ),
        ("Connections that wait", limits::WAITING.to_string(), "503"),
        (
            "Connections of one address",
            limits::CONNECTIONS_PER_ADDRESS.to_string(),
            "the same; an IPv6 address is its /64; the loopback and trusted proxies have no such limit",
        ),
        (
            "Open files per connection",
            limits::FILES_PER_CONNECTION.to_string(),
            "fewer connections, if the limit of open files is too low for them",
        ),
        ("Open files for the rest", limits::FILES_ELSEWHERE.to_string(), "the same"),
        (
            "Body of who is refused",
            size(limits::UNREAD),
            "up to this it is read and the connection stays; else it closes after the answer",
        ),
        (
            "Bytes after the last answer",
            size(limits::LINGER),
            "they are still taken, so that the client can read the answer",
        ),
    ]
}

fn times() -> Vec<Row> {
    vec![
        ("TLS handshake", time(limits::HANDSHAKE_TIME), "the connection closes"),
        ("Head", time(limits::HEAD_TIME), "408"),
        ("Without a request", time(limits::IDLE_TIME), "it closes"),
        (
            "The same, when it is crowded",
            time(limits::CROWDED_IDLE_TIME),
            "the same; crowded is over half of the connections that may be authenticated, or unauthenticated",
        ),
        (
            "To authenticate, or without a request, if full",
            time(limits::GRACE),
            "it makes room for a new one",
        ),
        ("To authenticate, in a flood", time(limits::LEAST_GRACE), "the same"),
        ("Waiting for a connection", time(limits::WAITING_TIME), "503"),
        (
            "Body or answer, no progress",
            time(limits::TRANSFER_TIME),
            "408 for a body, else the connection closes",
        ),
        (
            "Body or answer, the whole",
            format!("{}/s", size(limits::TRANSFER_RATE)),
            "the same; the time without progress is added",
        ),
        ("A change up to its write", time(limits::CHANGE_TIME), "504, and nothing is written"),
        ("Until the answer begins", time(limits::HANDLER_TIME), "504"),
        ("After the last answer", time(limits::LINGER_TIME), "the connection closes"),
        ("Waiting for another change", time(DEFAULT_LOCK_WAIT), "503"),
        (
            "Check or reload command",
            time(DEFAULT_HOOK_TIMEOUT),
            "it is killed and has failed; `--hook-timeout`",
        ),
        ("Runtime command", time(COMMAND_TIMEOUT), "it is killed and has failed"),
        ("Requests read, at the end", time(GRACE), "the connection closes"),
    ]
}

fn limits_and_defaults(page: &mut Page) {
    page.section("LIMITS").line("What a client may take, and what happens beyond it. A time starts with the first byte of what it is for.");
    for (heading, rows) in [("Sizes and numbers", sizes()), ("Times", times())] {
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|(what, limit, beyond)| vec![what.to_owned(), limit, beyond.to_owned()])
            .collect();
        page.subsection(heading).table(&["What", "Limit", "Beyond it"], &rows);
    }
}

fn hooks(page: &mut Page) {
    page.section("HOOKS").line(
        "`mediactl`(1) describes `--check-cmd` and `--reload-cmd`. If the check command fails, the answer is 422, \
         with what it wrote to standard error in `detail`. The reload command runs for `update_config`, too; \
         if it fails, file and running configuration go back, it runs once more, and the answer is 500. \
         A file that somebody else changed meanwhile is left alone, and the answer says so. The commands \
         run as the user of the server. A command on the same machine that goes through the server runs \
         none of its own: with an option for one it is refused, and variables are ignored. When a command has \
         ended, its standard error is closed: what it leaves running has to write elsewhere.",
    );
}

fn runtime(page: &mut Page) {
    page.section("RUNTIME").line("With `runtime=true` the member `runtime` has:");
    page.items(&[
        (
            "`server`",
            "Version, process, addresses, start, memory, open connections, requests by operation and by status.",
        ),
        (
            "`config`",
            "`etag`, `generation`, `saved` (what runs is what is in the file), `last_change`, `last_error`, and \
             `pending`: the change that waits to be confirmed, with `id`, `operation`, `by`, `deadline`, and \
             `seconds_left`.",
        ),
        ("`streams`", "How many there are, static and on demand, and their sources by scheme."),
        (
            "`archives`",
            "For each folder that a `dvr` names: whether it exists, and the room of its file system.",
        ),
    ]);
    page.text(&format!(
        "The JSON object that `--runtime-cmd` prints is merged into it. The command runs for such a request, once at a time, \
         and what it prints is good for {}. If it fails, `runtime.errors` says how.",
        time(COMMAND_LIFE)
    ));
}

fn log(page: &mut Page) {
    page.section("LOG").line(&format!(
        "Standard output says where the server listens, a line for each socket. Standard error gets a line for \
         each request: time, peer, login, method, path, status, bytes of the body, milliseconds, and the \
         revisions before and after a change, with `-` for what is not there; then, if there is something to \
         say, what. With `--log-format json` it is an object. The query is not in it, and no secret is. \
         A path is cut at {MAX_PATH} characters, what there is to say at {MAX_DETAIL}.",
    ));
    page.text(&format!(
        "Of an address that was not let in (IPv6: of a /64) {LINES} lines are written within {}; those that \
         follow are counted, and the count is one line when the time is over: `… and 4312 more from 192.0.2.1 \
         (429: 4300, 503: 12)`, with the statuses of the answers. From the {}th address within that time on, all are \
         counted together. What was asked for with the right password is always written.",
        time(PERIOD),
        ADDRESSES + 1,
    ));
}

fn signals(page: &mut Page) {
    page.section("SIGNALS");
    page.items(&[(
        "`SIGHUP`",
        "Loads the file again, and the certificate. If one can't be used, the old one stays, and the log says why.",
    )]);
    page.item(
        "`SIGTERM`, `SIGINT`",
        &format!(
            "No connection is taken any more; requests that were read are answered, for at most {}. \
             The exit code is 0.",
            time(GRACE)
        ),
    );
}

fn files(page: &mut Page) {
    page.section("FILES").line("In the state folder `.mediactl/`*FILE*`/`, beside the configuration file:");
    page.items(&[
        (
            "`serve.lock`",
            "Held as long as the server runs. A second server over the same file is refused, with exit code 5.",
        ),
        ("`sock`", "The Unix socket for commands on the same machine."),
        ("`pending`", "What takes a change back that waits to be confirmed; there only as long as one does."),
    ]);
    page.text("`mediactl`(1) has the files that are there without a server, too.");
    page.text(
        "Where the folder can't be made, the server works without it and says so: there is no Unix socket then, \
         and changes to the file are refused. The server also keeps a socket for \
         itself in `mediactl-`*XXXXXX* in the folder for temporary files; what a killed server left there goes when \
         the next one of the same user starts.",
    );
}

/// What is to be said of exit codes.
pub fn exit_status(page: &mut Page) {
    page.text("A server that does not start says why. Among the codes are then:");
    page.items(&[
        (
            "`3`",
            "The file has errors, which are all shown; it has no usable `edit_auth`, and TCP is asked for; \
             or the certificate can't be used.",
        ),
        ("`5`", "Another server runs over the file."),
        ("`7`", "There is no such file."),
        ("`9`", "An address can't be listened on."),
    ]);
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
    let own = include_str!("serve.rs");
    let constants = include_str!("../../../src/http/server/listener/limits.rs");
    let names = constants.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(':'));
    names.for_each(|(name, _)| {
        assert!(
            own.contains(&format!("limits::{name})")) || own.contains(&format!("limits::{name}.")),
            "{name}"
        )
    });
}

#[test]
fn the_help_says_how_long_the_end_takes() {
    let command = super::built_command();
    let serve = command.find_subcommand(NAME).expect("there is such a command");
    let help = serve.get_long_about().expect("it has a long help").to_string().replace('\n', " ");
    assert!(help.contains(&format!("after {} seconds at the latest", GRACE.as_secs())), "{help}");
}
