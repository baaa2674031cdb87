//! `mediactl cp`

use clap::ArgMatches;

use crate::cli::args::cp::CpArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::assignments::{GivenEdits, set, unset};
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::Guard;
use mediaconf::edit::assign::{AssignOptions, AssignedValue};
use mediaconf::edit::block_request::{BlockContent, BlockRequest};
use mediaconf::edit::request::ChangeRequest;

pub fn run(args: &CpArgs, matches: &ArgMatches, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("cp");
    let mut edits = GivenEdits::of(matches);
    edits.add("set", &args.set, &|[text]| set(text, AssignedValue::Typed))?;
    edits.add("unset", &args.unset, &|[path]| unset(path))?;
    let options = AssignOptions {
        one_word: change.options.accepts(&Guard::FormChange),
        near_misses: change.options.accepts(&Guard::NearMiss),
        ..AssignOptions::default()
    };
    let request = ChangeRequest::from(
        BlockRequest {
            content: BlockContent::Copied(input::value_path(&args.from)?),
            to: input::value_path(&args.to)?,
            place: (&args.place).into(),
            assignments: Vec::new(),
            options,
        }
        .with_edits(edits.in_order()),
    );
    change.of(&request).run(global, ui, |service, options| service.modify(&request, options))
}
