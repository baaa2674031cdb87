//! Drives the coordinator: a change is made on all servers or on none.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::answers::ServerAnswer;
use super::batches::{batches, pause};
use super::coordinator::{Coordinator, FleetStep, FleetVerdict, Stage, StepReply};
use super::decide::{PAUSE, TakenBack, WaitingChange, confirm, take_back};
use super::health;
use super::members::{Fleet, FleetMember, ServerNumber, UNSEEN};
use super::plan::{FleetChange, FleetPlan};
use super::progress::ProgressBar;
use super::results::{Ending, ServerOutcome};
use crate::cli::interrupt::HeldSignals;
use crate::error::{Error, ErrorKind, Exit};
use crate::store::Revision;

/// Confirmations begin only if every server has answered within this time.
const FRESH: Duration = Duration::from_secs(2);

/// Confirmations begin only if every server leaves at least this much time.
pub const LEFT: Duration = Duration::from_secs(10);

/// A change under way on servers that all have to make it.
pub struct AllOrNothing<'a> {
    fleet: &'a mut Fleet,
    plans: &'a [ServerAnswer<FleetPlan>],
    change: &'a FleetChange<'a>,
    /// The time that each server waits to be confirmed.
    time: Duration,
    coordinator: Coordinator,
    held: HeldSignals,
    /// The changes that the servers have made.
    made: BTreeMap<ServerNumber, WaitingChange>,
    errors: BTreeMap<ServerNumber, Error>,
}

/// The end of a change.
pub struct Ended {
    pub verdict: FleetVerdict,
    /// The end on each server that was to be changed.
    pub endings: Vec<Ending>,
    pub held: HeldSignals,
}

impl<'a> AllOrNothing<'a> {
    /// A change of those servers that are `changing`; the `canaries` among them get it first.
    pub fn new(
        fleet: &'a mut Fleet,
        plans: &'a [ServerAnswer<FleetPlan>],
        (changing, canaries): (Vec<ServerNumber>, Vec<ServerNumber>),
        (change, time): (&'a FleetChange<'a>, Duration),
        held: HeldSignals,
    ) -> Self {
        Self {
            coordinator: Coordinator::new(changing, canaries),
            made: BTreeMap::new(),
            errors: BTreeMap::new(),
            held,
            fleet,
            plans,
            change,
            time,
        }
    }

    /// Goes from step to step until all servers have the change, or none keeps it.
    pub fn run(mut self) -> Ended {
        let verdict = loop {
            if self.held.received().is_some() {
                self.coordinator.interrupt();
            }
            match self.coordinator.step() {
                FleetStep::Try(servers) => self.try_on(&servers),
                FleetStep::Watch(servers) => {
                    let is_healthy = self.watch(&servers);
                    self.coordinator.watched(is_healthy);
                }
                FleetStep::Check(servers) => {
                    let is_ready = self.check(&servers);
                    self.coordinator.checked(is_ready);
                }
                FleetStep::Confirm(servers) => self.confirm(&servers),
                FleetStep::Cancel(servers) => self.cancel(&servers),
                FleetStep::Done(verdict) => break verdict,
            }
        };
        if verdict == FleetVerdict::None {
            // Whether the change was made is not known, but that it goes back is.
            let unknown = self.errors.values_mut().filter(|error| error.exit() == Exit::Unknown);
            unknown.for_each(|error| error.kind = ErrorKind::NotFound);
        }
        let ending = |(at, stage): (&ServerNumber, &Stage)| Ending {
            error: self.errors.remove(at),
            ..Ending::new(*at, outcome(*stage, &self.plans[at.0]))
        };
        let endings = self.coordinator.stages().iter().map(ending).collect();
        Ended { verdict, endings, held: self.held }
    }

    /// Tries the change on one batch after the other, until it fails on one.
    fn try_on(&mut self, servers: &[ServerNumber]) {
        for (number, batch) in
            batches(servers, &self.change.args.fleet.batching.batch).into_iter().enumerate()
        {
            let time = self.change.args.fleet.batching.pause.unwrap_or_default();
            let goes_on = self.errors.is_empty() && (number == 0 || pause(time, &self.held));
            match goes_on {
                true => self.try_on_batch(batch),
                false => batch.iter().for_each(|at| self.coordinator.not_tried(*at)),
            }
        }
    }

