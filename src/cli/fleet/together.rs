//! Drives the coordinator: a change is made on all servers or on none.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::coordinator::{Coordinator, FleetStep, FleetVerdict, Stage, StepReply};
use super::members::{Fleet, FleetMember, UNSEEN, show_progress};
use super::plan::{FleetChange, FleetPlan, ServerOutcome, ServerResult};
use super::waves::{LEFT, batches, pause};
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

/// A change that a server has made, and that waits to be confirmed.
struct WaitingChange {
    id: String,
    /// It is not rolled back before.
    until: Instant,
}

/// A change under way on servers that all have to make it.
pub struct Together<'a> {
    fleet: &'a mut Fleet,
    /// The change as it was evaluated on each server.
    plans: &'a [ServerResult],
    change: &'a FleetChange<'a>,
    /// The time that each server waits to be confirmed.
    time: Duration,
    held: &'a HeldSignals,
    made: BTreeMap<usize, WaitingChange>,
    errors: BTreeMap<usize, Error>,
}

impl<'a> Together<'a> {
    /// A change that each server makes for this time, unless it is confirmed.
    pub fn new(
        fleet: &'a mut Fleet,
        plans: &'a [ServerResult],
        change: &'a FleetChange<'a>,
        time: Duration,
        held: &'a HeldSignals,
    ) -> Self {
        Self { fleet, plans, change, time, held, made: BTreeMap::new(), errors: BTreeMap::new() }
    }

    /// Goes from step to step until all of these servers have the change, or none keeps it; the `canaries` among them get
    /// it first. Returns the end on each of them.
    pub fn run(
        mut self,
        changing: &[usize],
        canaries: Vec<usize>,
    ) -> (FleetVerdict, Vec<(usize, ServerOutcome, Option<Error>)>) {
        let mut coordinator = Coordinator::new(changing.iter().copied(), canaries);
        let verdict = loop {
            if self.held.received().is_some() {
                coordinator.interrupt();
            }
            let step = coordinator.step();
            let replies = match &step {
                FleetStep::Try(servers) => self.try_on(servers),
                FleetStep::Confirm(servers) => self.confirm(servers),
                FleetStep::Cancel(servers) => self.cancel(servers),
                FleetStep::Watch(servers) => {
                    coordinator.looked(self.stay_healthy(servers));
                    continue;
                }
                FleetStep::Check(servers) => {
                    coordinator.looked(self.are_ready(servers));
                    continue;
                }
                FleetStep::Done(verdict) => break *verdict,
            };
            replies.into_iter().for_each(|(at, reply)| coordinator.hear(&step, at, reply));
        };
        if verdict == FleetVerdict::None {
            // Whether the change was made is not known, but that it goes back is.
            let unknown = self.errors.values_mut().filter(|error| error.exit() == Exit::Unknown);
            unknown.for_each(|error| error.kind = ErrorKind::NotFound);
        }
        let ending = |(&at, stage): (&usize, &Stage)| {
            let outcome = match stage {
                Stage::Untouched => ServerOutcome::NotChanged,
                Stage::Refused => ServerOutcome::Refused,
                Stage::Tried | Stage::Waiting | Stage::NotConfirmed | Stage::Cancelling => {
                    ServerOutcome::GoesBack
                }
                Stage::Confirming => ServerOutcome::Unknown,
                Stage::Confirmed => {
                    self.plans[at].plan.as_ref().map_or(ServerOutcome::Changed, FleetPlan::done)
                }
                Stage::Cancelled => ServerOutcome::TakenBack,
            };
            (at, outcome, self.errors.remove(&at))
        };
        (verdict, coordinator.stages().iter().map(ending).collect())
    }

