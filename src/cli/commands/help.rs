//! `mediactl help`

use crate::cli::args::help::HelpArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::help;
use crate::cli::synonyms;
use crate::cli::ui::Ui;

/// The topic for the options of every command.
pub const OPTIONS: &str = "options";

/// Explains what the arguments name, in a tree that has all commands.
pub fn run(args: &HelpArgs, mut tree: clap::Command, ui: Ui) -> Result<Exit, CliError> {
    let text = match &args.topic[..] {
        [only] if only == OPTIONS => help::options(),
        names => {
            tree.build();
            let command = names.iter().try_fold(&tree, |command, name| {
                command.find_subcommand(name).ok_or_else(|| no_command(name))
            })?;
            help::long(command)
        }
    };
    ui.print(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Done)
}

fn no_command(name: &str) -> CliError {
    let hint = match synonyms::command(name) {
        Some(meant) => format!("use `mediactl help {meant}`"),
        None => "`mediactl help` shows all commands".to_owned(),
    };
    CliError::usage(format!("there is no command `{name}`"), hint)
}
