//! Drives the coordinator: a change is made on all servers or on none.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::coordinator::{Coordinator, FleetStep, FleetVerdict, Stage, StepReply};
use super::health;
use super::journal::{FleetJournalLine, Journal};
use super::members::{Fleet, FleetMember, ServerAnswer};
use super::plan::{FleetChange, FleetPlan, Operation};
use super::results::Standing;
use super::tables::in_a_word;
use crate::cli::error::CliError;
use crate::cli::interrupt::HeldSignals;
use crate::engine::{ChangeOptions, Decision, ErrorKind, ServiceError};
use crate::store::Revision;

/// Confirmations begin only if every server has answered within this time.
const FRESH: Duration = Duration::from_secs(2);

/// Confirmations begin only if every server leaves at least this much time.
const LEFT: Duration = Duration::from_secs(10);

/// How long to wait between two looks at the canaries, and between two tries to confirm.
const PAUSE: Duration = Duration::from_millis(500);

/// How often to look whether a server runs a change to which it gave no answer.
const LOOKS: usize = 4;

/// A change under way on servers that all have to make it.
pub struct Together<'a> {
    fleet: &'a mut Fleet,
    plans: &'a [ServerAnswer<FleetPlan>],
    /// The numbers of the servers that change.
    changing: Vec<usize>,
    change: &'a FleetChange<'a>,
    operation: &'a Operation<'a>,
    /// How long each server waits to be confirmed.
    time: Duration,
    coordinator: Coordinator,
    journal: Journal,
    held: HeldSignals,
    /// What each of the servers that change has made.
    made: Vec<Option<WaitingChange>>,
    errors: Vec<Option<CliError>>,
}

/// A change that waits to be confirmed.
#[derive(Debug, Clone)]
struct WaitingChange {
    id: String,
    /// It is not rolled back before.
    until: Instant,
}

/// How it ended.
pub struct Ended {
    pub verdict: FleetVerdict,
    pub journal: Journal,
    /// What stands on each server that was to be changed, by its number.
    pub results: Vec<(usize, Standing, Option<CliError>)>,
    /// The signal that came meanwhile.
    pub signal: Option<i32>,
}

impl<'a> Together<'a> {
    /// A change of those servers whose numbers are in `changing`; the `canaries` are places in that list.
    pub fn new(
        fleet: &'a mut Fleet,
        plans: &'a [ServerAnswer<FleetPlan>],
        changing: Vec<usize>,
        canaries: Vec<usize>,
        (change, operation, time): (&'a FleetChange<'a>, &'a Operation<'a>, Duration),
        journal: Journal,
    ) -> Self {
        let count = changing.len();
        Self {
            coordinator: Coordinator::new(count, canaries),
            made: vec![None; count],
            errors: (0..count).map(|_| None).collect(),
            held: HeldSignals::hold(),
            fleet,
            plans,
            changing,
            change,
            operation,
            time,
            journal,
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
            let unknown = self.errors.iter_mut().flatten().filter(|error| error.kind == ErrorKind::Unknown);
            unknown.for_each(|error| error.kind = ErrorKind::Absent);
        }
        let stages = self.coordinator.stages().iter().zip(self.changing).zip(self.errors);
        let results = stages.map(|((stage, at), error)| (at, standing(*stage), error)).collect();
        Ended { verdict, journal: self.journal, results, signal: self.held.received() }
    }

    fn try_on(&mut self, servers: &[usize]) {
        if let Err(error) = self.begin("try", servers) {
            return servers
                .iter()
                .for_each(|at| self.hear_try(*at, Err(CliError::journal_failed_again(&error))));
        }
        let (plans, change, operation, time) = (self.plans, self.change, self.operation, self.time);
        let work = |at: usize, member: &mut FleetMember| -> Result<WaitingChange, CliError> {
            let Ok(plan) = &plans[at].result else { return Err(CliError::not_begun(&plans[at].server)) };
            let sent = Instant::now();
            let options = ChangeOptions {
                confirm: Some(time),
                expected: change.expected(&plan.running),
                ..change.options.clone()
            };
            let outcome = operation(&mut *member.target.service, &options)
                .map_err(|error| CliError::from(error).at(&member.name))?;
            match outcome.pending {
                Some(pending) => Ok(WaitingChange { id: pending.id, until: sent + time }),
                None => Err(CliError::unconfirmable(&member.name)),
            }
        };
        for (at, made) in self.on(servers, "try", "waits to be confirmed", work) {
            let made = made.unwrap_or_else(|| Err(CliError::not_begun(self.name(at))));
            self.hear_try(at, made);
        }
    }

    fn hear_try(&mut self, at: usize, made: Result<WaitingChange, CliError>) {
        let reply = match &made {
            Ok(_) => StepReply::Done,
            Err(error) if error.kind == ErrorKind::Unknown => StepReply::Lost,
            Err(_) => StepReply::Refused,
        };
        self.coordinator.tried(at, reply);
        match made {
            Ok(made) => self.made[at] = Some(made),
            Err(error) => self.errors[at] = Some(error),
        }
        self.note(at);
    }

