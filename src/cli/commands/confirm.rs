//! `mediactl confirm`

use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::invocation::Invocation;
use crate::cli::render::notes::in_words;
use crate::cli::target::{self, Purpose};
use crate::engine::Decision;

/// Keep a change that waits to be confirmed, or roll it back
///
/// The server rolls back a change made with --confirm unless this command confirms it in time. The command
/// needs the login and the password that are valid after the change, so a change that locks you out can't
/// be confirmed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl modify --set edit_auth.password --confirm 60s
  mediactl confirm
  mediactl confirm --revert")]
pub struct ConfirmArgs {
    /// Roll the change back now
    #[arg(long)]
    pub revert: bool,

    /// Do not ask, even if the context is protected
    #[arg(short, long)]
    pub yes: bool,

    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}

pub fn run(args: &ConfirmArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, ui, .. } = call;
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
