//! A change on several servers: it is evaluated everywhere, shown, agreed to, and made.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::all_or_nothing::{AllOrNothing, Ended};
use super::answers::{ServerAnswer, exit_of};
use super::batches::{in_batches, pause, why_stopped};
use super::canaries;
use super::coordinator::FleetVerdict;
use super::grouped::GroupedNotes;
use super::members::{Fleet, FleetMember, ServerNumber};
use super::plan::{FleetChange, FleetPlan};
use super::results::{self, Ending, ServerOutcome, ServerResult, exit_of_each, outcome_of};
use super::time_to_confirm::{DEFAULT_CONFIRM, time_to_confirm};
use crate::cli::args::global::GlobalArgs;
use crate::cli::context::{self, ServerContext};
use crate::cli::interrupt::HeldSignals;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::engine::{Decision, RequestedChange};
use crate::error::{Error, Exit};
use crate::store::etcd::ClusterUrl;
use crate::store::{HistoryEntry, PendingInfo};
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
    let together = change.args.fleet.all_or_nothing;
    match together {
        true => refuse_clusters(&contexts)?,
        false => change.args.fleet.refuse_for_each()?,
    }
    canaries::refuse_unknown(change, &contexts)?;
    context::refuse_one_server_twice(&contexts)?;
    let mut global = global.clone();
    if together {
        // A server that hangs must not keep the others waiting until they go back.
        let time = change.args.confirm.unwrap_or(DEFAULT_CONFIRM) / REQUESTS;
        global.remote.most_time = Some(time.max(Duration::from_secs(1)));
    }
    let protected: Vec<String> =
        contexts.iter().filter(|context| context.is_protected).map(|context| context.name.clone()).collect();
    let mut fleet = Fleet::open(contexts, &global, ui)?;
    let plans = fleet.ask("evaluate", |member| FleetPlan::evaluate(member, change));
    unless_closed(change.print_summary(&plans, ui))?;
    refuse_other_changes(change, &plans)?;
    let changing: Vec<ServerNumber> = changing(&plans).collect();
    let canaries = if changing.is_empty() { Vec::new() } else { canaries::among(change, &changing, &plans)? };
    let time = time_to_confirm(change.args, &changing, &canaries)?;
    let is_refused = plans.iter().any(|answer| answer.result.is_err());
    if change.args.dry_run || changing.is_empty() || (together && is_refused) {
        let results = not_made(plans, change, ui);
        unless_closed(results::print(&results, change.args.into(), ui))?;
        let exit = match together && is_refused {
            true => exit_of(0, &results.iter().filter_map(kind).collect::<Vec<_>>()),
            false => exit_of_each(&results),
        };
        return Ok(with_changes(exit, &results, change));
    }
    agree(change, changing.len(), plans.len(), &protected)?;
    tell_id(change, ui);
    // From here on a signal is answered by what stands where.
    let held = HeldSignals::hold();
    let Some(time) = time.filter(|_| together) else {
        return each_for_itself(change, &mut fleet, plans, &changing, held);
    };
    let work = AllOrNothing::new(&mut fleet, &plans, (changing, canaries), (change, time), held);
    let Ended { verdict, endings, held } = work.run();
    let results = merged(plans, endings, change, ui);
    let printed = results::print(&results, change.args.into(), ui);
    let exit = match (verdict, held.received()) {
        (FleetVerdict::All, _) => Exit::Done,
        (FleetVerdict::None, Some(signal)) => Exit::of_signal(signal),
        (FleetVerdict::None, None) => exit_of(0, &results.iter().filter_map(kind).collect::<Vec<_>>()),
        (FleetVerdict::Mixed, _) => Exit::Partly,
    };
    if verdict == FleetVerdict::Mixed {
        tell_rest(change, ui);
    }
    unless_closed(printed)?;
    Ok(with_changes(exit, &results, change))
}

