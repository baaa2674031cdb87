//! Every run of the coordinator with a few servers, each of which may do, refuse or lose each step.

use super::*;

/// The configuration that a server really runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Real {
    Old,
    /// The change, until its time is over.
    Pending,
    New,
}

/// A coordinator, and the servers as they really are.
#[derive(Clone)]
struct World {
    coordinator: Coordinator,
    servers: BTreeMap<usize, Real>,
    canaries: usize,
    /// True if the canaries stayed healthy, and all servers were ready.
    was_watched: bool,
    was_checked: bool,
    /// True if a confirmation has reached a server.
    was_confirmed: bool,
    /// The number of servers that may still lose their change before they are asked (a crash, a clock).
    crashes: usize,
    /// The number of servers that another client may still confirm.
    meddlers: usize,
    was_meddled_with: bool,
}

/// Returns the possible results of a step: the reply, and the configuration that the server runs then.
fn outcomes(step: FleetStep, real: Real) -> Vec<(StepReply, Real)> {
    let mut found = replies(step, real);
    found.extend((step == FleetStep::Try).then_some((StepReply::NotSent, real)));
    found
}

fn replies(step: FleetStep, real: Real) -> Vec<(StepReply, Real)> {
    use Real::{New, Old, Pending};
    use StepReply::{Done, Lost, Refused};
    match (step, real) {
        (FleetStep::Try, _) => vec![(Done, Pending), (Refused, Old), (Lost, Old), (Lost, Pending)],
        (FleetStep::Confirm, Pending) => {
            vec![(Done, New), (Lost, New), (Lost, Pending), (Refused, Old), (Refused, Pending)]
        }
        (FleetStep::Cancel, Pending) => {
            vec![(Done, Old), (Lost, Old), (Lost, Pending), (Refused, Pending)]
        }
        // Another client has confirmed it, which a look at the server finds out.
        (_, New) => vec![(Done, New), (Lost, New)],
        // It went back already, or never had the change.
        (_, real) => vec![(Refused, real), (Lost, real)],
    }
}

impl World {
    fn new(count: usize, canaries: usize, meddlers: usize) -> Self {
        Self {
            coordinator: Coordinator::new(0..count, (0..canaries).collect()),
            servers: (0..count).map(|at| (at, Real::Old)).collect(),
            canaries,
            was_watched: canaries == 0,
            was_checked: false,
            was_confirmed: false,
            crashes: 1,
            meddlers,
            was_meddled_with: false,
        }
    }

    /// Returns the configuration of every server once the time to confirm is over.
    fn after_the_time(&self) -> Vec<Real> {
        let ended = |real: &Real| if *real == Real::Pending { Real::Old } else { *real };
        self.servers.values().map(ended).collect()
    }

    /// Checks the promises that hold wherever the program is killed.
    fn check_here(&self) {
        if self.was_meddled_with {
            return;
        }
        let after = self.after_the_time();
        assert!(self.was_confirmed || after.iter().all(|real| *real == Real::Old), "{:?}", self.coordinator);
        // The stages name each server that may have the change.
        for (stage, real) in self.coordinator.outcomes().values().zip(self.servers.values()) {
            let may_stand = matches!(stage, ServerOutcome::Unknown | ServerOutcome::Changed);
            assert!(may_stand || *real != Real::New, "{:?} but {real:?}", self.coordinator);
        }
    }

    fn check_end(&self, verdict: FleetVerdict) {
        let after = self.after_the_time();
        match verdict {
            FleetVerdict::All => assert!(after.iter().all(|real| *real == Real::New), "{after:?}"),
            FleetVerdict::None => {
                // What another client has confirmed is not seen on a server that can't be reached any more.
                let is_unseen =
                    |stage: &ServerOutcome| self.was_meddled_with && *stage == ServerOutcome::GoesBack;
                for (real, stage) in after.iter().zip(self.coordinator.outcomes().values()) {
                    assert!(*real == Real::Old || is_unseen(stage), "{after:?} but {:?}", self.coordinator);
                }
            }
            FleetVerdict::Mixed => {
                let is_confirmed = self.was_confirmed || self.was_meddled_with;
                assert!(
                    is_confirmed
                        || self.coordinator.outcomes().values().any(|stage| *stage == ServerOutcome::Unknown)
                )
            }
        }
    }