    fn try_on_batch(&mut self, servers: &[ServerNumber]) {
        let (plans, change, time) = (self.plans, self.change, self.time);
        let work = |at: ServerNumber, member: &mut FleetMember| -> Result<WaitingChange, Error> {
            let Ok(plan) = &plans[at.0].result else { return Err(Error::not_begun(&plans[at.0].server)) };
            let sent = Instant::now();
            if let Some(waiting) = &plan.waiting {
                let left = Duration::from_secs(waiting.seconds_left);
                return Ok(WaitingChange { id: waiting.id.clone(), until: plan.asked + left });
            }
            match plan.make(member, change, Some(time))?.pending {
                Some(pending) => Ok(WaitingChange { id: pending.id, until: sent + time }),
                None => Err(Error::unconfirmable(&member.name)),
            }
        };
        for (at, made) in self.on(servers, "try", work) {
            match made {
                Some(made) => self.hear_try(at, made),
                None => self.coordinator.not_tried(at),
            }
        }
    }

    fn hear_try(&mut self, at: ServerNumber, made: Result<WaitingChange, Error>) {
        let reply = match &made {
            Ok(_) => StepReply::Done,
            Err(error) if error.exit() == Exit::Unknown => StepReply::Lost,
            Err(_) => StepReply::Refused,
        };
        self.coordinator.tried(at, reply);
        match made {
            Ok(made) => drop(self.made.insert(at, made)),
            Err(error) => drop(self.errors.insert(at, error)),
        }
    }