/// Refuses a rollback that would undo other changes on each server, and a take-back of a change that no server has.
fn refuse_other_changes(change: &FleetChange<'_>, plans: &[ServerAnswer<FleetPlan>]) -> Result<(), Error> {
    let plans = plans.iter().filter_map(|plan| Some((&*plan.server, plan.result.as_ref().ok()?)));
    let plans: Vec<(&str, &FleetPlan)> = plans.collect();
    match change.requested {
        RequestedChange::TakeBack(taken) if !plans.is_empty() => {
            let is_nowhere = plans.iter().all(|(_, plan)| plan.lacks_change);
            if is_nowhere { Err(Error::no_such_change(taken, plans.len())) } else { Ok(()) }
        }
        RequestedChange::Rollback(_) if !change.each => {
            let undone: Vec<_> = plans.into_iter().filter(|(_, plan)| plan.report.changed).collect();
            let Some(((_, first), others)) = undone.split_first() else { return Ok(()) };
            let is_same = |plan: &FleetPlan| {
                are_same(&first.undone, &plan.undone) && first.hand_edit() == plan.hand_edit()
            };
            if others.iter().all(|(_, plan)| is_same(plan)) {
                return Ok(());
            }
            let mut rows = GroupedNotes::default();
            for (server, plan) in undone {
                plan.undone.last().into_iter().for_each(|first| rows.add(server, undoes(first, plan)));
            }
            Err(Error::other_changes(&rows))
        }
        _ => Ok(()),
    }
}

