//! A change on several servers: it is evaluated everywhere, shown, agreed to, and made.
//!
//! Each server makes it for itself. With `--all-or-nothing` each rolls it back unless it is confirmed, which is done when all
//! have made it. With `--canary` some make it first, in waves, and the next ones once these have stayed healthy for a time. If
//! anything fails before, no server gets a confirmation, so that each goes back, whatever becomes of this program and of the
//! network.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::answers::{exit_of, print_errors};
use super::members::{Fleet, FleetMember, UNSEEN};
use super::names::in_ranges;
use super::plan::{self, FleetChange, FleetPlan, ServerOutcome, ServerResult, exit_of_each};
use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::change::ChangeCommand;
use crate::cli::confirmation::in_waves;
use crate::cli::context::{self, ServerContext};
use crate::cli::interrupt::hold_signals;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::engine::{Decision, Hold, ReportParts, RequestedChange, StatusPart};
use crate::error::{Error, ErrorKind, Exit};
use crate::progress;
use crate::store::{ChangeId, Reverted};

/// The pause between two looks at the first servers.
const PAUSE: Duration = Duration::from_millis(500);

/// Confirmations begin only if every server leaves at least this much time.
const LEFT: Duration = Duration::from_secs(2);

impl ChangeCommand<'_> {
    /// Makes the change on the target, or on each server that is named.
    pub fn run(mut self, call: Invocation<'_>, requested: RequestedChange<'_>) -> Result<Exit, Error> {
        let Some(contexts) = context::several(call.global)? else {
            return self.run_on_target(call, requested);
        };
        if matches!(requested, RequestedChange::Rollback(_) | RequestedChange::Revert(Reverted::Numbers(_))) {
            let hint = "`mediactl revert --change ID` undoes one change on each server that has it; `mediactl history` shows the id";
            return Err(Error::usage("each server has its own number for a change", hint));
        }
        let masked = ReportParts::masked_by(call.ui.masker);
        self.options.told = ReportParts { diff: true, values: true, ..masked };
        let id = match requested {
            RequestedChange::Update(_) => None,
            _ => Some(self.options.id.clone().unwrap_or_else(ChangeId::random)),
        };
        run(&FleetChange { command: self, requested: &requested, id }, contexts, call)
    }
}

/// Makes a change on the servers of these contexts.
fn run(
    change: &FleetChange<'_>,
    contexts: Vec<ServerContext>,
    Invocation { global, ui, .. }: Invocation<'_>,
) -> Result<Exit, Error> {
    let args = change.command.args;
    let times = args.canary_times()?;
    let mut fleet = Fleet::open(contexts, global, ui)?;
    let answers = fleet.ask("evaluate", |member| FleetPlan::evaluate(member, change));
    let results: Vec<ServerResult> =
        answers.into_iter().map(|answer| ServerResult::evaluated(answer, args.dry_run)).collect();
    unless_closed(plan::print_summary(args, &results, ui))?;
    refuse_unknown(change, &results)?;
    let is_open = |at: &usize| results[*at].plan.as_ref().is_some_and(FleetPlan::is_open);
    let changing: Vec<usize> = (0..results.len()).filter(is_open).collect();
    let waves = plan::canaries(&args.canary, &changing, &results)?;
    if waves.len() > 1 {
        let named = |wave: &Vec<usize>| wave.iter().map(|at| &*results[*at].server).collect();
        ui.note(&in_waves(&waves.iter().map(named).collect::<Vec<Vec<&str>>>(), changing.len()));
    }
    let is_refused = times.is_some() && results.iter().any(|result| result.error.is_some());
    if args.dry_run || changing.is_empty() || is_refused {
        print(change, &results, ui)?;
        let exit = if is_refused { worst(&results) } else { exit_of_each(&results) };
        return Ok(exit_with_changes(args, exit, &results));
    }
    if !args.is_agreed() {
        let question = format!("change {} of {} servers?", changing.len(), results.len());
        let what = "a change of several servers has to be agreed to: nothing was changed";
        prompts::agree(&question, what, "`--yes` agrees, `--dry-run` shows the change")?;
    }
    tell_id(change, ui);
    ChangeUnderWay { fleet, results, change, held: hold_signals() }.carry_out(&waves, &changing, ui)
}

