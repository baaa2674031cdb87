//! `mediactl rollback`

use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::args::changing::ChangeArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::context;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::{ConfigService, Refusal};
use crate::store::{ChangeRef, HistoryEntry};
use mediaconf::syntax::one_line;

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
    let change = ChangeCommand::new(&args.changing, Verb::ROLL_BACK);
    let is_silent = AtomicBool::new(args.changing.quiet || context::several_chosen(call.global));
    change.run(call, |service, options| {
        let Some(entry) = entry(service, args.which)? else { return service.rollback(args.which, options) };
        if !is_silent.swap(true, Ordering::Relaxed) {
            call.ui.note(&in_words(&entry));
        }
        // By its serial: another change would shift the number that counts back.
        service.rollback(ChangeRef::Serial(entry.serial), options)
    })
}

/// The change that is meant, if the history has it.
fn entry(service: &dyn ConfigService, which: ChangeRef) -> Result<Option<HistoryEntry>, Refusal> {
    let is_meant = |entry: &HistoryEntry| match which {
        ChangeRef::Back(number) => entry.number == Some(number),
        ChangeRef::Serial(serial) => entry.serial == serial,
    };
    Ok(service.history(which.entries())?.into_iter().find(is_meant))
}

/// Both numbers of a change: `1` and `#1` are seldom the same.
fn in_words(entry: &HistoryEntry) -> String {
    let back = entry.number.map_or(String::new(), |number| format!(" (`@{number}`)"));
    format!("back to the text before `#{}`{back}, {}", entry.serial, one_line(&entry.operation))
}
