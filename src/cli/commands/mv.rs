//! `mediactl mv`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::mv::MvArgs;
use crate::cli::assignments::substitution_of;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use mediaconf::edit::assign::AssignOptions;
use mediaconf::edit::block_request::{BlockContent, BlockPlace, BlockRequest};
use mediaconf::edit::renaming::Renaming;
use mediaconf::edit::request::ChangeRequest;

pub fn run(args: &MvArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let request = request(args)?;
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("mv").of(&request);
    change.run(global, ui, |service, options| service.modify(&request, options))
}

fn request(args: &MvArgs) -> Result<ChangeRequest, CliError> {
    if let Some(substitution) = &args.replace {
        let by = substitution_of("--replace", substitution)?;
        return Ok(Renaming { from: input::value_path(&args.from)?, by }.into());
    }
    Ok(ChangeRequest::from(BlockRequest {
        content: BlockContent::Moved(input::value_path(&args.from)?),
        to: input::value_path(args.to.as_deref().unwrap_or_default())?,
        place: BlockPlace::Usual,
        assignments: Vec::new(),
        options: AssignOptions::default(),
    }))
}
