//! `mediactl fleet`: what became of a change on several servers that was interrupted, and how it ends.

use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args, Subcommand};

use crate::cli::args::changing::BatchArgs;
use crate::cli::args::shared::ListFormat;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::fleet::answers::ServerAnswer;
use crate::cli::fleet::batches::{pause, why_stopped};
use crate::cli::fleet::found::{self, PartNow};
use crate::cli::fleet::journal::{Journal, JournalHead, Journals, KeptRequest};
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::open_change::{OpenChange, ServerNow, look};
use crate::cli::fleet::results::{self, ResultForm, ServerOutcome, ServerResult, exit_of_each, outcome_of};
use crate::cli::fleet::unfinished::{self, Unfinished};
use crate::cli::interrupt::HeldSignals;
use crate::cli::invocation::Invocation;
use crate::cli::local_user::local_user;
use crate::cli::prompts;
use crate::cli::target::Purpose;
use crate::cli::ui::Ui;
use crate::engine::{
    ChangeOptions, ConfigSource, Decision, ErrorKind, Expected, GUARD_NAMES, Guard, RequestedChange,
};
use crate::store::{ChangeRef, NamedChange, Revision, WHOLE_HISTORY, message_because};

/// Finish a change on several servers that was interrupted, or take it back
///
/// A change on several servers has a journal in `~/.local/state/mediactl` (or below XDG_STATE_HOME), which is
/// removed when the change is made everywhere or nowhere. Where it stands on some servers only, it says what
/// stands where.
///
/// From another machine, name the servers: what waits on them to be confirmed says which change it belongs to, who
/// began it, and when.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mediactl fleet status
  mediactl fleet resume
  mediactl fleet resume --take-back
  mediactl -x 'edge-*' fleet status")]
pub struct FleetCommandArgs {
    #[command(subcommand)]
    pub command: FleetCommand,
}

#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Show which changes are unfinished, and what stands on each server now
    ///
    /// The exit code is 1 if there is one, otherwise 0.
    Status {
        /// How to print it
        #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
        output: ListFormat,
    },
    /// Make the change on the servers that do not have it yet
    ///
    /// Each server makes the change, if it still runs the text before it and comes to the text that was shown. A
    /// server that waits for the confirmation is confirmed. A change that was begun in batches goes on in the same ones, unless
    /// --batch or --max-fail say otherwise.
    Resume(ResumeArgs),
    /// Forget an unfinished change: its journal is removed, and no server is asked
    Forget {
        /// Which change [default: the only one]
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Which change, as `mediactl fleet status` shows it [default: the only one]
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// Take the change back where it stands instead
    #[arg(long, conflicts_with_all = ["batch", "pause", "max_fail"])]
    pub take_back: bool,

    /// Answer yes to the question
    #[arg(short, long)]
    pub yes: bool,

    /// How to print the result
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,

    #[command(flatten)]
    pub batching: BatchArgs,
}

pub fn run(args: &FleetCommandArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    match &args.command {
        FleetCommand::Status { output } => unfinished::status(*output, call),
        FleetCommand::Resume(args) => resume(args, call),
        FleetCommand::Forget { .. } if call.global.chosen.names_server() => {
            Err(CliError::forget_with_target())
        }
        FleetCommand::Forget { id } => {
            let id = forget(id.as_deref())?;
            call.ui.say(&format!("forgot the change {id}"));
            Ok(Exit::Done)
        }
    }
}

/// Removes the journal with this name, or the only one, or a request without a journal.
fn forget(id: Option<&str>) -> Result<String, CliError> {
    let Journals { unfinished, damaged, mut lost, .. } = Journals::read()?;
    let is_meant = |name: &str| id.map_or(unfinished.is_empty() && damaged.is_empty(), |id| id == name);
    lost.retain(|lost| is_meant(&lost.id));
    // The journals are locked until they are dropped.
    drop(unfinished);
    if lost.is_empty() {
        let journal = kept(id)?;
        let id = journal.id.clone();
        journal.finish()?;
        return Ok(id);
    }
    let lost = one(lost, |lost| &lost.id, id)?;
    let id = lost.id.clone();
    lost.finish()?;
    Ok(id)
}

/// The journal with this name, or the only one.
fn kept(id: Option<&str>) -> Result<Journal, CliError> {
    let Journals { unfinished: journals, damaged, lost, under_way } = Journals::read()?;
    if let Some(id) = under_way.iter().find(|name| Some(name.as_str()) == id) {
        return Err(CliError::under_way(id));
    }
    let is_meant = |name: &str| id.map_or(journals.is_empty(), |id| id == name);
    if let Some((_, error)) = damaged.into_iter().find(|(name, _)| is_meant(name)) {
        return Err(error);
    }
    if let Some(lost) = lost.iter().find(|lost| is_meant(&lost.id)) {
        return Err(CliError::lost_journal(lost));
    }
    let meant = journals.into_iter().filter(|journal| id.is_none_or(|id| journal.id == id));
    one(meant.collect(), |journal| &journal.id, id)
}

