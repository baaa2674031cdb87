//! `mediactl update`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::update::UpdateArgs;
use crate::cli::commands::change::{ChangeCommand, replace};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::Replaced;

pub fn run(args: &UpdateArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    replace(Replaced::Running, &args.file, ChangeCommand::new(&args.changing, Verb::UPDATE), global, ui)
}
