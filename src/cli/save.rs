//! `mediactl save`

use std::path::PathBuf;

use super::error::CliError;
use super::exit::Exit;
use super::input;
use super::modify::{Printing, Verb, with_guards};
use super::options::{Changing, Global};
use super::ui::Ui;

/// Replace the configuration file with exactly the given text
///
/// The text is checked first. The file is made, with mode 0640, if it is missing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The new configuration, `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    changing: Changing,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let text = input::read(&args.file)?;
    let engine = args.changing.engine(global)?;
    let change = with_guards(&args.changing, ui, |request| Ok(engine.save(request, &text)?))?;
    Printing { changing: &args.changing, global, ui, json: false, verb: Verb::SAVE }.report(&change)
}