/// The only one of several changes.
fn one<T>(mut changes: Vec<T>, name: impl Fn(&T) -> &str, id: Option<&str>) -> Result<T, CliError> {
    if changes.len() > 1 {
        let ids: Vec<&str> = changes.iter().map(name).collect();
        let hint = format!("name one: {}", ids.join(", "));
        return Err(CliError::usage("several changes are unfinished", hint));
    }
    changes.pop().ok_or_else(|| CliError::no_journal(id))
}

/// The change that is meant: by the journals of this machine, or by the servers that are named.
fn chosen(id: Option<&str>, call: Invocation<'_>) -> Result<Unfinished, CliError> {
    let Invocation { global, ui, .. } = call;
    if !global.chosen.names_server() {
        return Unfinished::open(kept(id)?.into(), global, ui);
    }
    let mut fleet = call.fleet(Purpose { is_agreed: true, changes: true, ..Purpose::default() })?;
    let found = found::on_servers(&mut fleet, id)?;
    let (change, _) = one(found.list, |(change, _)| &change.id, id)?;
    Ok(Unfinished::on(fleet, change))
}

fn resume(args: &ResumeArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let ui = call.ui;
    let mut unfinished = chosen(args.id.as_deref(), call)?;
    if !args.yes {
        agree(args, &mut unfinished, ui)?;
    }
    let held = HeldSignals::hold();
    let answers = match args.take_back {
        // What can be taken back is, whatever fails.
        true => unfinished.ask("resume", &|| held.received().is_none(), take_back),
        false => finish_in_batches(&args.batching, &mut unfinished, &held, ui),
    };
    let result = |ServerAnswer { server, result }: ServerAnswer<Option<ServerOutcome>>| {
        let (outcome, error) = match result {
            Ok(outcome) => (outcome.unwrap_or(ServerOutcome::NotChanged), None),
            Err(error) => (outcome_of(&error), Some(error)),
        };
        ServerResult { server, outcome, error, lines: [0, 0], change: None }
    };
    let results: Vec<ServerResult> = answers.into_iter().map(result).collect();
    let form = if args.output == ListFormat::Json { ResultForm::Json } else { ResultForm::Table };
    let printed = results::print(&results, form, ui);
    let is_open =
        |result: &ServerResult| result.error.is_some() || result.outcome == ServerOutcome::NotChanged;
    let is_done = !results.iter().any(is_open);
    if let Some(journal) = unfinished.change.journal.filter(|_| is_done) {
        journal.finish()?;
    }
    printed?;
    Ok(match held.received() {
        Some(signal) if !is_done => ErrorKind::Interrupted { signal }.into(),
        _ => exit_of_each(&results),
    })
}

/// Makes the change where it is missing, in the batches that are given, or in which it was begun.
fn finish_in_batches(
    given: &BatchArgs,
    unfinished: &mut Unfinished,
    held: &HeldSignals,
    ui: Ui,
) -> Vec<ServerAnswer<Option<ServerOutcome>>> {
    let JournalHead { batching, servers, .. } = &unfinished.change.head;
    let (batching, all) = (if given.is_given() { given } else { batching }.clone(), servers.len());
    let (failed, most) = (AtomicUsize::new(0), batching.most_failures(all));
    let goes_on = || held.received().is_none() && failed.load(Ordering::SeqCst) <= most;
    let between = || pause(batching.pause.unwrap_or_default(), held);
    let work = |member: &mut FleetMember, change: &OpenChange| {
        let finished = finish(member, change);
        failed.fetch_add(usize::from(finished.is_err()), Ordering::SeqCst);
        finished
    };
    let answers = unfinished.ask_in_batches("resume", &batching.batch, &between, &goes_on, work);
    let left = answers.iter().filter(|answer| matches!(answer.result, Ok(None))).count();
    let failed = failed.into_inner();
    if failed > most && left > 0 {
        ui.note(&why_stopped(failed, all, left));
    }
    answers
}

/// Shows the configuration of each server, and asks whether to go on.
fn agree(args: &ResumeArgs, unfinished: &mut Unfinished, ui: Ui) -> Result<(), CliError> {
    let states = unfinished.states(ui);
    unfinished.change.print(&states, ui)?;
    let what = if args.take_back { "take the change back" } else { "make the change" };
    let question = format!("{what} on {} servers?", unfinished.change.head.servers.len());
    match prompts::confirm(&question).map_err(CliError::prompt_failed)? {
        Some(true) => Ok(()),
        answer => Err(CliError::not_agreed(answer, "`--yes` agrees")),
    }
}

fn finish(member: &mut FleetMember, change: &OpenChange) -> Result<ServerOutcome, CliError> {
    let lacks_it = || CliError::begun_elsewhere(&member.name, change.head.message.as_deref());
    match (look(member, change)?, &change.journal) {
        (ServerNow::After(None), _) => Ok(ServerOutcome::Unchanged),
        (ServerNow::After(Some(pending)), _) => {
            member.target.service.decide(Decision::Keep, Some(&pending.id), "")?;
            Ok(ServerOutcome::Confirmed)
        }
        (ServerNow::Before, Some(journal)) => {
            let texts = change.revisions(member)?.ok_or_else(lacks_it)?;
            make_again(member, texts, journal).map(|()| ServerOutcome::Changed)
        }
        (ServerNow::Before, None) | (ServerNow::Without, _) => Err(lacks_it()),
        (ServerNow::Other, None) if stands(member, change)? => Ok(ServerOutcome::Unchanged),
        (ServerNow::Other, _) => Err(CliError::changed_otherwise(&member.name, change.journal.is_some())),
    }
}