    /// Looks at servers again and again; false as soon as one is not healthy, or a signal comes.
    fn watch(&mut self, servers: &[usize]) -> bool {
        let until = Instant::now() + self.change.args.fleet.canary_time;
        while self.are_healthy(servers) {
            if Instant::now() >= until {
                return true;
            }
            std::thread::sleep(PAUSE.min(until.saturating_duration_since(Instant::now())));
        }
        false
    }

    fn are_healthy(&mut self, servers: &[usize]) -> bool {
        let command = self.change.args.fleet.health_cmd.as_deref();
        let timeout = Duration::from_secs(self.change.args.hooking.hook_timeout);
        let look = |_, member: &mut FleetMember| health::look(member, command, timeout);
        let found = self.on(servers, "check", "healthy", look);
        self.all_fine(found)
    }

    /// Whether every server is healthy, has answered just now, and leaves enough time.
    fn check(&mut self, servers: &[usize]) -> bool {
        if !self.are_healthy(servers) {
            return false;
        }
        loop {
            let left = self.made.iter().flatten().map(|made| made.until).min();
            let left = left.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            if left < LEFT {
                servers.iter().for_each(|at| {
                    self.errors[*at].get_or_insert(CliError::too_little_time(left.as_secs()));
                });
                return false;
            }
            let revisions: Vec<_> = self
                .plans
                .iter()
                .map(|answer| answer.result.as_ref().ok().and_then(FleetPlan::revisions))
                .collect();
            let first = Mutex::new(None::<Instant>);
            let ping = |at: usize, member: &mut FleetMember| -> Result<(), CliError> {
                health::still_runs(member, revisions[at].map(|[_, after]| after))?;
                let mut first = first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                first.get_or_insert(Instant::now());
                Ok(())
            };
            let found = self.on(servers, "ask", "", ping);
            if !self.all_fine(found) {
                return false;
            }
            let first = first.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            if first.is_some_and(|first| first.elapsed() <= FRESH) {
                return true;
            }
        }
    }

    /// Keeps the errors; false if there is one, or if a server was not asked.
    fn all_fine(&mut self, found: Vec<(usize, Option<Result<(), CliError>>)>) -> bool {
        let mut is_fine = true;
        for (at, result) in found {
            is_fine &= matches!(result, Some(Ok(())));
            if let Some(Err(error)) = result {
                self.errors[at] = Some(error);
            }
        }
        is_fine
    }

    fn confirm(&mut self, servers: &[usize]) {
        if let Err(error) = self.begin("confirm", servers) {
            for at in servers {
                self.errors[*at] = Some(CliError::journal_failed_again(&error));
                self.coordinator.confirmed(*at, StepReply::Refused);
            }
            return;
        }
        let (made, changing, plans) = (self.made.clone(), self.changing.clone(), self.plans);
        let held = &self.held;
        let work = |at: usize, member: &mut FleetMember| -> (StepReply, Option<CliError>) {
            let of =
                changing.iter().position(|number| *number == at).expect("it is one of those that change");
            let Some(made) = &made[of] else { return (StepReply::Refused, None) };
            let after = plans[at].result.as_ref().ok().and_then(FleetPlan::revisions).map(|[_, after]| after);
            let mut was_sent = false;
            loop {
                let error = match member.target.service.decide(Decision::Keep, Some(&made.id)) {
                    Ok(_) => return (StepReply::Done, None),
                    Err(error) => error,
                };
                let may_pass =
                    matches!(error.kind(), ErrorKind::Absent | ErrorKind::Unknown | ErrorKind::Failed);
                was_sent |= error.kind() == ErrorKind::Unknown;
                // The answer was lost, or a later one says that nothing waits any more.
                if was_sent && is_kept(member, after) {
                    return (StepReply::Done, None);
                }
                let is_over = Instant::now() + PAUSE >= made.until || held.received().is_some();
                if may_pass && !is_gone(&error) && !is_over {
                    // A second confirmation does no harm.
                    std::thread::sleep(PAUSE);
                    continue;
                }
                was_sent &= !is_gone(&error);
                let reply = if was_sent { StepReply::Lost } else { StepReply::Refused };
                return (reply, Some(CliError::from(error).at(&member.name)));
            }
        };
        let which: Vec<usize> = servers.iter().map(|at| self.changing[*at]).collect();
        let line = |at: usize, (reply, _): &(StepReply, Option<CliError>)| {
            let word = if *reply == StepReply::Done { "confirmed" } else { "not confirmed" };
            (!self.change.args.quiet).then(|| format!("{}: {word}", self.plans[at].server))
        };
        // Once the first confirmation is sent, every server gets one, whatever signal comes.
        let found = self.fleet.on(&which, "confirm", &|| true, work, line);
        for (at, (reply, error)) in servers.iter().zip(found.into_iter().flatten()) {
            self.coordinator.confirmed(*at, reply);
            self.errors[*at] = error;
            self.note(*at);
        }
    }