/// What a rollback undoes on a server, in words: the first of the changes, and a hand edit.
fn undoes(first: &HistoryEntry, plan: &FleetPlan) -> String {
    let message = first.message.as_ref().map_or(String::new(), |message| format!(" ({message})"));
    let edit = plan.hand_edit().map_or("", |_| ", and a hand edit that is in no history yet");
    one_line(&format!("back to before #{}, {}{message}{edit}", first.serial, first.operation))
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

/// A cluster has no figures that would show its health.
fn refuse_clusters(contexts: &[ServerContext]) -> Result<(), Error> {
    let clusters = contexts.iter().filter(|context| ClusterUrl::is_meant(&context.url));
    let names: Vec<&str> = clusters.map(|context| &*context.name).collect();
    if names.is_empty() { Ok(()) } else { Err(Error::clusters_together(&names)) }
}

/// Makes the change on each server, whatever becomes of it on the others.
fn each_for_itself(
    change: &FleetChange<'_>,
    fleet: &mut Fleet,
    plans: Vec<ServerAnswer<FleetPlan>>,
    changing: &[ServerNumber],
    held: HeldSignals,
) -> Result<Exit, Error> {
    let ui = fleet.ui;
    let batching = &change.args.fleet.batching;
    let (failed, most) = (AtomicUsize::new(0), batching.most_failures(changing.len()));
    let goes_on = || held.received().is_none() && failed.load(Ordering::SeqCst) <= most;
    let work = |at: ServerNumber, member: &mut FleetMember| -> Result<Option<PendingInfo>, Error> {
        let Ok(plan) = &plans[at.0].result else { return Ok(None) };
        if let Some(waiting) = &plan.waiting {
            let kept = member.target.service.decide(Decision::Keep, Some(&waiting.id), &change.options.by);
            return kept.map(|_| None).map_err(|error| error.at(&member.name));
        }
        let made = plan.make(member, change, change.options.confirm);
        if made.is_err() {
            failed.fetch_add(1, Ordering::SeqCst);
        }
        Ok(made?.pending)
    };
    let mut made = HashMap::new();
    let time = batching.pause.unwrap_or_default();
    in_batches(
        changing,
        &batching.batch,
        || goes_on() && pause(time, &held),
        |batch| {
            made.extend(fleet.on(batch, "change", &goes_on, work));
            goes_on()
        },
    );
    let failed = failed.load(Ordering::SeqCst);
    if failed > most && made.len() < changing.len() {
        let left = changing.len() - made.len();
        ui.note(&why_stopped(failed, changing.len(), left));
    }
    let endings: Vec<Ending> = changing
        .iter()
        .map(|&at| match made.remove(&at) {
            None => Ending::new(at, ServerOutcome::NotChanged),
            Some(Ok(pending)) => Ending {
                pending,
                ..Ending::new(at, plans[at.0].result.as_ref().map_or(ServerOutcome::Changed, FleetPlan::done))
            },
            Some(Err(error)) => {
                let outcome = outcome_of(&error);
                Ending { error: Some(error), ..Ending::new(at, outcome) }
            }
        })
        .collect();
    let is_open = endings.iter().any(|end| !end.outcome.is_done());
    let has_changed =
        endings.iter().any(|end| end.outcome.is_done() || end.outcome == ServerOutcome::Unknown);
    let results = merged(plans, endings, change, ui);
    let printed = results::print(&results, change.args.into(), ui);
    if is_open && has_changed {
        tell_rest(change, ui);
    }
    unless_closed(printed)?;
    if let Some(time) = change.args.confirm.filter(|_| has_changed && !change.args.quiet) {
        ui.note(&format!(
            "each server rolls the change back {} s after it made it, unless `mediactl confirm` with the same servers keeps it",
            time.as_secs()
        ));
    }
    let exit = match held.received() {
        Some(signal) if is_open => Exit::of_signal(signal),
        _ => exit_of_each(&results),
    };
    Ok(with_changes(exit, &results, change))
}

/// The servers on which something is left to do.
fn changing(plans: &[ServerAnswer<FleetPlan>]) -> impl Iterator<Item = ServerNumber> {
    let is_change =
        |(_, answer): &(_, &ServerAnswer<FleetPlan>)| answer.result.as_ref().is_ok_and(FleetPlan::is_open);
    plans.iter().enumerate().filter(is_change).map(|(at, _)| ServerNumber(at))
}

fn kind(result: &ServerResult) -> Option<Exit> {
    result.error.as_ref().map(Error::exit)
}

fn with_changes(exit: Exit, results: &[ServerResult], change: &FleetChange<'_>) -> Exit {
    let is_change =
        |result: &ServerResult| matches!(result.outcome, ServerOutcome::Changed | ServerOutcome::WouldChange);
    match exit == Exit::Done && change.args.exit_code && results.iter().any(is_change) {
        true => Exit::Changed,
        false => exit,
    }
}

/// Asks whether the servers are to be changed.
fn agree(change: &FleetChange<'_>, changing: usize, all: usize, protected: &[String]) -> Result<(), Error> {
    if change.args.yes || change.args.force {
        return Ok(());
    }
    let protected = match protected {
        [] => String::new(),
        names => format!(" (protected: {})", names.join(", ")),
    };
    let question = format!("change {changing} of {all} servers{protected}?");
    match prompts::confirm(&question).map_err(Error::prompt_failed)? {
        Some(true) => Ok(()),
        answer => Err(Error::not_agreed(answer, "`--yes` agrees, `--dry-run` shows the change")),
    }
}

/// Names the change, before anything is sent: whoever kills the command knows how to go on.
fn tell_id(change: &FleetChange<'_>, ui: Ui) {
    let Some(id) = change.id.as_ref().filter(|_| !change.args.quiet) else { return };
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
    match (change.requested, &change.id) {
        (RequestedChange::TakeBack(_), _) => ui.note("the same command takes the change back on the others"),
        (RequestedChange::Rollback(_), Some(id)) => {
            ui.note(&format!("`rollback --change {id}` takes it back where it is"));
        }
        (_, Some(id)) => ui.note(&format!(
            "the same command with `--change {id}` makes the change on the others, `rollback --change {id}` takes it back"
        )),
        (_, None) => {}
    }
}

/// The results of a change that was not made.
fn not_made(plans: Vec<ServerAnswer<FleetPlan>>, change: &FleetChange<'_>, ui: Ui) -> Vec<ServerResult> {
    let planned = if change.args.dry_run { ServerOutcome::WouldChange } else { ServerOutcome::NotChanged };
    let is_change = |at: &ServerNumber| plans[at.0].result.as_ref().is_ok_and(|plan| plan.report.changed);
    let endings = changing(&plans).filter(is_change).map(|at| Ending::new(at, planned)).collect();
    merged(plans, endings, change, ui)
}

/// The results of all servers: of those that were to be changed as given, of the others as planned.
fn merged(
    plans: Vec<ServerAnswer<FleetPlan>>,
    endings: Vec<Ending>,
    change: &FleetChange<'_>,
    ui: Ui,
) -> Vec<ServerResult> {
    let mut endings: HashMap<ServerNumber, Ending> = endings.into_iter().map(|end| (end.at, end)).collect();
    let result = |(at, ServerAnswer { server, result }): (usize, ServerAnswer<FleetPlan>)| match result {
        Err(error) => ServerResult {
            server,
            outcome: ServerOutcome::Refused,
            error: Some(error),
            id: None,
            lines: [0, 0],
            change: None,
        },
        Ok(mut plan) => {
            let end = endings
                .remove(&ServerNumber(at))
                .unwrap_or(Ending::new(ServerNumber(at), ServerOutcome::Unchanged));
            plan.report.pending = end.pending;
            let id = plan.id.clone().filter(|_| end.outcome == ServerOutcome::Changed);
            let lines = [plan.report.lines_added, plan.report.lines_removed];
            let record = plan.record(change, &server, ui.masker().as_ref());
            ServerResult { server, outcome: end.outcome, error: end.error, id, lines, change: Some(record) }
        }
    };
    plans.into_iter().enumerate().map(result).collect()
}