/// Prints what stands on each server, behind the errors.
fn print(change: &FleetChange<'_>, results: &[ServerResult], ui: Ui) -> Result<(), Error> {
    let ChangeCommand { name, args, .. } = change.command;
    print_errors(results.iter().filter_map(|result| Some((&*result.server, result.error.as_ref()?))), ui);
    unless_closed(plan::print(results, name, args.output, args.quiet, ui))
}

/// The exit code, which tells of changes where that is asked for.
fn exit_with_changes(args: &ChangeArgs, exit: Exit, results: &[ServerResult]) -> Exit {
    let changes = [ServerOutcome::Changed, ServerOutcome::WouldChange];
    let has_changed = args.exit_code && results.iter().any(|result| changes.contains(&result.outcome));
    if exit == Exit::Done && has_changed { Exit::Changed } else { exit }
}

/// A change under way on servers, and what stands on each.
struct ChangeUnderWay<'a> {
    fleet: Fleet,
    results: Vec<ServerResult>,
    change: &'a FleetChange<'a>,
    /// From now on a signal is answered by what stands where.
    held: Hold<'static>,
}

impl ChangeUnderWay<'_> {
    /// Makes the change everywhere, and says what has become of it.
    fn carry_out(mut self, waves: &[Vec<usize>], changing: &[usize], ui: Ui) -> Result<Exit, Error> {
        let args = self.change.command.args;
        let times = args.canary_times()?;
        let goes_back = match times {
            Some(times) => !self.in_waves(waves, changing, times),
            None => {
                self.make(changing, args.confirm);
                false
            }
        };
        let Self { results, held, change, .. } = self;
        let outcomes = || changing.iter().map(|at| results[*at].outcome);
        let is_open = outcomes().any(|outcome| !outcome.is_done());
        let has_changed = outcomes().any(|outcome| outcome.is_done() || outcome == ServerOutcome::Unknown);
        let printed = print(change, &results, ui);
        if goes_back || is_open && has_changed {
            tell_how_to_go_on(change, is_open && has_changed, ui);
        }
        printed?;
        if let Some(time) = args.confirm.filter(|_| times.is_none() && has_changed) {
            let goes_back =
                format!("each server rolls the change back {} s after it made it", time.as_secs());
            ui.note(&format!("{goes_back}, unless `mediactl confirm` keeps it"));
        }
        let exit = match held.received().filter(|_| is_open) {
            Some(signal) => Exit::of_signal(signal),
            None if goes_back => worst(&results),
            None => exit_of_each(&results),
        };
        Ok(exit_with_changes(args, exit, &results))
    }

    /// Makes the change on each of these servers; where all are to have it, until it fails on one. With a time, each rolls it
    /// back unless it is confirmed within it. True if all have made it.
    fn make(&mut self, servers: &[usize], confirm: Option<Duration>) -> bool {
        let command = &self.change.command;
        let (stops, failed) = (command.args.is_together(), AtomicBool::new(false));
        let goes_on = || self.held.received().is_none() && !(stops && failed.load(Ordering::SeqCst));
        let work = |member: &mut FleetMember, result: &mut ServerResult| {
            let Some(plan) = &mut result.plan else { return };
            let made = match plan.waiting.clone() {
                // It is confirmed with the others.
                Some(waiting) if stops => Ok(Some(waiting)),
                Some(waiting) => {
                    let kept =
                        member.target.service.decide(Decision::Keep, Some(&waiting.id), &command.options.by);
                    kept.map(|_| None).map_err(|error| error.at(&member.name))
                }
                None => plan.make(member, self.change.requested, confirm),
            };
            match made {
                Ok(pending) => (result.outcome, plan.report.pending) = (plan.done(), pending),
                Err(failure) => {
                    failed.store(true, Ordering::SeqCst);
                    let is_unknown = failure.exit() == Exit::Unknown;
                    result.outcome = if is_unknown { ServerOutcome::Unknown } else { ServerOutcome::Refused };
                    result.error = Some(failure);
                }
            }
        };
        servers.iter().for_each(|at| self.results[*at].outcome = ServerOutcome::NotChanged);
        self.fleet.on(servers, &mut self.results, "change", &goes_on, work);
        servers.iter().all(|at| self.results[*at].outcome.is_done())
    }

    /// Makes the change on each wave of servers once the one before has stayed healthy, and then on the rest; confirms it on
    /// all, or takes it back. True if it was confirmed.
    fn in_waves(&mut self, waves: &[Vec<usize>], changing: &[usize], [time, soak]: [Duration; 2]) -> bool {
        let until = Instant::now() + time;
        // Where it was made before and waits, it may go back earlier.
        let waits = changing.iter().filter_map(|at| self.results[*at].plan.as_ref()?.goes_back_at);
        let until = waits.fold(until, Instant::min);
        let mut steps = waves.iter().map(|wave| (&wave[..], soak)).chain([(changing, Duration::ZERO)]);
        let mut before: &[usize] = &[];
        let is_made = steps.all(|(wave, soak)| {
            let new: Vec<usize> = wave.iter().copied().filter(|at| !before.contains(at)).collect();
            before = wave;
            // All go back at the same time, whatever becomes of this program.
            let left = Duration::from_secs(until.saturating_duration_since(Instant::now()).as_secs() + 1);
            self.are_in_time(changing, until)
                && self.make(&new, Some(left.min(time)))
                && (soak.is_zero() || self.stay_healthy(wave, soak))
        }) && self.are_in_time(changing, until);
        let what = if is_made { "confirm" } else { "take back" };
        let work = |member: &mut FleetMember, result: &mut ServerResult| decide(member, result, is_made);
        self.fleet.on(changing, &mut self.results, what, &|| true, work);
        is_made
    }

    /// Looks at servers again and again; false as soon as one is not healthy or does not run the change any more, or a
    /// signal comes.
    fn stay_healthy(&mut self, servers: &[usize], time: Duration) -> bool {
        let begin = Instant::now();
        let step = progress::step(format!("check the servers of this wave for {} s", time.as_secs()));
        let look = |member: &mut FleetMember, result: &mut ServerResult| {
            result.error = refuse_unhealthy(member, result).err().map(|error| error.at(&member.name));
        };
        loop {
            self.fleet.on(servers, &mut self.results, UNSEEN, &|| true, look);
            let is_healthy = servers.iter().all(|at| self.results[*at].error.is_none());
            let left = time.saturating_sub(begin.elapsed());
            if !is_healthy || left.is_zero() || self.held.received().is_some() {
                drop(step);
                let names: Vec<&str> = servers.iter().map(|at| &*self.results[*at].server).collect();
                if is_healthy && left.is_zero() {
                    self.fleet.ui.say(&format!("{}: healthy for {} s", in_ranges(&names), time.as_secs()));
                }
                return is_healthy && left.is_zero();
            }
            sleep(PAUSE.min(left));
        }
    }

    /// False, with an error of each server, if too little time is left to confirm the change.
    fn are_in_time(&mut self, servers: &[usize], until: Instant) -> bool {
        let is_late = until.saturating_duration_since(Instant::now()) < LEFT;
        let hint = "`--confirm TIME` gives more, a larger `--jobs` asks more at the same time";
        let error =
            Error::new(ErrorKind::TooLate, "too little time is left to confirm the change").hint(hint);
        for at in servers.iter().filter(|_| is_late) {
            self.results[*at].error = Some(error.clone());
        }
        !is_late && self.held.received().is_none()
    }
}

