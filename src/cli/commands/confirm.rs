//! `mediactl confirm`

use crate::cli::args::confirm::ConfirmArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::remote::Decision;
use crate::cli::render::notes::in_words;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{EngineError, Hooks};

/// Runs the command.
pub fn run(args: &ConfirmArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let purpose = Purpose::Change { hooks: Hooks::default(), keep: None };
    let target = target::resolve(global, purpose, ui)?;
    let name = target.name(global);
    // Of a file without a server nothing waits; what waited is taken back when one starts.
    let Target::Remote(mut server) = target else { return Err(EngineError::NothingPending.into()) };
    let id = server.pending()?.ok_or(EngineError::NothingPending)?;
    let (decision, what) =
        if args.revert { (Decision::TakeBack, "taken back") } else { (Decision::Keep, "confirmed") };
    let notes = server.decide(&id, decision)?;
    if !args.quiet {
        notes.iter().for_each(|note| ui.note(&in_words(note, ui.masker().as_ref())));
        ui.say(&format!("{what}: the last change of {name}"));
    }
    Ok(Exit::Done)
}
