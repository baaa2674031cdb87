//! `mediactl save`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::save::SaveArgs;
use crate::cli::commands::change::replace;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::remote::Replacement;
use crate::cli::ui::Ui;

/// Runs the command.
pub fn run(args: &SaveArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    replace(&args.file, &args.changing, global, ui, Replacement::Save)
}
