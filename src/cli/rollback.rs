//! `mediactl rollback`

use super::change::{Printing, Verb, follow_up, with_guards};
use super::error::CliError;
use super::exit::Exit;
use super::options::{Changing, Global};
use super::remote;
use super::target::{self, Target};
use super::ui::Ui;
use crate::store::ChangeRef;

/// Make an earlier text the configuration again
///
/// It is a new change, like any other: it is checked first, and it can be rolled back itself. 1 is the
/// text before the last change, so `mediactl rollback 1` undoes it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl history
  mediactl rollback 1 --dry-run
  mediactl rollback 1")]
pub struct Args {
    /// Which text: counted back from the last change, or `serial:` and the number of a change;
    /// `mediactl history` shows both
    #[arg(value_name = "N")]
    which: ChangeRef,

    #[command(flatten)]
    changing: Changing,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let changing = &args.changing;
    let target = target::resolve(global, changing.purpose(), ui)?;
    let name = target.name(global);
    let printing = Printing { changing, global, ui, json: false, verb: Verb::ROLL_BACK, target: name };
    match target {
        Target::Local(engine) => {
            changing.refuse_confirm()?;
            let change =
                with_guards(changing.request(), ui, |request| Ok(engine.rollback(request, args.which)?))?;
            printing.report(&change)
        }
        Target::Remote(mut server) => {
            let outcome = with_guards(changing.request(), ui, |request| {
                remote::roll_back(&mut server, args.which, request)
            })?;
            let exit = remote::report(&outcome, &printing)?;
            follow_up(&server, &outcome, &printing)?;
            Ok(exit)
        }
    }
}