/// Refuses a server that tells of an error, or does not run the change any more.
fn refuse_unhealthy(member: &FleetMember, result: &ServerResult) -> Result<(), Error> {
    let status = member.target.service.status(StatusPart::Server)?;
    if let Some(trouble) = status.trouble() {
        return Err(Error::new(ErrorKind::NotHealthy, format!("it is not healthy: {trouble}")));
    }
    if result.plan.as_ref().is_some_and(|plan| status.running == plan.report.after) {
        return Ok(());
    }
    let error = Error::new(ErrorKind::Conflict, "it does not run the new configuration any more");
    Err(error.hint("it was changed meanwhile, or has taken the change back"))
}

/// Confirms the change that waits on a server, or takes it back; one that does not answer goes back by itself.
fn decide(member: &FleetMember, result: &mut ServerResult, keeps: bool) {
    let Some(waiting) = result.plan.as_mut().and_then(|plan| plan.report.pending.take()) else {
        // Whether the change was made is not known, but that it goes back is.
        if !keeps && result.outcome == ServerOutcome::Unknown {
            result.outcome = ServerOutcome::GoesBack;
            result.error.iter_mut().for_each(|error| error.kind = ErrorKind::NotFound);
        }
        return;
    };
    let decision = match keeps {
        true if member.target.is_server => Decision::Keep,
        // A node of a cluster that fails from now on makes no mixture of the clusters.
        true => Decision::KeepThoughFailed,
        false => Decision::RollBack,
    };
    let refusal = member.target.service.decide(decision, Some(&waiting.id), "").err();
    result.outcome = match refusal.as_ref().map(|refusal| was_kept(member, result, refusal)) {
        Some(Some(true)) => return,
        None if keeps => return,
        Some(None) if keeps => ServerOutcome::Unknown,
        Some(None) => ServerOutcome::GoesBack,
        Some(Some(false)) | None => ServerOutcome::TakenBack,
    };
    let told = refusal.filter(|_| keeps || result.outcome == ServerOutcome::GoesBack);
    result.error = result.error.take().or(told.map(|refusal| refusal.at(&member.name)));
}

