//! `mediactl fleet`: what became of a change on several servers that was interrupted, and how it ends.

use serde_json::{Map, Value, json};

use super::journal::{Journal, JournalServer};
use super::members::{Fleet, FleetMember};
use super::results::{self, ResultForm, ServerResult, Standing, exit_of_each};
use super::tables::in_a_word;
use crate::cli::args::fleet::{FleetCommand, FleetCommandArgs, ResumeArgs};
use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::ListFormat;
use crate::cli::context::{ContextsFile, ServerContext};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::local_user::local_user;
use crate::cli::prompts;
use crate::cli::render::table;
use crate::cli::ui::Ui;
use crate::engine::{
    ChangeOptions, Decision, Expected, GUARD_NAMES, Guard, PendingInfo, Replaced, ServiceError,
};
use crate::store::Revision;

pub fn run(args: &FleetCommandArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    match &args.command {
        FleetCommand::Status { output } => status(*output, global, ui),
        FleetCommand::Resume(args) => resume(args, global, ui),
        FleetCommand::Forget { id } => {
            let journal = chosen(id.as_deref())?;
            let id = journal.id.clone();
            journal.finish()?;
            ui.say(&format!("forgot the change {id}"));
            Ok(Exit::Done)
        }
    }
}

/// What stands on a server now.
enum ServerNow {
    Before,
    /// The change, which waits to be confirmed if there is a pending one.
    After(Option<PendingInfo>),
    /// Something else.
    Other,
}

/// Looks at what a server runs.
fn look(member: &mut FleetMember, [before, after]: [Revision; 2]) -> Result<ServerNow, ServiceError> {
    let runs = member.target.read_text(None)?.revision();
    if runs != after {
        return Ok(if runs == before { ServerNow::Before } else { ServerNow::Other });
    }
    Ok(ServerNow::After(member.target.service.status()?.pending))
}

/// The servers of a journal, and their revisions in the same order.
fn open(journal: &Journal, global: &GlobalArgs, ui: Ui) -> Result<(Fleet, Vec<JournalServer>), CliError> {
    let file = ContextsFile::of_user_or_error()?;
    let find = |server: &JournalServer| file.find(&server.name);
    let contexts = journal.head.servers.iter().map(find).collect::<Result<Vec<ServerContext>, _>>()?;
    Ok((Fleet::open(contexts, global, ui)?, journal.head.servers.clone()))
}

fn revisions_of(servers: &[JournalServer], name: &str) -> Result<[Revision; 2], CliError> {
    let server = servers.iter().find(|server| server.name == name);
    server.and_then(|server| server.revisions).ok_or_else(|| CliError::not_resumable(name))
}

fn status(form: ListFormat, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let journals = Journal::unfinished()?;
    let mut records = Vec::new();
    for journal in &journals {
        let (mut fleet, servers) = open(journal, global, ui)?;
        let states = fleet.ask("status", |member| Ok(look(member, revisions_of(&servers, &member.name)?)?));
        let states: Vec<(String, String)> = states
            .into_iter()
            .map(|answer| {
                let state =
                    answer.result.as_ref().map_or_else(|error| in_a_word(error.kind).to_owned(), in_words);
                (answer.server, state)
            })
            .collect();
        let head = &journal.head;
        match form {
            ListFormat::Json => {
                let states: Map<String, Value> =
                    states.into_iter().map(|(server, state)| (server, state.into())).collect();
                records.push(json!({
                    "id": journal.id,
                    "at": head.at,
                    "operation": head.operation,
                    "message": head.message,
                    "all_or_nothing": head.all_or_nothing,
                    "servers": states,
                }));
            }
            ListFormat::Text => {
                let message = head.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
                ui.say(&format!("{}  {} at {}{message}", journal.id, head.operation, head.at));
                let headings = vec!["SERVER".to_owned(), "NOW".to_owned()];
                let rows = states.into_iter().map(|(server, state)| vec![server, state]);
                ui.print(|out| {
                    table::print(std::iter::once(headings).chain(rows).collect(), ui.screen(), out)
                })?;
            }
        }
    }
    match form {
        ListFormat::Json => ui.print_json(&records)?,
        ListFormat::Text if journals.is_empty() => ui.say("no change of several servers is unfinished"),
        ListFormat::Text => {}
    }
    Ok(if journals.is_empty() { Exit::Done } else { Exit::Different })
}

