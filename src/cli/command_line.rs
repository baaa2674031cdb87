//! What clap parses, and its errors, which show no value.

use std::error::Error as _;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};

use super::args::global::{ColorChoice, GlobalArgs};
use super::commands::CommandArgs;
use super::input::misplaced_url;
use super::ui::Ui;
use crate::error::{Error, Exit};
use crate::http::client::without_userinfo;
use mediaconf::printable;

/// Read and change the configuration of media servers
///
/// Comments, order and spacing stay as they are: a change touches only the bytes that have to
/// change. Every change is checked before it is written, and it is written completely or not at all.
#[derive(Debug, Parser)]
#[command(name = "mediactl", version, propagate_version = true, max_term_width = 100)]
#[command(help_template = "{about-with-newline}\n{usage-heading} {usage}\n{all-args}{after-help}")]
#[command(after_help = "Options of every command, such as --conf, --url and -x: `mediactl --help`")]
#[command(after_long_help = "\
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
    /// The command line by the matches of the tree; an option of every command may stand behind the command.
    pub fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            global: GlobalArgs::from_matches(matches)?,
            command: CommandArgs::from_arg_matches(matches)?,
        })
    }
}

/// Returns the tree of commands and options, from which the manual pages are made, too.
pub fn command() -> Command {
    let tree = CommandLine::command()
        .mut_subcommands(|command| command.mut_args(|option| option.hide_env_values(true)));
    // There it is another name of `revert --change`.
    tree.mut_subcommand("rollback", |command| command.mut_arg("change", |option| option.hide(true)))
}

/// Where an error has words of the command line.
const GIVEN_WORDS: [ContextKind; 3] =
    [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];

/// The arguments with `revert` in the place of its other name `undo`, which is `revert last` if it names no change.
pub fn without_undo(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.iter().any(|argument| argument == "undo")
        && let Ok(matches) = command().allow_external_subcommands(true).try_get_matches_from(&arguments)
        && let Some(("undo", rest)) = matches.subcommand()
    {
        let behind = rest.get_many::<OsString>("").map_or(0, Iterator::count);
        let at = arguments.len() - behind - 1;
        arguments[at] = "revert".into();
        // `undo 3` is `revert 3`.
        let lacks = |error: clap::Error| error.kind() == ErrorKind::MissingRequiredArgument;
        if command().try_get_matches_from(&arguments).is_err_and(lacks) {
            arguments.insert(at + 1, "last".into());
        }
    }
    arguments
}

/// Prints help, versions, and faults of the command line.
pub fn print_error(mut error: clap::Error, arguments: &[OsString]) -> Exit {
    let ui = Ui::new(ColorChoice::Auto).of_faulty(arguments);
    let lacking = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string);
    if error.kind() == ErrorKind::MissingSubcommand && lacking.as_deref() == Some(command().get_name()) {
        ui.say(command().render_help().to_string().trim_end());
        return Exit::Usage;
    }
    let given = |error: &clap::Error, kind| {
        // Of a wrong value it is the name of the argument, such as `[PATH=VALUE]...`.
        let is_given = kind != ContextKind::InvalidArg || error.kind() == ErrorKind::UnknownArgument;
        match error.get(kind) {
            Some(ContextValue::String(text)) if is_given => Some(text.clone()),
            _ => None,
        }
    };
    if let Some(url) = GIVEN_WORDS.iter().find_map(|kind| misplaced_url(&given(&error, *kind)?)) {
        ui.error(&url);
        return Exit::Usage;
    }
    if let Some(refusal) = of_variable(&error, arguments) {
        ui.error(&refusal);
        return Exit::Usage;
    }
    let unknown = given(&error, ContextKind::InvalidArg).unwrap_or_default();
    if let Some(instead) = in_place_of(&unknown) {
        ui.error(&Error::usage(format!("there is no option `{unknown}` any more"), instead));
        return Exit::Usage;
    }
    if arguments.windows(2).any(|pair| pair == ["--prune", "all"]) {
        ui.error(&Error::usage("`--prune` takes its word behind `=`", "write `--prune=all`"));
        return Exit::Usage;
    }
    for kind in GIVEN_WORDS {
        let Some(word) = given(&error, kind) else { continue };
        let shown =
            word.split_once('=').map_or_else(|| without_userinfo(&word), |(path, _)| format!("{path}=…"));
        error.insert(kind, ContextValue::String(shown));
    }
    // clap shows arguments as they are: one with control characters costs the colours.
    let is_plain = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        printable(&argument) == argument
    };
    if ui.json && error.use_stderr() {
        let text = error.render().to_string();
        let (fault, _) = text.split_once("\n\n").unwrap_or((&text, ""));
        let fault = fault.trim_start_matches("error:").split_whitespace().collect::<Vec<_>>().join(" ");
        ui.error(&Error::usage(fault, "`mediactl COMMAND --help` has the options of a command"));
        return Exit::Usage;
    }
    match arguments.iter().all(is_plain) {
        // A closed stdout or stderr is no error.
        true => drop(error.print()),
        false => Ui::new(ColorChoice::Never).say(error.to_string().trim_end()),
    }
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

/// The error of a value that no option gives, but its variable; clap names the option.
fn of_variable(error: &clap::Error, arguments: &[OsString]) -> Option<Error> {
    let Some(ContextValue::String(named)) = error.get(ContextKind::InvalidArg) else { return None };
    let mut tree = command();
    tree.build();
    let option = tree.get_arguments().find(|option| option.to_string() == *named)?;
    let (option, variable) = (format!("--{}", option.get_long()?), option.get_env()?.to_str()?);
    let is_given =
        |word: &OsString| word.to_str().is_some_and(|word| word.split('=').next() == Some(&option));
    let value = std::env::var_os(variable).filter(|_| !arguments.iter().any(is_given))?;
    let why = error.source().filter(|_| !value.is_empty());
    let why = why.map_or("its value is empty".to_owned(), ToString::to_string);
    let hint = format!("give it a value, or take it away: `unset {variable}`");
    Some(Error::usage(format!("the variable {variable}: {why}"), hint))
}

/// What does the work of an option that went.
fn in_place_of(option: &str) -> Option<&'static str> {
    match option {
        "--batch" | "--pause" | "--max-fail" => {
            Some("`--canary 10%,50% --soak 1m` changes servers in waves, and stops at a failure")
        }
        "--canary-time" => Some("`--soak TIME` is how long each wave of `--canary` stays healthy"),
        "--canary-timeout" => Some("with `--canary`, `--confirm TIME` limits all waves together"),
        _ => None,
    }
}
