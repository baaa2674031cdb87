//! Secrets stay secret wherever somebody else may look: in the output of commands, in texts about changes, in the history, in
//! refusals, in the log of a server, for a viewer and in an editor. Each form of a secret stands in each place of one
//! configuration; each word with `HUSH` in it is a secret. `cli::masking` has the commands on a file without history, and
//! `crates/mediaconf/tests/library/secrets.rs` asks the library about each form in each place alone.

use crate::cli::masking::{PLANTED, all_changed, masked};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, Run};
use crate::fixtures;
use crate::http::handler::{Server, account};
use crate::http::listener::support::Answer;
use crate::lsp::answers::told;
use crate::proof::{ask_as, problem_of};

const SECRET: &str = "HUSH";

/// The account in the planted configuration.
const ACCOUNT: [&str; 2] = ["admin", "HUSH1"];

/// Changes of secrets: each in a place of its own.
const CHANGES: &[&str] = &[
    "edit_auth.login=root",
    "edit_auth.login=admin",
    "view_auth.password=HUSH-A",
    "cluster_key=HUSH-B",
    "auth.extra.key=HUSH-C",
    "streams.cam1.urls[0].password=HUSH-D",
    "streams.cam1.backup.password=HUSH-E",
    "streams.cam3.urls[+]=rtsp://u:HUSH-F@h/",
    "plugins.p.db=mysql://u:HUSH-G@h/e",
];

fn table(name: &str) -> Vec<String> {
    let table = std::fs::read_to_string(fixtures::root().join(name)).expect("the table is there");
    table.lines().filter(|line| !line.starts_with("//")).map(str::to_owned).collect()
}

/// Each form in each place, with names of their own; those of which none is an error.
fn entries(is_place: impl Fn(&str) -> bool) -> Vec<String> {
    let (forms, places) = (table("secret_forms.txt"), table("secret_places.txt"));
    let texts = places
        .iter()
        .filter(|place| is_place(place))
        .flat_map(|place| forms.iter().map(move |form| place.replace("{}", form)));
    let named = texts.enumerate().map(|(number, text)| {
        let name = |text: String, block: &&str| match text.strip_prefix(*block) {
            Some(rest) => format!("{block}n{number}{rest}"),
            None => text,
        };
        ["stream ", "live ", "plugin "].iter().fold(text, name) + "\n"
    });
    named.filter(|text| mediaconf::check(text).errors() == 0).collect()
}

/// A configuration without errors that holds all of them. Included files would have to be there.
fn whole() -> String {
    let is_place = |place: &str| !place.starts_with("edit_auth") && !place.starts_with("include");
    let text = format!("{PLANTED}{}", entries(is_place).concat());
    assert_eq!(mediaconf::check(&text).errors(), 0);
    assert!(text.lines().count() > 500);
    text
}

const BROKEN: &str = "stream cam1 { cluster_key HUSH-J; }\nedit_auth admin HUSH-J HUSH-K;\n\
                      auth http://u:HUSH-L@b/ \"key=HUSH-L;\n";

fn planted(text: &str) -> Place {
    let place = Place::with(text);
    place.put("other.conf", all_changed(text));
    place.put("broken.conf", format!("{PLANTED}{BROKEN}"));
    place
}

/// The commands of a table, after changes of secrets.
fn all_commands(place: &Place) {
    for change in CHANGES {
        masked(place.run(["modify", "--create", "--set", change]).exits(0));
    }
    for row in table("secret_commands.txt") {
        let (codes, line) = row.split_once(": ").expect("it has exit codes");
        let run = masked(place.line(line));
        let code = run.code.map(|code| code.to_string());
        assert!(codes.split(' ').any(|may_be| Some(may_be) == code.as_deref()), "{line}: {run:#?}");
    }
}