    /// Looks at servers again and again; false as soon as one is not healthy, or a signal comes.
    fn watch(&mut self, servers: &[ServerNumber]) -> bool {
        let (begin, time) = (Instant::now(), self.change.args.fleet.soak());
        let mut bar = ProgressBar::new(whole_seconds(time), "check the canaries, seconds:");
        let is_healthy = loop {
            if !self.are_healthy(servers, UNSEEN) {
                break false;
            }
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                break true;
            }
            bar.set(whole_seconds(begin.elapsed()));
            std::thread::sleep(PAUSE.min(left));
        };
        if is_healthy && bar.is_hidden() && !self.change.args.quiet {
            let line = |at: &ServerNumber| format!("{}: healthy for {} s", self.name(*at), time.as_secs());
            servers.iter().map(line).for_each(|line| self.fleet.ui.say(&line));
        }
        is_healthy
    }

    fn are_healthy(&mut self, servers: &[ServerNumber], what: &'static str) -> bool {
        let found = self.on(servers, what, |_, member| health::ask(member).map(drop));
        self.all_fine(found) && self.health_command(servers, UNSEEN)
    }

    fn health_command(&mut self, servers: &[ServerNumber], what: &'static str) -> bool {
        let command = self.change.args.fleet.health_cmd.as_deref();
        let timeout = Duration::from_secs(self.change.args.hooking.hook_timeout);
        let found = self.on(servers, what, |_, member| health::run(member, command, timeout));
        self.all_fine(found)
    }

    /// True if every server is healthy, has answered just now, and leaves enough time.
    fn check(&mut self, servers: &[ServerNumber]) -> bool {
        if !self.health_command(servers, "check") {
            return false;
        }
        let revisions: Vec<_> = self.plans.iter().map(after).collect();
        let mut was_slow = false;
        loop {
            let first = Mutex::new(None::<Instant>);
            let ask = |at: ServerNumber, member: &mut FleetMember| -> Result<(), Error> {
                match was_slow {
                    true => health::still_runs(member, revisions[at.0])?,
                    false if health::ask(member)?.revision != revisions[at.0] => {
                        return Err(Error::other_change(&member.name));
                    }
                    false => {}
                }
                first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(Instant::now());
                Ok(())
            };
            let found = self.on(servers, "ask", ask);
            if !self.all_fine(found) {
                return false;
            }
            let until = self.made.values().map(|made| made.until).min();
            let left = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            if left < LEFT {
                self.blame(servers, || match was_slow {
                    true => Error::too_slow(FRESH),
                    false => Error::too_little_time(left.as_secs()),
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

    /// Keeps an error for each of these servers that has none.
    fn blame(&mut self, servers: &[ServerNumber], error: impl Fn() -> Error) {
        servers.iter().for_each(|at| {
            self.errors.entry(*at).or_insert_with(&error);
        });
    }

    /// Keeps the errors; false if there is one, or if a server was not asked.
    fn all_fine(&mut self, found: Vec<(ServerNumber, Option<Result<(), Error>>)>) -> bool {
        let mut is_fine = true;
        for (at, result) in found {
            is_fine &= matches!(result, Some(Ok(())));
            if let Some(Err(error)) = result {
                self.errors.insert(at, error);
            }
        }
        is_fine
    }

    /// Confirms each server once, so that one that hangs keeps no other waiting, and then again where that failed.
    fn confirm(&mut self, servers: &[ServerNumber]) {
        self.confirm_while(servers, &|_| false);
        let is_open = |at: &ServerNumber| self.coordinator.stages()[at] != Stage::Confirmed;
        let again: Vec<ServerNumber> = servers.iter().copied().filter(is_open).collect();
        if !again.is_empty() {
            self.confirm_while(&again, &|held| held.received().is_none());
        }
    }

    fn confirm_while(&mut self, servers: &[ServerNumber], goes_on: &(dyn Fn(&HeldSignals) -> bool + Sync)) {
        let (held, plans, made) = (&self.held, self.plans, &self.made);
        let was_sent = |at| self.errors.get(&at).is_some_and(|error| error.exit() == Exit::Unknown);
        let work = |at: ServerNumber, member: &mut FleetMember| match made.get(&at) {
            Some(change) => confirm(member, change, after(&plans[at.0]), was_sent(at), &|| goes_on(held)),
            None => (StepReply::Refused, None),
        };
        // Once the first confirmation is sent, every server gets one, whatever signal comes.
        for (at, (reply, error)) in self.fleet.on(servers, "confirm", &|| true, work) {
            self.coordinator.confirmed(at, reply);
            match error {
                Some(error) => drop(self.errors.insert(at, error)),
                None => drop(self.errors.remove(&at)),
            }
        }
    }

    fn cancel(&mut self, servers: &[ServerNumber]) {
        let (made, plans) = (&self.made, self.plans);
        let work = |at: ServerNumber, member: &mut FleetMember| {
            let id = made.get(&at).map(|made| made.id.as_str());
            take_back(member, id, after(&plans[at.0]))
        };
        for (at, result) in self.fleet.on(servers, "take back", &|| true, work) {
            match result {
                TakenBack::Done => self.coordinator.cancelled(at, StepReply::Done),
                TakenBack::Kept => {
                    self.fleet.ui.say(&format!("{}: confirmed by others", self.name(at)));
                    self.coordinator.confirmed(at, StepReply::Done);
                }
                TakenBack::Later(error) => {
                    self.coordinator.cancelled(at, StepReply::Lost);
                    self.errors.entry(at).or_insert(error);
                }
            }
        }
    }

    /// Works on servers as long as no signal comes.
    fn on<T: Send>(
        &mut self,
        servers: &[ServerNumber],
        what: &'static str,
        work: impl Fn(ServerNumber, &mut FleetMember) -> Result<T, Error> + Sync,
    ) -> Vec<(ServerNumber, Option<Result<T, Error>>)> {
        let held = &self.held;
        let mut found = self.fleet.on(servers, what, &|| held.received().is_none(), work);
        servers.iter().map(|at| (*at, found.remove(at))).collect()
    }

    fn name(&self, at: ServerNumber) -> &str {
        &self.plans[at.0].server
    }
}

/// The revision that a server runs after the change.
fn after(answer: &ServerAnswer<FleetPlan>) -> Option<Revision> {
    answer.result.as_ref().ok()?.report.after
}

fn outcome(stage: Stage, plan: &ServerAnswer<FleetPlan>) -> ServerOutcome {
    match stage {
        Stage::Untouched => ServerOutcome::NotChanged,
        Stage::Refused => ServerOutcome::Refused,
        Stage::Tried | Stage::Waiting | Stage::NotConfirmed | Stage::Cancelling => ServerOutcome::GoesBack,
        Stage::Confirming => ServerOutcome::Unknown,
        Stage::Confirmed => plan.result.as_ref().map_or(ServerOutcome::Changed, FleetPlan::done),
        Stage::Cancelled => ServerOutcome::TakenBack,
    }
}

fn whole_seconds(time: Duration) -> usize {
    usize::try_from(time.as_secs()).unwrap_or(usize::MAX)
}
