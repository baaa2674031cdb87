//! `mediactl rollback`

use crate::cli::args::changing::ChangeArgs;
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
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl history
  mediactl rollback 1 --dry-run
  mediactl rollback 1")]
pub struct RollbackArgs {
    /// Which text: counted back from the last change, or `serial:` and the `#` number of a change;
    /// `mediactl history` shows both
    #[arg(value_name = "N")]
    pub which: ChangeRef,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

pub fn run(args: &RollbackArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    ChangeCommand::new(&args.changing, Verb::ROLL_BACK).run(call, &RequestedChange::Rollback(args.which))
}