fn in_words(found: &ServerNow) -> String {
    match found {
        ServerNow::Before => "as before".to_owned(),
        ServerNow::After(None) => "changed".to_owned(),
        ServerNow::After(Some(pending)) => {
            format!("changed, waits to be confirmed: {} s left", pending.seconds_left)
        }
        ServerNow::Other => "changed otherwise since".to_owned(),
    }
}

/// The journal with this name, or the only one.
fn chosen(id: Option<&str>) -> Result<Journal, CliError> {
    let mut journals = Journal::unfinished()?;
    match id {
        Some(id) => journals.into_iter().find(|journal| journal.id == id),
        None if journals.len() > 1 => {
            let ids: Vec<&str> = journals.iter().map(|journal| &*journal.id).collect();
            return Err(CliError::usage(
                "several changes are unfinished",
                format!("name one: {}", ids.join(", ")),
            ));
        }
        None => journals.pop(),
    }
    .ok_or_else(|| CliError::no_journal(id))
}

fn resume(args: &ResumeArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let journal = chosen(args.id.as_deref())?;
    let (mut fleet, servers) = open(&journal, global, ui)?;
    let what = if args.take_back { "take the change back" } else { "make the change" };
    if !args.yes {
        let question = format!("{what} on {} servers?", servers.len());
        if prompts::confirm(&question).map_err(CliError::prompt_failed)? != Some(true) {
            return Err(CliError::not_agreed("nothing was changed"));
        }
    }
    let results = fleet.ask("resume", |member| {
        let revisions = revisions_of(&servers, &member.name)?;
        if args.take_back {
            take_back(member, revisions, &journal)
        } else {
            finish(member, revisions, &journal)
        }
    });
    let results: Vec<ServerResult> = results
        .into_iter()
        .map(|answer| {
            let (standing, error) = match answer.result {
                Ok(standing) => (standing, None),
                Err(error) => (Standing::Refused, Some(error)),
            };
            ServerResult { server: answer.server, standing, error, lines: [0, 0], change: None }
        })
        .collect();
    let form = if args.output == ListFormat::Json { ResultForm::Json } else { ResultForm::Table };
    results::print(&results, form, ui)?;
    if results.iter().all(|result| result.error.is_none()) {
        journal.finish()?;
    }
    Ok(exit_of_each(&results))
}

fn finish(
    member: &mut FleetMember,
    revisions: [Revision; 2],
    journal: &Journal,
) -> Result<Standing, CliError> {
    match look(member, revisions)? {
        ServerNow::After(None) => Ok(Standing::Unchanged),
        ServerNow::After(Some(pending)) => {
            member.target.service.decide(Decision::Keep, Some(&pending.id))?;
            Ok(Standing::Confirmed)
        }
        ServerNow::Before => replace(member, revisions, journal, "the rest of").map(|()| Standing::Changed),
        ServerNow::Other => Err(CliError::other_change(&member.name)),
    }
}

fn take_back(
    member: &mut FleetMember,
    [before, after]: [Revision; 2],
    journal: &Journal,
) -> Result<Standing, CliError> {
    match look(member, [before, after])? {
        ServerNow::Before => Ok(Standing::Unchanged),
        ServerNow::After(Some(pending)) => {
            member.target.service.decide(Decision::RollBack, Some(&pending.id))?;
            Ok(Standing::TakenBack)
        }
        ServerNow::After(None) => {
            replace(member, [after, before], journal, "take-back of").map(|()| Standing::TakenBack)
        }
        ServerNow::Other => Err(CliError::other_change(&member.name)),
    }
}

/// Replaces the text of one revision by that of the other. The guards were answered when the change began.
fn replace(
    member: &mut FleetMember,
    [from, to]: [Revision; 2],
    journal: &Journal,
    what: &str,
) -> Result<(), CliError> {
    let head = &journal.head;
    let reason = head.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
    let options = ChangeOptions {
        by: local_user(),
        message: Some(format!("{what} a {} of several servers{reason}", head.operation)),
        expected: Some(Expected::OneOf(vec![from])),
        accepted: GUARD_NAMES.iter().filter_map(|(name, _)| Guard::named(name)).collect(),
        max_delete: Some(usize::MAX),
        ..ChangeOptions::default()
    };
    let target = if head.operation == "update" { Replaced::Running } else { Replaced::File };
    member.target.service.replace(target, &journal.text(to)?, &options)?;
    Ok(())
}
