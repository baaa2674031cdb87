//! Help, versions and other names of commands, what a first-time user is told, and that all that is told fits a terminal.

use std::process::Command;

use super::serve::Serving;
use super::{CONF, PROGRAM, Place, SAMPLE, mode};

/// The calls of all commands, those below others too.
fn calls() -> Vec<Vec<String>> {
    fn below(command: &clap::Command, call: &[String], calls: &mut Vec<Vec<String>>) {
        for inner in command.get_subcommands() {
            let call = [call, &[inner.get_name().to_owned()]].concat();
            calls.push(call.clone());
            below(inner, &call, calls);
        }
    }
    let mut calls = Vec::new();
    below(&mediactl::cli::command(), &[], &mut calls);
    assert!(calls.len() > 30, "{calls:?}");
    calls
}

/// The output of a call on a terminal with 80 columns.
fn help(words: &[String], option: &str) -> String {
    let done = Command::new(PROGRAM).args(words).arg(option).env("COLUMNS", "80").output();
    let done = done.expect("the program can be started");
    assert!(done.status.success() && done.stderr.is_empty(), "{words:?}: {done:?}");
    String::from_utf8(done.stdout).expect("help is text")
}

#[test]
fn the_short_help_of_each_command_has_sixty_lines_at_most_and_the_long_one_has_all() {
    for call in calls() {
        let short = help(&call, "-h");
        assert!(short.lines().count() <= 60, "{call:?} has {} lines:\n{short}", short.lines().count());
        let long = help(&call, "--help");
        for option in ["--conf <FILE>", "--api-prefix <PATH>", "--show-secrets"] {
            assert!(long.contains(option), "{call:?} --help has no {option}");
        }
    }
}

#[test]
fn the_overview_describes_each_command_in_a_line() {
    let place = Place::empty();
    let overview = place.line("-h").exits(0).out;
    assert!(overview.lines().count() <= 39, "{overview}");
    for command in mediactl::cli::command().get_subcommands() {
        let name = command.get_name();
        let line = overview.lines().find(|line| line.split_whitespace().next() == Some(name));
        let line = line.unwrap_or_else(|| panic!("{name} is not there: {overview}"));
        assert!(line.split_whitespace().count() > 3, "{line}");
    }
    let alone = place.run([""; 0]).exits(2);
    assert_eq!((alone.out.as_str(), alone.err), ("", overview.clone()));
    assert_eq!(place.line("help modify").exits(0).out, place.line("modify --help").exits(0).out);
    assert_eq!(place.line("help").exits(0).out, place.line("--help").exits(0).out);
    place.line("help modfy").exits(2).says("modfy");
    place.line("modfy").exits(2).says("'modify'");
    place.line("--version").exits(0).prints("mediactl ");
}

#[test]
fn other_names_of_commands_work_and_are_not_shown() {
    let place = Place::with(SAMPLE);
    for name in ["get", "show", "list", "ls"] {
        assert_eq!(place.run([name, "streams"]).exits(0).out, place.line("read streams").exits(0).out);
    }
    place.line("set --set rtmp=1936").exits(0);
    place.line("copy streams.cam1 streams.a").exits(0);
    place.line("rename streams.a streams.b").exits(0);
    place.line("move streams.b streams.c").exits(0);
    for name in ["delete", "remove", "del"] {
        place.line("cp streams.cam1 streams.x").exits(0);
        place.run([name, "streams.x"]).exits(0);
    }
    place.line("log").exits(0).prints("modify");
    for name in ["validate", "lint", "test"] {
        assert_eq!(place.run([name]).exits(0).err, place.line("check").exits(0).err);
    }
    place.line("format --dry-run").exits(0);
    assert!(!place.line("-h").exits(0).out.contains("validate"));
}

