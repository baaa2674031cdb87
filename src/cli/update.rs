//! `mediactl update`

use std::path::PathBuf;

use super::error::CliError;
use super::exit::Exit;
use super::input;
use super::modify::{Printing, Verb, with_guards};
use super::options::{Changing, Global};
use super::ui::Ui;

/// Replace the running configuration of a server, and leave its file alone
///
/// Without a running server there is nothing to replace: the command is refused, and the exit code
/// is 7. `mediactl save` replaces the file.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The new configuration; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    changing: Changing,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let text = input::read(&args.file)?;
    let engine = args.changing.engine(global)?;
    let change = with_guards(&args.changing, ui, |request| Ok(engine.update(request, &text)?))?;
    Printing { changing: &args.changing, global, ui, json: false, verb: Verb::UPDATE }.report(&change)
}