/// True if a server has a change that another machine began, by its history.
fn stands(member: &FleetMember, change: &OpenChange) -> Result<bool, CliError> {
    let history = member.target.service.history(WHOLE_HISTORY)?;
    Ok(found::part_now(&history, &change.id) == Some(PartNow::Stands))
}

fn take_back(member: &mut FleetMember, change: &OpenChange) -> Result<ServerOutcome, CliError> {
    match (look(member, change)?, &change.journal) {
        // There is nothing to take back.
        (ServerNow::Before | ServerNow::Without, _) => Ok(ServerOutcome::Unchanged),
        (ServerNow::After(Some(pending)), _) => {
            member.target.service.decide(Decision::RollBack, Some(&pending.id), "")?;
            Ok(ServerOutcome::TakenBack)
        }
        (ServerNow::After(None), Some(journal)) => {
            let lacks_it = || CliError::begun_elsewhere(&member.name, change.head.message.as_deref());
            let [before, after] = change.revisions(member)?.ok_or_else(lacks_it)?;
            let options = options([after, before], journal, true);
            go_to(member, before, &journal.request()?.requested, &options).map(|()| ServerOutcome::TakenBack)
        }
        (_, None) if !stands(member, change)? => Ok(ServerOutcome::Unchanged),
        (_, None) => {
            let options = ChangeOptions { by: local_user(), ..ChangeOptions::default() };
            member.target.service.change(RequestedChange::TakeBack(change.id.clone()), &options)?;
            Ok(ServerOutcome::TakenBack)
        }
        (ServerNow::Other, Some(_)) => Err(CliError::changed_otherwise(&member.name, true)),
    }
}

/// Makes the change on a server that runs the text before it, if that comes to the same text as when it began.
fn make_again(member: &mut FleetMember, texts: [Revision; 2], journal: &Journal) -> Result<(), CliError> {
    let KeptRequest { requested } = journal.request()?;
    let options = options(texts, journal, false);
    if let RequestedChange::Rollback(_) = requested {
        // What the number stands for there may be another text by now.
        return go_to(member, texts[1], &requested, &options);
    }
    let service = &*member.target.service;
    let rehearsed =
        service.change(requested.by_ref(), &ChangeOptions { dry_run: true, ..options.clone() })?;
    if rehearsed.after != Some(texts[1]) {
        return Err(CliError::changed_otherwise(&member.name, true));
    }
    service.change(requested, &options)?;
    Ok(())
}

/// Makes a text the configuration that is in the history of a server, or in its file: of what an `update` replaced,
/// the running one alone.
fn go_to(
    member: &mut FleetMember,
    text: Revision,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<(), CliError> {
    let service = &*member.target.service;
    let kept = service.history(WHOLE_HISTORY)?.into_iter().find(|entry| entry.before == Some(text));
    let kept = kept.map(|entry| ChangeRef::Serial(entry.serial));
    let going = match (requested, kept) {
        (RequestedChange::Update(_), kept) => {
            let found = match kept {
                Some(kept) => service.kept(kept)?,
                None => member.target.read_text(Some(ConfigSource::Saved))?,
            };
            Some(RequestedChange::Update(found.shared_bytes().clone())).filter(|_| found.revision() == text)
        }
        (_, Some(kept)) if service.kept(kept)?.revision() == text => Some(RequestedChange::Rollback(kept)),
        // It is not kept, or another program wrote into it late.
        _ => None,
    };
    let going = going.ok_or_else(|| CliError::text_not_kept(&member.name))?;
    member.target.service.change(going, options)?;
    Ok(())
}

/// The options of a change of the first text. The guards were answered when the change began.
fn options([from, _]: [Revision; 2], journal: &Journal, takes_back: bool) -> ChangeOptions {
    let JournalHead { operation, message, .. } = &journal.head;
    let message = message.as_deref().unwrap_or_default();
    let what = format!("a {operation} of several servers");
    let message = match NamedChange::of(message) {
        // What takes a change back is not a part of it.
        Some(NamedChange { reason, name, .. }) if takes_back => {
            message_because(&format!("take-back of change {name}, {what}"), Some(reason))
        }
        _ if takes_back => message_because(&format!("take-back of {what}"), Some(message)),
        _ => message_because(&format!("the rest of {what}"), Some(message)),
    };
    ChangeOptions {
        by: local_user(),
        message: Some(message),
        expected: Some(Expected::OneOf(vec![from])),
        accepted: GUARD_NAMES.iter().filter_map(|(name, _)| Guard::named(name)).collect(),
        max_delete: Some(usize::MAX),
        takes_faults: true,
        ..ChangeOptions::default()
    }
}
