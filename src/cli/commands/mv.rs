//! `mediactl mv`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::mv::MvArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::edit::assign::AssignOptions;
use crate::edit::block_request::{BlockContent, BlockRequest};
use crate::edit::request::ChangeRequest;

pub fn run(args: &MvArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let request = ChangeRequest::from(BlockRequest {
        content: BlockContent::Moved(input::value_path(&args.from)?),
        to: input::value_path(&args.to)?,
        assignments: Vec::new(),
        options: AssignOptions::default(),
    });
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY);
    change.run(global, ui, |service, options| service.modify(&request, options))
}