    fn cancel(&mut self, servers: &[usize]) {
        // Without its line in the journal a cancellation does no harm.
        let _ = self.begin("cancel", servers);
        let (made, changing, plans) = (self.made.clone(), self.changing.clone(), self.plans);
        let work = |at: usize, member: &mut FleetMember| -> Result<(), CliError> {
            let of =
                changing.iter().position(|number| *number == at).expect("it is one of those that change");
            let id = made[of].as_ref().map(|made| made.id.as_str());
            let after = plans[at].result.as_ref().ok().and_then(FleetPlan::revisions).map(|[_, after]| after);
            // Where no answer came, the change may still be under way, and a pending one may be somebody else's.
            if id.is_none() && !runs_soon(member, after) {
                return Err(CliError::not_begun(&member.name));
            }
            let decided = member.target.service.decide(Decision::RollBack, id);
            match decided {
                Ok(_) => Ok(()),
                Err(error) if is_gone(&error) => Ok(()),
                Err(error) => Err(CliError::from(error).at(&member.name)),
            }
        };
        let which: Vec<usize> = servers.iter().map(|at| self.changing[*at]).collect();
        let line = |at: usize, result: &Result<(), CliError>| {
            let word = if result.is_ok() { "taken back" } else { "not reached; it takes itself back" };
            (!self.change.args.quiet).then(|| format!("{}: {word}", self.plans[at].server))
        };
        let found = self.fleet.on(&which, "take back", &|| true, work, line);
        for (at, result) in servers.iter().zip(found.into_iter().flatten()) {
            self.coordinator.cancelled(*at, if result.is_ok() { StepReply::Done } else { StepReply::Lost });
            if let (Err(error), None) = (result, &self.errors[*at]) {
                self.errors[*at] = Some(error);
            }
            self.note(*at);
        }
    }

    /// Works on servers as long as no signal comes; `done` is what is said of one that did it.
    fn on<T: Send>(
        &mut self,
        servers: &[usize],
        what: &'static str,
        done: &str,
        work: impl Fn(usize, &mut FleetMember) -> Result<T, CliError> + Sync,
    ) -> Vec<(usize, Option<Result<T, CliError>>)> {
        let which: Vec<usize> = servers.iter().map(|at| self.changing[*at]).collect();
        let (plans, held, is_quiet) = (self.plans, &self.held, self.change.args.quiet);
        let line = |at: usize, result: &Result<T, CliError>| match result {
            Ok(_) if what != "try" || is_quiet => None,
            Ok(_) => Some(format!("{}: {done}", plans[at].server)),
            Err(error) => Some(format!("{}: {}", plans[at].server, in_a_word(error.kind))),
        };
        let found = self.fleet.on(&which, what, &|| held.received().is_none(), work, line);
        servers.iter().copied().zip(found).collect()
    }

    fn begin(&mut self, step: &str, servers: &[usize]) -> std::io::Result<()> {
        let servers = servers.iter().map(|at| &*self.plans[self.changing[*at]].server).collect();
        self.journal.note(&FleetJournalLine::Step { step, servers })
    }

    /// Writes what is known of a server. Without that line it is found out again.
    fn note(&mut self, at: usize) {
        let stage = format!("{:?}", self.coordinator.stages()[at]).to_lowercase();
        let server = &*self.plans[self.changing[at]].server;
        let _ = self.journal.note(&FleetJournalLine::Server { server, stage });
    }

    fn name(&self, at: usize) -> &str {
        &self.plans[self.changing[at]].server
    }
}

/// Whether a server runs this text, now or a moment later.
fn runs_soon(member: &mut FleetMember, revision: Option<Revision>) -> bool {
    for _ in 0..LOOKS {
        match health::still_runs(member, revision) {
            Ok(()) => return true,
            Err(error) if error.kind == ErrorKind::Conflict => std::thread::sleep(PAUSE),
            Err(_) => return false,
        }
    }
    false
}

/// Whether a server runs this text, and no change waits there.
fn is_kept(member: &mut FleetMember, revision: Option<Revision>) -> bool {
    health::still_runs(member, revision).is_ok()
        && member.target.service.status().is_ok_and(|status| status.pending.is_none())
}

/// Whether no change waits any more.
fn is_gone(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Engine(crate::engine::EngineError::NothingPending))
}

fn standing(stage: Stage) -> Standing {
    match stage {
        Stage::Untouched => Standing::NotChanged,
        Stage::Refused => Standing::Refused,
        Stage::Tried | Stage::Waiting | Stage::NotConfirmed | Stage::Cancelling => Standing::GoesBack,
        Stage::Confirming => Standing::Unknown,
        Stage::Confirmed => Standing::Changed,
        Stage::Cancelled => Standing::TakenBack,
    }
}
