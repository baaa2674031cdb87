//! `mediactl rollback`

use crate::cli::args::changing::ChangeArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::RequestedChange;
use crate::error::{Error, Exit};
use crate::store::ChangeRef;

/// Make an earlier text the configuration again
///
/// A rollback is a new change like any other: it is checked first, and can be rolled back itself. 1 is the
/// text before the last change, so `mediactl rollback 1` undoes the last change.
///
/// Each change has an id, which `history -o json` shows. `--change` takes back what that change did, on each server that
/// has it, and keeps what was changed since; a server where the same lines were changed since is refused.
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
    #[arg(value_name = "N", required_unless_present = "change", conflicts_with = "change")]
    pub which: Option<ChangeRef>,

    /// Undo the changes of several servers even if they are different ones on each
    #[arg(long, conflicts_with = "change")]
    pub each: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

pub fn run(args: &RollbackArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let back = || args.which.map(RequestedChange::Rollback);
    let requested = args.changing.change.clone().map(RequestedChange::TakeBack).or_else(back);
    let requested = requested.expect("the parser requires one of them");
    let mut command = ChangeCommand::new(&args.changing, Verb::ROLL_BACK);
    // It names the change to take back, and not this one.
    command.options.id = None;
    ChangeCommand { each: args.each, ..command }.run(call, requested)
}
