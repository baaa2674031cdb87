//! Help, versions and other names of commands.

use std::process::Command;

use super::{PROGRAM, Place, SAMPLE};

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
fn a_mistyped_word_is_answered_with_what_is_near() {
    let place = Place::with(SAMPLE);
    for (words, name) in
        [("histroy", "'history'"), ("context lst", "'list'"), ("modify --dryrun a=b", "'--dry-run'")]
    {
        let run = place.run(words.split_whitespace()).exits(2);
        run.says("similar").says(name);
    }
    place.line("modify rtmp").exits(2).says("for '[PATH=VALUE]...'");
}
