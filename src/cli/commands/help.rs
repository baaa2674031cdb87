//! `mediactl help`

use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::help;
use crate::cli::invocation::Invocation;

/// Explain a command, or the options of every command
///
/// `mediactl help COMMAND` says the same as `mediactl COMMAND --help`. `mediactl help options` explains the
/// options that every command has, and those of every change.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl help modify
  mediactl help context add
  mediactl help options")]
pub struct HelpArgs {
    /// The command, or `options` [default: an overview]
    #[arg(value_name = "COMMAND")]
    pub topic: Vec<String>,
}

/// The topic for the options of every command.
pub const OPTIONS: &str = "options";

/// Explains what the arguments name, in a tree that has all commands.
pub fn run(args: &HelpArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let mut tree = (call.tree)();
    let text = match &args.topic[..] {
        [only] if only == OPTIONS => help::options(),
        names => {
            tree.build();
            let command = names.iter().try_fold(&mut tree, |command, name| {
                command.find_subcommand_mut(name).ok_or_else(|| no_command(name, call.meant))
            })?;
            help::long(command)
        }
    };
    call.ui.print(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Done)
}

fn no_command(name: &str, meant: fn(&str) -> Option<String>) -> CliError {
    let hint = match meant(name) {
        Some(meant) => format!("use `mediactl help {meant}`"),
        None => "`mediactl help` shows all commands".to_owned(),
    };
    CliError::usage(format!("there is no command `{name}`"), hint)
}
