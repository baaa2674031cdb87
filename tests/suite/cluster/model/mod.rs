//! A model of how a configuration on etcd is changed and followed, and all that can happen in it.
//!
//! Writers commit changes, confirm them, lose their connection and die; requests that nobody waits for
//! any more arrive late; leases end; nodes look, write, reload, report, promote, take back and die
//! between any two steps. Each order of these steps is walked through, within bounds:
//!
//! - **kept**: what was acknowledged is in every head from then on,
//! - **unconfirmed**: no head keeps a change that was not confirmed in time, nor is one confirmed late,
//! - **canary**: no other node runs a rollout before it is promoted,
//! - **once**: no change is made twice,
//! - **converged**: all come to rest, whatever happens; every node then runs the head and says so, or
//!   says that it refuses it.
//!
//! `every_rule_is_needed` leaves out one rule at a time and sees a promise break: the model would notice.

mod node;
mod state;
mod walk;
mod writer;

use state::{Cast, Kind, Rules};
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
    Cast { writers: writers.to_vec(), nodes, canaries, faults, rules: Rules::default() }
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
fn a_refused_text_does_not_block_the_next() {
    holds(&cast(&[Kind::Poison, Kind::Cure], 1, 0, 1));
}

#[test]
#[ignore = "walks through a million states; .ci/run does"]
fn all_promises_hold_in_larger_bounds() {
    holds(&cast(&[Kind::Plain, Kind::Plain, Kind::Plain], 1, 0, 2));
    holds(&cast(&[Kind::Confirmed, Kind::Confirmed, Kind::Plain], 0, 0, 3));
    holds(&cast(&[Kind::Confirmed, Kind::Plain], 1, 0, 2));
    holds(&cast(&[Kind::Confirmed], 2, 0, 2));
    holds(&cast(&[Kind::Canary], 3, 2, 0));
    holds(&cast(&[Kind::Canary, Kind::Plain], 2, 1, 1));
    holds(&cast(&[Kind::CanaryPoison, Kind::Plain], 2, 1, 1));
    holds(&cast(&[Kind::Poison, Kind::Cure], 2, 0, 1));
}

#[test]
fn every_rule_is_needed() {
    type Break = fn(&mut Rules);
    let rules: [(&str, Break, Cast); 10] = [
        ("kept", |rules| rules.commit_compares_head = false, cast(&[Kind::Plain, Kind::Plain], 0, 0, 0)),
        (
            "unconfirmed",
            |rules| rules.commit_refuses_open = false,
            cast(&[Kind::Confirmed, Kind::Plain], 0, 0, 0),
        ),
        ("once", |rules| rules.lost_looks_for_id = false, cast(&[Kind::Plain], 0, 0, 1)),
        ("unconfirmed", |rules| rules.confirm_compares_head = false, cast(&[Kind::Confirmed; 2], 0, 0, 0)),
        ("unconfirmed", |rules| rules.confirm_compares_pending = false, cast(&[Kind::Confirmed], 0, 0, 0)),
        ("kept", |rules| rules.take_back_compares_head = false, cast(&[Kind::Confirmed], 1, 0, 0)),
        ("converged", |rules| rules.node_takes_back = false, cast(&[Kind::Confirmed], 1, 0, 0)),
        ("converged", |rules| rules.node_notes_intent = false, cast(&[Kind::Plain], 1, 0, 1)),
        ("canary", |rules| rules.others_wait = false, cast(&[Kind::Canary], 2, 1, 0)),
        ("canary", |rules| rules.promote_looks_at_records = false, cast(&[Kind::CanaryPoison], 2, 1, 0)),
    ];
    for (promise, leave_out, mut cast) in rules {
        leave_out(&mut cast.rules);
        assert_eq!(broken(&cast), Some(promise), "{cast:?}");
    }
}
