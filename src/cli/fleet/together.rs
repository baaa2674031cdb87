//! Makes a change: on each server for itself, or, driving the coordinator, on all servers or on none.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::coordinator::{Coordinator, FleetStep, FleetVerdict, StepReply};
use super::members::{Fleet, FleetMember, UNSEEN, show_progress};
use super::plan::{FleetChange, FleetPlan, LEFT, ServerOutcome, ServerResult, batches, pause};
use crate::cli::args::changing::{ChangeArgs, FleetArgs};
use crate::cli::interrupt::HeldSignals;
use crate::engine::{Decision, ServerHealth, hook_output};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::Revision;

/// Confirmations begin only if every server has answered within this time.
const FRESH: Duration = Duration::from_secs(2);

/// The pause between two tries, and between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// The number of looks whether a server runs a change to which it gave no answer.
const LOOKS: usize = 4;

/// A change under way on servers, and what stands on each.
pub struct ChangeUnderWay<'a> {
    pub fleet: Fleet,
    pub results: Vec<ServerResult>,
    pub change: &'a FleetChange<'a>,
    /// From now on a signal is answered by what stands where.
    pub held: HeldSignals,
}

impl ChangeUnderWay<'_> {
    /// Makes the change on each server, whatever becomes of it on the others.
    pub fn each_for_itself(&mut self, changing: &[usize]) {
        let requested = self.change.requested;
        let ChangeArgs { fleet: FleetArgs { batching, .. }, confirm, .. } = self.change.command.args;
        let by = &self.change.command.options.by;
        let (failed, most) = (AtomicUsize::new(0), batching.most_failures(changing.len()));
        let goes_on = || self.held.received().is_none() && failed.load(Ordering::SeqCst) <= most;
        changing.iter().for_each(|at| self.results[*at].outcome = ServerOutcome::NotChanged);
        let work = |member: &mut FleetMember, result: &mut ServerResult| {
            let Some(plan) = &mut result.plan else { return };
            let made = match &plan.waiting {
                Some(waiting) => {
                    let kept = member.target.service.decide(Decision::Keep, Some(&waiting.id), by);
                    kept.map(|_| None).map_err(|error| error.at(&member.name))
                }
                None => plan.make(member, requested, *confirm),
            };
            match made {
                Ok(pending) => (result.outcome, plan.report.pending) = (plan.done(), pending),
                Err(failure) => {
                    failed.fetch_add(1, Ordering::SeqCst);
                    let is_unknown = failure.exit() == Exit::Unknown;
                    result.outcome = if is_unknown { ServerOutcome::Unknown } else { ServerOutcome::Refused };
                    result.error = Some(failure);
                }
            }
        };
        let mut left = changing.len();
        for (number, batch) in batches(changing, &batching.batch).into_iter().enumerate() {
            if number > 0 && !(goes_on() && pause(batching.pause.unwrap_or_default(), &self.held)) {
                break;
            }
            left -= self.fleet.on(batch, &mut self.results, "change", &goes_on, work).len();
        }
        let failed = failed.into_inner();
        if failed > most && left > 0 {
            let all = changing.len();
            self.fleet.ui.note(&format!("it failed on {failed} of {all} servers, so {left} were not tried"));
        }
    }

    /// Goes from step to step until all of these servers have the change, or none keeps it; the `canaries` among them get
    /// it first. Each waits for this time to be confirmed.
    pub fn together(&mut self, changing: &[usize], canaries: Vec<usize>, time: Duration) -> FleetVerdict {
        let mut coordinator = Coordinator::new(changing.iter().copied(), canaries);
        let verdict = loop {
            if self.held.received().is_some() {
                coordinator.interrupt();
            }
            let (step, servers) = coordinator.step();
            let replies = match step {
                FleetStep::Try => self.try_on(&servers, time),
                FleetStep::Confirm => self.confirm(&servers),
                FleetStep::Cancel => self.cancel(&servers),
                FleetStep::Watch => {
                    coordinator.looked(self.stay_healthy(&servers));
                    continue;
                }
                FleetStep::Check => {
                    coordinator.looked(self.are_ready(&servers));
                    continue;
                }
                FleetStep::Done(verdict) => break verdict,
            };
            replies.into_iter().for_each(|(at, reply)| coordinator.hear(step, at, reply));
        };
        for (&at, stands) in coordinator.outcomes() {
            let ServerResult { outcome, error, plan, .. } = &mut self.results[at];
            let has_it = plan.as_ref().filter(|_| *stands == ServerOutcome::Changed);
            *outcome = has_it.map_or(*stands, FleetPlan::done);
            // Whether the change was made is not known, but that it goes back is.
            if let Some(error) = error.as_mut().filter(|error| error.exit() == Exit::Unknown)
                && verdict == FleetVerdict::None
            {
                error.kind = ErrorKind::NotFound;
            }
        }
        verdict
    }

    /// Tries the change on one batch after the other, until it fails on one.
    fn try_on(&mut self, servers: &[usize], time: Duration) -> Vec<(usize, StepReply)> {
        let (change, held) = (self.change, &self.held);
        let work = |member: &mut FleetMember, result: &mut ServerResult| {
            let Err(error) = try_it(member, result, change, time) else { return StepReply::Done };
            let is_lost = error.exit() == Exit::Unknown;
            result.error = Some(error.at(&member.name));
            if is_lost { StepReply::Lost } else { StepReply::Refused }
        };
        let (batching, mut replies) = (&change.command.args.fleet.batching, Vec::new());
        for (number, batch) in batches(servers, &batching.batch).into_iter().enumerate() {
            let goes_on = self.results.iter().all(|result| result.error.is_none())
                && (number == 0 || pause(batching.pause.unwrap_or_default(), held));
            let no_signal = || goes_on && held.received().is_none();
            let mut found = self.fleet.on(batch, &mut self.results, "try", &no_signal, work);
            replies.extend(batch.iter().map(|at| (*at, found.remove(at).unwrap_or(StepReply::NotSent))));
        }
        replies
    }

    /// Looks at servers again and again; false as soon as one is not healthy, or a signal comes.
    fn stay_healthy(&mut self, servers: &[usize]) -> bool {
        let (begin, time) = (Instant::now(), self.change.command.args.fleet.soak());
        let what = "check the canaries, seconds";
        let seconds = |time: Duration| usize::try_from(time.as_secs()).unwrap_or(usize::MAX);
        loop {
            let are_healthy = self.look(servers, UNSEEN, |member, _| healthy(member).map(drop))
                && self.health_command(servers, UNSEEN);
            let left = time.saturating_sub(begin.elapsed());
            if !are_healthy || left.is_zero() {
                show_progress(what, 0, 0);
                for at in servers.iter().filter(|_| are_healthy && !self.change.command.args.quiet) {
                    let server = &self.results[*at].server;
                    self.fleet.ui.say(&format!("{server}: healthy for {} s", time.as_secs()));
                }
                return are_healthy;
            }
            show_progress(what, seconds(begin.elapsed()), seconds(time));
            sleep(PAUSE.min(left));
        }
    }

    /// True if the health command, if there is one, succeeds for each server.
    fn health_command(&mut self, servers: &[usize], what: &'static str) -> bool {
        let args = self.change.command.args;
        let Some(command) = args.fleet.health_cmd.as_deref() else { return true };
        let timeout = Duration::from_secs(args.hooking.hook_timeout);
        self.look(servers, what, |member, _| {
            let checked = hook_output(command, &[("MEDIACTL_CONTEXT", &member.name)], timeout);
            checked.map(drop).map_err(|failure| not_healthy(&format!("the health command {failure}")))
        })
    }

    /// True if every server is healthy, has answered just now, and leaves enough time.
    fn are_ready(&mut self, servers: &[usize]) -> bool {
        if !self.health_command(servers, "check") {
            return false;
        }
        let mut why = String::new();
        loop {
            let first = OnceLock::new();
            let is_fine = self.look(servers, "ask", |member, result| {
                let health = healthy(member)?;
                first.get_or_init(Instant::now);
                if health.revision == after(result) {
                    return Ok(());
                }
                let error = Error::new(ErrorKind::Conflict, "it does not run the new configuration any more");
                Err(error.hint("it was changed meanwhile, or has taken the change back"))
            });
            if !is_fine {
                return false;
            }
            let until = self.results.iter().filter_map(|result| Some(result.waits.as_ref()?.1)).min();
            let left = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            if left < LEFT {
                let late = format!("only {} s are left to confirm the change{why}", left.as_secs());
                let hint = "`--confirm TIME` gives more, a larger `--jobs` asks more at the same time";
                let error = Error::new(ErrorKind::TooLate, late).hint(hint);
                servers.iter().for_each(|at| {
                    self.results[*at].error.get_or_insert_with(|| error.clone());
                });
                return false;
            }
            if first.get().is_some_and(|first| first.elapsed() <= FRESH) {
                return true;
            }
            why = format!(": the servers did not all answer within {} s", FRESH.as_secs());
        }
    }

    /// Looks at servers as long as no signal comes; false if one is not fine, or was not asked.
    fn look(
        &mut self,
        servers: &[usize],
        what: &'static str,
        check: impl Fn(&FleetMember, &ServerResult) -> Result<(), Error> + Sync,
    ) -> bool {
        let work = |member: &mut FleetMember, result: &mut ServerResult| {
            let fault = check(member, result).err().map(|error| error.at(&member.name));
            let is_fine = fault.is_none();
            result.error = fault.or(result.error.take());
            is_fine
        };
        let found = self.fleet.on(servers, &mut self.results, what, &|| self.held.received().is_none(), work);
        found.len() == servers.len() && found.into_values().all(|is_fine| is_fine)
    }

    /// Confirms each server once, so that one that hangs keeps no other waiting, and then again where that failed.
    fn confirm(&mut self, servers: &[usize]) -> Vec<(usize, StepReply)> {
        let held = &self.held;
        let mut confirm_while = |servers: &[usize], goes_on: &(dyn Fn() -> bool + Sync)| {
            // Once the first confirmation is sent, every server gets one, whatever signal comes.
            self.fleet.on(servers, &mut self.results, "confirm", &|| true, |member, result| {
                let (reply, error) = confirm(member, result, goes_on);
                result.error = error;
                reply
            })
        };
        let mut replies = confirm_while(servers, &|| false);
        let open = replies.iter().filter(|(_, reply)| **reply != StepReply::Done);
        let again: Vec<usize> = open.map(|(at, _)| *at).collect();
        replies.extend(confirm_while(&again, &|| held.received().is_none()));
        replies.into_iter().collect()
    }

    fn cancel(&mut self, servers: &[usize]) -> Vec<(usize, StepReply)> {
        let work = |member: &mut FleetMember, result: &mut ServerResult| {
            take_back(member, result).unwrap_or_else(|error| {
                result.error.get_or_insert(error.at(&member.name));
                StepReply::Lost
            })
        };
        let replies = self.fleet.on(servers, &mut self.results, "take back", &|| true, work);
        for (at, _) in replies.iter().filter(|(_, reply)| **reply == StepReply::Kept) {
            self.fleet.ui.say(&format!("{}: confirmed by others", self.results[*at].server));
        }
        replies.into_iter().collect()
    }
}

