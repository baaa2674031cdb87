//! `mediactl rollback`

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::shared::change_name;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::RequestedChange;
use crate::store::ChangeRef;

/// Make an earlier text the configuration again
///
/// A rollback is a new change like any other: it is checked first, and can be rolled back itself. 1 is the
/// text before the last change, so `mediactl rollback 1` undoes the last change.
///
/// A change of several servers has a name, which the history of each notes (`change 7f3a90c2`). `--change` takes back what
/// that change did, wherever it is, and keeps what was changed since; a server where the same lines were changed since is
/// refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl history
  mediactl rollback 1 --dry-run
  mediactl rollback 1
  mediactl -x 'edge-*' rollback --change 7f3a90c2")]
pub struct RollbackArgs {
    /// Which text: counted back from the last change, or `serial:` and the `#` number of a change;
    /// `mediactl history` shows both
    #[arg(value_name = "N", required_unless_present = "change")]
    pub which: Option<ChangeRef>,

    /// Take back this change of several servers, and nothing else
    #[arg(long, value_name = "NAME", conflicts_with = "which", value_parser = change_name)]
    pub change: Option<String>,

    /// Undo the changes of several servers even if they are different ones on each
    #[arg(long, conflicts_with = "change")]
    pub each: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

pub fn run(args: &RollbackArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let back = || args.which.map(RequestedChange::Rollback);
    let requested = args.change.clone().map(RequestedChange::TakeBack).or_else(back);
    let requested = requested.expect("the parser requires one of them");
    let command = ChangeCommand::new(&args.changing, Verb::ROLL_BACK);
    ChangeCommand { each: args.each, ..command }.run(call, requested)
}
