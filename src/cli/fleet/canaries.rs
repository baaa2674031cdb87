//! The servers that get a change before the others.

use super::answers::ServerAnswer;
use super::members::ServerNumber;
use super::plan::{FleetChange, FleetPlan};
use crate::cli::context::ServerContext;
use crate::cli::error::CliError;

/// Refuses a name that is none of the servers'.
pub fn refuse_unknown(change: &FleetChange<'_>, contexts: &[ServerContext]) -> Result<(), CliError> {
    let is_known = |name: &String| contexts.iter().any(|context| context.name == *name);
    let unknown = change.args.fleet.canary.iter().find(|name| !is_known(name));
    match unknown.filter(|_| canary_count(change).is_none()) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<&str> = contexts.iter().map(|context| &*context.name).collect();
            let message = format!("`--canary {unknown}`: none of the servers has this name");
            Err(CliError::usage(message, format!("the servers are {}", names.join(", "))))
        }
    }
}

/// Returns the servers that try the change first.
pub fn among(
    change: &FleetChange<'_>,
    changing: &[ServerNumber],
    plans: &[ServerAnswer<FleetPlan>],
) -> Vec<ServerNumber> {
    let is_named = |at: &ServerNumber| change.args.fleet.canary.contains(&plans[at.0].server);
    match canary_count(change) {
        Some(count) => changing.iter().copied().take(count).collect(),
        None => changing.iter().copied().filter(is_named).collect(),
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
