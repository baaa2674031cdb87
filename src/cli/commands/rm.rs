//! `mediactl rm`

use crate::cli::args::changing::ChangeArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::{ChangeReport, Guard};
use crate::error::{Error, Exit};
use mediaconf::{AssignOptions, AssignedValue, Assignment, ChangedValue, Path, Request};

/// Remove streams, or other values
///
/// This is `mediactl modify --unset` in short. On a terminal, what a `*` or --where removes is shown, and removed
/// after a question, which --yes answers. If more than a few streams match, they are not removed without one
/// anywhere; those that are named one by one are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl rm streams.cam1 streams.cam2
  mediactl rm 'streams.test*' --dry-run
  mediactl rm streams --where 'urls.url~10.0.3.'")]
pub struct RmArgs {
    /// What to remove, such as `streams.cam1`; `*` stands for any characters of a name
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<String>,

    /// Remove only entries that meet this condition, as in `mediactl modify`; may be given several times
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,

    /// Succeed if there is nothing to remove
    #[arg(long)]
    pub ignore_missing: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

pub fn run(args: &RmArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let removal =
        |text: &String| Ok(Assignment { path: input::value_path(text)?, value: AssignedValue::Remove });
    let accepts_near_miss = args.changing.force || args.changing.accept.contains(&Guard::NearMiss);
    let request = Request::assigning(
        args.paths.iter().map(removal).collect::<Result<_, Error>>()?,
        input::conditions(&args.conditions, accepts_near_miss)?,
        AssignOptions { ignore_missing: args.ignore_missing, ..AssignOptions::default() },
    );
    let mut change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("rm").with_request(&request);
    change.question.about = stands_for_many(&request, args).then_some(removed);
    change.run(call, request.into())
}

/// True if a path stands for what matches, which the user may not know.
fn stands_for_many(request: &Request, args: &RmArgs) -> bool {
    let is_group = |path: &Path| path.segments.len() == 1 && path.kind().is_some();
    !args.conditions.is_empty()
        || request.paths().iter().any(|path| path.first_pattern().is_some() || is_group(path))
}

/// Names the entries that a change removes.
fn removed(change: &ChangeReport) -> Option<String> {
    change.changed.then(|| format!("this removes {}", ChangedValue::paths_in_words(&change.values)))
}