/// Makes the change on a server, where it then waits to be confirmed.
fn try_it(
    member: &FleetMember,
    result: &mut ServerResult,
    change: &FleetChange<'_>,
    time: Duration,
) -> Result<(), Error> {
    let Some(plan) = &result.plan else { return Err(not_made()) };
    result.waits = match &plan.waiting {
        Some(waiting) => Some((waiting.id.clone(), plan.asked + Duration::from_secs(waiting.seconds_left))),
        None => {
            let sent = Instant::now();
            let pending = plan.make(member, change.requested, Some(time))?;
            pending.map(|pending| (pending.id, sent + time))
        }
    };
    result.waits.as_ref().map(drop).ok_or_else(|| {
        Error::new(ErrorKind::OutcomeUnknown, "the change does not wait to be confirmed")
            .hint("`mediactl history` of that server shows what it did")
    })
}

fn not_made() -> Error {
    Error::new(ErrorKind::Guarded, "the change was not made")
}

fn not_healthy(why: &str) -> Error {
    Error::new(ErrorKind::NotHealthy, format!("it is not healthy: {why}"))
}

/// Refuses a server that tells of an error.
fn healthy(member: &FleetMember) -> Result<ServerHealth, Error> {
    let health = member.target.service.health()?;
    health.trouble.as_ref().map_or(Ok(()), |error| Err(not_healthy(error)))?;
    Ok(health)
}

