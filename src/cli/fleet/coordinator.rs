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

use super::plan::ServerOutcome;

/// The next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FleetStep {
    /// Make the change, which has to be confirmed.
    Try,
    /// See whether they stay healthy for a time.
    Watch,
    /// See whether all are healthy, have answered just now, and have enough time left.
    Check,
    Confirm,
    /// Roll the change back now.
    Cancel,
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

/// The state of the whole change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinator {
    /// What stands on each server, as far as it is known.
    outcomes: BTreeMap<usize, ServerOutcome>,
    /// The servers that are tried first.
    canaries: Vec<usize>,
    /// The number of looks that were taken: at the canaries, and at all.
    looks: usize,
    /// True if something went wrong before the first confirmation was sent.
    has_failed: bool,
    is_confirming: bool,
}

impl Coordinator {
    /// A change of these servers, some of which are tried first.
    pub fn new(servers: impl IntoIterator<Item = usize>, canaries: Vec<usize>) -> Self {
        let outcomes = servers.into_iter().map(|server| (server, ServerOutcome::NotChanged)).collect();
        let looks = usize::from(canaries.is_empty());
        Self { outcomes, canaries, looks, has_failed: false, is_confirming: false }
    }

    /// Returns what stands on each server.
    pub fn outcomes(&self) -> &BTreeMap<usize, ServerOutcome> {
        &self.outcomes
    }

    /// The next step and its servers. It counts as begun: of servers that have no reply afterwards nothing is known.
    pub fn step(&mut self) -> (FleetStep, Vec<usize>) {
        // A confirmation that every server refused stands nowhere: the change can be taken back at once.
        if self.is_confirming && self.verdict() == FleetVerdict::None {
            (self.is_confirming, self.has_failed) = (false, true);
        }
        let at = |outcome| {
            let found = self.outcomes.iter().filter(|(_, is)| **is == outcome);
            found.map(|(at, _)| *at).collect::<Vec<usize>>()
        };
        let (rest, open) = (at(ServerOutcome::NotChanged), at(ServerOutcome::Open));
        let first: Vec<usize> = rest.iter().copied().filter(|at| self.canaries.contains(at)).collect();
        let (step, servers, begun) = match self {
            Self { has_failed: true, .. } => (FleetStep::Cancel, open, ServerOutcome::GoesBack),
            Self { is_confirming: true, .. } => return (FleetStep::Done(self.verdict()), Vec::new()),
            _ if !first.is_empty() => (FleetStep::Try, first, ServerOutcome::Open),
            Self { looks: 0, .. } => return (FleetStep::Watch, self.canaries.clone()),
            _ if !rest.is_empty() => (FleetStep::Try, rest, ServerOutcome::Open),
            Self { looks: 1, .. } => return (FleetStep::Check, self.outcomes.keys().copied().collect()),
            _ => {
                self.is_confirming = true;
                (FleetStep::Confirm, open, ServerOutcome::Unknown)
            }
        };
        if servers.is_empty() {
            return (FleetStep::Done(self.verdict()), servers);
        }
        self.outcomes.extend(servers.iter().map(|at| (*at, begun)));
        (step, servers)
    }

    /// Takes the result of a step on a server.
    pub fn hear(&mut self, step: FleetStep, at: usize, reply: StepReply) {
        self.has_failed |= step == FleetStep::Try && reply != StepReply::Done;
        let outcome = match (step, reply) {
            (FleetStep::Try, StepReply::Refused) => ServerOutcome::Refused,
            (FleetStep::Try, StepReply::NotSent) => ServerOutcome::NotChanged,
            (FleetStep::Try, _) | (FleetStep::Confirm, StepReply::Refused) => ServerOutcome::Open,
            (FleetStep::Confirm, StepReply::Done) | (FleetStep::Cancel, StepReply::Kept) => {
                ServerOutcome::Changed
            }
            (FleetStep::Confirm, _) => ServerOutcome::Unknown,
            (FleetStep::Cancel, StepReply::Done) => ServerOutcome::TakenBack,
            (FleetStep::Cancel, _) => ServerOutcome::GoesBack,
            (FleetStep::Watch | FleetStep::Check | FleetStep::Done(_), _) => return,
        };
        self.outcomes.insert(at, outcome);
    }

    /// Hears whether the canaries stayed healthy, and then whether all servers are ready to be confirmed.
    pub fn looked(&mut self, is_fine: bool) {
        self.looks += 1;
        self.has_failed |= !is_fine;
    }

    /// Gives up, as long as no confirmation was sent.
    pub fn interrupt(&mut self) {
        self.has_failed |= !self.is_confirming;
    }

    fn verdict(&self) -> FleetVerdict {
        let may_have_it = |is: &ServerOutcome| [ServerOutcome::Changed, ServerOutcome::Unknown].contains(is);
        match self.outcomes.values().any(may_have_it) {
            _ if self.outcomes.values().all(|is| *is == ServerOutcome::Changed) => FleetVerdict::All,
            true => FleetVerdict::Mixed,
            false => FleetVerdict::None,
        }
    }
}

#[cfg(test)]
#[path = "coordinator_tests.rs"]
mod tests;
