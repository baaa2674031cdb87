//! The command line: arguments come in, a command works on a configuration, the outcome is reported.
//!
//! ```text
//! command_line → commands → target → render
//! ```
//!
//! `command_line` is what clap parses, and `commands` has a table of all commands. `target` decides which
//! [`ConfigService`](crate::engine::ConfigService) a command works on; the commands themselves don't know whether that is a
//! file or a server.
//!
//! *Invariants.* Only this layer knows terminals. Results go to stdout, everything else to stderr.
//! The exit code depends on the kind of an error and on nothing else ([`Exit`]).

mod access_log;
mod args;
mod assignments;
mod canary;
mod cluster;
mod command_line;
mod commands;
mod completion;
mod context;
mod countdown;
mod credentials;
mod draft_comments;
mod editing;
mod editor;
mod error;
mod fleet;
mod input;
mod interrupt;
mod invocation;
mod listening;
mod local_time;
mod local_user;
mod new_account;
mod observed;
mod prompts;
mod rehearsal;
mod remote_host;
mod render;
mod rolled_out;
mod server_process;
mod suggestions;
mod target;
mod ui;

use std::ffi::OsString;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use signal_hook::consts::SIGXFSZ;

use args::global::{ColorChoice, GlobalArgs};
use command_line::CommandLine;
pub use command_line::command;
pub use commands::serve::GRACE;
pub use completion::{ShellName, script as completion_script};
use input::misplaced_url;
use invocation::Invocation;
use render::diagnostics;
use ui::Ui;

use crate::error::{Error, Exit};
use crate::http::client::without_userinfo;
use mediaconf::printable;

/// Runs the command line of this process.
pub fn run() -> Exit {
    survive_file_limit();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(exit) = completion::answer(&arguments, command) {
        return exit;
    }
    let matches = match command().try_get_matches_from(&arguments) {
        Ok(matches) => matches,
        Err(error) => return print_clap_error(error, &arguments),
    };
    let cli =
        CommandLine::from_matches(&matches).expect("clap parsed the matches with the same tree of commands");
    let ui = Ui::from_options(&cli.global);
    let (_, called) = matches.subcommand().expect("a command was given");
    let call = Invocation { global: &cli.global, matches: called, ui };
    cli.command.run(call).unwrap_or_else(|error| fail(&error, &cli.global, ui))
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail with an error. Without a handler, a
/// signal would end the process first. Hooks get the default action back.
fn survive_file_limit() {
    // Where the handler can't be set, the signal ends the process.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Prints help, versions, and faults of the command line.
fn print_clap_error(mut error: clap::Error, arguments: &[OsString]) -> Exit {
    if is_without_command(&error) {
        Ui::new(ColorChoice::Auto).say(command().render_help().to_string().trim_end());
        return Exit::Usage;
    }
    if let Some(error) = given_words(&error).iter().find_map(|word| misplaced_url(word)) {
        Ui::new(ColorChoice::Auto).error(&error);
        return Exit::Usage;
    }
    suggestions::correct(&mut error, &command());
    hide_value(&mut error);
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

/// True if the program was called without a command.
fn is_without_command(error: &clap::Error) -> bool {
    let lacks = error.get(ContextKind::InvalidSubcommand);
    error.kind() == ErrorKind::MissingSubcommand
        && lacks.is_some_and(|name| name.to_string() == command().get_name())
}

/// Where an error has words of the command line.
const GIVEN_WORDS: [ContextKind; 3] =
    [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];

/// The words of the command line that an error would show.
fn given_words(error: &clap::Error) -> Vec<String> {
    GIVEN_WORDS.into_iter().filter_map(|kind| given_word(error, kind)).collect()
}

fn given_word(error: &clap::Error, kind: ContextKind) -> Option<String> {
    // Of a wrong value it is the name of the argument, such as `[PATH=VALUE]...`.
    let is_given = kind != ContextKind::InvalidArg || error.kind() == ErrorKind::UnknownArgument;
    match error.get(kind) {
        Some(ContextValue::String(word)) if is_given => Some(word.clone()),
        _ => None,
    }
}

/// Leaves the value of `PATH=VALUE`, and the password of a URL, out of an error.
fn hide_value(error: &mut clap::Error) {
    for kind in GIVEN_WORDS {
        let Some(word) = given_word(error, kind) else { continue };
        let shown = match word.split_once('=') {
            Some((path, _)) => format!("{path}=…"),
            None => without_userinfo(&word),
        };
        error.insert(kind, ContextValue::String(shown));
    }
}

fn fail(error: &Error, global: &GlobalArgs, ui: Ui) -> Exit {
    if error.is_closed_output() {
        return Exit::Done;
    }
    diagnostics::explain(error, &global.file_name(), ui);
    ui.error(error);
    error.exit()
}