#[test]
fn no_command_shows_a_secret() {
    let text = whole();
    let place = planted(&text);
    all_commands(&place);
    for output in ["json", "compact", "set", "conf", "table"] {
        masked(place.run(["--mask", "read", "-o", output]).exits(0)).prints("<secret:");
    }
    for shown in ["history -p", "history show last"] {
        masked(place.line(shown).exits(0)).prints("<secret:");
    }
    place.put(CONF, format!("{text}}}\n"));
    for line in ["check", "read", "diff other.conf", "--mask read -o conf"] {
        masked(place.line(line));
    }
    place.put(CONF, entries(|place| place.starts_with("include")).concat());
    masked(place.line("check").exits(3));
}

#[test]
fn no_command_through_a_server_shows_a_secret_nor_does_its_log() {
    let place = planted(PLANTED);
    let server = Serving::over(&place);
    all_commands(&place);
    let [login, password] = ACCOUNT;
    let url = server.url.replace("http://", &format!("http://{login}:{password}@"));
    for (line, code) in [
        ("modify --set cluster_key=HUSH-A", 0),
        ("diff other.conf", 1),
        ("save broken.conf", 3),
        ("history", 0),
        ("modify --set edit_auth.password=HUSH-B", 0),
        // The password in the URL is the old one now.
        ("modify --set rtsp=555", 4),
    ] {
        masked(place.line(&format!("--url {url} {line}")).exits(code));
    }
    place.put("running.conf", PLANTED.replace("HUSH", "HUSH-M-"));
    for (line, code) in [
        ("update other.conf", 0),
        ("update running.conf", 0),
        ("diff", 1),
        ("status", 1),
        ("update broken.conf", 3),
    ] {
        masked(place.line(line).exits(code));
    }
    // What is not saved is kept, and that is logged.
    masked(server.stop().exits(0)).says("not saved");
    masked(place.line("history").exits(0));
}