/// True if somebody else confirmed the change, false if it went back; `None` if that is not known.
fn was_kept(member: &FleetMember, result: &ServerResult, refusal: &Error) -> Option<bool> {
    let is_decided = refusal.kind == ErrorKind::NothingPending;
    let status = is_decided.then(|| member.target.service.status(StatusPart::Server).ok()).flatten()?;
    Some(status.running == result.plan.as_ref()?.report.after)
}

/// Refuses to undo a change that no server has.
fn refuse_unknown(change: &FleetChange<'_>, results: &[ServerResult]) -> Result<(), Error> {
    let RequestedChange::Revert(Reverted::Change(taken)) = change.requested else { return Ok(()) };
    let plans: Vec<&FleetPlan> = results.iter().filter_map(|result| result.plan.as_ref()).collect();
    let is_unknown = !plans.is_empty() && plans.iter().all(|plan| plan.lacks_change);
    if is_unknown { Err(Error::no_such_change(taken, plans.len())) } else { Ok(()) }
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

/// Names the change, before anything is sent: whoever kills the command knows how to go on.
fn tell_id(change: &FleetChange<'_>, ui: Ui) {
    let Some(id) = &change.id else { return };
    let back = format!("`mediactl revert --change {id}` undoes it");
    let further = match change.requested {
        RequestedChange::Revert(_) => String::new(),
        _ => format!(", {back}, and the same command with `--change {id}` makes it where it is missing"),
    };
    ui.note(&format!("this is change {id}: `mediactl history --change {id}` shows it{further}"));
}

/// Says how to go on where only some servers keep the change, or none does.
fn tell_how_to_go_on(change: &FleetChange<'_>, is_kept: bool, ui: Ui) {
    let id = change.id.as_ref().filter(|_| !matches!(change.requested, RequestedChange::Revert(_)));
    let again = id
        .map_or_else(|| "the same command".to_owned(), |id| format!("the same command with `--change {id}`"));
    ui.loud().note(&match (is_kept, id) {
        (false, _) => format!("no server keeps the change; when the cause is gone, {again} tries again"),
        (true, Some(id)) => {
            format!("{again} makes the change on the others, `mediactl revert --change {id}` undoes it")
        }
        (true, None) if change.id.is_some() => format!("{again} undoes the change on the others"),
        (true, None) => return,
    });
}
