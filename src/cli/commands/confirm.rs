//! `mediactl confirm`

use crate::cli::args::changing::ChangeFormat;
use crate::cli::fleet::answers::ServerAnswer;
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::plan::{self, ServerOutcome, ServerResult, exit_of_each};
use crate::cli::invocation::Invocation;
use crate::cli::render::report::in_words;
use crate::cli::target::Purpose;
use crate::engine::Decision;
use crate::error::{Error, Exit};

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

pub fn run(args: &ConfirmArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let purpose = Purpose { changes: true, is_agreed: args.yes, ..Purpose::default() };
    let (decision, done, outcome) = match args.revert {
        true => (Decision::RollBack, "rolled back", ServerOutcome::TakenBack),
        false => (Decision::Keep, "confirmed", ServerOutcome::Confirmed),
    };
    let work = |server: &mut FleetMember| server.target.service.decide(decision, None, "");
    let answers = call.fleet(purpose)?.gather("confirm", work)?;
    for (server, notes) in answers.found().filter(|_| !args.quiet) {
        let notes = notes.iter().map(|note| in_words(note, call.ui.masker().as_ref()));
        notes.for_each(|note| call.ui.note(&answers.named(server, &note)));
    }
    if let Some((name, _)) = answers.one() {
        if !args.quiet {
            call.ui.say(&format!("{done}: the last change of {name}"));
        }
        return Ok(Exit::Done);
    }
    let result = |ServerAnswer { server, result }| ServerResult {
        outcome: if result.is_ok() { outcome } else { ServerOutcome::Refused },
        error: result.err(),
        server,
        plan: None,
    };
    let results: Vec<ServerResult> = answers.list.into_iter().map(result).collect();
    plan::print(&results, ChangeFormat::Diff, args.quiet, call.ui)?;
    Ok(exit_of_each(&results))
}
