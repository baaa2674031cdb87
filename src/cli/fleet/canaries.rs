//! The servers that get a change before the others.

use super::answers::ServerAnswer;
use super::members::ServerNumber;
use super::names::in_ranges;
use super::plan::{FleetChange, FleetPlan};
use crate::cli::context::ServerContext;
use crate::engine::OutcomeNote;
use crate::error::Error;

/// Refuses a number that is none of so many servers, and a name that is none of theirs.
pub fn refuse_unknown(change: &FleetChange<'_>, contexts: &[ServerContext]) -> Result<(), Error> {
    if let Some(count) = canary_count(change).filter(|_| !change.args.fleet.canary.is_empty())
        && !(1..=contexts.len()).contains(&count)
    {
        let message = format!("`--canary {count}`: {} servers are named", contexts.len());
        return Err(Error::usage(message, "one of them at least tries the change, and all at most"));
    }
    let is_known = |name: &String| contexts.iter().any(|context| context.name == *name);
    let unknown = change.args.fleet.canary.iter().find(|name| !is_known(name));
    match unknown.filter(|_| canary_count(change).is_none()) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<&str> = contexts.iter().map(|context| &*context.name).collect();
            let message = format!("`--canary {unknown}`: none of the servers has this name");
            Err(Error::usage(message, format!("the servers are {}", in_ranges(&names))))
        }
    }
}

/// Returns the servers that try the change first.
///
/// # Errors
/// `Guarded` if none of those that are named is to be changed: then nobody would try it.
pub fn among(
    change: &FleetChange<'_>,
    changing: &[ServerNumber],
    plans: &[ServerAnswer<FleetPlan>],
) -> Result<Vec<ServerNumber>, Error> {
    let named = &change.args.fleet.canary;
    let is_named = |at: &ServerNumber| named.contains(&plans[at.0].server);
    let first: Vec<ServerNumber> = match canary_count(change) {
        Some(count) => changing.iter().copied().take(count).collect(),
        None => changing.iter().copied().filter(is_named).collect(),
    };
    // Where the same change was made before, they have tried it.
    let have_it = plans.iter().any(|answer| {
        let notes = answer.result.as_ref().map(|plan| &plan.report.notes);
        notes.is_ok_and(|notes| notes.contains(&OutcomeNote::HasChange))
    });
    match first.is_empty() && !named.is_empty() && !have_it {
        true => Err(Error::no_canary(&named.join(","))),
        false => Ok(first),
    }
}

/// Returns the number of servers that try the change first, if they are not named.
fn canary_count(change: &FleetChange<'_>) -> Option<usize> {
    match &change.args.fleet.canary[..] {
        [] => Some(0),
        [only] => only.parse().ok(),
        _ => None,
    }
}
