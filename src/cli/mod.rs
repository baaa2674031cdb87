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
mod change;
mod command_line;
mod commands;
mod completion;
mod confirmation;
mod context;
mod credentials;
mod error;
mod fleet;
mod input;
mod interrupt;
mod listening;
mod local;
mod prompts;
mod render;
mod target;
mod ui;

use std::sync::Arc;

use signal_hook::consts::SIGXFSZ;

use args::Invocation;
use args::global::GlobalArgs;
use command_line::CommandLine;
pub use command_line::command;
pub use commands::serve::GRACE;
pub use completion::{ShellName, script as completion_script};
use render::diagnostics;
use ui::Ui;

use crate::error::{Error, Exit};
use crate::store::file::limit_files;

/// Runs the command line of this process.
pub fn run() -> Exit {
    // A write beyond the limit of file sizes (`ulimit -f`) fails with an error; without a handler, a signal would end the
    // process first, as it does where the handler can't be set. Hooks get the default action back.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let arguments = command_line::without_undo(std::env::args_os().collect());
    if let Some(exit) = completion::answer(&arguments, command) {
        return exit;
    }
    let matches = match command().try_get_matches_from(&arguments) {
        Ok(matches) => matches,
        Err(error) => return command_line::print_error(error, &arguments),
    };
    let parsed = CommandLine::from_matches(&matches);
    let CommandLine { global, command } = parsed.expect("clap parsed them with the same tree of commands");
    limit_files(global.max_file.0);
    let ui = Ui::from_options(&global, &matches);
    if !ui.quiet {
        ui::show_progress();
    }
    let (_, called) = matches.subcommand().expect("a command was given");
    let call = Invocation { global: &global, matches: called, ui };
    let exit = command.run(call).unwrap_or_else(|error| fail(&error, &global, ui));
    ui::end_progress();
    exit
}

fn fail(error: &Error, global: &GlobalArgs, ui: Ui) -> Exit {
    if error.is_closed_output() {
        return Exit::Done;
    }
    diagnostics::explain(error, &global.file_name(), ui);
    ui.error(error);
    error.exit()
}
