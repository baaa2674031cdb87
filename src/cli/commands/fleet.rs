//! `mediactl fleet`: what became of a change on several servers that was interrupted, and how it ends.

use clap::{Args, Subcommand};

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::shared::ListFormat;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::fleet::answers::ServerAnswer;
use crate::cli::fleet::journal::{Journal, Journals, KeptRequest};
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::results::{self, ResultForm, ServerOutcome, ServerResult, exit_of_each, outcome_of};
use crate::cli::fleet::unfinished::{self, ServerNow, Unfinished, look};
use crate::cli::interrupt::HeldSignals;
use crate::cli::invocation::Invocation;
use crate::cli::local_user::local_user;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::engine::{
    ChangeOptions, ConfigSource, Decision, ErrorKind, Expected, GUARD_NAMES, Guard, RequestedChange,
};
use crate::store::{ChangeRef, Revision, WHOLE_HISTORY};

/// Finish a change on several servers that was interrupted, or take it back
///
/// A change on several servers has a journal in `~/.local/state/mediactl` (or below XDG_STATE_HOME), which is
/// removed when the change is made everywhere or nowhere. Where it stands on some servers only, it says what
/// stands where.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mediactl fleet status
  mediactl fleet resume
  mediactl fleet resume --take-back")]
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
    /// server that waits for the confirmation is confirmed.
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
    #[arg(long)]
    pub take_back: bool,

    /// Answer yes to the question
    #[arg(short, long)]
    pub yes: bool,

    /// How to print the result
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

pub fn run(args: &FleetCommandArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, ui, .. } = call;
    if global.chosen.names_server() {
        return Err(CliError::fleet_with_target());
    }
    match &args.command {
        FleetCommand::Status { output } => unfinished::status(*output, global, ui),
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

/// The journal with this name, or the only one.
fn chosen(id: Option<&str>) -> Result<Journal, CliError> {
    let Journals { unfinished: mut journals, damaged } = Journals::read()?;
    let is_meant = |name: &str| id.map_or(journals.is_empty(), |id| id == name);
    if let Some((_, error)) = damaged.into_iter().find(|(name, _)| is_meant(name)) {
        return Err(error);
    }
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
    if !args.yes {
        agree(args, &journal, global, ui)?;
    }
    let mut unfinished = Unfinished::open(&journal, global, ui)?;
    let servers = journal.head.servers.clone();
    let work = |member: &mut FleetMember| {
        let revisions = Unfinished::revisions(&servers, &member.name)?;
        match args.take_back {
            true => take_back(member, revisions, &journal),
            false => finish(member, revisions, &journal),
        }
    };
    let held = HeldSignals::hold();
    let answers = unfinished.fleet.ask_while("resume", &|| held.received().is_none(), work);
    let result = |ServerAnswer { server, result }: ServerAnswer<Option<ServerOutcome>>| {
        let (outcome, error) = match result {
            Ok(outcome) => (outcome.unwrap_or(ServerOutcome::NotChanged), None),
            Err(error) => (outcome_of(&error), Some(error)),
        };
        ServerResult { server, outcome, error, lines: [0, 0], change: None }
    };
    let results: Vec<ServerResult> = unfinished.with_missing(answers).into_iter().map(result).collect();
    let form = if args.output == ListFormat::Json { ResultForm::Json } else { ResultForm::Table };
    let printed = results::print(&results, form, ui);
    let is_open =
        |result: &ServerResult| result.error.is_some() || result.outcome == ServerOutcome::NotChanged;
    if !results.iter().any(is_open) {
        journal.finish()?;
    }
    printed?;
    Ok(match held.received() {
        Some(signal) if results.iter().any(is_open) => ErrorKind::Interrupted { signal }.into(),
        _ => exit_of_each(&results),
    })
}

/// Shows the configuration of each server, and asks whether to go on.
fn agree(args: &ResumeArgs, journal: &Journal, global: &GlobalArgs, ui: Ui) -> Result<(), CliError> {
    unfinished::print(journal, &Unfinished::open(journal, global, ui)?.states(ui), ui)?;
    let what = if args.take_back { "take the change back" } else { "make the change" };
    let question = format!("{what} on {} servers?", journal.head.servers.len());
    match prompts::confirm(&question).map_err(CliError::prompt_failed)? {
        Some(true) => Ok(()),
        answer => Err(CliError::not_agreed(answer, "`--yes` agrees")),
    }
}

fn finish(
    member: &mut FleetMember,
    texts: [Revision; 2],
    journal: &Journal,
) -> Result<ServerOutcome, CliError> {
    match look(member, texts)? {
        ServerNow::After(None) => Ok(ServerOutcome::Unchanged),
        ServerNow::After(Some(pending)) => {
            member.target.service.decide(Decision::Keep, Some(&pending.id), "")?;
            Ok(ServerOutcome::Confirmed)
        }
        ServerNow::Before => make_again(member, texts, journal).map(|()| ServerOutcome::Changed),
        ServerNow::Other => Err(CliError::changed_otherwise(&member.name)),
    }
}

fn take_back(
    member: &mut FleetMember,
    texts: [Revision; 2],
    journal: &Journal,
) -> Result<ServerOutcome, CliError> {
    match look(member, texts)? {
        ServerNow::Before => Ok(ServerOutcome::Unchanged),
        ServerNow::After(Some(pending)) => {
            member.target.service.decide(Decision::RollBack, Some(&pending.id), "")?;
            Ok(ServerOutcome::TakenBack)
        }
        ServerNow::After(None) => {
            let [before, after] = texts;
            let options = options([after, before], journal, "take-back of");
            go_to(member, before, &journal.request()?.requested, &options).map(|()| ServerOutcome::TakenBack)
        }
        ServerNow::Other => Err(CliError::changed_otherwise(&member.name)),
    }
}

/// Makes the change on a server that runs the text before it, if that comes to the same text as when it began.
fn make_again(member: &mut FleetMember, texts: [Revision; 2], journal: &Journal) -> Result<(), CliError> {
    let KeptRequest { requested, owner, skip_included } = journal.request()?;
    let options = ChangeOptions { owner, skip_included, ..options(texts, journal, "the rest of") };
    if let RequestedChange::Rollback(_) = requested {
        // What the number stands for there may be another text by now.
        return go_to(member, texts[1], &requested, &options);
    }
    let service = &*member.target.service;
    let rehearsed = service.change(&requested, &ChangeOptions { dry_run: true, ..options.clone() })?;
    if rehearsed.after != Some(texts[1]) {
        return Err(CliError::changed_otherwise(&member.name));
    }
    service.change(&requested, &options)?;
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
            Some(RequestedChange::Update(found.bytes().to_vec().into())).filter(|_| found.revision() == text)
        }
        (_, kept) => kept.map(RequestedChange::Rollback),
    };
    let going = going.ok_or_else(|| CliError::text_not_kept(&member.name))?;
    member.target.service.change(&going, options)?;
    Ok(())
}

/// The options of a change of the first text. The guards were answered when the change began.
fn options([from, _]: [Revision; 2], journal: &Journal, what: &str) -> ChangeOptions {
    let head = &journal.head;
    let reason = head.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
    ChangeOptions {
        by: local_user(),
        message: Some(format!("{what} a {} of several servers{reason}", head.operation)),
        expected: Some(Expected::OneOf(vec![from])),
        accepted: GUARD_NAMES.iter().filter_map(|(name, _)| Guard::named(name)).collect(),
        max_delete: Some(usize::MAX),
        takes_faults: true,
        ..ChangeOptions::default()
    }
}
