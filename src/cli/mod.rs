//! The command line: one file a command. Arguments come in, an operation of the engine runs, and
//! what it did is put into words.
//!
//! *Invariants.* Only this layer knows terminals. Results go to stdout, everything else to stderr;
//! the exit codes are in one table ([`exit`]).

mod access_log;
mod blame;
mod change;
mod check;
mod confirm;
mod content;
mod countdown;
mod credentials;
mod diagnostics;
mod diff;
mod error;
pub mod exit;
mod history;
mod input;
mod interrupt;
mod masked;
mod modify;
mod options;
mod read;
mod remote;
mod rollback;
mod save;
pub mod serve;
mod server;
mod status;
mod table;
mod target;
mod terminal;
mod text_diff;
mod ui;
mod update;

use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use signal_hook::consts::SIGXFSZ;

use error::CliError;
use exit::Exit;
use options::Global;
use target::{Chosen, misplaced_url};
use ui::{ColorChoice, Ui};

use crate::model::Masker;

/// Read and change the configuration of media servers
///
/// Comments, order and spacing stay as they are: a change touches only the bytes that have to
/// change. Every change is checked before it is written, and it is written whole or not at all.
#[derive(Debug, Parser)]
#[command(name = "mediactl", version, disable_help_subcommand = true, propagate_version = true)]
#[command(after_help = "\
Examples:
  mediactl check media.conf
  mediactl --conf media.conf read streams.cam1
  mediactl --conf media.conf modify --set streams.cam1.prepush=5 --dry-run

`mediactl COMMAND --help` tells more of a command. The manual has mediactl(1), a page for each
command such as mediactl-read(1), and media.conf(5) for the configuration file.")]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Read(read::Args),
    Modify(modify::Args),
    Update(update::Args),
    Save(save::Args),
    Diff(diff::Args),
    Check(check::Args),
    History(history::Args),
    Rollback(rollback::Args),
    Blame(blame::Args),
    Confirm(confirm::Args),
    Status(status::Args),
    Serve(serve::Args),
}

/// The tree of commands and options, from which completions and manual pages are made.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command line of this process.
pub fn run() -> Exit {
    survive_file_limit();
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return explained(&error),
    };
    let mut cli = Cli::from_arg_matches(&matches).expect("the tree of commands is the one that was parsed");
    cli.global.chosen = Chosen::of(&matches);
    let ui = Ui::new(cli.global.color);
    let result = dispatch(&cli, ui, matches.subcommand().map(|(_, matches)| matches));
    result.unwrap_or_else(|error| refused(&error, &cli.global, ui))
}

/// A write beyond the limit of file sizes (`ulimit -f`) fails with an error. Without a handler its
/// signal would end the process first. Programs that we run get the default action back.
fn survive_file_limit() {
    // Where the handler can't be set, a signal ends the process as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

fn dispatch(cli: &Cli, ui: Ui, matches: Option<&ArgMatches>) -> Result<Exit, CliError> {
    match &cli.command {
        Command::Read(args) => read::run(args, &cli.global, ui),
        Command::Modify(args) => modify::run(args, matches.expect("a command was given"), &cli.global, ui),
        Command::Update(args) => update::run(args, &cli.global, ui),
        Command::Save(args) => save::run(args, &cli.global, ui),
        Command::Diff(args) => diff::run(args, &cli.global, ui),
        Command::Check(args) => check::run(args, &cli.global, ui),
        Command::History(args) => history::run(args, &cli.global, ui),
        Command::Rollback(args) => rollback::run(args, &cli.global, ui),
        Command::Blame(args) => blame::run(args, &cli.global, ui),
        Command::Confirm(args) => confirm::run(args, &cli.global, ui),
        Command::Status(args) => status::run(args, &cli.global, ui),
        Command::Serve(args) => serve::run(args, &cli.global, ui),
    }
}

/// Help and versions are results; everything else is a fault of the command line.
fn explained(error: &clap::Error) -> Exit {
    if let Some(forgotten) = forgotten_set(error).or_else(|| forgotten_url(error)) {
        Ui::new(ColorChoice::Auto).error(&forgotten, Some(&Masker::default()));
        return Exit::Usage;
    }
    // A closed pipe is nobody's loss.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

/// `PATH=VALUE` without its `--set`: the value may be a secret, and clap would show it.
fn forgotten_set(error: &clap::Error) -> Option<CliError> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let (path, _) = argument.split_once('=').filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    Some(CliError::usage(format!("unexpected argument `{path}=…`"), "a value is set with `--set PATH=VALUE`"))
}

/// A URL without its `--url`: there may be a password in it, too.
fn forgotten_url(error: &clap::Error) -> Option<CliError> {
    let unknown = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    unknown.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(argument)) => misplaced_url(argument),
        _ => None,
    })
}

fn refused(error: &CliError, global: &Global, ui: Ui) -> Exit {
    let exit = error.exit();
    if exit != Exit::Done {
        diagnostics::explain(error, global, ui);
        ui.error(error, global.masker().as_ref());
    }
    exit
}
