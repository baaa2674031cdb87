//! `mediactl confirm` on several servers.

use super::members::{Fleet, ServerAnswer};
use super::results::{ResultForm, ServerResult, Standing, exit_of_each, print};
use crate::cli::commands::confirm::ConfirmArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::notes::in_words;
use crate::engine::{Decision, OutcomeNote};

/// Keeps the change that waits on each server, or rolls it back.
pub fn run(args: &ConfirmArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let ui = fleet.ui;
    let (decision, standing) = match args.revert {
        true => (Decision::RollBack, Standing::TakenBack),
        false => (Decision::Keep, Standing::Confirmed),
    };
    let answers = fleet.ask("confirm", |member| Ok(member.target.service.decide(decision, None)?));
    let result = |ServerAnswer { server, result }: ServerAnswer<Vec<OutcomeNote>>| {
        let (standing, error) = match result {
            Ok(notes) => {
                notes.iter().filter(|_| !args.quiet).for_each(|note| {
                    ui.note(&format!("{server}: {}", in_words(note, ui.masker().as_ref())));
                });
                (standing, None)
            }
            Err(error) => (Standing::Refused, Some(error)),
        };
        ServerResult { server, standing, error, lines: [0, 0], change: None }
    };
    let results: Vec<ServerResult> = answers.into_iter().map(result).collect();
    print(&results, if args.quiet { ResultForm::TableOfFaults } else { ResultForm::Table }, ui)?;
    Ok(exit_of_each(&results))
}
