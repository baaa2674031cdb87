//! Secrets stay secret where somebody else may look: in texts about changes, in the history, in
//! refusals, and in the log of a server. `cli::masking` has the commands on a file without history;
//! here are those with one, and everything around a server. Each word with `HUSH` in it is a secret.

use super::{ask_as, problem_of};
use crate::cli::masking::{PLANTED, all_changed, masked};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, Run};
use crate::http::listener::support::Answer;

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

/// Commands whose output is masked, with the exit codes that they may have.
const COMMANDS: &[(&str, &[i32])] = &[
    ("history show last", &[0]),
    ("history show 1", &[0]),
    ("diff change:last", &[0, 1]),
    ("diff change:1 change:last", &[0, 1]),
    ("blame edit_auth.password", &[0]),
    ("blame auth -o json", &[0]),
    ("blame streams.cam1", &[0]),
    ("blame streams.cam1.urls[0].password", &[0]),
    ("blame plugins.p -o json", &[0]),
    ("status", &[0, 1]),
    ("status -o json", &[0, 1]),
    ("diff", &[0, 1, 7]),
    ("rollback last --dry-run", &[0]),
    ("save other.conf --dry-run", &[0]),
    ("save broken.conf", &[3]),
    ("modify --set cluster_key=HUSH-H --dry-run", &[0]),
    ("modify --set edit_auth=HUSH-H", &[3]),
    ("modify --unset edit_auth", &[6]),
    ("rollback last", &[0]),
    ("save other.conf -m rtsp://u:HUSH-I@h/,password=HUSH-I", &[0]),
    ("history", &[0]),
    ("history -o json", &[0]),
];

fn broken() -> String {
    let more = "stream cam1 { cluster_key HUSH-J; }\nedit_auth admin HUSH-J HUSH-K;\n\
                auth http://u:HUSH-L@b/ \"key=HUSH-L;\n";
    PLANTED.to_owned() + more
}

fn planted() -> Place {
    let place = Place::with(PLANTED);
    place.put("other.conf", all_changed());
    place.put("broken.conf", broken());
    place
}

fn all_commands(place: &Place) {
    for change in CHANGES {
        masked(place.run(["modify", "--create", "--set", change]).exits(0));
    }
    for (arguments, codes) in COMMANDS {
        let run = place.run(arguments.split(' '));
        assert!(run.code.is_some_and(|code| codes.contains(&code)), "{arguments:?} {run:#?}");
        masked(run);
    }
}

#[test]
fn commands_with_a_history_and_through_a_server_and_its_log() {
    all_commands(&planted());
    let place = planted();
    let server = Serving::over(&place);
    all_commands(&place);
    place.put("running.conf", PLANTED.replace("HUSH", "HUSH-M-"));
    for (arguments, code) in [
        (&["update", "other.conf"][..], 0),
        (&["update", "running.conf"], 0),
        (&["diff"], 1),
        (&["status"], 1),
        (&["update", "broken.conf"], 3),
    ] {
        masked(place.run(arguments).exits(code));
    }
    // What is not saved is kept, and that is logged.
    masked(server.stop().exits(0)).says("not saved");
    masked(place.run(["history"]).exits(0));
}

#[test]
fn commands_with_a_password_in_the_url() {
    let place = planted();
    let server = Serving::over(&place);
    let [login, password] = ACCOUNT;
    let url = server.url.replace("http://", &format!("http://{login}:{password}@"));
    for (arguments, code) in [
        (&["modify", "--set", "cluster_key=HUSH-A"][..], 0),
        (&["modify", "--set", "edit_auth=HUSH-A"], 3),
        (&["diff", "other.conf"], 1),
        (&["save", "broken.conf"], 3),
        (&["history"], 0),
        (&["blame", "cluster_key"], 0),
        (&["status"], 0),
        (&["modify", "--set", "edit_auth.password=HUSH-B"], 0),
        // The password in the URL is the old one now.
        (&["modify", "--set", "rtsp=555"], 4),
    ] {
        masked(place.run(["--url", &url].iter().chain(arguments)).exits(code));
    }
    masked(server.stop().exits(0));
}

/// Requests that are refused, with the status.
fn refused_requests() -> Vec<(&'static str, String, String, u16)> {
    let post = |operation: &str, body: &str, status| ("POST", operation.to_owned(), body.to_owned(), status);
    vec![
        post("modify_config", r#"{"edit_auth":"HUSH-A"}"#, 422),
        post("modify_config", r#"{"edit_auth":{"password":"HUSH-A"#, 400),
        post("modify_config", r#"{"edit_auth":{"password":["HUSH-A"]}}"#, 422),
        post("modify_config", r#"{"edit_auth":{"password":"<secret:012345>","login":"HUSH"}}"#, 422),
        post("modify_config", r#"{"edit_auth":null,"cluster_key":"HUSH-A"}"#, 422),
        post("modify_config", r#"{"streams":{"cam1":{"urls":["rtsp://u:HUSH-A@h/"]}}}"#, 422),
        post("modify_config", r#"{"rtsp":"rtsp://u:HUSH-A@h/"}"#, 422),
        post("modify_config", r#"{"password":"HUSH-A","password":"HUSH-B"}"#, 400),
        post("modify_config", "password=HUSH-A", 400),
        post("save_config", &broken(), 400),
        post("update_config", &broken(), 400),
        post("save_config", "# edit_auth admin HUSH-A;", 400),
        post("save_config", &PLANTED.replace("edit_auth admin HUSH1;\n", ""), 422),
        post("modify_config?dry_run=HUSH-A", "{}", 400),
        post("modify_config?accept=password=HUSH-A", "{}", 400),
        post("rollback_config?to=999&password=HUSH-A", "", 404),
        post("rollback_config?to=HUSH-A", "", 400),
        post("confirm_config?id=HUSH-A", "", 404),
        post("rtsp://u:HUSH-A@h/", "", 404),
        ("GET", "history/password=HUSH-A".to_owned(), String::new(), 400),
        ("GET", "read_config?format=HUSH-A".to_owned(), String::new(), 400),
    ]
}

fn hides(answer: &Answer) {
    let body = String::from_utf8_lossy(&answer.body);
    assert!(!body.contains("HUSH"), "{} {body}", answer.status);
}

#[test]
fn refusals_of_a_server_and_its_log() {
    for format in ["text", "json"] {
        let place = Place::with(PLANTED);
        let server = Serving::with(&place, &["--listen", "127.0.0.1:0", "--log-format", format]);
        for (method, operation, body, status) in refused_requests() {
            let answer = ask_as(ACCOUNT, &server.url, method, &operation, &body).expect("it answers");
            let shown = || format!("{operation} {body}: {}", String::from_utf8_lossy(&answer.body));
            assert_eq!(answer.status, status, "{}", shown());
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
    place.put(CONF, broken());
    assert_eq!(modify(r#"{"rtsp":555}"#), conflict);
    server.hang_up();
    server.stop().exits(0)
}
