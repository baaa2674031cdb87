//! `mediactl rollback`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::rollback::RollbackArgs;
use crate::cli::commands::change::{Printing, Verb, follow_up, with_guards};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::remote;
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;

/// Runs the command.
pub fn run(args: &RollbackArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let changing = &args.changing;
    let target = target::resolve(global, changing.into(), ui)?;
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
