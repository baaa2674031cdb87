//! `mediactl rollback`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::rollback::RollbackArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;

pub fn run(args: &RollbackArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let change = ChangeCommand::new(&args.changing, Verb::ROLL_BACK);
    change.run(global, ui, |service, options| service.rollback(args.which, options))
}