/// Requests that are refused, with the status.
const REFUSED: &[(&str, &str, u16)] = &[
    ("POST modify_config", r#"{"edit_auth":"HUSH-A"}"#, 422),
    ("POST modify_config", r#"{"edit_auth":{"password":"HUSH-A"#, 400),
    ("POST modify_config", r#"{"edit_auth":{"password":["HUSH-A"]}}"#, 422),
    ("POST modify_config", r#"{"edit_auth":null,"cluster_key":"HUSH-A"}"#, 422),
    ("POST modify_config", r#"{"streams":{"cam1":{"urls":["rtsp://u:HUSH-A@h/"]}}}"#, 422),
    ("POST modify_config", r#"{"rtsp":"rtsp://u:HUSH-A@h/"}"#, 422),
    ("POST modify_config", r#"{"password":"HUSH-A","password":"HUSH-B"}"#, 400),
    ("POST modify_config", "password=HUSH-A", 400),
    ("POST save_config", BROKEN, 400),
    ("POST save_config", "# edit_auth admin HUSH-A;", 400),
    ("POST save_config", "cluster_key HUSH-A;", 422),
    ("POST modify_config?dry_run=HUSH-A", "{}", 400),
    ("POST modify_config?accept=password=HUSH-A", "{}", 400),
    ("POST rollback_config?to=HUSH-A", "", 400),
    ("POST confirm_config?id=HUSH-A", "", 404),
    ("POST rtsp://u:HUSH-A@h/", "", 404),
    ("GET history/password=HUSH-A", "", 400),
    ("GET read_config?format=HUSH-A", "", 400),
];

fn hides(answer: &Answer) {
    let body = String::from_utf8_lossy(&answer.body);
    assert!(!body.contains("HUSH"), "{} {body}", answer.status);
}

#[test]
fn refusals_of_a_server_and_its_log() {
    for format in ["text", "json"] {
        let place = Place::with(PLANTED);
        let server = Serving::with(&place, &["--listen", "127.0.0.1:0", "--log-format", format]);
        for (request, body, status) in REFUSED {
            let (method, operation) = request.split_once(' ').expect("it has a method");
            let answer = ask_as(ACCOUNT, &server.url, method, operation, body).expect("it answers");
            assert_eq!(answer.status, *status, "{request} {}", String::from_utf8_lossy(&answer.body));
            hides(&answer);
        }
        let answer = ask_as(["HUSH-A", "HUSH-B"], &server.url, "GET", "read_config", "");
        assert_eq!(answer.expect("it answers").status, 401);
        masked(clashes(&place, server));
    }
}

/// Edits by hand that a change does not go with, and one that can't be loaded.
fn clashes(place: &Place, server: Serving) -> Run {
    let modify = |patch: &str| {
        let answer = ask_as(ACCOUNT, &server.url, "POST", "modify_config", patch).expect("it answers");
        hides(&answer);
        (answer.status, problem_of(&answer))
    };
    place.put(CONF, PLANTED.replace("HUSH3", "HUSH-A").replace("HUSH5", "HUSH-B"));
    let conflict = (409, "conflict".to_owned());
    assert_eq!(modify(r#"{"cluster_key":"HUSH-C"}"#), conflict);
    assert_eq!(modify(r#"{"auth":{"extra":{"key":"HUSH-C"}}}"#), conflict);
    place.put(CONF, format!("{PLANTED}{BROKEN}"));
    assert_eq!(modify(r#"{"rtsp":555}"#), conflict);
    server.hang_up();
    server.stop().exits(0)
}

#[test]
fn no_viewer_and_no_page_gets_a_secret() {
    let text = whole().replace("HUSH1;", "s3cret;").replace("guest HUSH2;", "viewer l00k;");
    let server = Server::viewed(&text);
    assert_eq!(server.post("modify_config", r#"{"rtmp":1935}"#).status, 200);
    let [viewer, admin] = [account("viewer", "l00k"), account("admin", "s3cret")];
    for (who, query) in [(&viewer, ""), (&admin, "secrets=masked")] {
        let read = ["", "format=conf&", "skip_streams=true&", "runtime=true&", "source=saved&"].into_iter();
        let read = read.chain(["source=saved&format=conf&", "path=streams.*.urls&", "path=thing&"]);
        let read = read.map(|query| format!("read_config?{query}"));
        for target in read.chain(["history/1?", "diff?from=1&", "blame?path=thing&"].map(str::to_owned)) {
            let target = format!("/media/api/{target}{query}");
            let answer = server.ask("GET", &target, &[("authorization", who)], "");
            let body = String::from_utf8_lossy(&answer.body);
            assert!(answer.status == 200 && !body.contains(SECRET), "{target}: {}", answer.status);
        }
    }
}

#[test]
fn no_comment_and_no_runtime_command_shows_a_secret_by_its_value() {
    let place =
        Place::with("# the way in is HUSH-1\nedit_auth admin HUSH-1;\nrtmp 1;\n\nhttp 80; # not HUSH-1\n");
    place.line("--mask read -o conf").exits(0).prints("# not <secret:").hides(SECRET);
    place.put("other.conf", "# the way in is HUSH-1\nedit_auth admin HUSH-1;\nrtmp 2;\nhttp 80; # HUSH-1\n");
    place.line("diff other.conf").exits(1).prints("# <secret:").hides(SECRET);
    place.line("save other.conf --force").exits(0).hides(SECRET);
    place.line("history -p").exits(0).hides(SECRET);
    let said = "echo '{\"in\": \"with HUSH-1\"}'";
    let _server = Serving::with(&place, &["--listen", "none", "--runtime-cmd", said]);
    place.line("read --runtime -r runtime.in").exits(0).prints("with HUSH-1");
    place.line("--mask read --runtime").exits(0).prints("with <secret:").hides(SECRET);
}

#[test]
fn no_editor_is_told_a_secret() {
    let text = whole();
    let lines: Vec<&str> = text.lines().collect();
    for part in lines.chunks(10) {
        let places = part.iter().enumerate().map(|(at, line)| (at, line.len() / 2));
        let told = told(&part.join("\n"), places);
        let at = told.find(SECRET);
        let shown = at.map(|at| &told[told.floor_char_boundary(at.saturating_sub(300))..at]);
        assert_eq!(shown, None);
    }
}
