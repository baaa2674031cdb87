//! The answers of the program to a shell that completes a word.

use std::fs;

use super::serve::Serving;
use super::{CONF, Call, PROGRAM, Place, SAMPLE, collect, set_mode};
use crate::fixtures;
use crate::waiting::{eventually, until};

/// Asks as fish does: the last word is the one that is typed.
fn ask(place: &Place, words: &[&str]) -> Call {
    let arguments = ["--", "mediactl"].into_iter().chain(words.iter().copied());
    let call = place.mediactl(arguments).env("COMPLETE", "fish");
    call.env("XDG_CONFIG_HOME", &place.path(".").display().to_string())
}

/// The candidates, each with its documentation behind a tab; nothing is said, whatever happens.
#[track_caller]
fn candidates(call: Call) -> Vec<String> {
    let run = call.run().exits(0);
    assert_eq!(run.err, "", "{run:#?}");
    run.out.lines().map(str::to_owned).collect()
}

/// The same without documentation.
#[track_caller]
fn texts(call: Call) -> Vec<String> {
    let text = |line: String| line.split('\t').next().unwrap_or_default().to_owned();
    candidates(call).into_iter().map(text).collect()
}

const CONTEXTS: &str = "\
context prod { url https://u:geheim@media.example; group edge eu; }
context test { url http://127.0.0.1:1; group edge; }
";

/// A place with the configuration, with a history and with contexts.
fn place() -> Place {
    let place = Place::with(SAMPLE);
    fs::create_dir(place.path("mediactl")).expect("a folder can be made");
    set_mode(&place.path("mediactl"), 0o700);
    contexts(&place, CONTEXTS);
    place.run(["modify", "-q", "-m", "ticket 231", "--set", "loglevel=debug"]).exits(0);
    place.line("modify -q --set rtmp=1936").exits(0);
    place
}

fn contexts(place: &Place, text: &str) {
    place.put("mediactl/contexts.conf", text);
    set_mode(&place.path("mediactl/contexts.conf"), 0o600);
}

#[test]
fn each_argument_is_completed() {
    let place = place();
    fixtures::all_rows("completed_arguments.txt", |line, expected| {
        let found = texts(ask(&place, &line.split(' ').collect::<Vec<_>>())).join(" ");
        let is_met = match expected.strip_suffix('…') {
            Some(start) => found.starts_with(start),
            None => found == expected || found.is_empty() && expected == "nothing",
        };
        if is_met { Ok(()) } else { Err(found) }
    });
    assert_eq!(texts(ask(&place, &["modify", "--set", "\u{e9}\u{1b}"])), [""; 0]);
}

#[test]
fn documentation_stands_behind_a_tab() {
    let place = place();
    for (words, expected) in [
        (["modify", "--set", "streams.cam1.tit"], "streams.cam1.title=\tTitle that viewers see"),
        (["-x", "prod", "rollba"], "rollback\tMake an earlier text the configuration again"),
        (["context", "use", "pro"], "prod\thttps://media.example"),
    ] {
        assert_eq!(candidates(ask(&place, &words)), [expected], "{words:?}");
    }
    let changes = candidates(ask(&place, &["diff", "change:1"]));
    let is_told = changes[0].starts_with("change:1\t") && changes[0].ends_with("modify  ticket 231");
    assert!(is_told, "{changes:?}");
}

#[test]
fn the_target_is_the_one_that_the_line_names() {
    let place = place();
    place.put("other.conf", "stream other;\n");
    let server = Serving::over(&place);
    place.put("new.conf", SAMPLE.replace("stream cam1", "stream running1"));
    place.line("update -q new.conf").exits(0);
    place.put("password", "hunter2\n");
    let context = |name: &str, more: &str| format!("context {name} {{ url {}; {more} }}\n", server.url);
    let live = context("live", "login admin; password_command \"cat password\";");
    let stuck = "login admin; password_command \"echo $$ > stuck; while [ -e password ]; do sleep 1; done\";";
    let stuck = context("stuck", stuck);
    contexts(&place, &(live + &context("closed", "") + &stuck));
    let names = |words: &[&str]| texts(ask(&place, words));
    let of = |target: &[&str]| names(&[target, &["rm", "streams.run"]].concat()).into_iter().next();
    let running = Some("streams.running1".to_owned());
    let with_url = ["--url", &server.url, "--user", "admin", "--password-file", "password"];
    for target in [&[][..], &["-x", "live"], &with_url] {
        // A server that takes long is not waited for.
        until(&format!("{target:?}"), || (of(target) == running).then_some(()));
    }
    assert_eq!(names(&["--conf", "other.conf", "mv", "streams."]), ["streams.other"]);
    // Whoever may not look sees nothing, and is not asked; a password command that takes long is not waited for.
    for target in [
        &["--url", &server.url][..],
        &["-x", "closed"],
        &["-x", "stuck"],
        &["-x", "nobody"],
        &["--url", "http://127.0.0.1:1"],
        &["-x", "live", "--conf", "other.conf"],
    ] {
        assert_eq!(of(target), None, "{target:?}");
    }
    // A password command that takes long is ended, too.
    let command = fs::read_to_string(place.path("stuck")).expect("it was written");
    let stat = || fs::read_to_string(format!("/proc/{}/stat", command.trim()));
    eventually(|| stat().map_or(true, |stat| stat.contains(") Z ")));
    // The schema needs no server.
    assert_eq!(names(&["-x", "closed", "modify", "--set", "snm"]), ["snmp="]);
    server.stop().exits(0);
    assert_eq!(of(&[]), None);
}

#[test]
fn nothing_is_written_and_no_secret_is_shown() {
    let place = place();
    let secret =
        "stream vault { url rtsp://u:geheim@h/1; cluster_key geheim; auth http://a token=geheim; }\n";
    place.put(CONF, SAMPLE.to_owned() + secret + "cluster_key geheim;\n");
    let state = || {
        let mut files = Vec::new();
        collect(&place.path("."), &place.path("."), &mut files);
        files.sort();
        let of = |name: &String| fs::read(place.path(name)).expect("a file can be read");
        files.iter().map(|name| (name.clone(), of(name))).collect::<Vec<_>>()
    };
    let before = state();
    for line in [
        "modify --set streams.vault.urls[0].url=",
        "modify --set cluster_key=",
        "modify --set edit_auth.password=",
        "modify --set streams.vault.auth.extra.token=",
        "wait streams.vault.cluster_key=",
        "modify --where cluster_key=",
        "read streams.vault.urls[0].",
        "rollback ",
        "diff @",
        "edit ",
        "read ",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        ask(&place, &words).run().exits(0).hides("geheim").hides("hunter2").hides("<secret");
    }
    assert!(state() == before, "a file has changed");
}

#[test]
fn a_configuration_that_cannot_be_read_is_no_error() {
    let place = Place::empty();
    assert_eq!(texts(ask(&place, &["modify", "--set", "snm"])), ["snmp="]);
    assert_eq!(texts(ask(&place, &["read", "logl"])), [""; 0]);
    place.put(CONF, "stream cam1 {\n");
    assert_eq!(texts(ask(&place, &["read", "streams."])), [""; 0]);
    assert!(texts(ask(&place, &["rollback", ""])).iter().all(|text| text.starts_with("--")));
}

/// The candidates of `read` behind a word, as the script gives them to bash.
fn bash_candidates(place: &Place, typed: &str) -> Vec<String> {
    let call = "source <(\"$1\" completion bash); COMP_LINE=\"mediactl read $2\" COMP_POINT=${#COMP_LINE}; \
                COMP_WORDS=(mediactl read \"$2\"); COMP_CWORD=2; _mediactl mediactl \"$2\" read; \
                printf '%s\\n' \"${COMPREPLY[@]}\"";
    let run = place.call("bash", ["-c", call, "bash", PROGRAM, typed]).run().exits(0);
    run.out.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Names that are commands or patterns where a shell reads them without quotes.
pub const HOSTILE: &[&str] = &[
    "$(touch X)",
    "`touch X`",
    ";touch X;",
    "a;id",
    "|touch X|",
    "\";touch X;\"",
    "';touch X;'",
    "&touch X&",
    "\\$(touch X)",
    "a$(touch X)",
    "!touch X",
    "a*",
    "a?",
    "a b",
    "~",
];

#[test]
fn no_name_is_a_command_in_bash_behind_whatever_quote_it_was_begun() {
    let place = Place::empty();
    let streams = HOSTILE.iter().map(|name| {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("stream \"{quoted}\" {{ url udp://h:1; }}\n")
    });
    place.put(CONF, streams.collect::<String>() + "stream a1 { url udp://h:1; }\n");
    // A pattern would become the name of a file.
    place.put("streams.a1.urls0", "");
    let begun = ["", "$", "`", ";", "|", "\\\"", "'", "&", "\\\\", "a", "a$", "!", "\\$", "\\`"];
    for typed in begun.iter().flat_map(|begun| ["", "\"", "'"].map(|quote| format!("{quote}streams.{begun}")))
    {
        for candidate in bash_candidates(&place, &typed) {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-[]".contains(c);
            assert!(candidate.chars().all(is_plain), "`{typed}` gives `{candidate}`");
        }
        assert!(!place.path("X").exists(), "{typed}");
    }
    assert!(bash_candidates(&place, "streams.a").contains(&"streams.a1".to_owned()));
}

#[test]
fn the_script_asks_the_program_that_printed_it() {
    let place = Place::empty();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(["completion", shell]).exits(0).prints(PROGRAM).out;
        let asked = place.mediactl([""; 0]).env("COMPLETE", shell).run().exits(0);
        assert!(script.starts_with(&asked.out), "{}", asked.out);
    }
    place.line("completion tcsh").exits(2);
    // A variable of another program means nothing.
    for value in ["", "1", "bash"] {
        place.mediactl(["completion", "zsh"]).env("COMPLETE", value).run().exits(0).prints("compdef");
    }
}