/// The revision that a server runs after the change.
fn after(result: &ServerResult) -> Option<Revision> {
    result.plan.as_ref()?.report.after
}

/// Confirms a change. Where no answer comes it is confirmed again, which does no harm, as long as `goes_on` and there
/// is time.
fn confirm(
    member: &FleetMember,
    result: &ServerResult,
    goes_on: &dyn Fn() -> bool,
) -> (StepReply, Option<Error>) {
    let Some((id, until)) = &result.waits else { return (StepReply::Refused, None) };
    // An earlier confirmation may have reached the server.
    let mut was_sent = result.error.as_ref().is_some_and(|error| error.exit() == Exit::Unknown);
    loop {
        let Err(error) = member.target.service.decide(Decision::Keep, Some(id), "") else {
            return (StepReply::Done, None);
        };
        was_sent |= error.exit() == Exit::Unknown;
        // If no change waits, the answer to an earlier confirmation was lost, or another client confirmed it.
        let is_gone = error.kind == ErrorKind::NothingPending;
        let is_kept = (was_sent || is_gone).then(|| is_kept(member, result)).flatten();
        if is_kept == Some(true) {
            return (StepReply::Done, None);
        }
        let went_back = is_gone && is_kept == Some(false);
        let may_pass = matches!(error.exit(), Exit::Absent | Exit::Unknown | Exit::Failed);
        if may_pass && !went_back && Instant::now() + PAUSE < *until && goes_on() {
            sleep(PAUSE);
            continue;
        }
        let may_be_kept = !went_back && (was_sent || is_gone);
        let reply = if may_be_kept { StepReply::Lost } else { StepReply::Refused };
        return (reply, Some(error.at(&member.name)));
    }
}

