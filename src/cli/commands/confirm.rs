//! `mediactl confirm`

use crate::cli::args::confirm::ConfirmArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::notes::in_words;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::engine::Decision;

pub fn run(args: &ConfirmArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let purpose = Purpose { changes: true, is_agreed: args.yes, ..Purpose::default() };
    let mut service = target::resolve(global, purpose, ui)?.service;
    let (decision, done) = match args.revert {
        true => (Decision::RollBack, "rolled back"),
        false => (Decision::Keep, "confirmed"),
    };
    let notes = service.decide(decision, None)?;
    if !args.quiet {
        notes.iter().for_each(|note| ui.note(&in_words(note, ui.masker().as_ref())));
        ui.say(&format!("{done}: the last change of {}", service.name()));
    }
    Ok(Exit::Done)
}