    /// Tries the change on one batch after the other, until it fails on one.
    fn try_on(&mut self, servers: &[usize]) -> Vec<(usize, StepReply)> {
        let (plans, change, time) = (self.plans, self.change, self.time);
        let batching = &change.args.fleet.batching;
        let work = |at: usize, member: &mut FleetMember| -> Result<WaitingChange, Error> {
            let Some(plan) = &plans[at].plan else { return Err(not_begun(member)) };
            let sent = Instant::now();
            if let Some(waiting) = &plan.waiting {
                let left = Duration::from_secs(waiting.seconds_left);
                return Ok(WaitingChange { id: waiting.id.clone(), until: plan.asked + left });
            }
            let pending = plan.make(member, change, Some(time))?.pending;
            let made = pending.map(|pending| WaitingChange { id: pending.id, until: sent + time });
            made.ok_or_else(|| {
                let message = format!("`{}`: the change does not wait to be confirmed", member.name);
                Error::new(ErrorKind::OutcomeUnknown, message)
                    .hint("`mediactl history` of that server shows what it did")
            })
        };
        let mut replies = Vec::new();
        for (number, batch) in batches(servers, &batching.batch).into_iter().enumerate() {
            let goes_on = self.errors.is_empty()
                && (number == 0 || pause(batching.pause.unwrap_or_default(), self.held));
            for (at, made) in if goes_on { self.on(batch, "try", work) } else { Vec::new() } {
                let reply = match &made {
                    None => StepReply::NotSent,
                    Some(Ok(_)) => StepReply::Done,
                    Some(Err(error)) if error.exit() == Exit::Unknown => StepReply::Lost,
                    Some(Err(_)) => StepReply::Refused,
                };
                replies.push((at, reply));
                match made {
                    Some(Ok(made)) => drop(self.made.insert(at, made)),
                    Some(Err(error)) => drop(self.errors.insert(at, error)),
                    None => {}
                }
            }
            if !goes_on {
                replies.extend(batch.iter().map(|at| (*at, StepReply::NotSent)));
            }
        }
        replies
    }

