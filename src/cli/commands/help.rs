//! `mediactl help`

use crate::cli::args::help::HelpArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::help;
use crate::cli::synonyms;
use crate::cli::ui::output;

/// The topic for the options of every command.
pub const OPTIONS: &str = "options";

/// Explains what the arguments name, in a tree that has all commands.
pub fn run(args: &HelpArgs, tree: clap::Command) -> Result<Exit, CliError> {
    if args.topic == [OPTIONS] {
        output(help::options().print_long_help())?;
        return Ok(Exit::Done);
    }
    let mut tree = tree;
    tree.build();
    let mut command = &mut tree;
    for name in &args.topic {
        command = command.find_subcommand_mut(name).ok_or_else(|| {
            let hint = match synonyms::command(name) {
                Some(meant) => format!("use `mediactl help {meant}`"),
                None => "`mediactl help` shows all commands".to_owned(),
            };
            CliError::usage(format!("there is no command `{name}`"), hint)
        })?;
    }
    output(command.print_long_help())?;
    Ok(Exit::Done)
}
