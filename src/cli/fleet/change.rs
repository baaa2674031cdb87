//! A change on several servers: it is evaluated everywhere, shown, agreed to, and made.

use std::time::{Duration, SystemTime};

use super::coordinator::FleetVerdict;
use super::journal::{FleetJournalLine, Journal, JournalHead, JournalServer};
use super::members::{Fleet, FleetMember, ServerAnswer};
use super::plan::{FleetChange, FleetPlan, Operation};
use super::results::{self, ServerResult, Standing, exit_of_each};
use super::together::{Ended, Together};
use super::verdict::exit_of;
use crate::cli::args::global::GlobalArgs;
use crate::cli::context::ServerContext;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::interrupt::HeldSignals;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::engine::{ChangeOptions, ErrorKind, Feature, Snapshot};

/// What a server needs to offer for a change that is made everywhere or nowhere.
const NEEDED: [Feature; 4] = [Feature::DryRun, Feature::IfMatch, Feature::Conf, Feature::Confirm];

/// How long each server waits to be confirmed, if the user does not say.
const DEFAULT_CONFIRM: Duration = Duration::from_secs(90);

/// How many requests to a server that hangs fit into the time to confirm.
const REQUESTS: u32 = 3;

/// Makes a change on the servers of these contexts.
pub fn run(
    change: &FleetChange<'_>,
    contexts: Vec<ServerContext>,
    global: &GlobalArgs,
    ui: Ui,
    operation: &Operation<'_>,
) -> Result<Exit, CliError> {
    let together = change.args.fleet.all_or_nothing;
    if !together {
        change.args.fleet.refuse_for_one()?;
    }
    let time = change.args.confirm.unwrap_or(DEFAULT_CONFIRM + change.args.fleet.canary_time);
    let mut global = global.clone();
    if together {
        // A server that hangs must not keep the others waiting until they go back.
        global.remote.most_time = Some((time / REQUESTS).max(Duration::from_secs(1)));
    }
    let protected: Vec<String> =
        contexts.iter().filter(|context| context.is_protected).map(|context| context.name.clone()).collect();
    refuse_unknown_canaries(change, &contexts)?;
    let mut fleet = Fleet::open(contexts, &global, ui)?;
    let plans = fleet.ask("evaluate", |member| {
        if together {
            member.target.service.demand(&NEEDED)?;
        }
        FleetPlan::of(member, change, operation)
    });
    change.print_summary(&plans, ui)?;
    let changing: Vec<usize> = (0..plans.len()).filter(|at| is_change(&plans[*at])).collect();
    let is_refused = plans.iter().any(|answer| answer.result.is_err());
    if change.args.dry_run || changing.is_empty() || (together && is_refused) {
        let results = not_made(plans, change, ui);
        results::print(&results, change.args.into(), ui)?;
        let exit = match together && is_refused {
            true => exit_of(0, &results.iter().filter_map(kind).collect::<Vec<_>>()),
            false => exit_of_each(&results),
        };
        return Ok(with_changes(exit, &results, change));
    }
    agree(change, changing.len(), plans.len(), &protected)?;
    let journal = begin_journal(change, &changing, &plans)?;
    if together {
        let names: Vec<&str> = changing.iter().map(|at| &*plans[*at].server).collect();
        let canaries = canaries(change, &names);
        let work = Together::new(&mut fleet, &plans, changing, canaries, (change, operation, time), journal);
        let Ended { verdict, journal, results: ended, signal } = work.run();
        let results = merged(plans, ended, change, ui);
        results::print(&results, change.args.into(), ui)?;
        let exit = match verdict {
            FleetVerdict::All => Exit::Done,
            FleetVerdict::None => match signal {
                Some(signal) => ErrorKind::Interrupted { signal }.into(),
                None => exit_of(0, &results.iter().filter_map(kind).collect::<Vec<_>>()),
            },
            FleetVerdict::Mixed => Exit::Partly,
        };
        end(journal, verdict == FleetVerdict::Mixed, ui);
        return Ok(with_changes(exit, &results, change));
    }
    each_for_itself(change, &mut fleet, plans, &changing, operation, journal)
}