#[test]
fn init_makes_a_valid_configuration_with_a_password_of_its_own() {
    let place = Place::empty();
    let made = place.line("init").exits(0).prints("login admin\npassword ").says("not shown again");
    let password = made.out.lines().find_map(|line| line.strip_prefix("password ")).expect("it is shown");
    assert_eq!(password.len(), 24);
    place.line("check --strict").exits(0).says("no errors, no warnings");
    assert!(place.text().contains(&format!("edit_auth admin {password};\n")));
    assert_eq!(mode(&place.path(CONF)), 0o640);
    let before = place.bytes();
    place.line("init").exits(6).says("`media.conf` exists already").says("nothing was changed");
    assert_eq!(place.bytes(), before);
    let other = place.line("init new/folder/site.conf").exits(0);
    assert!(!other.out.contains(password), "two configurations have two passwords");
    place.line("check new/folder/site.conf").exits(0);
    place.line("--url http://h init").exits(2);
    place.line("init folder/").exits(7).says("`folder/` is the name of a folder");
    place.run(["init", "my site.conf"]).exits(0).says("next: `mediactl --conf 'my site.conf' serve`");
    // The account works.
    let server = Serving::over(&place);
    place.put("password", password);
    let url = server.url.clone();
    let call =
        place.mediactl(["--url", &url, "--user", "admin", "--password-file", "password", "read", "rtmp"]);
    call.without("MEDIACTL_CONF").run().exits(0).prints("1935");
}

#[test]
fn a_variable_with_a_wrong_value_is_named() {
    let place = Place::with("http 80;\n");
    for (name, value, says) in [
        ("CONF", "", "error: the variable MEDIACTL_CONF: its value is empty\n"),
        ("INVENTORY", "", "error: the variable MEDIACTL_INVENTORY: its value is empty\n"),
        ("MAX_FILE", "", "error: the variable MEDIACTL_MAX_FILE: its value is empty\n"),
        ("MAX_FILE", "much", "error: the variable MEDIACTL_MAX_FILE: a size is from 1 to "),
    ] {
        let name = format!("MEDIACTL_{name}");
        let run = place.mediactl(["check"]).env(&name, value).run().exits(2).says(says);
        run.says(&format!("hint: give it a value, or take it away: `unset {name}`"));
    }
    let run = place.mediactl(["--conf=", "check"]).env("MEDIACTL_CONF", "").run().exits(2);
    run.says("a value is required for '--conf <FILE>'");
    for name in ["MEDIACTL_URL", "MEDIACTL_CLUSTER", "MEDIACTL_CONTEXT"] {
        place.mediactl(["check"]).env(name, "").run().exits(0);
    }
}

#[test]
fn a_missing_configuration_is_told_with_what_to_do() {
    let place = Place::empty();
    for command in [&["read"][..], &["status"], &["modify", "--set", "rtmp=1"], &["serve"]] {
        let run = place.run(command).exits(7).says("does not exist\nhint: `mediactl init` makes a first");
        run.says("`--conf FILE`, `--url URL` or `--context NAME`");
    }
}

/// What is run one after the other, behind the help of each command.
const LINES: &[&str] = &[
    "-h",
    "help modify",
    "context add prod --url https://media.example/with/a/long/path/of/its/own --group edge,eu,asia",
    "context list",
    "read -o table",
    "read -o table --columns name,auth.url,urls,title,comment",
    "explain streams.dvr",
    "explain streams.cam1.prepush",
    "explain lives",
    "add stream hall udp://239.0.0.7:1234 -m 'a camera for the hall, as asked for in ticket 231'",
    "cp streams.cam1 streams.cam9 -m 'one more camera at the gate, as asked for in ticket 232'",
    "mv streams.cam9 streams.lobby",
    "rm streams.hall",
    "history",
    "blame streams.cam1.prepush",
    "status",
    "fmt",
    "init new.conf",
    "apply new.conf --dry-run",
    "wait rtsp=554 --timeout 60",
];

#[test]
fn help_and_tables_fit_the_terminal() {
    let commands = mediactl::cli::command();
    let helps: Vec<_> =
        commands.get_subcommands().map(|command| format!("{} -h", command.get_name())).collect();
    for columns in [80, 200] {
        let place = Place::with(SAMPLE);
        for line in helps.iter().map(String::as_str).chain(LINES.iter().copied()) {
            let call = place.call("sh", ["-c", &format!("exec {PROGRAM} {line}")]).at_home(&place, "");
            let seen = call.on_terminal_of(50, columns).exits(0);
            let wide: Vec<_> = seen.lines().filter(|line| line.chars().count() > columns.into()).collect();
            assert!(wide.is_empty(), "{line}:\n{wide:#?}");
        }
    }
}
