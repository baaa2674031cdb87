//! `mediactl rm`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::rm::RmArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::edit::assign::{AssignOptions, AssignedValue, Assignment};
use crate::edit::request::{ChangeRequest, Edits};

pub fn run(args: &RmArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let removal =
        |text: &String| Ok(Assignment { path: input::value_path(text)?, value: AssignedValue::Remove });
    let edits = Edits::Assignments {
        assignments: args.paths.iter().map(removal).collect::<Result<_, CliError>>()?,
        conditions: input::conditions(&args.conditions)?,
        options: AssignOptions { ignore_missing: args.ignore_missing, ..AssignOptions::default() },
    };
    let request = ChangeRequest { edits, expectations: Vec::new() };
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY);
    change.run(global, ui, |service, options| service.modify(&request, options))
}