/// Makes the change on each server, whatever becomes of it on the others.
fn each_for_itself(
    change: &FleetChange<'_>,
    fleet: &mut Fleet,
    plans: Vec<ServerAnswer<FleetPlan>>,
    changing: &[usize],
    operation: &Operation<'_>,
    mut journal: Journal,
) -> Result<Exit, CliError> {
    let ui = fleet.ui;
    let servers = changing.iter().map(|at| &*plans[*at].server).collect();
    journal.note(&FleetJournalLine::Step { step: "change", servers }).map_err(CliError::journal_failed)?;
    let held = HeldSignals::hold();
    let work = |at: usize, member: &mut FleetMember| -> Result<(), CliError> {
        let Ok(plan) = &plans[at].result else { return Ok(()) };
        let options = ChangeOptions { expected: change.expected(&plan.running), ..change.options.clone() };
        match operation(&mut *member.target.service, &options) {
            Ok(_) => Ok(()),
            Err(error) => Err(CliError::from(error).at(&member.name)),
        }
    };
    let line = |at: usize, result: &Result<(), CliError>| {
        let word = if result.is_ok() { "changed" } else { "not changed" };
        (!change.args.quiet).then(|| format!("{}: {word}", plans[at].server))
    };
    let made = fleet.on(changing, "change", &|| held.received().is_none(), work, line);
    let signal = held.received();
    drop(held);
    let ended: Vec<(usize, Standing, Option<CliError>)> = changing
        .iter()
        .zip(made)
        .map(|(at, made)| match made {
            None => (*at, Standing::NotChanged, None),
            Some(Ok(())) => (*at, Standing::Changed, None),
            Some(Err(error)) if error.kind == ErrorKind::Unknown => (*at, Standing::Unknown, Some(error)),
            Some(Err(error)) => (*at, Standing::Refused, Some(error)),
        })
        .collect();
    let is_open = ended.iter().any(|(_, standing, _)| *standing != Standing::Changed);
    let has_changed =
        ended.iter().any(|(_, standing, _)| matches!(standing, Standing::Changed | Standing::Unknown));
    let results = merged(plans, ended, change, ui);
    results::print(&results, change.args.into(), ui)?;
    end(journal, is_open && has_changed, ui);
    if let Some(time) = change.args.confirm.filter(|_| has_changed && !change.args.quiet) {
        ui.note(&format!(
            "in {} s each change is rolled back, unless `mediactl confirm` with the same servers keeps it",
            time.as_secs()
        ));
    }
    let exit = match signal {
        Some(signal) if is_open => ErrorKind::Interrupted { signal }.into(),
        _ => exit_of_each(&results),
    };
    Ok(with_changes(exit, &results, change))
}

/// Whether a change was evaluated, and changes something.
fn is_change(answer: &ServerAnswer<FleetPlan>) -> bool {
    answer.result.as_ref().is_ok_and(|plan| plan.outcome.is_change())
}

fn kind(result: &ServerResult) -> Option<ErrorKind> {
    result.error.as_ref().map(|error| error.kind)
}

fn with_changes(exit: Exit, results: &[ServerResult], change: &FleetChange<'_>) -> Exit {
    let is_change =
        |result: &ServerResult| matches!(result.standing, Standing::Changed | Standing::WouldChange);
    match exit == Exit::Done && change.args.exit_code && results.iter().any(is_change) {
        true => Exit::Changed,
        false => exit,
    }
}

/// How many servers are tried first, if they are not named.
fn canary_count(change: &FleetChange<'_>) -> Option<usize> {
    match &change.args.fleet.canary[..] {
        [] => Some(0),
        [only] => only.parse().ok(),
        _ => None,
    }
}

fn refuse_unknown_canaries(change: &FleetChange<'_>, contexts: &[ServerContext]) -> Result<(), CliError> {
    let is_known = |name: &String| contexts.iter().any(|context| context.name == *name);
    let unknown = change.args.fleet.canary.iter().find(|name| !is_known(name));
    match unknown.filter(|_| canary_count(change).is_none()) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<&str> = contexts.iter().map(|context| &*context.name).collect();
            let message = format!("`--canary {unknown}`: none of the servers has this name");
            Err(CliError::usage(message, format!("the servers are {}", names.join(", "))))
        }
    }
}

