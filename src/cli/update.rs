//! `mediactl update`

use std::path::PathBuf;

use super::change::replace;
use super::error::CliError;
use super::exit::Exit;
use super::options::{Changing, Global};
use super::remote::Replacement;
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
    replace(&args.file, &args.changing, global, ui, Replacement::Update)
}
