//! A change on several servers: it is evaluated everywhere, shown, agreed to, and made.

use std::time::Duration;

use super::answers::{by_text, exit_of, print_errors};
use super::coordinator::FleetVerdict;
use super::members::Fleet;
use super::plan::{self, DEFAULT_CONFIRM, FleetChange, FleetPlan, ServerOutcome, ServerResult, exit_of_each};
use super::together::ChangeUnderWay;
use crate::cli::args::global::GlobalArgs;
use crate::cli::context::{self, ServerContext};
use crate::cli::interrupt::HeldSignals;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::engine::RequestedChange;
use crate::error::{Error, ErrorKind, Exit};
use crate::store::HistoryEntry;
use crate::store::etcd::ClusterUrl;
use mediaconf::one_line;

/// The number of requests to a server that hangs that fit into the time to confirm.
const REQUESTS: u32 = 3;

/// Makes a change on the servers of these contexts.
pub fn run(
    change: &FleetChange<'_>,
    contexts: Vec<ServerContext>,
    global: &GlobalArgs,
    ui: Ui,
) -> Result<Exit, Error> {
    let (args, together) = (change.command.args, change.command.args.fleet.all_or_nothing);
    if !together {
        args.fleet.refuse_for_each()?;
    } else if let Some(cluster) = contexts.iter().find(|context| ClusterUrl::is_meant(&context.url)) {
        // It has no figures that would show its health.
        let message = format!("`--all-or-nothing` is for servers, and {} is a cluster", cluster.name);
        let hint = "change a cluster by itself: its nodes have one configuration, and `--canary` tries a change on some of them";
        return Err(Error::usage(message, hint));
    }
    context::refuse_one_server_twice(&contexts)?;
    let mut global = global.clone();
    if together {
        // A server that hangs must not keep the others waiting until they go back.
        let time = args.confirm.unwrap_or(DEFAULT_CONFIRM) / REQUESTS;
        global.remote.most_time = Some(time.max(Duration::from_secs(1)));
    }
    let protected = contexts.iter().filter(|context| context.is_protected);
    let protected: Vec<String> = protected.map(|context| context.name.clone()).collect();
    let mut fleet = Fleet::open(contexts, &global, ui)?;
    let answers = fleet.ask("evaluate", |member| FleetPlan::evaluate(member, change));
    let mut results: Vec<ServerResult> = Vec::new();
    for answer in answers {
        let outcome = match &answer.result {
            Err(_) => ServerOutcome::Refused,
            Ok(plan) if !plan.report.changed => ServerOutcome::Unchanged,
            Ok(_) if args.dry_run => ServerOutcome::WouldChange,
            Ok(_) => ServerOutcome::NotChanged,
        };
        let (plan, error) = answer.result.map_or_else(|error| (None, Some(error)), |plan| (Some(plan), None));
        results.push(ServerResult { plan, ..ServerResult::new(answer.server, outcome, error) });
    }
    unless_closed(plan::print_summary(args, &results, ui))?;
    refuse_other_changes(change, &results)?;
    let is_open = |at: &usize| results[*at].plan.as_ref().is_some_and(FleetPlan::is_open);
    let changing: Vec<usize> = (0..results.len()).filter(is_open).collect();
    let canaries = plan::canaries(&args.fleet.canary, &changing, &results)?;
    let time = plan::time_to_confirm(args, changing.len(), canaries.len())?;
    let with_changes = |exit: Exit, results: &[ServerResult]| {
        let changes = [ServerOutcome::Changed, ServerOutcome::WouldChange];
        let has_changed = args.exit_code && results.iter().any(|result| changes.contains(&result.outcome));
        if exit == Exit::Done && has_changed { Exit::Changed } else { exit }
    };
    let print = |results: &[ServerResult]| {
        print_errors(results.iter().filter_map(|result| Some((&*result.server, result.error.as_ref()?))), ui);
        unless_closed(plan::print(results, change.command.name, args.output, args.quiet, ui))
    };
    let is_refused = together && results.iter().any(|result| result.error.is_some());
    if args.dry_run || changing.is_empty() || is_refused {
        print(&results)?;
        let exit = if is_refused { worst(&results) } else { exit_of_each(&results) };
        return Ok(with_changes(exit, &results));
    }
    agree(change, changing.len(), results.len(), &protected)?;
    tell_id(change, ui);
    let mut making = ChangeUnderWay { fleet, results, change, held: HeldSignals::hold() };
    let verdict = match time.filter(|_| together) {
        Some(time) => Some(making.together(&changing, canaries, time)),
        None => {
            making.each_for_itself(&changing);
            None
        }
    };
    let ChangeUnderWay { results, held, .. } = making;
    let outcomes = || changing.iter().map(|at| results[*at].outcome);
    let is_open = outcomes().any(|outcome| !outcome.is_done());
    let has_changed = outcomes().any(|outcome| outcome.is_done() || outcome == ServerOutcome::Unknown);
    let printed = print(&results);
    if verdict.map_or(is_open && has_changed, |verdict| verdict == FleetVerdict::Mixed) {
        tell_rest(change, ui);
    }
    printed?;
    if let Some(time) = args.confirm.filter(|_| verdict.is_none() && has_changed && !args.quiet) {
        ui.note(&format!(
            "each server rolls the change back {} s after it made it, unless `mediactl confirm` with the same servers keeps it",
            time.as_secs()
        ));
    }
    let exit = match (verdict, held.received()) {
        (Some(FleetVerdict::All), _) => Exit::Done,
        (Some(FleetVerdict::Mixed), _) => Exit::Partly,
        (Some(FleetVerdict::None), None) => worst(&results),
        (None, signal) if signal.is_none() || !is_open => exit_of_each(&results),
        (_, signal) => Exit::of_signal(signal.unwrap_or_default()),
    };
    Ok(with_changes(exit, &results))
}