    fn hear(&mut self, step: FleetStep, at: usize, reply: StepReply, real: Real) {
        let was_new = self.servers.insert(at, real) == Some(Real::New);
        self.was_confirmed |= real == Real::New && !was_new;
        let is_kept = step == FleetStep::Cancel && was_new && reply == StepReply::Done;
        self.coordinator.hear(step, at, if is_kept { StepReply::Kept } else { reply });
    }

    /// Goes on in every way; returns how many runs there are.
    fn explore(mut self) -> usize {
        self.check_here();
        let mut runs = 0;
        // A signal may come between any two steps, any server that waits may go back, and another client may confirm it.
        let mut interrupted = self.clone();
        interrupted.coordinator.interrupt();
        if interrupted.coordinator != self.coordinator {
            runs += interrupted.explore();
        }
        for (&at, _) in self.servers.iter().filter(|(_, real)| **real == Real::Pending) {
            if self.crashes > 0 {
                let mut crashed = self.clone();
                crashed.crashes -= 1;
                crashed.servers.insert(at, Real::Old);
                runs += crashed.explore();
            }
            if self.meddlers > 0 {
                let mut kept = self.clone();
                kept.meddlers -= 1;
                kept.was_meddled_with = true;
                kept.servers.insert(at, Real::New);
                runs += kept.explore();
            }
        }
        let (step, servers) = self.coordinator.step();
        self.check_here();
        match step {
            FleetStep::Done(verdict) => {
                self.check_end(verdict);
                return runs + 1;
            }
            FleetStep::Watch | FleetStep::Check => {
                for is_fine in [true, false] {
                    let mut next = self.clone();
                    match step {
                        FleetStep::Watch => next.was_watched = is_fine,
                        _ => next.was_checked = is_fine,
                    }
                    next.coordinator.looked(is_fine);
                    runs += next.explore();
                }
            }
            FleetStep::Try | FleetStep::Confirm | FleetStep::Cancel => {
                let is_try = step == FleetStep::Try;
                let is_early = is_try && servers.iter().any(|at| *at >= self.canaries);
                assert!(self.was_watched || !is_early, "the others follow only healthy canaries");
                if step == FleetStep::Confirm {
                    assert!(self.was_checked, "all are checked before one is confirmed");
                    assert!(servers.len() == self.servers.len(), "all are confirmed, or none");
                }
                let mut worlds = vec![self.clone()];
                for at in servers {
                    worlds = worlds
                        .iter()
                        .flat_map(|world| {
                            outcomes(step, world.servers[&at]).into_iter().map(|(reply, real)| {
                                let mut next = world.clone();
                                next.hear(step, at, reply, real);
                                next.check_here();
                                next
                            })
                        })
                        .collect();
                }
                runs += worlds.into_iter().map(World::explore).sum::<usize>();
            }
        }
        runs
    }
}

#[test]
fn no_run_leaves_a_mixture_before_the_first_confirmation_or_says_what_is_not_so() {
    for (count, canaries) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (3, 3)] {
        let runs = World::new(count, canaries, 0).explore();
        assert!(runs > 10, "{count} servers with {canaries} canaries: {runs} runs");
    }
}

#[test]
fn what_another_client_confirms_meanwhile_is_told() {
    for (count, canaries) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)] {
        let runs = World::new(count, canaries, count).explore();
        assert!(runs > 10, "{count} servers with {canaries} canaries: {runs} runs");
    }
}

#[test]
fn where_every_confirmation_is_refused_nothing_stands() {
    // Neither the first two of their fleet, nor named in its order.
    let (both, sorted) = ([7, 3], vec![3, 7]);
    let mut coordinator = Coordinator::new(both, Vec::new());
    for (step, reply) in [
        (FleetStep::Try, Some(StepReply::Done)),
        (FleetStep::Check, None),
        (FleetStep::Confirm, Some(StepReply::Refused)),
        (FleetStep::Cancel, Some(StepReply::Done)),
        (FleetStep::Done(FleetVerdict::None), None),
    ] {
        let is_end = matches!(step, FleetStep::Done(_));
        assert_eq!(coordinator.step(), (step, if is_end { Vec::new() } else { sorted.clone() }));
        match reply {
            Some(reply) => both.iter().for_each(|at| coordinator.hear(step, *at, reply)),
            None => coordinator.looked(true),
        }
    }
}