/// Takes a change back. An error if it goes back only when its time is over.
fn take_back(member: &FleetMember, result: &ServerResult) -> Result<StepReply, Error> {
    let id = result.waits.as_ref().map(|(id, _)| id.as_str());
    // Without its id it may still be under way, and a pending change may be that of another client.
    if id.is_none() && !runs_soon(member, result) {
        return Err(not_made());
    }
    match member.target.service.decide(Decision::RollBack, id, "") {
        Ok(_) => Ok(StepReply::Done),
        Err(error) if error.kind == ErrorKind::NothingPending => {
            let reply = |is_kept| if is_kept { StepReply::Kept } else { StepReply::Done };
            is_kept(member, result).map(reply).ok_or(error)
        }
        Err(error) => Err(error),
    }
}

/// True if a server runs the text after the change, now or a moment later.
fn runs_soon(member: &FleetMember, result: &ServerResult) -> bool {
    for _ in 0..LOOKS {
        match member.target.service.health() {
            Ok(health) if health.revision == after(result) => return true,
            Ok(_) => sleep(PAUSE),
            Err(_) => return false,
        }
    }
    false
}

/// True if a server runs the text after the change, and no change waits there; `None` if it does not answer.
fn is_kept(member: &FleetMember, result: &ServerResult) -> Option<bool> {
    let health = member.target.service.health().ok()?;
    Some(health.revision == after(result) && health.pending.is_none())
}
