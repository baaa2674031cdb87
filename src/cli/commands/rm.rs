//! `mediactl rm`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::rm::RmArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::{ChangeReport, Guard};
use mediaconf::edit::assign::{AssignOptions, AssignedValue, Assignment};
use mediaconf::edit::json_diff::paths_in_words;
use mediaconf::edit::path::Path;
use mediaconf::edit::request::{ChangeRequest, Edits};
use mediaconf::edit::schema_path::Place;

pub fn run(args: &RmArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let removal =
        |text: &String| Ok(Assignment { path: input::value_path(text)?, value: AssignedValue::Remove });
    let accepts_near_miss = args.changing.force || args.changing.accept.contains(&Guard::NearMiss);
    let edits = Edits::Assignments {
        assignments: args.paths.iter().map(removal).collect::<Result<_, CliError>>()?,
        conditions: input::conditions(&args.conditions, accepts_near_miss)?,
        options: AssignOptions { ignore_missing: args.ignore_missing, ..AssignOptions::default() },
    };
    let request = ChangeRequest { edits, expectations: Vec::new() };
    let mut change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("rm").of(&request);
    change.question.about = stands_for_many(&request, args).then_some(removed);
    change.run(global, ui, |service, options| service.modify(&request, options))
}

/// Whether a path stands for what matches, which the user may not know.
fn stands_for_many(request: &ChangeRequest, args: &RmArgs) -> bool {
    let is_group = |path: &Path| matches!(Place::of(&path.segments), Ok(Place::Group(_)));
    !args.conditions.is_empty()
        || request.paths().iter().any(|path| path.first_pattern().is_some() || is_group(path))
}

/// Names what a change removes.
fn removed(change: &ChangeReport) -> Option<String> {
    change.changed.then(|| format!("this removes {}", paths_in_words(&change.values)))
}
