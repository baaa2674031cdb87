//! `mediactl rollback`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::rollback::RollbackArgs;
use crate::cli::commands::change::{change, report};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::remote;
use crate::cli::render::report::Verb;
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;

/// Runs the command.
pub fn run(args: &RollbackArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let changing = &args.changing;
    let target = target::resolve(global, changing.into(), ui)?;
    let name = target.name(global);
    let report = report(changing, Verb::ROLL_BACK, &name, ui);
    change(target, changing.options(), changing, &report, |target, options| match target {
        Target::Local(engine) => Ok(engine.rollback(args.which, options)?),
        Target::Remote(server) => remote::roll_back(server, args.which, options),
    })
}
