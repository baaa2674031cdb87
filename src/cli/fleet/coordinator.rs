//! The coordinator of a change that is made on all servers or on none.
//!
//! A state machine without effects: it returns the next [`FleetStep`], and takes its result. Whoever drives it does
//! the work.
//!
//! ```text
//! try the canaries → watch them → try the others → check all → confirm all → done
//!        └───────────────┴──────────────┴────────────┴─→ cancel → done
//! ```
//!
//! *Invariant.* A server is confirmed only after every server has made the change and was checked. Until the first
//! confirmation is sent, each server goes back by itself when its time is over, whatever becomes of the others, of
//! this program, and of the network.

use std::collections::BTreeMap;

/// The next step, and its servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FleetStep {
    /// Make the change, which has to be confirmed.
    Try(Vec<usize>),
    /// See whether they stay healthy for a time.
    Watch(Vec<usize>),
    /// See whether all are healthy, have answered just now, and have enough time left.
    Check(Vec<usize>),
    Confirm(Vec<usize>),
    /// Roll the change back now.
    Cancel(Vec<usize>),
    Done(FleetVerdict),
}

/// The result of a step on one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepReply {
    /// It was done.
    Done,
    Refused,
    /// No answer came: it may have been done.
    Lost,
    /// It was not sent any more.
    NotSent,
    /// What was to be rolled back is confirmed: by another client.
    Kept,
}

/// The configurations of the servers in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FleetVerdict {
    /// Every server has the change.
    All,
    /// No server keeps it.
    None,
    /// Some servers keep it, and others do not, or may not.
    Mixed,
}

/// The stage of one server, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing was sent.
    Untouched,
    /// It was tried, and the answer was lost.
    Tried,
    /// It refused the change.
    Refused,
    /// It made the change, and waits to be confirmed.
    Waiting,
    /// A confirmation was sent, and the answer was lost.
    Confirming,
    Confirmed,
    /// It did not take the confirmation: it goes back when its time is over.
    NotConfirmed,
    /// A cancellation was sent, and the answer was lost: the server goes back when its time is over.
    Cancelling,
    Cancelled,
}

/// The state of the whole change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinator {
    stages: BTreeMap<usize, Stage>,
    /// The servers that are tried first.
    canaries: Vec<usize>,
    is_watched: bool,
    is_checked: bool,
    /// True if something went wrong before the first confirmation was sent.
    has_failed: bool,
    is_confirming: bool,
}

impl Coordinator {
    /// A change of these servers, some of which are tried first.
    pub fn new(servers: impl IntoIterator<Item = usize>, canaries: Vec<usize>) -> Self {
        Self {
            stages: servers.into_iter().map(|server| (server, Stage::Untouched)).collect(),
            is_watched: canaries.is_empty(),
            canaries,
            is_checked: false,
            has_failed: false,
            is_confirming: false,
        }
    }

    /// Returns the stage of each server.
    pub fn stages(&self) -> &BTreeMap<usize, Stage> {
        &self.stages
    }

    /// The next step. It counts as begun: of servers that have no reply afterwards nothing is known.
    pub fn step(&mut self) -> FleetStep {
        // A confirmation that every server refused stands nowhere: the change can be taken back at once.
        if self.is_confirming && !self.may_be_confirmed() {
            self.is_confirming = false;
            self.has_failed = true;
        }
        if self.has_failed {
            let open = self.at(&[Stage::Waiting, Stage::Tried, Stage::NotConfirmed]);
            return self.begin(open, Stage::Cancelling, FleetStep::Cancel);
        }
        if self.is_confirming {
            return FleetStep::Done(self.verdict());
        }
        let untouched = self.at(&[Stage::Untouched]);
        let first: Vec<usize> = untouched.iter().copied().filter(|at| self.canaries.contains(at)).collect();
        match (first.is_empty(), self.is_watched, untouched.is_empty(), self.is_checked) {
            (false, ..) => self.begin(first, Stage::Tried, FleetStep::Try),
            (true, false, ..) => FleetStep::Watch(self.canaries.clone()),
            (true, true, false, _) => self.begin(untouched, Stage::Tried, FleetStep::Try),
            (true, true, true, false) => FleetStep::Check(self.stages.keys().copied().collect()),
            (true, true, true, true) => {
                self.is_confirming = true;
                let waiting = self.at(&[Stage::Waiting]);
                self.begin(waiting, Stage::Confirming, FleetStep::Confirm)
            }
        }
    }

    /// Takes the result of a step on a server.
    pub fn hear(&mut self, step: &FleetStep, at: usize, reply: StepReply) {
        self.has_failed |= matches!(step, FleetStep::Try(_)) && reply != StepReply::Done;
        let stage = match (step, reply) {
            (FleetStep::Try(_), StepReply::Done) => Stage::Waiting,
            (FleetStep::Try(_), StepReply::Refused) => Stage::Refused,
            (FleetStep::Try(_), StepReply::NotSent) => Stage::Untouched,
            (FleetStep::Try(_), _) => Stage::Tried,
            (FleetStep::Confirm(_), StepReply::Done) | (FleetStep::Cancel(_), StepReply::Kept) => {
                Stage::Confirmed
            }
            (FleetStep::Confirm(_), StepReply::Refused) => Stage::NotConfirmed,
            (FleetStep::Confirm(_), _) => Stage::Confirming,
            (FleetStep::Cancel(_), StepReply::Done) => Stage::Cancelled,
            (FleetStep::Cancel(_), _) => Stage::Cancelling,
            (FleetStep::Watch(_) | FleetStep::Check(_) | FleetStep::Done(_), _) => return,
        };
        self.stages.insert(at, stage);
    }

    /// Hears whether the canaries stayed healthy, and then whether all servers are ready to be confirmed.
    pub fn looked(&mut self, is_fine: bool) {
        (self.is_watched, self.is_checked) = (true, self.is_watched);
        self.has_failed |= !is_fine;
    }

    /// Gives up, as long as no confirmation was sent.
    pub fn interrupt(&mut self) {
        self.has_failed |= !self.is_confirming;
    }

    fn begin(&mut self, servers: Vec<usize>, stage: Stage, step: fn(Vec<usize>) -> FleetStep) -> FleetStep {
        if servers.is_empty() {
            return FleetStep::Done(self.verdict());
        }
        self.stages.extend(servers.iter().map(|at| (*at, stage)));
        step(servers)
    }

    fn at(&self, stages: &[Stage]) -> Vec<usize> {
        self.stages.iter().filter(|(_, stage)| stages.contains(stage)).map(|(at, _)| *at).collect()
    }

    fn may_be_confirmed(&self) -> bool {
        !self.at(&[Stage::Confirmed, Stage::Confirming]).is_empty()
    }

    fn verdict(&self) -> FleetVerdict {
        if self.stages.values().all(|stage| *stage == Stage::Confirmed) {
            return FleetVerdict::All;
        }
        if self.may_be_confirmed() { FleetVerdict::Mixed } else { FleetVerdict::None }
    }
}

#[cfg(test)]
#[path = "coordinator_tests.rs"]
mod tests;
