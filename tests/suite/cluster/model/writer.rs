//! The steps of writers.

use super::state::{Cast, Head, Open, Place, Record, Rule, State};
use super::walk::Step;

/// The steps that a writer can take now.
pub fn steps(state: &State, cast: &Cast, writer: usize, found: &mut Vec<Step>) {
    let now = &state.writers[writer];
    let mut step = |what: &str, is_fault: bool, take: &dyn Fn(&mut State)| {
        let mut next = state.clone();
        take(&mut next);
        found.push(Step { name: format!("writer {writer}: {what}"), is_fault, next });
    };
    if let Some(basis) = now.stray {
        step("a request that nobody waits for arrives", false, &|next| {
            next.writers[writer].stray = None;
            commit(next, cast, writer, basis);
        });
    }
    if state.faults > 0 && now.at != Place::Done {
        step("is killed", true, &|next| {
            next.faults -= 1;
            if let Place::Waits(basis) = next.writers[writer].at {
                next.writers[writer].stray = Some(basis);
            }
            next.writers[writer].at = Place::Done;
        });
    }
    match now.at {
        Place::Begins => step("reads", false, &|next| {
            next.writers[writer].at = Place::HasRead(next.head, next.pending.is_some());
        }),
        Place::HasRead(head, is_pending) => match head.open.filter(|_| cast.follows(Rule::CommitRefusesOpen))
        {
            Some(_) if is_pending => step("is refused: another change is pending", false, &|next| {
                next.writers[writer].at = Place::Done;
            }),
            Some(_) => step("takes back what was not confirmed", false, &|next| {
                next.take_back(head, cast);
                next.writers[writer].at = Place::Begins;
            }),
            None if cast.has_misfit(head.text.changes | 1 << writer)
                && cast.follows(Rule::CommitMergesOverlays) =>
            {
                step("is refused: an overlay does not fit", false, &|next| {
                    next.writers[writer].at = Place::Done;
                });
            }
            None => step("sends its change", false, &|next| next.writers[writer].at = Place::Waits(head)),
        },
        Place::Waits(basis) => {
            step("is answered", false, &|next| answer(next, cast, writer, basis));
            if state.faults > 0 {
                step("loses the connection", true, &|next| {
                    next.faults -= 1;
                    next.writers[writer].stray = Some(basis);
                    next.writers[writer].at = Place::Lost(basis);
                });
            }
        }
        Place::Lost(basis) => step("looks what became of its change", false, &|next| {
            let is_made = cast.follows(Rule::LostLooksForId) && next.made & 1 << writer != 0;
            next.writers[writer].at = match is_made {
                true => acknowledged(next, cast, writer),
                // The very same request again: at most one of the two finds this head.
                false if next.head.revision == basis.revision => Place::Waits(basis),
                false => Place::Begins,
            };
        }),
        Place::Made if cast.writers[writer].is_rollout() => {
            let looked = look(state, cast, writer);
            if looked != Place::Made {
                step("looks at its rollout", false, &|next| next.writers[writer].at = looked);
            }
            step("waits no longer", false, &|next| {
                let head = next.head;
                let is_its_own = head.open.is_some_and(|open| open.writer == writer);
                next.writers[writer].at = if is_its_own { Place::GoesBack(head) } else { Place::Done };
            });
        }
        Place::Made => {
            step("does not confirm", false, &|next| next.writers[writer].at = Place::Done);
            step("reads to confirm", false, &|next| {
                let is_its_own = next.head.open.is_some_and(|open| open.writer == writer);
                let at = if is_its_own { Place::Confirms(next.head) } else { Place::Done };
                next.writers[writer].at = at;
            });
        }
        Place::Confirms(head) => step("confirms", false, &|next| {
            next.confirm(head, cast);
            next.writers[writer].at = Place::Done;
        }),
        Place::Promotes(head, records) => step("promotes", false, &|next| {
            let is_so = !cast.follows(Rule::PromoteLooksAtRecords) || records == next.records(cast);
            let is_promoted = is_so && next.promote(head, cast);
            next.writers[writer].at = if is_promoted { Place::Done } else { Place::Made };
        }),
        Place::GoesBack(head) => step("takes its change back", false, &|next| {
            next.take_back(head, cast);
            next.writers[writer].at = Place::Done;
        }),
        Place::Done => {}
    }
}

/// Decides a rollout by the keys that its writer reads now.
fn look(state: &State, cast: &Cast, writer: usize) -> Place {
    let head = state.head;
    if head.open.is_none_or(|open| open.writer != writer) {
        return Place::Done;
    }
    let records = state.records(cast);
    let says = |is: &dyn Fn(&Record) -> bool| {
        records.iter().take(cast.canaries).filter(|record| record.as_ref().is_some_and(is)).count()
    };
    let counts = |record: &Record| {
        let has_soaked = record.has_soaked || !cast.soaks || !cast.follows(Rule::PromoteWaitsForSoak);
        let is_alone = !record.is_twin || !cast.follows(Rule::TwinsDoNotCount);
        record.runs == head.text && has_soaked && is_alone
    };
    let all_run = says(&counts) == cast.canaries;
    match all_run || !cast.follows(Rule::PromoteLooksAtRecords) {
        _ if state.pending.is_none() => Place::GoesBack(head),
        _ if says(&|record| record.refused == Some(head.text)) > 0 => Place::GoesBack(head),
        true => Place::Promotes(head, records),
        false => Place::Made,
    }
}

/// The request is carried out, and its answer heard.
fn answer(state: &mut State, cast: &Cast, writer: usize, basis: Head) {
    let is_made = commit(state, cast, writer, basis);
    // A request that was sent twice may fail because its twin was there first.
    let was_made = cast.follows(Rule::LostLooksForId) && state.made & 1 << writer != 0;
    state.writers[writer].at = match is_made || was_made {
        true => acknowledged(state, cast, writer),
        false => Place::Begins,
    };
}

/// The transaction that makes the change of a writer; whether it did.
fn commit(state: &mut State, cast: &Cast, writer: usize, basis: Head) -> bool {
    if cast.follows(Rule::CommitComparesHead) && state.head.revision != basis.revision {
        return false;
    }
    if state.made & 1 << writer != 0 {
        state.broken = Some("once");
    }
    let kind = cast.writers[writer];
    let text = state.next(basis.text.changes | 1 << writer);
    let open = Open { writer, back: basis.text, is_rollout: kind.is_rollout() };
    state.put(text, kind.is_open().then_some(open));
    if kind.is_open() {
        state.pending = Some(writer);
    }
    state.made |= 1 << writer;
    true
}

/// The writer knows that its change is made.
fn acknowledged(state: &mut State, cast: &Cast, writer: usize) -> Place {
    let kind = cast.writers[writer];
    match kind.is_open() {
        true => Place::Made,
        false => {
            state.kept |= 1 << writer;
            Place::Done
        }
    }
}