    /// Looks at servers again and again; false as soon as one is not healthy, or a signal comes.
    fn stay_healthy(&mut self, servers: &[usize]) -> bool {
        let (begin, time) = (Instant::now(), self.change.args.fleet.soak());
        let what = "check the canaries, seconds";
        let seconds = |time: Duration| usize::try_from(time.as_secs()).unwrap_or(usize::MAX);
        loop {
            let asked = self.on(servers, UNSEEN, |_, member| healthy(member).map(drop));
            if !(self.all_fine(asked) && self.health_command(servers, UNSEEN)) {
                show_progress(what, 0, 0);
                return false;
            }
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                break;
            }
            show_progress(what, seconds(begin.elapsed()), seconds(time));
            sleep(PAUSE.min(left));
        }
        show_progress(what, seconds(time), seconds(time));
        if !self.change.args.quiet {
            for at in servers {
                let server = &self.plans[*at].server;
                self.fleet.ui.say(&format!("{server}: healthy for {} s", time.as_secs()));
            }
        }
        true
    }

    /// True if the health command, if there is one, succeeds for each server.
    fn health_command(&mut self, servers: &[usize], what: &'static str) -> bool {
        let Some(command) = self.change.args.fleet.health_cmd.as_deref() else { return true };
        let timeout = Duration::from_secs(self.change.args.hooking.hook_timeout);
        let checked = self.on(servers, what, |_, member| {
            let checked = hook_output(command, &[("MEDIACTL_CONTEXT", &member.name)], timeout);
            checked.map(drop).map_err(|failure| not_healthy(member, &format!("the health command {failure}")))
        });
        self.all_fine(checked)
    }

    /// True if every server is healthy, has answered just now, and leaves enough time.
    fn are_ready(&mut self, servers: &[usize]) -> bool {
        if !self.health_command(servers, "check") {
            return false;
        }
        let (plans, mut was_slow) = (self.plans, false);
        loop {
            let first = Mutex::new(None::<Instant>);
            let asked = self.on(servers, "ask", |at, member| {
                let health = healthy(member)?;
                first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(Instant::now());
                if health.revision == after(&plans[at]) { Ok(()) } else { Err(other_change(member)) }
            });
            if !self.all_fine(asked) {
                return false;
            }
            let until = self.made.values().map(|made| made.until).min();
            let left = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            if left < LEFT {
                let too_slow = format!("the servers did not all answer within {} s", FRESH.as_secs());
                let too_late = format!("only {} s are left to confirm the change", left.as_secs());
                let error = Error::new(ErrorKind::TooLate, if was_slow { too_slow } else { too_late });
                let error =
                    error.hint("`--confirm TIME` gives more, a larger `--jobs` asks more at the same time");
                servers.iter().for_each(|at| {
                    self.errors.entry(*at).or_insert_with(|| error.clone());
                });
                return false;
            }
            let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
            if first.is_some_and(|first| first.elapsed() <= FRESH) {
                return true;
            }
            was_slow = true;
        }
    }

    /// Keeps the errors; false if there is one, or if a server was not asked.
    fn all_fine(&mut self, found: Vec<(usize, Option<Result<(), Error>>)>) -> bool {
        let is_fine = found.iter().all(|(_, result)| matches!(result, Some(Ok(()))));
        self.errors.extend(found.into_iter().filter_map(|(at, result)| Some((at, result?.err()?))));
        is_fine
    }

    /// Confirms each server once, so that one that hangs keeps no other waiting, and then again where that failed.
    fn confirm(&mut self, servers: &[usize]) -> Vec<(usize, StepReply)> {
        let mut replies = self.confirm_while(servers, &|_| false);
        let open = replies.iter().filter(|(_, reply)| *reply != StepReply::Done);
        let again: Vec<usize> = open.map(|(at, _)| *at).collect();
        if !again.is_empty() {
            replies.extend(self.confirm_while(&again, &|held| held.received().is_none()));
        }
        replies
    }

    fn confirm_while(
        &mut self,
        servers: &[usize],
        goes_on: &(dyn Fn(&HeldSignals) -> bool + Sync),
    ) -> Vec<(usize, StepReply)> {
        let (held, plans, made) = (self.held, self.plans, &self.made);
        let was_sent = |at| self.errors.get(&at).is_some_and(|error| error.exit() == Exit::Unknown);
        let work = |at: usize, member: &mut FleetMember| match made.get(&at) {
            Some(change) => confirm(member, change, after(&plans[at]), was_sent(at), &|| goes_on(held)),
            None => (StepReply::Refused, None),
        };
        // Once the first confirmation is sent, every server gets one, whatever signal comes.
        let found = self.fleet.on(servers, "confirm", &|| true, work);
        let keep = |(at, (reply, error))| {
            match error {
                Some(error) => drop(self.errors.insert(at, error)),
                None => drop(self.errors.remove(&at)),
            }
            (at, reply)
        };
        found.into_iter().map(keep).collect()
    }

    fn cancel(&mut self, servers: &[usize]) -> Vec<(usize, StepReply)> {
        let (made, plans) = (&self.made, self.plans);
        let work = |at: usize, member: &mut FleetMember| {
            let id = made.get(&at).map(|made| made.id.as_str());
            take_back(member, id, after(&plans[at]))
        };
        let found = self.fleet.on(servers, "take back", &|| true, work);
        let reply = |(at, result): (usize, _)| match result {
            Ok(StepReply::Kept) => {
                self.fleet.ui.say(&format!("{}: confirmed by others", self.plans[at].server));
                (at, StepReply::Kept)
            }
            Ok(reply) => (at, reply),
            Err(error) => {
                self.errors.entry(at).or_insert(error);
                (at, StepReply::Lost)
            }
        };
        found.into_iter().map(reply).collect()
    }

    /// Works on servers as long as no signal comes.
    fn on<T: Send>(
        &mut self,
        servers: &[usize],
        what: &'static str,
        work: impl Fn(usize, &mut FleetMember) -> Result<T, Error> + Sync,
    ) -> Vec<(usize, Option<Result<T, Error>>)> {
        let mut found = self.fleet.on(servers, what, &|| self.held.received().is_none(), work);
        servers.iter().map(|at| (*at, found.remove(at))).collect()
    }
}

