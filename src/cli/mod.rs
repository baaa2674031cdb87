//! The command line: arguments come in, a command works on a configuration, the outcome is reported.
//!
//! ```text
//! command_tree → commands → target → render
//! ```
//!
//! `command_tree` is what clap parses, and `commands` has a table of all commands. `target` decides which
//! [`ConfigService`](crate::engine::ConfigService) a command works on; the commands themselves don't know whether that is a
//! file or a server.
//!
//! *Invariants.* Only this layer knows terminals. Results go to stdout, everything else to stderr.
//! The exit code depends on the kind of an error and on nothing else ([`exit`]).

mod access_log;
mod args;
mod assignments;
mod cluster;
mod command_tree;
mod commands;
mod completion;
mod context;
mod countdown;
mod credentials;
mod editing;
mod editor;
mod error;
pub mod exit;
mod fleet;
mod help;
mod input;
mod interrupt;
mod invocation;
mod listening;
mod local_time;
mod local_user;
mod mistakes;
mod new_account;
mod observed;
mod pager;
mod prompts;
mod rehearsal;
mod remote_host;
mod render;
mod rolled_out;
mod rollout;
mod server_process;
mod synonyms;
mod target;
mod ui;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use clap::error::ErrorKind;
use signal_hook::consts::SIGXFSZ;

use args::global::{ColorChoice, GlobalArgs};
use command_tree::CommandLine;
pub use command_tree::command;
pub use commands::serve::GRACE;
pub use completion::{ShellName, script as completion_script};
use error::CliError;
use exit::Exit;
use invocation::Invocation;
use render::diagnostics;
use ui::Ui;

use mediaconf::plumbing::syntax::printable;

/// Runs the command line of this process.
pub fn run() -> Exit {
    survive_file_limit();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(exit) = completion::answer(&arguments, command_tree::of_words) {
        return exit;
    }
    let matches = match command_tree::parse(&arguments) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return print_help(&arguments);
        }
        Err(error) => return print_clap_error(&error, &arguments),
    };
    let cli =
        CommandLine::from_matches(&matches).expect("clap parsed the matches with the same tree of commands");
    let ui = Ui::from_options(&cli.global);
    let (_, called) = matches.subcommand().expect("a command was given");
    let call =
        Invocation { global: &cli.global, matches: called, ui, tree: command, meant: synonyms::command };
    cli.command
        .run(call)
        .unwrap_or_else(|error| fail(&mistakes::with_file_meant(error, called), &cli.global, ui))
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail with an error. Without a handler, a
/// signal would end the process first. Hooks get the default action back.
fn survive_file_limit() {
    // Where the handler can't be set, the signal ends the process.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// The short and the long help without a command. `cargo xtask generate` writes them: they show what each command says of
/// itself, and to make all commands with their options takes longer than all else.
const OVERVIEW: [&str; 2] = [include_str!("overview/short.txt"), include_str!("overview/long.txt")];

/// Makes the short and the long help without a command from the tree of commands.
pub fn overview() -> [String; 2] {
    let mut tree = command();
    tree.get_subcommands_mut().for_each(clap::Command::build);
    [help::short(&mut tree), help::long(&mut tree)]
}

fn print_help(arguments: &[OsString]) -> Exit {
    let (ui, is_short) = (Ui::new(ColorChoice::Auto), help::is_short(arguments));
    let text = match command_tree::calls_none(arguments) {
        true => OVERVIEW[usize::from(!is_short)].to_owned(),
        false => help_of_called(arguments, is_short),
    };
    match ui.print(|out| out.write_all(text.as_bytes())) {
        Err(error) if !error.is_closed_output() => {
            ui.error(&error);
            error.kind.into()
        }
        _ => Exit::Done,
    }
}

fn help_of_called(arguments: &[OsString], is_short: bool) -> String {
    // It is not dropped: see `command_tree::parse`.
    let mut tree = ManuallyDrop::new(command_tree::of_words(arguments));
    let called = help::called(&mut tree, arguments);
    if is_short { help::short(called) } else { help::long(called) }
}

/// Prints help, versions, and faults of the command line.
fn print_clap_error(error: &clap::Error, arguments: &[OsString]) -> Exit {
    if let Some(error) = mistakes::explained(error, arguments) {
        Ui::new(ColorChoice::Auto).error(&error);
        return Exit::Usage;
    }
    // clap shows arguments as they are: one with control characters costs the colours.
    let is_plain = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        printable(&argument) == argument
    };
    match arguments.iter().all(is_plain) {
        // A closed stdout or stderr is no error.
        true => drop(error.print()),
        false => Ui::new(ColorChoice::Never).say(error.to_string().trim_end()),
    }
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

fn fail(error: &CliError, global: &GlobalArgs, ui: Ui) -> Exit {
    if error.is_closed_output() {
        return Exit::Done;
    }
    diagnostics::explain(error, &global.file_name(), ui);
    ui.error(error);
    error.kind.into()
}
