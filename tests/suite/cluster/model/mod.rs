//! A model of how a configuration on etcd is changed and followed, and all that can happen in it.
//!
//! Writers commit changes, confirm them, lose their connection and die; requests that nobody waits for
//! any more arrive late; leases end; nodes look, write, reload, report, are cut off and die between any two
//! steps. What a node runs is asked of the very function that nodes ask. Whoever starts a rollout decides it.
//! Each order of these steps is walked through, within bounds:
//!
//! - **kept**: what was acknowledged is in every head from then on,
//! - **unconfirmed**: no head keeps a change that was not confirmed in time, nor is one confirmed late,
//! - **canary**: no other node runs a rollout before it is promoted,
//! - **back**: no node goes on with a change that is not confirmed, once its lease or its time is over, or the
//!   node has heard nothing for as long as the lease had left,
//! - **soak**: no rollout is promoted before its nodes have run it for their time without a break,
//! - **twin**: nor while two processes put the record of one of them,
//! - **overlay**: no state has an overlay that does not fit its text,
//! - **held**: no node leaves what it knows to be confirmed for what a restored store has, before that is adopted,
//! - **once**: no change is made twice,
//! - **converged**: all come to rest, whatever happens; every node that is not cut off then runs what it may of
//!   the head and says so, or says that it refuses it.
//!
//! `every_rule_is_needed` leaves out one rule at a time and sees a promise break: the model would notice.

mod node;
mod state;
mod walk;
mod writer;

use state::{Cast, Kind, Rule};
use walk::{Broken, walk};

/// A cast with the outcome of its walk.
fn broken(cast: &Cast) -> Option<&'static str> {
    match walk(cast) {
        Ok(states) => {
            println!("{cast:?}: {states} states");
            None
        }
        Err(Broken { promise, steps }) => {
            println!("{cast:?}: {promise} is broken by\n  {}", steps.join("\n  "));
            Some(promise)
        }
    }
}

#[track_caller]
fn holds(cast: &Cast) {
    assert_eq!(broken(cast), None, "the steps to it are printed above");
}

/// A cast that follows all rules.
fn cast(writers: &[Kind], nodes: usize, canaries: usize, faults: u8) -> Cast {
    let writers = writers.to_vec();
    Cast { writers, nodes, canaries, soaks: false, has_twin: false, restores: false, faults, without: None }
}

/// A rollout whose only first node has to run it for a time.
fn soaking(faults: u8) -> Cast {
    Cast { soaks: true, ..cast(&[Kind::Canary], 1, 1, faults) }
}

/// The same with another process that has the name of that node. Nobody is cut off: a process that is can't be told from
/// one that has ended.
fn with_twin() -> Cast {
    Cast { nodes: 2, has_twin: true, ..soaking(0) }
}

/// A node, and a store that begins anew with its snapshot.
fn restored(writers: &[Kind], faults: u8) -> Cast {
    Cast { restores: true, ..cast(writers, 1, 0, faults) }
}

#[test]
fn what_is_acknowledged_is_kept() {
    holds(&cast(&[Kind::Plain, Kind::Plain, Kind::Plain], 0, 0, 2));
    holds(&cast(&[Kind::Plain, Kind::Plain], 1, 0, 1));
}

#[test]
fn what_is_not_confirmed_goes_back() {
    holds(&cast(&[Kind::Confirmed, Kind::Plain], 0, 0, 3));
    holds(&cast(&[Kind::Confirmed], 1, 0, 2));
}

#[test]
fn a_rollout_is_promoted_or_goes_back() {
    holds(&cast(&[Kind::Canary], 2, 1, 1));
    holds(&cast(&[Kind::CanaryPoison], 2, 1, 0));
}

#[test]
fn what_a_node_says_of_a_rollout_counts_once_it_has_run_it_for_a_time_and_alone() {
    holds(&soaking(2));
}

#[test]
fn an_overlay_always_fits() {
    holds(&cast(&[Kind::Overlay, Kind::Removal, Kind::Plain], 0, 0, 1));
}

#[test]
fn a_restored_store_takes_nothing_from_nodes_until_it_is_adopted() {
    holds(&restored(&[Kind::Plain], 1));
    holds(&restored(&[Kind::Confirmed], 0));
}

#[test]
fn a_refused_text_does_not_block_the_next() {
    holds(&cast(&[Kind::Poison, Kind::Cure], 1, 0, 1));
}