/// The revision that a server runs after the change.
fn after(result: &ServerResult) -> Option<Revision> {
    result.plan.as_ref()?.report.after
}

fn not_begun(member: &FleetMember) -> Error {
    Error::new(ErrorKind::Guarded, format!("`{}`: the change was not made", member.name))
}

fn not_healthy(member: &FleetMember, why: &str) -> Error {
    Error::new(ErrorKind::NotHealthy, format!("`{}`: it is not healthy: {why}", member.name))
}

fn other_change(member: &FleetMember) -> Error {
    let message = format!("`{}` does not run the new configuration any more", member.name);
    Error::new(ErrorKind::Conflict, message).hint("it was changed meanwhile, or has taken the change back")
}

/// Refuses a server that tells of an error.
fn healthy(member: &mut FleetMember) -> Result<ServerHealth, Error> {
    let health = member.target.service.health().map_err(|error| error.at(&member.name))?;
    match &health.trouble {
        Some(error) => Err(not_healthy(member, error)),
        None => Ok(health),
    }
}

/// Confirms a change. Where no answer comes it is confirmed again, which does no harm, as long as `goes_on` and there
/// is time; `was_sent` says whether an earlier confirmation may have reached the server.
fn confirm(
    member: &mut FleetMember,
    change: &WaitingChange,
    after: Option<Revision>,
    mut was_sent: bool,
    goes_on: &dyn Fn() -> bool,
) -> (StepReply, Option<Error>) {
    loop {
        let error = match member.target.service.decide(Decision::Keep, Some(&change.id), "") {
            Ok(_) => return (StepReply::Done, None),
            Err(error) => error,
        };
        was_sent |= error.exit() == Exit::Unknown;
        // If no change waits, the answer to an earlier confirmation was lost, or another client confirmed it.
        let is_gone = error.kind == ErrorKind::NothingPending;
        let is_kept = (was_sent || is_gone).then(|| is_kept(member, after)).flatten();
        if is_kept == Some(true) {
            return (StepReply::Done, None);
        }
        let went_back = is_gone && is_kept == Some(false);
        let may_pass = matches!(error.exit(), Exit::Absent | Exit::Unknown | Exit::Failed);
        let has_time = Instant::now() + PAUSE < change.until && goes_on();
        if may_pass && has_time && !went_back {
            sleep(PAUSE);
            continue;
        }
        let may_be_kept = !went_back && (was_sent || is_gone);
        let reply = if may_be_kept { StepReply::Lost } else { StepReply::Refused };
        return (reply, Some(error.at(&member.name)));
    }
}

/// Takes a change back; `id` is not known where the server gave no answer. An error if it goes back only when its time is
/// over.
fn take_back(
    member: &mut FleetMember,
    id: Option<&str>,
    after: Option<Revision>,
) -> Result<StepReply, Error> {
    // Without its id it may still be under way, and a pending change may be that of another client.
    if id.is_none() && !runs_soon(member, after) {
        return Err(not_begun(member));
    }
    match member.target.service.decide(Decision::RollBack, id, "") {
        Err(error) if error.kind == ErrorKind::NothingPending => match is_kept(member, after) {
            Some(true) => Ok(StepReply::Kept),
            Some(false) => Ok(StepReply::Done),
            None => Err(error.at(&member.name)),
        },
        decided => decided.map(|_| StepReply::Done).map_err(|error| error.at(&member.name)),
    }
}

/// True if a server runs this text, now or a moment later.
fn runs_soon(member: &mut FleetMember, revision: Option<Revision>) -> bool {
    for _ in 0..LOOKS {
        match member.target.service.health() {
            Ok(health) if health.revision == revision => return true,
            Ok(_) => sleep(PAUSE),
            Err(_) => return false,
        }
    }
    false
}

/// True if a server runs this text, and no change waits there; `None` if it does not answer.
fn is_kept(member: &mut FleetMember, revision: Option<Revision>) -> Option<bool> {
    let health = member.target.service.health().ok()?;
    Some(health.revision == revision && health.pending.is_none())
}
