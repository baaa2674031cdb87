//! `mediactl rollback`

use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::rollback::RollbackArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::context;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::{ConfigService, ServiceError};
use crate::store::{ChangeRef, HistoryEntry};
use mediaconf::syntax::one_line;

pub fn run(args: &RollbackArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let change = ChangeCommand::new(&args.changing, Verb::ROLL_BACK);
    let is_silent = AtomicBool::new(args.changing.quiet || context::several_chosen(global));
    change.run(global, ui, |service, options| {
        let Some(entry) = entry(service, args.which)? else { return service.rollback(args.which, options) };
        if !is_silent.swap(true, Ordering::Relaxed) {
            ui.note(&in_words(&entry));
        }
        // By its serial: another change would shift the number that counts back.
        service.rollback(ChangeRef::Serial(entry.serial), options)
    })
}

/// The change that is meant, if the history has it.
fn entry(service: &mut dyn ConfigService, which: ChangeRef) -> Result<Option<HistoryEntry>, ServiceError> {
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