#[test]
#[ignore = "walks through a million states; .ci/run does"]
fn all_promises_hold_in_larger_bounds() {
    holds(&cast(&[Kind::Plain, Kind::Plain, Kind::Plain], 1, 0, 2));
    holds(&cast(&[Kind::Confirmed, Kind::Confirmed, Kind::Plain], 0, 0, 3));
    holds(&cast(&[Kind::Confirmed, Kind::Plain], 1, 0, 2));
    holds(&cast(&[Kind::Confirmed], 2, 0, 1));
    holds(&cast(&[Kind::Canary], 2, 2, 0));
    holds(&cast(&[Kind::Canary], 3, 1, 0));
    holds(&cast(&[Kind::Canary, Kind::Plain], 2, 1, 0));
    holds(&cast(&[Kind::CanaryPoison, Kind::Plain], 2, 1, 0));
    holds(&cast(&[Kind::Poison, Kind::Cure], 2, 0, 1));
    holds(&cast(&[Kind::Confirmed, Kind::Poison], 1, 0, 1));
    holds(&restored(&[Kind::Plain, Kind::Plain], 0));
    holds(&restored(&[Kind::Plain], 2));
    holds(&restored(&[Kind::Confirmed], 1));
}

#[test]
fn every_rule_is_needed() {
    let mut walked = Vec::new();
    for (rule, promise, all) in [
        (Rule::CommitComparesHead, "kept", cast(&[Kind::Plain, Kind::Plain], 0, 0, 0)),
        (Rule::CommitRefusesOpen, "unconfirmed", cast(&[Kind::Confirmed, Kind::Plain], 0, 0, 0)),
        (Rule::LostLooksForId, "once", cast(&[Kind::Plain], 0, 0, 1)),
        (Rule::ConfirmComparesHead, "unconfirmed", cast(&[Kind::Confirmed; 2], 0, 0, 0)),
        (Rule::ConfirmComparesPending, "unconfirmed", cast(&[Kind::Confirmed], 0, 0, 0)),
        (Rule::TakeBackComparesHead, "kept", cast(&[Kind::Confirmed, Kind::Plain, Kind::Plain], 0, 0, 0)),
        (Rule::PromoteLooksAtRecords, "canary", cast(&[Kind::CanaryPoison], 2, 1, 0)),
        (Rule::CommitMergesOverlays, "overlay", cast(&[Kind::Overlay, Kind::Removal], 0, 0, 0)),
        (Rule::PromoteWaitsForSoak, "soak", soaking(0)),
        (Rule::RestartSoaksAnew, "soak", soaking(1)),
        (Rule::IllnessSoaksAnew, "soak", soaking(1)),
        (Rule::TwinsDoNotCount, "twin", with_twin()),
        (Rule::PutComparesRecord, "twin", with_twin()),
        (Rule::NodeNotesIntent, "converged", cast(&[Kind::Plain], 1, 0, 1)),
        (Rule::NodeNotesWayBack, "back", cast(&[Kind::Confirmed], 1, 0, 2)),
        (Rule::NodeKeepsWayBack, "back", cast(&[Kind::Confirmed, Kind::Plain], 1, 0, 1)),
        (Rule::LeavesWhatWasTakenBack, "back", cast(&[Kind::Confirmed, Kind::Poison], 1, 0, 0)),
        (Rule::ConfirmedIsRun, "converged", cast(&[Kind::Confirmed], 1, 0, 0)),
        (Rule::RunsOutWithPending, "back", cast(&[Kind::Confirmed], 1, 0, 0)),
        (Rule::RunsOutInItsTime, "back", cast(&[Kind::Confirmed], 1, 0, 0)),
        (Rule::CutOffGoesBack, "back", cast(&[Kind::Confirmed], 1, 0, 1)),
        (Rule::OthersWait, "canary", cast(&[Kind::Canary], 2, 1, 0)),
        (Rule::HeldByRecord, "held", restored(&[Kind::Plain], 0)),
        (Rule::HeldByConfirmation, "held", restored(&[Kind::Confirmed], 0)),
        (Rule::HeldStays, "held", restored(&[Kind::Plain], 0)),
        (Rule::AdoptedGoesOn, "converged", restored(&[Kind::Plain], 0)),
        (Rule::LeavesWhatIsLost, "back", restored(&[Kind::Confirmed], 0)),
    ] {
        if !walked.contains(&all) {
            holds(&all);
            walked.push(all.clone());
        }
        let cast = Cast { without: Some(rule), ..all };
        assert_eq!(broken(&cast), Some(promise), "{cast:?}");
    }
}
