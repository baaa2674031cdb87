//! `mediactl save`

use std::path::PathBuf;

use super::change::replace;
use super::error::CliError;
use super::exit::Exit;
use super::options::{Changing, Global};
use super::remote::Replacement;
use super::ui::Ui;

/// Replace the configuration file with exactly the given text
///
/// The text is checked first; if it has errors, nothing is written. If the configuration file is
/// missing, it is made, with mode 0640.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl save new.conf --dry-run
  mediactl save new.conf
  mediactl --conf media.conf save - < new.conf")]
pub struct Args {
    /// The new configuration; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    changing: Changing,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    replace(&args.file, &args.changing, global, ui, Replacement::Save)
}
