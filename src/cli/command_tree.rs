//! The tree of commands and options: the whole of it, or as much as one call needs.
//!
//! To make the options of every command, to copy them from command to command, and to look for the value of each,
//! takes longer than all that a short command does. So a call is parsed with the smallest tree that may fit, and
//! with the whole tree where that does not: help and errors name the other commands and options, too.

use std::ffi::{OsStr, OsString};
use std::mem::ManuallyDrop;

use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::args::global::{GlobalArgs, SERVER_HEADING};
use super::commands::CommandArgs;

/// Read and change the configuration of media servers
///
/// Comments, order and spacing stay as they are: a change touches only the bytes that have to
/// change. Every change is checked before it is written, and it is written completely or not at all.
#[derive(Debug, Parser)]
#[command(name = "mediactl", version, disable_help_subcommand = true, propagate_version = true)]
#[command(after_help = "\
Examples:
  mediactl check media.conf
  mediactl --conf media.conf read streams.cam1
  mediactl --conf media.conf modify --set streams.cam1.prepush=5 --dry-run

`mediactl COMMAND --help` describes a command in full. The manual has mediactl(1), a page for each
command such as mediactl-read(1), and media.conf(5) for the configuration file.")]
pub struct CommandLine {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: CommandArgs,
}

impl CommandLine {
    /// The command line by the matches of the whole tree, or of one in which only the commands have the options of
    /// every command.
    pub fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            global: GlobalArgs::from_matches(matches)?,
            command: CommandArgs::from_arg_matches(matches)?,
        })
    }
}

/// Returns the tree of commands and options, from which the manual pages are made, too.
pub fn command() -> Command {
    CommandLine::command()
}

/// Returns the tree with the commands that are among the words; with all of them where none is, and for `help`,
/// which takes their names.
pub fn of_words(words: &[OsString]) -> Command {
    let called = called(words);
    let is_whole = called.iter().all(|command| command.get_name() == "help");
    if is_whole { command() } else { GlobalArgs::augment_args(root()).subcommands(called) }
}

/// True if no command is among the words.
pub fn calls_none(words: &[OsString]) -> bool {
    called(words).is_empty()
}

/// Parses the arguments of a process.
pub fn parse(arguments: &[OsString]) -> Result<ManuallyDrop<ArgMatches>, clap::Error> {
    let matches = |command: Command| {
        // Neither is dropped: to free hundreds of small parts takes longer than to parse the arguments.
        let mut command = ManuallyDrop::new(command);
        command.try_get_matches_from_mut(arguments).map(ManuallyDrop::new)
    };
    matches(smallest(arguments)).or_else(|error| match error.kind() {
        // Both trees see them at the same place, and neither looks at what is behind it.
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Err(error),
        _ => matches(command()),
    })
}

/// Returns the tree with the commands that are among the arguments. Each has the options of every command as its own;
/// before it are only those that are given there.
fn smallest(arguments: &[OsString]) -> Command {
    // clap would write its own help first, and `help` writes another.
    let with_options = |command| GlobalArgs::augment_args(command).override_help("");
    let called: Vec<Command> = called(arguments).into_iter().map(with_options).collect();
    let is_called = |argument: &&OsString| called.iter().any(|command| *argument == command.get_name());
    let before: Vec<&OsString> =
        arguments.iter().skip(1).take_while(|argument| !is_called(argument)).collect();
    let given = called.first().map(|command| given(command, &before)).unwrap_or_default();
    let own = |command: Command| command.mut_args(|option| option.global(false));
    root().args(given).subcommands(called.into_iter().map(own))
}

/// The root without an option.
fn root() -> Command {
    let root = Command::new("mediactl").version(env!("CARGO_PKG_VERSION")).propagate_version(true);
    root.subcommand_required(true).disable_help_subcommand(true)
}

/// The commands whose names are among the words.
fn called(words: &[OsString]) -> Vec<Command> {
    let all = ManuallyDrop::new(CommandArgs::augment_subcommands(Command::new("")));
    let is_called = |command: &&Command| words.iter().any(|word| word == command.get_name());
    all.get_subcommands().filter(is_called).cloned().collect()
}

/// The options of a command that the words name. Those for a server exclude or need each other, so they stand together.
fn given(command: &Command, words: &[&OsString]) -> Vec<Arg> {
    let is_named = |option: &&Arg| words.iter().any(|word| is_name(option, word));
    let is_for_server = |option: &Arg| option.get_help_heading() == Some(SERVER_HEADING);
    let with_server = command.get_arguments().filter(is_named).any(is_for_server);
    let is_given = |option: &&Arg| is_named(option) || with_server && is_for_server(option);
    command.get_arguments().filter(is_given).cloned().collect()
}

/// True if a word is `--NAME`, `--NAME=VALUE`, `-N` or `-NVALUE` of this option.
fn is_name(option: &Arg, word: &OsStr) -> bool {
    let word = word.as_encoded_bytes();
    match word.strip_prefix(b"--") {
        Some(long) => long.split(|byte| *byte == b'=').next() == option.get_long().map(str::as_bytes),
        None => option.get_short().is_some_and(|short| word.starts_with(format!("-{short}").as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        format!("mediactl {line}").split(' ').map(OsString::from).collect()
    }

    fn parsed(tree: Command, line: &str) -> Option<String> {
        let matches = tree.try_get_matches_from(words(line)).ok()?;
        Some(format!("{:?}", CommandLine::from_matches(&matches).expect("the tree is that of the struct")))
    }

    #[test]
    fn the_smallest_tree_reads_a_call_as_the_whole_tree_does() {
        for line in [
            "read",
            "read streams.a --conf f --jobs 3",
            "--conf f --color=never read read -o compact",
            "--conf modify modify --set streams.a.url=u",
            "-xedge --timeout 5 read",
            "-x edge read --timeout 5",
            "--cert c --key k --insecure read",
            "--cacert c read --user u",
            "--url u --fingerprint sha256:0000000000000000000000000000000000000000000000000000000000000000 read",
        ] {
            let whole = parsed(command(), line);
            assert!(whole.is_some() && parsed(smallest(&words(line)), line) == whole, "{line}");
        }
    }

    #[test]
    fn what_the_smallest_tree_does_not_fit_is_left_to_the_whole_tree() {
        for line in [
            "",
            "red",
            "--mask",
            "-- read",
            "--conf read",
            "--conf modify --jobs 3 read",
            "--conf a read --conf b --conf c",
            "--conf a other read",
            "--key k read",
            "read --cert c",
            "--insecure --cacert c read",
            "context list --conf f",
        ] {
            assert_eq!(parsed(smallest(&words(line)), line), None, "{line}");
        }
    }

    #[test]
    fn help_and_versions_are_those_of_the_whole_tree() {
        for line in [
            "--version",
            "-V",
            "--help",
            "read -h",
            "read --version",
            "context list --help",
            "--conf f read -V",
        ] {
            let [small, whole] = [smallest(&words(line)), command()]
                .map(|tree| tree.try_get_matches_from(words(line)).expect_err("it is no call"));
            assert_eq!(small.kind(), whole.kind(), "{line}");
            if small.kind() == ErrorKind::DisplayVersion {
                assert_eq!(small.to_string(), whole.to_string());
            }
        }
    }

    #[test]
    fn the_smallest_tree_has_each_option_once() {
        let tree = smallest(&words("--conf f read streams.a"));
        let before: Vec<_> = tree.get_arguments().map(|option| option.get_id().as_str()).collect();
        assert_eq!(before, ["conf"]);
        assert!(tree.get_subcommands().map(Command::get_name).eq(["read"]));
    }
}
