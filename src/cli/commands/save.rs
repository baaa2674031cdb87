//! `mediactl save`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::save::SaveArgs;
use crate::cli::commands::change::{ChangeCommand, replace};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::Replaced;

pub fn run(args: &SaveArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    replace(Replaced::File, &args.file, ChangeCommand::new(&args.changing, Verb::SAVE), global, ui)
}
