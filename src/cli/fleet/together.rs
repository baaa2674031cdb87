//! Drives the coordinator: a change is made on all servers or on none.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::coordinator::{Coordinator, FleetStep, FleetVerdict, Stage, StepReply};
use super::members::{Fleet, FleetMember, ProgressBar, UNSEEN};
use super::plan::{FleetChange, FleetPlan};
use super::results::{ServerOutcome, ServerResult};
use super::waves::{LEFT, batches, pause};
use crate::cli::interrupt::HeldSignals;
use crate::engine::{Decision, hook_output};
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
            match coordinator.step() {
                FleetStep::Try(servers) => self.try_on(&servers, &mut coordinator),
                FleetStep::Watch(servers) => coordinator.watched(self.stay_healthy(&servers)),
                FleetStep::Check(servers) => coordinator.checked(self.are_ready(&servers)),
                FleetStep::Confirm(servers) => self.confirm(&servers, &mut coordinator),
                FleetStep::Cancel(servers) => self.cancel(&servers, &mut coordinator),
                FleetStep::Done(verdict) => break verdict,
            }
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
    fn try_on(&mut self, servers: &[usize], coordinator: &mut Coordinator) {
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
        for (number, batch) in batches(servers, &batching.batch).into_iter().enumerate() {
            let goes_on = self.errors.is_empty()
                && (number == 0 || pause(batching.pause.unwrap_or_default(), self.held));
            if !goes_on {
                batch.iter().for_each(|at| coordinator.not_tried(*at));
                continue;
            }
            for (at, made) in self.on(batch, "try", work) {
                match made {
                    None => coordinator.not_tried(at),
                    Some(Ok(made)) => {
                        coordinator.tried(at, StepReply::Done);
                        self.made.insert(at, made);
                    }
                    Some(Err(error)) => {
                        let is_lost = error.exit() == Exit::Unknown;
                        coordinator.tried(at, if is_lost { StepReply::Lost } else { StepReply::Refused });
                        self.errors.insert(at, error);
                    }
                }
            }
        }
    }

    /// Looks at servers again and again; false as soon as one is not healthy, or a signal comes.
    fn stay_healthy(&mut self, servers: &[usize]) -> bool {
        let (begin, time) = (Instant::now(), self.change.args.fleet.soak());
        let seconds = |time: Duration| usize::try_from(time.as_secs()).unwrap_or(usize::MAX);
        let bar = ProgressBar::new(seconds(time), "check the canaries, seconds:");
        loop {
            let asked = self.on(servers, UNSEEN, |_, member| healthy_revision(member).map(drop));
            if !(self.all_fine(asked) && self.health_command(servers, UNSEEN)) {
                return false;
            }
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                break;
            }
            bar.set(seconds(begin.elapsed()));
            sleep(PAUSE.min(left));
        }
        if bar.is_hidden() && !self.change.args.quiet {
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
        let plans = self.plans;
        let mut was_slow = false;
        loop {
            let first = Mutex::new(None::<Instant>);
            let asked = self.on(servers, "ask", |at, member| -> Result<(), Error> {
                let after = after(&plans[at]);
                match was_slow {
                    true => still_runs(member, after)?,
                    false if healthy_revision(member)? != after => return Err(other_change(member)),
                    false => {}
                }
                first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(Instant::now());
                Ok(())
            });
            if !self.all_fine(asked) {
                return false;
            }
            let until = self.made.values().map(|made| made.until).min();
            let left = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            if left < LEFT {
                let (message, hint) = match was_slow {
                    true => (
                        format!("the servers did not all answer within {} s", FRESH.as_secs()),
                        "a larger `--jobs` asks more of them at the same time",
                    ),
                    false => (
                        format!("only {} s are left to confirm the change", left.as_secs()),
                        "`--confirm TIME` gives more",
                    ),
                };
                let error = Error::new(ErrorKind::TooLate, message).hint(hint);
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
    fn confirm(&mut self, servers: &[usize], coordinator: &mut Coordinator) {
        self.confirm_while(servers, &|_| false, coordinator);
        let is_open = |at: &usize| coordinator.stages()[at] != Stage::Confirmed;
        let again: Vec<usize> = servers.iter().copied().filter(is_open).collect();
        if !again.is_empty() {
            self.confirm_while(&again, &|held| held.received().is_none(), coordinator);
        }
    }

    fn confirm_while(
        &mut self,
        servers: &[usize],
        goes_on: &(dyn Fn(&HeldSignals) -> bool + Sync),
        coordinator: &mut Coordinator,
    ) {
        let (held, plans, made) = (self.held, self.plans, &self.made);
        let was_sent = |at| self.errors.get(&at).is_some_and(|error| error.exit() == Exit::Unknown);
        let work = |at: usize, member: &mut FleetMember| match made.get(&at) {
            Some(change) => confirm(member, change, after(&plans[at]), was_sent(at), &|| goes_on(held)),
            None => (StepReply::Refused, None),
        };
        // Once the first confirmation is sent, every server gets one, whatever signal comes.
        for (at, (reply, error)) in self.fleet.on(servers, "confirm", &|| true, work) {
            coordinator.confirmed(at, reply);
            match error {
                Some(error) => drop(self.errors.insert(at, error)),
                None => drop(self.errors.remove(&at)),
            }
        }
    }

    fn cancel(&mut self, servers: &[usize], coordinator: &mut Coordinator) {
        let (made, plans) = (&self.made, self.plans);
        let work = |at: usize, member: &mut FleetMember| {
            let id = made.get(&at).map(|made| made.id.as_str());
            take_back(member, id, after(&plans[at]))
        };
        for (at, result) in self.fleet.on(servers, "take back", &|| true, work) {
            match result {
                Ok(true) => {
                    self.fleet.ui.say(&format!("{}: confirmed by others", self.plans[at].server));
                    coordinator.confirmed(at, StepReply::Done);
                }
                Ok(false) => coordinator.cancelled(at, StepReply::Done),
                Err(error) => {
                    coordinator.cancelled(at, StepReply::Lost);
                    self.errors.entry(at).or_insert(error);
                }
            }
        }
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

/// The revision that a server runs; one that tells of an error is refused.
fn healthy_revision(member: &mut FleetMember) -> Result<Option<Revision>, Error> {
    let health = member.target.service.health().map_err(|error| error.at(&member.name))?;
    health.trouble.map_or(Ok(health.revision), |error| Err(not_healthy(member, &error)))
}

/// Refuses a server that runs another text.
fn still_runs(member: &mut FleetMember, revision: Option<Revision>) -> Result<(), Error> {
    let runs = member.target.service.revision().map_err(|error| error.at(&member.name))?;
    if runs == revision { Ok(()) } else { Err(other_change(member)) }
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

/// Takes a change back; `id` is not known where the server gave no answer. True if another client has confirmed it, an
/// error if it goes back only when its time is over.
fn take_back(member: &mut FleetMember, id: Option<&str>, after: Option<Revision>) -> Result<bool, Error> {
    // Without its id it may still be under way, and a pending change may be that of another client.
    if id.is_none() && !runs_soon(member, after) {
        return Err(not_begun(member));
    }
    match member.target.service.decide(Decision::RollBack, id, "") {
        Ok(_) => Ok(false),
        Err(error) if error.kind == ErrorKind::NothingPending => {
            is_kept(member, after).ok_or_else(|| error.at(&member.name))
        }
        Err(error) => Err(error.at(&member.name)),
    }
}

/// True if a server runs this text, now or a moment later.
fn runs_soon(member: &mut FleetMember, revision: Option<Revision>) -> bool {
    for _ in 0..LOOKS {
        match still_runs(member, revision) {
            Ok(()) => return true,
            Err(error) if error.exit() == Exit::Conflict => sleep(PAUSE),
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