/// Refuses a rollback that would undo other changes on each server, and a take-back of a change that no server has.
fn refuse_other_changes(change: &FleetChange<'_>, results: &[ServerResult]) -> Result<(), Error> {
    let plans = results.iter().filter_map(|result| Some((&*result.server, result.plan.as_ref()?)));
    let plans: Vec<(&str, &FleetPlan)> = plans.collect();
    match change.requested {
        RequestedChange::TakeBack(taken) if plans.iter().all(|(_, plan)| plan.lacks_change) => {
            if plans.is_empty() { Ok(()) } else { Err(Error::no_such_change(taken, plans.len())) }
        }
        RequestedChange::Rollback(_) if !change.command.each => {
            let undone: Vec<_> = plans.into_iter().filter(|(_, plan)| plan.report.changed).collect();
            let is_same = |(_, plan): &(&str, &FleetPlan)| {
                let first = undone[0].1;
                are_same(&first.undone, &plan.undone) && first.hand_edit() == plan.hand_edit()
            };
            if undone.iter().all(is_same) {
                return Ok(());
            }
            let rows = by_text(undone.into_iter().filter_map(|(server, plan)| Some((server, undoes(plan)?))));
            let rows: Vec<String> = rows.map(|(servers, undone)| format!("{servers} {undone}")).collect();
            let what = "this undoes different changes on the servers, so nothing was changed";
            let hint = "`--each` does it; `rollback --change ID` takes one change back where it is";
            Err(Error::new(ErrorKind::Guarded, format!("{what}: {}", rows.join("; "))).hint(hint))
        }
        _ => Ok(()),
    }
}

/// What a rollback undoes on a server, in words: the first of the changes, and a hand edit.
fn undoes(plan: &FleetPlan) -> Option<String> {
    let first = plan.undone.last()?;
    let message = first.message.as_ref().map_or(String::new(), |message| format!(" ({message})"));
    let edit = plan.hand_edit().map_or("", |_| ", and a hand edit that is in no history yet");
    Some(one_line(&format!("back to before change {}, {}{message}{edit}", first.number, first.operation)))
}

/// True if the changes that two servers undo are the same ones: parts of one change, or of equal texts.
fn are_same(undone: &[HistoryEntry], others: &[HistoryEntry]) -> bool {
    let is_same = |(one, other): (&HistoryEntry, &HistoryEntry)| {
        let is_part = one.id.is_some() && one.id == other.id;
        is_part || (one.before, one.after) == (other.before, other.after)
    };
    undone.len() == others.len() && undone.iter().zip(others).all(is_same)
}

/// Nothing more is printed where nobody reads it; the change itself goes on.
fn unless_closed(printed: Result<(), Error>) -> Result<(), Error> {
    printed.or_else(|error| if error.is_closed_output() { Ok(()) } else { Err(error) })
}

/// The exit code of a change that no server has: its worst error.
fn worst(results: &[ServerResult]) -> Exit {
    let kinds = results.iter().filter_map(|result| result.error.as_ref().map(Error::exit));
    exit_of(0, &kinds.collect::<Vec<_>>())
}

/// Asks whether the servers are to be changed.
fn agree(change: &FleetChange<'_>, changing: usize, all: usize, protected: &[String]) -> Result<(), Error> {
    if change.command.args.yes || change.command.args.force {
        return Ok(());
    }
    let names = protected.join(", ");
    let protected = if names.is_empty() { names } else { format!(" (protected: {names})") };
    let question = format!("change {changing} of {all} servers{protected}?");
    let why = match prompts::confirm(&question).map_err(Error::prompt_failed)? {
        Some(true) => return Ok(()),
        Some(false) => "",
        None => "there is no terminal to ask on, and ",
    };
    let message = format!("a change of several servers has to be agreed to: {why}nothing was changed");
    Err(Error::new(ErrorKind::Guarded, message).hint("`--yes` agrees, `--dry-run` shows the change"))
}

/// Names the change, before anything is sent: whoever kills the command knows how to go on.
fn tell_id(change: &FleetChange<'_>, ui: Ui) {
    let Some(id) = change.id.as_ref().filter(|_| !change.command.args.quiet) else { return };
    let back = format!("`rollback --change {id}` takes it back");
    let further = match change.requested {
        RequestedChange::TakeBack(_) => String::new(),
        RequestedChange::Rollback(_) => format!(", {back}"),
        _ => format!(", {back}, and the same command with `--change {id}` makes it where it is missing"),
    };
    ui.note(&format!("this is change {id}: `history --change {id}` of these servers shows it{further}"));
}

/// Says how to go on where the change stands on some servers only.
fn tell_rest(change: &FleetChange<'_>, ui: Ui) {
    let Some(id) = &change.id else { return };
    ui.note(&match change.requested {
        RequestedChange::TakeBack(_) => "the same command takes the change back on the others".to_owned(),
        RequestedChange::Rollback(_) => format!("`rollback --change {id}` takes it back where it is"),
        _ => format!(
            "the same command with `--change {id}` makes the change on the others, `rollback --change {id}` takes it back"
        ),
    });
}
