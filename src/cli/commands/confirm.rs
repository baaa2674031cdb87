//! `mediactl confirm`

use serde_json::json;

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeFormat;
use crate::cli::args::global::ResultArgs;
use crate::cli::fleet::answers::ServerAnswer;
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::plan::{self, ServerOutcome, ServerResult, exit_of_each};
use crate::cli::render::report::in_words;
use crate::cli::target::Purpose;
use crate::engine::Decision;
use crate::error::{Error, Exit};
use crate::http::api::FAILED_NODES;
use crate::http::notes::word_of;

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
  mediactl confirm --rollback")]
pub struct ConfirmArgs {
    /// Roll the change back now
    #[arg(long, alias = "revert")]
    pub rollback: bool,

    /// Confirm although nodes of the cluster have failed (`failed-nodes`)
    #[arg(long, value_name = "NAME", value_parser = [FAILED_NODES], conflicts_with = "rollback")]
    pub accept: Option<String>,

    #[command(flatten)]
    pub result: ResultArgs,
}

impl ConfirmArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let purpose = Purpose { changes: true, ..Purpose::default() };
        let keep = if self.accept.is_some() { Decision::KeepThoughFailed } else { Decision::Keep };
        let (decision, done, outcome) = match self.rollback {
            true => (Decision::RollBack, "rolled back", ServerOutcome::TakenBack),
            false => (keep, "confirmed", ServerOutcome::Confirmed),
        };
        let work = |server: &mut FleetMember| server.target.service.decide(decision, None, "");
        let answers = call.fleet(purpose)?.gather("confirm", work)?;
        for (server, decided) in answers.found() {
            decided.notes.iter().for_each(|note| call.ui.note(&answers.named(server, &in_words(note))));
        }
        if let Some((name, decided)) = answers.one() {
            let notes: Vec<String> = decided.notes.iter().map(word_of).collect();
            let record = json!({ "result": done, "target": name, "notes": notes });
            call.ui.done(&format!("{done}: the last change of {name}"), &record)?;
            return Ok(Exit::Done);
        }
        let result = |ServerAnswer { server, result }| {
            let error = Result::err(result);
            let outcome = if error.is_some() { ServerOutcome::Refused } else { outcome };
            ServerResult::new(server, outcome, error)
        };
        let results: Vec<ServerResult> = answers.list.into_iter().map(result).collect();
        let form = if call.ui.json { ChangeFormat::Json } else { ChangeFormat::Diff };
        plan::print(&results, "confirm", form, self.result.quiet, call.ui)?;
        Ok(exit_of_each(&results))
    }
}