/// Which of the servers that change are tried first.
fn canaries(change: &FleetChange<'_>, changing: &[&str]) -> Vec<usize> {
    let named = |name: &str| change.args.fleet.canary.iter().any(|canary| canary == name);
    match canary_count(change) {
        Some(count) => (0..count.min(changing.len())).collect(),
        None => (0..changing.len()).filter(|at| named(changing[*at])).collect(),
    }
}

/// Asks whether the servers are to be changed.
fn agree(
    change: &FleetChange<'_>,
    changing: usize,
    all: usize,
    protected: &[String],
) -> Result<(), CliError> {
    if change.args.yes || change.args.force {
        return Ok(());
    }
    let protected = match protected {
        [] => String::new(),
        names => format!(" (protected: {})", names.join(", ")),
    };
    let question = format!("change {changing} of {all} servers{protected}?");
    match prompts::confirm(&question).map_err(CliError::prompt_failed)? {
        Some(true) => Ok(()),
        Some(false) => Err(CliError::not_agreed("nothing was changed")),
        None => Err(CliError::not_agreed("there is no terminal to ask on, and nothing was changed")),
    }
}

fn begin_journal(
    change: &FleetChange<'_>,
    changing: &[usize],
    plans: &[ServerAnswer<FleetPlan>],
) -> Result<Journal, CliError> {
    let plans: Vec<(&str, &FleetPlan)> = changing
        .iter()
        .filter_map(|at| Some((&*plans[*at].server, plans[*at].result.as_ref().ok()?)))
        .collect();
    let servers = plans
        .iter()
        .map(|(name, plan)| JournalServer { name: (*name).to_owned(), revisions: plan.revisions() });
    let head = JournalHead {
        at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        operation: change.verb.operation().to_owned(),
        message: change.options.message.clone(),
        all_or_nothing: change.args.fleet.all_or_nothing,
        servers: servers.collect(),
    };
    let texts: Vec<&Snapshot> = plans
        .iter()
        .flat_map(|(_, plan)| [Some(&plan.running), plan.outcome.after()])
        .filter_map(|content| content?.snapshot().map(|text| &**text))
        .collect();
    Journal::begin(head, &texts)
}

/// Removes the journal, or says how to go on where the change stands on some servers only.
fn end(journal: Journal, is_open: bool, ui: Ui) {
    if is_open {
        ui.note(&format!(
            "`mediactl fleet resume {id}` makes the change on the others, `mediactl fleet resume --take-back {id}` \
             takes it back",
            id = journal.id
        ));
    } else if let Err(error) = journal.finish() {
        ui.warning(&error.to_string());
    }
}

/// The results of a change that was not made.
fn not_made(plans: Vec<ServerAnswer<FleetPlan>>, change: &FleetChange<'_>, ui: Ui) -> Vec<ServerResult> {
    let planned = if change.args.dry_run { Standing::WouldChange } else { Standing::NotChanged };
    let changing = plans.iter().enumerate().filter(|(_, answer)| is_change(answer));
    let ended = changing.map(|(at, _)| (at, planned, None)).collect();
    merged(plans, ended, change, ui)
}

/// The results of all servers: of those that were to be changed as given, of the others as planned.
fn merged(
    plans: Vec<ServerAnswer<FleetPlan>>,
    ended: Vec<(usize, Standing, Option<CliError>)>,
    change: &FleetChange<'_>,
    ui: Ui,
) -> Vec<ServerResult> {
    let mut ended: std::collections::HashMap<usize, _> =
        ended.into_iter().map(|(at, standing, error)| (at, (standing, error))).collect();
    let result = |(at, ServerAnswer { server, result }): (usize, ServerAnswer<FleetPlan>)| {
        let plan = match result {
            Ok(plan) => plan,
            Err(error) => {
                let lines = [0, 0];
                return ServerResult {
                    server,
                    standing: Standing::Refused,
                    error: Some(error),
                    lines,
                    change: None,
                };
            }
        };
        let (standing, error) = ended.remove(&at).unwrap_or((Standing::Unchanged, None));
        let lines = plan.lines(ui.masker());
        let record = plan.record(change, &server, ui.masker().as_ref());
        ServerResult { server, standing, error, lines, change: Some(record) }
    };
    plans.into_iter().enumerate().map(result).collect()
}
